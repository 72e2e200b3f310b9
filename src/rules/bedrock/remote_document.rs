//! RL592: a document is in S3, and the model accepts only inline bytes.

use crate::dialects::bedrock::document;
use crate::history::{Finding, Flags, Kind, Row};
use crate::json::name;
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::{ErrorDetails, Trait};

crate::rule! {
    /// ## What it does
    ///
    /// Finds, for Claude, a `document` whose source is an `s3Location`. The model is in the URL and not in the request:
    /// the rule applies only if a record or `--model` names it.
    ///
    /// ## Why it matters
    ///
    /// The service passes the request to the model, which rejects it with HTTP 400:
    ///
    /// > The model returned the following errors: messages.2.content.2.document.source.type: Field required
    ///
    /// It happens when the history of another model is sent to Claude.
    ///
    /// ## Example
    ///
    /// With `--model anthropic.claude-sonnet-4-5`:
    ///
    /// ```json
    /// {"messages":[
    ///  {"role":"user","content":[{"text":"Read this"},
    ///   {"document":{"name":"Report","format":"pdf","source":{"s3Location":{"uri":"s3://bucket/report.pdf"}}}}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: the bytes of the document are not in the file. Add them as `source.bytes`.
    ///
    /// ## Evidence
    ///
    /// Recorded: pydantic-ai, `test_multimodal_tool_return_matrix`, claude-sonnet-4-5.
    BEDROCK_REMOTE_DOCUMENT, "bedrock-remote-document" of "bedrock" tags [Field], Check::History(check),
    [
        Variant {
            message: "the document is in S3, but this model accepts only inline bytes",
            api: Some("The model returned the following errors: messages.{message}.content.{block}.document.source.type: Field required"),
            error: ErrorDetails::AWS,
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    if !cx.has(Trait::NoRemoteDocuments) {
        return;
    }
    let is_media = |row: &&Row| row.kind == Kind::Media && !row.has(Flags::RECORDED);
    for row in cx.history.rows.iter().filter(is_media) {
        let mut remote = false;
        cx.text.with_item(row, &mut |block| {
            let source = document(block).and_then(|document| document.get(name::source));
            remote = source.is_some_and(|source| source.get(name::s3Location).is_some());
        });
        if remote {
            out.add(Finding::new(RULE.code, *row).never("the bytes of the document are not in the file"));
        }
    }
}
