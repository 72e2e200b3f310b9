//! The state of an interrupted run of the OpenAI Agents SDK for Python: its input, and the items that it has generated.

use foldhash::HashSet;

use crate::dialects::responses::RESPONSES;
use crate::format::{
    EditSupport, Format, FormatInfo, HistoryScope, Layout, Mark, Probe, Record, RecordPart, RemovalUnit, Sink,
    Upstream, read_item,
};
use crate::history::{Flags, HistorySettings, Usage};
use crate::json::{Val, name};

use crate::formats::openai::responses::request::read_input_value;

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
    histories: HistoryScope::PerRecord,
    parts: &[
        RecordPart { path: &[INPUT], unit: RemovalUnit::Element },
        RecordPart { path: &[GENERATED], unit: RemovalUnit::Element },
    ],
    edit_support: EditSupport::Unsupported,
    is_read_whole: true,
    ..FormatInfo::of(&RESPONSES, "openai")
};

const INPUT: &str = "original_input";
const GENERATED: &str = "generated_items";

/// The minor number of the newest known version 1.x.
const NEWEST: u8 = 17;

const READ_ONLY: &str = "a RunState refers to its items by number, so it is not edited; `replaylint convert --to API FILE` writes the history";

impl Format for AgentsRunState {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let items = || probe.val.get(GENERATED).is_some_and(|items| items.is_array());
        if probe.has(name::original_input) && probe.val.get("$schemaVersion").is_some() && items() {
            97
        } else {
            0
        }
    }

    fn layout(&'static self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    let flags = Flags::default();
    let version = record.val.get("$schemaVersion").filter(|version| !is_known_version(*version, NEWEST));
    let unknown_version = version.map(|version| record.base.of(version));
    let settings = HistorySettings {
        usage: Usage::Log,
        read_only: Some(READ_ONLY),
        unknown_version,
        ..HistorySettings::default()
    };
    sink.mark(Mark::Start(Box::new(settings)));
    if let Some(input) = record.val.get(INPUT) {
        read_input_value(input, record, 0, flags, sink);
    }
    let repeated = repeated_items(record.val);
    let generated = record.val.get(GENERATED).into_iter().flat_map(|items| items.elements());
    for (number, item) in generated.enumerate() {
        if !repeated.contains(&number) {
            read_generated(item, record, sink);
        }
    }
    sink.mark(Mark::End);
}

/// True for a version from 1.0 to `1.newest`.
pub(super) fn is_known_version(version: Val<'_>, newest: u8) -> bool {
    let text = version.text();
    let minor = text.as_deref().and_then(|text| std::str::from_utf8(text.strip_prefix(b"1.")?).ok());
    minor.and_then(|minor| minor.parse::<u8>().ok()).is_some_and(|minor| minor <= newest)
}

/// Reads an item in the wrapper of the SDK. One that waits for an approval is not sent: its call comes before it.
fn read_generated(item: Val<'_>, record: &Record<'_>, sink: &mut dyn Sink) {
    let waits = item.get(name::r#type).is_some_and(|kind| kind.is("tool_approval_item"));
    if let Some(raw) = item.get("raw_item").filter(|raw| raw.is_object() && !waits) {
        read_item(&RESPONSES, raw, record, 1, Flags::default(), sink);
    }
}

/// The numbers of generated items that the input already contains, because of a handoff. The state lists them by their
/// numbers in the session.
fn repeated_items(state: Val<'_>) -> HashSet<usize> {
    let number = |val: Val<'_>| std::str::from_utf8(val.raw()).ok().and_then(|text| text.parse::<usize>().ok());
    let list = |key| state.get(key).into_iter().flat_map(|list: Val<'_>| list.elements());
    let owned: HashSet<usize> = list("nested_history_owned_session_item_refs")
        .filter_map(|reference| reference.get(name::index).and_then(number))
        .collect();
    let of_session = list("generated_session_item_indexes").map(number).enumerate();
    of_session.filter(|(_, index)| index.is_some_and(|index| owned.contains(&index))).map(|(n, _)| n).collect()
}
