//! Comments that accept findings: `# catalog: allow weak-gate, because …` in YAML and other files with `#` comments,
//! `<!-- catalog: allow link-broken, because … -->` in Markdown. One counts for its own line and the one below it; at the
//! head of a document, for all of it.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::meant;
use crate::checks;
use crate::input::config::RuleName;
use crate::input::repo::Repo;
use base::{Edit, FileId, Finding, Place, Remedy, RemedyKind};

const SIGN: &str = "catalog: allow";

/// The comments of all files that have findings.
pub struct Comments {
    by_file: BTreeMap<FileId, Vec<Comment>>,
}

#[derive(Debug)]
struct Comment {
    place: Place,
    /// Rules, each with whether a finding needed it.
    rules: Vec<(RuleName, AllowanceUse)>,
    /// None if no reason is given. Such a comment suppresses nothing.
    reason: Option<String>,
    /// Lines that it applies to.
    lines: RangeInclusive<u32>,
    component: Option<String>,
    path: String,
    /// The rest of its line; empty if the comment has the line to itself.
    without: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AllowanceUse {
    Needed,
    Idle,
}

impl Comments {
    pub fn read(repo: &Repo, findings: &[Finding]) -> Comments {
        let mut by_file: BTreeMap<FileId, Vec<Comment>> = BTreeMap::new();
        // By place, so that the findings of a file stand together.
        for own in findings.chunk_by(|a, b| a.place.file == b.place.file) {
            let file = own[0].place.file;
            let text = match file {
                FileId::NONE => continue,
                _ => repo.read_text(file),
            };
            let Some(text) = text.ok().filter(|text| text.contains(SIGN)) else {
                continue;
            };
            let is_markdown = matches!(repo.path(file).extension(), Some("md" | "markdown" | "MD"));
            let syntax = if is_markdown {
                Syntax::Markdown
            } else {
                Syntax::Hash
            };
            let mut comments = comments(&text, file, syntax);
            let component = own.iter().find_map(|finding| finding.component.clone());
            for comment in &mut comments {
                comment.component.clone_from(&component);
                comment.path = repo.path(file).to_string();
            }
            by_file.insert(file, comments);
        }
        Comments { by_file }
    }

    /// Why a finding is accepted, if it is. All comments that say so count as needed.
    pub fn reason(&mut self, finding: &Finding) -> Option<&str> {
        let comments = self.by_file.get_mut(&finding.place.file)?;
        let mut found = None;
        for (at, comment) in comments.iter_mut().enumerate() {
            if comment.reason.is_none() || !comment.lines.contains(&finding.place.line) {
                continue;
            }
            for (rule, needed) in &mut comment.rules {
                if rule.matches(finding.rule) {
                    *needed = AllowanceUse::Needed;
                    found = found.or(Some(at));
                }
            }
        }
        comments[found?].reason.as_deref()
    }

    /// Findings about the comments themselves. Comments for rules that cannot fire are not reported as unused.
    pub fn remarks(self, can_fire: impl Fn(&str) -> bool) -> Vec<Finding> {
        let known = checks::rules();
        let mut remarks = Vec::new();
        for comment in self.by_file.into_values().flatten() {
            let mut remark = |mut finding: Finding| {
                finding.component.clone_from(&comment.component);
                remarks.push(finding);
            };
            let place = comment.place;
            if comment.reason.is_none() {
                let message = "this suppression comment gives no reason, so it has no effect";
                let help = "write `catalog: allow RULE, because …`";
                remark(Finding::warning("allow-without-reason", place, message).help(help));
                continue;
            }
            for (rule, needed) in &comment.rules {
                let name = &rule.pattern;
                if !known.iter().any(|known| rule.matches(known.name)) {
                    let message = format!("there is no rule `{}` to suppress", name.escape_debug());
                    let finding = Finding::warning("allow-unknown-rule", place, message);
                    remark(finding.help(meant(name)));
                } else if *needed == AllowanceUse::Idle
                    && known
                        .iter()
                        .any(|known| rule.matches(known.name) && can_fire(known.name))
                {
                    let message = format!("`{name}` is suppressed here, but does not occur");
                    let finding = Finding::info("allow-unused", place, message);
                    let finding = finding.help("remove the comment");
                    // A comment that is needed for something else stays.
                    let is_alone = comment.rules.len() == 1;
                    remark(finding.fix(is_alone.then(|| comment.removal())));
                }
            }
        }
        remarks
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Syntax {
    Hash,
    Markdown,
}

fn comments(text: &str, file: FileId, syntax: Syntax) -> Vec<Comment> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some((start, said)) = said(line, syntax) else {
            continue;
        };
        let (rules, reason) = parts(said);
        let number = at as u32 + 1;
        let is_own_line = line[..start].trim().is_empty();
        let lines = if is_own_line {
            match head(&lines, at, syntax) {
                Some(end) => number..=end,
                None => number..=next_content(&lines, at, syntax),
            }
        } else {
            number..=number
        };
        found.push(Comment {
            place: Place {
                file,
                line: number,
                column: line[..start].chars().count() as u32 + 1,
                len: line[start..].trim_end().chars().count() as u32,
            },
            rules: rules
                .into_iter()
                .map(|rule| (rule, AllowanceUse::Idle))
                .collect(),
            reason,
            lines,
            component: None,
            path: String::new(),
            without: line[..start].trim_end().to_owned(),
        });
    }
    found
}

impl Comment {
    fn removal(&self) -> Remedy {
        let text = match self.without.as_str() {
            "" => String::new(),
            line => format!("{line}\n"),
        };
        Remedy {
            title: format!("remove the comment in `{}`", self.path),
            kind: RemedyKind::Edits(vec![Edit::Lines {
                path: self.path.clone(),
                first: self.place.line,
                count: 1,
                text,
            }]),
        }
    }
}

/// Byte offset of a line's comment, and the text after `catalog: allow`.
fn said(line: &str, syntax: Syntax) -> Option<(usize, &str)> {
    let sign = line.find(SIGN)?;
    let said = &line[sign + SIGN.len()..];
    let said = said
        .strip_prefix([' ', '\t'])
        .or(said.is_empty().then_some(said))?;
    let before = line[..sign].trim_end();
    let (start, said) = match syntax {
        Syntax::Hash => {
            let start = before.strip_suffix('#')?.len();
            (start, said)
        }
        Syntax::Markdown => {
            let start = before.strip_suffix("<!--")?.len();
            (start, said.split("-->").next().unwrap_or(said))
        }
    };
    // In YAML, a `#` inside of a word begins no comment.
    let begins = line[..start]
        .chars()
        .next_back()
        .is_none_or(char::is_whitespace);
    (begins || syntax == Syntax::Markdown).then_some((start, said))
}

/// The rules that a comment names, and its reason.
fn parts(said: &str) -> (Vec<RuleName>, Option<String>) {
    let (names, reason) = match said.split_once("because") {
        Some((names, reason)) => (names, Some(reason.trim_start_matches(':').trim())),
        None => (said, None),
    };
    let mut names: Vec<&str> = names
        .split([',', ' ', '\t'])
        .filter(|name| !name.is_empty())
        .collect();
    if reason.is_none() {
        // Without a reason, the text after the first name may be anything.
        names.truncate(1);
    }
    let rules = names.into_iter().map(|name| RuleName {
        pattern: name.to_owned(),
        place: Place::default(),
    });
    let reason = reason.filter(|reason| reason.chars().any(char::is_alphanumeric));
    (rules.collect(), reason.map(str::to_owned))
}

/// The last line of the document, where the line stands at its head: only comments and blank lines are before it.
fn head(lines: &[&str], at: usize, syntax: Syntax) -> Option<u32> {
    let starts = |line: &&str| is_start(line);
    match syntax {
        Syntax::Hash => {
            let before = &lines[..at];
            let first = before.iter().rposition(starts).map_or(0, |start| start + 1);
            let is_head = before[first..].iter().all(|line| is_blank(line, syntax));
            // A comment that is followed by content at once and by nothing else would do for a line as well.
            let end = lines[at..]
                .iter()
                .position(starts)
                .map_or(lines.len(), |n| at + n);
            is_head.then_some(end as u32)
        }
        Syntax::Markdown => {
            let front = match lines.first() {
                Some(&"---") => lines[1..]
                    .iter()
                    .position(|line| *line == "---")
                    .map_or(0, |end| end + 2),
                _ => 0,
            };
            let before = lines.get(front..at)?;
            let is_head = before.iter().all(|line| is_blank(line, syntax));
            is_head.then_some(lines.len() as u32)
        }
    }
}

fn is_start(line: &str) -> bool {
    let rest = line.strip_prefix("---");
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
}

fn is_blank(line: &str, syntax: Syntax) -> bool {
    let line = line.trim();
    match syntax {
        Syntax::Hash => line.is_empty() || line.starts_with('#') || line.starts_with('%'),
        Syntax::Markdown => line.is_empty() || line.starts_with("<!--") && line.ends_with("-->"),
    }
}

/// The line that a comment on a line of its own is about: the next that says something.
fn next_content(lines: &[&str], at: usize, syntax: Syntax) -> u32 {
    let mut after = lines.iter().enumerate().skip(at + 1);
    let next = after.find(|(_, line)| !is_blank(line, syntax));
    next.map_or(at as u32 + 1, |(next, _)| next as u32 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, syntax: Syntax) -> Vec<(Vec<String>, Option<String>, RangeInclusive<u32>)> {
        let comments = comments(text, FileId(0), syntax).into_iter();
        comments
            .map(|comment| {
                let rules = comment.rules.into_iter().map(|(rule, _)| rule.pattern);
                (rules.collect(), comment.reason, comment.lines)
            })
            .collect()
    }

    fn one(text: &str) -> (Vec<String>, Option<String>, RangeInclusive<u32>) {
        let mut all = read(text, Syntax::Hash);
        assert_eq!(all.len(), 1, "{all:?}");
        all.remove(0)
    }

    #[test]
    fn a_comment_counts_for_its_line_or_the_next() {
        let (rules, reason, lines) =
            one("a: 1\nb: 2 # catalog: allow weak-gate, because the chart waits\nc: 3\n");
        assert_eq!(rules, ["weak-gate"]);
        assert_eq!(reason.as_deref(), Some("the chart waits"));
        assert_eq!(lines, 2..=2);
        let (rules, _, lines) =
            one("a: 1\n# catalog: allow a-b, c-d because both\n# and more\n\nb: 2\nc: 3\n");
        assert_eq!(rules, ["a-b", "c-d"]);
        assert_eq!(lines, 2..=5);
    }

    #[test]
    fn a_comment_at_the_head_of_a_document_counts_for_all_of_it() {
        let (.., lines) = one("# ours\n# catalog: allow a-b, because x\na: 1\nb: 2\n---\nc: 3\n");
        assert_eq!(lines, 2..=4);
        let (.., lines) = one("a: 1\n---\n# catalog: allow a-b, because x\nb: 1\n\nc: 2\n");
        assert_eq!(lines, 3..=6);
    }

    #[test]
    fn a_reason_must_say_something_and_a_hash_in_a_word_is_no_comment() {
        assert_eq!(one("# catalog: allow weak-gate\na: 1\n").1, None);
        assert_eq!(
            one("# catalog: allow weak-gate we know\na: 1\n").0,
            ["weak-gate"]
        );
        assert_eq!(one("# catalog: allow weak-gate, because …\na: 1\n").1, None);
        assert!(read("a: b# catalog: allow x-y, because z\n", Syntax::Hash).is_empty());
        assert!(read("text catalog: allow x-y\n", Syntax::Hash).is_empty());
        assert!(read("# catalog: allowing x-y\n", Syntax::Hash).is_empty());
    }

    #[test]
    fn markdown_has_comments_of_its_own() {
        let text = "---\ntitle: x\n---\n\n<!-- catalog: allow link-broken, because later -->\n# Title\n\n[a](b) <!-- catalog: allow x-y, because z -->\n";
        let all = read(text, Syntax::Markdown);
        assert_eq!(all[0].1.as_deref(), Some("later"));
        assert_eq!(all[0].2, 5..=8);
        assert_eq!(all[1].2, 8..=8);
        assert_eq!(all[1].1.as_deref(), Some("z"));
    }
}
