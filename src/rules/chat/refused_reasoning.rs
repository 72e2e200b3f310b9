//! RL515: a message has reasoning, or another field, that the server rejects.

use crate::history::{BlockFlags, Finding, Flags, Row};
use crate::json::edit::{RecordBase, remove_members};
use crate::json::value_edit::{EditRefusal, ValueEdit};
use crate::json::{Val, name};
use crate::place::{Edit, Place};
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::Trait;

crate::rule! {
    /// ## What it does
    ///
    /// Finds `reasoning_content` in messages for servers that reject the field; `reasoning` for Moonshot, which calls
    /// it `reasoning_content`; and for Groq and Moonshot any other message field that the API does not have.
    ///
    /// ## Why it matters
    ///
    /// Groq and Cerebras reject the request with HTTP 400:
    ///
    /// > 'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property
    /// > 'reasoning_content' is unsupported)]
    ///
    /// > messages.2.assistant.reasoning_content: property 'messages.2.assistant.reasoning_content' is unsupported
    ///
    /// > 'messages.0' : for 'role:user' the following must be satisfied[('messages.0' : property 'timestamp' is
    /// > unsupported)]
    ///
    /// and Moonshot says
    ///
    /// > Extra inputs are not permitted, field: 'messages[8].reasoning'
    ///
    /// It happens when a client stores its own notes in its messages, and when a conversation began with DeepSeek, Kimi
    /// or another server that returns the field.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"llama-3.3-70b-versatile","messages":[
    ///  {"role":"assistant","content":"Hello","reasoning_content":"They greet me."},
    ///  {"role":"user","content":"Bye"}]}
    /// ```
    ///
    /// (with `--target groq`)
    ///
    /// ## Fix
    ///
    /// Cerebras calls the field `reasoning`, and Moonshot calls it `reasoning_content`: there it is renamed, and
    /// nothing is lost. For Groq it is removed. Other fields are removed: the model never sees them.
    ///
    /// ## Evidence
    ///
    /// Reported: kilocode#10375, qwen-code#11045, opencode#48774, hermes#34716, jan#8136; other fields: ServiceStack/llms#17,
    /// odysseus-dev/odysseus#200; Moonshot: earendil-works/pi#4514. A recorded request to Cerebras with `reasoning` was
    /// accepted, and no recorded request to Groq or Moonshot has a field that OpenAI's messages do not have.
    CHAT_REFUSED_REASONING, "chat-refused-reasoning" of "chat", Check::History(check),
    [
        Variant {
            message: "the server rejects `reasoning_content`",
            also: &[
                "'messages.{message}' : for 'role: {role}' the following must be satisfied[('messages.{partner_message}' : property 'reasoning_content' is unsupported",
                "Extra inputs are not permitted, field: 'messages[{message}].reasoning'",
                "Extra inputs are not permitted, field: 'messages[{message}].reasoning_content'",
            ],
            evidence: Evidence::Reported,
            fix: "remove the field",
            ..Variant::BASE
        },
        Variant {
            message: "the server rejects `reasoning_content`; it calls the field `reasoning`",
            evidence: Evidence::Reported,
            fix: "rename the field to `reasoning`",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "the server rejects `reasoning`; it calls the field `reasoning_content`",
            related: "this field",
            evidence: Evidence::Reported,
            fix: "rename the field to `reasoning_content`",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "the {role} message has a field that the server rejects⟨: {member}⟩",
            related: "this field",
            evidence: Evidence::Reported,
            fix: "remove the field",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

const OTHER_NAME: u8 = 1;
const OWN_NAME: u8 = 2;
const UNKNOWN: u8 = 3;

static RENAME: ValueEdit = ValueEdit::rename("reasoning_content", "reasoning");
static RENAME_BACK: ValueEdit = ValueEdit::rename("reasoning", "reasoning_content");
static STRIP: ValueEdit = ValueEdit::strip(&["reasoning_content"]);
static KNOWN_ONLY: ValueEdit = ValueEdit::by(strip_unknown);

/// Members of messages in OpenAI's API, and those that Groq and Moonshot add.
const KNOWN: [&[u8]; 12] = [
    b"role",
    b"content",
    b"name",
    b"tool_calls",
    b"tool_call_id",
    b"function_call",
    b"refusal",
    b"annotations",
    b"audio",
    b"reasoning",
    b"reasoning_content",
    b"partial",
];

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let (refuses, strict) = (cx.has(Trait::RefusesReasoning), cx.has(Trait::RejectsUnknownMembers));
    if !refuses && !strict {
        return;
    }
    for row in cx.history.messages.list.iter().map(|turn| *cx.row(turn.row)) {
        let finding = Finding::new(RULE.code, row);
        let (mut reasoning, mut own, mut unknown) = (None, false, None);
        cx.text.with_item(&row, &mut |message| {
            let said = message.get(name::reasoning).filter(|val| !val.is_null());
            reasoning = said.map(|val| place(&row, message, val));
            own = message.get(name::reasoning_content).is_some();
            unknown = unknown_members(message).next().map(|val| place(&row, message, val));
        });
        if refuses && row.has(BlockFlags::REASONED) && own {
            out.add(match cx.has(Trait::CallsItReasoning) && reasoning.is_none() {
                true => finding.variant(OTHER_NAME).edit_value(&RENAME),
                false => finding.edit_value(&STRIP),
            });
        } else if let Some(at) = reasoning.filter(|_| strict && !refuses && !own && !row.has(Flags::RECORDED)) {
            out.add(finding.variant(OWN_NAME).with_partner(at).edit_value(&RENAME_BACK));
        }
        if let Some(at) = unknown.filter(|_| strict && !row.has(Flags::RECORDED)) {
            out.add(finding.variant(UNKNOWN).with_partner(at).edit_value(&KNOWN_ONLY));
        }
    }
}

/// The values of members that messages do not have.
fn unknown_members(message: Val<'_>) -> impl Iterator<Item = Val<'_>> {
    message.members().filter(|member| !KNOWN.contains(&member.key.decode().as_ref())).map(|member| member.val)
}

/// The place of a value of the message in the doc.
fn place(row: &Row, message: Val<'_>, val: Val<'_>) -> Place {
    Place::new(row.at.doc, row.at.start + u64::from(val.start() - message.start()), val.size())
}

fn strip_unknown(message: Val<'_>, base: RecordBase<'_>, out: &mut Vec<Edit>) -> Result<(), EditRefusal> {
    let keys: Vec<String> = message
        .members()
        .map(|member| member.key.decode().into_owned())
        .filter(|key| !KNOWN.contains(&key.as_slice()))
        .map(|key| String::from_utf8_lossy(&key).into_owned())
        .collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    Ok(remove_members(message, &keys, base, out)?)
}
