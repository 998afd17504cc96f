//! All rules by topic, those of readers included, and their documentation as one Markdown page: `docs/checks.md`.

use std::fmt::Write;

use super::{CHECKS, read};
use base::Rule;

/// Rules that belong together.
#[derive(Debug, Clone)]
pub struct Topic {
    pub title: &'static str,
    pub rules: Vec<&'static Rule>,
}

/// Every rule by topic: hazards first, most severe first.
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

/// The page of the site that documents a rule, relative to the site's root.
pub fn page(name: &str) -> String {
    format!("checks/{name}.html")
}

/// The rule with the most similar name.
pub fn nearest_rule(name: &str) -> Option<&'static str> {
    let names: Vec<&'static str> = rules().iter().map(|rule| rule.name).collect();
    base::text::nearest(name, &names)
}

/// `docs/checks.md`.
pub fn guide() -> String {
    let mut text = INTRODUCTION.to_owned();
    for topic in topics() {
        let title = topic.title;
        let _ = write!(
            text,
            "\n## {title}\n\n| rule | severity | reports |\n|---|---|---|\n"
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

<!-- Generated from the rules. Tests rewrite this page when `UPDATE_GOLDEN` is set. -->

`catalog check` reports the problems on this page. `catalog explain RULE` prints the text of one rule.

- An **error** certainly fails or races.
- A **warning** probably fails, or costs somebody time.
- An **info** is worth tidying up, or names something that `catalog` could not follow.

`catalog check` exits 1 if there are errors, and 2 if it could not run. With `--fail-on warning`, warnings count too.

Two terms occur throughout. A *unit* is what a reconciler applies in one go: a Kustomization, a HelmRelease, an Application, a
Pulumi stack or a Terraform root module. Its *health gate* (`wait` or `healthChecks` of a Kustomization) decides when it
reports ready.

## Selecting rules

`--select` and `--ignore` take rule names or patterns such as `yaml-*`. `--path` and `--component` take globs. Settings for
the whole team go into `catalog.toml`:

```toml
[check]
ignore = [\"yaml-template\"]               # or `select`, to run only the rules listed

[check.severity]
remote-base = \"error\"                   # error, warning, info or off
\"env-*\" = \"info\"

[[check.allow]]                          # by rule, path and component; `because` is required
rule = \"link-broken\"
path = [\"docs/archive/\"]
because = \"archived pages stay as they were written\"
```

<a id=\"accepting\"></a>

## Suppressing findings

A comment suppresses a finding on the same line or on the line below. At the top of a document, it covers the whole
document.

```yaml
resources:
  - https://example.com/base?ref=v1.2.3   # catalog: allow remote-base, because it is reviewed with every release
```

In Markdown, write `<!-- catalog: allow link-broken, because … -->`. A reason is required.

To start with an existing repository, record its findings with `catalog check --write-baseline FILE`. From then on,
`--baseline FILE` reports only new ones. Findings are matched by rule, file and message, not by line.

## Fixing findings

Some findings come with a fix, shown as a patch. `catalog check --fix` applies all fixes; `catalog check --diff` prints them for
`git apply` instead. A fix replaces whole lines and leaves everything else alone. Use `--select` to apply only some of them.
";

/// Turns the headings of a rule into bold lines: as headings, they would swamp the page's own.
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
