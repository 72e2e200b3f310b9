//! A page of a chat's messages, as coder's API returns it: what those get who cannot read the database. It holds what
//! people see, newest first, without the model's own rows.

use crate::dialects::coder::CODER;
use crate::format::{
    Format, FormatInfo, Histories, Layout, Mark, Part, Probe, Record, Sink, Slice, Unit, Upstream,
};
use crate::history::{Settings, Usage};
use crate::json::{Val, name};

use super::chat::{PLAIN, read_row, row_score, rows_score};

pub struct CoderPage;

pub static FORMAT: CoderPage = CoderPage;

static INFO: FormatInfo = FormatInfo {
    name: "coder-page",
    title: "page of the messages of a chat, as the API of coder returns it",
    upstream: Some(Upstream {
        repository: "coder/coder",
        file: Some("coderd/x/chatd/chatprompt/chatprompt.go"),
        version: Some("018f9512"),
    }),
    known_by: "`messages`, a list of rows, with `queued_messages` or `has_more`",
    usage: Usage::Log,
    histories: Histories::PerRecord,
    parts: &[Part { path: &["messages"], unit: Unit::Block }],
    ..FormatInfo::of(&CODER, "openai")
};

impl Format for CoderPage {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let Some(rows) = probe.val.get(name::messages).filter(|rows| rows.is_array()) else { return 0 };
        let has = |key: &str| probe.val.get(key).is_some();
        let (queue, more) = (has("queued_messages"), has("has_more"));
        if !queue && !more {
            return 0;
        }
        match rows_score(rows) {
            // The page around them says whose they are.
            0 if queue && more && (rows.count() == 0 || rows.elements().any(is_of_chat)) => 90,
            score => score,
        }
    }

    fn layout(&'static self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    match record.slice {
        Slice::Element { section: "messages" } => read_row(record.val, record, sink),
        Slice::Element { .. } | Slice::Made => {}
        Slice::Whole | Slice::Head => {
            sink.mark(Mark::Start(Box::new(Settings { usage: Usage::Log, ..Settings::default() })));
            let rows = record.val.get(name::messages).into_iter().flat_map(|rows| rows.elements());
            rows.for_each(|row| read_row(row, record, sink));
            if record.val.get(name::has_more).and_then(|more| more.as_bool()) == Some(true) {
                // Partners may be among the rows of another page.
                sink.mark(Mark::Settings(|settings, _| settings.broken = true, Box::default()));
            }
            sink.mark(Mark::End);
        }
    }
}

/// Whether a row that could be anybody's message names the chat that it is of.
fn is_of_chat(row: Val<'_>) -> bool {
    row_score(row) >= PLAIN && row.get("chat_id").is_some()
}
