//! Tells whether a path is material, exempt or code, and whether it is for people only.

use std::collections::BTreeMap;

use super::{POLICY_PATH, Policy};
use crate::model::path::RepoPath;

/// What the policy says about a path and everything below it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// Ledgers, properties, fixtures, specs, policy, history: never part of a patch.
    pub material: bool,
    /// Where verdicts are folded, which is material too.
    pub history: bool,
    /// Needs no oracle.
    pub exempt: bool,
    /// Held for a person, whatever the checks say.
    pub human_only: bool,
}

impl Marks {
    /// Whether a commit that owns such a path is a patch commit.
    pub fn is_code(self) -> bool {
        !self.material && !self.exempt
    }

    fn with(self, other: Self) -> Self {
        Self {
            material: self.material || other.material,
            history: self.history || other.history,
            exempt: self.exempt || other.exempt,
            human_only: self.human_only || other.human_only,
        }
    }
}

/// The prefixes of a policy as a tree of path components, walked along with a git tree.
#[derive(Clone, Debug, Default)]
pub struct Territory {
    root: Node,
}

#[derive(Clone, Debug, Default)]
struct Node {
    marks: Marks,
    children: BTreeMap<Vec<u8>, Node>,
}

/// A place in the territory: one directory or file of a tree that is being walked.
#[derive(Clone, Copy, Debug)]
pub struct Spot<'a> {
    marks: Marks,
    node: Option<&'a Node>,
}

impl Territory {
    /// The territory of a policy.
    pub fn of(policy: &Policy) -> Self {
        let material = Marks {
            material: true,
            ..Marks::default()
        };
        let exempt = Marks {
            exempt: true,
            ..Marks::default()
        };
        let human_only = Marks {
            human_only: true,
            ..Marks::default()
        };
        let paths = &policy.paths;
        let mut territory = Self::default();
        territory.mark(POLICY_PATH, material);
        territory.mark(paths.ledger.as_str(), material);
        territory.mark(
            paths.history.as_str(),
            Marks {
                history: true,
                ..material
            },
        );
        let lists = [
            (&paths.properties, material),
            (&paths.fixtures, material),
            (&paths.specs, material),
            (&paths.exempt, exempt),
            (&paths.human_only, human_only),
        ];
        for (prefixes, marks) in lists {
            prefixes
                .iter()
                .map(RepoPath::as_str)
                .for_each(|prefix| territory.mark(prefix, marks));
        }
        territory
    }

    fn mark(&mut self, prefix: &str, marks: Marks) {
        let mut node = &mut self.root;
        for component in prefix.split('/') {
            node = node
                .children
                .entry(component.as_bytes().to_vec())
                .or_default();
        }
        node.marks = node.marks.with(marks);
    }

    /// The root of the tree.
    pub fn root(&self) -> Spot<'_> {
        Spot {
            marks: self.root.marks,
            node: Some(&self.root),
        }
    }

    /// What the policy says about one path.
    pub fn marks(&self, path: &str) -> Marks {
        path.split('/')
            .fold(self.root(), |spot, name| spot.child(name.as_bytes()))
            .marks()
    }
}

impl Spot<'_> {
    /// The place one component further down.
    pub fn child(&self, name: &[u8]) -> Self {
        let node = self.node.and_then(|node| node.children.get(name));
        let own = node.map(|node| node.marks).unwrap_or_default();
        Self {
            marks: self.marks.with(own),
            node,
        }
    }

    /// What holds here and below, as far as the prefixes above say.
    pub fn marks(&self) -> Marks {
        self.marks
    }

    /// Whether no prefix begins further down, so that everything below has the same marks.
    pub fn is_uniform(&self) -> bool {
        self.node.is_none_or(|node| node.children.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_inherited_and_material_wins() {
        let mut territory = Territory::default();
        territory.mark(
            "docs",
            Marks {
                exempt: true,
                ..Marks::default()
            },
        );
        territory.mark(
            "docs/spec",
            Marks {
                material: true,
                ..Marks::default()
            },
        );
        territory.mark(
            "src/auth",
            Marks {
                human_only: true,
                ..Marks::default()
            },
        );
        assert!(territory.marks("src/lib.rs").is_code());
        assert!(!territory.marks("docs/a.md").is_code());
        assert!(
            territory.marks("docs/spec/a.md").material && territory.marks("docs/spec/a.md").exempt
        );
        assert!(
            territory.marks("src/auth/a.rs").human_only
                && territory.marks("src/auth/a.rs").is_code()
        );
        assert!(
            !territory.root().child(b"src").is_uniform()
                && territory.root().child(b"lib").is_uniform()
        );
    }
}
