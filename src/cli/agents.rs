//! Arguments that name agents.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;

use crate::formats::agents::resume::AGENTS;

use super::common::ParsedArgs;

/// The value of `--agents` without a name.
pub(super) const ALL_AGENTS: &str = "all";

pub(super) fn agent_names() -> PossibleValuesParser {
    let mut names: Vec<&str> =
        AGENTS.iter().filter(|agent| agent.has_folders()).map(|agent| agent.id).chain([ALL_AGENTS]).collect();
    // An agent whose versions repair different problems has several rows.
    names.dedup();
    names.into()
}

/// The given names; none for all agents.
pub(super) fn given_names(names: &[String]) -> &[String] {
    if names.iter().any(|name| name == ALL_AGENTS) { &[] } else { names }
}

impl ParsedArgs {
    /// The arguments of a run that reads only the folders of agents. Ignore files of a surrounding repository do not
    /// apply there.
    pub(super) fn for_agents(mut self) -> ParsedArgs {
        self.files.paths = vec![PathBuf::new()];
        self.files.no_ignore = true;
        self
    }
}
