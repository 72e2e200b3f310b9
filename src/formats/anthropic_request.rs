//! The body of a request to Anthropic's `/v1/messages`, as a document or one a line; or the bare list of its messages.

use crate::dialect::{Body, Shape};
use crate::dialects::anthropic::ANTHROPIC;
use crate::format::{Format, FormatInfo, Histories, Part, Probe, Record, Sink, Unit, request_body};
use crate::history::Usage;
use crate::json::Val;

pub struct AnthropicRequest;

pub static FORMAT: AnthropicRequest = AnthropicRequest;

static INFO: FormatInfo = FormatInfo {
    name: "anthropic-request",
    title: "body of an Anthropic Messages request",
    told_by: "`messages` with `system`, `anthropic_version` or `input_schema` beside them, or with blocks of Anthropic",
    dialect: &ANTHROPIC,
    target: "anthropic",
    usage: Usage::Request,
    histories: Histories::PerRecord,
    parts: &[Part { path: &["messages"], unit: Unit::Element }, Part { path: &[], unit: Unit::Element }],
    records_responses: false,
};

impl Format for AnthropicRequest {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        match probe.val.is_array() {
            true => list_score(probe.val),
            false => probe.val.get("messages").filter(|list| list.is_array()).map_or(0, |list| body_score(probe.val, list)),
        }
    }

    fn read(&self, _: &Record<'_>, _: &mut dyn Sink) {}

    fn bodies(&self, record: &Record<'_>, _: Option<bool>, each: &mut dyn FnMut(Body<'_>)) {
        match record.val.is_array() {
            true => each(Body { val: record.val, base: record.base, embedded: false, shape: Shape::List }),
            false => request_body(record.val, record, each),
        }
    }
}

/// Types of blocks that only Anthropic has.
const OWN: [&str; 9] = [
    "tool_use",
    "tool_result",
    "thinking",
    "redacted_thinking",
    "server_tool_use",
    "mcp_tool_use",
    "document",
    "image",
    "container_upload",
];

fn body_score(body: Val<'_>, list: Val<'_>) -> u8 {
    let schema = body.get("tools").into_iter().flat_map(|tools| tools.elements()).any(|tool| {
        tool.get("input_schema").is_some() || tool.get("name").is_some() && tool.get("type").is_some()
    });
    let beside = ["system", "anthropic_version", "anthropic_beta", "stop_sequences", "mcp_servers"];
    // Bedrock has a `system`, too: a list of blocks without types.
    let text = |val: Val<'_>| val.is_string() || val.elements().any(|part| part.get("type").is_some());
    let named = beside.iter().any(|key| body.get(key).is_some_and(|val| *key != "system" || text(val)));
    let score = list_score(list);
    match (score, schema || named) {
        (_, true) => 85,
        (0, false) if body.get("max_tokens").is_some() && is_claude(body) => 60,
        (score, false) => score,
    }
}

fn is_claude(body: Val<'_>) -> bool {
    body.get("model").and_then(|model| model.text()).is_some_and(|model| model.starts_with(b"claude"))
}

/// How surely a list is one of Anthropic's messages: by blocks that no other dialect has.
fn list_score(list: Val<'_>) -> u8 {
    let own = |message: Val<'_>| {
        let blocks = message.get("content").into_iter().flat_map(|content| content.elements());
        let named = |block: Val<'_>| block.get("type").is_some_and(|kind| OWN.iter().any(|name| kind.is(name)));
        // Mistral's thinking is a list of parts.
        let thinks = |block: Val<'_>| block.get("thinking").is_some_and(|thoughts| thoughts.is_array());
        message.get("role").is_some() && blocks.into_iter().any(|block| named(block) && !thinks(block))
    };
    if list.elements().any(own) { 80 } else { 0 }
}
