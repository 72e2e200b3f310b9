//! Arguments of `doctor`.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use crate::commands::doctor::DoctorOptions;
use crate::commands::{self, Failure, Outcome};

use super::agents::{agent_names, given_names};
use super::common::{ConfigFileArgs, ParsedArgs, ReportArgs, ScreenArgs, ThreadArgs, VerbosityArgs};
use super::judging::JudgeArgs;
use super::text_or_json::TextOrJson;

#[derive(Args, Debug)]
#[command(
    after_help = "Looks through the sessions of all agents on this machine, says what is wrong with the newest one that \
                  its agent cannot resume, repairs it, and prints the command that resumes it. Backups are in \
                  ~/.replaylint/backups.\n\n\
                  Examples:\n  replaylint doctor                  the newest broken session of all agents\n  \
                  replaylint doctor --agents codex   of Codex only\n  replaylint doctor session.jsonl    this session\n\n\
                  Exit codes: 0 healthy or repaired, 1 broken, 2 usage or I/O error."
)]
pub(super) struct DoctorArgs {
    /// Session to look at, by its path or id [default: the newest broken session of all agents]
    session: Option<PathBuf>,
    /// Look only at the sessions of these agents
    #[arg(long, value_name = "AGENT", value_delimiter = ',', value_parser = agent_names(), conflicts_with = "session")]
    agents: Vec<String>,
    /// Repair without asking
    #[arg(short, long)]
    yes: bool,
    /// Repair the session even if it was just modified or may be in use
    #[arg(long)]
    force: bool,
    /// Agent version that will resume the session; problems that version repairs by itself are not reported
    #[arg(long, value_name = "VERSION")]
    agent_version: Option<String>,
    /// Report format
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    output_format: TextOrJson,
    #[command(flatten)]
    screen: ScreenArgs,
    #[command(flatten)]
    loudness: VerbosityArgs,
    #[command(flatten)]
    settings: ConfigFileArgs,
    #[command(flatten)]
    threads: ThreadArgs,
}

impl DoctorArgs {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        let json = self.output_format == TextOrJson::Json;
        let name = if json { "json" } else { "text" };
        let parsed = ParsedArgs {
            judging: JudgeArgs { agent_version: self.agent_version, ..JudgeArgs::default() },
            findings: ReportArgs { output_format: vec![name.to_owned()], ..ReportArgs::default() },
            screen: self.screen,
            loudness: self.loudness,
            settings: self.settings,
            threads: self.threads,
            ..ParsedArgs::default()
        };
        let options = DoctorOptions {
            session: self.session,
            agents: given_names(&self.agents).to_vec(),
            yes: self.yes,
            force: self.force,
            json,
        };
        commands::doctor::doctor(parsed.for_agents().resolve(None)?, &options, out)
    }
}
