//! Traces by the conventions of OpenInference (Phoenix, Arize): `llm.input_messages.N.message.…` and
//! `llm.output_messages.N.message.…`, one attribute for each member of a message.

use crate::format::translate::{ParsedRecord, TranslatedThread, by_record};
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::{HistorySettings, RequestFlags, Role};

use super::spans::{self, Attribute, AttributeNames, FlatMessages};
use crate::formats::threads::{Dialects, STORE, ThreadBuilder, is_truncated};

pub struct Openinference;

pub static FORMAT: Openinference = Openinference;

static INFO: FormatInfo = Dialects::of_agent(FormatInfo {
    name: "openinference",
    title: "OpenInference trace",
    upstream: Some(Upstream { repository: "Arize-ai/openinference", file: None, version: None }),
    known_by: "spans with attributes `llm.input_messages.N.message.role` …",
    unsent: UNSENT,
    ..STORE
})
.chat;

const READ_ONLY: &str =
    "traces are not edited; `replaylint convert --to API FILE` writes a request, which `fix` can repair";

/// Prefixes of the attributes with messages.
const PREFIXES: [&str; 2] = ["llm.input_messages.", "llm.output_messages."];

static NAMES: AttributeNames = AttributeNames {
    role: "message.role",
    content: "message.content",
    parts: ("message.contents.", "message_content.text"),
    reply: "message.tool_call_id",
    calls: ("message.tool_calls.", ["tool_call.id", "tool_call.function.name", "tool_call.function.arguments"]),
};

/// Values that are not part of requests.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths {
        paths: &[
            "attributes/*.role",
            "attributes/*.message_content.type",
            "attributes/llm.model_name",
            "attributes/llm.provider",
            "attributes/openinference.span.kind",
            "attributes/llm.invocation_parameters",
            "attributes/*.mime_type",
            "attributes/session.id",
            "attributes/user.id",
            "attributes/metadata",
            "attributes/tag.*",
        ],
        why: "about the request and its messages",
    },
    UnsentPaths {
        paths: &[
            "name",
            "**/role",
            "attributes/llm/model_name",
            "attributes/llm/provider",
            "attributes/openinference/span/kind",
        ],
        why: "about the span",
    },
];

impl Format for Openinference {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        if spans::has_attribute(probe.val, &PREFIXES) { 90 } else { 0 }
    }

    fn accepts(&self, val: crate::json::Val<'_>) -> bool {
        // Other spans are skipped.
        val.is_object()
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| by_record(read_record))
    }
}

fn read_record(record: &ParsedRecord<'_>, out: &mut Vec<TranslatedThread>) {
    let spans = spans::span_attributes(record.val);
    out.extend(spans.iter().filter_map(|span| read_span(span, record)));
}

fn read_span(span: &[Attribute<'_>], record: &ParsedRecord<'_>) -> Option<TranslatedThread> {
    let mut thread = ThreadBuilder::default();
    FlatMessages::of(span, PREFIXES[0]).add(&NAMES, Role::User, record, &mut thread);
    FlatMessages::of(span, PREFIXES[1]).add(&NAMES, Role::Assistant, record, &mut thread);
    if thread.is_empty() {
        return None;
    }
    let provider = spans::text(span, &["llm.provider", "llm.system"]).unwrap_or_default();
    let mut settings = HistorySettings {
        model: spans::text(span, &["llm.model_name"]),
        target: provider.eq_ignore_ascii_case("openai").then_some("chat"),
        read_only: Some(READ_ONLY),
        ..HistorySettings::default()
    };
    let has_cut = span.iter().any(|(name, val)| name.starts_with("llm.") && is_truncated(*val));
    settings.facts.set_if(RequestFlags::CUT, has_cut);
    Some(thread.finish(&INFO, settings))
}
