//! RL586: a text is blank.

use crate::dialects::bedrock::empty_texts;
use crate::history::{BlockFlags, Finding, Flags, Kind, RepairAct, Row};
use crate::json::Val;
use crate::json::edit::RecordBase;
use crate::json::value_edit::{EditRefusal, ValueEdit, put_member};
use crate::place::Edit;
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::{ErrorDetails, Levels};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a block whose `text` is empty or only white space, and an empty text in a `toolResult`.
    ///
    /// ## Why it matters
    ///
    /// The API was reported to reject such requests with HTTP 400:
    ///
    /// > The text field in the ContentBlock object at messages.1.content.0 is blank. Add text to the text field, and try
    /// > again.
    ///
    /// Two recorded requests to Claude with such a block were accepted, so it is a warning. No recorded accepted
    /// request has an empty text in a result, so that is an error.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"messages":[
    ///  {"role":"user","content":[{"text":"Hello"}]},
    ///  {"role":"assistant","content":[{"text":" "},{"text":"Hi"}]},
    ///  {"role":"user","content":[{"text":"Bye"}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// With `--fix-warnings` the block is dropped, and its message with it if that is empty then. The only block of a
    /// history is kept. The empty text of a result is replaced with a text saying that the tool gave no output.
    ///
    /// ## Evidence
    ///
    /// Reported: hermes-agent PR#63983, langchain-ai/langchain-aws#403; in results NousResearch/hermes-agent#55093. Two recorded accepted requests have a blank text.
    BEDROCK_BLANK_TEXT, "bedrock-blank-text" of "bedrock" tags [Field], Check::History(check),
    [
        Variant {
            message: "the text is empty or only white space",
            api: Some("The text field in the ContentBlock object at messages.{message}.content.{block} is blank. Add text to the text field, and try again."),
            also: &["The model returned the following errors: messages: text content blocks must contain non-whitespace text"],
            error: ErrorDetails::AWS,
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "drop the block",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "the text of toolResult {call_id} is empty",
            error: ErrorDetails::AWS,
            evidence: Evidence::Reported,
            fix: "replace it with a text saying that the tool gave no output",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

const RESULT: u8 = 1;

static MEND: ValueEdit = ValueEdit::by(add_notice);

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let is_blank = |row: &&Row| {
        let blank = row.has(BlockFlags::EMPTY) || row.has(BlockFlags::BLANK);
        row.kind == Kind::Text && blank && !row.has(Flags::RECORDED)
    };
    let blocks = cx.history.rows.iter().filter(|row| row.kind != Kind::BlockMessage).count();
    for row in cx.history.rows.iter().filter(is_blank) {
        let finding = Finding::new(RULE.code, *row);
        out.add(match blocks {
            1 => finding.never("the history would be empty without it"),
            _ => finding.act(RepairAct::Drop),
        });
    }
    let blank =
        |row: &&Row| row.kind == Kind::ToolResult && row.has(BlockFlags::BLANK) && !row.has(Flags::RECORDED);
    for row in cx.history.rows.iter().filter(blank) {
        out.add(Finding::new(RULE.code, *row).variant(RESULT).edit_value(&MEND));
    }
}

fn add_notice(block: Val<'_>, base: RecordBase<'_>, out: &mut Vec<Edit>) -> Result<(), EditRefusal> {
    for part in empty_texts(block) {
        put_member(part, "text", br#""the tool gave no output""#, base, out)?;
    }
    Ok(())
}
