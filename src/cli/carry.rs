//! Arguments of `convert` for sessions that another agent resumes.

use std::env;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::carry::{CarryOptions, ToolHandling};
use crate::commands::carry_output::CarryOutput;
use crate::formats;
use crate::options::UsageError;

#[derive(Args, Debug)]
#[command(next_help_heading = "Agent sessions")]
pub(super) struct CarryArgs {
    /// How to write tool calls [default: notes for codex-session and gemini-session, otherwise calls]
    #[arg(long, value_enum, value_name = "HOW", hide_short_help = true)]
    tools: Option<ToolsArg>,
    /// Keep only the last N turns
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), hide_short_help = true)]
    last: Option<u32>,
    /// Folder in which the agent resumes [default: that of the session, otherwise the current one]
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    cwd: Option<PathBuf>,
    /// Model provider that the session names [default: the one that the agent is configured to use]
    #[arg(long = "set-provider", value_name = "NAME", hide_short_help = true)]
    session_provider: Option<String>,
    /// Write the session where the agent finds it; never overwrites a file
    #[arg(long, conflicts_with = "output", hide_short_help = true)]
    install: bool,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum ToolsArg {
    /// As notes in the text of the model, like the session import of Codex
    Notes,
    /// As calls and results
    Calls,
}

/// Names of the session formats that can be written.
pub(super) fn session_names() -> impl Iterator<Item = &'static str> {
    formats::SESSION_WRITERS.iter().map(|writer| writer.name)
}

impl CarryArgs {
    /// The output options, if `--to` names a session format; `None` otherwise.
    pub(super) fn resolve(self, to: &str) -> Result<Option<CarryOutput>, UsageError> {
        let Some(writer) = formats::session_writer(to) else {
            let given = [
                ("tools", self.tools.is_some()),
                ("last", self.last.is_some()),
                ("cwd", self.cwd.is_some()),
                ("set-provider", self.session_provider.is_some()),
                ("install", self.install),
            ];
            return match given.iter().find(|(_, given)| *given) {
                Some((flag, _)) => {
                    let names = session_names().collect::<Vec<_>>().join(", ");
                    let what = format!("--{flag} applies to agent sessions only, and --to {to} writes requests");
                    Err(UsageError::new(what).help(format!("agent sessions for --to: {names}")))
                }
                None => Ok(None),
            };
        };
        if self.session_provider.is_some() && writer.model.is_none() {
            let what = format!("--set-provider: a session of {} names no provider", writer.agent);
            return Err(UsageError::new(what).help("leave it out"));
        }
        let here = env::current_dir().unwrap_or_default();
        let cwd = match self.cwd {
            Some(folder) => Some(std::fs::canonicalize(&folder).map_err(|error| {
                let what = format!("--cwd {}: {error}", crate::source::display_path(&folder));
                UsageError::new(what).help("specify the folder in which the agent resumes")
            })?),
            None => None,
        };
        let options = CarryOptions {
            tools: self.tools.map(|tools| match tools {
                ToolsArg::Notes => ToolHandling::Notes,
                ToolsArg::Calls => ToolHandling::Calls,
            }),
            last: self.last.map(|last| last as usize),
            cwd: cwd.map(|cwd| cwd.to_string_lossy().into_owned()),
            provider: self.session_provider,
            current_dir: here.to_string_lossy().into_owned(),
            ..CarryOptions::default()
        };
        CarryOutput::new(writer, options, self.install).map(Some)
    }
}
