//! The status of a decision: maps the author's word to a well-known status.

/// The status of a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    Proposed,
    Accepted,
    Rejected,
    Deprecated,
    Superseded,
    /// A word of the team's own.
    Other(String),
    /// Not said.
    Unknown,
}

impl Status {
    pub fn name(&self) -> &str {
        match self {
            Status::Proposed => "proposed",
            Status::Accepted => "accepted",
            Status::Rejected => "rejected",
            Status::Deprecated => "deprecated",
            Status::Superseded => "superseded",
            Status::Other(word) => word,
            Status::Unknown => "unknown",
        }
    }

    /// Parses the status in a line. A list of choices, left over from a template, is not a status.
    pub fn parse(line: &str) -> Status {
        let line = line.trim();
        let is_open = line.contains(['{', '[']) && line.contains([']', '}']) && line.contains('/');
        if line.contains('|') || line.contains(" / ") || is_open {
            return Status::Unknown;
        }
        let lower = line.to_lowercase();
        if SUPERSEDED_BY.iter().any(|words| lower.contains(words)) {
            let is_part = ["partially", "partly", "in part"]
                .iter()
                .any(|words| lower.contains(words));
            return if is_part {
                Status::Other("superseded in part".to_owned())
            } else {
                Status::Superseded
            };
        }
        let words: String = lower
            .trim_start_matches(|c: char| !c.is_alphanumeric())
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == ' ' || *c == '-')
            .collect();
        let first = words.split([' ', '-']).next().unwrap_or_default();
        let known = WORDS.iter().find(|(_, known)| {
            known.contains(&first)
                || known
                    .iter()
                    .any(|word| !word.is_ascii() && words.starts_with(word))
        });
        match known {
            Some((status, _)) => status.clone(),
            None if words.trim().is_empty() => Status::Unknown,
            None => Status::Other(words.trim().chars().take(LONGEST).collect()),
        }
    }
}

/// A status is a word or two.
const LONGEST: usize = 24;

/// Words before the name of the decision that supersedes this one.
pub const SUPERSEDED_BY: &[&str] = &[
    "superseded by",
    "superceded by",
    "replaced by",
    "obsoleted by",
    "ersetzt durch",
    "abgelöst durch",
    "remplacé par",
    "remplacée par",
    "reemplazada por",
    "reemplazado por",
    "sustituida por",
    "sustituido por",
    "substituída por",
    "substituído por",
    "sostituita da",
    "sostituito da",
    "заменено",
];

/// Words before the names of decisions that this one supersedes.
pub const SUPERSEDES: &[&str] = &["supersedes", "supercedes", "replaces", "ersetzt"];

/// Other relations, which do not affect the status.
pub const RELATIONS: &[&str] = &[
    "supersedes",
    "supercedes",
    "replaces",
    "amends",
    "amended by",
    "clarifies",
    "clarified by",
    "extends",
    "extended by",
    "relates to",
    "related to",
];

const WORDS: &[(Status, &[&str])] = &[
    (
        Status::Accepted,
        &[
            "accepted",
            "approved",
            "adopted",
            "decided",
            "agreed",
            "akzeptiert",
            "angenommen",
            "entschieden",
            "accepté",
            "acceptée",
            "aceptado",
            "aceptada",
            "aceito",
            "aceita",
            "accettato",
            "accettata",
            "geaccepteerd",
            "godkänd",
            "zaakceptowany",
            "принято",
            "принят",
            "已接受",
            "已采纳",
            "承認",
        ],
    ),
    (
        Status::Proposed,
        &[
            "proposed",
            "proposal",
            "draft",
            "pending",
            "rfc",
            "vorgeschlagen",
            "entwurf",
            "proposé",
            "proposée",
            "propuesto",
            "propuesta",
            "proposto",
            "proposta",
            "voorgesteld",
            "предложено",
            "提议",
            "提案",
        ],
    ),
    (
        Status::Rejected,
        &[
            "rejected",
            "declined",
            "abgelehnt",
            "verworfen",
            "rejeté",
            "rejetée",
            "rechazado",
            "rechazada",
            "rejeitado",
            "rejeitada",
            "rifiutato",
            "afgewezen",
            "отклонено",
            "已拒绝",
            "却下",
        ],
    ),
    (
        Status::Deprecated,
        &[
            "deprecated",
            "obsolete",
            "retired",
            "veraltet",
            "obsolète",
            "déprécié",
            "obsoleto",
            "obsoleta",
            "verouderd",
            "устарело",
            "已废弃",
            "非推奨",
        ],
    ),
    (
        Status::Superseded,
        &[
            "superseded",
            "superceded",
            "replaced",
            "ersetzt",
            "remplacé",
            "remplacée",
            "reemplazado",
            "sustituido",
            "substituído",
            "sostituito",
            "vervangen",
            "已取代",
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_known_by_its_first_word() {
        for (line, status) in [
            ("Accepted (updated 2026-03-01)", Status::Accepted),
            ("✅ accepted", Status::Accepted),
            ("**Approved**", Status::Accepted),
            ("Accepted, superseded by ADR-0012", Status::Superseded),
            ("Superceded by 5. Use that", Status::Superseded),
            (
                "Partially superseded by ADR-9",
                Status::Other("superseded in part".into()),
            ),
            ("Accepted / Rejected / Superseded by ADR-X", Status::Unknown),
            ("Draft", Status::Proposed),
            ("Angenommen am 3. Mai", Status::Accepted),
            ("已接受", Status::Accepted),
            ("Implemented", Status::Other("implemented".into())),
            ("Proposed | Accepted | Rejected", Status::Unknown),
            ("{proposed / rejected / accepted}", Status::Unknown),
            ("  ", Status::Unknown),
        ] {
            assert_eq!(Status::parse(line), status, "{line}");
        }
    }
}
