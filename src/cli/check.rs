//! `catalog check`: prints findings in the format that is asked for, and applies fixes.

mod args;
mod selection;
mod summary;

use std::path::Path;

use anyhow::{Context, anyhow, bail};

use super::Outcome;
use super::options::{GlobalArgs, Options};
use super::read::{self, explained, require_content};
use crate::checks::fix::{self, Fixes};
use crate::checks::triage::{Allowed, Baseline, Selection};
use crate::export::report::{self, Paint, Report};
use crate::input::repo::Repo;
use crate::pipeline::{self, Checked};
use crate::site::view::counted;
pub use args::{CheckArgs, Deny, EXAMPLES, FailOn, Lowest, ReportFormat, ReportOutput};
use base::{Finding, Fix, Severity};
pub use summary::summary;
use summary::{Hidden, overview, tally};
use system::output::OutputError;

/// A fix may allow another one, but not forever.
const MOST_ROUNDS: usize = 5;

pub fn run(args: &CheckArgs, global: &GlobalArgs) -> anyhow::Result<Outcome> {
    let options = &global.options(args.repo.repo.as_deref())?;
    if args.statistics
        && !matches!(
            args.format,
            ReportFormat::Text | ReportFormat::Concise | ReportFormat::Json
        )
    {
        bail!("--statistics works with --format text, concise or json");
    }
    let printed = args.output.iter().filter(|output| output.file.is_none());
    if printed.count() > 1 {
        bail!("only one --output can be printed; give the others a file: --output FORMAT=FILE");
    }
    let lowest = args.severity.map(Lowest::severity);
    let selection = Selection::new(&args.select, &args.ignore, lowest);
    let asked = Asked {
        args,
        options,
        selection: selection.map_err(|message| anyhow!(message))?,
        baseline: match &args.baseline {
            Some(path) => read_baseline(path, options)?,
            None => Baseline::default(),
        },
    };
    if args.fix && !args.diff {
        asked.fix()?;
    }
    let checked = read::check(options)?;
    let chosen = asked.chosen(&checked)?;
    if chosen.findings.is_empty() && args.format == ReportFormat::Text {
        require_content(&checked)?;
    }
    let outcome = if args.diff {
        asked.print_diff(&checked.repo, &chosen)
    } else if let Some(path) = &args.write_baseline {
        write_baseline(&checked.repo, &chosen.findings, path, options)
    } else {
        asked.print(&checked, chosen)
    }?;
    // Findings come first: they may say why there are no manifests.
    require_content(&checked)?;
    Ok(outcome)
}

/// The command line.
struct Asked<'a> {
    args: &'a CheckArgs,
    options: &'a Options,
    /// Rules and severity; paths and components are known once the repository is read.
    selection: Selection,
    baseline: Baseline,
}

/// The findings that were asked for.
struct Chosen<'a> {
    /// In the order of [`report::sort`].
    findings: Vec<&'a Finding>,
    selection: Selection,
    /// Findings that are in the baseline.
    known: usize,
    /// Entries of the baseline that no longer occur.
    gone: usize,
    /// Findings that are less severe than `--severity`.
    below: usize,
}

impl Asked<'_> {
    fn chosen<'r>(&self, checked: &'r Checked) -> anyhow::Result<Chosen<'r>> {
        let repo = &checked.repo;
        let mut selection = self.selection.clone();
        selection.paths = selection::paths(repo, &self.args.path)?;
        selection.components = selection::components(&checked.catalog, &self.args.component)?;
        let mut at_any_severity = selection.clone();
        at_any_severity.lowest = None;
        let findings: Vec<&Finding> = checked
            .findings
            .open
            .iter()
            .filter(|finding| at_any_severity.takes(repo, finding))
            .collect();
        let all = findings.len();
        let severe: Vec<&Finding> = findings
            .into_iter()
            .filter(|finding| selection.takes(repo, finding))
            .collect();
        let below = all - severe.len();
        let (mut findings, known, gone) = self.baseline.compare(repo, &selection, severe);
        report::sort(&mut findings);
        Ok(Chosen {
            findings,
            selection,
            known,
            gone,
            below,
        })
    }

    fn print(&self, checked: &Checked, chosen: Chosen<'_>) -> anyhow::Result<Outcome> {
        let takes = |finding: &Finding| chosen.selection.takes(&checked.repo, finding);
        let allowed: Vec<Allowed> = checked
            .findings
            .allowed
            .iter()
            .filter(|allowed| takes(&allowed.finding))
            .cloned()
            .collect();
        let suppressed = allowed.iter().map(|allowed| &allowed.finding);
        let fail_on = match self.args.deny {
            Some(Deny::Warnings) => Some(Severity::Warning),
            None => self.args.fail_on.lowest(),
        };
        let report = Report {
            repo: &checked.repo,
            config: &checked.config,
            fixes: Fixes::work_out(
                &checked.repo,
                chosen.findings.iter().copied().chain(suppressed),
            ),
            findings: chosen.findings,
            allowed: &allowed,
            fail_on,
            unseen: Some(checked.unseen),
        };
        self.print_report(&report)?;
        self.options.say(overview(&checked.catalog));
        let hidden = Hidden {
            allowed: allowed.len(),
            known: chosen.known,
            off: checked.findings.off.iter().filter(|one| takes(one)).count(),
            below: chosen.below,
            ignored: checked.repo.configured(),
        };
        self.options.say(tally(&report, &hidden));
        if let Some(unseen) = checked.unseen.sentence() {
            self.options.say(unseen);
        }
        if chosen.gone > 0 {
            let occur = if chosen.gone == 1 { "occurs" } else { "occur" };
            self.options.say(format!(
                "{} in the baseline no longer {occur}; update it with --write-baseline",
                counted(chosen.gone, "finding")
            ));
        }
        if report.findings.iter().any(|finding| report.fails(finding)) {
            Ok(Outcome::Findings)
        } else {
            Ok(Outcome::Clean)
        }
    }

    fn print_report(&self, report: &Report<'_>) -> anyhow::Result<()> {
        if self.args.statistics {
            let text = match self.args.format {
                ReportFormat::Json => report::statistics_json(report),
                _ => report::statistics_text(report),
            };
            return self.options.print(&text);
        }
        if self.args.output.is_empty() {
            return self.print_format(self.args.format, report);
        }
        for output in &self.args.output {
            match &output.file {
                Some(path) => {
                    let text = formatted(output.format, report, Paint::Plain);
                    self.options.write_file(path, &text)?;
                }
                None => self.print_format(output.format, report)?,
            }
        }
        Ok(())
    }

    fn print_format(&self, format: ReportFormat, report: &Report<'_>) -> anyhow::Result<()> {
        let text = formatted(format, report, self.options.paint());
        match format {
            // It has colours of its own, and makes all other control characters visible.
            ReportFormat::Text => self.options.print_as_it_is(&text),
            _ => self.options.print(&text),
        }
    }

    /// Applies the fixes that were asked for, again if some had to wait for others.
    fn fix(&self) -> anyhow::Result<()> {
        for _ in 0..MOST_ROUNDS {
            let checked = pipeline::check(&self.options.request).map_err(explained)?;
            let repo = &checked.repo;
            let chosen = self.chosen(&checked)?;
            let fixes = Fixes::work_out(repo, chosen.findings.iter().copied());
            let fixing = fix::plan(repo, &chosen.fixes(&fixes));
            if fixing.made.is_empty() {
                break;
            }
            let written = fixing.write(repo).context("not all fixes are applied")?;
            for fix in &fixing.made {
                self.options
                    .say(format!("fixed: {}", report::plain(&fix.title)));
            }
            let prefix = report::prefix(repo);
            for path in &written {
                let path = report::plain(&format!("{prefix}{path}"));
                self.options.say(format!("wrote {path}"));
            }
            if written.is_empty() {
                break;
            }
        }
        Ok(())
    }

    fn print_diff(&self, repo: &Repo, chosen: &Chosen<'_>) -> anyhow::Result<Outcome> {
        let fixes = Fixes::work_out(repo, chosen.findings.iter().copied());
        let fixing = fix::plan(repo, &chosen.fixes(&fixes));
        let patch = fixing.patch(report::prefix(repo));
        self.options.print(&patch.text)?;
        for path in &patch.hidden {
            let path = report::plain(path);
            self.options.say(format!(
                "{path}: change not shown because it contains a secret; --fix applies it"
            ));
        }
        let made = counted(fixing.made.len(), "fix");
        let left = match fixing.left.len() {
            0 => String::new(),
            many => format!(", {many} after that"),
        };
        self.options.say(format!("{made} to apply{left}"));
        if fixing.made.is_empty() {
            Ok(Outcome::Clean)
        } else {
            Ok(Outcome::Findings)
        }
    }
}

fn formatted(format: ReportFormat, report: &Report<'_>, paint: Paint) -> String {
    match format {
        ReportFormat::Text => report::text(report, paint),
        ReportFormat::Concise => report::concise(report),
        ReportFormat::Json => report::json(report),
        ReportFormat::Sarif => report::sarif(report),
        ReportFormat::Github => report::github(report),
        ReportFormat::Gitlab => report::gitlab(report),
        ReportFormat::Junit => report::junit(report),
    }
}

impl Chosen<'_> {
    /// Their fixes, in the order of the findings.
    fn fixes<'f>(&self, fixes: &'f Fixes<'_>) -> Vec<&'f Fix> {
        let findings = self.findings.iter();
        findings.filter_map(|finding| fixes.get(finding)).collect()
    }
}

/// No baseline is larger.
const MAX_BASELINE_BYTES: u64 = 256 * 1024 * 1024;

fn read_baseline(path: &Path, options: &Options) -> anyhow::Result<Baseline> {
    let cannot = || {
        format!(
            "cannot read the baseline `{}` (--write-baseline creates one)",
            path.display()
        )
    };
    let bytes = options.trees().read(path, MAX_BASELINE_BYTES);
    let bytes = bytes.map_err(|error| match error {
        OutputError::Read { error, .. } => anyhow!(error),
        other => anyhow!(other),
    });
    let text = String::from_utf8(bytes.with_context(cannot)?).with_context(cannot)?;
    Baseline::parse(&text).with_context(cannot)
}

fn write_baseline(
    repo: &Repo,
    findings: &[&Finding],
    path: &Path,
    options: &Options,
) -> anyhow::Result<Outcome> {
    let baseline = Baseline::from_findings(repo, findings.iter().copied());
    let text = baseline.to_text();
    options.write_file(path, &text)?;
    options.say(format!(
        "{} in `{path}`; `catalog check --baseline {path}` reports only new ones",
        counted(findings.len(), "finding"),
        path = report::plain(&path.to_string_lossy())
    ));
    Ok(Outcome::Clean)
}
