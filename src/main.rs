//! The program: parse, run, and turn what happened into an exit code.

use std::io::{BufWriter, Write};
use std::process::ExitCode;

use clap::Parser;
use replaylint::internals::cli::Cli;
use replaylint::internals::commands::run::bugs;
use replaylint::internals::commands::{Failure, Outcome, complain};
use replaylint::internals::source::display_name;
use replaylint::internals::source::outputs::pipe::Piped;

fn main() -> ExitCode {
    let cli = match Cli::typed() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are no errors; neither is a reader who has seen enough.
            let error = harmless(error);
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    let stdout = std::io::stdout().lock();
    let done = match cli.is_endless() {
        true => run(cli, &mut BufWriter::new(stdout)),
        false => run(cli, &mut BufWriter::with_capacity(1 << 16, Piped::new(stdout))),
    };
    match done {
        Ok(outcome) => outcome.code(),
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

fn run(cli: Cli, out: &mut dyn Write) -> Result<Outcome, Failure> {
    bugs::guarded(|| {
        let outcome = cli.run(out)?;
        match out.flush().map_err(Failure::from) {
            Err(failure) if !failure.is_broken_pipe() => Err(failure),
            _ => Ok(outcome),
        }
    })
}
