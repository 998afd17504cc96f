//! Numbers and plurals in sentences.

/// A number with its thousands apart: `12,345`.
pub fn count(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `1 component`, `2 components`.
pub fn counted(number: usize, one: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        _ if one.ends_with('x') => format!("{} {one}es", count(number)),
        _ => format!("{} {one}s", count(number)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counted_things_have_their_plural() {
        assert_eq!(counted(1, "fix"), "1 fix");
        assert_eq!(counted(2, "fix"), "2 fixes");
        assert_eq!(counted(0, "error"), "0 errors");
        assert_eq!(counted(12_345, "error"), "12,345 errors");
    }
}
