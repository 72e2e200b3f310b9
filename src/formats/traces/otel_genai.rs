//! Traces by the conventions of OpenTelemetry for generative AI: `gen_ai.input.messages`, `gen_ai.output.messages` and
//! `gen_ai.system_instructions`, which are JSON in a string, and the older `gen_ai.prompt.N.…` and `gen_ai.completion.N.…`.

use crate::format::translate::{Stored, Translated, by_record};
use crate::format::unsent::UnsentPaths;
use crate::format::{Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::{Facts, Role, Settings};
use crate::json::name;

use super::spans::{self, Attribute, Flat, Naming};
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
    "a trace is not sent again; `replaylint convert --to API FILE` writes a request, which `fix` can repair";

/// How the attributes begin that hold messages.
const STARTS: [&str; 5] = [
    "gen_ai.input.messages",
    "gen_ai.output.messages",
    "gen_ai.system_instructions",
    "gen_ai.prompt.",
    "gen_ai.completion.",
];

static NAMES: Naming = Naming {
    role: "role",
    content: "content",
    parts: ("contents.", "text"),
    reply: "tool_call_id",
    calls: ("tool_calls.", ["id", "name", "arguments"]),
};

/// What of the store no request says.
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
        why: "about the request: its model and provider, and who says what",
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
        if spans::any(probe.val, &STARTS) { 90 } else { 0 }
    }

    fn knows(&self, val: crate::json::Val<'_>) -> bool {
        // Spans of other things are passed over.
        val.is_object()
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| by_record(tell))
    }
}

fn tell(record: &Stored<'_>, out: &mut Vec<Translated>) {
    let spans = spans::each(record.val);
    out.extend(spans.iter().filter_map(|span| translated(span, record)));
}

fn translated(span: &[Attribute<'_>], record: &Stored<'_>) -> Option<Translated> {
    let mut said = ThreadBuilder::default();
    let mut is_broken = false;
    let sides = [
        ("gen_ai.system_instructions", Role::System),
        ("gen_ai.input.messages", Role::User),
        ("gen_ai.output.messages", Role::Assistant),
    ];
    for (name, role) in sides {
        let Some(val) = spans::get(span, &[name]) else { continue };
        is_broken |= !threads::within(val, record, &mut |inner| {
            for message in inner.val.elements() {
                match message.get(name::role).is_some() {
                    true => said.message(message, inner),
                    false => said.content(role, Some(message), inner),
                }
            }
        });
    }
    Flat::of(span, "gen_ai.prompt.").add(&NAMES, Role::User, record, &mut said);
    Flat::of(span, "gen_ai.completion.").add(&NAMES, Role::Assistant, record, &mut said);
    if said.is_empty() {
        return None;
    }
    let provider = spans::text(span, &["gen_ai.provider.name", "gen_ai.system"]).unwrap_or_default();
    let mut settings = Settings {
        label: spans::text(span, &["gen_ai.response.id", "gen_ai.conversation.id"]),
        model: spans::text(span, &["gen_ai.response.model", "gen_ai.request.model"]),
        target: provider.eq_ignore_ascii_case("openai").then_some("chat"),
        read_only: Some(READ_ONLY),
        ..Settings::default()
    };
    let has_cut = span.iter().any(|(name, val)| name.starts_with("gen_ai.") && is_truncated(*val));
    settings.facts.set_if(Facts::CUT, is_broken || has_cut);
    Some(said.finish(&INFO, settings))
}
