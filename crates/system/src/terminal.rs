//! Text from files as a terminal may get it: nothing in it moves the cursor, changes colours, hides or reorders letters.

use unicode_width::UnicodeWidthChar;

/// Prints a line to stderr. Nobody may be left to read it, which is no reason to fail: `eprintln!` would panic.
#[macro_export]
macro_rules! print_stderr {
    ($($text:tt)*) => {{
        use std::io::Write;
        let _ = writeln!(std::io::stderr(), $($text)*);
    }};
}

/// As many columns as a tab takes.
const TAB: usize = 4;

/// A text in which every character that would not show itself is spelt out. It stays one line.
pub fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => plain.push(' '),
            '\r' => {}
            _ => push(&mut plain, c),
        }
    }
    plain
}

/// The same of a text that has lines and tabs of its own.
pub fn plain_lines(text: &str) -> String {
    let each = |line: &str| line.split('\t').map(plain).collect::<Vec<_>>().join("\t");
    text.split('\n').map(each).collect::<Vec<_>>().join("\n")
}

/// A line of a file, and how many columns each of its characters takes.
pub fn columns(line: &str) -> Vec<(String, usize)> {
    let each = line.chars().map(|c| match c {
        '\t' => (" ".repeat(TAB), TAB),
        _ => {
            let mut text = String::new();
            push(&mut text, c);
            let width = text.chars().map(|c| c.width().unwrap_or(0)).sum();
            (text, width)
        }
    });
    each.collect()
}

fn push(text: &mut String, c: char) {
    match c {
        // Each of the first control characters has a picture.
        '\0'..='\x1f' => text.push(char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}')),
        '\x7f' => text.push('\u{2421}'),
        _ if is_deceptive(c) => text.extend(c.escape_unicode()),
        _ => text.push(c),
    }
}

/// Characters that are not seen, or change the order of what is.
fn is_deceptive(c: char) -> bool {
    matches!(c,
        '\u{80}'..='\u{9f}'
        | '\u{ad}'
        | '\u{61c}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_reaches_a_terminal_that_it_would_obey() {
        assert_eq!(plain("a\x1b[31mb\rc\nd\x07"), "a␛[31mbc d␇");
        assert_eq!(plain("x\u{202e}y\u{9b}z"), "x\\u{202e}y\\u{9b}z");
        assert_eq!(plain("wörld 日本"), "wörld 日本");
    }

    #[test]
    fn wide_characters_and_tabs_take_their_columns() {
        let widths: Vec<usize> = columns("\ta日e\u{301}\u{200b}")
            .into_iter()
            .map(|(_, width)| width)
            .collect();
        assert_eq!(widths, [4, 1, 2, 1, 0, 8]);
    }
}
