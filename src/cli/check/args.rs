//! The options of `catalog check`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};

use crate::cli::options::RepoArgs;
use base::Severity;

pub const EXAMPLES: &str = "\
Examples:
  catalog check
  catalog check --statistics                     Count findings by rule
  catalog check --severity error                 Errors only
  catalog check --component traefik              One component
  catalog check --path apps/                     One directory
  catalog check --select 'dependency-*'          Some rules
  catalog check --format concise                 One line per finding
  catalog check --format sarif -o check.sarif    For code scanning
  catalog check --output sarif=check.sarif --output github
                                                 Several formats at once
  catalog check --diff                           Preview fixes as a patch
  catalog check --fix                            Apply fixes
  catalog check --write-baseline known.json      Record today's findings,
  catalog check --baseline known.json            then report only new ones

Suppress a finding with a comment on its line or the line above, with a reason:
  # catalog: allow remote-base, because it is reviewed with every release

Set severities and suppress findings for everyone under [check] in
catalog.toml. `catalog explain RULE` explains a rule.";

const WHICH: &str = "Which findings";
const FIXES: &str = "Fixes";

#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    pub repo: RepoArgs,

    /// Output format
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,

    /// Write the findings in this format to FILE, or print them
    ///
    /// Repeat it to get several formats from one run, for example `--output sarif=catalog.sarif --output github`. Only one of
    /// them can be printed.
    #[arg(
        long,
        value_name = "FORMAT[=FILE]",
        conflicts_with_all = ["format", "statistics", "diff", "write_baseline"]
    )]
    pub output: Vec<ReportOutput>,

    /// Print the number of findings per rule instead of the findings
    ///
    /// Works with the formats text, concise and json.
    #[arg(long, conflicts_with_all = ["diff", "write_baseline"])]
    pub statistics: bool,

    /// Report only these rules
    ///
    /// Takes rule names, or prefixes such as `dependency-*`. Repeat it, or separate names with commas.
    #[arg(long, value_name = "RULE", help_heading = WHICH)]
    pub select: Vec<String>,

    /// Do not report these rules
    #[arg(long, value_name = "RULE", help_heading = WHICH)]
    pub ignore: Vec<String>,

    /// Report only findings of at least this severity
    ///
    /// Less severe findings are not printed, and do not count for the exit code.
    #[arg(long, value_enum, value_name = "SEVERITY", help_heading = WHICH)]
    pub severity: Option<Lowest>,

    /// Report only findings in these files
    ///
    /// Takes paths and globs from the root of the repository, such as `apps/` or `clusters/*/apps.yaml`.
    #[arg(long, value_name = "GLOB", help_heading = WHICH)]
    pub path: Vec<String>,

    /// Report only findings about these components
    ///
    /// Takes the id or title of a component, the name of a Kustomization, HelmRelease or Application, or a glob over ids.
    #[arg(long, value_name = "COMPONENT", help_heading = WHICH)]
    pub component: Vec<String>,

    /// Report only findings that are not in this file
    ///
    /// Findings are matched by rule, file and message, not by line.
    #[arg(long, value_name = "FILE", help_heading = WHICH)]
    pub baseline: Option<PathBuf>,

    /// Write the findings to this file, for `--baseline`
    #[arg(
        long,
        value_name = "FILE",
        help_heading = WHICH,
        conflicts_with_all = ["baseline", "fix", "diff"]
    )]
    pub write_baseline: Option<PathBuf>,

    /// Lowest severity that makes the command exit 1
    #[arg(
        long,
        value_enum,
        value_name = "SEVERITY",
        default_value_t = FailOn::Error,
        help_heading = WHICH
    )]
    pub fail_on: FailOn,

    /// The same as `--fail-on warning`
    #[arg(
        long,
        value_name = "WHAT",
        conflicts_with = "fail_on",
        help_heading = WHICH
    )]
    pub deny: Option<Deny>,

    /// Apply safe fixes, then print the remaining findings
    #[arg(long, help_heading = FIXES)]
    pub fix: bool,

    /// Print what `--fix` would change, as a patch for `git apply`
    ///
    /// Paths in the patch are relative to the root of the git repository; apply it there.
    #[arg(long, visible_alias = "dry-run", help_heading = FIXES)]
    pub diff: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// For people, with source lines
    Text,
    /// One line per finding: `path:line:column: severity[rule] message`
    Concise,
    /// `{ "findings": [ … ], "unseen": { … } }`, as in service-catalog.json
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// GitHub workflow annotations
    Github,
    /// GitLab Code Quality report
    Gitlab,
    /// JUnit test results
    Junit,
}

/// A format, and the file that it is written to. Without a file, it is printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportOutput {
    pub format: ReportFormat,
    pub file: Option<PathBuf>,
}

impl FromStr for ReportOutput {
    type Err = String;

    fn from_str(text: &str) -> Result<ReportOutput, String> {
        let (name, file) = match text.split_once('=') {
            Some((_, "")) => return Err("the file after `=` is missing".to_owned()),
            Some((name, file)) => (name, Some(PathBuf::from(file))),
            None => (text, None),
        };
        let format = ReportFormat::from_str(name, false).map_err(|_| {
            let formats = ReportFormat::value_variants().iter();
            let names = formats.filter_map(ValueEnum::to_possible_value);
            let names: Vec<String> = names.map(|name| name.get_name().to_owned()).collect();
            format!(
                "there is no format `{name}`; choose one of {}",
                names.join(", ")
            )
        })?;
        Ok(ReportOutput { format, file })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Certain failures and races
    Error,
    /// Likely failures too
    Warning,
    /// Any finding
    Info,
    /// Always exit 0
    Never,
}

/// The lowest severity that is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Lowest {
    /// Certain failures and races
    Error,
    /// Likely failures too
    Warning,
    /// Everything
    Info,
}

impl Lowest {
    pub fn severity(self) -> Severity {
        match self {
            Lowest::Error => Severity::Error,
            Lowest::Warning => Severity::Warning,
            Lowest::Info => Severity::Info,
        }
    }
}

impl FailOn {
    /// The lowest severity that fails; none if nothing does.
    pub fn lowest(self) -> Option<Severity> {
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
