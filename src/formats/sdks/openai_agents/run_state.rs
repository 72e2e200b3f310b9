//! The state of a run that the OpenAI Agents SDK for Python was interrupted in: what the run began with, and what it has
//! generated since.

use std::collections::HashSet;

use crate::dialects::responses::RESPONSES;
use crate::format::{
    Edited, Format, FormatInfo, Histories, Layout, Mark, Part, Probe, Record, Sink, Slice, Unit, Upstream,
    read_item,
};
use crate::history::{Flags, Settings, Usage};
use crate::json::{Val, name};

use crate::formats::openai::responses::request::read_given;

pub struct AgentsRunState;

pub static FORMAT: AgentsRunState = AgentsRunState;

static INFO: FormatInfo = FormatInfo {
    name: "agents-run-state",
    title: "RunState of the OpenAI Agents SDK for Python",
    upstream: Some(Upstream {
        repository: "openai/openai-agents-python",
        file: Some("src/agents/run_state.py"),
        version: Some("0.22.0"),
    }),
    known_by: "`$schemaVersion`, `original_input` and `generated_items`",
    usage: Usage::Log,
    histories: Histories::PerRecord,
    parts: &[Part { path: &[INPUT], unit: Unit::Element }, Part { path: &[GENERATED], unit: Unit::Element }],
    edited: Edited::Never,
    ..FormatInfo::of(&RESPONSES, "openai")
};

const INPUT: &str = "original_input";
const GENERATED: &str = "generated_items";

/// The newest version 1.x that is known.
const NEWEST: u8 = 17;

const READ_ONLY: &str = "a RunState refers to its items by number, so none is changed; `replaylint convert --to API FILE` writes the history";

impl Format for AgentsRunState {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let has = |key| probe.val.get(key).is_some();
        let items = || probe.val.get(GENERATED).is_some_and(|items| items.is_array());
        if has("$schemaVersion") && has(INPUT) && items() { 97 } else { 0 }
    }

    fn layout(&'static self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    let flags = Flags::default();
    match record.slice {
        Slice::Element { section: INPUT } => return read_item(&RESPONSES, record.val, record, 0, flags, sink),
        Slice::Element { section: GENERATED } => return read_generated(record.val, record, sink),
        Slice::Element { .. } => return,
        _ => {}
    }
    let version = record.val.get("$schemaVersion").filter(|version| !is_known(*version, NEWEST));
    let unknown_version = version.map(|version| record.base.of(version));
    let settings =
        Settings { usage: Usage::Log, read_only: Some(READ_ONLY), unknown_version, ..Settings::default() };
    sink.mark(Mark::Start(Box::new(settings)));
    if let Some(input) = record.val.get(INPUT) {
        read_given(input, record, 0, flags, sink);
    }
    let repeated = repeated(record.val);
    let generated = record.val.get(GENERATED).into_iter().flat_map(|items| items.elements());
    for (number, item) in generated.enumerate() {
        if !repeated.contains(&number) {
            read_generated(item, record, sink);
        }
    }
    sink.mark(Mark::End);
}

/// Whether a version is one from 1.0 to the newest that is known.
pub(super) fn is_known(version: Val<'_>, newest: u8) -> bool {
    let text = version.text();
    let minor = text.as_deref().and_then(|text| std::str::from_utf8(text.strip_prefix(b"1.")?).ok());
    minor.and_then(|minor| minor.parse::<u8>().ok()).is_some_and(|minor| minor <= newest)
}

/// An item with what the SDK keeps of it. One that waits for an approval is not sent: the call that it is about comes
/// before it.
fn read_generated(item: Val<'_>, record: &Record<'_>, sink: &mut dyn Sink) {
    let waits = item.get(name::r#type).is_some_and(|kind| kind.is("tool_approval_item"));
    if let Some(raw) = item.get("raw_item").filter(|raw| raw.is_object() && !waits) {
        read_item(&RESPONSES, raw, record, 1, Flags::default(), sink);
    }
}

/// Numbers of generated items that the input already contains, since a handoff put them there. The state says so by
/// their numbers in the session.
fn repeated(state: Val<'_>) -> HashSet<usize> {
    let number = |val: Val<'_>| std::str::from_utf8(val.raw()).ok().and_then(|text| text.parse::<usize>().ok());
    let list = |key| state.get(key).into_iter().flat_map(|list: Val<'_>| list.elements());
    let owned: HashSet<usize> = list("nested_history_owned_session_item_refs")
        .filter_map(|reference| reference.get(name::index).and_then(number))
        .collect();
    let of_session = list("generated_session_item_indexes").map(number).enumerate();
    of_session.filter(|(_, index)| index.is_some_and(|index| owned.contains(&index))).map(|(n, _)| n).collect()
}
