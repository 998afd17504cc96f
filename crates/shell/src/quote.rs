//! Texts as words of a shell.

use std::borrow::Cow;

/// `text` as one word, whatever it contains. Names need no quotes.
pub fn quote(text: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:@%+=".contains(&byte);
    if !text.is_empty() && text.bytes().all(is_plain) && !text.starts_with('-') {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(format!("'{}'", text.replace('\'', r"'\''")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_stays_one_word() {
        assert_eq!(quote("ghcr.io/a/b:1.2"), "ghcr.io/a/b:1.2");
        assert_eq!(quote("it's $HOME"), r"'it'\''s $HOME'");
        assert_eq!((quote("-f"), quote("")), ("'-f'".into(), "''".into()));
    }
}
