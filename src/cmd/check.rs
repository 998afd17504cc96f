//! `catalog check`: what is wrong, in the form that is asked for; and what can be fixed, fixed.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, anyhow};
use clap::{Args, ValueEnum};

use super::{ColorArgs, Outcome, RepoArgs, print, progress};
use crate::book::Book;
use crate::diagnostic::{Finding, Fix, Severity};
use crate::mend;
use crate::pipeline;
use crate::report::{self, Paint, Report};
use crate::starter;
use crate::triage::{Baseline, Selection};
use crate::view::counted;

pub const EXAMPLES: &str = "\
Examples:
  catalog check                                    What is wrong here
  catalog check ../fleet --select 'dependency-*'   One kind of finding
  catalog check --component traefik                What concerns one component
  catalog check --diff | less                      What can be fixed by itself
  catalog check --fix                              Fix it
  catalog check --output sarif=out.sarif --output github
                                                   Several formats at once
  catalog check --write-baseline known.json        Accept what there is today,
  catalog check --baseline known.json              and fail on what is new

A finding that shall stay is accepted beside its line, with a reason:
  # catalog: allow remote-base, because it is reviewed with every release

`[check]` in catalog.toml selects, ignores and weighs rules for everybody.
`catalog explain RULE` says what a rule means.";

#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    pub repo: RepoArgs,

    /// How to print the findings
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// Write the findings in this format to FILE, or print them
    ///
    /// May be repeated to get several formats from one run, for example `--output sarif=catalog.sarif --output github`.
    /// Only one of them may go without a file.
    #[arg(
        long,
        value_name = "FORMAT[=FILE]",
        conflicts_with_all = ["format", "diff", "write_baseline"]
    )]
    pub output: Vec<Output>,

    #[command(flatten)]
    pub color: ColorArgs,

    /// Only these rules: names, or beginnings such as `dependency-*`
    #[arg(long, value_name = "RULE", help_heading = "Which findings")]
    pub select: Vec<String>,

    /// Not these rules
    #[arg(long, value_name = "RULE", help_heading = "Which findings")]
    pub ignore: Vec<String>,

    /// Only findings in these files: globs such as `apps/` or `clusters/*/apps.yaml`
    #[arg(long, value_name = "GLOB", help_heading = "Which findings")]
    pub path: Vec<String>,

    /// Only findings about these components, by id
    #[arg(long, value_name = "ID", help_heading = "Which findings")]
    pub component: Vec<String>,

    /// Leave out the findings that this file lists
    #[arg(long, value_name = "FILE", help_heading = "Which findings")]
    pub baseline: Option<PathBuf>,

    /// Write the findings to this file, for `--baseline`
    #[arg(
        long,
        value_name = "FILE",
        help_heading = "Which findings",
        conflicts_with_all = ["baseline", "fix", "diff"]
    )]
    pub write_baseline: Option<PathBuf>,

    /// The least that makes it end with 1
    #[arg(
        long,
        value_enum,
        value_name = "SEVERITY",
        default_value_t = FailOn::Error,
        help_heading = "Which findings"
    )]
    pub fail_on: FailOn,

    /// The same as `--fail-on warning`
    #[arg(
        long,
        value_name = "WHAT",
        conflicts_with = "fail_on",
        help_heading = "Which findings"
    )]
    pub deny: Option<Deny>,

    /// Change the files as the findings suggest, where that is certain; then print what is left
    #[arg(long, help_heading = "Fixes")]
    pub fix: bool,

    /// Print what `--fix` would change, as a patch for `git apply`
    #[arg(long, visible_alias = "dry-run", help_heading = "Fixes")]
    pub diff: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people, with source lines
    Text,
    /// `{ "findings": [ … ] }`, as in service-catalog.json
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of a GitHub workflow
    Github,
    /// Code Quality report of GitLab
    Gitlab,
    /// Results of tests
    Junit,
}

/// A format, and the file that it goes to; stdout without one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    pub format: Format,
    pub file: Option<PathBuf>,
}

impl FromStr for Output {
    type Err = String;

    fn from_str(text: &str) -> Result<Output, String> {
        let (name, file) = match text.split_once('=') {
            Some((_, "")) => return Err("the file after `=` is missing".to_owned()),
            Some((name, file)) => (name, Some(PathBuf::from(file))),
            None => (text, None),
        };
        let format = Format::from_str(name, false).map_err(|_| {
            let formats = Format::value_variants().iter();
            let names = formats.filter_map(ValueEnum::to_possible_value);
            let names: Vec<String> = names.map(|name| name.get_name().to_owned()).collect();
            format!(
                "there is no format `{name}`; choose one of {}",
                names.join(", ")
            )
        })?;
        Ok(Output { format, file })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// What certainly fails
    Error,
    /// What probably fails, too
    Warning,
    /// Any finding
    Info,
    /// Nothing does
    Never,
}

impl FailOn {
    /// The least grave finding that fails; none where nothing does.
    pub fn least(self) -> Option<Severity> {
        match self {
            FailOn::Error => Some(Severity::Error),
            FailOn::Warning => Some(Severity::Warning),
            FailOn::Info => Some(Severity::Info),
            FailOn::Never => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Deny {
    Warnings,
}

/// A fix may bring to light what another can mend, but not for ever.
const MOST_ROUNDS: usize = 5;

pub fn run(args: &CheckArgs) -> anyhow::Result<Outcome> {
    if args
        .output
        .iter()
        .filter(|output| output.file.is_none())
        .count()
        > 1
    {
        return Err(anyhow!(
            "only one --output can be printed; give the others a file: --output FORMAT=FILE"
        ));
    }
    let selection = Selection::new(&args.select, &args.ignore, &args.path, &args.component);
    let asked = Asked {
        args,
        selection: selection.map_err(|message| anyhow!(message))?,
        baseline: match &args.baseline {
            Some(path) => read_baseline(path, args)?,
            None => Baseline::default(),
        },
    };
    if args.fix && !args.diff {
        asked.fix()?;
    }
    let waiting = progress::show(&args.repo);
    let reading = pipeline::read(&args.repo.request())?;
    let book = reading.book();
    let chosen = asked.chosen(&book);
    drop(waiting);
    if args.diff {
        return asked.print_diff(&book, &chosen);
    }
    if let Some(path) = &args.write_baseline {
        return write_baseline(&book, &chosen.findings, path, args);
    }
    asked.print(&book, chosen)
}

/// What the command line asks for.
struct Asked<'a> {
    args: &'a CheckArgs,
    selection: Selection,
    baseline: Baseline,
}

/// The findings that were asked for, and what of them was known before.
struct Chosen<'a> {
    findings: Vec<&'a Finding>,
    known: usize,
    /// Entries of the baseline that no longer occur.
    gone: usize,
}

impl Asked<'_> {
    fn chosen<'b>(&self, book: &'b Book<'_>) -> Chosen<'b> {
        let findings = book.findings.iter();
        let findings = findings.filter(|finding| self.selection.takes(book.repo, finding));
        let (mut findings, known, gone) =
            self.baseline
                .compare(book.repo, &self.selection, findings.collect());
        report::sort(&mut findings);
        Chosen {
            findings,
            known,
            gone,
        }
    }

    fn print(&self, book: &Book<'_>, chosen: Chosen<'_>) -> anyhow::Result<Outcome> {
        let Chosen {
            findings,
            known,
            gone,
        } = chosen;
        let taken =
            |allowed: &&crate::triage::Allowed| self.selection.takes(book.repo, &allowed.finding);
        let allowed: Vec<_> = book.allowed.iter().filter(taken).cloned().collect();
        let fail_on = match self.args.deny {
            Some(Deny::Warnings) => Some(Severity::Warning),
            None => self.args.fail_on.least(),
        };
        let report = Report {
            repo: book.repo,
            config: book.config,
            findings,
            allowed: &allowed,
            fail_on,
        };
        self.write_formats(&report)?;
        if !self.args.repo.quiet {
            crate::print_stderr!("{}", overview(book));
            let off = book.off.iter();
            let off = off.filter(|finding| self.selection.takes(book.repo, finding));
            let hidden = Hidden {
                allowed: allowed.len(),
                known,
                off: off.count(),
                ignored: book.repo.configured(),
            };
            crate::print_stderr!("{}", tally(&report.findings, &hidden));
            if gone > 0 {
                let entries = counted(gone, "finding");
                crate::print_stderr!(
                    "{entries} of the baseline no longer occur; write it again with --write-baseline"
                );
            }
        }
        Ok(
            match report.findings.iter().any(|finding| report.fails(finding)) {
                true => Outcome::Findings,
                false => Outcome::Clean,
            },
        )
    }

    /// Prints the findings, or writes them to the files that `--output` names.
    fn write_formats(&self, report: &Report<'_>) -> anyhow::Result<()> {
        let printed = Output {
            format: self.args.format,
            file: None,
        };
        let outputs = if self.args.output.is_empty() {
            std::slice::from_ref(&printed)
        } else {
            &self.args.output
        };
        for output in outputs {
            match &output.file {
                Some(path) => {
                    let text = formatted(output.format, report, Paint::Plain);
                    let trees = self.args.repo.trees()?;
                    trees.write(path, |to| to.write_all(text.as_bytes()))?;
                }
                None => self.print_format(output.format, report)?,
            }
        }
        Ok(())
    }

    fn print_format(&self, format: Format, report: &Report<'_>) -> anyhow::Result<()> {
        let stdout = std::io::stdout();
        let paint = if self.args.color.on(&stdout) {
            Paint::Colour
        } else {
            Paint::Plain
        };
        let text = formatted(format, report, paint);
        match format {
            // It has colours of its own, and spells out all else.
            Format::Text => stdout.lock().write_all(text.as_bytes())?,
            _ => print(&text)?,
        }
        Ok(())
    }

    /// Makes the fixes that were asked for, again where some had to wait for others.
    fn fix(&self) -> anyhow::Result<()> {
        for _ in 0..MOST_ROUNDS {
            let reading = pipeline::read(&self.args.repo.request())?;
            let book = reading.book();
            let chosen = self.chosen(&book);
            let mending = mend::mend(book.repo, &fixes(&chosen));
            if mending.made.is_empty() {
                break;
            }
            let written = mending.write(book.repo).context("not all fixes are made")?;
            if !self.args.repo.quiet {
                for fix in &mending.made {
                    crate::print_stderr!("fixed: {}", report::plain(&fix.title));
                }
                for path in &written {
                    crate::print_stderr!("wrote {}", report::plain(path));
                }
            }
            if written.is_empty() {
                break;
            }
        }
        Ok(())
    }

    fn print_diff(&self, book: &Book<'_>, chosen: &Chosen<'_>) -> anyhow::Result<Outcome> {
        let mending = mend::mend(book.repo, &fixes(chosen));
        let patch = mending.patch(report::prefix(book.repo));
        print(&patch.text)?;
        if !self.args.repo.quiet {
            for path in &patch.hidden {
                let path = report::plain(path);
                crate::print_stderr!(
                    "{path}: its change is not shown, as a secret stands there; --fix makes it"
                );
            }
            let made = counted(mending.made.len(), "fix");
            crate::print_stderr!(
                "{made} would be made, {} left for a second round",
                mending.left.len()
            );
        }
        Ok(match mending.made.is_empty() {
            true => Outcome::Clean,
            false => Outcome::Findings,
        })
    }
}

fn formatted(format: Format, report: &Report<'_>, paint: Paint) -> String {
    match format {
        Format::Text => report::text(report, paint),
        Format::Json => report::json(report),
        Format::Sarif => report::sarif(report),
        Format::Github => report::github(report),
        Format::Gitlab => report::gitlab(report),
        Format::Junit => report::junit(report),
    }
}

fn fixes<'b>(chosen: &Chosen<'b>) -> Vec<&'b Fix> {
    let findings = chosen.findings.iter();
    findings.filter_map(|finding| finding.remedy()).collect()
}

/// No baseline is larger.
const MAX_BASELINE_BYTES: u64 = 256 * 1024 * 1024;

fn read_baseline(path: &Path, args: &CheckArgs) -> anyhow::Result<Baseline> {
    let cannot = || format!("cannot read the baseline `{}`", path.display());
    let bytes = args.repo.trees()?.read(path, MAX_BASELINE_BYTES);
    let text = String::from_utf8(bytes.with_context(cannot)?).with_context(cannot)?;
    Baseline::parse(&text).with_context(cannot)
}

fn write_baseline(
    book: &Book<'_>,
    findings: &[&Finding],
    path: &Path,
    args: &CheckArgs,
) -> anyhow::Result<Outcome> {
    let baseline = Baseline::of(book.repo, findings.iter().copied());
    let text = baseline.to_text();
    let trees = args.repo.trees()?;
    trees.write(path, |to| to.write_all(text.as_bytes()))?;
    if !args.repo.quiet {
        let findings = counted(findings.len(), "finding");
        crate::print_stderr!(
            "{findings} in `{}`; `catalog check --baseline` leaves them out",
            report::plain(&path.to_string_lossy())
        );
    }
    Ok(Outcome::Clean)
}

/// What was read, in a line; why nothing was, where that is so.
fn overview(book: &Book<'_>) -> String {
    if let Some(nothing) = starter::nothing(book.catalog) {
        return nothing;
    }
    let units = book
        .catalog
        .clusters
        .iter()
        .map(|cluster| cluster.units.len());
    format!(
        "{} in {}, {}",
        counted(book.catalog.components.len(), "component"),
        counted(book.catalog.clusters.len(), "cluster"),
        counted(units.sum(), "unit"),
    )
}

/// What was found, in a line.
/// What somebody chose not to see, counted: nobody should take silence for a clean repository.
struct Hidden {
    allowed: usize,
    known: usize,
    off: usize,
    /// Files and directories rather than findings.
    ignored: usize,
}

fn tally(findings: &[&Finding], hidden: &Hidden) -> String {
    let count = |severity| {
        findings
            .iter()
            .filter(|one| one.severity == severity)
            .count()
    };
    let mut parts = vec![
        counted(count(Severity::Error), "error"),
        counted(count(Severity::Warning), "warning"),
        counted(count(Severity::Info), "info"),
    ];
    let fixable = findings.iter().filter(|one| one.remedy().is_some()).count();
    if fixable > 0 {
        parts.push(format!("{fixable} can be fixed with --fix"));
    }
    let hidden = [
        (hidden.allowed, "allowed"),
        (hidden.known, "in the baseline"),
        (hidden.off, "switched off in catalog.toml"),
        (
            hidden.ignored,
            "not read because of `ignore` in catalog.toml",
        ),
    ];
    let hidden = hidden.iter().filter(|(count, _)| *count > 0);
    parts.extend(hidden.map(|(count, what)| format!("{count} {what}")));
    parts.join(", ")
}

/// What was read and found, in a line.
pub fn summary(book: &Book<'_>) -> String {
    let count = |severity| {
        let findings = book.findings.iter();
        findings.filter(|one| one.severity == severity).count()
    };
    format!(
        "{}; {}, {}",
        overview(book),
        counted(count(Severity::Error), "error"),
        counted(count(Severity::Warning), "warning"),
    )
}
