//! From one envelope to another of the same dialect: items are copied as they stand.

use std::io;

use crate::dialect::{Body, Shape, Written};
use crate::history::Kind;
use crate::json::edit::Base;
use crate::json::{Member, Tape, Val, name, provenance, scan, string};
use crate::message::settings_map;
use crate::message::settings_map::Form;
use crate::message::write::Writer;
use crate::message::{At, Capabilities, LossKind, Losses, members};
use crate::source::bytes::spool::{Outlet, Spool};

use super::request::LIMIT;

/// An item of the result, or a part of the one before, and what it was copied from.
#[derive(Clone, Copy, Debug)]
pub struct Copied {
    /// From, to.
    pub span: (usize, usize),
    pub from: At,
}

/// Gathers items and the members of a request.
pub struct Verbatim {
    dialect: &'static str,
    /// A request must limit its answer, and this one does.
    wants_limit: bool,
    has_limit: bool,
    names_model: bool,
    list_key: &'static str,
    /// What a message of a request holds; empty: whatever a response says of it.
    members: &'static [&'static str],
    /// What the request says of the server's store.
    pub stored: Option<bool>,
    written: Written,
    /// Members of the request in front of its list, and after it, as they stand.
    before: Vec<u8>,
    after: Vec<u8>,
    /// Items: elements of the list, or lines.
    items: Vec<u8>,
    /// Where they go if there are too many.
    outlet: Outlet,
    /// A text that stands for the list: it stays one if nothing else comes.
    text: Option<Vec<u8>>,
    has_list: bool,
    /// Where each item begins and ends in `items`, and where it was copied from.
    copies: Vec<Copied>,
    /// Where the model's name is: whether after the list, from, to.
    model_at: Option<(bool, usize, usize)>,
}

impl Verbatim {
    pub fn new(capabilities: &Capabilities, written: Written, outlet: Outlet) -> Self {
        Verbatim {
            dialect: capabilities.dialect,
            wants_limit: capabilities.wants_limit,
            has_limit: false,
            names_model: capabilities.names_model,
            list_key: capabilities.list_key,
            members: capabilities.message_members,
            stored: None,
            written,
            before: Vec::new(),
            after: Vec::new(),
            items: Vec::new(),
            outlet,
            text: None,
            has_list: false,
            copies: Vec::new(),
            model_at: None,
        }
    }

    pub fn take(&mut self, body: &Body<'_>, losses: &mut Losses) {
        match body.shape {
            Shape::Request => self.request(body, losses),
            Shape::List => body.val.elements().for_each(|val| self.item(body, val, losses)),
            Shape::Item if self.says_more(body.val) => self.message(body),
            Shape::Item => self.item(body, body.val, losses),
        }
    }

    /// Takes an element of a request's list.
    pub fn element(&mut self, body: &Body<'_>, losses: &mut Losses) {
        self.item(body, body.val, losses);
    }

    /// Takes an item that was written, and where its parts came from.
    pub fn written(&mut self, item: &provenance::Written, losses: &mut Losses) {
        let mut tape = Tape::new();
        let (Some(val), Some(first)) =
            (scan(&item.text, &mut tape).ok().and_then(|()| tape.root(&item.text)), item.spans.first())
        else {
            return;
        };
        let known = self.copies.len();
        let base = Base::made_of(first.from);
        self.item(&Body { val, base, embedded: false, shape: Shape::Item }, val, losses);
        let Some(&Copied { span: (start, end), .. }) = self.copies.get(known) else { return };
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
                None => self.copies.push(Copied { span: (from, to), from: at }),
            }
        }
    }

    /// A message as a response tells it holds more than one of a request may.
    fn says_more(&self, val: Val<'_>) -> bool {
        let taken = |member: &Member<'_>| self.members.iter().any(|name| member.key.is(name.as_bytes()));
        !self.members.is_empty() && val.members().any(|member| !taken(&member))
    }

    /// Such a message without what only a response says; each member is a copy of its own within.
    fn message(&mut self, body: &Body<'_>) {
        let (mut out, mut within) = (Vec::new(), Vec::new());
        Writer::new(&mut out).object(|w| {
            for name in self.members {
                if let Some(own) = body.val.get(name) {
                    let start = w.key(name).out.len();
                    w.bytes(own.raw());
                    within.push(Copied { span: (start, w.out.len()), from: body.at(own) });
                }
            }
        });
        self.add(&out, body.at(body.val));
        let start = self.copies.last().map_or(0, |item| item.span.0);
        self.copies.extend(moved(within, start));
    }

    fn request(&mut self, body: &Body<'_>, losses: &mut Losses) {
        for member in body.val.members() {
            if member.key.is(b"store") {
                self.stored = member.val.as_bool();
            }
            if member.key.is(self.list_key.as_bytes()) {
                self.has_list = true;
                match member.val.is_array() {
                    true => member.val.elements().for_each(|val| self.item(body, val, losses)),
                    false if self.written == Written::Request && self.items.is_empty() => {
                        self.text = Some(member.val.raw().to_vec());
                    }
                    false => self.item(body, member.val, losses),
                }
                continue;
            }
            if self.written == Written::Items {
                if !member.val.is_null() {
                    losses.add(self.loss_of(&member), body.at_key(&member));
                }
                continue;
            }
            if !self.knows(&member) {
                if !member.val.is_null() {
                    losses.add(self.loss_of(&member), body.at_key(&member));
                }
                continue;
            }
            self.has_limit |= member.key.is(b"max_tokens");
            let to = if self.has_list { &mut self.after } else { &mut self.before };
            if !to.is_empty() {
                to.push(b',');
            }
            to.push(b'"');
            to.extend_from_slice(member.key.raw);
            to.extend_from_slice(b"\":");
            let start = to.len();
            Writer::new(to).bytes(member.val.raw());
            if member.key.is(b"model") {
                self.model_at = Some((self.has_list, start, to.len()));
            }
        }
    }

    /// Whether a request of the dialect has this member, in whichever spelling.
    fn knows(&self, member: &Member<'_>) -> bool {
        let name = String::from_utf8_lossy(&member.key.decode()).into_owned();
        members::is_known(self.dialect, &name)
    }

    fn loss_of(&self, member: &Member<'_>) -> LossKind {
        let name = String::from_utf8_lossy(&member.key.decode()).into_owned();
        match Form::at(self.dialect, &name) {
            Some(form) => form.loss,
            None if name == "model" || members::is_of_responses(&name) => LossKind::HARMLESS_SETTING,
            None => settings_map::loss_alone(&name),
        }
    }

    fn item(&mut self, body: &Body<'_>, val: Val<'_>, losses: &mut Losses) {
        if let Some(rest) = self.without_empty_blocks(body, val, losses) {
            return if rest.is_empty() {
                losses.add(LossKind::UNKNOWN, body.at(val))
            } else {
                self.add(&rest, body.at(val))
            };
        }
        // Only items of the Responses API have types of their own; those of other APIs are messages.
        let kind = val.get(name::r#type).and_then(|kind| kind.text()).filter(|_| self.list_key == "input");
        if kind.is_some_and(|kind| !kind.is_empty() && Kind::of_type(&kind) == Kind::Unknown) {
            return losses.add(LossKind::UNKNOWN, body.at(val));
        }
        if let Some(text) = self.text.take() {
            self.add(&said_by_user(&text), At::default());
        }
        // In the Responses API a text alone is what the user says; elsewhere it is not an item.
        match val.is_string() && self.list_key == "input" {
            true => self.add(&said_by_user(val.raw()), body.at(val)),
            false => self.add(val.raw(), body.at(val)),
        }
    }

    /// A message without its blocks that have no member, if it has such: they say nothing, and no API with blocks takes them.
    /// Empty if nothing is left.
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
        Writer::new(&mut out).object(|w| {
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

    fn add(&mut self, json: &[u8], from: At) {
        let comma = usize::from(self.written == Written::Request && !self.items.is_empty());
        let mut w = Writer::new(&mut self.items).relieved(&self.outlet);
        let start = w.written() + comma;
        w.bytes(json);
        self.copies.push(Copied { span: (start, w.written()), from });
        if self.written == Written::Items {
            self.items.push(b'\n');
        }
    }

    /// The model that the request names.
    pub fn model(&self) -> Option<String> {
        let (behind, start, end) = self.model_at?;
        let part = if behind { &self.after } else { &self.before };
        let quoted = part.get(start..end)?.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
        Some(String::from_utf8_lossy(&string::decode(quoted)).into_owned())
    }

    /// What was gathered, for `model` if that was asked for, else for `usual` if the request names none. Gives the items
    /// by their places in it.
    pub fn finish(
        mut self,
        model: Option<&str>,
        usual: Option<&str>,
        losses: &mut Losses,
        outlet: Outlet,
    ) -> io::Result<(Spool, Vec<Copied>)> {
        if self.items.is_empty() && !self.has_list {
            return Ok(Default::default());
        }
        let items = self.outlet.close(self.items)?;
        if self.written == Written::Items {
            return Ok((items, self.copies));
        }
        if let (Some(model), Some((behind, start, end))) = (model, self.model_at) {
            let part = if behind { &mut self.after } else { &mut self.before };
            part.splice(start..end, string::quoted(model));
        }
        let (mut out, mut begin, mut copied) = (Vec::new(), 0, Ok(()));
        Writer::new(&mut out).relieved(&outlet).object(|w| {
            match (model.or(usual), self.model_at) {
                (Some(model), None) if self.names_model => w.key("model").plain(model),
                (None, None) if self.names_model => losses.add(LossKind::NO_MODEL, At::default()),
                _ => {}
            }
            if self.wants_limit && !self.has_limit {
                losses.add_with(LossKind::STUB_LIMIT, At::default(), LIMIT);
                w.key("max_tokens").bytes(LIMIT.to_string().as_bytes());
            }
            if !self.before.is_empty() {
                w.bytes(&self.before);
            }
            match &self.text {
                Some(text) => w.key(self.list_key).bytes(text),
                None => w.key(self.list_key).array(|w| {
                    begin = w.written();
                    copied = items.each(&mut |bytes| {
                        w.append(bytes);
                        Ok(())
                    });
                }),
            }
            if !self.after.is_empty() {
                w.bytes(&self.after);
            }
        });
        copied?;
        // As every result, it ends in a line feed.
        out.push(b'\n');
        Ok((outlet.close(out)?, moved(self.copies, begin)))
    }
}

fn moved(mut copies: Vec<Copied>, by: usize) -> Vec<Copied> {
    for copy in &mut copies {
        copy.span = (copy.span.0 + by, copy.span.1 + by);
    }
    copies
}

fn said_by_user(text: &[u8]) -> Vec<u8> {
    [br#"{"role":"user","content":"#, text, b"}"].concat()
}
