//! The reduction: what a request sends is not stored, but reduced from the events up to its own. A message counts unless
//! it is an output of a request that is not the current one; scheduling and requesting make a request current, and its own
//! end, or its cancellation, ends that. Linear in time; nothing is kept of an event but what is asked of it later.

use std::collections::HashMap;

use crate::format::requests::Context;
use crate::history::Row;
use crate::place::Place;

use super::digest::Digest;
use super::event::{Event, EventKind};

/// How a request ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    Open,
    Cancelled,
    Done,
}

/// A step of the conversation: messages that count, or a request.
#[derive(Clone, Copy, Debug)]
pub struct Passage {
    pub at: Place,
    /// Number of the record, from 0.
    pub record: u32,
    pub offset: u64,
    /// The request that it is, or that it answers.
    pub request: Option<u64>,
    pub step: EventKind,
    /// The first of its rows; the next one's is the end.
    pub rows: u32,
}

/// What does not fit in a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Misfit {
    /// A request that never ended, though the stream went on to another.
    Abandoned,
    /// A request that had not ended when the stream did.
    Running,
    /// An output while another request was the current one.
    Stale,
    /// An output while no request was.
    Late,
    /// An output of a request that was cancelled.
    AfterCancel,
    /// The second output of a request.
    AnsweredTwice,
    /// An end of a request that is not in the stream.
    EndOfNothing,
    /// An output of a request that is not in the stream.
    OutputOfNothing,
    /// An offset that is not above the one before.
    Order,
    NoOffset,
    /// A body that is not what the history says.
    Body(Context),
    /// Events of a type that is not known, and how many.
    Unknown(u32),
    Invalid,
}

/// A misfit and where it is.
#[derive(Clone, Copy, Debug)]
pub struct Misplaced {
    pub misfit: Misfit,
    pub at: Place,
    pub record: u32,
    pub partner: Option<Place>,
    /// Offset of the event, or of the request that it speaks of.
    pub offset: u64,
}

/// The request that is current.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Current {
    #[default]
    None,
    Scheduled(u64),
    Requested(u64),
}

#[derive(Clone, Copy, Debug)]
struct Request {
    at: Place,
    record: u32,
    state: State,
    output: Option<Place>,
    /// What it sends.
    context: Context,
    digest: Digest,
}

/// Reduces events that are handed to it in order.
#[derive(Default)]
pub struct Stream {
    /// Messages, and apart from them instructions, in the order of the events.
    rows: Vec<Row>,
    systems: Vec<Row>,
    /// Rows of outputs that do not count.
    left: Vec<Row>,
    context: Context,
    digest: Digest,
    /// What the rows after the event are; `None` if they do not count.
    taking: Option<EventKind>,
    current: Current,
    requests: HashMap<u64, Request>,
    /// Names that requests have before they are made.
    names: HashMap<u64, Place>,
    /// Offset and place of the event before.
    last: Option<(u64, Place)>,
    last_request: Option<u64>,
    /// How many events there are of each type that is not known, and the first of them.
    unknown: HashMap<u64, (u32, Misplaced)>,
    problems: Vec<Misplaced>,
    stages: Vec<Passage>,
}

impl Stream {
    /// Takes an event, before its rows.
    pub fn take(&mut self, event: &Event) {
        self.taking = None;
        self.order(event);
        match event.step {
            EventKind::System => {
                self.taking = Some(EventKind::System);
                self.digest.system = event.said.system;
            }
            EventKind::Message => self.say(event),
            EventKind::Output if self.counts(event) => self.say(event),
            EventKind::Rewrite => {
                self.context.from = self.context.to;
                (self.digest.messages, self.digest.count) = (event.said.messages, event.said.count);
                self.taking = Some(EventKind::Message);
                self.stage(event);
            }
            EventKind::Scheduled => {
                self.current = Current::Scheduled(event.name);
                self.names.insert(event.name, event.at);
            }
            EventKind::Requested => self.request(event),
            EventKind::Completed | EventKind::Ended | EventKind::Cancelled => self.end(event),
            EventKind::Unknown => {
                let first = || (0, misplaced(Misfit::Unknown(0), event, None));
                self.unknown.entry(event.kind).or_insert_with(first).0 += 1;
            }
            EventKind::Invalid => self.problem(Misfit::Invalid, event, None),
            EventKind::Output | EventKind::Started | EventKind::Other => {}
        }
        if let Some(body) = &event.body
            && !self.repeats(event)
        {
            self.problem(Misfit::Body(self.sent(event)), event, Some(body.at));
        }
    }

    /// Takes rows of the event that came last.
    pub fn take_rows(&mut self, rows: &[Row]) {
        match self.taking {
            Some(EventKind::System) => {
                self.systems.extend(rows.last());
                self.context.system = self.systems.len() as u32;
            }
            Some(_) => {
                self.rows.extend_from_slice(rows);
                self.context.to = self.rows.len() as u32;
            }
            None => self.left.extend_from_slice(rows),
        }
    }

    /// What a request that is made now does not send, and why.
    pub fn unsent(&self) -> Vec<(Vec<Row>, &'static str)> {
        let rewritten = self.rows.get(..self.context.from as usize).unwrap_or_default();
        let older = self.systems.split_last().map_or(&[][..], |(_, older)| older);
        vec![
            (rewritten.to_vec(), "the agent has rewritten the history since"),
            (older.to_vec(), "newer instructions have replaced it"),
            (self.left.clone(), "it is an output of a request that was not the current one"),
        ]
    }

    /// Whether the body of the event that came last says what the history does.
    pub fn repeats(&self, event: &Event) -> bool {
        let Some(body) = &event.body else { return false };
        let own = self.request_of(event).map_or(self.digest, |request| request.digest);
        let same = match own.system {
            0 => body.default,
            system => body.digest.system == system,
        };
        same && (body.digest.messages, body.digest.count) == (own.messages, own.count)
    }

    /// What the request sends that the event which came last speaks of.
    pub fn sent(&self, event: &Event) -> Context {
        self.request_of(event).map_or(self.context, |request| request.context)
    }

    fn request_of(&self, event: &Event) -> Option<&Request> {
        self.requests.get(&event.request.or(event.offset)?)
    }

    /// What the request at an offset sends; `None` if there is none.
    pub fn at_request(&self, offset: u64) -> Option<Context> {
        self.requests.get(&offset).map(|request| request.context)
    }

    /// What a request would send that is made now.
    pub fn context(&self) -> Context {
        self.context
    }

    /// Instructions, if any were given, and messages of a state of the history.
    #[expect(
        clippy::indexing_slicing,
        reason = "a context ends where the rows ended when it was made, and rows are only added"
    )]
    pub fn of(&self, context: Context) -> (Option<&Row>, &[Row]) {
        let system = context.system.checked_sub(1).and_then(|ix| self.systems.get(ix as usize));
        (system, &self.rows[context.from as usize..context.to as usize])
    }

    /// What was found last that does not fit.
    pub fn last_problem(&self) -> Option<Misfit> {
        self.problems.last().map(|problem| problem.misfit)
    }

    /// The steps of the conversation, in order, each with its rows and, of a request, its state.
    #[expect(
        clippy::indexing_slicing,
        reason = "stages begin where the rows ended when they were made, one after the other"
    )]
    pub fn stages(&self) -> impl Iterator<Item = (Passage, &[Row], Option<State>)> {
        let ends = self.stages.iter().skip(1).map(|stage| stage.rows).chain([self.rows.len() as u32]);
        self.stages.iter().zip(ends).map(|(stage, end)| {
            let request = stage.request.filter(|_| stage.step == EventKind::Requested);
            let state = request.and_then(|offset| self.requests.get(&offset)).map(|request| request.state);
            (*stage, &self.rows[stage.rows as usize..end as usize], state)
        })
    }

    /// What does not fit, in the order of the stream.
    pub fn problems(&mut self) -> Vec<Misplaced> {
        let mut problems = std::mem::take(&mut self.problems);
        let unknown = std::mem::take(&mut self.unknown).into_values();
        problems.extend(unknown.map(|(count, first)| Misplaced { misfit: Misfit::Unknown(count), ..first }));
        for (&offset, request) in self.requests.iter().filter(|(_, request)| request.state == State::Open) {
            let last = self.last_request == Some(offset);
            let misfit = if last { Misfit::Running } else { Misfit::Abandoned };
            let Request { at, record, .. } = *request;
            problems.push(Misplaced { misfit, at, record, partner: None, offset });
        }
        problems.sort_by_key(|problem| problem.at.start);
        problems
    }

    fn problem(&mut self, misfit: Misfit, event: &Event, partner: Option<Place>) {
        self.problems.push(misplaced(misfit, event, partner));
    }

    fn order(&mut self, event: &Event) {
        let Some(offset) = event.offset else {
            self.problem(Misfit::NoOffset, event, None);
            return;
        };
        match self.last {
            Some((last, at)) if offset <= last => {
                let problem = misplaced(Misfit::Order, event, Some(at));
                self.problems.push(Misplaced { offset, ..problem });
            }
            _ => self.last = Some((offset, event.at)),
        }
    }

    fn say(&mut self, event: &Event) {
        self.taking = Some(EventKind::Message);
        self.digest.append(event.said);
        self.stage(event);
    }

    fn stage(&mut self, event: &Event) {
        let Event { at, record, step, .. } = *event;
        let request = if step == EventKind::Requested { event.offset } else { event.request };
        let offset = event.offset.unwrap_or_default();
        self.stages.push(Passage { at, record, offset, request, step, rows: self.rows.len() as u32 });
    }

    /// Whether an output becomes part of the history.
    fn counts(&mut self, event: &Event) -> bool {
        let Some(offset) = event.request else { return true };
        let is_current = self.current == Current::Requested(offset);
        let current = match self.current {
            Current::Requested(offset) => self.requests.get(&offset).map(|request| request.at),
            Current::Scheduled(name) => self.names.get(&name).copied(),
            Current::None => None,
        };
        let found = match self.requests.get_mut(&offset) {
            None => Some((Misfit::OutputOfNothing, None)),
            Some(request) => match (request.state, request.output.replace(event.at)) {
                (State::Cancelled, _) => Some((Misfit::AfterCancel, Some(request.at))),
                (_, Some(first)) => Some((Misfit::AnsweredTwice, Some(first))),
                _ if is_current => None,
                _ if current.is_some() => Some((Misfit::Stale, current)),
                _ => Some((Misfit::Late, Some(request.at))),
            },
        };
        if let Some((misfit, partner)) = found {
            self.problem(misfit, event, partner);
        }
        is_current
    }

    fn request(&mut self, event: &Event) {
        let Some(offset) = event.offset else { return };
        self.current = Current::Requested(offset);
        self.last_request = Some(offset);
        let (at, record) = (event.at, event.record);
        self.names.extend((event.name != 0).then_some((event.name, at)));
        let (context, digest) = (self.context, self.digest);
        let request = Request { at, record, state: State::Open, output: None, context, digest };
        self.requests.entry(offset).or_insert(request);
        self.stage(event);
    }

    fn end(&mut self, event: &Event) {
        let cancelled = event.step == EventKind::Cancelled;
        let Some(offset) = event.request else {
            // By the name that it had before it was made: it may have been made meanwhile.
            if self.current == Current::Scheduled(event.name) {
                self.current = Current::None;
            }
            if !self.names.contains_key(&event.name) {
                self.problem(Misfit::EndOfNothing, event, None);
            }
            return;
        };
        if self.current == Current::Requested(offset) && event.step != EventKind::Ended {
            self.current = Current::None;
        }
        match self.requests.get_mut(&offset) {
            Some(request) if request.state == State::Open => {
                request.state = if cancelled { State::Cancelled } else { State::Done };
            }
            Some(_) => {}
            None => self.problem(Misfit::EndOfNothing, event, None),
        }
    }
}

fn misplaced(misfit: Misfit, event: &Event, partner: Option<Place>) -> Misplaced {
    let offset = event.request.or(event.offset).unwrap_or_default();
    Misplaced { misfit, at: event.at, record: event.record, partner, offset }
}
