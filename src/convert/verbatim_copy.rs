//! Conversion between envelopes of one dialect: items are copied unchanged.

use std::io;

use crate::dialect::{Body, BodyShape, OutputShape};
use crate::history::Kind;
use crate::json::edit::RecordBase;
use crate::json::{Member, Tape, Val, name, provenance, scan, string};
use crate::message::settings_map;
use crate::message::settings_map::SettingRow;
use crate::message::write::JsonWriter;
use crate::message::{Capabilities, LossKind, Losses, SourceLocation, members};
use crate::source::bytes::spool::{Spool, SpoolSink};
use crate::target::Trait;
use crate::targets::models;

use super::effort::{ANSWER_TOKENS, MIN_BUDGET};
use super::request::DEFAULT_LIMIT;

/// An item of the result, or a part of the one before it, and its location in the source.
#[derive(Clone, Copy, Debug)]
pub struct CopySpan {
    /// Start and end in the result.
    pub span: (usize, usize),
    pub from: SourceLocation,
}

/// The members of a request that set thinking, or restrict it.
const THINKING_SETTINGS: [&[u8]; 5] = [b"thinking", b"temperature", b"top_p", b"top_k", b"tool_choice"];

/// The last answer of the model: adjacent messages are one.
#[derive(Default)]
struct LastAnswer {
    is_open: bool,
    begins_with_thinking: bool,
}

impl LastAnswer {
    fn add(&mut self, message: Val<'_>) {
        let is_answer = message.get(name::role).is_some_and(|role| role.is("assistant"));
        if is_answer && !self.is_open {
            let first = message.get(name::content).and_then(|content| content.elements().next());
            let kind = first.and_then(|block| block.get(name::r#type));
            self.begins_with_thinking =
                kind.is_some_and(|kind| kind.is("thinking") || kind.is("redacted_thinking"));
        }
        self.is_open = is_answer;
    }
}

/// Collects the items and the members of a request.
pub struct VerbatimCopy {
    dialect: &'static str,
    /// A request must limit its output tokens; this one does.
    requires_limit: bool,
    has_limit: bool,
    /// It sets something that goes with thinking, or against it.
    sets_thinking: bool,
    last_answer: LastAnswer,
    names_model: bool,
    list_key: &'static str,
    /// The members of a message in a request; empty: any.
    members: &'static [&'static str],
    /// The `store` setting of the request.
    pub store: Option<bool>,
    written: OutputShape,
    /// The members of the request before and after its list, unchanged.
    members_before: Vec<u8>,
    members_after: Vec<u8>,
    /// Items: elements of the list, or lines.
    items: Vec<u8>,
    /// The file for items that are too large for memory.
    outlet: SpoolSink,
    /// A text instead of the list: it stays one if no items follow.
    text: Option<Vec<u8>>,
    has_list: bool,
    /// The range of each item in `items`, and its location in the source.
    copies: Vec<CopySpan>,
    /// The position of the model's name: whether after the list, start, end.
    model_at: Option<(bool, usize, usize)>,
}

impl VerbatimCopy {
    pub fn new(capabilities: &Capabilities, written: OutputShape, outlet: SpoolSink) -> Self {
        VerbatimCopy {
            dialect: capabilities.dialect,
            requires_limit: capabilities.requires_limit,
            has_limit: false,
            sets_thinking: false,
            last_answer: LastAnswer::default(),
            names_model: capabilities.names_model,
            list_key: capabilities.list_key,
            members: capabilities.message_members,
            store: None,
            written,
            members_before: Vec::new(),
            members_after: Vec::new(),
            items: Vec::new(),
            outlet,
            text: None,
            has_list: false,
            copies: Vec::new(),
            model_at: None,
        }
    }

    pub fn push(&mut self, body: &Body<'_>, losses: &mut Losses) {
        match body.shape {
            BodyShape::Request => self.push_request(body, losses),
            BodyShape::List => body.val.elements().for_each(|val| self.push_item(body, val, losses)),
            BodyShape::Item if self.has_extra_members(body.val) => self.push_message(body),
            BodyShape::Item => self.push_item(body, body.val, losses),
        }
    }

    /// Adds an element of a request's list.
    pub fn push_element(&mut self, body: &Body<'_>, losses: &mut Losses) {
        self.push_item(body, body.val, losses);
    }

    /// Adds an item that was written, with the origin of its parts.
    pub fn push_written(&mut self, item: &provenance::TracedText, losses: &mut Losses) {
        let mut tape = Tape::new();
        let (Some(val), Some(first)) =
            (scan(&item.text, &mut tape).ok().and_then(|()| tape.root(&item.text)), item.spans.first())
        else {
            return;
        };
        let known = self.copies.len();
        let base = RecordBase::synthetic_from(first.from);
        self.push_item(&Body { val, base, embedded: false, shape: BodyShape::Item }, val, losses);
        let Some(&CopySpan { span: (start, end), .. }) = self.copies.get(known) else { return };
        if end - start != item.text.len() {
            return;
        }
        // Each part is a copy of its own within.
        let mut ends = item.spans.iter().skip(1).map(|span| start + span.at as usize).chain([end]);
        for span in &item.spans {
            let (from, to) = (start + span.at as usize, ends.next().unwrap_or(end));
            let at = span.from.into();
            match self.copies.last_mut().filter(|last| last.from == at && last.span.1 == from) {
                Some(last) => last.span.1 = to,
                None => self.copies.push(CopySpan { span: (from, to), from: at }),
            }
        }
    }

    /// True for a message of a response with members that a request may not have.
    fn has_extra_members(&self, val: Val<'_>) -> bool {
        let taken = |member: &Member<'_>| self.members.iter().any(|name| member.key.is(name.as_bytes()));
        !self.members.is_empty() && val.members().any(|member| !taken(&member))
    }

    /// Adds such a message without those members; each other member is a copy of its own.
    fn push_message(&mut self, body: &Body<'_>) {
        self.last_answer.add(body.val);
        let (mut out, mut within) = (Vec::new(), Vec::new());
        JsonWriter::new(&mut out).object(|w| {
            for name in self.members {
                if let Some(own) = body.val.get(name) {
                    let start = w.key(name).out.len();
                    w.bytes(own.raw());
                    within.push(CopySpan { span: (start, w.out.len()), from: body.at(own) });
                }
            }
        });
        self.append(&out, body.at(body.val));
        let start = self.copies.last().map_or(0, |item| item.span.0);
        self.copies.extend(shift(within, start));
    }

    fn push_request(&mut self, body: &Body<'_>, losses: &mut Losses) {
        for member in body.val.members() {
            if member.key.is(b"store") {
                self.store = member.val.as_bool();
            }
            if member.key.is(self.list_key.as_bytes()) {
                self.has_list = true;
                match member.val.is_array() {
                    true => member.val.elements().for_each(|val| self.push_item(body, val, losses)),
                    false if self.written == OutputShape::Request && self.items.is_empty() => {
                        self.text = Some(member.val.raw().to_vec());
                    }
                    false => self.push_item(body, member.val, losses),
                }
                continue;
            }
            if self.written == OutputShape::Items {
                if !member.val.is_null() {
                    losses.add(self.loss_of(&member), body.at_key(&member));
                }
                continue;
            }
            if !self.is_known(&member) {
                if !member.val.is_null() {
                    losses.add(self.loss_of(&member), body.at_key(&member));
                }
                continue;
            }
            self.has_limit |= member.key.is(b"max_tokens");
            self.sets_thinking |= THINKING_SETTINGS.iter().any(|name| member.key.is(name));
            let to = if self.has_list { &mut self.members_after } else { &mut self.members_before };
            if !to.is_empty() {
                to.push(b',');
            }
            to.push(b'"');
            to.extend_from_slice(member.key.raw);
            to.extend_from_slice(b"\":");
            let start = to.len();
            JsonWriter::new(to).bytes(member.val.raw());
            if member.key.is(b"model") {
                self.model_at = Some((self.has_list, start, to.len()));
            }
        }
    }

    /// True if requests of the dialect have this member, in either spelling.
    fn is_known(&self, member: &Member<'_>) -> bool {
        let name = String::from_utf8_lossy(&member.key.decode()).into_owned();
        members::is_known(self.dialect, &name)
    }

    fn loss_of(&self, member: &Member<'_>) -> LossKind {
        let name = String::from_utf8_lossy(&member.key.decode()).into_owned();
        match SettingRow::by_path(self.dialect, &name) {
            Some(form) => form.loss,
            None if name == "model" || members::is_response_only(&name) => LossKind::HARMLESS_SETTING,
            None => settings_map::dialect_only_loss(&name),
        }
    }

    fn push_item(&mut self, body: &Body<'_>, val: Val<'_>, losses: &mut Losses) {
        self.last_answer.add(val);
        if let Some(rest) = self.without_empty_blocks(body, val, losses) {
            return if rest.is_empty() {
                losses.add(LossKind::UNKNOWN, body.at(val))
            } else {
                self.append(&rest, body.at(val))
            };
        }
        // Only items of the Responses API have types of their own; those of other APIs are messages.
        let kind = val.get(name::r#type).and_then(|kind| kind.text()).filter(|_| self.list_key == "input");
        if kind.is_some_and(|kind| !kind.is_empty() && Kind::of_type(&kind) == Kind::Unknown) {
            return losses.add(LossKind::UNKNOWN, body.at(val));
        }
        if let Some(text) = self.text.take() {
            self.append(&user_message(&text), SourceLocation::default());
        }
        // In the Responses API a bare text is a message of the user; elsewhere it is not an item.
        match val.is_string() && self.list_key == "input" {
            true => self.append(&user_message(val.raw()), body.at(val)),
            false => self.append(val.raw(), body.at(val)),
        }
    }

    /// A message without its empty blocks, which no API with blocks accepts. `None` if it has none; empty if nothing else
    /// remains.
    fn without_empty_blocks(&self, body: &Body<'_>, val: Val<'_>, losses: &mut Losses) -> Option<Vec<u8>> {
        let content = val.get(name::content).filter(|content| !self.members.is_empty() && content.is_array())?;
        let is_empty = |block: &Val<'_>| block.is_object() && block.count() == 0;
        if !content.elements().any(|block| is_empty(&block)) {
            return None;
        }
        content.elements().filter(is_empty).for_each(|block| losses.add(LossKind::UNKNOWN, body.at(block)));
        let mut out = Vec::new();
        if content.elements().all(|block| is_empty(&block)) {
            return Some(out);
        }
        JsonWriter::new(&mut out).object(|w| {
            for member in val.members() {
                let w = w.key(&String::from_utf8_lossy(member.key.raw));
                match member.key.is(b"content") {
                    true => w.array(|w| {
                        content.elements().filter(|block| !is_empty(block)).for_each(|block| w.bytes(block.raw()));
                    }),
                    false => w.bytes(member.val.raw()),
                }
            }
        });
        Some(out)
    }

    fn append(&mut self, json: &[u8], from: SourceLocation) {
        let comma = usize::from(self.written == OutputShape::Request && !self.items.is_empty());
        let mut w = JsonWriter::new(&mut self.items).with_outlet(&self.outlet);
        let start = w.written_len() + comma;
        w.bytes(json);
        self.copies.push(CopySpan { span: (start, w.written_len()), from });
        if self.written == OutputShape::Items {
            self.items.push(b'\n');
        }
    }

    /// The model that the request names.
    pub fn model(&self) -> Option<String> {
        let (is_after, start, end) = self.model_at?;
        let part = if is_after { &self.members_after } else { &self.members_before };
        let quoted = part.get(start..end)?.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
        Some(String::from_utf8_lossy(&string::decode(quoted)).into_owned())
    }

    /// Writes the request for `model` if that is given, else for `usual` if the request names none. Returns it with the places
    /// of the items.
    pub fn finish(
        mut self,
        model: Option<&str>,
        usual: Option<&str>,
        losses: &mut Losses,
        outlet: SpoolSink,
    ) -> io::Result<(Spool, Vec<CopySpan>)> {
        if self.items.is_empty() && !self.has_list {
            return Ok(Default::default());
        }
        let named = self.model();
        let items = self.outlet.finish(self.items)?;
        if self.written == OutputShape::Items {
            return Ok((items, self.copies));
        }
        if let (Some(model), Some((is_after, start, end))) = (model, self.model_at) {
            let part = if is_after { &mut self.members_after } else { &mut self.members_before };
            part.splice(start..end, string::quoted(model));
        }
        let (mut out, mut begin, mut copied) = (Vec::new(), 0, Ok(()));
        JsonWriter::new(&mut out).with_outlet(&outlet).object(|w| {
            match (model.or(usual), self.model_at) {
                (Some(model), None) if self.names_model => w.key("model").plain(model),
                (None, None) if self.names_model => losses.add(LossKind::NO_MODEL, SourceLocation::default()),
                _ => {}
            }
            if self.requires_limit && !self.has_limit {
                let of = model.or(named.as_deref()).or(usual);
                let thinks = of.is_some_and(|model| models::traits(model).has(Trait::NoAdaptiveThinking))
                    && self.last_answer.begins_with_thinking
                    && !self.sets_thinking;
                let limit = if thinks { MIN_BUDGET + ANSWER_TOKENS } else { DEFAULT_LIMIT };
                losses.add_with(LossKind::STUB_LIMIT, SourceLocation::default(), limit);
                w.key("max_tokens").bytes(limit.to_string().as_bytes());
                if thinks {
                    losses.add_with(LossKind::STUB_THINKING, SourceLocation::default(), MIN_BUDGET);
                    w.key("thinking").object(|w| {
                        w.key("type").plain("enabled");
                        w.key("budget_tokens").bytes(MIN_BUDGET.to_string().as_bytes());
                    });
                }
            }
            if !self.members_before.is_empty() {
                w.bytes(&self.members_before);
            }
            match &self.text {
                Some(text) => w.key(self.list_key).bytes(text),
                None => w.key(self.list_key).array(|w| {
                    begin = w.written_len();
                    copied = items.for_each_chunk(&mut |bytes| {
                        w.append(bytes);
                        Ok(())
                    });
                }),
            }
            if !self.members_after.is_empty() {
                w.bytes(&self.members_after);
            }
        });
        copied?;
        // Like every result, it ends with a line feed.
        out.push(b'\n');
        Ok((outlet.finish(out)?, shift(self.copies, begin)))
    }
}

fn shift(mut copies: Vec<CopySpan>, by: usize) -> Vec<CopySpan> {
    for copy in &mut copies {
        copy.span = (copy.span.0 + by, copy.span.1 + by);
    }
    copies
}

fn user_message(text: &[u8]) -> Vec<u8> {
    [br#"{"role":"user","content":"#, text, b"}"].concat()
}
