//! `catalog check`: what readers and composition found wrong, as text or JSON.

use std::io::Write;

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::{Outcome, RepoArgs};
use crate::diagnostic::{FileId, Severity};
use crate::export::{FindingDoc, finding_doc};
use crate::pipeline::{self, Reading};

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
    let mut out = std::io::stdout().lock();
    match args.format {
        Format::Text => out.write_all(text(&reading).as_bytes())?,
        Format::Json => {
            let findings = reading.findings.iter();
            let report = Report {
                findings: findings
                    .map(|finding| finding_doc(&reading.repo, finding))
                    .collect(),
            };
            serde_json::to_writer_pretty(&mut out, &report)?;
            writeln!(out)?;
        }
    }
    if !args.repo.quiet {
        eprintln!("{}", summary(&reading));
    }
    let errors = reading
        .findings
        .iter()
        .any(|finding| finding.severity == Severity::Error);
    Ok(match errors {
        true => Outcome::Findings,
        false => Outcome::Clean,
    })
}

fn text(reading: &Reading) -> String {
    let mut text = String::new();
    for finding in &reading.findings {
        text += &format!(
            "{}[{}]: {}\n",
            finding.severity, finding.rule, finding.message
        );
        if finding.place.file != FileId::NONE {
            let path = reading.repo.path(finding.place.file);
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
pub fn summary(reading: &Reading) -> String {
    let count = |severity| {
        reading
            .findings
            .iter()
            .filter(|finding| finding.severity == severity)
            .count()
    };
    let units: usize = reading
        .catalog
        .clusters
        .iter()
        .map(|cluster| cluster.units.len())
        .sum();
    format!(
        "{} in {}, {}; {}, {}",
        plural(reading.catalog.components.len(), "component"),
        plural(reading.catalog.clusters.len(), "cluster"),
        plural(units, "unit"),
        plural(count(Severity::Error), "error"),
        plural(count(Severity::Warning), "warning"),
    )
}

fn plural(count: usize, word: &str) -> String {
    match count {
        1 => format!("1 {word}"),
        _ => format!("{count} {word}s"),
    }
}
