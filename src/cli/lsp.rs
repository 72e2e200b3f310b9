//! Arguments of `lsp`.

use std::io::{self, BufReader, Write};
use std::path::PathBuf;

use clap::Args;

use crate::commands::{Failure, Outcome, lsp};

use super::common::{ConfigFileArgs, InputArgs, ParsedArgs, VerbosityArgs};

#[derive(Args, Debug)]
#[command(
    after_help = "Started by an editor, which writes to standard input and reads standard output: findings while a file is \
                  edited, the page of a rule on hover, repairs as quick fixes, turns as an outline. No file is written.\n\n\
                  Exit codes: 0 the editor has shut it down, 1 the input ended before, 2 usage or I/O error."
)]
pub(super) struct LspArgs {
    /// Ignored: editors pass it
    #[arg(long, hide = true)]
    stdio: bool,
    #[command(flatten)]
    settings: ConfigFileArgs,
}

impl LspArgs {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        // Config files may change while the editor runs: each file is judged with options that are read anew.
        let options = || {
            let ConfigFileArgs { config, isolated } = &self.settings;
            let typed = ParsedArgs {
                // Files come from the editor.
                files: InputArgs { paths: vec![PathBuf::from("-")], ..InputArgs::default() },
                settings: ConfigFileArgs { config: config.clone(), isolated: *isolated },
                loudness: VerbosityArgs { quiet: true, verbose: false },
                ..ParsedArgs::default()
            };
            typed.resolve(None)
        };
        lsp::serve(BufReader::new(io::stdin()), &options, out)
    }
}
