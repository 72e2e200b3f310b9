//! The forms in which things are said: turns, and what they are made of.

use crate::history::Role;
use crate::json::Val;
use crate::json::edit::Base;
use crate::json::pieces::Pieced;
use crate::place::Place;

/// What one side says before the other speaks, or a step of it.
pub(in crate::formats) struct Turn {
    /// Results are the tool's.
    pub role: Role,
    pub says: Vec<Says>,
    /// Where it lies, and the number of its record.
    pub at: Place,
    pub record: u32,
}

/// A part of a turn.
pub(in crate::formats) enum Says {
    Text {
        text: Pieced,
        id: Option<Id>,
        at: Place,
    },
    Thought(Thought),
    Call(Call),
    Result {
        call: Id,
        output: Pieced,
        failed: bool,
        at: Place,
    },
    Media(Media),
    /// An item of the Responses API, or a block of Anthropic's, as it was.
    Item(Pieced),
}

impl Says {
    /// Where it is.
    pub fn at(&self) -> Place {
        match self {
            Says::Text { at, .. } | Says::Result { at, .. } => *at,
            Says::Thought(thought) => thought.at,
            Says::Call(call) => call.at,
            Says::Media(media) => media.at,
            Says::Item(item) => item.place(),
        }
    }
}

/// What the model thought.
pub(in crate::formats) struct Thought {
    pub text: Pieced,
    /// Anthropic's signature, or its data without a text.
    pub signature: Option<Pieced>,
    pub redacted: Option<Pieced>,
    /// OpenAI's id and blob.
    pub id: Option<Id>,
    pub blob: Option<Pieced>,
    pub at: Place,
}

pub(in crate::formats) struct Call {
    pub id: Id,
    pub name: Pieced,
    /// An object.
    pub input: Pieced,
    /// OpenAI's id of the item.
    pub item: Option<Id>,
    pub at: Place,
}

/// An image or a file.
pub(in crate::formats) struct Media {
    pub is_image: bool,
    pub mime: Pieced,
    /// The address, which may hold the content itself.
    pub url: Pieced,
    /// The content, if the address holds it.
    pub data: Option<Pieced>,
    pub name: Option<Pieced>,
    pub at: Place,
}

/// An id: its text, and where that comes from.
#[derive(Clone)]
pub(in crate::formats) struct Id {
    pub text: Box<str>,
    pub piece: Pieced,
}

impl Id {
    /// A string that says something.
    pub fn of(val: Option<Val<'_>>, base: Base<'_>) -> Option<Id> {
        let val = val.filter(Val::is_string)?;
        let text = val.text().filter(|text| !text.is_empty())?;
        Some(Id { text: String::from_utf8_lossy(&text).into(), piece: Pieced::of(val, base) })
    }

    /// The same, with other characters than letters, digits, `_` and `-` replaced by `_`.
    pub fn plain(self, at: Place) -> Id {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if self.text.chars().all(is_plain) {
            return self;
        }
        let text: String = self.text.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
        Id { piece: Pieced::reworded(&text, self.piece.place()).at_place(at), text: text.into() }
    }
}

impl Media {
    /// A file with its address and its type.
    pub fn of(url: Val<'_>, mime: Option<Val<'_>>, name: Option<Val<'_>>, base: Base<'_>, at: Place) -> Media {
        let text = url.as_str().map_or(&b""[..], |text| text.raw);
        let comma = memchr::memchr(b',', text).filter(|_| text.starts_with(b"data:"));
        let data = comma.filter(|comma| text.get(..*comma).is_some_and(|head| head.ends_with(b";base64")));
        let stated = mime.and_then(|mime| mime.text());
        let inner = comma.and_then(|comma| text.get(b"data:".len()..comma)).unwrap_or_default();
        let inner = inner.split(|byte| *byte == b';').next().unwrap_or_default();
        let is_image = stated.as_deref().unwrap_or(inner).starts_with(b"image");
        let mime = match mime.filter(|_| stated.is_some()) {
            Some(mime) => Pieced::of(mime, base),
            None => Pieced::text(&String::from_utf8_lossy(inner), at),
        };
        Media {
            is_image,
            mime,
            url: Pieced::of(url, base),
            data: data.map(|comma| Pieced::stretch(url, comma + 1, text.len(), base)),
            name: name.map(|name| Pieced::of(name, base)),
            at,
        }
    }
}
