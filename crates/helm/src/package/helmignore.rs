//! `.helmignore`: files that Helm does not read.

/// The rules of a file, in order.
#[derive(Debug, Default)]
pub struct IgnoreRules(Vec<IgnoreRule>);

#[derive(Debug)]
struct IgnoreRule {
    pattern: String,
    is_negated: bool,
    /// Whether it is about directories only.
    is_directory: bool,
    /// Whether it is about whole paths rather than names.
    is_path: bool,
}

impl IgnoreRules {
    /// Reads rules, and adds Helm's own.
    pub fn parse(text: &str) -> Result<IgnoreRules, String> {
        let mut rules = Vec::new();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for line in text.lines().chain(["templates/.?*"]) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if line.contains("**") {
                return Err("double-star (**) syntax is not supported".to_owned());
            }
            let (is_negated, pattern) = match line.strip_prefix('!') {
                Some(pattern) => (true, pattern),
                None => (false, line),
            };
            let (is_directory, pattern) = match pattern.strip_suffix('/') {
                Some(pattern) => (true, pattern),
                None => (false, pattern),
            };
            rules.push(IgnoreRule {
                pattern: pattern.strip_prefix('/').unwrap_or(pattern).to_owned(),
                is_negated,
                is_directory,
                is_path: pattern.contains('/'),
            });
        }
        Ok(IgnoreRules(rules))
    }

    /// Whether a file is ignored, or a directory that it is in.
    pub fn ignores(&self, path: &str) -> bool {
        let directories = path.match_indices('/').map(|(at, _)| &path[..at]);
        let mut directories = directories;
        directories.any(|directory| self.matches(directory, EntryKind::Directory))
            || self.matches(path, EntryKind::File)
    }

    fn matches(&self, path: &str, kind: EntryKind) -> bool {
        for rule in &self.0 {
            let is_other_kind = rule.is_directory && kind == EntryKind::File;
            let compared = if rule.is_path {
                path
            } else {
                path.rsplit('/').next().unwrap_or(path)
            };
            let is_match = || matches(rule.pattern.as_bytes(), compared.as_bytes(), 0);
            if rule.is_negated {
                if is_other_kind || !is_match() {
                    return true;
                }
            } else if !is_other_kind && is_match() {
                return true;
            }
        }
        false
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum EntryKind {
    File,
    Directory,
}

/// Maximum number of stars that are tried.
const MAX_STARS: usize = 20;

/// Go's `filepath.Match`.
fn matches(pattern: &[u8], text: &[u8], stars: usize) -> bool {
    let Some(first) = pattern.first() else {
        return text.is_empty();
    };
    match first {
        b'*' => {
            let rest = &pattern[1..];
            let length = text.iter().position(|b| *b == b'/').unwrap_or(text.len());
            stars < MAX_STARS && (0..=length).any(|at| matches(rest, &text[at..], stars + 1))
        }
        b'?' => {
            let is_one = text.first().is_some_and(|b| *b != b'/');
            is_one && matches(&pattern[1..], &text[1..], stars)
        }
        b'[' => {
            let Some(c) = text.first() else { return false };
            let is_negated = pattern.get(1) == Some(&b'^');
            let mut at = 1 + usize::from(is_negated);
            let start = at;
            let mut is_in = false;
            while let Some(low) = pattern.get(at).filter(|b| **b != b']' || at == start) {
                let range = pattern.get(at + 1) == Some(&b'-');
                let high = if range {
                    pattern.get(at + 2)
                } else {
                    Some(low)
                };
                let Some(high) = high else { return false };
                is_in |= (low..=high).contains(&c);
                at += if range { 3 } else { 1 };
            }
            let rest = pattern.get(at + 1..).unwrap_or_default();
            is_in != is_negated && *c != b'/' && matches(rest, &text[1..], stars)
        }
        b'\\' if pattern.len() > 1 => {
            text.first() == pattern.get(1) && matches(&pattern[2..], &text[1..], stars)
        }
        literal => text.first() == Some(literal) && matches(&pattern[1..], &text[1..], stars),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_those_of_helm() {
        let rules = IgnoreRules::parse("# none\n*.swp\n/ci/\ndocs/\nsrc/*.txt\n").unwrap();
        let cases = [
            ("a.swp", true),
            ("sub/a.swp", true),
            ("ci/values.yaml", true),
            ("sub/ci/values.yaml", false),
            ("docs/x", true),
            ("src/a.txt", true),
            ("templates/.hidden", true),
            ("templates/a.yaml", false),
        ];
        for (path, expected) in cases {
            assert_eq!(rules.ignores(path), expected, "{path}");
        }
        assert!(IgnoreRules::parse("**/x").is_err());
    }
}
