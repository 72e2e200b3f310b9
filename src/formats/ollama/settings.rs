//! The settings of a request to `/api/chat`, as the members of a body of Chat Completions.

use crate::format::translate::ParsedRecord;
use crate::history::{Finding, ReasoningEffort};
use crate::json::{Member, Val, name};
use crate::message::write::JsonWriter;
use crate::message::{LossKind, RawJson, Text};
use crate::place::Place;

/// Members that Chat Completions has under the same name.
const SAME: [&str; 5] = ["model", "tools", "stream", "logprobs", "top_logprobs"];

/// Options that Chat Completions has as members of the same name.
const SAME_OPTIONS: [&str; 6] = ["temperature", "top_p", "top_k", "seed", "frequency_penalty", "presence_penalty"];

/// Members without influence on the answer.
const HARMLESS: [&str; 2] = ["keep_alive", "_debug_render_only"];

/// The body with the settings of a request.
pub(super) fn to_chat(body: Val<'_>, from: &ParsedRecord<'_>) -> RawJson {
    let options = body.get(name::options).into_iter().flat_map(|options| options.members());
    RawJson::build(from.base.of(body), |w| {
        w.object(|w| {
            for member in body.members().filter(|member| !member.val.is_null()) {
                w.set_place(key_place(&member, from));
                write_member(&member, from, w);
            }
            for member in options.filter(|member| !member.val.is_null()) {
                w.set_place(key_place(&member, from));
                write_option(&member, from, w);
            }
        });
    })
}

fn key_place(member: &Member<'_>, from: &ParsedRecord<'_>) -> Place {
    from.base.place(member.key_start, member.key_start + member.key.raw.len() as u32 + 2)
}

fn write_member(member: &Member<'_>, from: &ParsedRecord<'_>, w: &mut JsonWriter<'_>) {
    match member.key.decode().as_ref() {
        b"think" => write_think(member.val, from, w),
        b"format" => write_format(member.val, from, w),
        key => {
            if let Some(own) = SAME.iter().find(|own| own.as_bytes() == key) {
                w.key(own).copy(member.val, from.base);
            }
        }
    }
}

fn write_option(member: &Member<'_>, from: &ParsedRecord<'_>, w: &mut JsonWriter<'_>) {
    let (val, base) = (member.val, from.base);
    match member.key.decode().as_ref() {
        // A negative number means that there is no limit.
        b"num_predict" if val.as_u64().is_some() => w.key("max_tokens").copy(val, base),
        b"stop" if val.is_string() => w.key("stop").array(|w| w.copy(val, base)),
        b"stop" if val.count() > 0 => w.key("stop").copy(val, base),
        key => {
            if let Some(own) = SAME_OPTIONS.iter().find(|own| own.as_bytes() == key) {
                w.key(own).copy(val, base);
            }
        }
    }
}

fn write_think(think: Val<'_>, from: &ParsedRecord<'_>, w: &mut JsonWriter<'_>) {
    let at = from.base.of(think);
    match think.as_bool() {
        Some(true) => w.key("thinking").object(|w| w.key("type").text(&Text::respelled("enabled", at))),
        Some(false) => w.key("reasoning_effort").plain("none"),
        None if think.is_string() => w.key("reasoning_effort").copy(think, from.base),
        None => {}
    }
}

fn write_format(format: Val<'_>, from: &ParsedRecord<'_>, w: &mut JsonWriter<'_>) {
    let at = from.base.of(format);
    if format.is("json") {
        w.key("response_format").object(|w| w.key("type").text(&Text::respelled("json_object", at)));
    } else if format.is_object() {
        w.key("response_format").object(|w| {
            w.key("type").plain("json_schema");
            w.key("json_schema").object(|w| {
                // Chat Completions requires a name.
                w.key("name").plain("answer");
                w.key("schema").copy(format, from.base);
            });
        });
    }
}

/// Whether a request asks the model to think.
pub(super) fn effort(body: Val<'_>) -> Option<ReasoningEffort> {
    let think = body.get("think").filter(|think| !think.is_null())?;
    Some(if think.as_bool() == Some(false) { ReasoningEffort::None } else { ReasoningEffort::Some })
}

/// The settings of a request that Chat Completions does not have.
pub(super) fn losses(body: Val<'_>, from: &ParsedRecord<'_>) -> Vec<Finding> {
    let is_known = |member: &Member<'_>| {
        SAME.iter().chain(&["messages", "options", "think", "format"]).any(|own| member.key.is(own.as_bytes()))
    };
    let is_option = |member: &Member<'_>| {
        SAME_OPTIONS.iter().chain(&["num_predict", "stop"]).any(|own| member.key.is(own.as_bytes()))
    };
    let options = body.get(name::options).into_iter().flat_map(|options| options.members());
    let lost = body.members().filter(|member| !is_known(member)).chain(options.filter(|own| !is_option(own)));
    lost.filter(|member| !member.val.is_null())
        .map(|member| {
            let is_harmless = HARMLESS.iter().any(|own| member.key.is(own.as_bytes()));
            let kind = if is_harmless { LossKind::HARMLESS_SETTING } else { LossKind::SETTING };
            kind.to_finding(from.base.place(member.key_start, member.val.end()), from.number)
        })
        .collect()
}
