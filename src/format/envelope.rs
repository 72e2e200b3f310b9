//! Envelopes of the providers' APIs: a request, a response, a page of items, a line of a batch, a request with its response.
//! What is the same in all envelopes of one API (how a request is told, what its body says, how its items are read) is an
//! [`Api`]; where request and response are in a record is an [`Envelope`], a row of a table.

use crate::dialect::Dialect;
use crate::history::tree::{Entry, Part as NodePart};
use crate::history::{Anchor, Around, Flags, Settings, Usage};
use crate::json::edit::Base;
use crate::json::string::Decoder;
use crate::json::{Name, Tape, Val, name, scan};

use super::body::{name_answer, name_entry};
use super::info::{FormatInfo, Part, Unit};
use super::items::{read_array, read_slice};
use super::mark::{Mark, Sink};
use super::probe::Probe;
use super::record::{Record, Slice};

/// Reads the items of a request or an answer as a part of a record.
pub type ReadItems = fn(Val<'_>, &Record<'_>, u8, Flags, &mut dyn Sink);

/// An API: what all envelopes of its requests and responses share.
pub struct Api {
    pub dialect: &'static dyn Dialect,
    /// How surely a body, or a bare list of items, is one of its requests; 0 if it is none.
    pub request_score: fn(Val<'_>) -> u8,
    /// Whether a value is a request, where the keys around it say that one is there.
    pub is_request: fn(Val<'_>) -> bool,
    /// Whether a value is one of its responses.
    pub is_response: fn(Val<'_>) -> bool,
    /// The same, where a request is with it.
    pub is_answer: fn(Val<'_>) -> bool,
    /// What a request contains that is stored as a JSON string, as it is written there. Empty: no string is a request.
    pub request_text: &'static [&'static [u8]],
    /// The same of a response.
    pub response_text: &'static [&'static [u8]],
    /// What a request, or a bare list of items, says about itself.
    pub settings: fn(Val<'_>, &Record<'_>, Usage) -> Settings,
    pub read_request: ReadItems,
    /// What a response says that is replayed as the end of a history.
    pub response_settings: fn(Val<'_>, &Record<'_>) -> Settings,
    /// The member that lists the answers of a response, and what one is called in a label; `None` if a response is one
    /// answer. The first goes on from the request, and each other one is a history by itself.
    pub answers: Option<(&'static str, &'static str)>,
    pub read_answer: ReadItems,
    /// The model that the record of an exchange names beside the request: of the record, and of its response.
    pub model: fn(Val<'_>, Option<Val<'_>>) -> Option<Box<str>>,
    pub chain: Option<Chain>,
}

/// How requests and responses name one another, so that they make a tree.
#[derive(Clone, Copy)]
pub struct Chain {
    pub request: fn(Val<'_>, &Record<'_>) -> Entry,
    pub response: fn(Val<'_>, &Record<'_>) -> Entry,
    /// What others may build on: the response by its id.
    pub anchor: fn(Val<'_>, &Record<'_>) -> Option<Anchor>,
}

/// An envelope of an API: a row of the table.
pub struct Envelope {
    pub info: FormatInfo,
    pub api: &'static Api,
    pub shape: Shape,
    pub claim: Claim,
    /// Of each list a record has one of these keys.
    pub needs: &'static [&'static [Name]],
    /// Keys that no record has.
    pub excludes: &'static [Name],
    /// Records carry the name of a batch's entry.
    pub names_entries: bool,
    /// What a request says about itself, where the envelope knows better than the API.
    pub settings: Option<fn(Val<'_>, &Record<'_>) -> Settings>,
    /// The same of a response.
    pub response_settings: Option<fn(Val<'_>, &Record<'_>) -> Settings>,
}

/// What a record is.
#[derive(Clone, Copy)]
pub enum Shape {
    /// A request: the first part. If there is a second, bare lists of items are read as well.
    Request,
    Response,
    /// A list of items, or of responses.
    Page {
        /// Items are listed so, unless the user says otherwise.
        newest_first: bool,
    },
    /// A request or a response, by name. The first parts are those of requests.
    Batch {
        requests: usize,
        /// The member that lists such entries in a document; empty if there is none.
        list: &'static str,
    },
    /// A request, and the response that goes on from it. The first parts are those of requests.
    Exchange {
        requests: usize,
    },
    /// Read in a way of its own.
    Own(fn(&Record<'_>, &mut dyn Sink)),
}

/// How sure a record with the right keys is of its envelope.
#[derive(Clone, Copy)]
pub enum Claim {
    /// As sure as the API is of the request that it is.
    Request,
    /// As sure as the API is of the request in it, and at least so if a response is with that.
    Answered(u8),
    /// So sure, if what its parts hold is a request or a response of the API.
    Parts(u8),
    By(fn(&Probe<'_>) -> u8),
}

/// Why nothing of an embedded request is edited.
pub const EMBEDDED: &str = "it is inside a JSON string, which is never edited";

/// A request or a response in a record, with the number of its part.
type Side<'r> = Option<(usize, Val<'r>)>;

impl Envelope {
    /// An envelope as most are: the rest of a row.
    pub const fn of(api: &'static Api, target: &'static str) -> Envelope {
        Envelope {
            info: FormatInfo::of(api.dialect, target),
            api,
            shape: Shape::Request,
            claim: Claim::Request,
            needs: &[],
            excludes: &[],
            names_entries: false,
            settings: None,
            response_settings: None,
        }
    }

    /// How sure a record is of this envelope, 0 to 100.
    pub fn claim(&self, probe: &Probe<'_>) -> u8 {
        let has = |name: &Name| probe.has(*name);
        if !self.needs.iter().all(|any| any.iter().any(has)) || self.excludes.iter().any(has) {
            return 0;
        }
        match self.claim {
            Claim::Request => (self.api.request_score)(probe.val),
            Claim::Answered(least) => self.answered_score(probe.val, least),
            Claim::By(claim) => claim(probe),
            Claim::Parts(score) if self.is_one(probe.val) => score,
            Claim::Parts(_) => 0,
        }
    }

    fn answered_score(&self, val: Val<'_>, least: u8) -> u8 {
        let Shape::Exchange { requests } = self.shape else { return 0 };
        let Some((_, body)) = self.request(val, requests) else { return 0 };
        let score = if body.is_string() { 0 } else { (self.api.request_score)(body) };
        if self.response(val, requests).is_some() { score.max(least) } else { score }
    }

    /// Whether the parts of a record hold what they are for.
    fn is_one(&self, val: Val<'_>) -> bool {
        match self.shape {
            Shape::Response => (self.api.is_response)(val),
            Shape::Exchange { requests } => self.request(val, requests).is_some(),
            Shape::Batch { requests, .. } => {
                let parts = self.info.parts.len();
                self.side(val, 0..requests, "", self.api.is_request, &[]).is_some()
                    || self.side(val, requests..parts, "", self.api.is_response, &[]).is_some()
            }
            Shape::Request | Shape::Page { .. } | Shape::Own(_) => false,
        }
    }

    /// Hands the items and marks of a record to the sink.
    pub fn read(&self, record: &Record<'_>, sink: &mut dyn Sink) {
        match self.shape {
            Shape::Request => self.read_request(record, sink),
            Shape::Response => self.read_response(record, sink),
            Shape::Page { newest_first } => self.read_page(record, newest_first, sink),
            Shape::Batch { requests, list } => self.read_batch(record, requests, list, sink),
            Shape::Exchange { requests } => self.read_exchange(record, requests, sink),
            Shape::Own(read) => read(record, sink),
        }
    }

    fn read_request(&self, record: &Record<'_>, sink: &mut dyn Sink) {
        if read_slice(&self.info, record, Flags::default(), sink) {
            return;
        }
        sink.mark(Mark::Start(Box::new(self.settings(record.val, record))));
        if let Some(chain) = self.api.chain {
            sink.mark(Mark::Entry(Box::new((chain.request)(record.val, record))));
        }
        if record.val.is_array() {
            read_array(self.api.dialect, record.val, record, 1, Flags::default(), sink);
        } else {
            self.name_entry(record.val, record, sink);
            (self.api.read_request)(record.val, record, 0, Flags::default(), sink);
        }
        sink.mark(Mark::End);
    }

    fn read_response(&self, record: &Record<'_>, sink: &mut dyn Sink) {
        match (record.slice, self.api.answers) {
            (Slice::Element { section }, Some((list, _))) if section == list => {
                return (self.api.read_answer)(record.val, record, 0, Flags::default(), sink);
            }
            _ if read_slice(&self.info, record, Flags::RECORDED, sink) => return,
            _ => {}
        }
        let entry = self.api.chain.map(|chain| (chain.response)(record.val, record));
        self.read_whole_response(record.val, record, record.val, 0, entry, sink);
    }

    fn read_page(&self, record: &Record<'_>, newest_first: bool, sink: &mut dyn Sink) {
        let is_response = |val: Val<'_>| (self.api.is_response)(val);
        if let Slice::Element { .. } = record.slice
            && is_response(record.val)
        {
            return self.read_whole_response(record.val, record, record.val, 0, None, sink);
        }
        if read_slice(&self.info, record, Flags::default(), sink) {
            return;
        }
        let list = self.info.parts.first().and_then(|part| record.val.at(part.path));
        let elements = || list.into_iter().flat_map(|list| list.elements());
        if elements().next().is_some_and(is_response) {
            return elements()
                .for_each(|response| self.read_whole_response(response, record, record.val, 0, None, sink));
        }
        let newest_first = sink.newest_first().unwrap_or(newest_first);
        sink.mark(Mark::Start(Box::new(Settings { usage: Usage::Log, newest_first, ..Settings::default() })));
        if let Some(list) = list {
            read_array(self.api.dialect, list, record, 0, Flags::default(), sink);
        }
        sink.mark(Mark::End);
    }

    fn read_batch(&self, record: &Record<'_>, requests: usize, list: &'static str, sink: &mut dyn Sink) {
        if let Slice::Element { section } = record.slice {
            if !list.is_empty() && section == list {
                self.read_entry(record.val, &Record { slice: Slice::Whole, ..*record }, requests, list, sink);
            }
            return;
        }
        if !list.is_empty() {
            let entries = record.val.get(list).into_iter().flat_map(|entries| entries.elements());
            entries.for_each(|entry| self.read_entry(entry, record, requests, list, sink));
        }
        self.read_entry(record.val, record, requests, "", sink);
    }

    /// Reads an entry of a batch. `list` is the member that it is an element of.
    fn read_entry(&self, entry: Val<'_>, record: &Record<'_>, requests: usize, list: &str, sink: &mut dyn Sink) {
        if entry.get(name::custom_id).is_none() {
            return;
        }
        let parts = self.info.parts.len();
        if let Some((part, body)) = self.side(entry, 0..requests, list, self.api.is_request, &[]) {
            sink.mark(Mark::Start(Box::new(self.settings(body, record))));
            self.name_entry(entry, record, sink);
            (self.api.read_request)(body, record, part as u8, Flags::default(), sink);
            sink.mark(Mark::End);
        } else if let Some((part, response)) = self.side(entry, requests..parts, list, self.api.is_response, &[]) {
            self.read_whole_response(response, record, entry, part as u8, None, sink);
        }
    }

    fn read_exchange(&self, record: &Record<'_>, requests: usize, sink: &mut dyn Sink) {
        let (request, response) = (self.request(record.val, requests), self.response(record.val, requests));
        let is_embedded = [request, response].iter().flatten().any(|(_, val)| val.is_string());
        let read_only = is_embedded.then_some(EMBEDDED);
        let mut answer = None;
        let mut anchor = None;
        if let (Some(chain), Some((_, val))) = (self.api.chain, response) {
            within(val, record, |response, record, _| answer = Some((chain.response)(response, record)));
            anchor = (chain.anchor)(val, record);
        }
        let mut is_started = false;
        if let Some((part, val)) = request {
            within(val, record, |body, inner, flags| {
                is_started = true;
                let is_embedded = flags.has(Flags::EMBEDDED);
                let mut settings = self.settings(body, inner);
                settings.around = settings.around.map(|around| Around { embedded: is_embedded, ..around });
                let model = || (self.api.model)(record.val, response.map(|(_, response)| response));
                settings.model = settings.model.take().or_else(model);
                sink.mark(Mark::Start(Box::new(Settings { read_only, response: anchor, ..settings })));
                if let Some(chain) = self.api.chain {
                    let mut entry = (chain.request)(body, inner);
                    entry.body = entry.body.map(|(place, _)| (place, is_embedded));
                    sink.mark(Mark::Entry(Box::new(exchange(entry, answer.take()))));
                }
                self.name_entry(record.val, record, sink);
                (self.api.read_request)(body, inner, part as u8, flags, sink);
            });
        }
        if !is_started {
            // Without a request that can be read, the history begins with the response.
            let settings = Settings { usage: Usage::Exchange, read_only, response: anchor, ..Settings::default() };
            sink.mark(Mark::Start(Box::new(settings)));
            if let Some(answer) = answer {
                sink.mark(Mark::Entry(Box::new(Entry { body: None, ..answer })));
            }
        }
        if let Some((part, val)) = response {
            within(val, record, |response, inner, flags| {
                self.read_answers(response, inner, part as u8, flags, read_only, sink);
            });
        }
        sink.mark(Mark::End);
    }

    /// Reads a response as a history: what it would be replayed as. `entry` names it, if it is one of a batch.
    fn read_whole_response(
        &self,
        response: Val<'_>,
        record: &Record<'_>,
        entry: Val<'_>,
        part: u8,
        node: Option<Entry>,
        sink: &mut dyn Sink,
    ) {
        let settings = self.response_settings.unwrap_or(self.api.response_settings);
        sink.mark(Mark::Start(Box::new(settings(response, record))));
        if let Some(node) = node {
            sink.mark(Mark::Entry(Box::new(node)));
        }
        self.name_entry(entry, record, sink);
        self.read_answers(response, record, part, Flags::default(), None, sink);
        sink.mark(Mark::End);
    }

    /// Reads the answers of a response: the first goes on from what was read, each other one is a history by itself.
    fn read_answers(
        &self,
        response: Val<'_>,
        record: &Record<'_>,
        part: u8,
        flags: Flags,
        read_only: Option<&'static str>,
        sink: &mut dyn Sink,
    ) {
        let Some((list, what)) = self.api.answers else {
            return (self.api.read_answer)(response, record, part, flags, sink);
        };
        let Some(answers) = response.get(list) else { return };
        for (n, answer) in answers.elements().enumerate() {
            if n > 0 {
                sink.mark(Mark::End);
                let model = (self.api.response_settings)(response, record).model;
                let settings = Settings { usage: Usage::Log, model, read_only, ..Settings::default() };
                sink.mark(Mark::Start(Box::new(settings)));
                self.name_entry(record.val, record, sink);
            }
            name_answer(what, n, answers.count() as usize, sink);
            (self.api.read_answer)(answer, record, part, flags, sink);
        }
    }

    fn settings(&self, body: Val<'_>, record: &Record<'_>) -> Settings {
        match self.settings {
            Some(settings) => settings(body, record),
            None => (self.api.settings)(body, record, self.info.usage),
        }
    }

    fn name_entry(&self, entry: Val<'_>, record: &Record<'_>, sink: &mut dyn Sink) {
        if self.names_entries {
            name_entry(entry, record, sink);
        }
    }

    fn request<'r>(&self, val: Val<'r>, requests: usize) -> Side<'r> {
        self.side(val, 0..requests, "", self.api.is_request, self.api.request_text)
    }

    fn response<'r>(&self, val: Val<'r>, requests: usize) -> Side<'r> {
        self.side(val, requests..self.info.parts.len(), "", self.api.is_answer, self.api.response_text)
    }

    /// The first of these parts that is there, and what holds its list. `list` is the member that `val` is an element of;
    /// `text` is what such a value contains that is stored as a JSON string.
    fn side<'r>(
        &self,
        val: Val<'r>,
        parts: std::ops::Range<usize>,
        list: &str,
        is_one: fn(Val<'_>) -> bool,
        text: &[&[u8]],
    ) -> Side<'r> {
        let fits = |val: &Val<'_>| match val.as_str() {
            Some(string) => text.iter().any(|key| memchr::memmem::find(string.raw, key).is_some()),
            None => is_one(*val),
        };
        parts.into_iter().find_map(|part| {
            let Part { path, unit } = self.info.parts.get(part)?;
            let path = path.strip_prefix(&[list]).unwrap_or(path);
            // A response that is one item, or what holds the list of them.
            let own = if *unit == Unit::Record { path } else { path.split_last()?.1 };
            val.at(own).filter(fits).map(|val| (part, val))
        })
    }
}

/// A request with its response, if that could be read. The request says what it builds on; the response repeats it.
fn exchange(request: Entry, response: Option<Entry>) -> Entry {
    let Some(response) = response else { return request };
    Entry {
        part: NodePart::Exchange,
        parent: request.parent,
        claimed: response.parent,
        model: request.model.or(response.model),
        store: request.store.or(response.store),
        body: request.body,
        ..response
    }
}

/// Calls `read` with the object that a value is, or that the text of a string is. A string that is not JSON is
/// passed over: nothing in it can be judged.
pub fn within(val: Val<'_>, record: &Record<'_>, mut read: impl FnMut(Val<'_>, &Record<'_>, Flags)) {
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
