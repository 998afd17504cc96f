//! Findings of checks and readers in the document and in `check --format json`.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;

use crate::checks;
use crate::checks::fix::{self, Fixes};
use crate::input::repo::Repo;
use base::{FileId, Finding, Place, Severity};

/// A problem that a check or a reader reports.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FindingDoc<'a> {
    pub rule: &'a str,
    pub severity: SeverityDoc,
    pub message: &'a str,
    /// Null if it concerns no single file.
    pub file: Option<Cow<'a, str>>,
    pub line: Option<u32>,
    pub column: Option<u32>,
    /// Null if it concerns no component, or several.
    pub component: Option<&'a str>,
    /// The ids of the components it concerns. Omitted unless there are several.
    #[serde(default, skip_serializing_if = "<[String]>::is_empty")]
    pub components: &'a [String],
    pub help: Option<&'a str>,
    /// The page of the site that explains the rule, relative to the root of the site.
    pub url: String,
    /// Related places.
    pub notes: Vec<NoteDoc<'a>>,
    /// The fix, if there is a safe one.
    pub fix: Option<FixDoc<'a>>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct NoteDoc<'a> {
    pub message: &'a str,
    /// Null if it is in no single file.
    pub file: Option<Cow<'a, str>>,
    pub line: Option<u32>,
    pub column: Option<u32>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct FixDoc<'a> {
    /// The title of the fix, in the imperative.
    pub title: &'a str,
    /// The change as a unified diff. Null if it cannot be applied or would show a secret.
    pub patch: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SeverityDoc {
    Error,
    Warning,
    Info,
}

/// A finding with paths below `prefix`, which is empty or ends with `/`.
pub fn finding_doc<'a>(
    repo: &'a Repo,
    finding: &'a Finding,
    fixes: &'a Fixes<'_>,
    prefix: &str,
) -> FindingDoc<'a> {
    let somewhere = finding.place.file != FileId::NONE;
    FindingDoc {
        rule: finding.rule,
        severity: match finding.severity {
            Severity::Error => SeverityDoc::Error,
            Severity::Warning => SeverityDoc::Warning,
            Severity::Info => SeverityDoc::Info,
        },
        message: finding.message.as_str(),
        file: path(repo, finding.place.file, prefix),
        line: somewhere.then_some(finding.place.line),
        column: somewhere.then_some(finding.place.column),
        component: finding.component.as_deref(),
        components: finding.several(),
        help: finding.help.as_deref(),
        url: checks::page(finding.rule),
        notes: finding
            .notes()
            .iter()
            .map(|(place, message)| note_doc(repo, *place, message, prefix))
            .collect(),
        fix: fixes.get(finding).map(|fix| FixDoc {
            title: &fix.title,
            patch: fix::patch(repo, &[fix], prefix)
                .ok()
                .filter(|patch| patch.hidden.is_empty())
                .map(|patch| patch.text),
        }),
    }
}

fn note_doc<'a>(repo: &'a Repo, place: Place, message: &'a str, prefix: &str) -> NoteDoc<'a> {
    let somewhere = place.file != FileId::NONE;
    NoteDoc {
        message,
        file: path(repo, place.file, prefix),
        line: somewhere.then_some(place.line),
        column: somewhere.then_some(place.column),
    }
}

/// None for [`FileId::NONE`].
fn path<'a>(repo: &'a Repo, file: FileId, prefix: &str) -> Option<Cow<'a, str>> {
    let path = (file != FileId::NONE).then(|| repo.path(file).as_str())?;
    Some(if prefix.is_empty() {
        Cow::Borrowed(path)
    } else {
        Cow::Owned(format!("{prefix}{path}"))
    })
}
