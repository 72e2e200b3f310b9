//! Arguments of `convert` for sessions that another agent goes on with.

use std::env;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::carry::{CarryOptions, Tools};
use crate::commands::carry_output::CarryOutput;
use crate::formats;
use crate::options::Misuse;

#[derive(Args, Debug)]
#[command(next_help_heading = "Sessions for another agent")]
pub(super) struct CarryArgs {
    /// What tool calls become [default: notes for codex-session, else calls]
    #[arg(long, value_enum, value_name = "HOW", hide_short_help = true)]
    tools: Option<ToolsArg>,
    /// Keep only the last N turns
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), hide_short_help = true)]
    last: Option<u32>,
    /// Folder in which the agent resumes [default: the session's, else the current one]
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    cwd: Option<PathBuf>,
    /// Write the session where the agent finds it; an existing file is never replaced
    #[arg(long, conflicts_with = "output", hide_short_help = true)]
    install: bool,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum ToolsArg {
    /// Notes in the text of the model, as Codex writes them when it imports a session
    Notes,
    /// Calls and results
    Calls,
}

/// The names of the sessions that can be written.
pub(super) fn sessions() -> impl Iterator<Item = &'static str> {
    formats::SESSION_WRITERS.iter().map(|writer| writer.name)
}

impl CarryArgs {
    /// What is meant if a session is to be written.
    pub(super) fn meant(self, to: &str) -> Result<Option<CarryOutput>, Misuse> {
        let Some(writer) = formats::session_writer(to) else {
            let given = [
                ("tools", self.tools.is_some()),
                ("last", self.last.is_some()),
                ("cwd", self.cwd.is_some()),
                ("install", self.install),
            ];
            return match given.iter().find(|(_, given)| *given) {
                Some((flag, _)) => {
                    let names = sessions().collect::<Vec<_>>().join(", ");
                    let what = format!("--{flag} is for sessions of agents, and --to {to} writes requests");
                    Err(Misuse::new(what).help(format!("--to accepts these sessions: {names}")))
                }
                None => Ok(None),
            };
        };
        let here = env::current_dir().unwrap_or_default();
        let cwd = match self.cwd {
            Some(folder) => Some(std::fs::canonicalize(&folder).map_err(|error| {
                let what = format!("--cwd {}: {error}", crate::source::display_path(&folder));
                Misuse::new(what).help("name the folder in which the agent resumes")
            })?),
            None => None,
        };
        let asked = CarryOptions {
            tools: self.tools.map(|tools| match tools {
                ToolsArg::Notes => Tools::Notes,
                ToolsArg::Calls => Tools::Calls,
            }),
            last: self.last.map(|last| last as usize),
            cwd: cwd.map(|cwd| cwd.to_string_lossy().into_owned()),
            here: here.to_string_lossy().into_owned(),
            ..CarryOptions::default()
        };
        CarryOutput::new(writer, asked, self.install).map(Some)
    }
}
