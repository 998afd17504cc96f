//! The status of a decision: maps the author's word to a well-known status.

/// The status of a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    Draft,
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
            Status::Draft => "draft",
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
            // A sentence says more than a status, and may say the opposite.
            None if words.split_whitespace().count() > MOST_WORDS => Status::Unknown,
            None => Status::Other(words.trim().chars().take(LONGEST).collect()),
        }
    }
}

/// Whether a line says in Chinese, Japanese or Korean that another decision took its place, which it names first.
pub fn names_successor_first(line: &str) -> bool {
    ["取代", "替代", "置き換え", "置換", "대체"]
        .iter()
        .any(|word| line.contains(word))
}

/// A status is a word or two.
const LONGEST: usize = 24;
/// More words are a sentence about the status.
const MOST_WORDS: usize = 4;

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
        Status::Draft,
        &[
            "draft",
            "entwurf",
            "brouillon",
            "ébauche",
            "borrador",
            "rascunho",
            "bozza",
            "concept",
            "черновик",
            "草案",
            "草稿",
            "下書き",
            "ドラフト",
            "초안",
        ],
    ),
    (
        Status::Accepted,
        &[
            "beschlossen",
            "genehmigt",
            "freigegeben",
            "gültig",
            "adopté",
            "adoptée",
            "approuvé",
            "approuvée",
            "validé",
            "validée",
            "aprobado",
            "aprobada",
            "adoptado",
            "adoptada",
            "aprovado",
            "aprovada",
            "adotado",
            "adotada",
            "approvato",
            "approvata",
            "adottato",
            "adottata",
            "承认",
            "採用",
            "採択",
            "決定",
            "确定",
            "接受",
            "采纳",
            "採納",
            "通过",
            "通過",
            "批准",
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
            "승인",
            "수락",
            "채택",
            "확정",
        ],
    ),
    (
        Status::Proposed,
        &[
            "vorschlag",
            "offen",
            "拟议",
            "検討中",
            "proposed",
            "proposal",
            "pending",
            "rfc",
            "vorgeschlagen",
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
            "제안",
            "검토",
        ],
    ),
    (
        Status::Rejected,
        &[
            "zurückgewiesen",
            "refusé",
            "refusée",
            "denegado",
            "denegada",
            "recusado",
            "recusada",
            "respinto",
            "respinta",
            "rifiutata",
            "rejeitada",
            "拒绝",
            "拒絕",
            "不採用",
            "棄却",
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
            "거부",
            "거절",
            "기각",
            "반려",
        ],
    ),
    (
        Status::Deprecated,
        &[
            "abgekündigt",
            "dépréciée",
            "depreciado",
            "depreciada",
            "descontinuado",
            "deprecato",
            "deprecata",
            "废弃",
            "弃用",
            "棄用",
            "廃止",
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
            "폐기",
            "사용 중단",
        ],
    ),
    (
        Status::Superseded,
        &[
            "abgelöst",
            "überholt",
            "reemplazada",
            "sustituida",
            "substituída",
            "sostituita",
            "已被取代",
            "置換",
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
            "대체",
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
            ("Draft", Status::Draft),
            ("Entwurf vom 3. Mai", Status::Draft),
            ("Brouillon", Status::Draft),
            ("提案中", Status::Proposed),
            ("Approvato", Status::Accepted),
            ("Aceita em 2024", Status::Accepted),
            ("Angenommen am 3. Mai", Status::Accepted),
            ("已接受", Status::Accepted),
            ("✅ 승인됨", Status::Accepted),
            ("제안됨 (2026-01-20)", Status::Proposed),
            (
                "This decision is now in its planning phase",
                Status::Unknown,
            ),
            ("Implemented", Status::Other("implemented".into())),
            ("Proposed | Accepted | Rejected", Status::Unknown),
            ("{proposed / rejected / accepted}", Status::Unknown),
            ("  ", Status::Unknown),
        ] {
            assert_eq!(Status::parse(line), status, "{line}");
        }
    }
}
