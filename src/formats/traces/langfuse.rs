//! Exports of Langfuse: observations, of which those of type `GENERATION` hold what a model was sent and what it answered, in
//! the form in which the integration reported it.

use crate::format::translate::{Stored, Translated, by_record};
use crate::format::unsent::UnsentPaths;
use crate::format::{Format, FormatInfo, Layout, Probe};
use crate::history::{Facts, Role, Settings};
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
    "a trace is not sent again; `replaylint convert --to API FILE` writes a request, which `fix` can repair";

/// What of the store no request says.
const UNSENT: &[UnsentPaths] =
    &[UnsentPaths { paths: &["name", "traceId", "**/object"], why: "about the observation" }];

impl Format for Langfuse {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let list = list(probe.val);
        let all = list.map_or_else(|| vec![probe.val], |list| list.elements().take(threads::SAMPLE).collect());
        if !all.is_empty() && all.into_iter().all(is_observation) { 92 } else { 0 }
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| by_record(tell))
    }
}

/// The list of observations, if there is one.
fn list(val: Val<'_>) -> Option<Val<'_>> {
    match val.is_array() {
        true => Some(val),
        false => ["data", "observations"].iter().find_map(|key| val.get(key)).filter(Val::is_array),
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
    let is_typed = val.get(name::r#type).is_some_and(|kind| TYPES.iter().any(|name| kind.is(name)));
    let named = ["traceId", "trace_id"].iter().any(|key| val.get(key).is_some_and(|id| id.is_string()));
    named && is_typed
}

fn tell(record: &Stored<'_>, out: &mut Vec<Translated>) {
    let all = match list(record.val) {
        Some(list) => list.elements().collect(),
        None => vec![record.val],
    };
    let generations =
        all.into_iter().filter(|one| one.get(name::r#type).is_some_and(|kind| kind.is("GENERATION")));
    out.extend(generations.filter_map(|one| translated(one, record)));
}

fn translated(one: Val<'_>, record: &Stored<'_>) -> Option<Translated> {
    let mut said = ThreadBuilder::default();
    side(one.get(name::input), Role::User, record, &mut said);
    side(one.get(name::output), Role::Assistant, record, &mut said);
    if said.is_empty() {
        return None;
    }
    let mut settings = Settings {
        label: text(one, "id"),
        model: text(one, "model"),
        read_only: Some(READ_ONLY),
        ..Settings::default()
    };
    settings.facts.set_if(Facts::CUT, is_truncated(one));
    Some(said.finish(&INFO, settings))
}

/// Adds what was sent, or what came back: messages, one message, or a text.
fn side(side: Option<Val<'_>>, role: Role, record: &Stored<'_>, said: &mut ThreadBuilder) {
    let Some(side) = side else { return };
    let is_read = threads::within(side, record, &mut |inner| {
        let val = inner.val;
        let list = ["messages", "input", "output"].iter().find_map(|key| val.get(key)).unwrap_or(val);
        let choice = val.get(name::choices).and_then(|choices| choices.elements().next());
        if let Some(message) = choice.and_then(|choice| choice.get(name::message)) {
            return said.message(message, inner);
        }
        let all: Vec<Val<'_>> = if list.is_array() { list.elements().collect() } else { vec![list] };
        for message in all {
            match message.get(name::role).is_some() {
                true => said.message(message, inner),
                false => {
                    said.begin();
                    said.content(role, message.get(name::content).or(Some(message)), inner);
                }
            }
        }
    });
    if !is_read {
        said.begin();
        said.text(role, Some(side), record);
    }
}
