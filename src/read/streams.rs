//! From a reduced stream to findings, and what an embedded body says that the history does not.

use std::fmt;

use crate::format::{Assembler, Format};
use crate::formats::iterate_stream::{self, DEFAULT_SYSTEM};
use crate::history::stream::{Context, EventKind, Misfit, Misplaced, State, Stream};
use crate::history::tree::{Entry, Marks, Part};
use crate::history::{Finding, Role, Row, codes};
use crate::json::{NodeKind, Val, string};
use crate::place::Place;
use crate::source::ReadAt;

use super::Texts;

/// What does not fit in the stream of a doc.
pub fn of_stream(assembler: &mut Assembler, bytes: &dyn ReadAt) -> Vec<Finding> {
    let texts = &texts(bytes);
    let Some(stream) = assembler.stream() else { return Vec::new() };
    let problems = stream.finish();
    problems.iter().map(|problem| finding(problem, stream, texts)).collect()
}

/// The texts of a stream.
pub fn texts(bytes: &dyn ReadAt) -> Texts<'_> {
    Texts::new(bytes, iterate_stream::FORMAT.info().dialect)
}

/// The steps of a stream as a path of nodes, named by their offsets.
pub fn nodes(stream: &Stream) -> Vec<(Entry, Vec<Row>)> {
    let mut before: Option<Box<str>> = None;
    let mut nodes = Vec::new();
    for (stage, rows, state) in stream.stages() {
        let name: Box<str> = stage.offset.to_string().into();
        let part = if stage.step == EventKind::Message { Part::Input } else { Part::Answer };
        let part = if stage.step == EventKind::Rewrite { Part::Input } else { part };
        let mut entry = Entry::new(&name, stage.at, stage.record, part);
        entry.parent = before.replace(name);
        entry.message = stage.request.map(|offset| format!("request {offset}").into());
        match (stage.step, state) {
            (EventKind::Rewrite, _) => entry.marks.set(Marks::RESTART.and(Marks::TRIMMED)),
            (_, Some(State::Open | State::Cancelled)) => entry.marks.set(Marks::FAILED),
            _ => {}
        }
        nodes.push((entry, rows.to_vec()));
    }
    nodes
}

/// What is reported of a misfit.
pub fn finding(problem: &Misplaced, stream: &Stream, texts: &Texts<'_>) -> Finding {
    let offset = u32::try_from(problem.offset).unwrap_or(u32::MAX);
    let (code, variant, arg, why) = match problem.misfit {
        Misfit::Abandoned => (codes::DANGLING_REQUEST, 0, offset, "what it would have given is not known"),
        Misfit::Running => (codes::DANGLING_REQUEST, 1, offset, "it may still run"),
        Misfit::Stale => (codes::STALE_OUTPUT, 0, offset, "the history does without it, as the agent did"),
        Misfit::Late => (codes::STALE_OUTPUT, 1, offset, "the history does without it, as the agent did"),
        Misfit::AfterCancel => {
            (codes::OUTPUT_AFTER_CANCEL, 0, offset, "the history does without it, as the agent did")
        }
        Misfit::AnsweredTwice => (codes::ANSWERED_TWICE, 0, offset, "which of the two was meant is not known"),
        Misfit::EndOfNothing => (codes::COMPLETED_WITHOUT_REQUEST, 0, offset, "the request is not in the file"),
        Misfit::OutputOfNothing => (codes::COMPLETED_WITHOUT_REQUEST, 1, offset, "the request is not in the file"),
        Misfit::Order => (codes::OFFSETS_NOT_INCREASING, 0, offset, "in which order the events came is not known"),
        Misfit::NoOffset => (codes::OFFSETS_NOT_INCREASING, 1, 0, "its place in the stream is not known"),
        Misfit::Body(context) => {
            let index = problem.partner.and_then(|body| difference(texts, stream, context, body));
            (
                codes::EMBEDDED_BODY_DIFFERS,
                0,
                index.map_or(0, |found| found.index),
                "it is not known which of the two was sent",
            )
        }
        Misfit::Unknown(count) => (codes::UNKNOWN_EVENT, 0, count, "its meaning is not known"),
        Misfit::Invalid => (codes::INVALID_EVENT, 0, offset, "the intended content is not known"),
    };
    let row = Row::of_place(problem.at, problem.record);
    let partner = problem.partner.filter(|_| !matches!(problem.misfit, Misfit::Body(_)));
    Finding::new(code, row).variant(variant).arg(arg).with(partner).never(why)
}

/// The first message in which a body differs from the history, by what can be said of both without their content.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Index of the message.
    pub index: u32,
    pub body: Side,
    pub history: Side,
}

/// One of two messages that differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Side {
    /// There are no more messages.
    Nothing,
    /// No message that holds just a role and a text.
    Other,
    /// A role and the length of the text in bytes.
    Text(Role, usize),
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Side::Nothing => write!(f, "nothing"),
            Side::Other => write!(f, "more than a role and a text"),
            Side::Text(role, len) => {
                write!(f, "{} text of {len} bytes", format!("{role:?}").to_ascii_lowercase())
            }
        }
    }
}

/// Compares the messages of a body with those of the history.
pub fn difference(texts: &Texts<'_>, stream: &Stream, context: Context, body: Place) -> Option<Difference> {
    texts.see(body, false, |list| first_difference(texts, stream, context, list, 0)).flatten()
}

/// The same for a list that was read already, and whose first `from` messages are known to be the same.
pub fn first_difference(
    texts: &Texts<'_>,
    stream: &Stream,
    context: Context,
    list: Val<'_>,
    from: u32,
) -> Option<Difference> {
    let (system, rows) = stream.of(context);
    let mut messages = list.elements().skip(from as usize);
    let system = Said { role: Role::System, row: system };
    let said = std::iter::once(system).chain(rows.iter().map(|row| Said { role: row.role, row: Some(row) }));
    let mut index = from;
    for said in said.skip(from as usize) {
        let message = messages.next();
        if !message.is_some_and(|message| said.is(texts, message)) {
            let body = message.map_or(Side::Nothing, side);
            return Some(Difference { index, body, history: said.side(texts) });
        }
        index += 1;
    }
    messages.next().map(|message| Difference { index, body: side(message), history: Side::Nothing })
}

/// A message of the history; without a row the default instructions.
struct Said<'h> {
    role: Role,
    row: Option<&'h Row>,
}

impl Said<'_> {
    fn is(&self, texts: &Texts<'_>, message: Val<'_>) -> bool {
        let Some((role, content)) = parts(message) else { return false };
        role == self.role
            && match self.row {
                None => content.is(DEFAULT_SYSTEM),
                Some(row) => {
                    texts.item(row, |own| own.raw() == content.raw() || own.text() == content.text()) == Some(true)
                }
            }
    }

    fn side(&self, texts: &Texts<'_>) -> Side {
        let len = match self.row {
            None => DEFAULT_SYSTEM.len(),
            Some(row) => texts.item(row, |own| own.text().map_or(0, |text| text.len())).unwrap_or(0),
        };
        Side::Text(self.role, len)
    }
}

/// Role and content of a message that is nothing but a text.
fn parts(message: Val<'_>) -> Option<(Role, Val<'_>)> {
    let content = message.get("content").filter(|content| content.kind() == NodeKind::String)?;
    let role = Role::of(&message.get("role")?.text()?);
    (message.count() == 2).then_some((role, content))
}

fn side(message: Val<'_>) -> Side {
    match parts(message) {
        Some((role, content)) => Side::Text(role, content.text().map_or(0, |text| text.len())),
        None => Side::Other,
    }
}

/// The messages that a request sends in a state of the history, as JSON, without white space.
pub fn messages(texts: &Texts<'_>, stream: &Stream, context: Context) -> Vec<Vec<u8>> {
    messages_from(texts, stream, context, 0)
}

/// The same without the first `from` of them.
pub fn messages_from(texts: &Texts<'_>, stream: &Stream, context: Context, from: u32) -> Vec<Vec<u8>> {
    let (system, rows) = stream.of(context);
    let of_row = |row: &Row| texts.item(row, |own| message(row.role, own.raw()));
    let default = || message(Role::System, &string::quoted(DEFAULT_SYSTEM));
    let first = (from == 0).then(|| system.and_then(of_row).unwrap_or_else(default));
    let rest = rows.iter().skip(from.saturating_sub(1) as usize);
    first.into_iter().chain(rest.filter_map(of_row)).collect()
}

/// A message of this role, without white space; its content is JSON already.
pub fn message(role: Role, content: &[u8]) -> Vec<u8> {
    let role = format!("{role:?}").to_ascii_lowercase();
    [b"{\"role\":\"", role.as_bytes(), b"\",\"content\":", content, b"}"].concat()
}
