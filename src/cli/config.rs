//! Arguments of the commands about config files: `config`, `init`.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use crate::commands::{self, Failure, Outcome};
use crate::options::{FileOptions, Lints, Walking};

use super::common::{ConfigFile, Files, Threads, Typed, existing};
use super::lookup::TellingArgs;

#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  replaylint config\n  replaylint config logs/session.jsonl\n\n\
                        Exit codes: 0, or 2 if a config file cannot be used.")]
pub(super) struct ConfigArgs {
    /// File or folder whose settings are printed
    #[arg(value_name = "PATH", default_value = ".")]
    path: PathBuf,
    #[command(flatten)]
    settings: ConfigFile,
    #[command(flatten)]
    telling: TellingArgs,
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  replaylint init\n  replaylint init transcripts/\n\n\
                        Exit codes: 0, or 2 if the file exists or cannot be written.")]
pub(super) struct InitArgs {
    /// Folder that gets a replaylint.toml
    #[arg(value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,
    /// Replace an existing file
    #[arg(long, help_heading = "Output")]
    force: bool,
    #[command(flatten)]
    threads: Threads,
}

impl ConfigArgs {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        let lookup = self.settings.lookup();
        let lints = Lints::new(FileOptions::default(), Walking::default(), lookup)?;
        commands::config::config(&lints, &self.path, self.telling.mean().json, out)
    }
}

impl InitArgs {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        let typed = Typed {
            files: Files { paths: vec![self.folder.clone()], ..Files::default() },
            // What is to be replaced does not say what is found.
            settings: ConfigFile { config: None, isolated: true },
            threads: self.threads,
            ..Typed::default()
        };
        commands::init::init(&typed.mean(None)?, &self.folder, existing(self.force), out)
    }
}
