//! Traces by the conventions of OpenTelemetry for generative AI: `gen_ai.input.messages`, `gen_ai.output.messages` and
//! `gen_ai.system_instructions`, which are JSON in a string, and the older `gen_ai.prompt.N.…` and `gen_ai.completion.N.…`.

use crate::format::translate::{ParsedRecord, TranslatedThread, by_record};
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::{HistorySettings, RequestFlags, Role};
use crate::json::name;

use super::spans::{self, Attribute, AttributeNames, FlatMessages};
use crate::formats::threads::{self, Dialects, STORE, ThreadBuilder, is_truncated};

pub struct OtelGenai;

pub static FORMAT: OtelGenai = OtelGenai;

static INFO: FormatInfo = Dialects::of_agent(FormatInfo {
    name: "otel-genai",
    title: "OpenTelemetry trace (GenAI conventions)",
    upstream: Some(Upstream { repository: "open-telemetry/semantic-conventions", file: None, version: None }),
    known_by: "spans with attributes `gen_ai.input.messages`, `gen_ai.output.messages`, `gen_ai.prompt.N` or `gen_ai.completion.N`",
    unsent: UNSENT,
    ..STORE
}).chat;

const READ_ONLY: &str =
    "traces are not edited; `replaylint convert --to API FILE` writes a request, which `fix` can repair";

/// Prefixes of the attributes with messages.
const PREFIXES: [&str; 5] = [
    "gen_ai.input.messages",
    "gen_ai.output.messages",
    "gen_ai.system_instructions",
    "gen_ai.prompt.",
    "gen_ai.completion.",
];

static NAMES: AttributeNames = AttributeNames {
    role: "role",
    content: "content",
    parts: ("contents.", "text"),
    reply: "tool_call_id",
    calls: ("tool_calls.", ["id", "name", "arguments"]),
};

/// Values that are not part of requests.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths {
        paths: &[
            "**/attributes/[key=http.*|url.*|net.*|server.*|client.*|network.*|service.*|telemetry.*|rpc.*|db.*|otel.*|code.*|thread.*|host.*|process.*|os.*]value/**",
        ],
        why: "about the span, not about a model",
    },
    UnsentPaths {
        paths: &[
            "attributes/gen_ai.*.model",
            "attributes/gen_ai.system",
            "attributes/gen_ai.*.name",
            "attributes/gen_ai.*.id",
            "attributes/gen_ai.*.role",
            "attributes/gen_ai.*.type",
            "attributes/gen_ai.*.finish_reasons",
            "**/attributes/[key=gen_ai.*.model|gen_ai.system|gen_ai.provider.name|gen_ai.operation.name|gen_ai.*.id|gen_ai.*.role|gen_ai.*.type|gen_ai.*.finish_reasons]value/**",
        ],
        why: "about the request: its model and provider, and the roles of messages",
    },
    UnsentPaths {
        paths: &[
            "name",
            "**/span_id",
            "**/trace_id",
            "**/spanId",
            "**/traceId",
            "**/parentSpanId",
            "**/parent_id",
            "resourceSpans/resource/**",
            "**/spans/name",
            "**/scope/name",
            "**/attributes/key",
            "events/name",
            "**/events/name",
        ],
        why: "about the span",
    },
];

impl Format for OtelGenai {
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
    let mut is_broken = false;
    let attributes = [
        ("gen_ai.system_instructions", Role::System),
        ("gen_ai.input.messages", Role::User),
        ("gen_ai.output.messages", Role::Assistant),
    ];
    for (name, role) in attributes {
        let Some(val) = spans::get(span, &[name]) else { continue };
        is_broken |= !threads::with_parsed(val, record, &mut |inner| {
            for message in inner.val.elements() {
                match message.get(name::role).is_some() {
                    true => thread.message(message, inner),
                    false => thread.content(role, Some(message), inner),
                }
            }
        });
    }
    FlatMessages::of(span, "gen_ai.prompt.").add(&NAMES, Role::User, record, &mut thread);
    FlatMessages::of(span, "gen_ai.completion.").add(&NAMES, Role::Assistant, record, &mut thread);
    if thread.is_empty() {
        return None;
    }
    let provider = spans::text(span, &["gen_ai.provider.name", "gen_ai.system"]).unwrap_or_default();
    let mut settings = HistorySettings {
        label: spans::text(span, &["gen_ai.response.id", "gen_ai.conversation.id"]),
        model: spans::text(span, &["gen_ai.response.model", "gen_ai.request.model"]),
        target: provider.eq_ignore_ascii_case("openai").then_some("chat"),
        read_only: Some(READ_ONLY),
        ..HistorySettings::default()
    };
    let has_cut = span.iter().any(|(name, val)| name.starts_with("gen_ai.") && is_truncated(*val));
    settings.facts.set_if(RequestFlags::CUT, is_broken || has_cut);
    Some(thread.finish(&INFO, settings))
}
