//! Envelopes of the providers' APIs: a request, a response, a page of items, a line of a batch, a request with its response.
//! What all envelopes of one API share (how a request is recognised, its settings, how its items are read) is an [`Api`];
//! where request and response are in a record is an [`Envelope`], a row of a table.

use crate::dialect::Dialect;
use crate::history::tree::{EntryRole as NodePart, TreeEntry};
use crate::history::{Flags, HistorySettings, RequestBody, ResponseAnchor, Usage};
use crate::json::edit::RecordBase;
use crate::json::string::Decoder;
use crate::json::{KeyName, Tape, Val, name, scan};

use super::body::{label_answer, label_entry};
use super::info::{FormatInfo, RecordPart, RemovalUnit};
use super::items::{read_array, read_slice};
use super::mark::{Mark, Sink};
use super::probe::Probe;
use super::record::{Record, Slice};

/// Reads the items of a request or an answer as part `u8` of a record.
pub type ReadItems = fn(Val<'_>, &Record<'_>, u8, Flags, &mut dyn Sink);

/// An API: what all envelopes of its requests and responses share.
pub struct Api {
    pub dialect: &'static dyn Dialect,
    /// The score of a body, or a bare list of items, as one of its requests, 0 to 100.
    pub request_score: fn(Val<'_>) -> u8,
    /// True if a value is a request, given that the keys around it announce one.
    pub is_request: fn(Val<'_>) -> bool,
    /// True if a value is one of its responses.
    pub is_response: fn(Val<'_>) -> bool,
    /// The same, given that a request is next to it.
    pub is_paired_response: fn(Val<'_>) -> bool,
    /// Bytes that identify a request that is stored as a JSON string, in escaped form. Empty: no string is a request.
    pub request_text: &'static [&'static [u8]],
    /// The same of a response.
    pub response_text: &'static [&'static [u8]],
    /// The settings of a request, or of a bare list of items.
    pub settings: fn(Val<'_>, &Record<'_>, Usage) -> HistorySettings,
    pub read_request: ReadItems,
    /// The settings of a response that is replayed as the end of a history.
    pub response_settings: fn(Val<'_>, &Record<'_>) -> HistorySettings,
    /// The member that lists the answers of a response, and the word for one in a label; `None` if a response is one
    /// answer. The first continues the request, and each other one is a history by itself.
    pub answers: Option<(&'static str, &'static str)>,
    pub read_answer: ReadItems,
    /// The model named outside the request, from the record of an exchange and its response.
    pub model: fn(Val<'_>, Option<Val<'_>>) -> Option<Box<str>>,
    pub chain: Option<ResponseChain>,
}

/// References between requests and responses, which make them a tree.
#[derive(Clone, Copy)]
pub struct ResponseChain {
    pub request: fn(Val<'_>, &Record<'_>) -> TreeEntry,
    pub response: fn(Val<'_>, &Record<'_>) -> TreeEntry,
    /// The id of the response, to which later requests can refer.
    pub anchor: fn(Val<'_>, &Record<'_>) -> Option<ResponseAnchor>,
}

/// An envelope of an API: a row of the table of envelopes.
pub struct Envelope {
    pub info: FormatInfo,
    pub api: &'static Api,
    pub shape: RecordShape,
    pub score_rule: ScoreRule,
    /// A record has at least one key of each list.
    pub required_keys: &'static [&'static [KeyName]],
    /// Keys that no record has.
    pub excluded_keys: &'static [KeyName],
    /// True if histories are labelled with the name of their entry in a batch.
    pub labels_entries: bool,
    /// Replaces [`Api::settings`] in this envelope.
    pub settings: Option<fn(Val<'_>, &Record<'_>) -> HistorySettings>,
    /// Replaces [`Api::response_settings`] in this envelope.
    pub response_settings: Option<fn(Val<'_>, &Record<'_>) -> HistorySettings>,
}

/// The kind of record in an envelope.
#[derive(Clone, Copy)]
pub enum RecordShape {
    /// A request, which is the first part. If there is a second part, bare lists of items are read as well.
    Request,
    Response,
    /// A list of items, or of responses.
    Page {
        /// The order of the items, unless the user specifies another.
        newest_first: bool,
    },
    /// A named request or response. The first `requests` parts are those of requests.
    Batch {
        requests: usize,
        /// The member that lists such entries in a document; empty if there is none.
        list: &'static str,
    },
    /// A request, and the response to it. The first `requests` parts are those of requests.
    Exchange {
        requests: usize,
    },
    /// Read by a function of its own.
    Custom(fn(&Record<'_>, &mut dyn Sink)),
}

/// The way in which a record with the required keys is scored.
#[derive(Clone, Copy)]
pub enum ScoreRule {
    /// The score of the API for a request.
    Request,
    /// The score of the API for the contained request, and at least this if there is a response.
    Exchange(u8),
    /// This score, if its parts are a request or a response of the API.
    Parts(u8),
    Custom(fn(&Probe<'_>) -> u8),
}

/// The reason why an embedded request is not edited.
pub const EMBEDDED: &str = "it is inside a JSON string, which is never edited";

/// A request or a response in a record, with the number of its part.
type PartValue<'r> = Option<(usize, Val<'r>)>;

impl Envelope {
    /// The defaults of a row.
    pub const fn of(api: &'static Api, target: &'static str) -> Envelope {
        Envelope {
            info: FormatInfo::of(api.dialect, target),
            api,
            shape: RecordShape::Request,
            score_rule: ScoreRule::Request,
            required_keys: &[],
            excluded_keys: &[],
            labels_entries: false,
            settings: None,
            response_settings: None,
        }
    }

    /// The score of a record as one of this envelope, 0 to 100.
    pub fn score(&self, probe: &Probe<'_>) -> u8 {
        let has = |name: &KeyName| probe.has(*name);
        if !self.required_keys.iter().all(|any| any.iter().any(has)) || self.excluded_keys.iter().any(has) {
            return 0;
        }
        match self.score_rule {
            ScoreRule::Request => (self.api.request_score)(probe.val),
            ScoreRule::Exchange(least) => self.exchange_score(probe.val, least),
            ScoreRule::Custom(score) => score(probe),
            ScoreRule::Parts(score) if self.matches_shape(probe.val) => score,
            ScoreRule::Parts(_) => 0,
        }
    }

    fn exchange_score(&self, val: Val<'_>, least: u8) -> u8 {
        let RecordShape::Exchange { requests } = self.shape else { return 0 };
        let Some((_, body)) = self.request(val, requests) else { return 0 };
        let score = if body.is_string() { 0 } else { (self.api.request_score)(body) };
        if self.response(val, requests).is_some() { score.max(least) } else { score }
    }

    /// True if the parts of a record are requests and responses of the API.
    fn matches_shape(&self, val: Val<'_>) -> bool {
        match self.shape {
            RecordShape::Response => (self.api.is_response)(val),
            RecordShape::Exchange { requests } => self.request(val, requests).is_some(),
            RecordShape::Batch { requests, .. } => {
                let parts = self.info.parts.len();
                self.find_part(val, 0..requests, "", self.api.is_request, &[]).is_some()
                    || self.find_part(val, requests..parts, "", self.api.is_response, &[]).is_some()
            }
            RecordShape::Request | RecordShape::Page { .. } | RecordShape::Custom(_) => false,
        }
    }

    /// Passes the items and marks of a record to the sink.
    pub fn read(&self, record: &Record<'_>, sink: &mut dyn Sink) {
        match self.shape {
            RecordShape::Request => self.read_request(record, sink),
            RecordShape::Response => self.read_response(record, sink),
            RecordShape::Page { newest_first } => self.read_page(record, newest_first, sink),
            RecordShape::Batch { requests, list } => self.read_batch(record, requests, list, sink),
            RecordShape::Exchange { requests } => self.read_exchange(record, requests, sink),
            RecordShape::Custom(read) => read(record, sink),
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
            self.label_entry(record.val, record, sink);
            (self.api.read_request)(record.val, record, 0, Flags::default(), sink);
        }
        sink.mark(Mark::End);
    }

    fn read_response(&self, record: &Record<'_>, sink: &mut dyn Sink) {
        if read_slice(&self.info, record, Flags::RECORDED, sink) {
            return;
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
        sink.mark(Mark::Start(Box::new(HistorySettings {
            usage: Usage::Log,
            newest_first,
            ..HistorySettings::default()
        })));
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
        if let Some((part, body)) = self.find_part(entry, 0..requests, list, self.api.is_request, &[]) {
            sink.mark(Mark::Start(Box::new(self.settings(body, record))));
            self.label_entry(entry, record, sink);
            (self.api.read_request)(body, record, part as u8, Flags::default(), sink);
            sink.mark(Mark::End);
        } else if let Some((part, response)) =
            self.find_part(entry, requests..parts, list, self.api.is_response, &[])
        {
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
            with_object(val, record, |response, record, _| answer = Some((chain.response)(response, record)));
            anchor = (chain.anchor)(val, record);
        }
        let mut is_started = false;
        if let Some((part, val)) = request {
            with_object(val, record, |body, inner, flags| {
                is_started = true;
                let is_embedded = flags.has(Flags::EMBEDDED);
                let mut settings = self.settings(body, inner);
                settings.body = settings.body.map(|around| RequestBody { embedded: is_embedded, ..around });
                let model = || (self.api.model)(record.val, response.map(|(_, response)| response));
                settings.model = settings.model.take().or_else(model);
                sink.mark(Mark::Start(Box::new(HistorySettings { read_only, response: anchor, ..settings })));
                if let Some(chain) = self.api.chain {
                    let mut entry = (chain.request)(body, inner);
                    entry.body = entry.body.map(|(place, _)| (place, is_embedded));
                    sink.mark(Mark::Entry(Box::new(merge_exchange(entry, answer.take()))));
                }
                self.label_entry(record.val, record, sink);
                (self.api.read_request)(body, inner, part as u8, flags, sink);
            });
        }
        if !is_started {
            // Without a readable request, the history begins with the response.
            let settings = HistorySettings {
                usage: Usage::Exchange,
                read_only,
                response: anchor,
                ..HistorySettings::default()
            };
            sink.mark(Mark::Start(Box::new(settings)));
            if let Some(answer) = answer {
                sink.mark(Mark::Entry(Box::new(TreeEntry { body: None, ..answer })));
            }
        }
        if let Some((part, val)) = response {
            with_object(val, record, |response, inner, flags| {
                self.read_answers(response, inner, part as u8, flags, read_only, sink);
            });
        }
        sink.mark(Mark::End);
    }

    /// Reads a response as a history by itself. `entry` is the value that may name it, if it is one of a batch.
    fn read_whole_response(
        &self,
        response: Val<'_>,
        record: &Record<'_>,
        entry: Val<'_>,
        part: u8,
        node: Option<TreeEntry>,
        sink: &mut dyn Sink,
    ) {
        let settings = self.response_settings.unwrap_or(self.api.response_settings);
        sink.mark(Mark::Start(Box::new(settings(response, record))));
        if let Some(node) = node {
            sink.mark(Mark::Entry(Box::new(node)));
        }
        self.label_entry(entry, record, sink);
        self.read_answers(response, record, part, Flags::default(), None, sink);
        sink.mark(Mark::End);
    }

    /// Reads the answers of a response: the first continues the current history, each other one is a history by itself.
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
                let settings =
                    HistorySettings { usage: Usage::Log, model, read_only, ..HistorySettings::default() };
                sink.mark(Mark::Start(Box::new(settings)));
                self.label_entry(record.val, record, sink);
            }
            label_answer(what, n, answers.count() as usize, sink);
            (self.api.read_answer)(answer, record, part, flags, sink);
        }
    }

    fn settings(&self, body: Val<'_>, record: &Record<'_>) -> HistorySettings {
        match self.settings {
            Some(settings) => settings(body, record),
            None => (self.api.settings)(body, record, self.info.usage),
        }
    }

    fn label_entry(&self, entry: Val<'_>, record: &Record<'_>, sink: &mut dyn Sink) {
        if self.labels_entries {
            label_entry(entry, record, sink);
        }
    }

    fn request<'r>(&self, val: Val<'r>, requests: usize) -> PartValue<'r> {
        self.find_part(val, 0..requests, "", self.api.is_request, self.api.request_text)
    }

    fn response<'r>(&self, val: Val<'r>, requests: usize) -> PartValue<'r> {
        self.find_part(
            val,
            requests..self.info.parts.len(),
            "",
            self.api.is_paired_response,
            self.api.response_text,
        )
    }

    /// The first of these parts that is present: its number, and the value that contains its list. `list` is the member
    /// that `val` is an element of; `text` identifies a value that is stored as a JSON string.
    fn find_part<'r>(
        &self,
        val: Val<'r>,
        parts: std::ops::Range<usize>,
        list: &str,
        is_one: fn(Val<'_>) -> bool,
        text: &[&[u8]],
    ) -> PartValue<'r> {
        let fits = |val: &Val<'_>| match val.as_str() {
            Some(string) => text.iter().any(|key| memchr::memmem::find(string.raw, key).is_some()),
            None => is_one(*val),
        };
        parts.into_iter().find_map(|part| {
            let RecordPart { path, unit } = self.info.parts.get(part)?;
            let path = path.strip_prefix(&[list]).unwrap_or(path);
            // A response that is one item, or the object with the list of items.
            let own = if *unit == RemovalUnit::Record { path } else { path.split_last()?.1 };
            val.at(own).filter(fits).map(|val| (part, val))
        })
    }
}

/// The node of a request with its response, if that could be read. The response repeats the parent of the request.
fn merge_exchange(request: TreeEntry, response: Option<TreeEntry>) -> TreeEntry {
    let Some(response) = response else { return request };
    TreeEntry {
        part: NodePart::Exchange,
        parent: request.parent,
        claimed: response.parent,
        model: request.model.or(response.model),
        store: request.store.or(response.store),
        body: request.body,
        ..response
    }
}

/// Calls `read` with a value, or with the JSON in it if it is a string. A string that is not JSON is skipped: nothing in
/// it can be judged.
pub fn with_object(val: Val<'_>, record: &Record<'_>, mut read: impl FnMut(Val<'_>, &Record<'_>, Flags)) {
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
        let base = RecordBase::of_runs(record.base.doc(), &runs);
        read(inner, &Record { val: inner, base, ..*record }, Flags::EMBEDDED);
    }
}
