//! The options of `rebuild`, and the output of its request.

use std::io::Write;

use crate::options::UsageError;
use crate::rebuild::{Budget, ChainPolicy};
use crate::repair::FixOptions;
use crate::source::ReadAt;
use crate::source::outputs::{commit, new_file};

use super::run::outcome::{Failure, commit_failure};
use super::run::products;
use super::run::products::OutputPath;
use super::tree::NodeOverrides;

/// Options of `rebuild`.
pub struct RebuildOptions {
    /// The node to continue after; `None` for the current leaf.
    pub at: Option<String>,
    pub policy: ChainPolicy,
    pub ask: Option<String>,
    pub budget: Option<Budget>,
    pub fix: FixOptions,
    pub overrides: NodeOverrides,
    pub output: Option<OutputPath>,
    /// The provider of the requests in an event stream.
    pub provider: Option<&'static str>,
    /// In an event stream, every message begins with the offset of its event.
    pub every_header: bool,
    /// The text of a prompt that is only in the code of an agent.
    pub protocol_prompt: Option<String>,
    /// Nothing was asked for that an agent does not do when it resumes a session.
    pub only_resumes: bool,
}

/// Writes a request body to the requested output.
pub(super) fn write_body(body: &dyn ReadAt, options: &RebuildOptions, out: &mut dyn Write) -> Result<(), Failure> {
    if let Some(at) = new_file::invalid_utf8_offset(body, 0, body.len())? {
        let what = format!(
            "the request would be invalid UTF-8 (at byte {at}), because a text of the conversation is; nothing was written"
        );
        return Err(UsageError::new(what).help("run `replaylint check` to find the text").into());
    }
    match &options.output {
        Some(OutputPath { to, existing }) => {
            let lost = new_file::write_new(to, body, *existing).map_err(commit_failure)?;
            products::report_lost_metadata(&to.to_string_lossy(), &lost);
        }
        None => commit::copy(body, out)?,
    }
    Ok(())
}
