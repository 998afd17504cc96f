//! Selection of findings by rule, path and component.

use super::meant;
use crate::checks;
use crate::input::config::{Globs, RuleName};
use crate::input::repo::Repo;
use base::{FileId, Finding, Place, Severity};

/// A choice among findings. The empty one takes them all.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    select: Vec<RuleName>,
    ignore: Vec<RuleName>,
    /// Findings must be at least this severe.
    pub lowest: Option<Severity>,
    /// From the root of the repo, or of its git work tree.
    pub paths: Globs,
    /// Ids of components; empty for all.
    pub components: Vec<String>,
}

impl Selection {
    /// The error says what is wrong with what was typed.
    pub fn new(
        select: &[String],
        ignore: &[String],
        lowest: Option<Severity>,
    ) -> Result<Selection, String> {
        Ok(Selection {
            select: names(select)?,
            ignore: names(ignore)?,
            lowest,
            ..Selection::default()
        })
    }

    pub fn takes(&self, repo: &Repo, finding: &Finding) -> bool {
        let path = (finding.place.file != FileId::NONE).then(|| repo.path(finding.place.file));
        let is_its = |id: &str| self.components.iter().any(|own| own == id);
        self.takes_rule(finding.rule)
            && self.lowest.is_none_or(|lowest| finding.severity <= lowest)
            && self.takes_path(repo, path.map(|path| path.as_str()))
            && (self.components.is_empty() || finding.concerned().any(is_its))
    }

    fn takes_path(&self, repo: &Repo, path: Option<&str>) -> bool {
        if self.paths.patterns().is_empty() {
            return true;
        }
        let prefix = repo.git().map_or("", |git| git.prefix.as_str());
        path.is_some_and(|path| {
            self.paths.any_match(&[path]) || self.paths.any_match(&[&format!("{prefix}{path}")])
        })
    }

    /// The same for a known finding, of which only rule and path are kept; none if these do not suffice.
    pub fn takes_known(&self, repo: &Repo, rule: &str, path: Option<&str>) -> Option<bool> {
        let known = self.takes_rule(rule) && self.takes_path(repo, path);
        let suffices = self.components.is_empty() && self.lowest.is_none();
        suffices.then_some(known)
    }

    fn takes_rule(&self, rule: &str) -> bool {
        let any = |names: &[RuleName]| names.iter().any(|name| name.matches(rule));
        (self.select.is_empty() || any(&self.select)) && !any(&self.ignore)
    }
}

/// Each may hold several, with commas between them.
fn names(typed: &[String]) -> Result<Vec<RuleName>, String> {
    let rules = checks::rules();
    let each = typed.iter().flat_map(|one| one.split(','));
    let each = each.map(str::trim).filter(|name| !name.is_empty());
    each.map(|name| {
        let name = RuleName {
            pattern: name.to_owned(),
            place: Place::default(),
        };
        if rules.iter().any(|rule| name.matches(rule.name)) {
            return Ok(name);
        }
        let shown: String = name.pattern.chars().take(60).collect();
        let shown = shown.escape_debug();
        Err(format!(
            "there is no rule `{shown}`; {}",
            meant(&name.pattern)
        ))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selection(select: &[&str], ignore: &[&str]) -> Result<Selection, String> {
        let owned =
            |names: &[&str]| -> Vec<String> { names.iter().map(|n| n.to_string()).collect() };
        Selection::new(&owned(select), &owned(ignore), None)
    }

    #[test]
    fn rules_are_chosen_by_name_and_by_beginning() {
        let chosen = selection(&["yaml-*,link-broken"], &["yaml-template"]).unwrap();
        assert!(chosen.takes_rule("yaml-syntax") && chosen.takes_rule("link-broken"));
        assert!(!chosen.takes_rule("yaml-template") && !chosen.takes_rule("file-missing"));
        assert!(selection(&[], &[]).unwrap().takes_rule("file-missing"));
    }

    #[test]
    fn a_name_that_no_rule_has_is_refused_with_the_nearest() {
        assert_eq!(
            selection(&["yaml-sytax"], &[]).unwrap_err(),
            "there is no rule `yaml-sytax`; did you mean `yaml-syntax`?"
        );
        assert!(
            selection(&[], &["nothing-*"])
                .unwrap_err()
                .contains("nothing-*")
        );
    }
}
