//! Messages that LangChain has written: `messages_to_dict`, `model_dump` and `dumpd`, as a list, in an object with
//! `messages`, or one a line.

use crate::format::translate::{Stored, ThreadReader, Translated};
use crate::format::{Edited, Editor, Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::Settings;
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
    edited: Edited::Partly,
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
            Some(list) => langchain::score_of(list),
            None => langchain::score(probe.val),
        }
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| Box::new(Messages::default()))
    }
}

/// The messages of a document.
fn list(val: Val<'_>) -> Option<Val<'_>> {
    let held = || val.get(name::messages).or_else(|| val.at(&["kwargs", "messages"]));
    if val.is_array() { Some(val) } else { held().filter(|list| list.is_array()) }
}

/// The conversations so far, and one whose messages are records of their own.
#[derive(Default)]
struct Messages {
    translated: Vec<Translated>,
    lines: langchain::Lines,
}

impl ThreadReader for Messages {
    fn take(&mut self, record: &Stored<'_>) {
        match list(record.val) {
            Some(list) => {
                self.translated.push(langchain::translated(list, &DIALECTS, Settings::default(), record));
            }
            None => self.lines.take(record),
        }
    }

    fn finish(mut self: Box<Self>) -> Vec<Translated> {
        self.translated.extend(self.lines.translated(&DIALECTS, Settings::default()));
        self.translated
    }
}
