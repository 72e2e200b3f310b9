//! Parts of chatd's messages: what they are, and the items that they stand for.

use crate::dialect::{Item, Origin};
use crate::history::continued::{continuing, tie_of_id};
use crate::history::{Flags, ItemFlags, Kind, Role, Row};
use crate::json::{Str, Val, fingerprint, name};

/// What a part is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PartKind {
    /// Text, or anything else that someone says: a file.
    Said,
    Reasoning,
    /// A call that the client runs.
    Call,
    Result,
    /// A call that the provider ran.
    HostedCall,
    HostedResult,
    /// Shown, never replayed: a source, a skill, blank text, anything unknown.
    Silent,
}

/// Tools that providers run, by their names in a part.
const HOSTED: [(&str, Kind); 5] = [
    ("web_search", Kind::WebSearchCall),
    ("web_search_preview", Kind::WebSearchCall),
    ("code_interpreter", Kind::CodeInterpreterCall),
    ("file_search", Kind::FileSearchCall),
    ("image_generation", Kind::ImageGenerationCall),
];

/// A part of a message.
#[derive(Clone, Copy)]
pub struct Part<'t> {
    pub val: Val<'t>,
    /// Where its members lie: the part, or the envelope's `data`.
    pub fields: Val<'t>,
    pub kind: PartKind,
}

impl<'t> Part<'t> {
    pub fn of(val: Val<'t>) -> Self {
        let fields = val.get("data").filter(Val::is_object).unwrap_or(val);
        let mut part = Part { val, fields, kind: PartKind::Silent };
        let hosted = part.get("provider_executed").and_then(|flag| flag.as_bool()) == Some(true);
        let name = val.get("type").and_then(|name| name.text());
        part.kind = match name.as_deref() {
            Some(b"text") if part.is_blank("text") => PartKind::Silent,
            Some(b"text" | b"file" | b"file-reference" | b"context-file") => PartKind::Said,
            // Blank reasoning that no provider signed is nothing.
            Some(b"reasoning") if part.is_blank("text") && !part.is_signed() => PartKind::Silent,
            Some(b"reasoning") => PartKind::Reasoning,
            Some(b"tool-call") if hosted => PartKind::HostedCall,
            Some(b"tool-call") => PartKind::Call,
            Some(b"tool-result") | None if part.get("tool_call_id").is_some() => match hosted {
                true => PartKind::HostedResult,
                false => PartKind::Result,
            },
            _ => PartKind::Silent,
        };
        part
    }

    pub fn get(&self, key: &str) -> Option<Val<'t>> {
        self.fields.get(key)
    }

    pub fn str(&self, key: &str) -> Option<Str<'t>> {
        self.get(key)?.as_str().filter(|text| !text.is_empty())
    }

    /// What chatd says of lines of a file that the user points at: the file, the lines, and their text.
    pub fn reference(&self) -> Option<String> {
        self.val.get(name::r#type).filter(|kind| kind.is("file-reference"))?;
        let text = |key| self.get(key).and_then(|val| val.text()).unwrap_or_default();
        let line = |key| self.get(key).and_then(|val| val.as_u64()).unwrap_or_default();
        let (file, content) = (text("file_name"), text("content"));
        let (file, content) = (String::from_utf8_lossy(&file), String::from_utf8_lossy(&content));
        let lines = match (line("start_line"), line("end_line")) {
            (start, end) if start == end => start.to_string(),
            (start, end) => format!("{start}-{end}"),
        };
        let place = format!("[file-reference] {file}:{lines}");
        Some(match content.trim() {
            "" => place,
            words => format!("{place}\n```{file}\n{words}\n```"),
        })
    }

    /// Whether it names what a search found.
    pub fn is_source(&self) -> bool {
        self.val.get(name::r#type).is_some_and(|kind| kind.is("source"))
    }

    fn is_blank(&self, key: &str) -> bool {
        self.get(key).and_then(|val| val.text()).is_none_or(|text| text.trim_ascii().is_empty())
    }

    fn is_signed(&self) -> bool {
        self.str("signature").is_some() || self.get("provider_metadata").is_some_and(|meta| meta.count() > 0)
    }

    /// The providers that said something about the part, and what.
    pub fn metadata(&self) -> impl Iterator<Item = (Str<'t>, Val<'t>)> {
        let all = self.get("provider_metadata").into_iter().flat_map(|meta| meta.members());
        all.filter_map(|member| Some((member.key, member.val.get("data")?)))
    }

    /// What an OpenAI provider said: the data that names an item.
    pub fn item_data(&self) -> Option<Val<'t>> {
        self.metadata().map(|(_, data)| data).find(|data| data.get("item_id").is_some())
    }

    /// The id of the item that the part was made from.
    pub fn item_id(&self) -> Option<Str<'t>> {
        let told = self.item_data().and_then(|data| data.get("item_id")?.as_str()).filter(|id| !id.is_empty());
        match self.kind {
            PartKind::Reasoning => told,
            // Without metadata a hosted call is known by what chatd calls it.
            PartKind::HostedCall | PartKind::HostedResult => told.or(self.str("tool_call_id")),
            _ => None,
        }
    }

    pub fn blob(&self) -> Option<Val<'t>> {
        self.item_data()?.get("encrypted_content").filter(|blob| blob.as_str().is_some_and(|s| !s.is_empty()))
    }

    /// The part as one that is not sent.
    pub fn unsent(self) -> Self {
        Part { kind: PartKind::Silent, ..self }
    }

    /// The arguments of a call: an object, or its text under the older name.
    pub fn arguments(&self) -> Option<Val<'t>> {
        self.get("args").or_else(|| self.get("input"))
    }

    /// The kind of the tool that the provider ran.
    pub fn hosted_kind(&self) -> Kind {
        let name = self.str("tool_name");
        let known = HOSTED.iter().find(|(tool, _)| name.is_some_and(|name| name.is(tool.as_bytes())));
        known.map_or(Kind::Unknown, |(_, kind)| *kind)
    }

    /// The item that the part stands for. `hosted_in_full`: what the provider ran can be sent as it was, not only by
    /// reference.
    pub fn item(&self, role: Role, hosted_in_full: bool, origin: Origin<'_>) -> Item<'t> {
        let mut row = Row::of_place(origin.base.of(self.val), origin.record);
        (row.turn, row.part, row.flags) = (origin.turn, origin.part, origin.flags | Flags::FOREIGN);
        let key = self.str("tool_call_id");
        let id = self.item_id();
        (row.kind, row.of) = match self.kind {
            PartKind::Said => (Kind::Message, Kind::Message),
            PartKind::Reasoning if self.blob().is_none() && id.is_some() => (Kind::ItemReference, Kind::Reasoning),
            PartKind::Reasoning => (Kind::Reasoning, Kind::Reasoning),
            PartKind::Call => (Kind::FunctionCall, Kind::FunctionCall),
            PartKind::Result => (Kind::FunctionCallOutput, Kind::FunctionCallOutput),
            PartKind::HostedCall if hosted_in_full || self.hosted_kind() == Kind::Unknown => {
                (self.hosted_kind(), self.hosted_kind())
            }
            PartKind::HostedCall => (Kind::ItemReference, self.hosted_kind()),
            PartKind::HostedResult | PartKind::Silent => (Kind::Unknown, Kind::Unknown),
        };
        match self.kind {
            PartKind::Said => row.role = role,
            PartKind::Call | PartKind::Result => {
                if let Some(key) = key {
                    row.set_key(key);
                }
            }
            PartKind::Reasoning | PartKind::HostedCall => {
                if let Some(id) = id {
                    row.set_id(id);
                }
                // Newer versions say whether the metadata came with the finished item, or with its announcement.
                let finalized = self.item_data().and_then(|data| data.get("finalized")?.as_bool());
                if finalized == Some(false) {
                    row.set(ItemFlags::IN_PROGRESS);
                }
                if self.kind == PartKind::Reasoning {
                    row.set(ItemFlags::BOUND | ItemFlags::SHARED);
                    row.set(if self.blob().is_some() { ItemFlags::BLOB } else { ItemFlags::NONE });
                }
            }
            PartKind::HostedResult => row = continuing(row, id.map_or(0, |id| tie_of_id(fingerprint(id)))),
            PartKind::Silent => {}
        }
        let own = matches!(self.kind, PartKind::Reasoning | PartKind::HostedCall);
        let paired = matches!(self.kind, PartKind::Call | PartKind::Result);
        Item { row, val: self.val, id: id.filter(|_| own), key: key.filter(|_| paired) }
    }
}
