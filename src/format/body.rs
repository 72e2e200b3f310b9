//! The body of a request in a record: its place, its empty list, and labels of histories.

use crate::history::{HistorySettings, RequestBody};
use crate::json::Val;
use crate::message::LossKind;
use crate::place::Place;

use super::{Mark, Record, Sink, Slice};

/// The place of the list under a key of a request's body, if it is there and empty.
pub fn empty_list(body: Val<'_>, key: &str, record: &Record<'_>) -> Option<Place> {
    let list = body.get(key).filter(|list| list.is_array() && list.count() == 0)?;
    let place = record.base.of(list);
    // In a large document it may be what is left of a list whose elements were read before.
    let is_left = record.slice == Slice::Rest && place.len as usize > list.raw().len();
    (!is_left).then_some(place)
}

/// The body of a request; `None` if the value is only the list of its items.
pub fn request_body(body: Val<'_>, record: &Record<'_>) -> Option<RequestBody> {
    body.is_object().then(|| RequestBody::of(record.base.of(body)))
}

/// The keys that name an entry of a batch: of OpenAI and Anthropic, Gemini, Bedrock.
const ENTRY_NAMES: [&str; 3] = ["custom_id", "key", "recordId"];

/// Labels the current history with the name of its entry in a batch.
pub fn label_entry(entry: Val<'_>, record: &Record<'_>, sink: &mut dyn Sink) {
    let named = ENTRY_NAMES.iter().find_map(|key| entry.member(*key).filter(|member| member.val.is_string()));
    if let Some(member) = named
        && let Some(name) = member.val.text()
    {
        let (key, name) = (member.key.decode(), String::from_utf8_lossy(&name));
        let label = format!("{} {name}", String::from_utf8_lossy(&key));
        sink.mark(Mark::Settings(HistorySettings::add_label, label.into()));
        sink.mark(Mark::Settings(HistorySettings::set_entry_name, name.into()));
        let end = member.key_start + member.key.raw.len() as u32 + 2;
        let at = record.base.place(member.key_start, end);
        sink.mark(Mark::not_converted(LossKind::ENTRY_NAME, at, record.number));
    }
}

/// Labels the current history with its number, if a response has several answers.
pub fn label_answer(what: &str, number: usize, of: usize, sink: &mut dyn Sink) {
    if of > 1 {
        sink.mark(Mark::Settings(HistorySettings::add_label, format!("{what} {number}").into()));
    }
}
