//! Functions that turn texts into names.

use super::super::Value;

/// A valid Kubernetes name.
pub fn normal(text: &str) -> String {
    let mut name = String::new();
    for c in text.to_lowercase().chars() {
        name.push(if c.is_ascii_alphanumeric() || c == '-' || c == '.' {
            c
        } else {
            '-'
        });
    }
    let cut: String = name.chars().take(253).collect();
    cut.trim_matches(['-', '.']).to_owned()
}

/// A slug: at most 50 characters unless stated, cut within a word only if asked to.
pub fn slug(arguments: &[Value]) -> Option<String> {
    let (length, is_whole, text) = match arguments {
        [Value::Text(text)] => (50, true, text),
        [Value::Int(length @ 1..), Value::Text(text)] => (*length as usize, true, text),
        [
            Value::Int(length @ 1..),
            Value::Bool(whole),
            Value::Text(text),
        ] => (*length as usize, *whole, text),
        _ => return None,
    };
    let mut name = normal(text);
    if !is_whole {
        name.truncate(length);
    }
    let words: Vec<&str> = name
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let mut slug = words.join("-");
    if slug.len() > length {
        let cut = slug[..=length].rfind('-').unwrap_or(length);
        slug.truncate(cut);
    }
    Some(slug)
}

/// A slug that is short enough for a label; `None` if letters would have to be transliterated.
pub fn label(text: &str) -> Option<String> {
    const LONGEST: usize = 63;
    let mut spelt = String::new();
    for c in text.trim().chars() {
        match c {
            '&' => spelt.push_str("and"),
            '@' => spelt.push_str("at"),
            '"' | '\'' | '’' => {}
            '-' | '‒' | '–' | '—' | '―' => spelt.push('-'),
            '_' => spelt.push('_'),
            c if c.is_ascii_alphanumeric() => spelt.push(c.to_ascii_lowercase()),
            c if c.is_ascii() => spelt.push('-'),
            _ => return None,
        }
    }
    let words: Vec<&str> = spelt.split('-').filter(|word| !word.is_empty()).collect();
    let mut label = words.join("-").trim_matches(['-', '_']).to_owned();
    if label.len() > LONGEST {
        let cut = label[..=LONGEST].rfind('-').unwrap_or(LONGEST);
        label.truncate(cut);
    }
    Some(label)
}

/// `SomeWords` for `some_words`; `None` if the words are ambiguous.
pub fn camel(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split(['_', '-', ' ']).collect();
    let is_plain = |word: &&str| {
        !word.is_empty()
            && word
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    };
    let mut plain = words.iter();
    plain.all(is_plain).then(|| {
        let words = words.iter().map(|word| {
            let (first, rest) = word.split_at(1);
            first.to_ascii_uppercase() + rest
        });
        words.collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_are_cut_between_words() {
        let slug = |length: i64, whole: bool, text: &str| {
            slug(&[Value::Int(length), Value::Bool(whole), Value::text(text)]).unwrap()
        };
        assert_eq!(slug(23, true, "Feature/Foo_Bar.x"), "feature-foo-bar-x");
        assert_eq!(slug(10, true, "feature/foo-bar"), "feature");
        assert_eq!(slug(11, true, "feature/foo-bar"), "feature-foo");
        assert_eq!(slug(10, false, "feature/foo-bar"), "feature-fo");
        assert_eq!(slug(3, true, "feature"), "fea");
    }

    #[test]
    fn labels_are_slugs_of_at_most_63_letters() {
        let long = "word-".repeat(20);
        let cases = [
            ("  Feature/Foo_Bar.x ", Some("feature-foo_bar-x")),
            ("a & b@c's — d", Some("a-and-batcs-d")),
            ("__x--", Some("x")),
            ("", Some("")),
            ("Zoë", None),
        ];
        for (text, expected) in cases {
            assert_eq!(label(text).as_deref(), expected, "{text}");
        }
        assert_eq!(label(&long).unwrap(), long[..59].to_owned());
        assert_eq!(label(&"x".repeat(80)).unwrap(), "x".repeat(63));
    }
}
