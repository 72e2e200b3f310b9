//! The program: parses the arguments, runs the command, and exits with its code.

use std::io::{BufWriter, Write};
use std::process::ExitCode;

use clap::Parser;
use replaylint::internals::cli::Cli;
use replaylint::internals::commands::run::bugs;
use replaylint::internals::commands::{Failure, Outcome, print_error};
use replaylint::internals::source::display_name;
use replaylint::internals::source::outputs::pipe::PipeWriter;

fn main() -> ExitCode {
    let cli = match Cli::from_process_args() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are not errors; neither is a closed pipe.
            let error = sanitize(error);
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    let stdout = std::io::stdout().lock();
    let done = match cli.is_streaming() {
        true => run(cli, &mut BufWriter::new(stdout)),
        false => run(cli, &mut BufWriter::with_capacity(1 << 16, PipeWriter::new(stdout))),
    };
    match done {
        Ok(outcome) => outcome.code(),
        Err(failure) => {
            print_error(&failure.to_string());
            if let Failure::Usage(usage_error) = &failure
                && let Some(help) = &usage_error.help
            {
                print_error(help);
            }
            Outcome::Failed.code()
        }
    }
}

/// The error for printable arguments: a file name that a shell expanded may contain control characters.
fn sanitize(error: clap::Error) -> clap::Error {
    let given = || std::env::args_os().map(|argument| argument.to_string_lossy().into_owned());
    let shown = || given().map(|argument| display_name(&argument).into_owned());
    if !error.use_stderr() || given().eq(shown()) {
        return error;
    }
    Cli::try_parse_from(shown()).err().unwrap_or(error)
}

fn run(cli: Cli, out: &mut dyn Write) -> Result<Outcome, Failure> {
    bugs::run_guarded(|| {
        let outcome = cli.run(out)?;
        match out.flush().map_err(Failure::from) {
            Err(failure) if !failure.is_broken_pipe() => Err(failure),
            _ => Ok(outcome),
        }
    })
}
