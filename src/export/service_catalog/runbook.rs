//! Alerts and runbooks in the document.

use schemars::JsonSchema;
use serde::Serialize;

use crate::catalog::Component;
use crate::input::repo::Repo;
use crate::knowledge::runbook::Own;

#[derive(Debug, Serialize, JsonSchema)]
pub struct RunbookDoc<'a> {
    pub title: &'a str,
    /// Null if it was generated from the manifests.
    pub file: Option<&'a str>,
    pub line: Option<u32>,
    /// Whether it was generated from the manifests.
    pub generated: bool,
}

/// An alerting rule.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AlertDoc<'a> {
    pub name: &'a str,
    pub severity: Option<&'a str>,
    pub summary: Option<&'a str>,
    pub expression: &'a str,
    /// How long the condition must hold before the alert fires, as written.
    pub r#for: Option<&'a str>,
    /// The file or URL of the runbook.
    pub runbook: Option<&'a str>,
    pub file: &'a str,
    pub line: u32,
}

pub fn alerts<'a>(repo: &'a Repo, component: &'a Component, own: &'a Own) -> Vec<AlertDoc<'a>> {
    let alerts = component.alerts.iter().enumerate();
    let alerts = alerts.map(|(at, alert)| AlertDoc {
        name: alert.name.as_str(),
        severity: alert.severity.as_deref(),
        summary: alert.summary.as_deref(),
        expression: alert.expression.as_str(),
        r#for: alert.lasting.as_deref(),
        runbook: own.answers.get(at).and_then(Option::as_deref),
        file: repo.path(alert.place.file).as_str(),
        line: alert.place.line,
    });
    alerts.collect()
}

pub fn runbooks<'a>(repo: &'a Repo, own: &'a Own) -> Vec<RunbookDoc<'a>> {
    let runbooks = own.runbooks.iter().map(|runbook| RunbookDoc {
        title: runbook.title.as_str(),
        file: runbook.written.map(|(file, _)| repo.path(file).as_str()),
        line: runbook.written.map(|(_, line)| line),
        generated: runbook.written.is_none(),
    });
    runbooks.collect()
}
