//! The request itself, and the places of its parts in the session.

use std::io;
use std::ops::Range;

use crate::convert::dialect_by_name;
use crate::dialect::Dialect;
use crate::dialects::responses::RESPONSES;
use crate::format::agent::{ResumeEffect, SessionDefect};
use crate::formats;
use crate::formats::agents::resume::{AgentAct, acts_of, decode_arg, describe};
use crate::history::Usage;
use crate::json::provenance::TracedText;
use crate::json::{Tape, Val, scan};
use crate::judge;
use crate::message::write::JsonWriter;
use crate::message::{ConversionLoss, Message, Role, Text};
use crate::place::Place;
use crate::read;
use crate::target::Target;

use super::super::request::user_message;
use super::acts::{AppliedAct, apply};
use super::body_layout::by_element;
use super::stored_thread::StoredHistory;

/// The specification of the request.
#[derive(Clone, Copy)]
pub struct ResumeSpec<'r> {
    pub target: &'static Target,
    /// The next message of the user.
    pub ask: Option<&'r str>,
}

/// The request that continues a session.
pub struct ResumedRequest {
    pub dialect: &'static dyn Dialect,
    /// The body, and the places of its parts in the session.
    pub body: TracedText,
    /// What the agent repaired, a sentence for each kind of defect.
    pub repairs: Vec<String>,
    /// What of the history the request cannot represent.
    pub losses: Vec<ConversionLoss>,
    pub has_model: bool,
    pub has_instructions: bool,
    pub has_tools: bool,
    /// The beginning is in another file, which was not read.
    pub is_continuation: bool,
    /// The calls that the agent answered.
    answered: Vec<Place>,
}

/// A part of a request.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RequestPart {
    /// The places that it was made from, in order, each once.
    pub places: Vec<Place>,
    /// It is a result that the agent adds; the place is that of its call.
    pub is_added: bool,
}

/// Builds the request that continues a history. `None` if it would be empty.
pub fn resume(source: &StoredHistory<'_>, spec: ResumeSpec<'_>) -> io::Result<Option<ResumedRequest>> {
    let dialect = dialect_by_name(spec.target.dialect).unwrap_or(&RESPONSES);
    let settings = &source.history.settings;
    let mut stored = source.read(dialect)?;
    let version = source.options.read.agent_version.or(settings.agent_version);
    let own = acts_of(source.info.name, version);
    let mut acts: Vec<_> = own.iter().map(|line| (line.act.defect, line.act.effect)).collect();
    // What seems to have no call may have it in the file that the log continues.
    acts.retain(|(defect, _)| settings.window().is_none() || *defect == SessionDefect::UnansweredCall);
    let applied = apply(&mut stored.thread, &acts);
    if let Some(model) = settings.model.as_deref().or(source.options.model.as_deref())
        && stored.thread.model.is_none()
    {
        stored.thread.model = Some(Text::new(model));
    }
    stored.thread.messages.extend(spec.ask.map(user_message));
    let losses = stored.finish(dialect, spec.target);
    let thread = &stored.thread;
    if thread.messages.is_empty() && thread.instructions.is_empty() {
        return Ok(None);
    }
    let mut body = TracedText::default();
    dialect.write(thread, &mut JsonWriter::tracing(&mut body, Place::default()));
    let sentence = |done: &AppliedAct| {
        let line: &AgentAct = own.iter().find(|line| line.act.defect == done.defect)?;
        describe(decode_arg(line.finding_arg(u32::try_from(done.at.len()).unwrap_or(u32::MAX))))
    };
    let answers = applied.iter().filter(|done| matches!(done.effect, ResumeEffect::Answers(_)));
    Ok(Some(ResumedRequest {
        dialect,
        body: by_element(&body, dialect.info().capabilities.list_key),
        repairs: applied.iter().filter_map(sentence).collect(),
        losses,
        has_model: thread.model.is_some(),
        has_instructions: !thread.instructions.is_empty() || thread.messages.first().is_some_and(is_instruction),
        is_continuation: settings.window().is_some(),
        has_tools: !thread.tools.is_empty(),
        answered: answers.flat_map(|done| &done.at).map(|at| at.place).collect(),
    }))
}

impl ResumedRequest {
    /// The options for judging the body.
    pub fn options(&self, target: &'static Target, lint: &judge::Options) -> judge::Options {
        judge::Options {
            read: read::Options {
                format: formats::by_name(&format!("{}-request", self.dialect.info().name)),
                usage: Some(Usage::Request),
                effort: lint.read.effort,
                ..read::Options::default()
            },
            target: Some(target),
            store: lint.store,
            model: lint.model.clone(),
            schemas: lint.schemas.clone(),
            enabled: lint.enabled.clone(),
            ..judge::Options::default()
        }
    }

    /// The key of its list of items or messages.
    pub fn list_key(&self) -> &'static str {
        self.dialect.info().capabilities.list_key
    }

    /// The number of its items or messages.
    pub fn item_count(&self) -> usize {
        self.with_list(|list| list.count() as usize).unwrap_or_default()
    }

    /// The part under these steps in an item or message, as far as they lead. `None` if there is no such item.
    pub fn part(&self, index: usize, steps: &[String]) -> Option<RequestPart> {
        let found = self.with_list(|list| {
            let element = list.elements().nth(index)?;
            let val = descend(element, steps);
            Some((element.start() as u64, val.start() as u64..val.end() as u64))
        });
        let (element, range) = found.flatten()?;
        let mut places = self.places(range);
        // A result that was added has the place of its call, which comes before it.
        let is_added =
            |at: &Place| self.answered.contains(at) && self.first_span(*at).is_some_and(|first| first < element);
        let added = places.iter().filter(|at| is_added(at)).count();
        if added < places.len() {
            places.retain(|at| !is_added(at));
        }
        Some(RequestPart { is_added: added > 0 && places.iter().all(is_added), places })
    }

    fn with_list<T>(&self, see: impl FnOnce(Val<'_>) -> T) -> Option<T> {
        let mut tape = Tape::new();
        scan(&self.body.text, &mut tape).ok()?;
        tape.root(&self.body.text)?.get(self.list_key()).map(see)
    }

    /// The places that a range of the body was made from.
    fn places(&self, range: Range<u64>) -> Vec<Place> {
        let spans = &self.body.spans;
        // A value without a place of its own is at the place of what contains it.
        let first = spans.partition_point(|span| span.at <= range.start).saturating_sub(1);
        let mut places: Vec<Place> = Vec::new();
        for span in spans.iter().skip(first).take_while(|span| span.at < range.end) {
            if span.from.len > 0 && !places.contains(&span.from) {
                places.push(span.from);
            }
        }
        places
    }

    /// The offset of the first part that was made from a place.
    fn first_span(&self, at: Place) -> Option<u64> {
        self.body.spans.iter().find(|span| span.from == at).map(|span| span.at)
    }
}

fn is_instruction(message: &Message) -> bool {
    matches!(message.role, Role::System | Role::Developer)
}

/// The value under these steps, as far as they lead. Steps that only name the type of a value are skipped:
/// `content.0.tool_use.id`.
fn descend<'v>(mut val: Val<'v>, steps: &[String]) -> Val<'v> {
    for step in steps {
        val = match step.parse::<usize>() {
            Ok(number) => match val.elements().nth(number) {
                Some(element) => element,
                None => return val,
            },
            Err(_) => val.get(step.as_str()).unwrap_or(val),
        };
    }
    val
}
