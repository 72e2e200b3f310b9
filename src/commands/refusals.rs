//! Requests that `fix` refuses for a document, with the reason.

use std::io;

use crate::judge;
use crate::repair::DocRepair;
use crate::report::command_line::{CommandLine, fill_commands};
use crate::source::{Doc, display_name};

use super::unslim::is_slimmed;
use super::{print_error, print_note};

const RESTORE_FIRST: &str =
    "the log contains references instead of items; run `replaylint slim --restore -w FILE` first";

/// Why a document cannot be repaired at all: it contains references instead of items, or the target has another dialect.
pub(super) fn refusal(doc: &Doc, fixed: &DocRepair, options: &judge::Options) -> io::Result<Option<String>> {
    let refused = fixed.before.first_error().is_some();
    if (refused || !fixed.patch.is_empty()) && is_slimmed(doc, &fixed.before)? {
        return Ok(Some(fill_commands(RESTORE_FIRST, &doc.label, "").into_owned()));
    }
    let Some(format) = fixed.before.format else { return Ok(None) };
    let Some(target) = options.named_target(format.info()) else { return Ok(None) };
    if judge::shares_dialect(format.info(), target) {
        return Ok(None);
    }
    let to = target.dialect;
    let convert = CommandLine::new("convert").with("--to", to).on_input(&doc.label);
    Ok(Some(format!(
        "the conversation is not in the {to} format, which the target {} requires; convert it with `{convert}`",
        target.name
    )))
}

/// Reports what is not done to a document, and why; true if that is a failure. `provider`: `--set-provider` was given.
pub(super) fn report(label: &str, fixed: &DocRepair, pinned_by: &[String], provider: bool, quiet: bool) -> bool {
    let own = label;
    let label = display_name(own);
    if !pinned_by.is_empty() && !quiet {
        let by = pinned_by.join(", ");
        print_note(&format!("{label}: not changed in place, because another rollout continues from it: {by}"));
    }
    let has_header = fixed.before.format.is_some_and(|format| format.info().numbered_lines.is_some());
    let why = match (provider, fixed.provider_refusal) {
        (false, _) => return false,
        (true, Some(why)) => why,
        (true, None) if has_header => return false,
        (true, None) => "only Codex rollouts have a provider that can be set",
    };
    print_error(&format!("{label}: --set-provider: {}", fill_commands(why, own, "")));
    true
}
