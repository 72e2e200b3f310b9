//! Logs of requests by LiteLLM: rows of its table of spend logs, payloads of its callbacks, and completion logs. Messages
//! and response are unchanged, or JSON in a string; long values can be truncated.

use crate::dialects::{anthropic::ANTHROPIC, chat::CHAT, responses::RESPONSES};
use crate::format::translate::{ParsedRecord, TranslatedThread, by_record};
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{
    EditSupport, Format, FormatInfo, HistoryScope, Layout, Probe, RecordPart, RemovalUnit, Upstream,
};
use crate::history::{HistorySettings, RequestFlags, Role, Usage};
use crate::json::{KeyName, Val, name};
use crate::message::{Message, RawJson};

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
    histories: HistoryScope::PerDoc,
    parts: &[RecordPart { path: &[], unit: RemovalUnit::Record }],
    unsent: UNSENT,
    edit_support: EditSupport::Unsupported,
    ..FormatInfo::of(&CHAT, "chat-compatible")
};

static INFO: FormatInfo = BASE;
static ANTHROPIC_INFO: FormatInfo = FormatInfo { dialect: &ANTHROPIC, target: "anthropic", ..BASE };
static RESPONSES_INFO: FormatInfo = FormatInfo { dialect: &RESPONSES, target: "openai", ..BASE };

const READ_ONLY: &str =
    "logs are not edited; `replaylint convert --to API FILE` writes a request, which `fix` can repair";

/// Values that are not part of requests.
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
    why: "about the call, and copies of the messages",
}];

impl Format for LitellmLog {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        if threads::all_match(probe.val, is_log) { 92 } else { 0 }
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| by_record(read_record))
    }
}

fn is_log(val: Val<'_>) -> bool {
    let has = |name: KeyName| val.get(name).is_some();
    let is_call = text(val, "call_type").is_some() && (has(name::messages) || has(name::proxy_server_request));
    is_call && (has(name::response) || has(name::model))
        || has(name::kwargs) && has(name::messages) && has(name::response)
}

fn read_record(record: &ParsedRecord<'_>, out: &mut Vec<TranslatedThread>) {
    let logs = threads::as_list(record.val);
    out.extend(logs.into_iter().filter_map(|log| read_log(log, record)));
}

/// The values that can contain the messages of a log: its own, and those of the request to the proxy.
fn messages<'v>(log: Val<'v>) -> Vec<Val<'v>> {
    let request = log.get(name::proxy_server_request);
    let body = request.and_then(|request| request.get(name::body)).or(request);
    let of_body = ["messages", "input"].iter().find_map(|key| body.and_then(|body| body.get(key)));
    [log.get(name::messages), of_body, request].into_iter().flatten().collect()
}

fn read_log(log: Val<'_>, record: &ParsedRecord<'_>) -> Option<TranslatedThread> {
    let call = text(log, "call_type").unwrap_or_default();
    let mut info = match &*call {
        "responses" | "aresponses" => &RESPONSES_INFO,
        "anthropic_messages" => &ANTHROPIC_INFO,
        _ => &INFO,
    };
    let mut answers = Vec::new();
    if let Some(response) = log.get(name::response) {
        threads::with_parsed(response, record, &mut |inner| {
            let response = inner.val;
            if threads::has_list(response, "output") {
                info = &RESPONSES_INFO;
            } else if response.get(name::r#type).is_some_and(|kind| kind.is("message")) {
                info = &ANTHROPIC_INFO;
            }
            answers = response_messages(response, info, inner);
        });
    }
    let mut history = Vec::new();
    // Rows that were logged without content have an empty object, or a string, in its place.
    for messages in messages(log) {
        threads::with_parsed(messages, record, &mut |inner| {
            let list = ["messages", "input"].iter().find_map(|key| inner.val.get(key)).unwrap_or(inner.val);
            let list = list.elements().filter(|message| message.is_object());
            history.extend(list.map(|message| verbatim_message(message, info, inner)));
        });
        if !history.is_empty() {
            break;
        }
    }
    history.extend(answers);
    if history.is_empty() {
        return None;
    }
    let mut settings = HistorySettings {
        label: ["request_id", "id"].iter().find_map(|key| text(log, key)),
        model: text(log, "model").or_else(|| text_at(log, &["response", "model"])),
        read_only: Some(READ_ONLY),
        ..HistorySettings::default()
    };
    settings.facts.set_if(RequestFlags::CUT, is_truncated(log));
    let tools = log.get(name::tools).filter(|tools| tools.count() > 0);
    let request = tools.map(|tools| {
        RawJson::build(record.base.of(tools), |w| w.object(|w| w.key("tools").copy(tools, record.base)))
    });
    Some(TranslatedThread { request, ..TranslatedThread::from_messages(info, settings, history) })
}

/// A logged message or item, unchanged.
fn verbatim_message(own: Val<'_>, info: &FormatInfo, from: &ParsedRecord<'_>) -> Message {
    let role = if own.get(name::role).is_some_and(|role| role.is("user")) { Role::User } else { Role::Assistant };
    let raw = RawJson::copied(own, from.base);
    Message::verbatim(info.dialect.info().name, role, raw, from.base.of(own), from.number)
}

/// The messages that a response adds to the history.
fn response_messages(response: Val<'_>, info: &FormatInfo, from: &ParsedRecord<'_>) -> Vec<Message> {
    if let Some(output) = response.get(name::output).filter(Val::is_array) {
        return output.elements().map(|item| verbatim_message(item, info, from)).collect();
    }
    if let Some(content) = response.get(name::content).filter(Val::is_array) {
        let at = from.base.of(response);
        let raw = RawJson::build(at, |w| {
            w.object(|w| {
                w.key("role").plain("assistant");
                w.key("content").copy(content, from.base);
            });
        });
        return vec![Message::verbatim(info.dialect.info().name, Role::Assistant, raw, at, from.number)];
    }
    let choice = response.get(name::choices).and_then(|choices| choices.elements().next());
    let message = choice.and_then(|choice| choice.get(name::message)).filter(Val::is_object);
    message.map(|message| verbatim_message(message, info, from)).into_iter().collect()
}
