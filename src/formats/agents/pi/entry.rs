//! An entry of a session, and what of it is sent.

use crate::format::translate::Stored;
use crate::formats::member::text;
use crate::formats::provider;
use crate::formats::spoken::{Call, DialectChoice, Id, Media, Says, Thought, Turn};
use crate::history::Role;
use crate::json::edit::Base;
use crate::json::pieces::Pieced;
use crate::json::{Tape, Val, name, scan};
use crate::place::Place;

/// An entry. What it says is kept in the form that fits its own model.
pub(super) struct Entry {
    pub id: Option<Box<str>>,
    pub parent: Option<Box<str>>,
    pub is_compaction: bool,
    pub first_kept: Option<Box<str>>,
    /// The model that answered, or was chosen.
    pub model: Option<Model>,
    pub at: Place,
    pub record: u32,
    role: Role,
    says: Vec<Block>,
}

impl Entry {
    pub fn is_empty(&self) -> bool {
        self.says.is_empty()
    }
}

#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Model {
    pub api: Box<str>,
    pub provider: Box<str>,
    pub name: Box<str>,
}

/// A part of a message. Signatures and ids count only for the model that made them.
enum Block {
    Says(Says),
    Thinking {
        text: Pieced,
        signature: Option<Pieced>,
        /// The signature as a redacted block's data.
        redacted: bool,
        /// The item that the signature spells.
        item: Option<Pieced>,
        at: Place,
    },
    Spoken {
        text: Pieced,
        id: Option<Id>,
        at: Place,
    },
    Call {
        whole: Id,
        /// The parts of an id `call|item`.
        call: Option<Id>,
        item: Option<Id>,
        name: Pieced,
        input: Pieced,
        at: Place,
    },
    Result {
        whole: Id,
        call: Option<Id>,
        output: Pieced,
        failed: bool,
        at: Place,
    },
}

impl Model {
    /// How a session with it is sent, and the target that judges it.
    pub fn dialect(&self) -> (DialectChoice, &'static str) {
        match self.api.as_ref() {
            "anthropic-messages" if self.provider.as_ref() == "anthropic" => {
                (DialectChoice::Anthropic, "anthropic")
            }
            "openai-codex-responses" => (DialectChoice::Responses, "codex"),
            "openai-responses" if self.provider.as_ref() == "openai" => {
                (DialectChoice::Responses, "openai-stateless")
            }
            "azure-openai-responses" => (DialectChoice::Responses, "azure"),
            "" => provider::dialect(&self.provider),
            _ => (DialectChoice::Chat, "chat-compatible"),
        }
    }
}

impl Entry {
    pub fn of(record: &Stored<'_>) -> Entry {
        let (val, base) = (record.val, record.base);
        let at = base.of(val);
        let kind = val.get(name::r#type).and_then(|kind| kind.text()).unwrap_or_default();
        let mut entry = Entry {
            id: text(val, "id"),
            parent: text(val, "parentId"),
            is_compaction: kind.as_ref() == b"compaction",
            first_kept: text(val, "firstKeptEntryId"),
            model: None,
            at,
            record: record.number,
            role: Role::User,
            says: Vec::new(),
        };
        match kind.as_ref() {
            b"message" => {
                if let Some(message) = val.get(name::message) {
                    entry.message(message, base);
                }
            }
            b"compaction" | b"branch_summary" => entry.says.extend(spoken(val.get(name::summary), base, at)),
            b"custom_message" => entry.says = content(val.get(name::content), base),
            b"model_change" => entry.model = Some(model(val)),
            _ => {}
        }
        entry
    }

    fn message(&mut self, message: Val<'_>, base: Base<'_>) {
        let at = base.of(message);
        match message.get(name::role).and_then(|role| role.text()).unwrap_or_default().as_ref() {
            b"user" | b"custom" => self.says = content(message.get(name::content), base),
            b"assistant" => {
                self.role = Role::Assistant;
                let stop = message.get(name::stopReason);
                let is_cut = stop.is_some_and(|reason| reason.is("error") || reason.is("aborted"));
                if !is_cut {
                    self.model = Some(model(message)).filter(|model| !model.provider.is_empty());
                    self.says = content(message.get(name::content), base);
                }
            }
            b"toolResult" => {
                self.role = Role::Tool;
                self.says.extend(result(message, base));
            }
            b"bashExecution" if message.get("excludeFromContext").and_then(|no| no.as_bool()) != Some(true) => {
                let said = ["command", "output"].iter().filter_map(|key| message.get(key));
                let said: Vec<Pieced> = said.filter(Val::is_string).map(|text| Pieced::of(text, base)).collect();
                self.says.push(Block::Spoken { text: Pieced::joined(said, "\n", at), id: None, at });
            }
            b"branchSummary" | b"compactionSummary" => {
                self.says.extend(spoken(message.get(name::summary), base, at));
            }
            _ => {}
        }
    }

    /// Adds what is sent of it to a model. Results in a row are one turn.
    pub fn told(&mut self, dialect: DialectChoice, to: &Model, turns: &mut Vec<Turn>) {
        let keeps = self.model.as_ref() == Some(to);
        let says: Vec<Says> =
            std::mem::take(&mut self.says).into_iter().filter_map(|block| block.told(dialect, keeps)).collect();
        if says.is_empty() {
            return;
        }
        match turns.last_mut().filter(|last| self.role == Role::Tool && last.role == Role::Tool) {
            Some(last) => last.says.extend(says),
            None => turns.push(Turn { role: self.role, says, at: self.at, record: self.record }),
        }
    }
}

impl Block {
    fn told(self, dialect: DialectChoice, keeps: bool) -> Option<Says> {
        let pick = |whole: Id, part: Option<Id>, at: Place| match dialect {
            DialectChoice::Responses => part.unwrap_or(whole),
            DialectChoice::Anthropic => whole.plain(at),
            DialectChoice::Chat => part.unwrap_or(whole),
        };
        Some(match self {
            Block::Says(says) => says,
            Block::Spoken { text, id, at } => Says::Text { text, id: id.filter(|_| keeps), at },
            Block::Thinking { item: Some(item), .. } if keeps && dialect == DialectChoice::Responses => {
                Says::Item(item)
            }
            // To another model, what was thought is said.
            Block::Thinking { text, at, .. } if !keeps => {
                Some(text).filter(Pieced::says).map(|text| Says::Text { text, id: None, at })?
            }
            Block::Thinking { text, signature, redacted, at, .. } => {
                let (signature, data) = if redacted { (None, signature) } else { (signature, None) };
                Says::Thought(Thought { text, signature, redacted: data, id: None, blob: None, at })
            }
            Block::Call { whole, call, item, name, input, at } => {
                Says::Call(Call { id: pick(whole, call, at), name, input, item: item.filter(|_| keeps), at })
            }
            Block::Result { whole, call, output, failed, at } => {
                Says::Result { call: pick(whole, call, at), output, failed, at }
            }
        })
    }
}

fn model(val: Val<'_>) -> Model {
    let of = |key: &str| text(val, key).unwrap_or_default();
    let name = text(val, "model").or_else(|| text(val, "modelId")).unwrap_or_default();
    Model { api: of("api"), provider: of("provider"), name }
}

/// A text, unless it is blank: pi leaves that out.
fn spoken(text: Option<Val<'_>>, base: Base<'_>, at: Place) -> Option<Block> {
    let text = text.filter(|text| text.as_str().is_some_and(|text| !text.is_blank()))?;
    Some(Block::Spoken { text: Pieced::of(text, base), id: None, at })
}

/// A text, or a list of blocks.
fn content(content: Option<Val<'_>>, base: Base<'_>) -> Vec<Block> {
    let Some(content) = content else { return Vec::new() };
    match content.is_string() {
        true => spoken(Some(content), base, base.of(content)).into_iter().collect(),
        false => content.elements().filter_map(|part| block(part, base)).collect(),
    }
}

fn block(part: Val<'_>, base: Base<'_>) -> Option<Block> {
    let at = base.of(part);
    match part.get(name::r#type)?.text()?.as_ref() {
        b"text" => {
            let text = part.get(name::text).filter(|text| text.as_str().is_some_and(|text| !text.is_blank()))?;
            Some(Block::Spoken {
                text: Pieced::of(text, base),
                id: signed_id(part.get("textSignature"), base),
                at,
            })
        }
        b"thinking" => {
            let signature =
                part.get("thinkingSignature").filter(|own| own.as_str().is_some_and(|own| !own.is_empty()));
            Some(Block::Thinking {
                text: Pieced::of(part.get(name::thinking).filter(|text| text.is_string())?, base),
                signature: signature.map(|own| Pieced::of(own, base)),
                redacted: part.get("redacted").and_then(|own| own.as_bool()) == Some(true),
                item: signature
                    .filter(|own| spells_item(*own))
                    .map(|own| Pieced::unspelled(own, base).at_place(at)),
                at,
            })
        }
        b"toolCall" => {
            let id = part.get(name::id);
            let (call, item) = halves(id, base);
            let input = part.get(name::arguments).filter(|input| input.is_object());
            Some(Block::Call {
                whole: Id::of(id, base)?,
                call,
                item,
                name: Pieced::of(part.get(name::name)?, base),
                input: input.map_or_else(|| Pieced::fixed("{}", at), |input| Pieced::of(input, base)),
                at,
            })
        }
        b"image" => Some(Block::Says(Says::Media(image(part, base)?))),
        _ => None,
    }
}

fn image(part: Val<'_>, base: Base<'_>) -> Option<Media> {
    let at = base.of(part);
    let data = part.get(name::data).filter(|data| data.is_string())?;
    let mime = part.get(name::mimeType).filter(|mime| mime.is_string());
    let mime = mime.map_or_else(|| Pieced::text("image/png", at), |mime| Pieced::of(mime, base));
    let data = Pieced::of(data, base);
    let url = Pieced::data_url(mime.clone(), data.clone(), at);
    Some(Media { is_image: true, mime, url, data: Some(data), name: None, at })
}

/// What a tool gave. An id that is empty is one, too: it answers nothing.
fn result(message: Val<'_>, base: Base<'_>) -> Option<Block> {
    let at = base.of(message);
    let id = message.get(name::toolCallId).filter(|id| id.is_string())?;
    let whole = Id::of(Some(id), base).unwrap_or_else(|| Id { text: "".into(), piece: Pieced::of(id, base) });
    let given = message.get(name::content)?;
    let output = match given.is_string() {
        true => Pieced::of(given, base),
        false => {
            let texts = given.elements().filter_map(|part| part.get(name::text)).filter(Val::is_string);
            Pieced::joined(texts.map(|text| Pieced::of(text, base)).collect(), "\n", at)
        }
    };
    let failed = message.get("isError").and_then(|failed| failed.as_bool()) == Some(true);
    Some(Block::Result { whole, call: halves(Some(id), base).0, output, failed, at })
}

/// The halves of an id `call|item`.
fn halves(id: Option<Val<'_>>, base: Base<'_>) -> (Option<Id>, Option<Id>) {
    let Some((id, raw)) = id.and_then(|id| Some((id, id.as_str()?.raw))) else { return (None, None) };
    let Some(bar) = memchr::memchr(b'|', raw) else { return (None, None) };
    let half = |from: usize, to: usize| {
        let text: Box<str> = String::from_utf8_lossy(raw.get(from..to)?).into();
        (!text.is_empty()).then(|| Id { text, piece: Pieced::stretch(id, from, to, base) })
    };
    (half(0, bar), half(bar + 1, raw.len()))
}

/// The id of a message of OpenAI's: the signature of a text, or a member of what it spells.
fn signed_id(signature: Option<Val<'_>>, base: Base<'_>) -> Option<Id> {
    let signature = signature?;
    let spelled = signature.text()?;
    if !spelled.starts_with(b"{") {
        return Id::of(Some(signature), base);
    }
    let mut tape = Tape::new();
    scan(&spelled, &mut tape).ok()?;
    let id = text(tape.root(&spelled)?, "id")?;
    Some(Id { piece: Pieced::reworded(&id, base.of(signature)), text: id })
}

/// Whether a signature spells a reasoning item.
fn spells_item(signature: Val<'_>) -> bool {
    let Some(spelled) = signature.text().filter(|spelled| spelled.starts_with(b"{")) else { return false };
    let mut tape = Tape::new();
    let item = scan(&spelled, &mut tape).ok().and_then(|()| tape.root(&spelled));
    item.and_then(|item| item.get(name::r#type)).is_some_and(|kind| kind.is("reasoning"))
}
