//! RL590: a message has a document and no text.

use crate::dialects::bedrock::document;
use crate::history::{Finding, Flags, Kind, Role};
use crate::json::value_edit::ValueEdit;
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::ErrorDetails;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a user message with a `document` but without a `text` block.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > A text block must be included when using documents.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"messages":[
    ///  {"role":"user","content":[{"document":{"name":"Report","format":"pdf","source":{"bytes":"JVBERi0="}}}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// A text that refers to the document is added to the message.
    ///
    /// ## Evidence
    ///
    /// Reported in many places. In all recorded accepted requests each document comes with a text.
    BEDROCK_DOCUMENT_ALONE, "bedrock-document-alone" of "bedrock", Check::History(check),
    [
        Variant {
            message: "the message has a document but no text",
            api: Some("A text block must be included when using documents."),
            error: ErrorDetails::AWS,
            evidence: Evidence::Reported,
            fix: "add a text that refers to the document",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

static MEND: ValueEdit = ValueEdit::append(r#"{"text":"see the attached document"}"#).at(&["content"]);

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    for message in cx.history.messages.list.iter().filter(|message| message.role == Role::User) {
        let has = |kind: Kind| message.blocks().any(|ix| cx.row(ix).kind == kind);
        if !has(Kind::Media) || has(Kind::Text) || cx.row(message.row).has(Flags::RECORDED) {
            continue;
        }
        let is_document = |ix: u32| {
            let mut is = false;
            cx.text.with_item(cx.row(ix), &mut |block| is = document(block).is_some());
            is
        };
        if message.blocks().filter(|ix| cx.row(*ix).kind == Kind::Media).any(is_document) {
            out.add(Finding::new(RULE.code, *cx.row(message.row)).edit_value(&MEND));
        }
    }
}
