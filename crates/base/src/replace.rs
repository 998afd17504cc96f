//! Replaces single bytes while text is copied, such as for escaping. Most of the output is text that contains none of
//! these bytes, so that is the fast path.

/// ASCII bytes, with the text that replaces each. A type rather than a value, so that the search is compiled for its
/// bytes.
pub trait Replacements {
    const PAIRS: &'static [(u8, &'static str)];
    /// Whether each byte is one of them.
    const IS_WANTED: [bool; 256] = {
        let mut wanted = [false; 256];
        let mut at = 0;
        while at < Self::PAIRS.len() {
            wanted[Self::PAIRS[at].0 as usize] = true;
            at += 1;
        }
        wanted
    };
}

/// Passes `text` to `put` piece by piece, with the bytes of the table replaced.
pub fn replaced<'t, T: Replacements>(text: &'t str, mut put: impl FnMut(&'t str)) {
    let bytes = text.as_bytes();
    if !holds::<T>(bytes) {
        return put(text);
    }
    let mut done = 0;
    for (at, byte) in bytes.iter().enumerate() {
        if T::IS_WANTED[usize::from(*byte)]
            && let Some((_, other)) = T::PAIRS.iter().find(|(wanted, _)| wanted == byte)
        {
            put(&text[done..at]);
            put(other);
            done = at + 1;
        }
    }
    put(&text[done..]);
}

/// Appends `text` with the bytes of the table replaced.
pub fn push_replaced<T: Replacements>(to: &mut String, text: &str) {
    replaced::<T>(text, |piece| to.push_str(piece));
}

fn holds<T: Replacements>(bytes: &[u8]) -> bool {
    crate::bytes::any(bytes, |byte| {
        let wanted = T::PAIRS.iter();
        wanted.fold(false, |any, (wanted, _)| any | (byte == *wanted))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Few;

    impl Replacements for Few {
        const PAIRS: &'static [(u8, &'static str)] = &[(b'<', "&lt;"), (b'|', "")];
    }

    #[test]
    fn bytes_are_replaced_wherever_they_stand() {
        for length in 0..70 {
            for at in 0..=length {
                let (before, after) = ("a".repeat(at), "é".repeat(length - at));
                let mut out = String::new();
                push_replaced::<Few>(&mut out, &format!("{before}<{after}|"));
                assert_eq!(out, format!("{before}&lt;{after}"));
            }
        }
    }

    #[test]
    fn other_text_is_given_out_in_one_piece() {
        for length in 0..70 {
            let text = "é>".repeat(length);
            let mut pieces = Vec::new();
            replaced::<Few>(&text, |piece| pieces.push(piece));
            assert_eq!(pieces, [text.as_str()]);
        }
    }
}
