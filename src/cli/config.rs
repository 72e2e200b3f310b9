//! Arguments of the commands about config files: `config`, `init`.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use crate::commands::{self, Failure, Outcome};
use crate::options::{FileOptions, LintSettings, WalkOptions};

use super::common::{ConfigFileArgs, InputArgs, ParsedArgs, ThreadArgs, existing_file};
use super::lookup::PrintArgs;

#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  replaylint config\n  replaylint config logs/session.jsonl\n\n\
                        Exit codes: 0 success, 2 a config file cannot be used.")]
pub(super) struct ConfigArgs {
    /// File or folder to show the configuration for
    #[arg(value_name = "PATH", default_value = ".")]
    path: PathBuf,
    #[command(flatten)]
    settings: ConfigFileArgs,
    #[command(flatten)]
    print: PrintArgs,
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  replaylint init\n  replaylint init transcripts/\n\n\
                        Exit codes: 0 success, 2 the file exists or cannot be written.")]
pub(super) struct InitArgs {
    /// Folder to create replaylint.toml in
    #[arg(value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,
    /// Overwrite an existing file
    #[arg(long, help_heading = "Output")]
    force: bool,
    #[command(flatten)]
    threads: ThreadArgs,
}

impl ConfigArgs {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        let lookup = self.settings.lookup();
        let lints = LintSettings::new(FileOptions::default(), WalkOptions::default(), lookup)?;
        commands::config::config(&lints, &self.path, self.print.resolve().json, out)
    }
}

impl InitArgs {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        let typed = ParsedArgs {
            files: InputArgs { paths: vec![self.folder.clone()], ..InputArgs::default() },
            // An existing config file is replaced, so it does not apply.
            settings: ConfigFileArgs { config: None, isolated: true },
            threads: self.threads,
            ..ParsedArgs::default()
        };
        commands::init::init(&typed.resolve(None)?, &self.folder, existing_file(self.force), out)
    }
}
