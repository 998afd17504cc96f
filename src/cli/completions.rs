//! `catalog completions`: prints a completion script for a shell. In bash, zsh and fish, it asks the program for the
//! names of rules and components; without an answer, it completes options and commands only.

use anyhow::Context;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::options::GlobalArgs;
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
    /// Shell to print the script for
    #[arg(value_enum)]
    pub shell: Shell,
}

pub fn run(args: &CompletionsArgs, global: &GlobalArgs) -> anyhow::Result<Outcome> {
    let mut bytes = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "catalog", &mut bytes);
    let script = String::from_utf8(bytes).context("the completion script is not UTF-8")?;
    let script = match args.shell {
        Shell::Bash => script + BASH,
        Shell::Zsh => script.replacen("_catalog() {\n", ZSH, 1),
        Shell::Fish => script + FISH,
        _ => script,
    };
    global.options(None)?.print_as_it_is(&script)?;
    Ok(Outcome::Clean)
}

/// Asks for names first, and completes options and commands if there are none.
const BASH: &str = r#"
_catalog_with_names() {
    local names name
    names=$("${COMP_WORDS[0]}" __complete "$COMP_CWORD" "${COMP_WORDS[@]}" 2>/dev/null)
    if [[ -n $names ]]; then
        COMPREPLY=()
        # Not with `compgen -W`, which would expand the names.
        while IFS= read -r name; do
            [[ $name == "${COMP_WORDS[COMP_CWORD]}"* ]] && COMPREPLY+=("$name")
        done <<< "$names"
        return 0
    fi
    _catalog "$@"
}

if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -F _catalog_with_names -o nosort -o bashdefault -o default catalog
else
    complete -F _catalog_with_names -o bashdefault -o default catalog
fi
"#;

/// Takes the place of the first line of the function that completes.
const ZSH: &str = r#"_catalog() {
    local -a catalog_names
    catalog_names=(${(f)"$("${words[1]}" __complete "$((CURRENT - 1))" "${(@)words}" 2>/dev/null)"})
    if (( ${#catalog_names} )); then
        compadd -a catalog_names
        return
    fi
"#;

/// Options that take a name complete it themselves; arguments do so for the commands that take one.
const FISH: &str = r#"
function __catalog_names
    set -l words (commandline -opc) (commandline -ct)
    command $words[1] __complete (math (count $words) - 1) $words 2>/dev/null
end
complete -c catalog -n "__fish_seen_subcommand_from explain graph" -f -a "(__catalog_names)"
complete -c catalog -n "__fish_seen_subcommand_from check" -l select -x -a "(__catalog_names)"
complete -c catalog -n "__fish_seen_subcommand_from check" -l ignore -x -a "(__catalog_names)"
complete -c catalog -n "__fish_seen_subcommand_from check" -l component -x -a "(__catalog_names)"
complete -c catalog -n "__fish_seen_subcommand_from rehearse" -l without -x -a "(__catalog_names)"
"#;
