//! Traces by the conventions of OpenInference (Phoenix, Arize): `llm.input_messages.N.message.…` and
//! `llm.output_messages.N.message.…`, an attribute for each member of a message.

use crate::format::translate::{Stored, Translated, by_record};
use crate::format::unsent::UnsentPaths;
use crate::format::{Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::{Facts, Role, Settings};

use super::spans::{self, Attribute, Flat, Naming};
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
    "a trace is not sent again; `replaylint convert --to API FILE` writes a request, which `fix` can repair";

/// How the attributes begin that hold messages.
const STARTS: [&str; 2] = ["llm.input_messages.", "llm.output_messages."];

static NAMES: Naming = Naming {
    role: "message.role",
    content: "message.content",
    parts: ("message.contents.", "message_content.text"),
    reply: "message.tool_call_id",
    calls: ("message.tool_calls.", ["tool_call.id", "tool_call.function.name", "tool_call.function.arguments"]),
};

/// What of the store no request says.
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
    Flat::of(span, STARTS[0]).add(&NAMES, Role::User, record, &mut said);
    Flat::of(span, STARTS[1]).add(&NAMES, Role::Assistant, record, &mut said);
    if said.is_empty() {
        return None;
    }
    let provider = spans::text(span, &["llm.provider", "llm.system"]).unwrap_or_default();
    let mut settings = Settings {
        model: spans::text(span, &["llm.model_name"]),
        target: provider.eq_ignore_ascii_case("openai").then_some("chat"),
        read_only: Some(READ_ONLY),
        ..Settings::default()
    };
    let has_cut = span.iter().any(|(name, val)| name.starts_with("llm.") && is_truncated(*val));
    settings.facts.set_if(Facts::CUT, has_cut);
    Some(said.finish(&INFO, settings))
}
