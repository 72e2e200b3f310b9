//! The messages of a document, their parts, and the translation of parts.

use crate::formats::member::text;
use crate::formats::threads::{DialectChoice, parts as build};
use crate::history::Role;
use crate::json::edit::RecordBase;
use crate::json::{Val, name};
use crate::message::{Media, MediaKind, Part, RawJson, ReasoningProvider, ResultPart, Text};

/// The messages of a document.
pub(super) fn messages(val: Val<'_>) -> Option<Val<'_>> {
    let list = if val.is_array() { Some(val) } else { val.get(name::messages) };
    list.filter(|list| list.is_array())
}

/// The parts of a message.
pub(super) fn parts<'v>(message: Val<'v>) -> impl Iterator<Item = Val<'v>> {
    message.get(name::parts).into_iter().flat_map(|parts| parts.elements())
}

/// True if a part is of one of these kinds.
pub(super) fn is(part: Val<'_>, kinds: &[&str]) -> bool {
    part.get("part_kind").is_some_and(|own| kinds.iter().any(|kind| own.is(kind)))
}

/// Translates parts in a dialect.
pub(super) struct PartTranslator<'b> {
    pub dialect: DialectChoice,
    pub base: RecordBase<'b>,
}

impl PartTranslator<'_> {
    /// The role and the translation of a part. Calls that the provider ran itself are not translated.
    pub fn translate(&self, part: Val<'_>) -> Option<(Role, Vec<Part>)> {
        let content = part.get(name::content).filter(|own| !own.is_null());
        let text_part =
            |content: Val<'_>| Part::text(Text::of_json(content, self.base), self.base.of(part).into());
        let (role, translated) = match part.get("part_kind")?.text()?.as_ref() {
            b"system-prompt" | b"instruction" => (Role::System, text_part(content?)),
            b"user-prompt" if content?.is_array() => return Some((Role::User, self.prompt(content?, part))),
            b"user-prompt" => (Role::User, text_part(content?)),
            b"tool-return" => (Role::Tool, self.result(content, part)?),
            b"retry-prompt" if text(part, "tool_name").is_some() => (Role::Tool, self.result(content, part)?),
            b"retry-prompt" => (Role::User, text_part(content?)),
            b"text" => {
                let id = build::text(part.get(name::id), self.base).filter(|id| id.raw().starts_with(b"msg_"));
                (Role::Assistant, Part { id, ..text_part(content.filter(|own| !own.is(""))?) })
            }
            b"thinking" => (Role::Assistant, self.reasoning(part)),
            b"tool-call" => (Role::Assistant, self.call(part)?),
            _ => return None,
        };
        Some((role, vec![translated]))
    }

    /// A list of texts and files of a user prompt. Texts are joined if there is nothing else.
    fn prompt(&self, list: Val<'_>, part: Val<'_>) -> Vec<Part> {
        let at = self.base.of(part);
        let texts: Vec<Text> = list.elements().filter_map(|own| self.text(own)).collect();
        let of_element = |own: Val<'_>| match self.text(own) {
            Some(text) => Some(Part::text(text, self.base.of(own).into())),
            None => self.media(own).map(|media| Part::new(media.into(), self.base.of(own).into())),
        };
        let all: Vec<Part> = list.elements().filter_map(of_element).collect();
        match !texts.is_empty() && all.len() == texts.len() {
            true => vec![Part::text(Text::join(&texts, "\\n").reported_at(at), at.into())],
            false => all,
        }
    }

    fn text(&self, own: Val<'_>) -> Option<Text> {
        Text::copied(if own.is_string() { own } else { own.get(name::content)? }, self.base)
    }

    /// A file by its URL (`image-url` and similar kinds), or with its content (`binary`).
    fn media(&self, own: Val<'_>) -> Option<Media> {
        let copied = |key: &str| own.get(key).and_then(|own| Text::copied(own, self.base));
        let is = |kind: &str| own.get(name::kind).is_some_and(|own| own.is(kind));
        match copied("url") {
            Some(url) => {
                let media = build::media(url, copied("media_type"), None);
                Some(Media { kind: if is("image-url") { MediaKind::Image } else { media.kind }, ..media })
            }
            None if is("binary") => Some(build::media_of_data(copied("media_type")?, copied("data")?, None)),
            None => None,
        }
    }

    fn reasoning(&self, part: Val<'_>) -> Part {
        let (base, at) = (self.base, self.base.of(part));
        let copied = |key| build::text(part.get(key), base);
        let (text, signature) = (copied(name::content), copied(name::signature));
        match self.dialect {
            DialectChoice::Responses => {
                Part { id: copied(name::id), ..build::reasoning(ReasoningProvider::OpenAi, text, signature, at) }
            }
            _ if part.get(name::id).is_some_and(|id| id.is("redacted_thinking")) => build::redacted(signature, at),
            _ => build::thinking(text, signature, at),
        }
    }

    /// The id of a call, and of its item: both can be in one string.
    fn call_id(&self, part: Val<'_>) -> Option<(Text, Option<Text>)> {
        let whole = build::text(part.get(name::tool_call_id), self.base)?;
        if self.dialect != DialectChoice::Responses {
            return Some((whole, None));
        }
        let item = build::text(part.get(name::id), self.base);
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
        let name = name.map_or_else(|| Text::synthetic("", at), |name| Text::of_json(name, base));
        let args = part.get(name::args).filter(|args| !args.is_null());
        Some(Part { id, ..build::call(call, name, build::input(args, base, at), at) })
    }

    /// The output of a tool: JSON as text, unless it is a list with files.
    fn result(&self, content: Option<Val<'_>>, part: Val<'_>) -> Option<Part> {
        let list = content.filter(|list| list.elements().any(|own| self.media(own).is_some()));
        let of_element = |own: Val<'_>| match self.media(own) {
            Some(media) => ResultPart::media(media, self.base.of(own).into()),
            None => Text::copied(own, self.base)
                .map_or_else(|| ResultPart::Json(RawJson::copied(own, self.base)), ResultPart::Text),
        };
        let output = match (list, content) {
            (Some(list), _) => list.elements().map(of_element).collect(),
            (None, own) => own.map(|own| ResultPart::Text(Text::of_json(own, self.base))).into_iter().collect(),
        };
        let failed = is(part, &["retry-prompt"]);
        Some(build::result(self.call_id(part)?.0, output, failed, self.base.of(part)))
    }
}
