//! `catalog completions`: a script for a shell, made from the command line that it completes.

use std::io::Write;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::{Cli, Outcome};

pub const EXAMPLES: &str = "\
Examples:
  bash        catalog completions bash > \\
                ~/.local/share/bash-completion/completions/catalog
  zsh         catalog completions zsh > ~/.zfunc/_catalog
  fish        catalog completions fish > \\
                ~/.config/fish/completions/catalog.fish
  PowerShell  catalog completions powershell >> $PROFILE

For zsh, ~/.zfunc must be in `fpath` before `compinit` runs.";

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell to print it for
    #[arg(value_enum)]
    pub shell: Shell,
}

pub fn run(args: &CompletionsArgs) -> anyhow::Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "catalog", &mut script);
    std::io::stdout().lock().write_all(&script)?;
    Ok(Outcome::Clean)
}
