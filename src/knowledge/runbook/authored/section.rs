//! The parts that runbooks have, by the headings that begin them.

/// A part that runbooks have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RunbookSection {
    Symptoms,
    Meaning,
    Impact,
    Diagnosis,
    Mitigation,
}

const PARTS: &[(RunbookSection, &[&str])] = &[
    (
        RunbookSection::Symptoms,
        &[
            "symptom",
            "symptoms",
            "what you see",
            "signs",
            "alert condition",
        ],
    ),
    (
        RunbookSection::Meaning,
        &[
            "meaning",
            "what it means",
            "what this means",
            "what this alert means",
            "cause",
            "causes",
            "root cause",
            "possible causes",
            "likely causes",
            "background",
            "explanation",
        ],
    ),
    (
        RunbookSection::Impact,
        &[
            "impact",
            "consequences",
            "user impact",
            "business impact",
            "severity and impact",
        ],
    ),
    (
        RunbookSection::Diagnosis,
        &[
            "diagnosis",
            "diagnose",
            "diagnostics",
            "check",
            "checks",
            "how to check",
            "investigation",
            "investigate",
            "triage",
            "debugging",
        ],
    ),
    (
        RunbookSection::Mitigation,
        &[
            "mitigation",
            "mitigate",
            "fix",
            "fixes",
            "how to fix",
            "resolution",
            "resolve",
            "remediation",
            "remedy",
            "recovery",
            "what to do",
            "solution",
        ],
    ),
];

impl RunbookSection {
    /// The part that a heading begins.
    pub fn from_heading(heading: &str) -> Option<RunbookSection> {
        let heading = heading.trim().to_lowercase();
        let heading = heading.trim_matches(|c: char| !c.is_alphanumeric());
        let known = PARTS.iter().find(|(_, names)| names.contains(&heading));
        known.map(|(part, _)| *part)
    }

    pub fn title(self) -> &'static str {
        match self {
            RunbookSection::Symptoms => "Symptoms",
            RunbookSection::Meaning => "Meaning",
            RunbookSection::Impact => "Impact",
            RunbookSection::Diagnosis => "Diagnosis",
            RunbookSection::Mitigation => "Mitigation",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_mean_the_parts_of_a_runbook() {
        assert_eq!(
            RunbookSection::from_heading("Root cause"),
            Some(RunbookSection::Meaning)
        );
        assert_eq!(
            RunbookSection::from_heading("Symptoms:"),
            Some(RunbookSection::Symptoms)
        );
        assert_eq!(
            RunbookSection::from_heading("How to fix"),
            Some(RunbookSection::Mitigation)
        );
        assert_eq!(RunbookSection::from_heading("Afterwards"), None);
    }
}
