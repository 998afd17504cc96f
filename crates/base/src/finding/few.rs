//! A limit on findings: per rule and file, the first hundred are kept and the rest are counted. So no file can fill the
//! memory or the report.

use super::{FileId, Finding, Place, Severity};
use crate::hash::HashMap;

/// Maximum number of findings per rule and file.
pub const MAX_ALIKE: usize = 100;

/// Collects findings up to the limit per rule and file.
#[derive(Debug, Default)]
pub struct Few {
    all: Vec<Finding>,
    kinds: HashMap<(FileId, &'static str), RuleCount>,
}

#[derive(Debug, Default)]
struct RuleCount {
    told: usize,
    /// Index of the finding that carries the count, and the number left out.
    rest: Option<(usize, usize)>,
}

impl Few {
    /// Adds a finding. `make` is called only if the finding is kept.
    pub fn push(
        &mut self,
        rule: &'static str,
        severity: Severity,
        place: Place,
        make: impl FnOnce() -> Finding,
    ) {
        let kind = self.kinds.entry((place.file, rule)).or_default();
        if kind.told < MAX_ALIKE || place.file == FileId::NONE {
            kind.told += 1;
            self.all.push(make());
            return;
        }
        match &mut kind.rest {
            Some((_, count)) => *count += 1,
            rest => {
                *rest = Some((self.all.len(), 1));
                self.all.push(Finding::new(rule, severity, place, ""));
            }
        }
    }

    pub fn take(&mut self, finding: Finding) {
        if finding.rest() > 0 {
            return self.all.push(finding);
        }
        let (rule, severity, place) = (finding.rule, finding.severity, finding.place);
        self.push(rule, severity, place, || finding);
    }

    pub fn extend(&mut self, findings: impl IntoIterator<Item = Finding>) {
        findings.into_iter().for_each(|finding| self.take(finding));
    }

    pub fn finish(mut self) -> Vec<Finding> {
        for ((_, rule), kind) in self.kinds {
            if let Some((at, count)) = kind.rest {
                let counted = &mut self.all[at];
                counted.message =
                    format!("{count} more `{rule}` findings in this file, from this line on");
                counted.help = Some("fix the ones before it, and run it again".to_owned());
                counted.more.get_or_insert_default().rest = count;
            }
        }
        self.all
    }
}

/// Limits findings that were collected without one.
pub fn few(findings: Vec<Finding>) -> Vec<Finding> {
    if findings.len() <= MAX_ALIKE {
        return findings;
    }
    let mut few = Few::default();
    few.extend(findings);
    few.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(rule: &'static str, file: u32, line: u32) -> Finding {
        let place = Place {
            line,
            ..Place::start_of(FileId(file))
        };
        Finding::error(rule, place, format!("at {line}"))
    }

    #[test]
    fn of_many_alike_the_first_are_told_and_the_others_counted() {
        let many = (1..=350).flat_map(|line| [found("a", 0, line), found("b", line, 1)]);
        let told = few(many.collect());
        let of = |rule: &str| told.iter().filter(|one| one.rule == rule).count();
        assert_eq!((of("a"), of("b")), (MAX_ALIKE + 1, 350));
        let counted = told.iter().find(|one| one.rest() > 0).unwrap();
        assert_eq!((counted.rest(), counted.place.line), (250, 101));
        assert!(counted.message.starts_with("250 more"), "{counted:?}");
    }

    #[test]
    fn what_is_counted_stays_counted() {
        let told = few((1..=350).map(|line| found("a", 0, line)).collect());
        assert_eq!(few(told.clone()), told);
    }
}
