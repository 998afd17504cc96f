//! Text from files as a terminal may get it: nothing in it moves the cursor, changes colours, hides or reorders letters.
//! Colours come from this program, and only where somebody sees them.

pub use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};

pub const BOLD: Style = Style::new().bold();
pub const FAINT: Style = Style::new().dimmed();
pub const RED: Style = AnsiColor::Red.on_default();
pub const GREEN: Style = AnsiColor::Green.on_default();
pub const YELLOW: Style = AnsiColor::Yellow.on_default();
pub const CYAN: Style = AnsiColor::Cyan.on_default();

/// Whether text has colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    Plain,
    Colour,
}

impl Paint {
    /// `text` in a style.
    pub fn styled(self, style: Style, text: &str) -> String {
        if self == Paint::Plain || text.is_empty() {
            text.to_owned()
        } else {
            format!("{style}{text}{style:#}")
        }
    }
}

/// Whether a stream is a terminal that shows colours, and nobody refused them: respects `NO_COLOR`, `CLICOLOR`,
/// `CLICOLOR_FORCE` and `TERM`.
pub fn shows_colour(stream: &impl RawStream) -> bool {
    AutoStream::choice(stream) != ColorChoice::Never
}

/// Prints a line to stderr. Nobody may be left to read it, which is no reason to fail: `eprintln!` would panic.
#[macro_export]
macro_rules! print_stderr {
    ($($text:tt)*) => {{
        use std::io::Write;
        let _ = writeln!(std::io::stderr(), $($text)*);
    }};
}

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

/// The same of a line of a file, in which tabs are four spaces.
pub fn line(text: &str) -> String {
    plain(&text.replace('\t', "    "))
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
}
