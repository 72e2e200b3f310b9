//! Threads of Amp: `{v, id: "T-…", messages}` with Anthropic content blocks. Amp's server keeps the thread; the file is a
//! copy.

use crate::format::translate::{ParsedRecord, TranslatedThread, by_record};
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{Format, FormatInfo, Layout, Probe};
use crate::history::HistorySettings;
use crate::json::name;

use crate::formats::member::{text, text_at};
use crate::formats::threads::ThreadBuilder;
use crate::formats::threads::{Dialects, STORE};

pub mod resume;

pub struct AmpThread;

pub static FORMAT: AmpThread = AmpThread;

static INFO: FormatInfo = Dialects::of_agent(FormatInfo {
    name: "amp-thread",
    title: "Amp thread",
    known_by: "`id` that begins with `T-`, `v` and `messages`",
    unsent: UNSENT,
    ..STORE
})
.anthropic;

const READ_ONLY: &str = "Amp keeps its threads on its server, and this is a copy; `replaylint convert --to API FILE` writes a request that `fix` can repair";

/// Stored members that no request contains, and why.
const UNSENT: &[UnsentPaths] = &[UnsentPaths {
    paths: &["messages/content/complete", "messages/content/run/status=done", "messages/state/**"],
    why: "the progress of a call or a message",
}];

impl Format for AmpThread {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let is_thread = || probe.text(name::id).is_some_and(|id| id.starts_with(b"T-"));
        if probe.has_list(name::messages) && is_thread() && probe.val.get("v").is_some() { 95 } else { 0 }
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| by_record(read))
    }
}

fn read(record: &ParsedRecord<'_>, out: &mut Vec<TranslatedThread>) {
    let mut thread = ThreadBuilder::default();
    let mut model = text(record.val, "model");
    for message in record.val.get(name::messages).into_iter().flat_map(|list| list.elements()) {
        model = text_at(message, &["usage", "model"]).or(model);
        thread.message(message, record);
    }
    let settings = HistorySettings {
        label: text(record.val, "id"),
        model,
        read_only: Some(READ_ONLY),
        ..HistorySettings::default()
    };
    out.push(thread.finish(&INFO, settings));
}
