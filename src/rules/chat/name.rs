//! RL510: a name has characters that are not allowed.

use crate::dialect::Item;
use crate::history::{Finding, Kind, KindSet};
use crate::json::edit::RecordBase;
use crate::json::value_edit::{EditRefusal, ValueEdit, put_member};
use crate::json::{Val, name, string};
use crate::place::Edit;
use crate::rule::{Check, Evidence, FindingSink, Loss, Variant};
use crate::target::{ErrorDetails, Levels};

crate::rule! {
    /// ## What it does
    ///
    /// Finds the `name` of a message, or of a called function, that is empty or has characters other than `a-z`,
    /// `A-Z`, `0-9`, `_` and `-`; as a warning also one of more than 64 characters.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > Invalid 'messages[1].name': string does not match pattern. Expected a string that matches the pattern
    /// > '^[a-zA-Z0-9_-]+$'.
    ///
    /// It happens when people's real names are used, when tools of an MCP server are named `server.tool`, or when a
    /// stream loses the beginning of a call.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"gpt-4o","messages":[{"role":"user","name":"Ada Lovelace","content":"Hi"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// Other characters become `_`, and a long name is shortened; an empty name of a message is removed. The empty
    /// name of a function is not changed: it is not known which tool was called.
    ///
    /// ## Evidence
    ///
    /// Reported: continuedev/continue#11645, continuedev/continue#9784.
    CHAT_NAME, "chat-name" of "chat" tags [Field], Check::Item(NAMED, check),
    [
        Variant {
            message: "the name of the message has characters other than a-z, A-Z, 0-9, _ and -",
            api: Some("Invalid 'messages[{message}].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."),
            error: ErrorDetails { param: Some("messages[{message}].name"), ..ErrorDetails::HISTORY },
            evidence: Evidence::Reported,
            fix: "replace every other character with _",
            ..Variant::BASE
        },
        Variant {
            message: "the name of the message is empty",
            evidence: Evidence::Inferred,
            fix: "remove the name",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "the called function {name} has characters other than a-z, A-Z, 0-9, _ and - in its name",
            api: Some("Invalid 'messages[{message}].tool_calls[{block}].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."),
            evidence: Evidence::Reported,
            fix: "replace every other character with _",
            ..Variant::BASE
        },
        Variant {
            message: "the called function has no name",
            api: Some("Invalid 'messages[{message}].tool_calls[{block}].function.name': empty string. Expected a string with minimum length 1, but got an empty string instead."),
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "the name has {length} characters; at most 64 are allowed",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            fix: "shorten the name",
            ..Variant::BASE
        },
    ]
}

const NAMED: KindSet = KindSet::of(&[Kind::BlockMessage, Kind::ToolResult, Kind::ToolUse]);

const LIMIT: usize = 64;

const EMPTY: u8 = 1;
const FUNCTION: u8 = 2;
const EMPTY_FUNCTION: u8 = 3;
const LONG: u8 = 4;

static STRIP: ValueEdit = ValueEdit::strip(&["name"]);
static CLEAN: ValueEdit = ValueEdit::by(clean);
static CLEAN_FUNCTION: ValueEdit = ValueEdit::by(clean_function);

fn check(item: &Item<'_>, out: &mut FindingSink) {
    let is_call = item.row.kind == Kind::ToolUse;
    let name = match is_call {
        true => item.val.at(&["function", "name"]).or_else(|| item.val.at(&["custom", "name"])),
        false => item.val.get(name::name),
    };
    let Some(name) = name.and_then(|name| name.text()) else { return };
    let finding = Finding::new(RULE.code, item.row).arg(name.len() as u32);
    let clean = if is_call { &CLEAN_FUNCTION } else { &CLEAN };
    if name.is_empty() {
        out.add(match is_call {
            true => finding.variant(EMPTY_FUNCTION).never("it is not known which tool was called"),
            false => finding.variant(EMPTY).edit_value(&STRIP),
        });
    } else if !name.iter().all(|b| allowed(char::from(*b))) {
        out.add(finding.variant(if is_call { FUNCTION } else { 0 }).edit_value(clean));
    } else if name.len() > LIMIT {
        out.add(finding.variant(LONG).edit_value(clean));
    }
}

fn allowed(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// Replaces the characters of a name that are not allowed.
fn clean(named: Val<'_>, base: RecordBase<'_>, out: &mut Vec<Edit>) -> Result<(), EditRefusal> {
    let old = named.get(name::name).and_then(|name| name.text()).ok_or(EditRefusal("the name is not a text"))?;
    let old = String::from_utf8_lossy(&old);
    let clean: String = old.chars().map(|c| if allowed(c) { c } else { '_' }).take(LIMIT).collect();
    Ok(put_member(named, "name", &string::quoted(&clean), base, out)?)
}

fn clean_function(call: Val<'_>, base: RecordBase<'_>, out: &mut Vec<Edit>) -> Result<(), EditRefusal> {
    let function = ["function", "custom"].iter().find_map(|key| call.get(key));
    clean(function.ok_or(EditRefusal("the call has no function"))?, base, out)
}
