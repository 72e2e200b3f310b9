//! Data sets of conversations in the manner of ShareGPT: `conversations` of `from` and `value`. Nothing but these names tells
//! them from other data: they are read only with `--format sharegpt`.

use crate::dialects::chat::CHAT;
use crate::format::translate::{Stored, Translated, by_record};
use crate::format::{Edited, Format, FormatInfo, Histories, Layout, Part, Probe, Unit};
use crate::formats::spoken;
use crate::history::{Settings, Usage};
use crate::json::Val;
use crate::json::pieces::Pieced;

use crate::formats::member::text;
use crate::formats::threads;

pub struct Sharegpt;

pub static FORMAT: Sharegpt = Sharegpt;

static INFO: FormatInfo = FormatInfo {
    name: "sharegpt",
    title: "ShareGPT data set (only with `--format sharegpt`)",
    known_by: "`--format sharegpt`: `conversations` of `from` and `value`, or of `role` and `content`",
    usage: Usage::Log,
    histories: Histories::PerDoc,
    parts: &[Part { path: &[], unit: Unit::Record }],
    named_only: true,
    edited: Edited::Never,
    ..FormatInfo::of(&CHAT, "chat-template")
};

const READ_ONLY: &str =
    "data sets are not edited; `replaylint convert --to API FILE` writes requests, which `fix` can repair";

/// Names of the sides, and the roles that they stand for.
const SIDES: [(&str, &str); 14] = [
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

    fn knows(&self, val: Val<'_>) -> bool {
        list(val).is_some()
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| by_record(tell))
    }
}

fn list(val: Val<'_>) -> Option<Val<'_>> {
    ["conversations", "conversation", "messages"].iter().find_map(|key| val.get(key)).filter(Val::is_array)
}

fn tell(record: &Stored<'_>, out: &mut Vec<Translated>) {
    for one in threads::each(record.val) {
        let Some(list) = list(one) else { continue };
        let mut says = Vec::new();
        let at = record.base.of(one);
        if let Some(system) = one.get("system").filter(|own| own.is_string() && !own.is("")) {
            let message = Pieced::object(at).with("role", Pieced::text("system", at));
            says.push(message.with("content", Pieced::of(system, record.base)));
        }
        let mut calls = 0;
        says.extend(list.elements().filter_map(|turn| message(turn, record, &mut calls)));
        let says = says.iter().map(|message| spoken::verbatim(&INFO, message, record.number)).collect();
        let settings = Settings { label: text(one, "id"), read_only: Some(READ_ONLY), ..Settings::default() };
        out.push(Translated::history(&INFO, settings, says));
    }
}

/// A turn as a message. Calls are numbered: an observation answers the last one.
fn message(turn: Val<'_>, record: &Stored<'_>, calls: &mut u32) -> Option<Pieced> {
    let (at, base) = (record.base.of(turn), record.base);
    if turn.get("role").is_some() && turn.get("content").is_some() {
        return Some(Pieced::of(turn, base));
    }
    let from = turn.get("from").or_else(|| turn.get("role"))?.text()?;
    let value = turn.get("value").or_else(|| turn.get("content"))?;
    let role = SIDES.iter().find(|(name, _)| name.as_bytes().eq_ignore_ascii_case(&from));
    // A side that is not known is judged as it is.
    let role = role.map_or_else(|| String::from_utf8_lossy(&from).into_owned(), |(_, role)| (*role).to_owned());
    let message = |role: &str| Pieced::object(at).with("role", Pieced::text(role, at));
    match role.as_str() {
        "call" => {
            *calls += 1;
            let mut function = Pieced::object(at).with("name", Pieced::text("unnamed", at));
            let is_read = threads::within(value, record, &mut |inner| {
                if let Some(name) = inner.val.get("name").filter(Val::is_string) {
                    let arguments = inner.val.get("arguments").map(|own| Pieced::of(own, inner.base));
                    let arguments = arguments.unwrap_or_else(|| Pieced::fixed("{}", at)).spelling();
                    function =
                        Pieced::object(at).with("name", Pieced::of(name, inner.base)).with("arguments", arguments);
                }
            });
            if !is_read || function.get("arguments").is_none() {
                return Some(message("assistant").with("content", Pieced::of(value, base)));
            }
            let call = Pieced::object(at)
                .with("id", Pieced::text(&format!("call_{calls}"), at))
                .with("type", Pieced::text("function", at))
                .with("function", function);
            let answer = message("assistant").with("content", Pieced::fixed("null", at));
            Some(answer.with("tool_calls", Pieced::list_of(vec![call], at)))
        }
        "tool" => {
            let reply = message("tool").with("tool_call_id", Pieced::text(&format!("call_{calls}"), at));
            Some(reply.with("content", Pieced::of(value, base)))
        }
        role => Some(message(role).with("content", Pieced::of(value, base))),
    }
}
