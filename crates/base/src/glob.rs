//! Path patterns: `*` stays within a name, `**` crosses directories, braces hold alternatives. Text in, a match out;
//! patterns from a repository cost linear time per alternative.

/// The meaning of `**`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stars {
    /// Any number of directories.
    Deep,
    /// The same as `*`.
    Plain,
    /// Any characters, and so is `*`: `/` is a character like any other.
    Any,
}

/// Maximum number of alternatives in a pattern.
const MAX_ALTERNATIVES: usize = 64;

/// Whether a pattern matches a path.
pub fn matches(pattern: &str, path: &str, stars: Stars) -> bool {
    let pattern = pattern.trim_start_matches("./").trim_matches('/');
    let parts: Vec<&str> = path.split('/').collect();
    let alternatives = alternatives(pattern);
    alternatives.iter().any(|pattern| {
        if stars == Stars::Any {
            return match_name(pattern, path);
        }
        let pattern: Vec<&str> = pattern.split('/').collect();
        match_parts(&pattern, &parts, stars)
    })
}

/// Whether a pattern without alternatives matches a text, in which `/` is a character like any other.
pub fn matches_text(pattern: &str, text: &str) -> bool {
    match_name(pattern, text)
}

/// The leading directories that contain no pattern.
pub fn fixed(pattern: &str) -> &str {
    let pattern = pattern.trim_start_matches("./").trim_start_matches('/');
    match pattern.find(['*', '?', '[', '{']) {
        None => pattern,
        Some(at) => pattern[..at]
            .rsplit_once('/')
            .map_or("", |(before, _)| before),
    }
}

/// Expands braces: `a/{b,c}` is `a/b` and `a/c`.
fn alternatives(pattern: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut open = vec![pattern.to_owned()];
    while let Some(pattern) = open.pop() {
        let braces = pattern
            .find('{')
            .and_then(|start| Some((start, start + pattern[start..].find('}')?)));
        match braces {
            Some((start, end)) if done.len() + open.len() < MAX_ALTERNATIVES => {
                for part in pattern[start + 1..end].split(',') {
                    open.push(format!(
                        "{}{part}{}",
                        &pattern[..start],
                        &pattern[end + 1..]
                    ));
                }
            }
            _ => done.push(pattern),
        }
    }
    done
}

/// Computes which prefixes of the path each prefix of the pattern matches. There is no backtracking, so no blow-up.
fn match_parts(pattern: &[&str], parts: &[&str], stars: Stars) -> bool {
    let mut reached = vec![false; parts.len() + 1];
    reached[0] = true;
    for one in pattern {
        let mut next = vec![false; parts.len() + 1];
        let deep = *one == "**" && stars == Stars::Deep;
        for at in 0..=parts.len() {
            if deep {
                next[at] = reached[at] || at > 0 && next[at - 1];
            } else if at > 0 && reached[at - 1] {
                next[at] = match_name(one, parts[at - 1]);
            }
        }
        reached = next;
    }
    reached[parts.len()]
}

fn match_name(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (mut p, mut n) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    loop {
        let step = match pattern.get(p) {
            Some('*') => {
                back = Some((p, n));
                p += 1;
                continue;
            }
            None if n == name.len() => return true,
            None => None,
            Some('?') => (n < name.len()).then_some(1),
            Some('[') => in_class(&pattern[p..], name.get(n).copied()),
            Some('\\') => (pattern.get(p + 1) == name.get(n) && n < name.len()).then_some(2),
            Some(c) => (Some(c) == name.get(n)).then_some(1),
        };
        match (step, back) {
            (Some(length), _) => {
                p += length;
                n += 1;
            }
            // Let the last star take one more character.
            (None, Some((star, from))) if from < name.len() => {
                back = Some((star, from + 1));
                p = star + 1;
                n = from + 1;
            }
            (None, _) => return false,
        }
    }
}

/// Length of a class such as `[a-z]`, if it contains the character.
fn in_class(pattern: &[char], c: Option<char>) -> Option<usize> {
    let c = c?;
    let end = pattern.iter().skip(1).position(|c| *c == ']')? + 1;
    let inside = &pattern[1..end];
    let (negated, inside) = match inside.first() {
        Some('^' | '!') => (true, &inside[1..]),
        _ => (false, inside),
    };
    let mut found = false;
    let mut at = 0;
    while at < inside.len() {
        if inside.get(at + 1) == Some(&'-') && at + 2 < inside.len() {
            found |= (inside[at]..=inside[at + 2]).contains(&c);
            at += 3;
        } else {
            found |= inside[at] == c;
            at += 1;
        }
    }
    (found != negated).then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stay_within_a_name_and_double_stars_do_not() {
        let deep = |pattern, path| matches(pattern, path, Stars::Deep);
        assert!(deep("apps/*", "apps/web"));
        assert!(!deep("apps/*", "apps/web/dev"));
        assert!(deep("apps/**/app.yaml", "apps/app.yaml"));
        assert!(deep("apps/**/app.yaml", "apps/a/b/app.yaml"));
        assert!(!matches("apps/**", "apps/a/b", Stars::Plain));
        assert!(matches("{a,*/b}.yaml", "x/y/b.yaml", Stars::Any));
        assert!(deep("**/config.json", "config.json"));
        assert!(deep("{a,b}/*.yaml", "b/x.yaml"));
        assert!(deep("a?[0-9]/[^x]*", "ab1/yz"));
        assert!(!deep("[^x]*", "xy"));
        assert!(deep("*-*-end", "a-b-c-end"));
        assert!(!deep("*a*a*a*a*a*a*b", &"a".repeat(5000)));
        assert_eq!(fixed("apps/web/*/x"), "apps/web");
        assert_eq!(fixed("*/x"), "");
    }
}
