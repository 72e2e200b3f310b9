//! Arguments of `serve`.

use std::io::{self, Write};

use clap::Args;

use crate::commands::{Failure, Outcome, serve};
use crate::options::parse_size;

#[derive(Args, Debug)]
#[command(
    after_help = "Each line of standard input is a request, a JSON object; each is answered with one line on standard output, in \
                  order:\n\n  {\"id\": 1, \"method\": \"check\", \"document\": {\"model\": \"gpt-5\", \"input\": []}}\n  {\"id\": 2, \"method\": \
                  \"fix\", \"document\": \"a text\", \"options\": {\"target\": \"openai\"}}\n\nMethods: check, validate, fix, \
                  check_request, convert, diff, explain, rules, formats, targets, version.\n\n\
                  Exit codes: 0 the input ended or nobody reads the answers, 2 usage or I/O error."
)]
pub(super) struct ServeArgs {
    /// Read requests from standard input, and write answers to standard output
    #[arg(long, required = true)]
    stdio: bool,
    /// Refuse requests longer than SIZE, e.g. 16M
    #[arg(long, value_name = "SIZE", default_value = "256M")]
    max_request_size: String,
}

impl ServeArgs {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        let max_size = parse_size(&self.max_request_size)?;
        serve::serve(&mut io::stdin().lock(), usize::try_from(max_size).unwrap_or(usize::MAX), out)
    }
}
