//! The program: parse, run, and turn what happened into an exit code.

use std::io::{BufWriter, Write};
use std::process::ExitCode;

use clap::Parser;
use replaylint::internals::cli::Cli;
use replaylint::internals::commands::{Failure, Outcome, bugs, complain};

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are no errors; neither is a reader who has seen enough.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    let mut out = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    let done = bugs::guarded(|| cli.run(&mut out).and_then(|outcome| Ok(out.flush().map(|()| outcome)?)));
    match done {
        Ok(outcome) => outcome.code(),
        Err(failure) if failure.is_broken_pipe() => Outcome::Clean.code(),
        Err(failure) => {
            complain(&failure.to_string());
            if let Failure::Misuse(misuse) = &failure
                && let Some(help) = &misuse.help
            {
                complain(help);
            }
            Outcome::Failed.code()
        }
    }
}
