//! Changes as a unified diff that never contains a secret. If a line near a change holds one, less context is shown.
//! If a changed line holds one, only the file is named.

use std::fmt::Write;

use super::change::{FileChanges, Splice};
use crate::input::excerpt::Excerpt;
use crate::input::repo::RepoPath;

/// Changes as a unified diff.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patch {
    pub text: String,
    /// Files whose change would show a secret.
    pub hidden: Vec<String>,
}

/// How many lines are shown around a change.
const CONTEXT: usize = 3;

pub fn patch(changes: &[FileChanges], prefix: &str) -> Patch {
    let mut patch = Patch::default();
    for change in changes {
        let path = format!("{prefix}{}", change.path);
        match of_file(change, &path) {
            Some(text) => patch.text += &text,
            None => patch.hidden.push(path),
        }
    }
    patch
}

/// The change of a file under the name `path`; none if it would show a secret.
fn of_file(change: &FileChanges, path: &str) -> Option<String> {
    let old = PatchSide::new(&change.path, change.before.as_deref());
    let new = PatchSide::new(&change.path, change.after.as_deref());
    let name = |prefix: &str, side: &PatchSide| {
        if side.exists {
            quoted(&format!("{prefix}/{path}"))
        } else {
            "/dev/null".to_owned()
        }
    };
    let mut text = format!(
        "diff --git {} {}\n",
        quoted(&format!("a/{path}")),
        quoted(&format!("b/{path}"))
    );
    match (old.exists, new.exists) {
        (false, true) => text += "new file mode 100644\n",
        (true, false) => text += "deleted file mode 100644\n",
        _ => {}
    }
    if !(old.lines.is_empty() && new.lines.is_empty()) {
        let _ = writeln!(text, "--- {}\n+++ {}", name("a", &old), name("b", &new));
    }
    let whole = [Splice {
        first: 0,
        count: old.lines.len(),
        text: change.after.clone().unwrap_or_default(),
    }];
    let splices = if old.exists && new.exists {
        change.splices.as_slice()
    } else {
        &whole
    };
    let mut shift = 0isize;
    let mut at = 0;
    while at < splices.len() {
        let mut end = at + 1;
        while end < splices.len() && gap(&splices[end - 1], &splices[end]) <= 2 * CONTEXT {
            end += 1;
        }
        text += &hunk(&old, &new, &splices[at..end], &mut shift)?;
        at = end;
    }
    Some(text)
}

fn gap(before: &Splice, after: &Splice) -> usize {
    after.first.saturating_sub(before.first + before.count)
}

/// One side of a change: lines with their ends, and which of them may be shown.
struct PatchSide<'a> {
    exists: bool,
    lines: Vec<&'a str>,
    excerpt: Excerpt,
}

impl<'a> PatchSide<'a> {
    fn new(path: &str, text: Option<&'a str>) -> PatchSide<'a> {
        let text_or_none = text.unwrap_or_default();
        let shown = text_or_none
            .strip_prefix('\u{feff}')
            .unwrap_or(text_or_none);
        let path = RepoPath::new(path).unwrap_or_else(RepoPath::root);
        PatchSide {
            exists: text.is_some(),
            lines: text_or_none.split_inclusive('\n').collect(),
            excerpt: Excerpt::new(shown, &path),
        }
    }

    fn may_show(&self, line: usize) -> bool {
        self.excerpt
            .is_plain(u32::try_from(line + 1).unwrap_or(u32::MAX))
    }
}

fn hunk(
    old: &PatchSide<'_>,
    new: &PatchSide<'_>,
    splices: &[Splice],
    shift: &mut isize,
) -> Option<String> {
    let (first, last) = (splices.first()?, splices.last()?);
    let last_line = last.first + last.count;
    // Context ends where a secret begins.
    let before = (0..first.first.min(CONTEXT))
        .take_while(|back| old.may_show(first.first - back - 1))
        .count();
    let after = (last_line..old.lines.len())
        .take(CONTEXT)
        .take_while(|line| old.may_show(*line))
        .count();
    // Without a line behind it, a change would be taken for one at the end of the file.
    let is_at_end = last_line >= old.lines.len();
    if after == 0 && !is_at_end {
        return None;
    }
    let start = first.first - before;
    let end = last_line + after;
    let mut body = String::new();
    let mut added = 0;
    let mut line = start;
    let new_start = start.checked_add_signed(*shift)?;
    for splice in splices {
        for context in line..splice.first {
            // Between two changes nothing can be left out.
            if !old.may_show(context) {
                return None;
            }
            push(&mut body, ' ', old.lines[context]);
        }
        for removed in splice.first..splice.first + splice.count {
            if !old.may_show(removed) {
                return None;
            }
            push(&mut body, '-', old.lines[removed]);
        }
        for text in splice.text.split_inclusive('\n') {
            let number = (splice.first + added).checked_add_signed(*shift)?;
            let number = number - removed_before(splices, splice);
            if !new.may_show(number) {
                return None;
            }
            push(&mut body, '+', text);
            added += 1;
        }
        line = splice.first + splice.count;
    }
    for context in line..end {
        push(&mut body, ' ', old.lines[context]);
    }
    let removed: usize = splices.iter().map(|splice| splice.count).sum();
    let old_count = end - start;
    let new_count = old_count - removed + added;
    *shift += added as isize - removed as isize;
    let head = format!(
        "@@ -{} +{} @@\n",
        range(start, old_count),
        range(new_start, new_count)
    );
    Some(head + &body)
}

/// How many lines the changes of a hunk take away before one of them.
fn removed_before(splices: &[Splice], until: &Splice) -> usize {
    let before = splices.iter().take_while(|splice| *splice != until);
    before.map(|splice| splice.count).sum()
}

/// Nothing is told by the line before it.
fn range(start: usize, count: usize) -> String {
    match count {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        _ => format!("{},{count}", start + 1),
    }
}

fn push(body: &mut String, sign: char, line: &str) {
    body.push(sign);
    body.push_str(line);
    if !line.ends_with('\n') {
        body.push_str("\n\\ No newline at end of file\n");
    }
}

/// A name as git writes it, quoted if necessary.
fn quoted(name: &str) -> String {
    let is_plain = |b: u8| (b' '..=b'~').contains(&b) && b != b'"' && b != b'\\';
    if name.bytes().all(is_plain) {
        return name.to_owned();
    }
    let mut quoted = String::from("\"");
    for byte in name.bytes() {
        match byte {
            b'"' | b'\\' => {
                quoted.push('\\');
                quoted.push(byte as char);
            }
            _ if is_plain(byte) => quoted.push(byte as char),
            _ => {
                let _ = write!(quoted, "\\{byte:03o}");
            }
        }
    }
    quoted.push('"');
    quoted
}
