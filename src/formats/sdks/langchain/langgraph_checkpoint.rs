//! The newest checkpoint of a LangGraph thread in SQLite: its channel `messages`. It is only read; `update_state` of the
//! graph changes it.

use crate::format::handover::Handover;
use crate::format::translate::{ParsedRecord, TranslatedThread, by_record};
use crate::format::{Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::HistorySettings;
use crate::json::Val;

use super::super::langchain;
use crate::formats::threads::{Dialects, STORE};

pub struct LanggraphCheckpoint;

pub static FORMAT: LanggraphCheckpoint = LanggraphCheckpoint;

static DIALECTS: Dialects = Dialects::of_sdk(FormatInfo {
    name: "langgraph-checkpoint",
    title: "checkpoint of a LangGraph thread (SQLite)",
    upstream: Some(Upstream { repository: "langchain-ai/langgraph", file: None, version: Some("1.2.22") }),
    known_by: "the SQLite tables `checkpoints` and `writes`",
    is_in_database: true,
    unsent: super::UNSENT,
    handover: Some(&HANDOVER),
    ..STORE
});

const READ_ONLY: &str = "checkpoints are not edited: `fix` prints an update for `update_state` of the graph, and `replaylint convert --to API FILE` writes a request";

static HANDOVER: Handover = Handover {
    call: langchain::UPDATE_CALL,
    repairs: |code| langchain::REPAIRED_RULES.contains(&code),
    update: |record, problems| langchain::update(messages(record.val)?, record, problems),
};

impl Format for LanggraphCheckpoint {
    fn info(&'static self) -> &'static FormatInfo {
        &DIALECTS.chat
    }

    /// Always 0: it is recognised by its tables.
    fn detect(&self, _: &Probe<'_>) -> u8 {
        0
    }

    fn accepts(&self, val: Val<'_>) -> bool {
        val.get("channel_values").is_some_and(|values| values.is_object())
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| by_record(read_record))
    }
}

fn messages(state: Val<'_>) -> Option<Val<'_>> {
    state.at(&["channel_values", "messages"]).filter(|list| list.is_array())
}

/// Reads the only record, which is the checkpoint.
fn read_record(record: &ParsedRecord<'_>, out: &mut Vec<TranslatedThread>) {
    let Some(list) = messages(record.val) else { return };
    let settings = HistorySettings { read_only: Some(READ_ONLY), ..HistorySettings::default() };
    out.push(langchain::translate_list(list, &DIALECTS, settings, record));
}
