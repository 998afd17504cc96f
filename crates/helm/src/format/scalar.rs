//! The styles of YAML that a text may be written in.

/// Words that would not be read as text, though they are not values.
pub fn is_reserved(text: &str) -> bool {
    is_base_60(text) || is_timestamp(text) || is_special_float(text)
}

fn is_special_float(text: &str) -> bool {
    matches!(
        text,
        ".nan"
            | ".NaN"
            | ".NAN"
            | ".inf"
            | ".Inf"
            | ".INF"
            | "+.inf"
            | "+.Inf"
            | "+.INF"
            | "-.inf"
            | "-.Inf"
            | "-.INF"
    )
}

/// `^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$`.
fn is_base_60(text: &str) -> bool {
    let text = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_fraction = fraction.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    let mut parts = whole.split(':');
    let first = parts.next().unwrap_or_default();
    let is_first = first.starts_with(|c: char| c.is_ascii_digit())
        && first.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    let rest: Vec<&str> = parts.collect();
    let is_part = |part: &&str| {
        let bytes = part.as_bytes();
        match bytes {
            [one] => one.is_ascii_digit(),
            [ten, one] => (b'0'..=b'5').contains(ten) && one.is_ascii_digit(),
            _ => false,
        }
    };
    is_fraction && is_first && !rest.is_empty() && rest.iter().all(is_part)
}

/// The timestamps that the library recognises: `2006-1-2`, with a time after `T` or a space.
fn is_timestamp(text: &str) -> bool {
    let (date, time) = match text.find(['T', 't', ' ']) {
        Some(at) => (&text[..at], Some((&text[at..=at], &text[at + 1..]))),
        None => (text, None),
    };
    let parts: Vec<&str> = date.split('-').collect();
    let [year, month, day] = parts.as_slice() else {
        return false;
    };
    let number = |text: &str, most: u32| {
        let is_number = (1..=2).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        is_number && text.parse().is_ok_and(|value: u32| value <= most)
    };
    let is_date = year.len() == 4
        && year.bytes().all(|b| b.is_ascii_digit())
        && number(month, 12)
        && number(day, 31)
        && !month.trim_start_matches('0').is_empty()
        && !day.trim_start_matches('0').is_empty();
    let Some((separator, time)) = time else {
        return is_date;
    };
    let (clock, zone) = match time.find(['Z', '+', '-']) {
        Some(at) => time.split_at(at),
        None => (time, ""),
    };
    let is_offset = |zone: &str| {
        let parts = zone.split_once(':');
        parts.is_some_and(|(hours, minutes)| {
            hours.starts_with(['+', '-'])
                && hours.len() == 3
                && minutes.len() == 2
                && number(&hours[1..], 24)
                && number(minutes, 59)
        })
    };
    let has_zone = !zone.is_empty();
    if has_zone && zone != "Z" && !is_offset(zone) {
        return false;
    }
    let clock = clock.split_once('.').map_or(clock, |(clock, _)| clock);
    let parts: Vec<&str> = clock.split(':').collect();
    let is_clock = clock.len() >= 5
        && matches!(parts.as_slice(), [hour, minute, second]
        if number(hour, 23) && number(minute, 59) && number(second, 59));
    is_date && is_clock && has_zone == (separator != " ")
}

/// Which styles a text may be written in.
pub struct ScalarShape {
    pub plain: bool,
    pub single_quoted: bool,
    pub block: bool,
}

/// Characters that begin something other than a plain scalar.
const INDICATORS: &str = "#,[]{}&*!|>'\"%@`";

impl ScalarShape {
    /// The analysis of libyaml's emitter, for blocks.
    pub fn of(text: &str) -> ScalarShape {
        if text.is_empty() {
            return ScalarShape {
                plain: true,
                single_quoted: true,
                block: false,
            };
        }
        let is_blank = |c: Option<char>| matches!(c, None | Some(' ' | '\t' | '\n' | '\r'));
        let mut indicators = text.starts_with("---") || text.starts_with("...");
        let (mut special, mut breaks) = (false, false);
        let (mut break_space, mut space_break) = (false, false);
        let (mut previous_space, mut previous_break) = (false, false);
        let mut is_after_blank = true;
        let mut characters = text.chars().peekable();
        let mut is_first = true;
        while let Some(c) = characters.next() {
            let is_before_blank = matches!(characters.peek(), None | Some(' ' | '\t'));
            indicators |= match c {
                c if is_first && INDICATORS.contains(c) => true,
                '?' | '-' if is_first => is_before_blank,
                ':' => is_before_blank,
                '#' => is_after_blank,
                _ => false,
            };
            special |= !is_printable(c);
            let is_break = matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}');
            if c == ' ' {
                break_space |= previous_break;
            } else if is_break {
                breaks = true;
                space_break |= previous_space;
            }
            previous_space = c == ' ';
            previous_break = is_break;
            is_after_blank = is_blank(Some(c)) || is_break;
            is_first = false;
        }
        let is_edge = |c: char| c == ' ' || c == '\n';
        let has_edge = text.starts_with(is_edge) || text.ends_with(is_edge);
        ScalarShape {
            plain: !(has_edge || break_space || space_break || special || breaks || indicators),
            single_quoted: !(break_space || space_break || special),
            block: !(text.ends_with(' ') || space_break || special),
        }
    }
}

/// Whether libyaml prints a character unescaped. It escapes those beyond the basic plane.
pub fn is_printable(c: char) -> bool {
    matches!(c, '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}')
        && c != '\u{feff}'
}
