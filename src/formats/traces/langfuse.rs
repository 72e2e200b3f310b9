//! Exports of Langfuse: observations. Those of type `GENERATION` contain the request to a model and its answer, in the form
//! in which the integration reported them.

use crate::format::translate::{ParsedRecord, TranslatedThread, by_record};
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{Format, FormatInfo, Layout, Probe};
use crate::history::{HistorySettings, RequestFlags, Role};
use crate::json::{Val, name};

use crate::formats::member::text;
use crate::formats::threads::{self, Dialects, STORE, ThreadBuilder, is_truncated};

pub struct Langfuse;

pub static FORMAT: Langfuse = Langfuse;

static INFO: FormatInfo = Dialects::of_agent(FormatInfo {
    name: "langfuse",
    title: "Langfuse observations",
    known_by: "`traceId`, `type`, and `input` or `output`; alone, in a list, or in `data` or `observations`",
    unsent: UNSENT,
    ..STORE
})
.chat;

const READ_ONLY: &str =
    "traces are not edited; `replaylint convert --to API FILE` writes a request, which `fix` can repair";

/// Values that are not part of requests.
const UNSENT: &[UnsentPaths] =
    &[UnsentPaths { paths: &["name", "traceId", "**/object"], why: "about the observation" }];

impl Format for Langfuse {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let is_known = match list(probe.val) {
            Some(list) => list.count() > 0 && list.elements().take(threads::SAMPLE).all(is_observation),
            None => is_observation(probe.val),
        };
        if is_known { 92 } else { 0 }
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| by_record(read_record))
    }
}

/// The list of observations, if there is one.
fn list(val: Val<'_>) -> Option<Val<'_>> {
    match val.is_array() {
        true => Some(val),
        false => val.get(name::data).or_else(|| val.get("observations")).filter(Val::is_array),
    }
}

fn is_observation(val: Val<'_>) -> bool {
    const TYPES: [&str; 10] = [
        "GENERATION",
        "SPAN",
        "EVENT",
        "AGENT",
        "TOOL",
        "CHAIN",
        "RETRIEVER",
        "EVALUATOR",
        "EMBEDDING",
        "GUARDRAIL",
    ];
    let named = [name::traceId, name::trace_id].iter().any(|key| val.get(*key).is_some_and(|id| id.is_string()));
    named && val.get(name::r#type).is_some_and(|kind| TYPES.iter().any(|name| kind.is(name)))
}

fn read_record(record: &ParsedRecord<'_>, out: &mut Vec<TranslatedThread>) {
    let all = match list(record.val) {
        Some(list) => list.elements().collect(),
        None => vec![record.val],
    };
    let generations =
        all.into_iter().filter(|one| one.get(name::r#type).is_some_and(|kind| kind.is("GENERATION")));
    out.extend(generations.filter_map(|one| read_generation(one, record)));
}

fn read_generation(one: Val<'_>, record: &ParsedRecord<'_>) -> Option<TranslatedThread> {
    let mut thread = ThreadBuilder::default();
    add_messages(one.get(name::input), Role::User, record, &mut thread);
    add_messages(one.get(name::output), Role::Assistant, record, &mut thread);
    if thread.is_empty() {
        return None;
    }
    let mut settings = HistorySettings {
        label: text(one, "id"),
        model: text(one, "model"),
        read_only: Some(READ_ONLY),
        ..HistorySettings::default()
    };
    settings.facts.set_if(RequestFlags::CUT, is_truncated(one));
    Some(thread.finish(&INFO, settings))
}

/// Adds an input or an output: messages, one message, or a text.
fn add_messages(value: Option<Val<'_>>, role: Role, record: &ParsedRecord<'_>, thread: &mut ThreadBuilder) {
    let Some(value) = value else { return };
    let is_read = threads::with_parsed(value, record, &mut |inner| {
        let val = inner.val;
        let list = ["messages", "input", "output"].iter().find_map(|key| val.get(key)).unwrap_or(val);
        let choice = val.get(name::choices).and_then(|choices| choices.elements().next());
        if let Some(message) = choice.and_then(|choice| choice.get(name::message)) {
            return thread.message(message, inner);
        }
        let all: Vec<Val<'_>> = if list.is_array() { list.elements().collect() } else { vec![list] };
        for message in all {
            match message.get(name::role).is_some() {
                true => thread.message(message, inner),
                false => {
                    thread.begin();
                    thread.content(role, message.get(name::content).or(Some(message)), inner);
                }
            }
        }
    });
    if !is_read {
        thread.begin();
        thread.text(role, Some(value), record);
    }
}
