//! The messages of a document, their parts, and what is sent of them.

use crate::formats::member::text;
use crate::formats::threads::{DialectChoice, parts as made};
use crate::history::Role;
use crate::json::edit::Base;
use crate::json::{Val, name};
use crate::message::{Maker, Media, MediaKind, Part, Raw, ResultPart, Text};

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
    /// Whose a part is, and what is sent of it. What the provider has run itself is not read.
    pub fn part(&self, part: Val<'_>) -> Option<(Role, Vec<Part>)> {
        let content = part.get(name::content).filter(|own| !own.is_null());
        let said = |content: Val<'_>| Part::text(Text::of_json(content, self.base), self.base.of(part).into());
        let (role, sent) = match part.get("part_kind")?.text()?.as_ref() {
            b"system-prompt" | b"instruction" => (Role::System, said(content?)),
            b"user-prompt" if content?.is_array() => return Some((Role::User, self.prompt(content?, part))),
            b"user-prompt" => (Role::User, said(content?)),
            b"tool-return" => (Role::Tool, self.result(content, part)?),
            b"retry-prompt" if text(part, "tool_name").is_some() => (Role::Tool, self.result(content, part)?),
            b"retry-prompt" => (Role::User, said(content?)),
            b"text" => {
                let id = made::text(part.get(name::id), self.base).filter(|id| id.raw().starts_with(b"msg_"));
                (Role::Assistant, Part { id, ..said(content.filter(|own| !own.is(""))?) })
            }
            b"thinking" => (Role::Assistant, self.thought(part)),
            b"tool-call" => (Role::Assistant, self.call(part)?),
            _ => return None,
        };
        Some((role, vec![sent]))
    }

    /// A list of texts and files of the user's. Texts are joined where there is nothing else.
    fn prompt(&self, list: Val<'_>, part: Val<'_>) -> Vec<Part> {
        let at = self.base.of(part);
        let texts: Vec<Text> = list.elements().filter_map(|own| self.text(own)).collect();
        let of_element = |own: Val<'_>| match self.text(own) {
            Some(text) => Some(Part::text(text, self.base.of(own).into())),
            None => self.media(own).map(|media| Part::new(media.into(), self.base.of(own).into())),
        };
        let all: Vec<Part> = list.elements().filter_map(of_element).collect();
        match !texts.is_empty() && all.len() == texts.len() {
            true => vec![Part::text(Text::join(&texts, "\\n").at(at), at.into())],
            false => all,
        }
    }

    fn text(&self, own: Val<'_>) -> Option<Text> {
        Text::copied(if own.is_string() { own } else { own.get(name::content)? }, self.base)
    }

    /// A file by its address (`image-url` and its like), or with its content (`binary`).
    fn media(&self, own: Val<'_>) -> Option<Media> {
        let copied = |key: &str| own.get(key).and_then(|own| Text::copied(own, self.base));
        let is = |kind: &str| own.get(name::kind).is_some_and(|own| own.is(kind));
        match copied("url") {
            Some(url) => {
                let media = made::media(url, copied("media_type"), None);
                Some(Media { kind: if is("image-url") { MediaKind::Image } else { media.kind }, ..media })
            }
            None if is("binary") => Some(made::media_of_data(copied("media_type")?, copied("data")?, None)),
            None => None,
        }
    }

    fn thought(&self, part: Val<'_>) -> Part {
        let (base, at) = (self.base, self.base.of(part));
        let copied = |key| made::text(part.get(key), base);
        let (text, signature) = (copied(name::content), copied(name::signature));
        match self.dialect {
            DialectChoice::Responses => {
                Part { id: copied(name::id), ..made::reasoning(Maker::OpenAi, text, signature, at) }
            }
            _ if part.get(name::id).is_some_and(|id| id.is("redacted_thinking")) => made::redacted(signature, at),
            _ => made::thinking(text, signature, at),
        }
    }

    /// The id of a call, and of the item that it is: both may be in one text.
    fn call_id(&self, part: Val<'_>) -> Option<(Text, Option<Text>)> {
        let whole = made::text(part.get(name::tool_call_id), self.base)?;
        if self.dialect != DialectChoice::Responses {
            return Some((whole, None));
        }
        let item = made::text(part.get(name::id), self.base);
        let cut = memchr::memchr(b'|', &whole.raw());
        Some(match cut {
            Some(cut) => (whole.slice(0, cut), item.or_else(|| Some(whole.slice(cut + 1, whole.size())))),
            None => (whole, item),
        })
    }

    fn call(&self, part: Val<'_>) -> Option<Part> {
        let (base, at) = (self.base, self.base.of(part));
        let (call, id) = self.call_id(part)?;
        let name = part.get(name::tool_name);
        let name = name.map_or_else(|| Text::named("", at), |name| Text::of_json(name, base));
        let args = part.get(name::args).filter(|args| !args.is_null());
        Some(Part { id, ..made::call(call, name, made::input(args, base, at), at) })
    }

    /// What a tool gave: JSON as its text, unless there are files in a list.
    fn result(&self, content: Option<Val<'_>>, part: Val<'_>) -> Option<Part> {
        let list = content.filter(|list| list.elements().any(|own| self.media(own).is_some()));
        let of_element = |own: Val<'_>| match self.media(own) {
            Some(media) => ResultPart::media(media, self.base.of(own).into()),
            None => Text::copied(own, self.base)
                .map_or_else(|| ResultPart::Json(Raw::copied(own, self.base)), ResultPart::Text),
        };
        let output = match (list, content) {
            (Some(list), _) => list.elements().map(of_element).collect(),
            (None, own) => own.map(|own| ResultPart::Text(Text::of_json(own, self.base))).into_iter().collect(),
        };
        let failed = is(part, &["retry-prompt"]);
        Some(made::result(self.call_id(part)?.0, output, failed, self.base.of(part)))
    }
}
