//! What LiteLLM logs of a request: rows of its table of spend logs, payloads of its callbacks, and completion logs. Messages and
//! response lie there as they were, or as JSON in a string; long values may be cut off.

use crate::dialects::{anthropic::ANTHROPIC, chat::CHAT, responses::RESPONSES};
use crate::format::translate::{Stored, Translated, by_record};
use crate::format::unsent::UnsentPaths;
use crate::format::{Edited, Format, FormatInfo, Histories, Layout, Part, Probe, Unit, Upstream};
use crate::history::{Facts, Role, Settings, Usage};
use crate::json::{Val, name};
use crate::message::{Message, Raw};

use crate::formats::member::{text, text_at};
use crate::formats::threads::{self, is_truncated};

pub struct LitellmLog;

pub static FORMAT: LitellmLog = LitellmLog;

const BASE: FormatInfo = FormatInfo {
    name: "litellm-log",
    title: "LiteLLM log (spend logs, callbacks, completion logs)",
    upstream: Some(Upstream { repository: "BerriAI/litellm", file: None, version: Some("1.106.2") }),
    known_by: "`call_type` with `messages` or `proxy_server_request`; or `messages`, `kwargs` and `response`",
    usage: Usage::Log,
    histories: Histories::PerDoc,
    parts: &[Part { path: &[], unit: Unit::Record }],
    unsent: UNSENT,
    edited: Edited::Never,
    ..FormatInfo::of(&CHAT, "chat-compatible")
};

static INFO: FormatInfo = BASE;
static OF_ANTHROPIC: FormatInfo = FormatInfo { dialect: &ANTHROPIC, target: "anthropic", ..BASE };
static OF_RESPONSES: FormatInfo = FormatInfo { dialect: &RESPONSES, target: "openai", ..BASE };

const READ_ONLY: &str =
    "a log is not sent again; `replaylint convert --to API FILE` writes a request, which `fix` can repair";

/// What of the store no request says.
const UNSENT: &[UnsentPaths] = &[UnsentPaths {
    paths: &[
        "call_type",
        "request_id",
        "trace_id",
        "status",
        "proxy_server_request",
        "proxy_server_request/**",
        "**/object",
        "**/system_fingerprint",
        "raw_messages/**",
        "raw_response/**",
        "kwargs/**",
    ],
    why: "about the call, and copies of what the messages say",
}];

impl Format for LitellmLog {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        if threads::is_all(probe.val, is_log) { 92 } else { 0 }
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| by_record(tell))
    }
}

fn is_log(val: Val<'_>) -> bool {
    let has = |key: &str| val.get(key).is_some();
    let is_call = text(val, "call_type").is_some() && (has("messages") || has("proxy_server_request"));
    is_call && (has("response") || has("model")) || has("messages") && has("kwargs") && has("response")
}

fn tell(record: &Stored<'_>, out: &mut Vec<Translated>) {
    let logs = threads::each(record.val);
    out.extend(logs.into_iter().filter_map(|log| translated(log, record)));
}

/// The messages of a log: its own, or those of the request that the proxy was sent.
fn messages<'v>(log: Val<'v>) -> Vec<Val<'v>> {
    let request = log.get(name::proxy_server_request);
    let body = request.and_then(|request| request.get(name::body)).or(request);
    let of_body = ["messages", "input"].iter().find_map(|key| body.and_then(|body| body.get(key)));
    [log.get(name::messages), of_body, request].into_iter().flatten().collect()
}

fn translated(log: Val<'_>, record: &Stored<'_>) -> Option<Translated> {
    let call = text(log, "call_type").unwrap_or_default();
    let mut info = match &*call {
        "responses" | "aresponses" => &OF_RESPONSES,
        "anthropic_messages" => &OF_ANTHROPIC,
        _ => &INFO,
    };
    let mut answers = Vec::new();
    if let Some(response) = log.get(name::response) {
        threads::within(response, record, &mut |inner| {
            let response = inner.val;
            if threads::has_list(response, "output") {
                info = &OF_RESPONSES;
            } else if response.get(name::r#type).is_some_and(|kind| kind.is("message")) {
                info = &OF_ANTHROPIC;
            }
            answers = answer(response, info, inner);
        });
    }
    let mut said = Vec::new();
    // Rows that were logged without their content have an empty object, or a text, in its place.
    for messages in messages(log) {
        threads::within(messages, record, &mut |inner| {
            let list = ["messages", "input"].iter().find_map(|key| inner.val.get(key)).unwrap_or(inner.val);
            let list = list.elements().filter(|message| message.is_object());
            said.extend(list.map(|message| message_of(message, info, inner)));
        });
        if !said.is_empty() {
            break;
        }
    }
    said.extend(answers);
    if said.is_empty() {
        return None;
    }
    let mut settings = Settings {
        label: ["request_id", "id"].iter().find_map(|key| text(log, key)),
        model: text(log, "model").or_else(|| text_at(log, &["response", "model"])),
        read_only: Some(READ_ONLY),
        ..Settings::default()
    };
    settings.facts.set_if(Facts::CUT, is_truncated(log));
    let tools = log.get(name::tools).filter(|tools| tools.count() > 0);
    let request = tools
        .map(|tools| Raw::build(record.base.of(tools), |w| w.object(|w| w.key("tools").copy(tools, record.base))));
    Some(Translated { request, ..Translated::history(info, settings, said) })
}

/// A message or an item, as it is logged.
fn message_of(own: Val<'_>, info: &FormatInfo, from: &Stored<'_>) -> Message {
    let role = if own.get(name::role).is_some_and(|role| role.is("user")) { Role::User } else { Role::Assistant };
    let raw = Raw::copied(own, from.base);
    Message::verbatim(info.dialect.info().name, role, raw, from.base.of(own), from.number)
}

/// What a response adds to the history.
fn answer(response: Val<'_>, info: &FormatInfo, from: &Stored<'_>) -> Vec<Message> {
    if let Some(output) = response.get(name::output).filter(Val::is_array) {
        return output.elements().map(|item| message_of(item, info, from)).collect();
    }
    if let Some(content) = response.get(name::content).filter(Val::is_array) {
        let at = from.base.of(response);
        let raw = Raw::build(at, |w| {
            w.object(|w| {
                w.key("role").plain("assistant");
                w.key("content").copy(content, from.base);
            });
        });
        return vec![Message::verbatim(info.dialect.info().name, Role::Assistant, raw, at, from.number)];
    }
    let choice = response.get(name::choices).and_then(|choices| choices.elements().next());
    let message = choice.and_then(|choice| choice.get(name::message)).filter(Val::is_object);
    message.map(|message| message_of(message, info, from)).into_iter().collect()
}
