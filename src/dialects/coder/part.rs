//! Parts of chatd's messages: their kinds, and the corresponding items.

use crate::dialect::{Item, ItemOrigin};
use crate::history::continuations::{continuation, tie_of_id};
use crate::history::{Flags, ItemFlags, Kind, Role, Row};
use crate::json::{Str, Val, fingerprint, name};

/// The kind of a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CoderPartKind {
    /// Text or a file.
    Content,
    Reasoning,
    /// A call that the client runs.
    Call,
    Result,
    /// A call that the provider ran.
    HostedCall,
    HostedResult,
    /// Displayed, never replayed: a source, a skill, blank text, anything unknown.
    Unsent,
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
pub struct CoderPart<'t> {
    pub val: Val<'t>,
    /// The object with its members: the part, or the envelope's `data`.
    pub fields: Val<'t>,
    pub kind: CoderPartKind,
}

impl<'t> CoderPart<'t> {
    pub fn of(val: Val<'t>) -> Self {
        let fields = val.get("data").filter(Val::is_object).unwrap_or(val);
        let mut part = CoderPart { val, fields, kind: CoderPartKind::Unsent };
        let hosted = part.get("provider_executed").and_then(|flag| flag.as_bool()) == Some(true);
        let name = val.get("type").and_then(|name| name.text());
        part.kind = match name.as_deref() {
            Some(b"text") if part.is_blank("text") => CoderPartKind::Unsent,
            Some(b"text" | b"file" | b"file-reference" | b"context-file") => CoderPartKind::Content,
            // Blank reasoning without a signature has no content.
            Some(b"reasoning") if part.is_blank("text") && !part.is_signed() => CoderPartKind::Unsent,
            Some(b"reasoning") => CoderPartKind::Reasoning,
            Some(b"tool-call") if hosted => CoderPartKind::HostedCall,
            Some(b"tool-call") => CoderPartKind::Call,
            Some(b"tool-result") | None if part.get("tool_call_id").is_some() => match hosted {
                true => CoderPartKind::HostedResult,
                false => CoderPartKind::Result,
            },
            _ => CoderPartKind::Unsent,
        };
        part
    }

    pub fn get(&self, key: &str) -> Option<Val<'t>> {
        self.fields.get(key)
    }

    pub fn str(&self, key: &str) -> Option<Str<'t>> {
        self.get(key)?.as_str().filter(|text| !text.is_empty())
    }

    /// The text that chatd sends for a reference to lines of a file: the file, the lines, and their text.
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

    /// True if it is a source that a search found.
    pub fn is_source(&self) -> bool {
        self.val.get(name::r#type).is_some_and(|kind| kind.is("source"))
    }

    fn is_blank(&self, key: &str) -> bool {
        self.get(key).and_then(|val| val.text()).is_none_or(|text| text.trim_ascii().is_empty())
    }

    fn is_signed(&self) -> bool {
        self.str("signature").is_some() || self.get("provider_metadata").is_some_and(|meta| meta.count() > 0)
    }

    /// The metadata of the part, by provider.
    pub fn metadata(&self) -> impl Iterator<Item = (Str<'t>, Val<'t>)> {
        let all = self.get("provider_metadata").into_iter().flat_map(|meta| meta.members());
        all.filter_map(|member| Some((member.key, member.val.get("data")?)))
    }

    /// The metadata of an OpenAI provider: those with the id of an item, or its phase.
    pub fn item_data(&self) -> Option<Val<'t>> {
        let is_own = |data: &Val<'t>| data.get("item_id").is_some() || data.get("phase").is_some();
        self.metadata().map(|(_, data)| data).find(is_own)
    }

    /// The id of the item from which the part was made.
    pub fn item_id(&self) -> Option<Str<'t>> {
        let id = self.item_data().and_then(|data| data.get("item_id")?.as_str()).filter(|id| !id.is_empty());
        match self.kind {
            CoderPartKind::Reasoning => id,
            // Without metadata a hosted call has only chatd's own id.
            CoderPartKind::HostedCall | CoderPartKind::HostedResult => id.or(self.str("tool_call_id")),
            _ => None,
        }
    }

    pub fn blob(&self) -> Option<Val<'t>> {
        self.item_data()?.get("encrypted_content").filter(|blob| blob.as_str().is_some_and(|s| !s.is_empty()))
    }

    /// The same part, not to be sent.
    pub fn unsent(self) -> Self {
        CoderPart { kind: CoderPartKind::Unsent, ..self }
    }

    /// The arguments of a call: an object, or its text under the older name.
    pub fn arguments(&self) -> Option<Val<'t>> {
        self.get("args").or_else(|| self.get("input"))
    }

    /// The kind of a hosted call, by the name of its tool.
    pub fn hosted_kind(&self) -> Kind {
        let name = self.str("tool_name");
        let known = HOSTED.iter().find(|(tool, _)| name.is_some_and(|name| name.is(tool.as_bytes())));
        known.map_or(Kind::Unknown, |(_, kind)| *kind)
    }

    /// The item that corresponds to the part. `hosted_in_full`: hosted calls can be sent in full, not only by reference.
    pub fn item(&self, role: Role, hosted_in_full: bool, origin: ItemOrigin<'_>) -> Item<'t> {
        let mut row = Row::of_place(origin.base.of(self.val), origin.record);
        (row.turn, row.part, row.flags) = (origin.turn, origin.part, origin.flags | Flags::FOREIGN);
        let key = self.str("tool_call_id");
        let id = self.item_id();
        (row.kind, row.item_kind) = match self.kind {
            CoderPartKind::Content => (Kind::Message, Kind::Message),
            CoderPartKind::Reasoning if self.blob().is_none() && id.is_some() => {
                (Kind::ItemReference, Kind::Reasoning)
            }
            CoderPartKind::Reasoning => (Kind::Reasoning, Kind::Reasoning),
            CoderPartKind::Call => (Kind::FunctionCall, Kind::FunctionCall),
            CoderPartKind::Result => (Kind::FunctionCallOutput, Kind::FunctionCallOutput),
            CoderPartKind::HostedCall if hosted_in_full || self.hosted_kind() == Kind::Unknown => {
                (self.hosted_kind(), self.hosted_kind())
            }
            CoderPartKind::HostedCall => (Kind::ItemReference, self.hosted_kind()),
            CoderPartKind::HostedResult | CoderPartKind::Unsent => (Kind::Unknown, Kind::Unknown),
        };
        match self.kind {
            CoderPartKind::Content => row.role = role,
            CoderPartKind::Call | CoderPartKind::Result => {
                if let Some(key) = key {
                    row.set_key(key);
                }
            }
            CoderPartKind::Reasoning | CoderPartKind::HostedCall => {
                if let Some(id) = id {
                    row.set_id(id);
                }
                // Newer versions record whether the metadata are those of the finished item, or of its start.
                let finalized = self.item_data().and_then(|data| data.get("finalized")?.as_bool());
                if finalized == Some(false) {
                    row.set(ItemFlags::IN_PROGRESS);
                }
                if self.kind == CoderPartKind::Reasoning {
                    row.set(ItemFlags::BOUND | ItemFlags::SHARED);
                    row.set(if self.blob().is_some() { ItemFlags::BLOB } else { ItemFlags::NONE });
                }
            }
            CoderPartKind::HostedResult => row = continuation(row, id.map_or(0, |id| tie_of_id(fingerprint(id)))),
            CoderPartKind::Unsent => {}
        }
        let own = matches!(self.kind, CoderPartKind::Reasoning | CoderPartKind::HostedCall);
        let paired = matches!(self.kind, CoderPartKind::Call | CoderPartKind::Result);
        Item { row, val: self.val, id: id.filter(|_| own), key: key.filter(|_| paired) }
    }
}
