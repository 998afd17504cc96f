//! Aliases that are keys: `*name: value`. For YAML 1.2, the colon belongs to the name of the alias; for kustomize and
//! Kubernetes, it ends the key. Text in, text out.

use std::borrow::Cow;

/// A text in which a space ends the name of each alias that is a key.
pub fn separated(text: &str) -> Cow<'_, str> {
    if !text.lines().any(|line| colon(line).is_some()) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for line in text.split_inclusive('\n') {
        match colon(line) {
            Some(at) => {
                out.push_str(&line[..at]);
                out.push(' ');
                out.push_str(&line[at..]);
            }
            None => out.push_str(line),
        }
    }
    Cow::Owned(out)
}

/// The offset of the colon after an alias that begins a line, or an item of a list.
fn colon(line: &str) -> Option<usize> {
    let start = line.find(|c| c != ' ' && c != '-')?;
    let name = line.get(start..)?.strip_prefix('*')?;
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    let length = name.bytes().take_while(|byte| is_sign(*byte)).count();
    let mut rest = name.bytes().skip(length);
    let is_key = length > 0
        && rest.next() == Some(b':')
        && matches!(rest.next(), None | Some(b' ' | b'\r' | b'\n'));
    is_key.then_some(start + 1 + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_aliases_that_are_keys_are_separated() {
        let text = "a:\n  *app:\n  - *app: 1\n  b: *app\n  c: '*x: y'\n";
        let separated = separated(text);
        assert_eq!(
            separated,
            "a:\n  *app :\n  - *app : 1\n  b: *app\n  c: '*x: y'\n"
        );
        assert!(matches!(super::separated("a: *b\n"), Cow::Borrowed(_)));
    }
}
