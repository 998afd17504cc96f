//! All rules, whoever reports them, by topic; and their documentation as one Markdown document, which is `docs/checks.md`.

use std::fmt::Write;

use super::{CHECKS, read};
use crate::config;
use crate::diagnostic::Rule;

/// Rules that belong together.
#[derive(Debug, Clone)]
pub struct Topic {
    pub title: &'static str,
    pub rules: Vec<&'static Rule>,
}

/// Every rule, by topic: hazards first, the gravest before others.
pub fn topics() -> Vec<Topic> {
    let hazards = Topic {
        title: "Hazards",
        rules: CHECKS.iter().map(|check| check.rule()).collect(),
    };
    let read = read::TOPICS.iter().map(|(title, rules)| Topic {
        title,
        rules: rules.iter().collect(),
    });
    let all = std::iter::once(hazards).chain(read);
    all.filter(|topic| !topic.rules.is_empty()).collect()
}

/// Every rule, in the order of [`topics`].
pub fn rules() -> Vec<&'static Rule> {
    topics().into_iter().flat_map(|topic| topic.rules).collect()
}

pub fn rule(name: &str) -> Option<&'static Rule> {
    rules().into_iter().find(|rule| rule.name == name)
}

/// Where the site says what a rule means, from its root.
pub fn page(name: &str) -> String {
    format!("checks/{name}.html")
}

/// The rule that was probably meant.
pub fn nearest_rule(name: &str) -> Option<&'static str> {
    let names: Vec<&'static str> = rules().iter().map(|rule| rule.name).collect();
    config::nearest(name, &names)
}

/// `docs/checks.md`.
pub fn guide() -> String {
    let mut text = INTRODUCTION.to_owned();
    for topic in topics() {
        let title = topic.title;
        let _ = write!(
            text,
            "\n## {title}\n\n| rule | severity | says |\n|---|---|---|\n"
        );
        for rule in &topic.rules {
            let (name, severity, summary) = (rule.name, rule.severity, rule.summary);
            let _ = writeln!(text, "| [`{name}`](#{name}) | {severity} | {summary} |");
        }
        for rule in &topic.rules {
            let (name, severity, summary) = (rule.name, rule.severity, rule.summary);
            let _ = write!(text, "\n### {name}\n\n*{severity}*: {summary}\n\n");
            text += &with_bold_headings(rule.about);
        }
    }
    text
}

const INTRODUCTION: &str = "# Checks

<!-- Made from the rules; the tests write it again where `UPDATE_GOLDEN` is set. -->

`catalog check` reports what is below. `catalog explain RULE` prints one of these texts.

An **error** is what certainly fails or races. A **warning** is likely to, or costs somebody time. An **info** says what
could not be followed. `catalog check` ends with 1 when there are errors, `--fail-on warning` also on warnings, and with
2 when it could not run.

## Choosing

`--select` and `--ignore` take names or beginnings such as `yaml-*`; `--path` and `--component` take globs. What counts for
everybody stands in `catalog.toml`:

```toml
[check]
ignore = [\"yaml-template\"]               # or `select`, for these and no others

[check.severity]
remote-base = \"error\"                   # error, warning, info or off
\"env-*\" = \"info\"

[[check.allow]]                          # by rule, path and component; a reason is required
rule = \"link-broken\"
path = [\"docs/archive/\"]
because = \"kept as they were written\"
```

## Accepting

A comment accepts a finding where it stands: on its line, on a line of its own above it, or at the head of a document for
all of that document.

```yaml
resources:
  - https://example.com/base?ref=v1.2.3   # catalog: allow remote-base, because it is reviewed with every release
```

In Markdown it is `<!-- catalog: allow link-broken, because … -->`. A reason is required.

`catalog check --write-baseline FILE` notes all that is found today; with `--baseline FILE` only what is new is reported. A
finding is known again by its rule, its file and what it says, whatever line it has moved to.

## Fixing

Some findings bring a fix, shown as a patch. `catalog check --diff` prints all of them for `git apply`, `catalog check --fix`
makes them: whole lines, everything else stays as it is. Give `--select` to take some of them only.
";

/// The headings of one rule would drown those of the document.
fn with_bold_headings(about: &str) -> String {
    let mut text = String::with_capacity(about.len());
    let mut in_code = false;
    for line in about.trim().lines() {
        in_code ^= line.trim_start().starts_with("```");
        match line.trim_start_matches('#').strip_prefix(' ') {
            Some(heading) if !in_code && line.starts_with('#') => {
                let _ = writeln!(text, "**{}**", heading.trim());
            }
            _ => {
                let _ = writeln!(text, "{line}");
            }
        }
    }
    text
}
