//! Estimates text widths in a system sans-serif font, and breaks or shortens long labels. The font is unknown when the
//! picture is written, so widths are generous averages.

use std::borrow::Cow;

use super::super::FlowAuthor;

/// The room for a text.
#[derive(Clone, Copy)]
pub struct TextRoom {
    /// Maximum width of a line.
    pub wide: f64,
    pub origin: FlowAuthor,
}

/// Maximum number of lines: of a generated label, of a line of an authored one, and of all of it.
const GENERATED_LINES: usize = 2;
const AUTHORED_LINES: usize = 8;
const MOST_LINES: usize = 40;

impl TextRoom {
    /// Breaks a text into lines. Line breaks of an author stay; a generated text has none.
    pub fn lines(self, text: &str, size: f64) -> Vec<String> {
        match self.origin {
            FlowAuthor::Generated => wrap(text, size, self.wide, GENERATED_LINES),
            FlowAuthor::Authored => {
                let lines = text.split('\n').take(MOST_LINES);
                lines
                    .flat_map(|line| wrap(line, size, self.wide, AUTHORED_LINES))
                    .collect()
            }
        }
    }

    pub fn one_line(self, text: &str, size: f64) -> String {
        shorten(text, size, self.wide)
    }
}

/// The width of a line at a font size, in pixels.
pub fn width(text: &str, size: f64) -> f64 {
    let thousandths: u32 = text.chars().map(advance).sum();
    f64::from(thousandths) * size / 1000.0
}

/// At most `lines` lines, none wider than `room`; what does not fit ends in an ellipsis.
fn wrap(text: &str, size: f64, room: f64, lines: usize) -> Vec<String> {
    let text = clean(text);
    let mut rest = &*text;
    let mut wrapped = Vec::new();
    while wrapped.len() + 1 < lines && width(rest, size) > room {
        let Some(at) = break_before(rest, size, room) else {
            break;
        };
        wrapped.push(rest[..at].trim_end().to_owned());
        rest = rest[at..].trim_start();
    }
    wrapped.push(shorten(rest, size, room));
    wrapped
}

/// One line: control characters and runs of blanks become a single space.
pub fn clean(text: &str) -> Cow<'_, str> {
    // Most labels are plain words.
    if is_clean(text) {
        return Cow::Borrowed(text);
    }
    let mut one = String::with_capacity(text.len());
    for c in text.chars() {
        if !(c.is_whitespace() || c.is_control() || invisible(c)) {
            one.push(c);
        } else if !one.is_empty() && !one.ends_with(' ') {
            one.push(' ');
        }
    }
    one.truncate(one.trim_end().len());
    Cow::Owned(one)
}

fn is_clean(text: &str) -> bool {
    let mut previous = b' ';
    text.bytes().all(|byte| {
        let before = std::mem::replace(&mut previous, byte);
        byte.is_ascii_graphic() || byte == b' ' && before != b' '
    }) && previous != b' '
}

/// Direction overrides would reorder text beside the label, and non-characters are invalid in XML.
fn invisible(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}' | '\u{feff}')
}

fn shorten(text: &str, size: f64, room: f64) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let mut used = width("…", size);
    let mut kept = String::new();
    for c in text.chars() {
        used += f64::from(advance(c)) * size / 1000.0;
        if used > room {
            break;
        }
        kept.push(c);
    }
    // Half a word before the ellipsis reads better than a dangling separator.
    let kept = kept.trim_end_matches([' ', '-', '_', '.', '/', ':', ',', '(']);
    format!("{kept}…")
}

/// The end of the first line: after the last blank or separator that fits, or the one that balances the lines if two
/// suffice.
fn break_before(text: &str, size: f64, room: f64) -> Option<usize> {
    let whole = width(text, size);
    let target = if whole <= 1.9 * room {
        whole / 2.0
    } else {
        room
    };
    let mut used = 0.0;
    let mut best: Option<(f64, usize)> = None;
    let mut previous = ' ';
    for (at, c) in text.char_indices() {
        let may = at > 0
            && (previous == ' '
                || (matches!(previous, '-' | '_' | '.' | '/' | ':' | ',' | '@') && c != ' ')
                || (wide(previous) && c != ' ')
                || (previous.is_lowercase() && c.is_uppercase()));
        if may {
            // A blank is the better place; a change of case, as in ExternalSecret, the last resort.
            let cost = match previous {
                ' ' => 0.0,
                '-' | '_' | '.' | '/' | ':' | ',' | '@' => room * 0.08,
                _ => room * 0.35,
            };
            let distance = (used - target).abs() + cost;
            if best.is_none_or(|(nearest, _)| distance < nearest) {
                best = Some((distance, at));
            }
        }
        used += f64::from(advance(c)) * size / 1000.0;
        // The blank at a line break takes no room.
        if used > room && c != ' ' {
            break;
        }
        previous = c;
    }
    best.map(|(_, at)| at)
}

/// Advance width of a character, in thousandths of the font size.
fn advance(c: char) -> u32 {
    match ASCII.get(c as usize) {
        Some(advance) => u32::from(*advance),
        None => advance_beyond(c),
    }
}

/// Indexed by code: almost all text is ASCII, and a page measures thousands of characters.
const ASCII: [u16; 128] = {
    let mut advances = [0; 128];
    let mut code = 0;
    while code < 128 {
        advances[code as usize] = advance_within(code);
        code += 1;
    }
    advances
};

const fn advance_within(code: u8) -> u16 {
    match code {
        b'i' | b'j' | b'l' | b'\'' | b'|' | b'!' | b'.' | b',' | b':' | b';' => 300,
        b' ' | b't' | b'f' | b'r' | b'I' | b'(' | b')' | b'[' | b']' | b'/' | b'\\' | b'`' => 370,
        b'-' | b'"' | b'*' => 410,
        b'c' | b'k' | b's' | b'v' | b'x' | b'y' | b'z' | b'J' => 550,
        b'm' | b'w' => 880,
        b'M' | b'W' | b'@' | b'%' => 950,
        b'a'..=b'z' | b'0'..=b'9' | b'_' | b'$' | b'?' | b'#' | b'L' => 620,
        b'C' | b'D' | b'G' | b'H' | b'N' | b'O' | b'Q' | b'U' => 750,
        b'A'..=b'Z' | b'&' | b'+' | b'<' | b'=' | b'>' | b'~' | b'^' => 680,
        _ => 620,
    }
}

fn advance_beyond(c: char) -> u32 {
    match c {
        '°' => 410,
        '…' => 950,
        _ if zero(c) => 0,
        _ if wide(c) => 1020,
        _ if c.is_uppercase() => 720,
        _ => 620,
    }
}

/// Combining marks and joiners sit on the character before them.
fn zero(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '\u{20d0}'..='\u{20ff}' | '\u{fe00}'..='\u{fe0f}')
}

/// Chinese, Japanese, Korean, full-width forms and emoji.
fn wide(c: char) -> bool {
    matches!(c,
        '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe4f}' | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}' | '\u{1f000}'..='\u{1faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_label_stays_on_one_line() {
        assert_eq!(wrap("localstack", 13.0, 150.0, 2), ["localstack"]);
    }

    #[test]
    fn a_long_label_breaks_at_a_separator_into_similar_halves() {
        assert_eq!(
            wrap("external-secrets-operator-config", 13.0, 150.0, 2),
            ["external-secrets-", "operator-config"]
        );
        assert_eq!(
            wrap("ClusterSecretStore: localstack-secretstore", 13.0, 160.0, 2),
            ["ClusterSecretStore:", "localstack-secretstore"]
        );
    }

    #[test]
    fn what_does_not_fit_in_two_lines_ends_in_an_ellipsis() {
        let lines = wrap(&"word ".repeat(40), 13.0, 100.0, 2);
        assert_eq!(lines.len(), 2);
        assert!(lines[1].ends_with('…'));
        assert!(lines.iter().all(|line| width(line, 13.0) <= 100.0));
        assert_eq!(wrap(&"x".repeat(100), 13.0, 100.0, 2).len(), 1);
    }

    #[test]
    fn characters_of_east_asia_take_twice_the_room() {
        assert!(width("証明書", 13.0) > 1.6 * width("abc", 13.0));
        assert_eq!(wrap("証明書管理システム設定", 13.0, 90.0, 2).len(), 2);
    }
}
