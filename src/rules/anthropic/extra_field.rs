//! RL549: a call has fields that only streams have.

use crate::dialect::Item;
use crate::history::{Finding, Kind, KindSet};
use crate::json::name;
use crate::json::value_edit::ValueEdit;
use crate::rule::{Check, Evidence, FindingSink, Loss, Variant};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a `tool_use` with the field `text` or `index`, which streams and clients leave in it.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > messages.1.content.0.tool_use.text: Extra inputs are not permitted
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-sonnet-4-5","messages":[
    ///  {"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"f","input":{},"index":0}]},
    ///  {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"ok"}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// The field is removed. Nothing is lost: the model never sees it.
    ///
    /// ## Evidence
    ///
    /// Reported: anthropics/claude-code#4378, langchain-ai/langchain#31208, sub2api#225. Other unknown fields are not
    /// changed.
    ANTHROPIC_EXTRA_FIELD, "anthropic-extra-field" of "anthropic" tags [Field], Check::Item(KindSet::of(&[Kind::ToolUse]), check),
    [
        Variant {
            message: "tool_use {call_id} has a field the API rejects: text",
            api: Some("messages.{message}.content.{block}.tool_use.text: Extra inputs are not permitted"),
            also: &["messages.{message}.content.{block}.tool_use.text: Additional input is not allowed"],
            evidence: Evidence::Reported,
            fix: "remove the field",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "tool_use {call_id} has a field the API rejects: index",
            api: Some("messages.{message}.content.{block}.tool_use.index: Extra inputs are not permitted"),
            also: &["messages.{message}.content.{block}.tool_use.index: Additional input is not allowed"],
            evidence: Evidence::Reported,
            fix: "remove the field",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

/// Fields that streams and clients leave in a block: the API is known to reject each as an extra input.
const EXTRA: &[&str] = &["text", "index"];

static MEND: ValueEdit = ValueEdit::strip(EXTRA);

fn check(item: &Item<'_>, out: &mut FindingSink) {
    // Calls of other dialects have their own `index`.
    if !item.val.get(name::r#type).is_some_and(|kind| kind.is("tool_use")) {
        return;
    }
    if let Some(variant) = EXTRA.iter().position(|key| item.val.get(key).is_some()) {
        out.add(Finding::new(RULE.code, item.row).variant(variant as u8).edit_value(&MEND));
    }
}
