//! Data sets in the format of Alpaca: `instruction`, `input` and `output`. They are read only with `--format alpaca`.

use crate::dialects::chat::CHAT;
use crate::format::translate::{ParsedRecord, TranslatedThread, by_record};
use crate::format::{EditSupport, Format, FormatInfo, HistoryScope, Layout, Probe, RecordPart, RemovalUnit};
use crate::history::{HistorySettings, Usage};
use crate::json::{Val, name};
use crate::message::{Message, Text};

use super::message;
use crate::formats::threads;

pub struct Alpaca;

pub static FORMAT: Alpaca = Alpaca;

static INFO: FormatInfo = FormatInfo {
    name: "alpaca",
    title: "Alpaca data set (only with `--format alpaca`)",
    known_by: "`--format alpaca`: `instruction`, `input`, `output`, and optionally `system` and `history`",
    usage: Usage::Log,
    histories: HistoryScope::PerDoc,
    parts: &[RecordPart { path: &[], unit: RemovalUnit::Record }],
    is_explicit_only: true,
    edit_support: EditSupport::Unsupported,
    ..FormatInfo::of(&CHAT, "chat-template")
};

const READ_ONLY: &str =
    "data sets are not edited; `replaylint convert --to API FILE` writes requests, which `fix` can repair";

impl Format for Alpaca {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, _: &Probe<'_>) -> u8 {
        0
    }

    fn accepts(&self, val: Val<'_>) -> bool {
        val.get(name::instruction).is_some()
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| by_record(read_record))
    }
}

fn read_record(record: &ParsedRecord<'_>, out: &mut Vec<TranslatedThread>) {
    for one in threads::as_list(record.val).into_iter().filter(|one| one.get(name::instruction).is_some()) {
        let settings = HistorySettings { read_only: Some(READ_ONLY), ..HistorySettings::default() };
        out.push(TranslatedThread::from_messages(&INFO, settings, messages(one, record)));
    }
}

fn messages(one: Val<'_>, record: &ParsedRecord<'_>) -> Vec<Message> {
    let base = record.base;
    let string = |key: &str| one.get(key).filter(Val::is_string);
    let is_set = |own: &Val<'_>| !own.is("");
    let text_message = |role: &str, own: Val<'_>| {
        message(role, base.of(own), record.number, |w| w.key("content").copy(own, base))
    };
    let mut out = Vec::new();
    out.extend(string("system").filter(is_set).map(|own| text_message("system", own)));
    // Earlier turns: pairs of a question and its answer.
    for pair in one.get("history").into_iter().flat_map(|history| history.elements()) {
        let turns = ["user", "assistant"].into_iter().zip(pair.elements());
        out.extend(turns.map(|(role, own)| text_message(role, own)));
    }
    if let Some(instruction) = string("instruction") {
        let prompt = [Some(instruction), string("input").filter(is_set)];
        let texts: Vec<Text> = prompt.into_iter().flatten().filter_map(|own| Text::copied(own, base)).collect();
        let text = Text::join(&texts, "\\n\\n");
        out.push(message("user", base.of(instruction), record.number, |w| w.key("content").text(&text)));
    }
    out.extend(string("output").map(|own| text_message("assistant", own)));
    out
}
