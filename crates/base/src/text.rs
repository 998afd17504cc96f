//! Numbers and plurals in sentences, spelling suggestions, and parts of names and addresses.

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
    format!("{} {}", count(number), noun(number, one))
}

/// `component` for 1, `components` for any other number.
pub fn noun(number: usize, one: &str) -> String {
    if number == 1 {
        one.to_owned()
    } else {
        plural(one)
    }
}

/// `policies`, `ingresses`, `gateways`.
pub fn plural(one: &str) -> String {
    let has_ending = |endings: &[&str]| endings.iter().any(|ending| one.ends_with(ending));
    match one.strip_suffix('y') {
        Some(stem) if !has_ending(&["ay", "ey", "iy", "oy", "uy"]) => format!("{stem}ies"),
        _ if has_ending(&["s", "x", "ch", "sh"]) => format!("{one}es"),
        _ => format!("{one}s"),
    }
}

/// `a Deployment`, `an Ingress`.
pub fn with_article(noun: &str) -> String {
    let is_vowel = noun.starts_with(['A', 'E', 'I', 'O', 'a', 'e', 'i', 'o']);
    format!("{} {noun}", if is_vowel { "an" } else { "a" })
}

/// The last part of a path or an address: `web` in `https://example.com/charts/web/`.
pub fn last_part(path: &str) -> &str {
    path.trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or(path)
}

/// Whether something is still to be filled in, in one of the forms that people mark that with: `$NAME`, `${name}`,
/// `{{ name }}`, `<name>`, `[[ name ]]`.
pub fn has_gap(text: &str) -> bool {
    text.contains(['$', '{', '<']) || text.contains("[[")
}

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
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
        assert_eq!(counted(2, "dependency"), "2 dependencies");
        assert_eq!(plural("Gateway"), "Gateways");
        assert_eq!(plural("Ingress"), "Ingresses");
    }
}
