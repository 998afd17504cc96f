//! `[check]`: which findings count, how much, and which are accepted. Which rules there are is not known here: names are
//! kept with their lines, so that one that means nothing can be reported where it is written.

use schemars::JsonSchema;

use super::Globs;
use super::mistake::Mistakes;
use super::read::globs;
use super::section::{TomlSection, TomlText};
use base::text::nearest;
use base::{Place, Severity};

/// Which rules apply, and how severe their findings are.
#[derive(Debug, Clone, Default, PartialEq, JsonSchema)]
#[schemars(default, deny_unknown_fields)]
pub struct Check {
    /// Run only these rules: names, or prefixes such as `dependency-*`. Defaults to all rules.
    #[schemars(with = "Vec<String>", example = ["dependency-*", "weak-gate"])]
    pub select: Vec<RuleName>,
    /// Rules to disable: names, or prefixes such as `yaml-*`.
    #[schemars(with = "Vec<String>", example = ["yaml-template"])]
    pub ignore: Vec<RuleName>,
    /// The severity of a rule, by name or prefix: `error`, `warning`, `info`, or `off` to disable it.
    #[schemars(
        with = "std::collections::BTreeMap<String, LevelName>",
        example = std::collections::BTreeMap::from([("weak-gate", "warning"), ("env-*", "off")])
    )]
    pub severity: Vec<SeverityOf>,
    /// Suppressed findings, each with a reason. Set at least one of `rule`, `path` and `component`.
    pub allow: Vec<Allow>,
}

/// The name of a rule, or the beginning of several and a `*`.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleName {
    pub pattern: String,
    /// Place in `catalog.toml`, without the file.
    pub place: Place,
}

/// How grave the findings of some rules are.
#[derive(Debug, Clone, PartialEq)]
pub struct SeverityOf {
    pub rule: RuleName,
    pub level: RuleLevel,
}

/// How a level is written.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
#[allow(dead_code, reason = "only its schema is used")]
enum LevelName {
    Error,
    Warning,
    Info,
    Off,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleLevel {
    Off,
    As(Severity),
}

/// Findings that are suppressed.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Allow {
    /// The rule, or a prefix such as `yaml-*`. Defaults to every rule.
    #[schemars(with = "Option<String>", example = &"remote-base")]
    pub rule: Option<RuleName>,
    /// Globs for the files that contain the findings. Defaults to every file.
    #[schemars(default, with = "Vec<String>", example = ["vendor/"])]
    pub path: Globs,
    /// Globs for component ids. Defaults to every component.
    #[schemars(default, with = "Vec<String>")]
    pub component: Globs,
    /// Why they are suppressed.
    #[schemars(example = &"reviewed with every release")]
    pub because: String,
}

impl RuleName {
    pub fn matches(&self, rule: &str) -> bool {
        match self.pattern.strip_suffix('*') {
            Some(beginning) => rule.starts_with(beginning),
            None => rule == self.pattern,
        }
    }
}

pub(super) const KEYS: &[&str] = &["select", "ignore", "severity", "allow"];
pub(super) const ALLOW_KEYS: &[&str] = &["rule", "path", "component", "because"];
const LEVELS: &[&str] = &["error", "warning", "info", "off"];

pub(super) fn check(section: Option<TomlSection>, mistakes: &mut Mistakes) -> Check {
    let Some(section) = section else {
        return Check::default();
    };
    section.allow_only(KEYS, mistakes);
    let mut names = |key| {
        let texts = section.list(key, mistakes);
        let names = texts.iter().map(|text| name(text, mistakes));
        names.collect()
    };
    let (select, ignore) = (names("select"), names("ignore"));
    let severity = match section.section("severity", mistakes) {
        Some(section) => severities(&section, mistakes),
        None => Vec::new(),
    };
    let allow = section.sections("allow", mistakes);
    Check {
        select,
        ignore,
        severity,
        allow: allow
            .iter()
            .filter_map(|section| allowed(section, mistakes))
            .collect(),
    }
}

fn name(text: &TomlText, mistakes: &Mistakes) -> RuleName {
    RuleName {
        pattern: text.value.clone(),
        place: mistakes.place_of(&text.span),
    }
}

fn severities(section: &TomlSection, mistakes: &mut Mistakes) -> Vec<SeverityOf> {
    let mut severities = Vec::new();
    for (rule, level) in section.strings(mistakes) {
        let level = match level.value.as_str() {
            "error" => RuleLevel::As(Severity::Error),
            "warning" => RuleLevel::As(Severity::Warning),
            "info" => RuleLevel::As(Severity::Info),
            "off" => RuleLevel::Off,
            other => {
                let help = match nearest(other, LEVELS) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => "use `error`, `warning`, `info` or `off`".to_owned(),
                };
                let message = format!("`{other}` is not a severity");
                mistakes.add(level.span.clone(), message).help(help);
                continue;
            }
        };
        let rule = name(&rule, mistakes);
        severities.push(SeverityOf { rule, level });
    }
    severities
}

fn allowed(section: &TomlSection, mistakes: &mut Mistakes) -> Option<Allow> {
    section.allow_only(ALLOW_KEYS, mistakes);
    section.require_one_of(&["rule", "path", "component"], mistakes);
    let because = section.required("because", mistakes);
    if let Some(reason) = because.as_ref().filter(|text| text.value.trim().is_empty()) {
        mistakes
            .add(reason.span.clone(), "the reason is empty")
            .help("explain why these findings are suppressed");
    }
    let rule = section.optional("rule", mistakes);
    Some(Allow {
        rule: rule.map(|rule| name(&rule, mistakes)),
        path: globs(section.list("path", mistakes), mistakes),
        component: globs(section.list("component", mistakes), mistakes),
        because: because?.value.trim().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[test]
    fn everything_about_findings_is_read() {
        let text = "[check]\nselect = [\"dependency-*\", \"weak-gate\"]\nignore = [\"yaml-template\"]\n\n[check.severity]\nweak-gate = \"warning\"\n\"yaml-*\" = \"off\"\n\n[[check.allow]]\nrule = \"remote-base\"\npath = [\"vendor/\"]\nbecause = \"reviewed\"\n";
        let check = parse(text, "catalog.toml").unwrap().check;
        assert!(check.select[0].matches("dependency-cycle") && !check.select[0].matches("dep"));
        assert_eq!(check.ignore[0].place.line, 3);
        assert_eq!(check.severity[0].level, RuleLevel::As(Severity::Warning));
        assert_eq!(check.severity[1].level, RuleLevel::Off);
        assert_eq!(check.severity[1].rule.place.line, 7);
        let allow = &check.allow[0];
        assert!(allow.path.any_match(&["vendor/a/b.yaml"]));
        assert!(allow.component.patterns().is_empty());
        assert_eq!(allow.because, "reviewed");
    }

    #[test]
    fn mistakes_about_findings_are_told_with_their_lines() {
        let text = "[check]\nselekt = []\nignore = \"x\"\n[check.severity]\na-b = \"eror\"\nc-d = 1\n[[check.allow]]\nbecause = \" \"\n[[check.allow]]\nrule = \"a-b\"\n";
        let error = parse(text, "catalog.toml").unwrap_err();
        let lines: Vec<String> = error
            .mistakes
            .iter()
            .map(|mistake| format!("{} {}", mistake.line, mistake.message))
            .collect();
        assert_eq!(
            lines,
            [
                "2 unknown key `selekt`",
                "3 `ignore` must be a list of strings, not a string",
                "5 `eror` is not a severity",
                "6 `c-d` must be a string, not an integer",
                "7 one of the keys `rule`, `path`, `component` is required",
                "8 the reason is empty",
                "9 the key `because` is missing",
            ]
        );
    }
}
