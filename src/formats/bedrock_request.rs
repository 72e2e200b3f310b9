//! The body of a request to Bedrock's `Converse`, as a document or one a line; or the bare list of its messages.

use crate::dialect::{Body, Shape};
use crate::dialects::bedrock::BEDROCK;
use crate::format::{Format, FormatInfo, Histories, Part, Probe, Record, Sink, Unit, request_body};
use crate::history::Usage;
use crate::json::Val;

pub struct BedrockRequest;

pub static FORMAT: BedrockRequest = BedrockRequest;

static INFO: FormatInfo = FormatInfo {
    name: "bedrock-request",
    title: "body of a Bedrock Converse request",
    told_by: "`messages` with blocks without types, or with `inferenceConfig` or `toolConfig` beside them",
    dialect: &BEDROCK,
    target: "bedrock",
    usage: Usage::Request,
    histories: Histories::PerRecord,
    parts: &[Part { path: &["messages"], unit: Unit::Element }, Part { path: &[], unit: Unit::Element }],
    records_responses: false,
};

impl Format for BedrockRequest {
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

/// Keys that name the blocks of Converse.
const OWN: [&str; 10] = [
    "text",
    "toolUse",
    "toolResult",
    "image",
    "document",
    "video",
    "reasoningContent",
    "cachePoint",
    "guardContent",
    "citationsContent",
];

fn body_score(body: Val<'_>, list: Val<'_>) -> u8 {
    let beside = ["inferenceConfig", "toolConfig", "guardrailConfig", "additionalModelRequestFields"];
    match list_score(list) {
        0 => 0,
        _ if beside.iter().any(|key| body.get(key).is_some()) => 90,
        score => score,
    }
}

/// How surely a list is one of Converse's messages: content is a list of blocks that their only key names.
fn list_score(list: Val<'_>) -> u8 {
    let block = |block: Val<'_>| {
        block.get("type").is_none() && OWN.iter().any(|key| block.get(key).is_some())
    };
    let own = |message: Val<'_>| {
        let content = message.get("content").filter(|content| content.is_array());
        message.get("role").is_some() && content.is_some_and(|content| content.elements().all(block))
    };
    let some = |message: Val<'_>| message.get("content").is_some_and(|content| content.count() > 0);
    if list.count() > 0 && list.elements().all(own) && list.elements().any(some) { 82 } else { 0 }
}
