//! Reads the hunks or the binary bytes of one section and checks their length.

use super::change::AddedLine;
use super::fault::{DiffFault, Problem};
use super::header::Heading;
use super::lines::Lines;
use super::name;

/// The lines of a section.
#[derive(Debug, Default)]
pub(super) struct Body {
    pub(super) binary: bool,
    pub(super) added: Vec<AddedLine>,
    pub(super) removed: usize,
}

/// Reads what follows a section's header; nothing, when only a name or a mode changes.
pub(super) fn read(lines: &mut Lines<'_>, heading: &Heading) -> Result<Body, DiffFault> {
    let mut body = Body::default();
    match lines.peek() {
        Some(line) if line.starts_with(b"Binary files ") => {
            return Err(lines.fault(Problem::BinaryWithoutBytes));
        }
        Some(b"GIT binary patch") => {
            lines.next();
            body.binary = true;
            read_binary(lines)?;
        }
        Some(line) if line.starts_with(b"--- ") => {
            read_names(lines, heading)?;
            read_hunk(lines, &mut body)?;
            while lines.peek().is_some_and(|line| line.starts_with(b"@@ ")) {
                read_hunk(lines, &mut body)?;
            }
        }
        Some(_) | None => {}
    }
    Ok(body)
}

fn read_names(lines: &mut Lines<'_>, heading: &Heading) -> Result<(), DiffFault> {
    let mut one = |prefix| {
        let text = lines
            .next_after(prefix)
            .ok_or(Problem::Header("no line with the name of the file after"));
        let text = text.map_err(|problem| lines.fault(problem))?;
        let problem = if text.ends_with(b"\r") {
            Err(Problem::HeaderCrLf)
        } else {
            name::side(text)
        };
        problem.map_err(|problem| lines.fault_before(problem))
    };
    let (before, after) = (one("--- ")?, one("+++ ")?);
    if heading.agrees(before.as_ref(), after.as_ref()) {
        return Ok(());
    }
    Err(lines.fault_before(Problem::Header(
        "names that differ from those of the section's header",
    )))
}

/// Where a hunk starts and how long it is, on both sides.
struct Ranges {
    old: usize,
    new: usize,
    at: usize,
}

fn read_hunk(lines: &mut Lines<'_>, body: &mut Body) -> Result<(), DiffFault> {
    let line = lines.peek().unwrap_or_default();
    let mut left = ranges(line).ok_or_else(|| lines.fault(Problem::Hunk("no header of a hunk")))?;
    lines.next();
    while left.old > 0 || left.new > 0 {
        let line = lines.next();
        take_line(line, &mut left, body).map_err(|problem| lines.fault_before(problem))?;
    }
    lines.next_after("\\ ");
    Ok(())
}

fn take_line(line: Option<&[u8]>, left: &mut Ranges, body: &mut Body) -> Result<(), Problem> {
    let longer = Problem::Hunk("a hunk that is longer than its header says");
    let less = |count: &mut usize| count.checked_sub(1).map(|rest| *count = rest);
    let line = line.ok_or(Problem::Hunk("a patch that ends in the middle of a hunk"))?;
    match line {
        [] | [b' ', ..] => {
            less(&mut left.old).zip(less(&mut left.new)).ok_or(longer)?;
            left.at += 1;
        }
        [b'-', ..] => {
            less(&mut left.old).ok_or(longer)?;
            body.removed += 1;
        }
        [b'+', text @ ..] => {
            less(&mut left.new).ok_or(longer)?;
            body.added.push(AddedLine {
                number: left.at,
                text: text.to_vec(),
            });
            left.at += 1;
        }
        [b'\\', b' ', ..] => {} // the file ends here without a newline
        _ => return Err(Problem::Hunk("a line that is no line of a hunk")),
    }
    Ok(())
}

/// `@@ -old[,count] +new[,count] @@`, not both empty.
fn ranges(line: &[u8]) -> Option<Ranges> {
    let line = std::str::from_utf8(line.get(..line.len().min(100))?).unwrap_or_else(|fault| {
        std::str::from_utf8(&line[..fault.valid_up_to()]).unwrap_or_default()
    });
    let (numbers, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = numbers.split_once(" +")?;
    let ((_, old), (at, new)) = (range(old)?, range(new)?);
    (old > 0 || new > 0).then_some(Ranges { old, new, at })
}

fn range(text: &str) -> Option<(usize, usize)> {
    let number = |text: &str| {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        if digits {
            text.parse::<u32>().ok()?.try_into().ok()
        } else {
            None
        }
    };
    match text.split_once(',') {
        None => Some((number(text)?, 1)),
        Some((at, count)) => Some((number(at)?, number(count)?)),
    }
}

/// One or two blocks of bytes: the new ones, and the old ones for a way back.
fn read_binary(lines: &mut Lines<'_>) -> Result<(), DiffFault> {
    read_block(lines)?;
    let more = lines
        .peek()
        .is_some_and(|line| line.starts_with(b"literal ") || line.starts_with(b"delta "));
    if more { read_block(lines) } else { Ok(()) }
}

fn read_block(lines: &mut Lines<'_>) -> Result<(), DiffFault> {
    let size = lines
        .next_after("literal ")
        .or_else(|| lines.next_after("delta "));
    let digits = size.is_some_and(|size| !size.is_empty() && size.iter().all(u8::is_ascii_digit));
    if !digits {
        return Err(lines.fault(Problem::BinaryShape));
    }
    loop {
        match lines.next() {
            Some([]) => return Ok(()),
            Some(line) if is_base85(line) => {}
            Some(_) | None => return Err(lines.fault_before(Problem::BinaryShape)),
        }
    }
}

/// A letter for the number of bytes, then five characters for every four bytes.
fn is_base85(line: &[u8]) -> bool {
    let bytes = match line[0] {
        letter @ b'A'..=b'Z' => letter - b'A' + 1,
        letter @ b'a'..=b'z' => letter - b'a' + 27,
        _ => return false,
    };
    line.len() == 1 + usize::from(bytes).div_ceil(4) * 5
        && line[1..].iter().all(|byte| byte.is_ascii_graphic())
}
