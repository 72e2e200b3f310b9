//! The program: parse, run, and turn what happened into an exit code.

use std::io::{BufWriter, Write};
use std::process::ExitCode;

use clap::Parser;
use replaylint::internals::cli::Cli;
use replaylint::internals::commands::{Failure, Outcome, bugs, complain};
use replaylint::internals::source::display_name;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are no errors; neither is a reader who has seen enough.
            let error = harmless(error);
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

/// The same error about arguments without characters that a terminal would obey: a shell puts the names of files there.
fn harmless(error: clap::Error) -> clap::Error {
    let given = || std::env::args_os().map(|argument| argument.to_string_lossy().into_owned());
    let shown = || given().map(|argument| display_name(&argument).into_owned());
    if !error.use_stderr() || given().eq(shown()) {
        return error;
    }
    Cli::try_parse_from(shown()).err().unwrap_or(error)
}
