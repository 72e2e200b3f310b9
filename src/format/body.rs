//! Where the body of a request lies in a record, and what of it is empty.

use crate::history::{Around, Settings};
use crate::json::Val;
use crate::message::LossKind;
use crate::place::Place;

use super::{Mark, Record, Sink, Slice};

/// The place of the list of messages under a key of a request's body, where it is there and empty. In a large document
/// every list looks empty, as its elements come apart.
pub fn empty_list(body: Val<'_>, key: &str, record: &Record<'_>) -> Option<Place> {
    let list = body.get(key).filter(|list| list.is_array() && list.count() == 0);
    list.filter(|_| record.slice == Slice::Whole).map(|list| record.base.of(list))
}

/// Where a request's body lies, if it is one and not only the list of its items.
pub fn around(body: Val<'_>, record: &Record<'_>) -> Option<Around> {
    body.is_object().then(|| Around::of(record.base.of(body)))
}

/// How batches call what names an entry: OpenAI's and Anthropic's, Gemini's, Bedrock's.
const ENTRY_NAMES: [&str; 3] = ["custom_id", "key", "recordId"];

/// Tells the history that began from others by what a batch calls its entry.
pub fn name_entry(entry: Val<'_>, record: &Record<'_>, sink: &mut dyn Sink) {
    let named = ENTRY_NAMES.iter().find_map(|key| entry.member(*key).filter(|member| member.val.is_string()));
    if let Some(member) = named
        && let Some(name) = member.val.text()
    {
        let key = String::from_utf8_lossy(&member.key.decode()).into_owned();
        let label = format!("{key} {}", String::from_utf8_lossy(&name));
        sink.mark(Mark::Settings(Settings::add_label, label.into()));
        let end = member.key_start + member.key.raw.len() as u32 + 2;
        let at = record.base.place(member.key_start, end);
        sink.mark(Mark::NotConverted(LossKind::ENTRY_NAME.found(at, record.number)));
    }
}

/// The same by which of several answers it is.
pub fn name_answer(what: &str, number: usize, of: usize, sink: &mut dyn Sink) {
    if of > 1 {
        sink.mark(Mark::Settings(Settings::add_label, format!("{what} {number}").into()));
    }
}
