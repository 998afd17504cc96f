//! `CODEOWNERS`: patterns in the syntax of `.gitignore` with owners behind them, of which the last match counts. GitLab's
//! sections have owners by default, and each has a last match of its own.

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::{MOST_NAMES, Owners, RepoPath};
use base::hash::HashMap;
use base::{FileId, Place};

#[derive(Debug)]
pub struct CodeOwners {
    sections: Vec<CodeOwnersSection>,
}

/// Rules of which the last match counts. Patterns are found by path or name, so that thousands of them cost no more than
/// a few; only those with wildcards are tried.
#[derive(Debug, Default)]
struct CodeOwnersSection {
    rules: Vec<Rule>,
    /// Positions of the last rule for a path from the root.
    by_path: HashMap<String, usize>,
    /// The same for a name at any depth.
    by_name: HashMap<String, usize>,
    /// The last rule for everything.
    all: Option<usize>,
    /// Patterns with wildcards, and the rule of each.
    wild: Option<Gitignore>,
    by_wild: HashMap<String, usize>,
    written: Vec<String>,
}

/// A line with a pattern.
#[derive(Debug)]
struct Rule {
    names: Vec<String>,
    place: Place,
    /// It is about what is below a directory, not about a file of that name.
    is_directory: bool,
}

/// Sections beyond this belong to the last one.
const MOST_SECTIONS: usize = 64;
/// Patterns with wildcards beyond this are left out.
const MOST_WILD: usize = 2_000;

impl CodeOwners {
    pub fn parse(text: &str, file: FileId) -> CodeOwners {
        let mut sections = vec![CodeOwnersSection::default()];
        let mut defaults: Vec<String> = Vec::new();
        let mut wild = 0;
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(owners) = section_owners(line) {
                defaults = owners;
                if sections.len() < MOST_SECTIONS {
                    sections.push(CodeOwnersSection::default());
                }
                continue;
            }
            let (pattern, rest) = split_pattern(line);
            let own = names(rest);
            let rule = Rule {
                names: if own.is_empty() {
                    defaults.clone()
                } else {
                    own
                },
                place: Place {
                    line: number as u32 + 1,
                    len: line.chars().count() as u32,
                    ..Place::start_of(file)
                },
                is_directory: pattern.ends_with('/'),
            };
            wild += usize::from(is_wild(&pattern));
            if let Some(section) = sections.last_mut().filter(|_| wild <= MOST_WILD) {
                section.add(&pattern, rule);
            }
        }
        sections.iter_mut().for_each(CodeOwnersSection::compile);
        CodeOwners { sections }
    }

    /// The owners of a file. If several sections name some, the first section comes first.
    pub fn owners_of(&self, file: &RepoPath) -> Option<Owners> {
        let mut found: Option<Owners> = None;
        for rule in self
            .sections
            .iter()
            .filter_map(|section| section.last(file))
        {
            let Some(first) = &mut found else {
                found = (!rule.names.is_empty()).then(|| Owners {
                    names: rule.names.clone(),
                    place: rule.place,
                });
                continue;
            };
            for name in &rule.names {
                if !first.names.contains(name) && first.names.len() < MOST_NAMES {
                    first.names.push(name.clone());
                }
            }
        }
        found
    }
}

impl CodeOwnersSection {
    fn add(&mut self, pattern: &str, rule: Rule) {
        let at = self.rules.len();
        self.rules.push(rule);
        let inner = pattern.trim_end_matches('/');
        if matches!(inner, "" | "*" | "**" | "/**") {
            self.all = Some(at);
        } else if is_wild(pattern) {
            for written in wild_patterns(pattern) {
                self.by_wild.insert(written.clone(), at);
                self.written.push(written);
            }
        } else {
            let inner = inner.replace('\\', "");
            match inner.strip_prefix('/') {
                Some(path) => self.by_path.insert(path.to_owned(), at),
                None if inner.contains('/') => self.by_path.insert(inner, at),
                None => self.by_name.insert(inner, at),
            };
        }
    }

    fn compile(&mut self) {
        let mut builder = GitignoreBuilder::new("");
        for pattern in self.written.drain(..) {
            // A pattern that is no glob matches nothing.
            let _ = builder.add_line(None, &pattern);
        }
        self.wild = builder.build().ok().filter(|_| !self.by_wild.is_empty());
    }

    /// The last rule that matches a file.
    fn last(&self, file: &RepoPath) -> Option<&Rule> {
        let path = file.as_str();
        let mut last = self.all;
        let mut note = |at: Option<&usize>, is_file: bool| {
            let at = at.filter(|at| !(is_file && self.rules[**at].is_directory));
            last = last.max(at.copied());
        };
        let ends = path.match_indices('/').map(|(end, _)| end);
        let mut start = 0;
        for end in ends.chain([path.len()]) {
            let is_file = end == path.len();
            note(self.by_path.get(&path[..end]), is_file);
            note(self.by_name.get(&path[start..end]), is_file);
            start = end + 1;
        }
        if let Some(Match::Ignore(glob)) = self.wild.as_ref().map(|it| it.matched(path, false)) {
            note(self.by_wild.get(glob.original()), false);
        }
        last.map(|at| &self.rules[at])
    }
}

/// Patterns as `.gitignore` has them, for files only: `docs/*` is about the files in `docs`, `docs/` and `docs` about all
/// below.
fn wild_patterns(pattern: &str) -> Vec<String> {
    let inner = pattern.trim_end_matches('/');
    let is_anchored = inner.contains('/');
    let rooted = if is_anchored {
        format!("/{}", inner.trim_start_matches('/'))
    } else {
        format!("**/{inner}")
    };
    let below = format!("{rooted}/**");
    let is_files_only = is_anchored && inner.ends_with("/*") || inner.ends_with("**");
    if is_files_only {
        vec![rooted]
    } else if pattern.ends_with('/') {
        vec![below]
    } else {
        vec![rooted, below]
    }
}

fn is_wild(pattern: &str) -> bool {
    let plain = pattern.trim_matches(['/', '*']);
    !plain.is_empty() && pattern.contains(['*', '?', '['])
}

/// `[Name]`, `^[Name]` or `[Name][2]`, with the owners of what it holds.
fn section_owners(line: &str) -> Option<Vec<String>> {
    let heading = line.strip_prefix('^').unwrap_or(line).strip_prefix('[')?;
    let (_, mut rest) = heading.split_once(']')?;
    if let Some(count) = rest.strip_prefix('[') {
        rest = count.split_once(']')?.1;
    }
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| names(rest))
}

/// The pattern, which ends at the first space without a backslash, and what follows it.
fn split_pattern(line: &str) -> (String, &str) {
    let mut pattern = String::new();
    let mut letters = line.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' if letters.peek().is_some_and(|(_, next)| *next == ' ') => {
                pattern.push(' ');
                letters.next();
            }
            letter if letter.is_whitespace() => return (pattern, &line[at..]),
            letter => pattern.push(letter),
        }
    }
    (pattern, "")
}

/// Users, teams and addresses; what follows a `#` is a comment.
fn names(text: &str) -> Vec<String> {
    let words = text.split_whitespace();
    let words = words.take_while(|word| !word.starts_with('#'));
    let owners = words.filter(|word| word.contains('@'));
    let names = owners.map(|word| word.trim_start_matches('@').to_owned());
    names
        .filter(|name| !name.is_empty())
        .take(MOST_NAMES)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(text: &str, path: &str) -> Option<String> {
        let owners = CodeOwners::parse(text, FileId(0));
        let found = owners.owners_of(&RepoPath::new(path).unwrap())?;
        Some(format!("{}:{}", found.names.join(" "), found.place.line))
    }

    #[test]
    fn the_last_pattern_that_matches_names_the_owners() {
        let text = "# all\n* @acme/platform\n\n/apps/ @acme/apps # them\n/apps/shop/ @acme/shop someone@acme.dev\n*.tf @acme/cloud\ndocs/* @writers\n/apps/open/\nsecrets @acme/security\n";
        let cases = [
            ("README.md", Some("acme/platform:2")),
            ("apps/blog/a.yaml", Some("acme/apps:4")),
            ("apps/shop/a.yaml", Some("acme/shop someone@acme.dev:5")),
            ("apps/shop/main.tf", Some("acme/cloud:6")),
            ("docs/a.md", Some("writers:7")),
            ("docs/deep/a.md", Some("acme/platform:2")),
            ("apps/open/a.yaml", None),
            ("apps/blog/secrets/a.yaml", Some("acme/security:9")),
            ("apps/blog/secrets", Some("acme/security:9")),
        ];
        for (path, expected) in cases {
            assert_eq!(owner(text, path).as_deref(), expected, "{path}");
        }
    }

    #[test]
    fn a_directory_is_no_file_and_wildcards_stay_in_a_name() {
        let text = "build/ @a\n/apps/*/prod/ @b\n/a\\ b/ @c\n/**/deep/*.yaml @d\n";
        assert_eq!(owner(text, "build"), None);
        assert_eq!(owner(text, "x/build/y").as_deref(), Some("a:1"));
        assert_eq!(owner(text, "apps/x/prod/y/z").as_deref(), Some("b:2"));
        assert_eq!(owner(text, "apps/x/y/prod/z"), None);
        assert_eq!(owner(text, "a b/c").as_deref(), Some("c:3"));
        assert_eq!(owner(text, "x/y/deep/a.yaml").as_deref(), Some("d:4"));
    }

    #[test]
    fn sections_have_owners_of_their_own() {
        let text = "* @all\n[Apps][2] @apps\n/apps/\n/apps/shop/ @shop\n^[Docs] @docs\n*.md\n";
        assert_eq!(owner(text, "x").as_deref(), Some("all:1"));
        assert_eq!(owner(text, "apps/a").as_deref(), Some("all apps:1"));
        assert_eq!(
            owner(text, "apps/shop/a.md").as_deref(),
            Some("all shop docs:1")
        );
    }

    #[test]
    fn many_patterns_cost_no_more_than_a_few() {
        let literal = (0..50_000).map(|at| format!("/apps/a{at}/ @team{at}\n"));
        let wild = (0..50_000).map(|at| format!("/apps/w{at}-*/ @wild{at}\n"));
        let text: String = literal.chain(wild).collect();
        let owners = CodeOwners::parse(&text, FileId(0));
        for at in 0..5_000 {
            let path = RepoPath::new(&format!("apps/a{at}/x.yaml")).unwrap();
            assert_eq!(
                owners.owners_of(&path).unwrap().names,
                [format!("team{at}")]
            );
        }
        let path = RepoPath::new("apps/w7-x/y.yaml").unwrap();
        assert_eq!(owners.owners_of(&path).unwrap().names, ["wild7"]);
    }
}
