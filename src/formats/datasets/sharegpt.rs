//! Data sets of conversations in the format of ShareGPT: `conversations` of `from` and `value`. Only these names distinguish
//! them from other data, so they are read only with `--format sharegpt`.

use crate::dialects::chat::CHAT;
use crate::format::translate::{ParsedRecord, TranslatedThread, by_record};
use crate::format::{EditSupport, Format, FormatInfo, HistoryScope, Layout, Probe, RecordPart, RemovalUnit};
use crate::history::{HistorySettings, Role, Usage};
use crate::json::Val;
use crate::message::write::JsonWriter;
use crate::message::{Message, RawJson, Text};

use super::message;
use crate::formats::member::text;
use crate::formats::threads;

pub struct Sharegpt;

pub static FORMAT: Sharegpt = Sharegpt;

static INFO: FormatInfo = FormatInfo {
    name: "sharegpt",
    title: "ShareGPT data set (only with `--format sharegpt`)",
    known_by: "`--format sharegpt`: `conversations` of `from` and `value`, or of `role` and `content`",
    usage: Usage::Log,
    histories: HistoryScope::PerDoc,
    parts: &[RecordPart { path: &[], unit: RemovalUnit::Record }],
    is_explicit_only: true,
    edit_support: EditSupport::Unsupported,
    ..FormatInfo::of(&CHAT, "chat-template")
};

const READ_ONLY: &str =
    "data sets are not edited; `replaylint convert --to API FILE` writes requests, which `fix` can repair";

/// The names of roles in such data sets, and the roles of Chat; `call` is a message with a call.
const ROLES: [(&str, &str); 14] = [
    ("human", "user"),
    ("user", "user"),
    ("gpt", "assistant"),
    ("assistant", "assistant"),
    ("model", "assistant"),
    ("chatgpt", "assistant"),
    ("bing", "assistant"),
    ("bard", "assistant"),
    ("system", "system"),
    ("function_call", "call"),
    ("tool_call", "call"),
    ("observation", "tool"),
    ("tool", "tool"),
    ("function_response", "tool"),
];

impl Format for Sharegpt {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, _: &Probe<'_>) -> u8 {
        0
    }

    fn accepts(&self, val: Val<'_>) -> bool {
        list(val).is_some()
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| by_record(read_record))
    }
}

fn list(val: Val<'_>) -> Option<Val<'_>> {
    ["conversations", "conversation", "messages"].iter().find_map(|key| val.get(key)).filter(Val::is_array)
}

fn read_record(record: &ParsedRecord<'_>, out: &mut Vec<TranslatedThread>) {
    for one in threads::as_list(record.val) {
        let Some(list) = list(one) else { continue };
        let mut messages = Vec::new();
        if let Some(system) = one.get("system").filter(|own| own.is_string() && !own.is("")) {
            let content = |w: &mut JsonWriter<'_>| w.key("content").copy(system, record.base);
            messages.push(message("system", record.base.of(one), record.number, content));
        }
        let mut calls = 0;
        messages.extend(list.elements().filter_map(|turn| read_turn(turn, record, &mut calls)));
        let settings =
            HistorySettings { label: text(one, "id"), read_only: Some(READ_ONLY), ..HistorySettings::default() };
        out.push(TranslatedThread::from_messages(&INFO, settings, messages));
    }
}

/// A turn as a message. Calls get numbers as ids; an observation answers the last one.
fn read_turn(turn: Val<'_>, record: &ParsedRecord<'_>, calls: &mut u32) -> Option<Message> {
    let (at, base) = (record.base.of(turn), record.base);
    if turn.get("role").is_some() && turn.get("content").is_some() {
        return Some(Message::verbatim("chat", Role::User, RawJson::copied(turn, base), at, record.number));
    }
    let from = turn.get("from").or_else(|| turn.get("role"))?.text()?;
    let value = turn.get("value").or_else(|| turn.get("content"))?;
    let role = ROLES.iter().find(|(name, _)| name.as_bytes().eq_ignore_ascii_case(&from));
    // An unknown name is kept as the role, and judged.
    let role = role.map_or_else(|| String::from_utf8_lossy(&from).into_owned(), |(_, role)| (*role).to_owned());
    let content = |w: &mut JsonWriter<'_>| w.key("content").copy(value, base);
    Some(match role.as_str() {
        "call" => {
            *calls += 1;
            match parse_call(value, record) {
                Some((name, arguments)) => message("assistant", at, record.number, |w| {
                    w.key("content").bytes(b"null");
                    w.key("tool_calls").array(|w| {
                        w.object(|w| {
                            w.key("id").plain(&format!("call_{calls}"));
                            w.key("type").plain("function");
                            w.key("function").object(|w| {
                                w.key("name").text(&name);
                                w.key("arguments").text(&arguments);
                            });
                        });
                    });
                }),
                None => message("assistant", at, record.number, content),
            }
        }
        "tool" => message("tool", at, record.number, |w| {
            w.key("tool_call_id").plain(&format!("call_{calls}"));
            content(w);
        }),
        role => message(role, at, record.number, content),
    })
}

/// The name and the arguments of a call, which is stored as JSON in a string.
fn parse_call(value: Val<'_>, record: &ParsedRecord<'_>) -> Option<(Text, Text)> {
    let mut call = None;
    threads::with_parsed(value, record, &mut |inner| {
        let arguments = inner.val.get("arguments").map(|own| Text::of_json(own, inner.base));
        let arguments = arguments.unwrap_or_else(|| Text::synthetic("{}", record.base.of(value)));
        let name = inner.val.get("name").and_then(|name| Text::copied(name, inner.base));
        call = name.map(|name| (name, arguments));
    });
    call
}
