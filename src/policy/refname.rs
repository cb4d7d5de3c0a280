//! Checks full ref names and patterns, and matches them.

/// What keeps a text from being a full ref name, by the rules of `git check-ref-format`.
pub fn fault(name: &str) -> Option<&'static str> {
    let bare = |c: char| c.is_ascii_control() || " ~^:?*[\\".contains(c);
    if !name.starts_with("refs/") {
        Some("a full ref name: it starts with 'refs/'")
    } else if name.chars().any(bare) {
        Some("a ref name without space, control character or any of ~ ^ : ? * [ \\")
    } else if name.contains("..") || name.contains("@{") || name.ends_with('.') {
        Some("a ref name without '..', '@{' or a dot at the end")
    } else if name
        .split('/')
        .any(|part| part.is_empty() || part.starts_with('.') || part.ends_with(".lock"))
    {
        Some("a ref name without a component that is empty, starts with '.' or ends with '.lock'")
    } else {
        None
    }
}

/// What keeps a text from being a pattern of full ref names.
pub fn pattern_fault(pattern: &str) -> Option<&'static str> {
    if pattern
        .split('/')
        .any(|part| part.contains("**") && part != "**")
    {
        return Some("'**' to be a whole component");
    }
    fault(&pattern.replace('*', "x"))
}

/// Whether a pattern matches a ref name as a whole: `*` stands for any text within one
/// component, `**` for any number of components, at the end for at least one.
pub fn matches(pattern: &str, name: &str) -> bool {
    let mut parts: Vec<&str> = pattern.split('/').collect();
    if parts.last() == Some(&"**") {
        parts.insert(parts.len() - 1, "*");
    }
    let components: Vec<&str> = name.split('/').collect();
    wild(
        &parts,
        &components,
        |part| *part == "**",
        |part, name| component_matches(part, name),
    )
}

fn component_matches(pattern: &str, name: &str) -> bool {
    wild(
        pattern.as_bytes(),
        name.as_bytes(),
        |byte| *byte == b'*',
        |ours, theirs| ours == theirs,
    )
}

/// Matches items against a pattern whose stars take any number of them, in time proportional to
/// both lengths: `reach[n]` says whether the pattern so far can end after `n` items.
fn wild<P, I>(
    pattern: &[P],
    items: &[I],
    star: impl Fn(&P) -> bool,
    same: impl Fn(&P, &I) -> bool,
) -> bool {
    let mut reach = vec![false; items.len() + 1];
    reach[0] = true;
    for part in pattern {
        if star(part) {
            let first = reach
                .iter()
                .position(|reached| *reached)
                .unwrap_or(reach.len());
            reach[first..].fill(true);
        } else {
            let step = |at: usize| at > 0 && reach[at - 1] && same(part, &items[at - 1]);
            reach = (0..=items.len()).map(step).collect();
        }
    }
    reach[items.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_names_are_told_from_the_rest() {
        for good in [
            "refs/heads/main",
            "refs/heads/a/b.c",
            "refs/heads/@",
            "refs/heads/ä-1",
            "refs/x{y",
        ] {
            assert_eq!(fault(good), None, "{good}");
        }
        for bad in [
            "",
            "main",
            "heads/main",
            "HEAD",
            "refs/",
            "/refs/heads/x",
            "refs//x",
            "refs/heads/",
            "refs/heads/.x",
            "refs/heads/x.lock",
            "refs/heads/x.lock/y",
            "refs/heads/a..b",
            "refs/heads/a.",
            "refs/heads/a@{b",
            "refs/heads/a b",
            "refs/heads/a\u{7f}",
            "refs/heads/a~1",
            "refs/heads/a^",
            "refs/heads/a:b",
            "refs/heads/a?",
            "refs/heads/*",
            "refs/heads/[a]",
            "refs/heads/a\\b",
        ] {
            assert!(fault(bad).is_some(), "{bad}");
        }
    }

    #[test]
    fn patterns_are_ref_names_with_stars() {
        for good in [
            "refs/**",
            "refs/heads/*",
            "refs/*/x",
            "refs/heads/re*/v*.x",
            "refs/heads/main",
        ] {
            assert_eq!(pattern_fault(good), None, "{good}");
        }
        for bad in [
            "**",
            "heads/**",
            "refs/heads/a**",
            "refs/heads/***",
            "refs/heads/?",
            "refs/heads//*",
            "",
        ] {
            assert!(pattern_fault(bad).is_some(), "{bad}");
        }
    }

    #[test]
    fn one_star_stays_in_its_component_and_two_go_any_depth() {
        for (pattern, name, expected) in [
            ("refs/heads/main", "refs/heads/main", true),
            ("refs/heads/main", "refs/heads/main2", false),
            ("refs/heads/main", "refs/heads/main/x", false),
            ("refs/heads/*", "refs/heads/main", true),
            ("refs/heads/*", "refs/heads/a/b", false),
            ("refs/heads/**", "refs/heads/a", true),
            ("refs/heads/**", "refs/heads/a/b/c", true),
            ("refs/heads/**", "refs/heads", false),
            ("refs/heads/**", "refs/headsx/a", false),
            ("refs/**/wip", "refs/heads/me/wip", true),
            ("refs/**/wip", "refs/wip", true),
            ("refs/**/wip", "refs/heads/wip/x", false),
            ("refs/heads/v*.*-rc*", "refs/heads/v1.2-rc", true),
            ("refs/heads/v*.*-rc*", "refs/heads/v12-rc", false),
            (
                "refs/heads/*a*a*b",
                "refs/heads/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaac",
                false,
            ),
            ("refs/heads/*", "refs/heads/ä", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
