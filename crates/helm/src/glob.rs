//! The patterns of `.Files.Glob`: `*` stays within a directory, `**` does not.

/// Maximum number of alternatives of a pattern.
const MAX_ALTERNATIVES: usize = 200;

/// A pattern.
#[derive(Debug)]
pub struct Glob {
    /// One regular expression for all alternatives; `None` matches everything, as Helm does if a pattern is invalid.
    regex: Option<regex::Regex>,
}

impl Glob {
    pub fn new(pattern: &str) -> Glob {
        let regex = translated(pattern);
        Glob {
            regex: regex.and_then(|regex| regex::Regex::new(&regex).ok()),
        }
    }

    pub fn matches(&self, path: &str) -> bool {
        self.regex.as_ref().is_none_or(|regex| regex.is_match(path))
    }
}

fn translated(pattern: &str) -> Option<String> {
    let mut out = String::from("^(?s:");
    let mut characters = pattern.chars().peekable();
    let mut braces = 0usize;
    let mut alternatives = 0usize;
    while let Some(c) = characters.next() {
        match c {
            '*' => {
                if characters.next_if_eq(&'*').is_some() {
                    while characters.next_if_eq(&'*').is_some() {}
                    out.push_str(".*");
                } else {
                    out.push_str("[^/]*");
                }
            }
            '?' => out.push_str("[^/]"),
            '\\' => out.push_str(&regex::escape(&characters.next()?.to_string())),
            '[' => {
                out.push('[');
                if characters.next_if_eq(&'!').is_some() {
                    out.push('^');
                }
                loop {
                    match characters.next()? {
                        ']' => break,
                        '-' => out.push('-'),
                        '\\' => out.push_str(&regex::escape(&characters.next()?.to_string())),
                        c => out.push_str(&regex::escape(&c.to_string())),
                    }
                }
                out.push(']');
            }
            '{' => {
                braces += 1;
                out.push_str("(?:");
            }
            '}' if braces > 0 => {
                braces -= 1;
                out.push(')');
            }
            ',' if braces > 0 => {
                alternatives += 1;
                out.push('|');
            }
            c => out.push_str(&regex::escape(&c.to_string())),
        }
    }
    out.push_str(")$");
    (braces == 0 && alternatives < MAX_ALTERNATIVES).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_those_of_helm() {
        let cases = [
            ("files/*", "files/a.txt", true),
            ("files/*", "files/sub/a.txt", false),
            ("files/**", "files/sub/a.txt", true),
            ("**.yaml", "a/b.yaml", true),
            ("*.{json,yaml}", "b.yaml", true),
            ("*.{json,yaml}", "b.yml", false),
            ("[!a]*", "b", true),
            ("file?", "file1", true),
        ];
        for (pattern, path, expected) in cases {
            assert_eq!(
                Glob::new(pattern).matches(path),
                expected,
                "{pattern} {path}"
            );
        }
    }
}
