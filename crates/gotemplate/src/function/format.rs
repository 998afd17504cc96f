//! `printf`, as far as templates use it.

use super::super::Value;

/// Maximum padding.
const MAX_WIDTH: usize = 64;

/// Supports `%s`, `%d`, `%v`, `%q`, `%t` and `%%`, with padding by spaces on either side or leading zeros.
pub fn printf(format: &str, arguments: &[Value]) -> Option<String> {
    let mut text = String::new();
    let mut arguments = arguments.iter();
    let mut characters = format.chars().peekable();
    while let Some(c) = characters.next() {
        if c != '%' {
            text.push(c);
            continue;
        }
        let is_left = characters.next_if_eq(&'-').is_some();
        let mut width = String::new();
        while let Some(digit) = characters.next_if(char::is_ascii_digit) {
            width.push(digit);
        }
        let has_zeros = width.starts_with('0');
        let width: usize = match width.as_str() {
            "" => 0,
            width => width.parse().ok().filter(|width| *width <= MAX_WIDTH)?,
        };
        let verb = characters.next()?;
        let shown = match verb {
            '%' => "%".to_owned(),
            's' | 'v' => arguments.next()?.written(),
            'q' => serde_json::Value::from(arguments.next()?.written()).to_string(),
            't' => match arguments.next()? {
                Value::Bool(value) => value.to_string(),
                _ => return None,
            },
            'd' => match arguments.next()? {
                Value::Int(number) if has_zeros && !is_left => format!("{number:0width$}"),
                Value::Int(number) => number.to_string(),
                _ => return None,
            },
            _ => return None,
        };
        match (is_left, has_zeros && verb != 'd') {
            (_, true) => return None,
            (true, _) => text.push_str(&format!("{shown:<width$}")),
            (false, _) => text.push_str(&format!("{shown:>width$}")),
        }
    }
    Some(text)
}
