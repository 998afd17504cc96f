//! Options that every command accepts, before or after its name, and what they mean for reading and writing.

use secret::outgoing::{self, Outgoing};
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::{Arg, ArgAction, Args, ValueEnum, ValueHint, builder::PathBufValueParser};

use crate::export::report::{self, Paint};
use crate::pipeline::{self, GitUse, Request};
use system::output::Trees;
use system::terminal::{RawStream, shows_colour};

/// The heading of the options that all commands share, so that they do not hide a command's own.
const HEADING: &str = "Global options";

/// Options that every command accepts.
#[derive(Debug, Clone, Args)]
pub struct GlobalArgs {
    /// Repository to read
    ///
    /// Defaults to the `repo` named in catalog.toml, else to the git repository around the current directory.
    #[arg(
        id = "repository",
        long = "repo",
        value_name = "DIR",
        global = true,
        value_hint = ValueHint::DirPath,
        help_heading = HEADING
    )]
    pub repo: Option<PathBuf>,

    /// Configuration file; defaults to catalog.toml in the root of the repository
    #[arg(
        long,
        value_name = "FILE",
        global = true,
        value_hint = ValueHint::FilePath,
        help_heading = HEADING
    )]
    pub config: Option<PathBuf>,

    /// Write the result to a file instead of stdout
    #[arg(
        long,
        short,
        value_name = "FILE",
        global = true,
        value_hint = ValueHint::FilePath,
        help_heading = HEADING
    )]
    pub out: Option<PathBuf>,

    /// Suppress progress and summaries
    #[arg(long, short, global = true, conflicts_with = "verbose", help_heading = HEADING)]
    pub quiet: bool,

    /// Print what was read, what was skipped and why, and timings
    #[arg(long, short, global = true, help_heading = HEADING)]
    pub verbose: bool,

    /// Do not run git
    ///
    /// Pages then have no commit, no dates of changes and no links to source files. Paths in reports are relative to the
    /// repository that is read.
    #[arg(long, global = true, help_heading = HEADING)]
    pub no_git: bool,

    /// When to use colour: auto (which respects NO_COLOR), always or never
    #[arg(
        long,
        value_enum,
        default_value_t = Color::Auto,
        value_name = "WHEN",
        global = true,
        hide_possible_values = true,
        hide_default_value = true,
        help_heading = HEADING
    )]
    pub color: Color,
}

/// The option `--out` of a command that writes something else than one file, or has a default.
pub fn out(value_name: &'static str, help: &'static str) -> Arg {
    Arg::new("out")
        .long("out")
        .short('o')
        .value_name(value_name)
        .value_parser(PathBufValueParser::new())
        .action(ArgAction::Set)
        .value_hint(ValueHint::AnyPath)
        .help(help)
}

/// The positional argument of commands that read a repository.
#[derive(Debug, Args)]
pub struct RepoArgs {
    /// Repository to read, the same as `--repo`
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub repo: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

impl Color {
    /// Whether text that goes to `stream` has colour.
    pub fn is_on(self, stream: &impl RawStream) -> bool {
        match self {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => shows_colour(stream),
        }
    }
}

/// How much is printed besides the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verbosity {
    Quiet,
    Normal,
    Verbose,
}

/// The global options as a command uses them.
#[derive(Debug, Clone)]
pub struct Options {
    pub request: Request,
    pub out: Option<PathBuf>,
    pub verbosity: Verbosity,
    pub color: Color,
}

impl GlobalArgs {
    /// The options of a command, with the repository of its positional argument.
    pub fn options(&self, positional: Option<&Path>) -> anyhow::Result<Options> {
        if let (Some(option), Some(positional)) = (&self.repo, positional) {
            bail!(
                "two repositories are named: `--repo {}` and `{}`; remove one",
                option.display(),
                positional.display()
            );
        }
        let repo = self.repo.as_deref().or(positional);
        Ok(Options {
            request: Request {
                repo: repo.map(Path::to_path_buf),
                config: self.config.clone(),
                git: if self.no_git {
                    GitUse::Skip
                } else {
                    GitUse::Read
                },
            },
            out: self.out.clone(),
            verbosity: if self.quiet {
                Verbosity::Quiet
            } else if self.verbose {
                Verbosity::Verbose
            } else {
                Verbosity::Normal
            },
            color: self.color,
        })
    }
}

impl Options {
    pub fn is_quiet(&self) -> bool {
        self.verbosity == Verbosity::Quiet
    }

    /// Prints a line to stderr, unless the command is quiet.
    pub fn say(&self, line: impl Display) {
        if !self.is_quiet() {
            system::print_stderr!("{}", outgoing::line(line.to_string()));
        }
    }

    /// Prints a line to stderr if the command is verbose.
    pub fn detail(&self, line: impl Display) {
        if self.verbosity == Verbosity::Verbose {
            system::print_stderr!("{}", outgoing::line(line.to_string()));
        }
    }

    /// Whether the result has colour.
    pub fn paint(&self) -> Paint {
        let is_on = match &self.out {
            Some(_) => self.color == Color::Always,
            None => self.color.is_on(&io::stdout()),
        };
        if is_on { Paint::Colour } else { Paint::Plain }
    }

    /// Prints a result for programs, or writes it to `--out`. On a terminal, control characters are made visible.
    pub fn print(&self, text: &str) -> anyhow::Result<()> {
        if self.out.is_none() && io::stdout().is_terminal() {
            return self.print_as_it_is(&report::plain_lines(text));
        }
        self.print_as_it_is(text)
    }

    /// Prints text that has colours of its own and has made all other control characters visible.
    pub fn print_as_it_is(&self, text: &str) -> anyhow::Result<()> {
        self.write(|to| to.write_all(text.as_bytes()))
    }

    /// Writes a result to stdout or `--out`, as it is made.
    pub fn write(
        &self,
        write: impl FnOnce(&mut Outgoing<&mut dyn Write>) -> io::Result<()>,
    ) -> anyhow::Result<()> {
        let Some(path) = self.out.as_deref().filter(|path| *path != Path::new("-")) else {
            let mut stdout = io::stdout().lock();
            let mut to = Outgoing::new(&mut stdout as &mut dyn Write);
            write(&mut to)?;
            to.finish()?;
            return Ok(());
        };
        self.write_to(path, write)
    }

    /// Writes text to a file that was named on the command line.
    pub fn write_file(&self, path: &Path, text: &str) -> anyhow::Result<()> {
        self.write_to(path, |to| to.write_all(text.as_bytes()))
    }

    fn write_to(
        &self,
        path: &Path,
        write: impl FnOnce(&mut Outgoing<&mut dyn Write>) -> io::Result<()>,
    ) -> anyhow::Result<()> {
        Ok(self.trees().write(path, |file| {
            let mut to = Outgoing::new(file);
            write(&mut to)?;
            to.finish()?;
            Ok(())
        })?)
    }

    /// Directories whose symbolic links belong to the repository rather than to the operator.
    pub fn trees(&self) -> Trees {
        let root = pipeline::root(&self.request).ok();
        Trees::around(root.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::super::Cli;
    use super::*;

    fn options(line: &str) -> Options {
        let cli = Cli::try_parse_from(line.split(' ')).unwrap();
        cli.global.options(None).unwrap()
    }

    #[test]
    fn options_count_before_and_after_the_command() {
        let before = options("catalog --color never -q --no-git -o a explain");
        let after = options("catalog explain -o a --color never --no-git -q");
        for options in [before, after] {
            assert_eq!(options.color, Color::Never);
            assert_eq!(options.out.as_deref(), Some(Path::new("a")));
            assert_eq!(options.request.git, GitUse::Skip);
            assert!(options.is_quiet());
        }
        assert_eq!(options("catalog explain").color, Color::Auto);
    }

    #[test]
    fn colour_can_be_forced_and_refused() {
        assert!(!Color::Never.is_on(&io::stdout()) && Color::Always.is_on(&io::stdout()));
    }
}
