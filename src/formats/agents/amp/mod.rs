//! Threads of Amp: `{v, id: "T-…", messages}` with blocks in the manner of Anthropic's. The thread itself is kept by Amp's
//! server; the file is a copy.

use crate::format::translate::{Stored, Translated, by_record};
use crate::format::unsent::UnsentPaths;
use crate::format::{Format, FormatInfo, Layout, Probe};
use crate::history::Settings;
use crate::json::name;

use crate::formats::member::{text, text_at};
use crate::formats::threads;
use crate::formats::threads::ThreadBuilder;
use crate::formats::threads::{Dialects, STORE};

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

const READ_ONLY: &str = "threads of Amp are kept by its server, and this is a copy; `replaylint convert --to API FILE` writes a request, which `fix` can repair";

/// What of the store no request says.
const UNSENT: &[UnsentPaths] = &[UnsentPaths {
    paths: &["messages/content/complete", "messages/content/run/status=done", "messages/state/**"],
    why: "how far a call or a message was",
}];

impl Format for AmpThread {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let is_thread = text(probe.val, "id").is_some_and(|id| id.starts_with("T-"));
        if is_thread && probe.val.get("v").is_some() && threads::has_list(probe.val, "messages") { 95 } else { 0 }
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| by_record(read))
    }
}

fn read(record: &Stored<'_>, out: &mut Vec<Translated>) {
    let mut said = ThreadBuilder::default();
    let mut model = text(record.val, "model");
    for message in record.val.get(name::messages).into_iter().flat_map(|list| list.elements()) {
        model = text_at(message, &["usage", "model"]).or(model);
        said.message(message, record);
    }
    let settings =
        Settings { label: text(record.val, "id"), model, read_only: Some(READ_ONLY), ..Settings::default() };
    out.push(said.finish(&INFO, settings));
}
