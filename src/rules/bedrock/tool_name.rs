//! RL598: the name of a tool is not valid.

use crate::dialects::bedrock::{TOOL_NAME_LIMIT as LIMIT, is_tool_name};
use crate::history::{BlockFlags, Finding, Flags, Kind, RepairAct, RequestFlags, Row};
use crate::json::edit::RecordBase;
use crate::json::value_edit::{EditRefusal, ValueEdit, put_member};
use crate::json::{Val, fingerprint_of, name, string};
use crate::place::Edit;
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::ErrorDetails;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a `toolUse` in the history, or a tool in `toolConfig`, whose name is empty, has characters other than
    /// letters, digits, `_` and `-`, or is longer than 64 characters.
    ///
    /// ## Why it matters
    ///
    /// The service checks the names of the whole history before the model sees them, and rejects each request with HTTP
    /// 400; it counts messages and blocks from one:
    ///
    /// > 1 validation error detected: Value at 'messages.2.member.content.1.member.toolUse.name' failed to satisfy
    /// > constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+
    ///
    /// It happens when a model calls a tool that does not exist, with a piece of its markup as the name, when the tool
    /// of an MCP server is named `server.tool`, and with histories of other providers.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"modelId":"us.anthropic.claude-sonnet-4-5","messages":[
    ///  {"role":"user","content":[{"text":"Read it"}]},
    ///  {"role":"assistant","content":[{"toolUse":{"toolUseId":"t1","name":"read.file","input":{}}}]},
    ///  {"role":"user","content":[{"toolResult":{"toolUseId":"t1","content":[{"text":"done"}]}}]}],
    ///  "toolConfig":{"tools":[{"toolSpec":{"name":"read_file","inputSchema":{"json":{"type":"object"}}}}]}}
    /// ```
    ///
    /// ## Fix
    ///
    /// Other characters become `_`, and a name of more than 64 characters is cut and ends in a hash of the whole name.
    /// A call and its tool have the same new name. Results refer to calls by id. An empty name is not changed: it is
    /// not known which tool was called.
    ///
    /// ## Evidence
    ///
    /// Documented: AWS API reference, ToolUseBlock and ToolSpecification. Reported: openclaw#12892,
    /// hermes-agent#90008 and PR#90016, vercel/ai PR#17769 (measured). All names in recorded accepted requests are valid.
    BEDROCK_TOOL_NAME, "bedrock-tool-name" of "bedrock" tags [Field], Check::History(check),
    [
        Variant {
            message: "the called tool {name} has characters other than letters, digits, _ and - in its name",
            api: Some("1 validation error detected: Value at 'messages.{ordinal}.member.content.{arg}.member.toolUse.name' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+"),
            also: &["messages.{ordinal}.member.content.{arg}.member.toolUse.name' failed to satisfy constraint: Member must satisfy regular expression pattern"],
            error: ErrorDetails::AWS,
            evidence: Evidence::Reported,
            fix: "replace every other character with _, and shorten the name",
            ..Variant::BASE
        },
        Variant {
            message: "toolConfig has a tool whose name is too long or has characters that are not allowed",
            also: &["Value at 'toolConfig.tools.{index}.member.toolSpec.name' failed to satisfy constraint"],
            error: ErrorDetails::AWS,
            evidence: Evidence::Documented,
            fix: "replace every other character with _, and shorten the name",
            ..Variant::BASE
        },
        Variant {
            message: "the name of the called tool has more than 64 characters",
            api: Some("1 validation error detected: Value at 'messages.{ordinal}.member.content.{arg}.member.toolUse.name' failed to satisfy constraint: Member must have length less than or equal to 64"),
            also: &["messages.{ordinal}.member.content.{arg}.member.toolUse.name' failed to satisfy constraint: Member must have length less than or equal to 64"],
            error: ErrorDetails::AWS,
            evidence: Evidence::Reported,
            fix: "shorten the name",
            ..Variant::BASE
        },
    ]
}

const DEFINED: u8 = 1;
const LONG: u8 = 2;

static RENAME_CALL: ValueEdit = ValueEdit::by(rename_call);
static RENAME_TOOLS: ValueEdit = ValueEdit::by(rename_tools);

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let is_bad =
        |row: &Row| row.kind == Kind::ToolUse && row.has(BlockFlags::BAD_NAME) && !row.has(Flags::RECORDED);
    for (ix, row) in cx.history.rows.iter().enumerate().filter(|(_, row)| is_bad(row)) {
        let (mut is_empty, mut is_long) = (true, false);
        cx.text.with_item(row, &mut |block| {
            let name = block.at(&["toolUse", "name"]).and_then(|name| name.text()).unwrap_or_default();
            is_empty = name.is_empty();
            is_long = name.len() > LIMIT && is_tool_name(name.get(..LIMIT).unwrap_or_default());
        });
        // The service counts blocks from one.
        let message = cx.history.messages.of_row(ix as u32);
        let ordinal = message.map_or(1, |message| ix as u32 - message.first + 1);
        let finding = Finding::new(RULE.code, *row).arg(ordinal).variant(if is_long { LONG } else { 0 });
        out.add(match is_empty {
            true => finding.never("it is not known which tool was called"),
            false => finding.edit_value(&RENAME_CALL),
        });
    }
    if cx.history.settings.facts.has(RequestFlags::BAD_TOOL_NAMES)
        && let Some(first) = cx.history.rows.iter().find(|row| row.kind != Kind::Unknown)
    {
        out.add(Finding::new(RULE.code, *first).variant(DEFINED).act(RepairAct::EditRequest(&RENAME_TOOLS)));
    }
}

/// The valid name that replaces another one.
fn valid_name(name: &str) -> String {
    let clean: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' }).collect();
    match clean.len() > LIMIT {
        true => {
            let hash = format!("_{:08x}", fingerprint_of(name.as_bytes()) as u32);
            clean.chars().take(LIMIT - hash.len()).chain(hash.chars()).collect()
        }
        false => clean,
    }
}

fn rename(named: Val<'_>, base: RecordBase<'_>, out: &mut Vec<Edit>) -> Result<(), EditRefusal> {
    let old = named.get(name::name).and_then(|name| name.text()).ok_or(EditRefusal("the name is not a text"))?;
    let old = String::from_utf8_lossy(&old);
    if old.is_empty() {
        return Err(EditRefusal("it is not known which tool is meant"));
    }
    let new = valid_name(&old);
    if new != old {
        put_member(named, "name", &string::quoted(&new), base, out)?;
    }
    Ok(())
}

fn rename_call(block: Val<'_>, base: RecordBase<'_>, out: &mut Vec<Edit>) -> Result<(), EditRefusal> {
    rename(block.get(name::toolUse).ok_or(EditRefusal("the call has no toolUse"))?, base, out)
}

/// Renames the tools of a request, and the one that the model must call.
fn rename_tools(body: Val<'_>, base: RecordBase<'_>, out: &mut Vec<Edit>) -> Result<(), EditRefusal> {
    let config = body.get(name::toolConfig).ok_or(EditRefusal("the request has no toolConfig"))?;
    let tools = config.get(name::tools).into_iter().flat_map(|tools| tools.elements());
    let specs = tools.filter_map(|tool| tool.get(name::toolSpec));
    for named in specs.chain(config.at(&["toolChoice", "tool"])) {
        rename(named, base, out)?;
    }
    Ok(())
}
