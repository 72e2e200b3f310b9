//! The state of a LangGraph thread as its server gives it: `{values: {messages: […]}, next, config, …}`.

use crate::format::translate::{ParsedRecord, TranslatedThread, by_record};
use crate::format::{EditSupport, Editor, Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::HistorySettings;
use crate::json::{Val, name};

use super::super::langchain;
use super::edit::editor;
use crate::formats::threads::{Dialects, STORE};

pub struct LanggraphState;

pub static FORMAT: LanggraphState = LanggraphState;

static DIALECTS: Dialects = Dialects::of_sdk(FormatInfo {
    name: "langgraph-state",
    title: "state of a LangGraph thread",
    upstream: Some(Upstream { repository: "langchain-ai/langgraph", file: None, version: Some("1.2.22") }),
    known_by: "`values` with `messages` of LangChain",
    unsent: super::UNSENT,
    edit_support: EditSupport::Partial,
    editor: Some(&EDITOR),
    ..STORE
});

static EDITOR: Editor = editor(messages);

impl Format for LanggraphState {
    fn info(&'static self) -> &'static FormatInfo {
        &DIALECTS.chat
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let Some(list) = messages(probe.val) else { return 0 };
        let is_state =
            [name::next, name::config, name::checkpoint, name::metadata].into_iter().any(|name| probe.has(name));
        match langchain::list_score(list) {
            0 => 0,
            _ if is_state => 100,
            score => score,
        }
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| by_record(read_record))
    }
}

fn messages(state: Val<'_>) -> Option<Val<'_>> {
    state.get(name::values).and_then(|values| values.get(name::messages)).filter(|list| list.is_array())
}

/// Reads a record, which is the state of a thread at some time.
fn read_record(record: &ParsedRecord<'_>, out: &mut Vec<TranslatedThread>) {
    let Some(list) = messages(record.val) else { return };
    let thread = ["thread_id", "checkpoint_id"].iter().find_map(|key| {
        let id = record.val.at(&["config", "configurable", key])?.text()?;
        Some(String::from_utf8_lossy(&id).into())
    });
    let settings = HistorySettings { label: thread, ..HistorySettings::default() };
    out.push(langchain::translate_list(list, &DIALECTS, settings, record));
}
