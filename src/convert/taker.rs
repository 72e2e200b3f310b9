//! Conversion of one conversation: read it as a thread, fit that to what the other dialect takes, write it. Within a dialect
//! there is no thread: what is there is copied as it stands.

use std::io;

use crate::dialect::{Body, Dialect, Shape, Written, write_lines};
use crate::json::edit::Base;
use crate::json::{Tape, Val, provenance, scan};
use crate::message::write::Writer;
use crate::message::{LossKind, Losses, Lost, Message, OpaqueKind, Part, PartKind, Text, Thread};
use crate::source::bytes::spool::{Outlet, Spool};
use crate::target::Target;

use super::able::Able;
use super::fit;
use super::model;
use super::plan::{Plan, Thoughts};
use super::verbatim::{Copied, Verbatim};

/// What came of a conversation.
pub struct Converted {
    pub losses: Vec<Lost>,
    /// There was something to write.
    pub written: bool,
    /// Items or messages that were read.
    pub items: u64,
    /// The items of the result, where they were copied as they stand, by their places in what was appended.
    pub copies: Vec<Copied>,
    /// What the request that was copied says of the server's store.
    pub stored: Option<bool>,
    /// Who judges the result, where that is not the dialect's usual target.
    pub target: Option<&'static Target>,
}

/// Takes the parts of a conversation, one after the other.
pub struct Taker {
    dialect: &'static dyn Dialect,
    pub losses: Losses,
    into: Into,
    items: u64,
    /// What is too much for memory goes to files.
    spills: bool,
}

enum Into {
    Lifted(Box<Thread>),
    Verbatim(Box<Verbatim>),
}

impl Taker {
    pub fn new(dialect: &'static dyn Dialect, plan: &Plan, spills: bool) -> Self {
        let same = dialect.info().capabilities.dialect == plan.to.info().name && plan.thoughts == Thoughts::Auto;
        let into = match same {
            true => {
                Into::Verbatim(Box::new(Verbatim::new(dialect.info().capabilities, plan.written, outlet(spills))))
            }
            false => Into::Lifted(Box::default()),
        };
        Taker { dialect, losses: Losses::default(), into, items: 0, spills }
    }

    /// Lifts a conversation, whatever it is to become.
    pub fn lifting(dialect: &'static dyn Dialect) -> Self {
        Taker { dialect, losses: Losses::default(), into: Into::Lifted(Box::default()), items: 0, spills: false }
    }

    /// What was lifted, and what was lost on the way.
    pub fn lifted(self) -> (Thread, Losses) {
        match self.into {
            Into::Lifted(conversation) => (*conversation, self.losses),
            Into::Verbatim(_) => (Thread::default(), self.losses),
        }
    }

    /// Whether items stay as they stand.
    pub fn copies(&self) -> bool {
        matches!(self.into, Into::Verbatim(_))
    }

    /// Takes messages that were read already.
    pub fn messages(&mut self, mut messages: Vec<Message>) {
        let side = self.dialect.info().capabilities.merged_roles;
        let blank = Thread::default();
        let merged = |a: &Message, b: &Message| side.is_some_and(|side| side(a.role) == side(b.role));
        for first in messages.chunk_by(merged).filter_map(|run| run.first()) {
            self.dialect.write_items(&blank, first, &mut |_| self.items += 1);
        }
        match &mut self.into {
            Into::Lifted(conversation) => {
                for message in messages {
                    push(self.dialect, message, conversation, &mut self.losses);
                }
                if self.spills {
                    conversation.put_away();
                }
            }
            Into::Verbatim(verbatim) => {
                fit::merge(&mut messages, self.dialect);
                for message in &messages {
                    self.dialect.write_items(&blank, message, &mut |write| {
                        let mut item = provenance::Written::default();
                        write(&mut Writer::tracing(&mut item, message.at.place));
                        verbatim.written(&item, &mut self.losses);
                    });
                }
            }
        }
    }

    /// Takes a part of the conversation; `is_element`: an element of the list of a request that comes in pieces.
    pub fn take(&mut self, body: &Body<'_>, is_element: bool) {
        self.items += match body.shape {
            Shape::Item => 1,
            Shape::List => u64::from(body.val.count()),
            Shape::Request => {
                let list = body.val.get(self.dialect.info().capabilities.list_key);
                list.map_or(0, |list| u64::from(if list.is_array() { list.count() } else { 1 }))
            }
        };
        match &mut self.into {
            Into::Lifted(conversation) => {
                self.dialect.read(*body, conversation, &mut self.losses);
                match is_element {
                    true => lose_literal(body, body.val, &mut self.losses),
                    false => lose_literals(self.dialect, body, &mut self.losses),
                }
                if self.spills {
                    conversation.put_away();
                }
            }
            Into::Verbatim(verbatim) if is_element => verbatim.element(body, &mut self.losses),
            Into::Verbatim(verbatim) => verbatim.take(body, &mut self.losses),
        }
    }

    /// Writes the conversation. `model` is the one that the envelope names, `size` about how much it becomes.
    pub fn finish(self, model: Option<&str>, plan: &Plan, size: usize) -> io::Result<(Converted, Spool)> {
        let mut losses = self.losses;
        let outlet = outlet(self.spills);
        match self.into {
            Into::Verbatim(verbatim) => {
                let target = Able::of(plan, verbatim.model().as_deref().or(model)).target;
                let stored = verbatim.stored;
                let (out, copies) = verbatim.finish(plan.model.as_deref(), model, &mut losses, outlet)?;
                let written = !out.is_empty();
                let done = Converted { losses: losses.list, written, items: self.items, copies, stored, target };
                Ok((done, out))
            }
            Into::Lifted(mut conversation) => {
                let named = plan.model.as_deref().or_else(|| model.filter(|_| conversation.model.is_none()));
                if let Some(model) = named {
                    conversation.model = Some(Text::new(model));
                }
                let model =
                    conversation.model.as_ref().map(|text| String::from_utf8_lossy(&text.plain()).into_owned());
                let able = Able::of(plan, model.as_deref());
                let target = able.target;
                fit::fit(&mut conversation, plan.to.info().capabilities, plan, &able, &mut losses);
                model::fit(&conversation, plan, &mut losses);
                let mut out = Vec::with_capacity(size);
                conversation.outlet = outlet;
                if !(conversation.messages.is_empty() && conversation.instructions.is_empty()) {
                    match plan.written {
                        Written::Request => {
                            let mut w = Writer::new(&mut out).relieved(&conversation.outlet);
                            plan.to.write(&conversation, &mut w);
                        }
                        Written::Items => write_lines(plan.to, &conversation, &mut out),
                    }
                }
                if let Some(error) = conversation.store().and_then(|store| store.failure()) {
                    return Err(error);
                }
                let written = !out.is_empty();
                if written && out.last() != Some(&b'\n') {
                    out.push(b'\n');
                }
                let out = conversation.outlet.close(out)?;
                let (copies, losses) = (Vec::new(), losses.list);
                Ok((Converted { losses, written, items: self.items, copies, stored: None, target }, out))
            }
        }
    }
}

/// Adds a message; items that were copied into it are read.
fn push(dialect: &dyn Dialect, message: Message, to: &mut Thread, losses: &mut Losses) {
    let is_item = |part: &Part| matches!(&part.kind, PartKind::Opaque(opaque) if opaque.kind == OpaqueKind::Item);
    if !message.parts.iter().any(is_item) {
        return to.push(message);
    }
    let first = to.messages.len();
    let mut tape = Tape::new();
    for part in message.parts {
        let mut read = Thread::default();
        match &part.kind {
            PartKind::Opaque(opaque) if is_item(&part) => {
                let raw = opaque.raw.bytes();
                if let Some(val) = scan(&raw, &mut tape).ok().and_then(|()| tape.root(&raw)) {
                    let base = Base::made_of(part.at.place);
                    dialect.read(Body { val, base, embedded: false, shape: Shape::Item }, &mut read, losses);
                }
            }
            _ => read.add(message.role, false, part),
        }
        for message in read.messages {
            for part in message.parts {
                to.add(message.role, to.messages.len() > first, part);
            }
        }
    }
}

/// Where what is too much for memory goes, if it may.
fn outlet(spills: bool) -> Outlet {
    if spills { Outlet::open() } else { Outlet::default() }
}

/// A null, a number or a text among messages becomes nothing. Items of the Responses API lose theirs one by one.
fn lose_literals(dialect: &dyn Dialect, body: &Body<'_>, losses: &mut Losses) {
    let list = match body.shape {
        Shape::Request => body.val.get(dialect.info().capabilities.list_key),
        Shape::List => Some(body.val),
        Shape::Item => None,
    };
    let elements = list.into_iter().flat_map(|list| list.elements());
    elements.for_each(|val| lose_literal(body, val, losses));
}

fn lose_literal(body: &Body<'_>, val: Val<'_>, losses: &mut Losses) {
    if !val.is_object() && !losses.list.iter().any(|lost| lost.at == body.at(val)) {
        losses.add(LossKind::UNKNOWN, body.at(val));
    }
}
