//! Conversion of one conversation: it is read as a thread, fitted to the other dialect and written. Within a dialect there
//! is no thread: items are copied unchanged.

use std::io;

use crate::dialect::{Body, BodyShape, Dialect, OutputShape, write_lines};
use crate::json::edit::RecordBase;
use crate::json::{Tape, Val, provenance, scan};
use crate::message::write::JsonWriter;
use crate::message::{ConversionLoss, LossKind, Losses, Message, OpaqueKind, Part, PartKind, Text, Thread};
use crate::source::bytes::spool::{Spool, SpoolSink};
use crate::target::Target;

use super::fit;
use super::model;
use super::model_support::ModelSupport;
use super::plan::{ConvertPlan, ReasoningMode};
use super::verbatim_copy::{CopySpan, VerbatimCopy};

/// The result of converting one conversation.
pub struct ConvertedHistory {
    pub losses: Vec<ConversionLoss>,
    /// Something was written.
    pub has_output: bool,
    /// The number of items or messages that were read.
    pub items: u64,
    /// The items of the result by their places in it, if they were copied unchanged.
    pub copies: Vec<CopySpan>,
    /// The `store` setting of a copied request.
    pub store: Option<bool>,
    /// The target that judges the result; `None`: the dialect's default target.
    pub target: Option<&'static Target>,
}

/// Collects the parts of a conversation, in order, and writes it.
pub struct ConversionBuilder {
    dialect: &'static dyn Dialect,
    pub losses: Losses,
    mode: BuilderMode,
    items: u64,
    /// Texts that are too large for memory go to files.
    spills: bool,
}

/// The treatment of items that are already of the target's dialect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CopyMode {
    /// They are copied unchanged.
    Verbatim,
    /// They are read and fitted like those of any other dialect.
    Fitted,
}

enum BuilderMode {
    Thread(Box<Thread>),
    Verbatim(Box<VerbatimCopy>),
}

impl ConversionBuilder {
    pub fn new(dialect: &'static dyn Dialect, plan: &ConvertPlan, spills: bool, copy: CopyMode) -> Self {
        let same = copy == CopyMode::Verbatim
            && dialect.info().capabilities.dialect == plan.dialect.info().name
            && plan.reasoning == ReasoningMode::Auto;
        let mode = match same {
            true => BuilderMode::Verbatim(Box::new(VerbatimCopy::new(
                dialect.info().capabilities,
                plan.shape,
                outlet(spills),
            ))),
            false => BuilderMode::Thread(Box::default()),
        };
        ConversionBuilder { dialect, losses: Losses::default(), mode, items: 0, spills }
    }

    /// A builder that reads a thread, whatever it is converted to.
    pub fn for_thread(dialect: &'static dyn Dialect) -> Self {
        ConversionBuilder {
            dialect,
            losses: Losses::default(),
            mode: BuilderMode::Thread(Box::default()),
            items: 0,
            spills: false,
        }
    }

    /// The thread, and the losses of reading it.
    pub fn into_thread(self) -> (Thread, Losses) {
        match self.mode {
            BuilderMode::Thread(conversation) => (*conversation, self.losses),
            BuilderMode::Verbatim(_) => (Thread::default(), self.losses),
        }
    }

    /// True if items are copied unchanged.
    pub fn is_verbatim(&self) -> bool {
        matches!(self.mode, BuilderMode::Verbatim(_))
    }

    /// Adds messages that were already read.
    pub fn push_messages(&mut self, mut messages: Vec<Message>) {
        let side = self.dialect.info().capabilities.merged_roles;
        let blank = Thread::default();
        let merged = |a: &Message, b: &Message| side.is_some_and(|side| side(a.role) == side(b.role));
        for first in messages.chunk_by(merged).filter_map(|run| run.first()) {
            self.dialect.write_items(&blank, first, &mut |_| self.items += 1);
        }
        match &mut self.mode {
            BuilderMode::Thread(conversation) => {
                for message in messages {
                    push_message(self.dialect, message, conversation, &mut self.losses);
                }
                if self.spills {
                    conversation.spill();
                }
            }
            BuilderMode::Verbatim(verbatim) => {
                fit::merge(&mut messages, self.dialect);
                for message in &messages {
                    self.dialect.write_items(&blank, message, &mut |write| {
                        let mut item = provenance::TracedText::default();
                        write(&mut JsonWriter::tracing(&mut item, message.at.place));
                        verbatim.push_written(&item, &mut self.losses);
                    });
                }
            }
        }
    }

    /// Adds a part of the conversation. `is_element`: it is one element of the list of a request that is read in pieces.
    pub fn push(&mut self, body: &Body<'_>, is_element: bool) {
        self.items += match body.shape {
            BodyShape::Item => 1,
            BodyShape::List => u64::from(body.val.count()),
            BodyShape::Request => {
                let list = body.val.get(self.dialect.info().capabilities.list_key);
                list.map_or(0, |list| u64::from(if list.is_array() { list.count() } else { 1 }))
            }
        };
        match &mut self.mode {
            BuilderMode::Thread(conversation) => {
                self.dialect.read(*body, conversation, &mut self.losses);
                match is_element {
                    true => report_literal(body, body.val, &mut self.losses),
                    false => report_literals(self.dialect, body, &mut self.losses),
                }
                if self.spills {
                    conversation.spill();
                }
            }
            BuilderMode::Verbatim(verbatim) if is_element => verbatim.push_element(body, &mut self.losses),
            BuilderMode::Verbatim(verbatim) => verbatim.push(body, &mut self.losses),
        }
    }

    /// Writes the conversation. `model` is the one that the envelope names, `size` an estimate of the result in bytes.
    pub fn finish(
        self,
        model: Option<&str>,
        plan: &ConvertPlan,
        size: usize,
    ) -> io::Result<(ConvertedHistory, Spool)> {
        let mut losses = self.losses;
        let outlet = outlet(self.spills);
        match self.mode {
            BuilderMode::Verbatim(verbatim) => {
                let target = ModelSupport::of(plan, verbatim.model().as_deref().or(model)).target;
                let stored = verbatim.store;
                let (out, copies) = verbatim.finish(plan.model.as_deref(), model, &mut losses, outlet)?;
                let has_output = !out.is_empty();
                let done = ConvertedHistory {
                    losses: losses.list,
                    has_output,
                    items: self.items,
                    copies,
                    store: stored,
                    target,
                };
                Ok((done, out))
            }
            BuilderMode::Thread(mut conversation) => {
                let named = plan.model.as_deref().or_else(|| model.filter(|_| conversation.model.is_none()));
                if let Some(model) = named {
                    conversation.model = Some(Text::new(model));
                }
                let model =
                    conversation.model.as_ref().map(|text| String::from_utf8_lossy(&text.plain()).into_owned());
                let support = ModelSupport::of(plan, model.as_deref());
                let target = support.target;
                fit::fit(&mut conversation, plan.dialect.info().capabilities, plan, &support, &mut losses);
                model::fit(&conversation, plan, &mut losses);
                let mut out = Vec::with_capacity(size);
                conversation.outlet = outlet;
                if !(conversation.messages.is_empty() && conversation.instructions.is_empty()) {
                    match plan.shape {
                        OutputShape::Request => {
                            let mut w = JsonWriter::new(&mut out).with_outlet(&conversation.outlet);
                            plan.dialect.write(&conversation, &mut w);
                        }
                        OutputShape::Items => write_lines(plan.dialect, &conversation, &mut out),
                    }
                }
                if let Some(error) = conversation.spill_store().and_then(|store| store.failure()) {
                    return Err(error);
                }
                let has_output = !out.is_empty();
                if has_output && out.last() != Some(&b'\n') {
                    out.push(b'\n');
                }
                let out = conversation.outlet.finish(out)?;
                let (copies, losses) = (Vec::new(), losses.list);
                Ok((ConvertedHistory { losses, has_output, items: self.items, copies, store: None, target }, out))
            }
        }
    }
}

/// Adds a message. Items that were copied into it are read.
fn push_message(dialect: &dyn Dialect, message: Message, to: &mut Thread, losses: &mut Losses) {
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
                    let base = RecordBase::synthetic_from(part.at.place);
                    dialect.read(Body { val, base, embedded: false, shape: BodyShape::Item }, &mut read, losses);
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

/// The file for text that is too large for memory, if it may spill.
fn outlet(spills: bool) -> SpoolSink {
    if spills { SpoolSink::open() } else { SpoolSink::default() }
}

/// Reports nulls, numbers and texts among messages as lost. In the Responses API each item reports its own.
fn report_literals(dialect: &dyn Dialect, body: &Body<'_>, losses: &mut Losses) {
    let list = match body.shape {
        BodyShape::Request => body.val.get(dialect.info().capabilities.list_key),
        BodyShape::List => Some(body.val),
        BodyShape::Item => None,
    };
    let elements = list.into_iter().flat_map(|list| list.elements());
    elements.for_each(|val| report_literal(body, val, losses));
}

fn report_literal(body: &Body<'_>, val: Val<'_>, losses: &mut Losses) {
    if !val.is_object() && !losses.list.iter().any(|lost| lost.at == body.at(val)) {
        losses.add(LossKind::UNKNOWN, body.at(val));
    }
}
