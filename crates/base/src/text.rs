//! Numbers and plurals in sentences, and spelling suggestions.

/// A number with thousands separators: `12,345`.
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

/// The key that was probably meant: at most every third letter differs, or `name` is a word of the key.
pub fn nearest<'k>(name: &str, keys: &[&'k str]) -> Option<&'k str> {
    let name = name.to_lowercase();
    let letters = name.chars().count();
    let distance = |key: &str| strsim::damerau_levenshtein(&name, &key.to_lowercase());
    let key = keys.iter().copied().min_by_key(|key| distance(key))?;
    if distance(key) <= letters.max(3) / 3 {
        return Some(key);
    }
    let is_word = |key: &&str| {
        let key = key.to_lowercase();
        key.split(|c: char| !c.is_alphanumeric())
            .any(|word| word == name)
    };
    let keys = keys.iter().copied().filter(|_| letters >= 3);
    keys.filter(is_word).min_by_key(|key| key.len())
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
