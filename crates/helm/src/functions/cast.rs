//! Conversions between types, as Go's `spf13/cast` does them.

use crate::engine::Val;

pub fn to_int(value: &Val) -> i64 {
    match value {
        Val::Int(value) | Val::Int64(value) => *value,
        Val::Float(value) => *value as i64,
        Val::Bool(value) => i64::from(*value),
        Val::Text(text) => parse_int(without_zero_fraction(text)).unwrap_or(0),
        _ => 0,
    }
}

pub fn to_float(value: &Val) -> f64 {
    match value {
        Val::Int(value) | Val::Int64(value) => *value as f64,
        Val::Float(value) => *value,
        Val::Bool(value) => f64::from(u8::from(*value)),
        Val::Text(text) => text.parse().unwrap_or(0.0),
        _ => 0.0,
    }
}

/// `1.00` without its fraction, which is zero.
fn without_zero_fraction(text: &str) -> &str {
    match text.split_once('.') {
        Some((whole, fraction)) if fraction.bytes().all(|b| b == b'0') => whole,
        _ => text,
    }
}

/// Go's `ParseInt` with base 0.
fn parse_int(text: &str) -> Option<i64> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &digits[2..]),
        [b'0', b'o' | b'O', ..] => (8, &digits[2..]),
        [b'0', b'b' | b'B', ..] => (2, &digits[2..]),
        [b'0', _, ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    let digits = digits.replace('_', "");
    if !digits.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return None;
    }
    let value = i64::from_str_radix(&digits, radix).ok()?;
    Some(if negative { -value } else { value })
}
