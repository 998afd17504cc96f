//! Folded scalars (`>`) as kustomize outputs them. It writes and reads them again, which adds and removes line breaks.
//! Text in, text out.

use std::borrow::Cow;

/// The text of a folded scalar after it was written and parsed once more.
pub fn rewritten(text: &str) -> Cow<'_, str> {
    // If the text begins with a blank, line breaks are not doubled, so single ones fold.
    let doubles = !text
        .trim_start_matches('\n')
        .chars()
        .next()
        .is_none_or(|c| c == ' ' || c == '\t');
    let keeps_end = text.ends_with("\n\n") || text == "\n";
    if doubles && !keeps_end && !text.contains("\n ") && !text.contains("\n\t") {
        return Cow::Borrowed(text);
    }
    let body = text.trim_end_matches('\n');
    let mut end = text.len() - body.len();
    let mut result = String::with_capacity(text.len() + 8);
    let mut lines = body.split('\n');
    let mut line = lines.next().unwrap_or_default();
    result.push_str(line);
    loop {
        // A run of line breaks and the line after it.
        let mut breaks = 1;
        let Some(mut next) = lines.next() else { break };
        while next.is_empty() {
            breaks += 1;
            match lines.next() {
                Some(line) => next = line,
                None => break,
            }
        }
        let (after_indented, before_indented) = (is_indented(line), is_indented(next));
        let written = breaks + usize::from(doubles && !after_indented && !line.is_empty());
        let read = if line.is_empty() || after_indented || before_indented {
            written
        } else {
            written - 1
        };
        match read {
            0 => result.push(' '),
            _ => result.extend(std::iter::repeat_n('\n', read)),
        }
        result.push_str(next);
        line = next;
    }
    if keeps_end && doubles && !is_indented(line) && !body.is_empty() {
        end += 1;
    }
    result.extend(std::iter::repeat_n('\n', end));
    Cow::Owned(result)
}

fn is_indented(line: &str) -> bool {
    line.starts_with([' ', '\t'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_breaks_change_around_indented_lines_and_at_a_kept_end() {
        for (text, again) in [
            ("one two\nthree\n", "one two\nthree\n"),
            ("one\n\n", "one\n\n\n"),
            ("one\n\n\n", "one\n\n\n\n"),
            ("  one\ntwo three\nfour\n", "  one\ntwo three four\n"),
            (
                "one\n  two\n  three\nfour\n\n  five\n\n\nsix\n",
                "one\n\n  two\n  three\nfour\n\n\n  five\n\n\nsix\n",
            ),
            ("one\n\n\n  two", "one\n\n\n\n  two"),
            ("\none two\nthree\n", "\none two\nthree\n"),
            ("", ""),
        ] {
            assert_eq!(rewritten(text), again, "{text:?}");
        }
    }
}
