//! Messages that LangChain has written: `messages_to_dict`, `model_dump` and `dumpd`, as a list, in an object with
//! `messages`, or one a line.

use crate::format::translate::{ParsedRecord, ThreadReader, TranslatedThread};
use crate::format::{EditSupport, Editor, Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::HistorySettings;
use crate::json::{Val, name};

use super::super::langchain;
use super::edit::editor;
use crate::formats::threads::{Dialects, STORE};

pub struct LangchainMessages;

pub static FORMAT: LangchainMessages = LangchainMessages;

static DIALECTS: Dialects = Dialects::of_sdk(FormatInfo {
    name: "langchain-messages",
    title: "messages of LangChain (`messages_to_dict`, `model_dump`, `dumpd`)",
    upstream: Some(Upstream {
        repository: "langchain-ai/langchain",
        file: Some("libs/core/langchain_core/messages"),
        version: None,
    }),
    known_by: "messages of `type` human, ai, system or tool with `data` or `additional_kwargs`; `lc` with `kwargs`",
    unsent: super::UNSENT,
    edit_support: EditSupport::Partial,
    editor: Some(&EDITOR),
    ..STORE
});

static EDITOR: Editor = editor(list);

impl Format for LangchainMessages {
    fn info(&'static self) -> &'static FormatInfo {
        &DIALECTS.chat
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        match list(probe.val) {
            Some(list) => langchain::list_score(list),
            None => langchain::score(probe.val),
        }
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| Box::new(LangchainReader::default()))
    }
}

/// The messages of a document.
fn list(val: Val<'_>) -> Option<Val<'_>> {
    let member = || val.get(name::messages).or_else(|| val.at(&["kwargs", "messages"]));
    if val.is_array() { Some(val) } else { member().filter(|list| list.is_array()) }
}

/// The conversations so far, and the one whose messages are records.
#[derive(Default)]
struct LangchainReader {
    translated: Vec<TranslatedThread>,
    lines: langchain::LineConversation,
}

impl ThreadReader for LangchainReader {
    fn read(&mut self, record: &ParsedRecord<'_>) {
        match list(record.val) {
            Some(list) => {
                self.translated.push(langchain::translate_list(
                    list,
                    &DIALECTS,
                    HistorySettings::default(),
                    record,
                ));
            }
            None => self.lines.add(record),
        }
    }

    fn finish(mut self: Box<Self>) -> Vec<TranslatedThread> {
        self.translated.extend(self.lines.translate(&DIALECTS, HistorySettings::default()));
        self.translated
    }
}
