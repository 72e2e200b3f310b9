//! The messages of a document, their parts, and what is sent of them.

use crate::formats::member::text;
use crate::formats::spoken::{Call, DialectChoice, Id, Media, Says, Thought};
use crate::history::Role;
use crate::json::edit::Base;
use crate::json::pieces::Pieced;
use crate::json::{Val, name};

/// The messages of a document.
pub(super) fn messages(val: Val<'_>) -> Option<Val<'_>> {
    let list = if val.is_array() { Some(val) } else { val.get(name::messages) };
    list.filter(|list| list.is_array())
}

pub(super) fn parts<'v>(message: Val<'v>) -> impl Iterator<Item = Val<'v>> {
    message.get(name::parts).into_iter().flat_map(|parts| parts.elements())
}

pub(super) fn is(part: Val<'_>, kinds: &[&str]) -> bool {
    part.get("part_kind").is_some_and(|own| kinds.iter().any(|kind| own.is(kind)))
}

/// How parts are sent.
pub(super) struct Sending<'b> {
    pub dialect: DialectChoice,
    pub base: Base<'b>,
}

impl Sending<'_> {
    /// Whose a part is, and what it says. What the provider has run itself is not read.
    pub fn part(&self, part: Val<'_>) -> Option<(Role, Says)> {
        let content = part.get(name::content);
        Some(match part.get("part_kind")?.text()?.as_ref() {
            b"system-prompt" | b"instruction" => (Role::System, self.text(content?, None, part)?),
            b"user-prompt" => (Role::User, self.prompt(content?, part)?),
            b"tool-return" => (Role::Tool, self.result(part)?),
            b"retry-prompt" if text(part, "tool_name").is_some() => (Role::Tool, self.result(part)?),
            b"retry-prompt" => (Role::User, self.text(content?, None, part)?),
            b"text" => {
                let id = Id::of(part.get(name::id), self.base).filter(|id| id.text.starts_with("msg_"));
                (Role::Assistant, self.text(content.filter(|own| !own.is(""))?, id, part)?)
            }
            b"thinking" => (Role::Assistant, Says::Thought(self.thought(part))),
            b"tool-call" => (Role::Assistant, self.call(part)?),
            _ => return None,
        })
    }

    fn text(&self, content: Val<'_>, id: Option<Id>, part: Val<'_>) -> Option<Says> {
        let text = Pieced::as_text(content, self.base);
        (!content.is_null()).then(|| Says::Text { text, id, at: self.base.of(part) })
    }

    /// What the user says: a text, or a list of texts and files. Texts are joined where there is nothing else.
    fn prompt(&self, content: Val<'_>, part: Val<'_>) -> Option<Says> {
        if !content.is_array() {
            return self.text(content, None, part);
        }
        let texts = content.elements().filter_map(|own| match own.is_string() {
            true => Some(own),
            false => own.get(name::content).filter(|own| own.is_string()),
        });
        let texts: Vec<Pieced> = texts.map(|own| Pieced::of(own, self.base)).collect();
        let at = self.base.of(part);
        match texts.is_empty() {
            false => Some(Says::Text { text: Pieced::joined(texts, "\n", at), id: None, at }),
            true => content.elements().find_map(|own| self.media(own)),
        }
    }

    fn media(&self, own: Val<'_>) -> Option<Says> {
        let url = own.get(name::url).filter(|url| url.is_string())?;
        Some(Says::Media(Media::of(url, own.get(name::media_type), None, self.base, self.base.of(own))))
    }

    fn thought(&self, part: Val<'_>) -> Thought {
        let (base, at) = (self.base, self.base.of(part));
        let piece = |key: &str| {
            part.get(key).filter(|own| own.is_string() && !own.is("")).map(|own| Pieced::of(own, base))
        };
        let openai = self.dialect == DialectChoice::Responses;
        let redacted = part.get(name::id).is_some_and(|id| id.is("redacted_thinking"));
        let signature = piece("signature");
        Thought {
            text: piece("content").unwrap_or_else(|| Pieced::text("", at)),
            signature: signature.clone().filter(|_| !openai && !redacted),
            redacted: signature.clone().filter(|_| !openai && redacted),
            id: Id::of(part.get(name::id), base).filter(|_| openai),
            blob: signature.filter(|_| openai),
            at,
        }
    }

    /// The id of a call, and of the item that it is: both may be in one text.
    fn call_id(&self, part: Val<'_>) -> Option<(Id, Option<Id>)> {
        let base = self.base;
        let val = part.get(name::tool_call_id)?;
        let whole = Id::of(Some(val), base)?;
        let item = Id::of(part.get(name::id), base);
        let cut = val
            .as_str()
            .and_then(|text| memchr::memchr(b'|', text.raw))
            .filter(|_| self.dialect == DialectChoice::Responses);
        let Some(cut) = cut else { return Some((whole, item)) };
        let end = val.as_str()?.raw.len();
        let id = |from: usize, to: usize| {
            let text = val.as_str()?.raw.get(from..to)?;
            Some(Id { text: String::from_utf8_lossy(text).into(), piece: Pieced::stretch(val, from, to, base) })
        };
        Some((id(0, cut)?, item.or_else(|| id(cut + 1, end))))
    }

    fn call(&self, part: Val<'_>) -> Option<Says> {
        let (base, at) = (self.base, self.base.of(part));
        let (id, item) = self.call_id(part)?;
        let args = part.get(name::args).filter(|args| !args.is_null());
        Some(Says::Call(Call {
            id,
            name: part.get(name::tool_name).map_or_else(|| Pieced::text("", at), |name| Pieced::of(name, base)),
            input: match args {
                None => Pieced::fixed("{}", at),
                Some(args) if self.dialect == DialectChoice::Anthropic => Pieced::unspelled(args, base),
                Some(args) => Pieced::of(args, base),
            },
            item: item.filter(|_| self.dialect == DialectChoice::Responses),
            at,
        }))
    }

    fn result(&self, part: Val<'_>) -> Option<Says> {
        let at = self.base.of(part);
        let content = part.get(name::content).filter(|own| !own.is_null());
        let output = content.map_or_else(|| Pieced::text("", at), |own| Pieced::as_text(own, self.base));
        let (call, _) = self.call_id(part)?;
        Some(Says::Result { call, output, failed: is(part, &["retry-prompt"]), at })
    }
}
