//! The reduction: what a request sends is not stored, but follows from the events up to its own. A message counts unless it
//! is an output of a request that is not the current one; a request is current from when it is scheduled or made until it
//! ends or is cancelled. Takes linear time, and keeps only what is needed later of each event.

use foldhash::HashMap;

use crate::format::requests::Context;
use crate::history::Row;
use crate::place::Place;

use super::digest::Digest;
use super::event::{EventKind, IterateEvent};
use super::prompt::{Readers, RequestTell, Tell, Tells};

/// The state of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RequestState {
    Open,
    Cancelled,
    Done,
}

/// A step of the conversation: messages that count, or a request.
#[derive(Clone, Copy, Debug)]
pub struct StreamStep {
    pub at: Place,
    /// Number of the record, from 0.
    pub record: u32,
    pub offset: u64,
    /// Offset of the request that it is or that it answers.
    pub request: Option<u64>,
    pub kind: EventKind,
    /// Index of its first row; its rows end where those of the next step begin.
    pub rows: u32,
}

/// A kind of problem in a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StreamProblemKind {
    /// A request that never ended, although the stream continued with another.
    Abandoned,
    /// The last request of the stream, if it has not ended.
    Running,
    /// An output while another request was the current one.
    Stale,
    /// An output while no request was current.
    Late,
    /// An output of a request that was cancelled.
    AfterCancel,
    /// The second output of a request.
    AnsweredTwice,
    /// An end of a request that is not in the stream.
    EndWithoutRequest,
    /// An output of a request that is not in the stream.
    OutputWithoutRequest,
    /// An offset that is not greater than the previous one.
    Order,
    NoOffset,
    /// A body that differs from the history.
    Body(Context),
    /// Events of an unknown type, and their number.
    Unknown(u32),
    Invalid,
    /// An item of the context that the contract in force does not read.
    Unread,
    /// A second end of a request.
    EndedTwice,
    /// A request that never ended, and the number of requests that were not sent because of it.
    Blocking(u32),
}

/// A problem and its place.
#[derive(Clone, Copy, Debug)]
pub struct StreamProblem {
    pub kind: StreamProblemKind,
    pub at: Place,
    pub record: u32,
    pub partner: Option<Place>,
    /// Offset of the request that the event is about, or else of the event.
    pub offset: u64,
}

/// The current request: by its name if it is scheduled, and by its offset if it is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum CurrentRequest {
    #[default]
    None,
    Scheduled(u64),
    Requested(u64),
}

#[derive(Clone, Copy, Debug)]
struct Request {
    at: Place,
    record: u32,
    state: RequestState,
    output: Option<Place>,
    /// Where its settlement is.
    end: Option<Place>,
    /// When it expires, in Unix seconds.
    expires_at: Option<i64>,
    /// Requests that were not sent because it was open.
    swallowed: u32,
    /// The state of the history that it sends.
    context: Context,
    digest: Digest,
}

/// The reduction of a stream, to which events are applied in order.
#[derive(Default)]
pub struct Stream {
    /// Messages, and separately instructions, in the order of the events.
    rows: Vec<Row>,
    systems: Vec<Row>,
    /// Rows of outputs that do not count.
    unsent_rows: Vec<Row>,
    context: Context,
    digest: Digest,
    /// Kind of the rows that follow the newest event; `None` if they do not count.
    row_kind: Option<EventKind>,
    current: CurrentRequest,
    tells: Tells,
    /// What the newest request shows of its contract.
    newest_request: RequestTell,
    /// Items of the context since the last request.
    unsent_items: Vec<(StreamProblem, Readers)>,
    /// The newest time of an event, in Unix seconds.
    newest_time: Option<i64>,
    requests: HashMap<u64, Request>,
    /// Names that requests have before they are made.
    names: HashMap<u64, Place>,
    /// Offset and place of the previous event.
    last: Option<(u64, Place)>,
    last_request: Option<u64>,
    /// Number of events of each unknown type, and the first of them.
    unknown: HashMap<u64, (u32, StreamProblem)>,
    problems: Vec<StreamProblem>,
    steps: Vec<StreamStep>,
}

impl Stream {
    /// Applies an event, before its rows.
    pub fn apply(&mut self, event: &IterateEvent) {
        self.row_kind = None;
        self.check_order(event);
        self.newest_time = self.newest_time.max(event.time);
        self.tells.observe(event.tell, event.offset.unwrap_or_default());
        if event.readers != Readers::ALL {
            self.unsent_items.push((problem_of(StreamProblemKind::Unread, event, None), event.readers));
        }
        if event.kind == EventKind::Requested {
            self.newest_request = event.request_tell;
            self.report_unread_items(event.request_tell);
        }
        match event.kind {
            EventKind::System => {
                self.row_kind = Some(EventKind::System);
                self.digest.system = event.content.system;
            }
            EventKind::Message => self.add_message(event),
            EventKind::Output if self.tells.is_plain() || self.accept_output(event) => self.add_message(event),
            EventKind::Rewrite => {
                self.context.from = self.context.to;
                (self.digest.messages, self.digest.count) = (event.content.messages, event.content.count);
                self.row_kind = Some(EventKind::Message);
                self.add_step(event);
            }
            EventKind::Scheduled => {
                self.current = CurrentRequest::Scheduled(event.name);
                self.names.insert(event.name, event.at);
            }
            EventKind::Requested => self.begin_request(event),
            EventKind::Completed | EventKind::Ended | EventKind::Cancelled => self.end_request(event),
            EventKind::Unknown => {
                let first = || (0, problem_of(StreamProblemKind::Unknown(0), event, None));
                self.unknown.entry(event.type_digest).or_insert_with(first).0 += 1;
            }
            EventKind::Invalid => self.report(StreamProblemKind::Invalid, event, None),
            EventKind::Output | EventKind::Started | EventKind::Other => {}
        }
        if let Some(body) = &event.body
            && !self.matches_body(event)
        {
            self.report(StreamProblemKind::Body(self.sent_context(event)), event, Some(body.at));
        }
    }

    /// Adds rows of the newest event.
    pub fn add_rows(&mut self, rows: &[Row]) {
        match self.row_kind {
            Some(EventKind::System) => {
                self.systems.extend(rows.last());
                self.context.system = self.systems.len() as u32;
            }
            Some(_) => {
                self.rows.extend_from_slice(rows);
                self.context.to = self.rows.len() as u32;
            }
            None => self.unsent_rows.extend_from_slice(rows),
        }
    }

    /// Rows that a request made now would not send, and why.
    pub fn unsent(&self) -> Vec<(Vec<Row>, &'static str)> {
        let rewritten = self.rows.get(..self.context.from as usize).unwrap_or_default();
        let older = self.systems.split_last().map_or(&[][..], |(_, older)| older);
        vec![
            (rewritten.to_vec(), "the agent has rewritten the history since"),
            (older.to_vec(), "newer instructions have replaced it"),
            (self.unsent_rows.clone(), "it is an output of a request that was not the current one"),
        ]
    }

    /// True if the body of the newest event equals the history.
    pub fn matches_body(&self, event: &IterateEvent) -> bool {
        let Some(body) = &event.body else { return false };
        let own = self.request_of(event).map_or(self.digest, |request| request.digest);
        let same = match own.system {
            0 => body.default,
            system => body.digest.system == system,
        };
        same && (body.digest.messages, body.digest.count) == (own.messages, own.count)
    }

    /// What the request of the newest event sends; without one, what a request would send now.
    pub fn sent_context(&self, event: &IterateEvent) -> Context {
        self.request_of(event).map_or(self.context, |request| request.context)
    }

    fn request_of(&self, event: &IterateEvent) -> Option<&Request> {
        self.requests.get(&event.request.or(event.offset)?)
    }

    /// What the request at an offset sends; `None` if there is no such request.
    pub fn request_context(&self, offset: u64) -> Option<Context> {
        self.requests.get(&offset).map(|request| request.context)
    }

    /// What a request made now would send.
    pub fn context(&self) -> Context {
        self.context
    }

    /// Instructions, if there are any, and messages of a state of the history.
    #[expect(
        clippy::indexing_slicing,
        reason = "a context ends where the rows ended when it was made, and rows are only added"
    )]
    pub fn rows_of(&self, context: Context) -> (Option<&Row>, &[Row]) {
        let system = context.system.checked_sub(1).and_then(|ix| self.systems.get(ix as usize));
        (system, &self.rows[context.from as usize..context.to as usize])
    }

    /// The kind of the newest problem.
    pub fn last_problem(&self) -> Option<StreamProblemKind> {
        self.problems.last().map(|problem| problem.kind)
    }

    /// The steps of the conversation in order, each with its rows and, for requests, the state.
    #[expect(
        clippy::indexing_slicing,
        reason = "steps begin where the rows ended when they were made, one after the other"
    )]
    pub fn steps(&self) -> impl Iterator<Item = (StreamStep, &[Row], Option<RequestState>)> {
        let ends = self.steps.iter().skip(1).map(|step| step.rows).chain([self.rows.len() as u32]);
        self.steps.iter().zip(ends).map(|(step, end)| {
            let request = step.request.filter(|_| step.kind == EventKind::Requested);
            let state = request.and_then(|offset| self.requests.get(&offset)).map(|request| request.state);
            (*step, &self.rows[step.rows as usize..end as usize], state)
        })
    }

    /// Reports the items since the last request that this one does not contain, because its contract does not read them.
    fn report_unread_items(&mut self, request: RequestTell) {
        let contract = self.tells.contract(request);
        let items = std::mem::take(&mut self.unsent_items);
        let unread = items.into_iter().filter(|(_, readers)| !readers.has(contract));
        self.problems.extend(unread.map(|(problem, _)| problem));
    }

    /// The problems of the stream, in its order. Called once, at the end.
    pub fn problems(&mut self) -> Vec<StreamProblem> {
        self.report_unread_items(self.newest_request);
        let mut problems = std::mem::take(&mut self.problems);
        let unknown = std::mem::take(&mut self.unknown).into_values();
        problems.extend(
            unknown.map(|(count, first)| StreamProblem { kind: StreamProblemKind::Unknown(count), ..first }),
        );
        for (&offset, request) in self.requests.iter().filter(|(_, request)| request.state == RequestState::Open) {
            let last = self.last_request == Some(offset);
            if last && request.swallowed == 0 && request.expires_at > self.newest_time {
                // It is in flight.
                continue;
            }
            let kind = match request.swallowed {
                0 if last => StreamProblemKind::Running,
                0 => StreamProblemKind::Abandoned,
                count => StreamProblemKind::Blocking(count),
            };
            let Request { at, record, .. } = *request;
            problems.push(StreamProblem { kind, at, record, partner: None, offset });
        }
        problems.sort_by_key(|problem| problem.at.start);
        problems
    }

    fn report(&mut self, kind: StreamProblemKind, event: &IterateEvent, partner: Option<Place>) {
        self.problems.push(problem_of(kind, event, partner));
    }

    fn check_order(&mut self, event: &IterateEvent) {
        let Some(offset) = event.offset else {
            self.report(StreamProblemKind::NoOffset, event, None);
            return;
        };
        match self.last {
            Some((last, at)) if offset <= last => {
                let problem = problem_of(StreamProblemKind::Order, event, Some(at));
                self.problems.push(StreamProblem { offset, ..problem });
            }
            _ => self.last = Some((offset, event.at)),
        }
    }

    fn add_message(&mut self, event: &IterateEvent) {
        self.row_kind = Some(EventKind::Message);
        self.digest.append(event.content);
        self.add_step(event);
    }

    fn add_step(&mut self, event: &IterateEvent) {
        let IterateEvent { at, record, kind, .. } = *event;
        let request = if kind == EventKind::Requested { event.offset } else { event.request };
        let offset = event.offset.unwrap_or_default();
        self.steps.push(StreamStep { at, record, offset, request, kind, rows: self.rows.len() as u32 });
    }

    /// True if an output becomes part of the history. Reports it if not, or if its request already had one.
    fn accept_output(&mut self, event: &IterateEvent) -> bool {
        let Some(offset) = event.request else { return true };
        let is_current = self.current == CurrentRequest::Requested(offset);
        let current = match self.current {
            CurrentRequest::Requested(offset) => self.requests.get(&offset).map(|request| request.at),
            CurrentRequest::Scheduled(name) => self.names.get(&name).copied(),
            CurrentRequest::None => None,
        };
        let found = match self.requests.get_mut(&offset) {
            None => Some((StreamProblemKind::OutputWithoutRequest, None)),
            Some(request) => match (request.state, request.output.replace(event.at)) {
                (RequestState::Cancelled, _) => Some((StreamProblemKind::AfterCancel, Some(request.at))),
                (_, Some(first)) => Some((StreamProblemKind::AnsweredTwice, Some(first))),
                _ if is_current => None,
                _ if current.is_some() => Some((StreamProblemKind::Stale, current)),
                _ => Some((StreamProblemKind::Late, Some(request.at))),
            },
        };
        if let Some((kind, partner)) = found {
            self.report(kind, event, partner);
        }
        is_current
    }

    fn begin_request(&mut self, event: &IterateEvent) {
        let Some(offset) = event.offset else { return };
        if let CurrentRequest::Requested(open) = self.current
            && event.expires_at.is_some()
            && let Some(request) = self.requests.get_mut(&open)
            && request.state == RequestState::Open
        {
            request.swallowed += 1;
            return;
        }
        self.current = CurrentRequest::Requested(offset);
        self.last_request = Some(offset);
        let (at, record) = (event.at, event.record);
        self.names.extend((event.name != 0).then_some((event.name, at)));
        let (context, digest) = (self.context, self.digest);
        let request = Request {
            at,
            record,
            state: RequestState::Open,
            output: None,
            end: None,
            expires_at: event.expires_at,
            swallowed: 0,
            context,
            digest,
        };
        self.requests.entry(offset).or_insert(request);
        self.add_step(event);
    }

    fn end_request(&mut self, event: &IterateEvent) {
        let cancelled = event.kind == EventKind::Cancelled;
        let Some(offset) = event.request else {
            // By the name that it had before it was made: it may have been made meanwhile.
            if self.current == CurrentRequest::Scheduled(event.name) {
                self.current = CurrentRequest::None;
            }
            if !self.names.contains_key(&event.name) {
                self.report(StreamProblemKind::EndWithoutRequest, event, None);
            }
            return;
        };
        if self.current == CurrentRequest::Requested(offset) && event.kind != EventKind::Ended {
            self.current = CurrentRequest::None;
        }
        let Some(request) = self.requests.get_mut(&offset) else {
            return self.report(StreamProblemKind::EndWithoutRequest, event, None);
        };
        if request.state == RequestState::Open {
            request.state = if cancelled { RequestState::Cancelled } else { RequestState::Done };
        }
        // Older contracts have an event for each way to end, and one may come after the other.
        let is_only_end = event.tell == Tell::Settled;
        if let Some(first) = is_only_end.then(|| request.end.replace(event.at)).flatten() {
            self.report(StreamProblemKind::EndedTwice, event, Some(first));
        }
    }
}

fn problem_of(kind: StreamProblemKind, event: &IterateEvent, partner: Option<Place>) -> StreamProblem {
    let offset = event.request.or(event.offset).unwrap_or_default();
    StreamProblem { kind, at: event.at, record: event.record, partner, offset }
}
