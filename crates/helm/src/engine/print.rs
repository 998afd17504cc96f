//! How Go's `fmt` prints values.

use super::limit::{Fail, MAX_NESTED, Spent};
use super::value::{MapKind, Val};

/// The text that Go writes for null. Helm removes it from what templates write.
pub const NO_VALUE: &str = "<no value>";

/// Where a text has `NO_VALUE`. Few texts have a `<`, so that looking for one is faster than looking for the whole.
pub fn no_values(text: &str) -> impl Iterator<Item = usize> {
    let signs = text.match_indices('<').map(|(at, _)| at);
    signs.filter(|at| text[*at..].starts_with(NO_VALUE))
}

/// The text that an action writes.
pub fn print(spent: &mut Spent, value: &Val, out: &mut String) -> Result<(), Fail> {
    match value {
        Val::Text(text) => out.push_str(text),
        Val::Nil | Val::Null => out.push_str(NO_VALUE),
        // The only struct whose pointer has a text.
        Val::Map(map) if map.kind == MapKind::Struct("chartutil.KubeVersion") => {
            let version = value.get("Version").unwrap_or(Val::Nil);
            write(spent, &version, out, 0)?;
        }
        other => write(spent, other, out, 0)?,
    }
    Ok(())
}

/// The order of the fields of a struct.
fn field_order(name: &str) -> &'static [&'static str] {
    match name {
        "chartutil.KubeVersion" => &["Version", "Major", "Minor"],
        "version.BuildInfo" => &["Version", "GitCommit", "GitTreeState", "GoVersion"],
        _ => &[],
    }
}

/// A value as `%v` prints it.
pub fn to_text(spent: &mut Spent, value: &Val) -> Result<String, Fail> {
    let mut out = String::new();
    write(spent, value, &mut out, 0)?;
    Ok(out)
}

/// A value as `toString` of Sprig prints it.
pub fn strval(spent: &mut Spent, value: &Val) -> Result<String, Fail> {
    match value {
        Val::Text(text) => Ok(text.to_string()),
        Val::Bytes(bytes) => Ok(String::from_utf8_lossy(bytes).into_owned()),
        other => to_text(spent, other),
    }
}

pub fn write(spent: &mut Spent, value: &Val, out: &mut String, depth: usize) -> Result<(), Fail> {
    spent.charge(1)?;
    if depth > MAX_NESTED {
        return Err(Fail::limit("a value is nested too deeply"));
    }
    match value {
        Val::Nil | Val::Null => out.push_str("<nil>"),
        Val::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Val::Int(value) | Val::Int64(value) => out.push_str(&value.to_string()),
        Val::Float(value) => out.push_str(&float(*value)),
        Val::Text(text) => {
            spent.charge_text(text.len())?;
            out.push_str(text);
        }
        Val::Bytes(bytes) => {
            spent.charge_text(bytes.len().saturating_mul(4))?;
            out.push('[');
            for (nth, byte) in bytes.iter().enumerate() {
                if nth > 0 {
                    out.push(' ');
                }
                for (unit, least) in [(100, 100), (10, 10), (1, 0)] {
                    if *byte >= least {
                        out.push(char::from(b'0' + byte / unit % 10));
                    }
                }
            }
            out.push(']');
        }
        Val::List(list) => {
            out.push('[');
            for (nth, item) in list.items.iter().enumerate() {
                if nth > 0 {
                    out.push(' ');
                }
                write(spent, item, out, depth + 1)?;
            }
            out.push(']');
        }
        Val::Map(map) => {
            let entries = map.entries.borrow();
            if let MapKind::Struct(name) = map.kind {
                let order = field_order(name);
                let rank = |key: &str| order.iter().position(|known| *known == key);
                let mut fields: Vec<_> = entries.iter().collect();
                fields.sort_by_key(|(key, _)| rank(key).unwrap_or(order.len()));
                out.push('{');
                for (nth, (_, inner)) in fields.into_iter().enumerate() {
                    if nth > 0 {
                        out.push(' ');
                    }
                    write(spent, inner, out, depth + 1)?;
                }
                out.push('}');
                return Ok(());
            }
            out.push_str("map[");
            for (nth, (key, inner)) in entries.iter().enumerate() {
                if nth > 0 {
                    out.push(' ');
                }
                out.push_str(key);
                out.push(':');
                write(spent, inner, out, depth + 1)?;
            }
            out.push(']');
        }
        Val::Time(time) => out.push_str(&time.to_text()),
        Val::Version(version) => out.push_str(&version.to_string()),
    }
    Ok(())
}

/// The shortest digits of a number and its decimal exponent: `1.5e3` is `15` and 3.
fn digits(value: f64) -> (String, i32) {
    let text = format!("{:e}", value.abs());
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (mantissa.replace('.', ""), exponent.parse().unwrap_or(0))
}

/// `%v` of a float: `%g` with the fewest digits.
pub fn float(value: f64) -> String {
    float_within(value, 6)
}

/// A float with an exponent from a limit on.
pub fn float_within(value: f64, limit: i32) -> String {
    if let Some(special) = special(value) {
        return special;
    }
    if value == 0.0 {
        return if value.is_sign_negative() { "-0" } else { "0" }.to_owned();
    }
    let (digits, exponent) = digits(value);
    if exponent < -4 || exponent >= limit {
        scientific(value, &digits, exponent)
    } else {
        format!("{value}")
    }
}

fn special(value: f64) -> Option<String> {
    if value.is_nan() {
        Some("NaN".to_owned())
    } else if value.is_infinite() {
        Some(if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned())
    } else {
        None
    }
}

fn scientific(value: f64, digits: &str, exponent: i32) -> String {
    let sign = if value < 0.0 { "-" } else { "" };
    let (first, rest) = digits.split_at(1);
    let point = if rest.is_empty() { "" } else { "." };
    let exponent_sign = if exponent < 0 { '-' } else { '+' };
    format!(
        "{sign}{first}{point}{rest}e{exponent_sign}{:02}",
        exponent.abs()
    )
}

/// `strconv.Quote`.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\u{b}' => out.push_str("\\v"),
            c if is_printable(c) => out.push(c),
            c if u32::from(c) < 0x80 => out.push_str(&format!("\\x{:02x}", u32::from(c))),
            c if u32::from(c) < 0x1_0000 => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push_str(&format!("\\U{:08x}", u32::from(c))),
        }
    }
    out.push('"');
    out
}

/// Go's `unicode.IsPrint`, without characters that no version of Unicode assigns.
fn is_printable(c: char) -> bool {
    let is_invisible = matches!(u32::from(c),
        0xA0 | 0xAD | 0x1680 | 0x2000..=0x200F | 0x2028..=0x202F | 0x205F..=0x206F | 0x3000
        | 0xE000..=0xF8FF | 0xFEFF | 0xFFF0..=0xFFFB | 0xFFFE..=0xFFFF | 0xE0000..=0x10FFFF);
    !c.is_control() && !is_invisible
}

/// Flags of a verb.
#[derive(Default)]
struct Verb {
    minus: bool,
    plus: bool,
    sharp: bool,
    space: bool,
    zero: bool,
    width: Option<usize>,
    precision: Option<usize>,
}

/// Maximum width and precision.
const MAX_WIDTH: usize = 100_000;

/// `fmt.Sprintf`.
pub fn printf(spent: &mut Spent, format: &str, arguments: &[Val]) -> Result<String, Fail> {
    let mut out = String::new();
    let mut next = 0;
    let mut characters = format.chars().peekable();
    let mut reordered = false;
    while let Some(c) = characters.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let mut verb = Verb::default();
        while let Some(flag) = characters.next_if(|c| "-+# 0".contains(*c)) {
            match flag {
                '-' => verb.minus = true,
                '+' => verb.plus = true,
                '#' => verb.sharp = true,
                ' ' => verb.space = true,
                _ => verb.zero = true,
            }
        }
        if characters.next_if_eq(&'[').is_some() {
            let number = number(&mut characters).unwrap_or(0);
            characters.next_if_eq(&']');
            next = number.saturating_sub(1);
            reordered = true;
        }
        verb.width = size(&mut characters, arguments, &mut next);
        if characters.next_if_eq(&'.').is_some() {
            verb.precision = Some(size(&mut characters, arguments, &mut next).unwrap_or(0));
        }
        let Some(letter) = characters.next() else {
            out.push_str("%!(NOVERB)");
            break;
        };
        if letter == '%' {
            out.push('%');
            continue;
        }
        let Some(argument) = arguments.get(next) else {
            out.push_str(&format!("%!{letter}(MISSING)"));
            continue;
        };
        next += 1;
        out.push_str(&one(spent, &verb, letter, argument)?);
    }
    if next < arguments.len() && !reordered {
        out.push_str("%!(EXTRA ");
        for (nth, argument) in arguments[next..].iter().enumerate() {
            if nth > 0 {
                out.push_str(", ");
            }
            out.push_str(argument.type_name());
            if !argument.is_null() {
                out.push('=');
                write(spent, argument, &mut out, 0)?;
            }
        }
        out.push(')');
    }
    Ok(out)
}

fn number(characters: &mut std::iter::Peekable<std::str::Chars>) -> Option<usize> {
    let mut value: Option<usize> = None;
    while let Some(digit) = characters.next_if(char::is_ascii_digit) {
        let digit = digit.to_digit(10).unwrap_or(0) as usize;
        value = Some((value.unwrap_or(0) * 10 + digit).min(MAX_WIDTH));
    }
    value
}

fn size(
    characters: &mut std::iter::Peekable<std::str::Chars>,
    arguments: &[Val],
    next: &mut usize,
) -> Option<usize> {
    if characters.next_if_eq(&'*').is_some() {
        let value = arguments.get(*next).and_then(Val::as_int)?;
        *next += 1;
        return usize::try_from(value)
            .ok()
            .map(|value| value.min(MAX_WIDTH));
    }
    number(characters)
}

/// A value as a verb prints it. Its text is charged, since a format may name a value again and again.
fn one(spent: &mut Spent, verb: &Verb, letter: char, value: &Val) -> Result<String, Fail> {
    spent.charge_text(verb.width.unwrap_or(0))?;
    let text = formatted(spent, verb, letter, value)?;
    spent.charge_text(text.len())?;
    Ok(text)
}

fn formatted(spent: &mut Spent, verb: &Verb, letter: char, value: &Val) -> Result<String, Fail> {
    if letter == 'T' {
        return Ok(padded(verb, value.type_name().to_owned()));
    }
    let shown = match (letter, value) {
        ('v', Val::Nil | Val::Null) => "<nil>".to_owned(),
        (_, Val::Nil | Val::Null) => return Ok(format!("%!{letter}(<nil>)")),
        ('v', Val::Int(_) | Val::Int64(_)) => return Ok(integer(verb, 'd', value)),
        ('v', Val::Float(number)) => signed(verb, float(*number)),
        ('v', value) => cut(verb, to_text(spent, value)?),
        ('s', Val::Text(text)) => cut(verb, text.to_string()),
        ('s', Val::Bytes(bytes)) => cut(verb, String::from_utf8_lossy(bytes).into_owned()),
        ('q', Val::Text(text)) => quoted(&cut(verb, text.to_string())),
        ('q', Val::Int(code) | Val::Int64(code)) => {
            let c = u32::try_from(*code).ok().and_then(char::from_u32);
            format!("'{}'", c.unwrap_or('\u{fffd}'))
        }
        ('s' | 'q', Val::Time(_) | Val::Version(_)) => {
            let text = to_text(spent, value)?;
            if letter == 's' { text } else { quoted(&text) }
        }
        ('s' | 'q' | 'd' | 't' | 'f' | 'x', Val::List(list)) => {
            let mut items = Vec::with_capacity(list.items.len());
            for item in &list.items {
                items.push(one(spent, verb, letter, item)?);
            }
            return Ok(format!("[{}]", items.join(" ")));
        }
        ('s' | 'q' | 'd' | 't' | 'f' | 'x', Val::Map(map)) => {
            let entries = map.entries.borrow();
            let mut items = Vec::with_capacity(entries.len());
            for (key, inner) in entries.iter() {
                let key = one(spent, verb, letter, &Val::Text(key.clone()))?;
                items.push(format!("{key}:{}", one(spent, verb, letter, inner)?));
            }
            return Ok(format!("map[{}]", items.join(" ")));
        }
        ('t', Val::Bool(value)) => value.to_string(),
        ('d' | 'b' | 'o' | 'O' | 'x' | 'X' | 'c' | 'U', Val::Int(_) | Val::Int64(_)) => {
            return Ok(integer(verb, letter, value));
        }
        ('x' | 'X', Val::Text(text)) => hexadecimal(letter, text.as_bytes()),
        ('x' | 'X', Val::Bytes(bytes)) => hexadecimal(letter, bytes),
        ('e' | 'E' | 'f' | 'F' | 'g' | 'G', Val::Float(number)) => {
            signed(verb, float_verb(verb, letter, *number))
        }
        (letter, value) => {
            let text = to_text(spent, value)?;
            return Ok(format!("%!{letter}({}={text})", value.type_name()));
        }
    };
    Ok(padded(verb, shown))
}

fn hexadecimal(letter: char, bytes: &[u8]) -> String {
    let digit = |byte: &u8| {
        if letter == 'x' {
            format!("{byte:02x}")
        } else {
            format!("{byte:02X}")
        }
    };
    bytes.iter().map(digit).collect()
}

fn cut(verb: &Verb, text: String) -> String {
    match verb.precision {
        Some(most) => text.chars().take(most).collect(),
        None => text,
    }
}

fn signed(verb: &Verb, text: String) -> String {
    if verb.plus && !text.starts_with(['-', '+']) {
        format!("+{text}")
    } else if verb.space && !text.starts_with(['-', '+']) {
        format!(" {text}")
    } else {
        text
    }
}

fn padded(verb: &Verb, text: String) -> String {
    let length = text.chars().count();
    let missing = verb.width.unwrap_or(0).saturating_sub(length);
    if missing == 0 {
        return text;
    }
    if verb.minus {
        return text + &" ".repeat(missing);
    }
    if verb.zero {
        // Zeros come after the sign.
        let split = usize::from(text.starts_with(['-', '+']));
        let (sign, rest) = text.split_at(split);
        return format!("{sign}{}{rest}", "0".repeat(missing));
    }
    " ".repeat(missing) + &text
}

fn integer(verb: &Verb, letter: char, value: &Val) -> String {
    let number = value.as_int().unwrap_or(0);
    let magnitude = number.unsigned_abs();
    let digits = match letter {
        'b' => format!("{magnitude:b}"),
        'o' | 'O' => format!("{magnitude:o}"),
        'x' => format!("{magnitude:x}"),
        'X' => format!("{magnitude:X}"),
        'c' => {
            let c = u32::try_from(number).ok().and_then(char::from_u32);
            return padded(verb, c.unwrap_or('\u{fffd}').to_string());
        }
        'U' => return padded(verb, format!("U+{magnitude:04X}")),
        _ => magnitude.to_string(),
    };
    let missing = verb.precision.unwrap_or(0).saturating_sub(digits.len());
    let prefix = match letter {
        'O' => "0o",
        'x' if verb.sharp => "0x",
        'X' if verb.sharp => "0X",
        'o' if verb.sharp => "0",
        'b' if verb.sharp => "0b",
        _ => "",
    };
    let sign = if number < 0 { "-" } else { "" };
    let text = format!("{sign}{prefix}{}{digits}", "0".repeat(missing));
    padded(verb, signed(verb, text))
}

fn float_verb(verb: &Verb, letter: char, number: f64) -> String {
    if let Some(special) = special(number) {
        return special;
    }
    match letter {
        'f' | 'F' => format!("{number:.*}", verb.precision.unwrap_or(6)),
        'e' | 'E' => {
            let text = format!("{:.*e}", verb.precision.unwrap_or(6), number.abs());
            let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            let sign = if number < 0.0 { "-" } else { "" };
            let exponent: i32 = exponent.parse().unwrap_or(0);
            let exponent_sign = if exponent < 0 { '-' } else { '+' };
            let text = format!("{sign}{mantissa}e{exponent_sign}{:02}", exponent.abs());
            if letter == 'E' {
                text.to_uppercase()
            } else {
                text
            }
        }
        'G' => float_verb(verb, 'g', number).to_uppercase(),
        _ => match verb.precision {
            None => float(number),
            Some(precision) => {
                let precision = precision.max(1);
                let rounded: f64 = format!("{:.*e}", precision - 1, number)
                    .parse()
                    .unwrap_or(number);
                let limit = i32::try_from(precision).unwrap_or(21);
                float_within(rounded, limit)
            }
        },
    }
}
