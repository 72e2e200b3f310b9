//! The messages of a sample.

use crate::format::translate::Stored;
use crate::formats::spoken::{Call, Id, Media, Says, Thought, Turn};
use crate::history::Role;
use crate::json::pieces::Pieced;
use crate::json::{Val, name};

/// How a text begins that lies among the attachments.
const ATTACHMENT: &str = "attachment://";

pub(super) struct Messages<'v> {
    list: Option<Val<'v>>,
    attachments: Option<Val<'v>>,
    record: Stored<'v>,
}

impl<'v> Messages<'v> {
    pub fn of(sample: Val<'v>, record: &Stored<'v>) -> Messages<'v> {
        Messages { list: sample.get(name::messages), attachments: sample.get("attachments"), record: *record }
    }

    pub fn turns(&self) -> Vec<Turn> {
        let turn = |message: Val<'v>| {
            let (role, says) = match message.get(name::role)?.text()?.as_ref() {
                b"system" => (Role::System, self.content(message)),
                b"user" => (Role::User, self.content(message)),
                b"assistant" => (Role::Assistant, self.answer(message)),
                b"tool" => (Role::Tool, self.result(message).into_iter().collect()),
                _ => return None,
            };
            let (at, record) = (self.record.base.of(message), self.record.number);
            Some(Turn { role, says, at, record })
        };
        let list = self.list.into_iter().flat_map(|list| list.elements());
        list.filter_map(turn).filter(|turn| !turn.says.is_empty()).collect()
    }

    /// A text, from where it lies.
    fn piece(&self, text: Val<'v>) -> Pieced {
        let own = text.text().unwrap_or_default();
        let key = std::str::from_utf8(&own).ok().and_then(|own| own.strip_prefix(ATTACHMENT));
        let held = key.and_then(|key| self.attachments?.get(key)).filter(Val::is_string);
        Pieced::of(held.unwrap_or(text), self.record.base)
    }

    fn content(&self, message: Val<'v>) -> Vec<Says> {
        let Some(content) = message.get(name::content) else { return Vec::new() };
        let alone = content.is_string().then_some(content).filter(|own| !own.is(""));
        alone.into_iter().chain(content.elements()).filter_map(|block| self.block(block)).collect()
    }

    fn block(&self, block: Val<'v>) -> Option<Says> {
        let (base, at) = (self.record.base, self.record.base.of(block));
        if block.is_string() {
            return Some(Says::Text { text: self.piece(block), id: None, at });
        }
        let held = |key: &str| block.get(key).filter(|own| own.is_string() && !own.is(""));
        match block.get(name::r#type)?.text()?.as_ref() {
            b"text" => Some(Says::Text { text: self.piece(held("text")?), id: None, at }),
            b"image" => {
                let image = held("image")?;
                let mut media = Media::of(image, None, None, base, at);
                (media.url, media.is_image) = (self.piece(image), true);
                Some(Says::Media(media))
            }
            b"reasoning" => {
                let redacted = block.get("redacted").and_then(|own| own.as_bool()) == Some(true);
                let text = held("reasoning").map(|own| self.piece(own));
                let signature = held("signature").map(|own| Pieced::of(own, base));
                let (text, redacted) = if redacted { (None, text) } else { (text, None) };
                let text = text.unwrap_or_else(|| Pieced::text("", at));
                Some(Says::Thought(Thought { text, signature, redacted, id: None, blob: None, at }))
            }
            _ => None,
        }
    }

    fn answer(&self, message: Val<'v>) -> Vec<Says> {
        let base = self.record.base;
        let mut says = self.content(message);
        let calls = message.get(name::tool_calls).into_iter().flat_map(|calls| calls.elements());
        says.extend(calls.filter_map(|call| {
            let at = base.of(call);
            let input = call.get(name::arguments).filter(|own| !own.is_null());
            Some(Says::Call(Call {
                id: Id::of(call.get(name::id), base)?,
                name: Pieced::of(call.get(name::function).filter(Val::is_string)?, base),
                input: input.map_or_else(|| Pieced::fixed("{}", at), |own| Pieced::of(own, base)),
                item: None,
                at,
            }))
        }));
        says
    }

    fn result(&self, message: Val<'v>) -> Option<Says> {
        let at = self.record.base.of(message);
        let call = Id::of(message.get(name::tool_call_id), self.record.base)?;
        let text = |says: Says| match says {
            Says::Text { text, .. } => Some(text),
            _ => None,
        };
        let texts: Vec<Pieced> = self.content(message).into_iter().filter_map(text).collect();
        let error = message.at(&["error", "message"]).filter(Val::is_string);
        let output = match (texts.is_empty(), error) {
            (false, _) => Pieced::joined(texts, "\n", at),
            (true, Some(error)) => self.piece(error),
            (true, None) => Pieced::text("", at),
        };
        Some(Says::Result { call, output, failed: error.is_some(), at })
    }
}
