//! `catalog check`: what readers and composition found wrong, as text or JSON.

use std::io::Write;

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::{Outcome, RepoArgs};
use crate::book::Book;
use crate::diagnostic::{FileId, Severity};
use crate::export::{FindingDoc, finding_doc};
use crate::pipeline;
use crate::view::counted;

#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    pub repo: RepoArgs,

    /// How to print the findings
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// `{ "findings": [ … ] }`
    Json,
}

#[derive(Serialize)]
struct Report<'a> {
    findings: Vec<FindingDoc<'a>>,
}

pub fn run(args: &CheckArgs) -> anyhow::Result<Outcome> {
    let reading = pipeline::read(&args.repo.request())?;
    let book = reading.book();
    let mut out = std::io::stdout().lock();
    match args.format {
        Format::Text => out.write_all(text(&book).as_bytes())?,
        Format::Json => {
            let findings = book.findings.iter();
            let report = Report {
                findings: findings
                    .map(|finding| finding_doc(book.repo, finding))
                    .collect(),
            };
            serde_json::to_writer_pretty(&mut out, &report)?;
            writeln!(out)?;
        }
    }
    if !args.repo.quiet {
        eprintln!("{}", summary(&book));
    }
    let errors = book
        .findings
        .iter()
        .any(|finding| finding.severity == Severity::Error);
    Ok(match errors {
        true => Outcome::Findings,
        false => Outcome::Clean,
    })
}

fn text(book: &Book<'_>) -> String {
    let mut text = String::new();
    for finding in &book.findings {
        text += &format!(
            "{}[{}]: {}\n",
            finding.severity, finding.rule, finding.message
        );
        if finding.place.file != FileId::NONE {
            let path = book.repo.path(finding.place.file);
            text += &format!(
                "  --> {path}:{}:{}\n",
                finding.place.line, finding.place.column
            );
        }
        if let Some(help) = &finding.help {
            text += &format!("  = help: {help}\n");
        }
        text.push('\n');
    }
    text
}

/// What was read and found, in a line.
pub fn summary(book: &Book<'_>) -> String {
    let count = |severity| {
        book.findings
            .iter()
            .filter(|finding| finding.severity == severity)
            .count()
    };
    let units: usize = book
        .catalog
        .clusters
        .iter()
        .map(|cluster| cluster.units.len())
        .sum();
    format!(
        "{} in {}, {}; {}, {}",
        counted(book.catalog.components.len(), "component"),
        counted(book.catalog.clusters.len(), "cluster"),
        counted(units, "unit"),
        counted(count(Severity::Error), "error"),
        counted(count(Severity::Warning), "warning"),
    )
}
