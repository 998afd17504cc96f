//! Facts that sentences state about the component of their page: `It runs in the namespace shop`, `three replicas`,
//! `available at https://shop.example.com`. A sentence about the past, another component or a possibility states none.

use std::ops::Range;

use markdown::Text;

mod verb;

use verb::behind_verbs;

/// A fact that a sentence states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentenceFact<'t> {
    pub what: FactName,
    pub value: &'t str,
    /// The byte of the text where the value begins.
    pub at: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactName {
    Namespace,
    Port,
    Version,
    ChartVersion,
    Image,
    Address,
    Replicas,
    MemoryLimit,
    MemoryRequest,
    CpuLimit,
    CpuRequest,
    Storage,
    DependsOn,
}

/// Words that make a sentence say something else than what is.
const OTHERWISE: &[&str] = &[
    "not",
    "no",
    "never",
    "used",
    "previously",
    "formerly",
    "was",
    "were",
    "old",
    "older",
    "legacy",
    "if",
    "when",
    "unless",
    "until",
    "before",
    "could",
    "would",
    "should",
    "might",
    "may",
    "can",
    "e.g",
    "example",
    "instead",
    "than",
    "or",
    "future",
    "planned",
    "will",
    "upgrade",
    "upgraded",
    "upgrading",
    "migrate",
    "migrated",
    "moved",
    "least",
    "most",
    "minimum",
    "maximum",
    "default",
    "defaults",
    "locally",
    "local",
    "client",
    "clients",
    "since",
    "introduced",
    "supports",
    "todo",
    "deprecated",
    "removed",
];

/// More facts say that the text is a list of something.
const MOST: usize = 50;

/// The facts of a text. `names` are what the component is called.
pub fn facts<'t>(text: &'t Text, names: &[&str]) -> Vec<SentenceFact<'t>> {
    let mut found = Vec::new();
    for range in sentences(&text.plain) {
        let sentence = &text.plain[range.clone()];
        if found.len() > MOST || is_otherwise(sentence) || !is_about(sentence, names) {
            continue;
        }
        for (what, before, after) in FORMS {
            found.extend(
                value(sentence, before, after, *what).map(|inside| SentenceFact {
                    what: *what,
                    value: &sentence[inside.clone()],
                    at: range.start + inside.start,
                }),
            );
        }
        found.extend(behind_verbs(sentence).map(|(what, inside)| SentenceFact {
            what,
            value: &sentence[inside.clone()],
            at: range.start + inside.start,
        }));
    }
    found
}

/// What comes before a value, and what must come after it.
const FORMS: &[(FactName, &str, &str)] = &[
    (FactName::ChartVersion, "chart version ", ""),
    (FactName::ChartVersion, "version ", " of the chart"),
    (FactName::Version, "runs version ", ""),
    (FactName::Version, "running version ", ""),
    (FactName::Version, "currently at version ", ""),
    (FactName::Version, "current version is ", ""),
    (FactName::Version, "deployed version is ", ""),
    (FactName::Version, "pinned to version ", ""),
    (FactName::Version, "pinned to ", ""),
    (FactName::Image, "uses the image ", ""),
    (FactName::Image, "runs the image ", ""),
    (FactName::Image, "from the image ", ""),
    (FactName::Image, "image is ", ""),
    (FactName::Image, "container image ", ""),
    (FactName::Replicas, "runs ", " replicas"),
    (FactName::Replicas, "run ", " replicas"),
    (FactName::Replicas, "runs with ", " replicas"),
    (FactName::Replicas, "has ", " replicas"),
    (FactName::Replicas, "uses ", " replicas"),
    (FactName::Replicas, "scaled to ", " replicas"),
    (FactName::Replicas, "are ", " replicas"),
    (FactName::MemoryLimit, "memory limit of ", ""),
    (FactName::MemoryLimit, "memory limit is ", ""),
    (FactName::MemoryLimit, "memory is limited to ", ""),
    (FactName::MemoryLimit, "limited to ", " of memory"),
    (FactName::MemoryRequest, "memory request of ", ""),
    (FactName::MemoryRequest, "memory request is ", ""),
    (FactName::MemoryRequest, "requests ", " of memory"),
    (FactName::CpuLimit, "cpu limit of ", ""),
    (FactName::CpuLimit, "cpu limit is ", ""),
    (FactName::CpuRequest, "cpu request of ", ""),
    (FactName::CpuRequest, "cpu request is ", ""),
    (FactName::Storage, "has a ", " volume"),
    (FactName::Storage, "uses a ", " volume"),
    (FactName::Storage, "on a ", " volume"),
    (FactName::Storage, "volume of ", ""),
    (FactName::DependsOn, "needs ", ""),
    (FactName::DependsOn, "requires ", ""),
    (FactName::DependsOn, "depends on ", ""),
    (FactName::DependsOn, "relies on ", ""),
];

/// The word between what comes before and after it.
fn value(sentence: &str, before: &str, after: &str, what: FactName) -> Option<Range<usize>> {
    let lower = sentence.to_ascii_lowercase();
    let start = lower.find(before)? + before.len();
    let is_word = lower[..start - before.len()]
        .chars()
        .next_back()
        .is_none_or(|c| !c.is_alphanumeric());
    let rest = &sentence[start..];
    let length = rest
        .find(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | ')' | '('))
        .unwrap_or(rest.len());
    let word = rest[..length].trim_end_matches(['.', ':', '!', '`', '"']);
    let word = word.strip_prefix(['`', '"']).unwrap_or(word);
    let from = start + usize::from(rest.starts_with(['`', '"']));
    let follows = lower[start + length..].starts_with(after);
    // `listens on port 80 and 443`: a list of values.
    let is_list = sentence[start + length..]
        .trim_start_matches(['`', '"'])
        .starts_with(" and ")
        && what != FactName::DependsOn;
    (is_word && follows && !is_list && !word.is_empty()).then(|| from..from + word.len())
}

fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        let is_end = match byte {
            b'.' | b'!' | b'?' | b';' => bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace),
            b'\n' => at + 1 < bytes.len() && bytes[at + 1] == b'\n',
            _ => false,
        };
        if is_end {
            found.push(start..at + 1);
            start = at + 1;
        }
    }
    if start < text.len() {
        found.push(start..text.len());
    }
    found
}

fn is_otherwise(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric() && c != '.' && c != '\'');
    let is_question = lower.trim_end().ends_with('?');
    is_question
        || lower.contains("n't")
        || words.any(|word| OTHERWISE.contains(&word.trim_matches('.')))
}

/// Whether a sentence is about the component: it begins with a word for it, with its name, or with the verb.
fn is_about(sentence: &str, names: &[&str]) -> bool {
    let lower = sentence.trim_start().to_lowercase();
    let begins = [
        "it ",
        "runs ",
        "deployed ",
        "listens ",
        "exposes ",
        "exposed ",
        "available ",
        "reachable ",
        "served ",
        "uses ",
        "depends ",
        "relies ",
        "this ",
        "the app",
        "the service ",
        "the server ",
        "the deployment ",
        "the container ",
        "the pod",
        "there are ",
        "installed ",
        "lives ",
        "accessible ",
        "pinned ",
        "currently ",
        "the image ",
        "the web interface ",
        "the api ",
        "the application ",
        "the process ",
        "the http server ",
        "the web server ",
        "the website ",
        "the current version ",
        "the deployed version ",
        "the namespace ",
        "needs ",
        "requires ",
        "you reach ",
        "you find ",
        "users reach ",
        "people reach ",
        "reach it ",
        "visit ",
        "browse to ",
        "the ui ",
        "the dashboard ",
        "open ",
        "its ",
        "we run ",
        "the chart ",
    ];
    let bare = lower.trim_start_matches(['`', '*', '-', ' ']);
    let rest = bare.strip_prefix("the ").unwrap_or(bare);
    begins.iter().any(|begin| bare.starts_with(begin))
        || names.iter().any(|name| {
            let name = name.to_lowercase();
            let after = rest.strip_prefix(name.as_str());
            after.is_some_and(|after| {
                after
                    .trim_start_matches(['`', '*'])
                    .starts_with(|c: char| c.is_whitespace() || c == '\'')
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Vec<(FactName, String)> {
        let text = Text {
            plain: text.to_owned(),
            ..Text::default()
        };
        let facts = facts(&text, &["Web", "shop-web"]);
        facts
            .into_iter()
            .map(|fact| (fact.what, fact.value.to_owned()))
            .collect()
    }

    #[test]
    fn a_sentence_states_a_fact_about_the_component_of_its_page() {
        for (text, what, value) in [
            (
                "It runs in namespace `analytics`.",
                FactName::Namespace,
                "analytics",
            ),
            (
                "Web is deployed to the analytics namespace.",
                FactName::Namespace,
                "analytics",
            ),
            ("The service listens on port 9090.", FactName::Port, "9090"),
            ("It runs three replicas.", FactName::Replicas, "three"),
            (
                "The UI is available at https://a.example.com.",
                FactName::Address,
                "https://a.example.com",
            ),
            (
                "It has a memory limit of 512Mi.",
                FactName::MemoryLimit,
                "512Mi",
            ),
            ("Web depends on Redis.", FactName::DependsOn, "Redis"),
            ("It uses the image web:1.2.3.", FactName::Image, "web:1.2.3"),
            (
                "It runs as a StatefulSet in the `finance` namespace.",
                FactName::Namespace,
                "finance",
            ),
            ("The API listens on port 3000.", FactName::Port, "3000"),
            ("It listens on :3000.", FactName::Port, "3000"),
            (
                "The service is exposed to the gateway on port 9443.",
                FactName::Port,
                "9443",
            ),
            (
                "You reach it at <https://b.example.com/login>.",
                FactName::Address,
                "https://b.example.com/login",
            ),
            (
                "It is deployed from `ghcr.io/acme/web:2.0.1`.",
                FactName::Image,
                "ghcr.io/acme/web:2.0.1",
            ),
            ("The current version is 7.1.0.", FactName::Version, "7.1.0"),
            ("It has a CPU limit of 500m.", FactName::CpuLimit, "500m"),
            ("It has a 20Gi volume.", FactName::Storage, "20Gi"),
            ("It needs Redis to start.", FactName::DependsOn, "Redis"),
        ] {
            assert!(
                said(text).contains(&(what, value.to_owned())),
                "{text}: {:?}",
                said(text)
            );
        }
    }

    #[test]
    fn what_was_may_be_or_is_of_another_states_nothing() {
        for text in [
            "It used to listen on port 9090.",
            "It does not listen on port 9090.",
            "If it listens on port 9090, restart it.",
            "Grafana runs in the namespace monitoring.",
            "It listens on port 80 and 443.",
            "Clients connect to the database, which listens on port 5432.",
            "It exposes metrics on port 9090.",
            "It runs jobs for teams in the billing namespace.",
            "It is available to Grafana, which is at https://g.example.com.",
            "It connects to the database on port 5432.",
            "It runs in the same namespace.",
        ] {
            assert_eq!(said(text), [], "{text}");
        }
    }
}
