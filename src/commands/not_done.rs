//! What `fix` was asked for and does not do to a doc.

use std::io;

use crate::judge;
use crate::repair::Fixed;
use crate::report::command_line::{CommandLine, filled};
use crate::source::{Doc, display_name};

use super::unslim::is_slimmed;
use super::{complain, talk};

const RESTORE_FIRST: &str = "contains references instead of items; run `replaylint slim --restore -w FILE` first";

/// Why nothing is done to a doc at all: its items are elsewhere, or its target does not speak its dialect.
pub(super) fn refusal(doc: &Doc, fixed: &Fixed, options: &judge::Options) -> io::Result<Option<String>> {
    let refused = fixed.before.first_error().is_some();
    if (refused || !fixed.patch.is_empty()) && is_slimmed(doc, &fixed.before)? {
        return Ok(Some(filled(RESTORE_FIRST, &doc.label, "").into_owned()));
    }
    let Some((format, target)) = fixed.before.format.zip(options.target) else { return Ok(None) };
    if judge::speaks(format.info(), target) {
        return Ok(None);
    }
    let to = target.dialect;
    let convert = CommandLine::new("convert").with("--to", to).on(&doc.label);
    Ok(Some(format!("is not a {to} history, which the target {} requires; use `{convert}`", target.name)))
}

/// Says what is not done, and why. Gives whether that is a failure. `provider`: the provider of a session was to be set.
pub(super) fn say(label: &str, fixed: &Fixed, pinned_by: &[String], provider: bool, quiet: bool) -> bool {
    let label = display_name(label);
    if !pinned_by.is_empty() && !quiet {
        let by = pinned_by.join(", ");
        talk(&format!("{label}: not changed in place, because another rollout continues from a part of it: {by}"));
    }
    let has_header = fixed.before.format.is_some_and(|format| format.info().kept_lines.is_some());
    let why = match (provider, fixed.provider_left) {
        (false, _) => return false,
        (true, Some(why)) => why,
        (true, None) if has_header => return false,
        (true, None) => "only Codex rollouts name a provider that can be set",
    };
    complain(&format!("{label}: --set-provider: {why}"));
    true
}
