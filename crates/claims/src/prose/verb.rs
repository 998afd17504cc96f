//! Values that stand a few words behind a verb: `runs as a StatefulSet in the shop namespace`.

use std::ops::Range;

use super::FactName;

/// A value that stands a few words behind a verb.
struct BehindVerb {
    what: FactName,
    verbs: &'static [&'static str],
    is_value: fn(
        &SentenceWord<'_>,
        before: Option<&SentenceWord<'_>>,
        after: Option<&SentenceWord<'_>>,
    ) -> bool,
    /// Words that make the sentence about a part of the component.
    unless: &'static [&'static str],
}

const BEHIND_VERBS: &[BehindVerb] = &[
    BehindVerb {
        what: FactName::Namespace,
        verbs: &[
            "runs",
            "run",
            "running",
            "deployed",
            "lives",
            "installed",
            "hosted",
            "resides",
            "located",
            "sits",
            "is",
        ],
        is_value: |token, before, after| {
            let is = |other: Option<&SentenceWord<'_>>, word| {
                other.is_some_and(|other| other.lower == word)
            };
            let is_name = token.lower == token.word
                && !token.word.is_empty()
                && token
                    .word
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || c == '-');
            is_name
                && (is(before, "namespace") && !is(after, "of")
                    || is(before, "the") && is(after, "namespace"))
        },
        unless: &["created", "own", "same", "each", "every", "any"],
    },
    BehindVerb {
        what: FactName::Port,
        verbs: &[
            "listens",
            "listen",
            "listening",
            "exposes",
            "exposed",
            "serves",
            "served",
            "available",
            "reachable",
            "answers",
            "accepts",
            "bound",
            "binds",
            "opens",
        ],
        is_value: |token, before, _| {
            let is_number = |word: &str| word.parse::<u16>().is_ok();
            before.is_some_and(|before| before.lower == "port" && is_number(token.word))
                || before.is_some_and(|before| before.lower == "on")
                    && token.word.strip_prefix(':').is_some_and(is_number)
        },
        unless: &[
            "metrics",
            "health",
            "healthcheck",
            "probe",
            "probes",
            "admin",
            "debug",
            "debugging",
            "ssh",
            "scrapes",
            "profiling",
            "management",
            "gossip",
            "replication",
        ],
    },
    BehindVerb {
        what: FactName::Address,
        verbs: &[
            "available",
            "reachable",
            "accessible",
            "served",
            "exposed",
            "hosted",
            "published",
            "found",
            "reach",
            "open",
            "visit",
            "browse",
        ],
        is_value: |token, _, _| {
            token.word.starts_with("https://")
                || token.word.starts_with("http://")
                || token.word.matches('.').count() >= 2 && !token.word.contains(['/', ':'])
        },
        unless: &[
            "documentation",
            "docs",
            "source",
            "chart",
            "upstream",
            "issue",
            "issues",
        ],
    },
    BehindVerb {
        what: FactName::Image,
        verbs: &[
            "deployed",
            "built",
            "runs",
            "uses",
            "pulls",
            "pulled",
            "installed",
            "is",
        ],
        is_value: |token, _, _| {
            let name = token.word.rsplit('/').next().unwrap_or_default();
            token.word.contains('/') && !token.word.contains("://") && name.contains(':')
        },
        unless: &["base", "builder", "test", "tests"],
    },
];

/// The most words between a verb and the value that it states.
const MOST_BETWEEN: usize = 7;
/// Words behind which a verb says no more.
const BREAKS: &[&str] = &[
    "and", "that", "which", "who", "whose", "where", "for", "because", "so", "but", "connects",
    "talks", "forwards", "against",
];

/// A word of a sentence without quotes and punctuation.
struct SentenceWord<'s> {
    word: &'s str,
    lower: String,
    at: usize,
    /// Whether a comma or the like follows.
    is_last: bool,
}

fn tokens(sentence: &str) -> Vec<SentenceWord<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    for piece in sentence.split(|c: char| c.is_whitespace()) {
        let start = piece.trim_start_matches(['`', '"', '*', '(', '<', '\'', '[']);
        let word =
            start.trim_end_matches(['`', '"', '*', ')', '>', '\'', '.', ',', ';', ':', '!', ']']);
        let from = at + piece.len() - start.len();
        if !word.is_empty() {
            found.push(SentenceWord {
                word,
                lower: word.to_lowercase(),
                at: from,
                is_last: start[word.len()..].contains([',', ';', ')', ':']),
            });
        }
        at += piece.len() + 1;
    }
    found
}

/// The values that stand behind a verb, with nothing between them that begins another statement.
pub fn behind_verbs(sentence: &str) -> impl Iterator<Item = (FactName, Range<usize>)> {
    let tokens = tokens(sentence);
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate().take(MOST_TOKENS) {
        let before = at.checked_sub(1).map(|at| &tokens[at]);
        for form in BEHIND_VERBS {
            if !(form.is_value)(token, before, tokens.get(at + 1)) {
                continue;
            }
            let from = at.saturating_sub(MOST_BETWEEN);
            let mut back = tokens[from..at].iter().rev();
            let verb = back.find(|word| {
                word.is_last
                    || BREAKS.contains(&word.lower.as_str())
                    || form.verbs.contains(&word.lower.as_str())
            });
            let is_stated =
                verb.is_some_and(|word| !word.is_last && !BREAKS.contains(&word.lower.as_str()));
            let is_of_part = || {
                tokens
                    .iter()
                    .any(|word| form.unless.contains(&word.lower.as_str()))
            };
            // `on port 80 and 443`: a list of values.
            let is_list = tokens.get(at + 1).is_some_and(|next| next.lower == "and")
                && tokens
                    .get(at + 2)
                    .is_some_and(|next| next.word.starts_with(|c: char| c.is_ascii_digit()));
            if is_stated && !is_list && !is_of_part() {
                let skipped = token.word.len() - token.word.trim_start_matches(':').len();
                found.push((form.what, token.at + skipped..token.at + token.word.len()));
            }
        }
    }
    found.into_iter()
}

/// A longer sentence is none.
const MOST_TOKENS: usize = 200;
