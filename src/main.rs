//! Turns arguments into a command, and its outcome into an exit code.

use std::process::ExitCode;

use catalog::cli::{self, Cli, Outcome};
use clap::Parser;
use mimalloc::MiMalloc;

/// Reading allocates many small nodes on every core.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    // Shells ask for names while somebody types, so this must neither fail nor print anything else.
    if let Some(words) = cli::complete::words(std::env::args_os()) {
        cli::complete::run(words);
        return ExitCode::SUCCESS;
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // A reader that has gone away is no reason to fail.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    match cli::run(cli) {
        Ok(Outcome::Clean) => ExitCode::SUCCESS,
        Ok(Outcome::Findings) => ExitCode::from(1),
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let message = catalog::export::report::plain_lines(&format!("{error:#}"));
            let message = secret::outgoing::line(message);
            if cli::is_misconfigured(&error) {
                // Each mistake in the configuration begins with `error:` already.
                system::print_stderr!("{message}");
            } else {
                system::print_stderr!("error: {message}");
            }
            ExitCode::from(2)
        }
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let io = error
        .chain()
        .find_map(|cause| cause.downcast_ref::<std::io::Error>());
    io.is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe)
}
