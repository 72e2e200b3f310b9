//! A request together with its response: `{"request": {…}, "response": {…}}`, as proxies and recorders write it; also
//! with `body` for the request. The history is the request's input and then the response's output. Either side may be
//! stored as a JSON string: then it is read, and never edited.

use crate::dialects::responses::RESPONSES;
use crate::format::{Format, FormatInfo, Histories, Layout, Mark, Part, Probe, Record, Sink, Unit};
use crate::history::tree::{self, Entry};
use crate::history::{Around, Flags, Settings, Usage};
use crate::json::edit::Base;
use crate::json::string::Decoder;
use crate::json::{Tape, Val, name, scan};

use super::{responses_object, responses_request};

pub struct ResponsesExchange;

pub static FORMAT: ResponsesExchange = ResponsesExchange;

static INFO: FormatInfo = FormatInfo {
    name: "responses-exchange",
    title: "Responses request with its response",
    known_by: "`request` or `body`, a request, and `response`, its response (either may be a JSON string)",
    usage: Usage::Exchange,
    histories: Histories::PerRecord,
    parts: &[
        Part { path: &["request", "input"], unit: Unit::Element },
        Part { path: &["body", "input"], unit: Unit::Element },
        Part { path: &["request", "body", "input"], unit: Unit::Element },
        Part { path: &["response", "output"], unit: Unit::Element },
        Part { path: &["response", "body", "output"], unit: Unit::Element },
    ],
    records_responses: true,
    ..FormatInfo::of(&RESPONSES, "openai")
};

/// Number of the parts that are requests; the others are responses.
const REQUEST_PARTS: usize = 3;

pub(in crate::formats) const EMBEDDED: &str = "it is inside a JSON string, which is never edited";

impl Format for ResponsesExchange {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        if !(probe.has(name::response) && (probe.has(name::request) || probe.has(name::body)))
            || probe.has(name::custom_id)
        {
            return 0;
        }
        let request = (0..REQUEST_PARTS).any(|part| INFO.holder(probe.val, part).is_some_and(looks_like_request));
        if request { 90 } else { 0 }
    }

    fn layout(&self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    let (request, response) = sides(record.val);
    let embedded = [request, response].iter().flatten().any(|(_, val)| val.is_string());
    let read_only = embedded.then_some(EMBEDDED);
    let mut answer = None;
    if let Some((_, val)) = response {
        within(val, record, |response, record, _| answer = Some(responses_object::entry(response, record)));
    }
    // Without a request that can be read, the history begins with the response.
    let anchor = response.and_then(|(_, val)| responses_object::anchor(val, record));
    let mut begun = false;
    if let Some((part, val)) = request {
        within(val, record, |body, record, flags| {
            begun = true;
            let mut found = responses_request::settings(body, record, Usage::Exchange);
            found.around = found.around.map(|around| Around { embedded: flags.has(Flags::EMBEDDED), ..around });
            sink.mark(Mark::Start(Box::new(Settings { read_only, response: anchor, ..found })));
            let mut entry = responses_request::entry(body, record);
            entry.body = entry.body.map(|(place, _)| (place, flags.has(Flags::EMBEDDED)));
            sink.mark(Mark::Entry(Box::new(exchange(entry, answer.take()))));
            responses_request::read_input(body, record, part as u8, flags, sink);
        });
    }
    if !begun {
        let settings = Settings { usage: Usage::Exchange, read_only, response: anchor, ..Settings::default() };
        sink.mark(Mark::Start(Box::new(settings)));
        if let Some(answer) = answer {
            sink.mark(Mark::Entry(Box::new(Entry { body: None, ..answer })));
        }
    }
    if let Some((part, val)) = response {
        within(val, record, |response, record, flags| {
            responses_object::read_output(response, record, part as u8, flags, sink);
        });
    }
    sink.mark(Mark::End);
}

/// A side of an exchange, with the number of its part.
type Side<'r> = Option<(usize, Val<'r>)>;

/// The request and the response that a record holds.
fn sides(val: Val<'_>) -> (Side<'_>, Side<'_>) {
    let request = (0..REQUEST_PARTS)
        .find_map(|part| INFO.holder(val, part).filter(|val| looks_like_request(*val)).map(|val| (part, val)));
    let response = (REQUEST_PARTS..INFO.parts.len())
        .find_map(|part| INFO.holder(val, part).filter(|val| looks_like_response(*val)).map(|val| (part, val)));
    (request, response)
}

/// A request with its response, if that could be read. The request says what it builds on; the response repeats it.
fn exchange(request: Entry, response: Option<Entry>) -> Entry {
    let Some(response) = response else { return request };
    Entry {
        part: tree::Part::Exchange,
        parent: request.parent,
        claimed: response.parent,
        model: request.model.or(response.model),
        store: request.store.or(response.store),
        body: request.body,
        ..response
    }
}

fn looks_like_request(val: Val<'_>) -> bool {
    match val.as_str() {
        Some(text) => holds(text.raw, &[br#"\"input\":"#, br#"\"input\" :"#]),
        None => responses_request::is_body(val),
    }
}

fn looks_like_response(val: Val<'_>) -> bool {
    match val.as_str() {
        Some(text) => holds(text.raw, &[br#"\"output\":"#, br#"\"output\" :"#]),
        None => val.get(name::output).is_some_and(|o| o.is_array()),
    }
}

pub(super) fn holds(text: &[u8], any: &[&[u8]]) -> bool {
    any.iter().any(|needle| memchr::memmem::find(text, needle).is_some())
}

/// Calls `read` with the object that a value is, or that the text of a string is. A string that is not JSON is
/// passed over: nothing in it can be judged.
pub(in crate::formats) fn within(
    val: Val<'_>,
    record: &Record<'_>,
    mut read: impl FnMut(Val<'_>, &Record<'_>, Flags),
) {
    let Some(text) = val.as_str() else {
        read(val, record, Flags::default());
        return;
    };
    let mut bytes = Vec::with_capacity(text.raw.len());
    let mut runs = Vec::new();
    let mut decoder = Decoder::new(text.raw);
    loop {
        let from = val.start() + 1 + decoder.offset() as u32;
        let Some(part) = decoder.next_part() else { break };
        runs.push((bytes.len() as u32, record.base.offset(from)));
        bytes.extend_from_slice(part.as_bytes());
    }
    let mut tape = Tape::new();
    if scan(&bytes, &mut tape).is_err() {
        return;
    }
    if let Some(inner) = tape.root(&bytes) {
        let base = Base::of_runs(record.base.doc(), &runs);
        read(inner, &Record { val: inner, base, ..*record }, Flags::EMBEDDED);
    }
}
