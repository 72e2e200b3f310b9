//! The newest checkpoint of a LangGraph thread in SQLite: its channel `messages`. It is only read; `update_state` of the
//! graph changes it.

use crate::format::handover::Handover;
use crate::format::translate::{Stored, Translated, by_record};
use crate::format::{Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::Settings;
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
    stored_in_tables: true,
    unsent: super::UNSENT,
    handover: Some(&HANDOVER),
    ..STORE
});

const READ_ONLY: &str = "checkpoints are not edited: `fix` prints what to give to `update_state` of the graph, and `replaylint convert --to API FILE` writes a request";

static HANDOVER: Handover = Handover {
    call: langchain::CALL,
    mends: |code| langchain::MENDS.contains(&code),
    update: |record, problems| langchain::update(messages(record.val)?, record, problems),
};

impl Format for LanggraphCheckpoint {
    fn info(&'static self) -> &'static FormatInfo {
        &DIALECTS.chat
    }

    /// Its tables tell.
    fn detect(&self, _: &Probe<'_>) -> u8 {
        0
    }

    fn knows(&self, val: Val<'_>) -> bool {
        val.get("channel_values").is_some_and(|values| values.is_object())
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| by_record(tell))
    }
}

fn messages(state: Val<'_>) -> Option<Val<'_>> {
    state.at(&["channel_values", "messages"]).filter(|list| list.is_array())
}

/// The one record is the checkpoint.
fn tell(record: &Stored<'_>, out: &mut Vec<Translated>) {
    let Some(list) = messages(record.val) else { return };
    let settings = Settings { read_only: Some(READ_ONLY), ..Settings::default() };
    out.push(langchain::translated(list, &DIALECTS, settings, record));
}
