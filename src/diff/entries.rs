//! What a doc holds, as entries that can be compared: its items where both sides speak one dialect, else what every
//! dialect says in its own words: texts, calls, results, reasoning.

use std::io;

use crate::dialect::{Body, Shape};
use crate::format::FormatInfo;
use crate::json::string::fingerprint_of;
use crate::json::{Tape, Val, canonical, scan};
use crate::judge::{self, Keep, Options};
use crate::neutral::write::Writer;
use crate::neutral::{
    Block, Conversation, Input, Losses, Media, Message, Part, Source, Text, ToolResult, Voice, What,
};
use crate::place::{DocId, Place};
use crate::read::Texts;
use crate::source::ReadAt;
use crate::target::Severity;

/// One thing of a history.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The type of an item, or who says what.
    pub kind: String,
    pub id: Option<String>,
    /// Tells the same thing on both sides; 0 if nothing does.
    pub key: u64,
    /// The same for what says the same.
    pub hash: u64,
    /// The same, but for ids and states.
    pub loose: u64,
    pub text: Vec<u8>,
    /// Where it stands.
    pub at: Place,
    /// Number of the record, from 1.
    pub record: u32,
    pub pointer: String,
}

/// A history and its dialect.
pub struct Told {
    pub dialect: &'static str,
    pub entries: Vec<Entry>,
    /// The other members of the request around it: model, tools, settings.
    pub members: Vec<Entry>,
}

/// How a history is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Words {
    /// Item by item, as they stand.
    Own,
    /// In words that all dialects share.
    Shared,
}

/// All histories of a doc, and how many records could not be read.
pub fn read(id: DocId, bytes: &dyn ReadAt, options: &Options, words: Words) -> io::Result<(Vec<Told>, u32)> {
    let found = judge::judge(id, bytes, &judge::unjudged(options), 1, &Keep)?;
    let unread = found.judged.iter().filter(|judged| judged.severity == Severity::Error).count();
    let told = found.made.iter().map(|kept| {
        let texts = Texts::new(bytes, kept.info.dialect);
        let mut teller = Teller::new(kept.info, words);
        let mut starts: Vec<(u64, u32)> = kept.rows.iter().map(|row| (row.at.start, row.record)).collect();
        starts.sort_unstable();
        let record = |at: Place| {
            let ix = starts.partition_point(|(start, _)| *start <= at.start);
            starts.get(ix.saturating_sub(1)).map_or(1, |(_, record)| record + 1)
        };
        judge::each_body(&texts, &kept.rows, &kept.settings, id, &mut |body| teller.body(body, &record));
        teller.finish(&record)
    });
    Ok((told.collect(), unread as u32))
}

/// The number of the record of a place, from 1.
type Locate<'l> = &'l dyn Fn(Place) -> u32;

struct Teller {
    info: &'static FormatInfo,
    words: Words,
    entries: Vec<Entry>,
    members: Vec<Entry>,
    conversation: Conversation,
}

/// Members of a request that instruct the model outside of its list.
const INSTRUCTIONS: [&str; 4] = ["instructions", "system", "systemInstruction", "system_instruction"];

impl Teller {
    fn new(info: &'static FormatInfo, words: Words) -> Self {
        Teller { info, words, entries: Vec::new(), members: Vec::new(), conversation: Conversation::default() }
    }

    fn body(&mut self, body: &Body<'_>, locate: Locate<'_>) {
        if self.words == Words::Shared {
            self.info.dialect.lift(*body, &mut self.conversation, &mut Losses::default());
            return;
        }
        match body.shape {
            Shape::Item => self.item(body, body.val, locate),
            Shape::List => body.val.elements().for_each(|val| self.item(body, val, locate)),
            Shape::Request => {
                let list_key = self.info.dialect.takes().list_key;
                for member in body.val.members().filter(|member| !member.key.is(list_key.as_bytes())) {
                    let name = String::from_utf8_lossy(&member.key.decode()).into_owned();
                    let said = INSTRUCTIONS.contains(&name.as_str()) && !member.val.is_null();
                    let entry = entry(body, member.val, Some(&name), locate);
                    if said { self.entries.push(entry) } else { self.members.push(entry) }
                }
                match body.val.get(list_key) {
                    Some(list) if list.is_array() => {
                        list.elements().for_each(|val| self.item(body, val, locate));
                    }
                    Some(val) => self.item(body, val, locate),
                    None => {}
                }
            }
        }
    }

    fn item(&mut self, body: &Body<'_>, val: Val<'_>, locate: Locate<'_>) {
        self.entries.push(entry(body, val, None, locate));
    }

    fn finish(mut self, locate: Locate<'_>) -> Told {
        let instructions = Message {
            blocks: std::mem::take(&mut self.conversation.instructions),
            ..Message::new(Voice::System, crate::neutral::At::default())
        };
        for message in std::iter::once(&instructions).chain(&self.conversation.messages) {
            self.entries.extend(message.blocks.iter().filter_map(|block| shared(message.voice, block, locate)));
        }
        Told { dialect: self.info.dialect.name(), entries: self.entries, members: self.members }
    }
}

/// A value of a request or a history: an item, or the member that is `named`.
fn entry(body: &Body<'_>, val: Val<'_>, named: Option<&str>, locate: Locate<'_>) -> Entry {
    let text = |key: &str| val.get(key).and_then(|v| v.text()).map(|t| String::from_utf8_lossy(&t).into_owned());
    let kind = named.map(str::to_owned).or_else(|| text("type").filter(|kind| kind != "message"));
    let kind = kind.unwrap_or_else(|| match text("role") {
        Some(role) => format!("message ({role})"),
        None => "item".to_owned(),
    });
    let id = identity(val).filter(|_| named.is_none());
    let key = match (&id, named) {
        (Some(id), _) => fingerprint_of(format!("{kind}\n{id}").as_bytes()),
        (None, Some(name)) => fingerprint_of(name.as_bytes()),
        (None, None) => 0,
    };
    Entry {
        kind,
        id,
        key,
        hash: canonical::hash(val, &[]),
        loose: canonical::hash(val, &["id", "status", "type"]),
        text: val.raw().to_vec(),
        at: body.base.of(val),
        record: locate(body.base.of(val)),
        pointer: String::new(),
    }
}

/// What pairs an item with its own self elsewhere: the id of its call before that of the item.
fn identity(val: Val<'_>) -> Option<String> {
    let lists = ["tool_calls", "content", "parts"];
    let parts = lists.iter().filter_map(|key| val.get(key)).flat_map(|list| list.elements());
    own_id(val).or_else(|| parts.into_iter().find_map(nested_id))
}

fn own_id(val: Val<'_>) -> Option<String> {
    const OWN: [&str; 5] = ["call_id", "tool_call_id", "tool_use_id", "toolUseId", "id"];
    let text = |key: &&str| val.get(key).and_then(|id| id.text()).filter(|id| !id.is_empty());
    OWN.iter().find_map(text).map(|id| String::from_utf8_lossy(&id).into_owned())
}

fn nested_id(part: Val<'_>) -> Option<String> {
    const WRAPS: [&str; 6] =
        ["toolUse", "toolResult", "functionCall", "functionResponse", "function_call", "function_response"];
    WRAPS.iter().find_map(|key| part.get(key).and_then(own_id)).or_else(|| own_id(part))
}

/// A block in shared words; `None` for what no other dialect can have.
fn shared(voice: Voice, block: &Block, locate: Locate<'_>) -> Option<Entry> {
    if block.is_blank() {
        return None;
    }
    let who = match voice {
        Voice::System | Voice::Developer => "instructions",
        Voice::User => "user",
        Voice::Assistant => "assistant",
        Voice::Tool => "tool",
    };
    let mut text = Vec::new();
    let mut id = None;
    let mut kind = who.to_owned();
    let mut w = Writer::new(&mut text);
    match &block.what {
        What::Text { text, .. } | What::Refusal(text) => w.object(|w| {
            w.key("from").plain(who);
            w.key("text").text(text);
        }),
        What::Media(media) => w.object(|w| {
            w.key("from").plain(who);
            write_media(media, w);
        }),
        What::Call(call) => {
            kind = format!("call of {}", String::from_utf8_lossy(&call.name.plain()));
            id = (!call.invented).then(|| String::from_utf8_lossy(&call.id.plain()).into_owned());
            w.object(|w| match &call.input {
                Input::Json(raw) => w.key("input").raw(raw),
                Input::Text(text) => write_json_or_text(text, w.key("input")),
            });
        }
        What::Result(result) => {
            kind = "result".to_owned();
            id = Some(String::from_utf8_lossy(&result.id.plain()).into_owned());
            w.object(|w| write_result(result, w));
        }
        What::Reasoning(reasoning) => {
            kind = "reasoning".to_owned();
            w.object(|w| w.key("reasoning").array(|w| reasoning.texts.iter().for_each(|text| w.text(text))));
        }
        What::Foreign(foreign) => {
            kind = "of its dialect alone".to_owned();
            w.raw(&foreign.raw);
        }
    }
    let mut tape = Tape::new();
    let root = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text));
    let hash = root.map_or(0, |val| canonical::hash(val, &[]));
    let loose = root.map_or(0, |val| canonical::hash(val, &["from"]));
    let key = id.as_ref().map_or(0, |id| fingerprint_of(format!("{}\n{id}", kind == "result").as_bytes()));
    let at = block.at.place;
    Some(Entry { kind, id, key, hash, loose, text, at, record: locate(at), pointer: String::new() })
}

/// All texts of a result are one, as in the dialects that have no parts there.
fn write_result(result: &ToolResult, w: &mut Writer<'_>) {
    let texts: Vec<Text> = result
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::Text(text) => Some(text.clone()),
            Part::Json(raw) => {
                let mut line = Vec::new();
                Writer::new(&mut line).raw(raw);
                Some(Text::new(&String::from_utf8_lossy(&line)))
            }
            Part::Media(..) | Part::Foreign(..) => None,
        })
        .collect();
    write_json_or_text(&Text::join(&texts, "\\n"), w.key("result"));
    for part in &result.parts {
        if let Part::Media(media, _) = part {
            w.key("media").object(|w| write_media(media, w));
        }
    }
}

/// Arguments and results are compared as JSON where they are.
fn write_json_or_text(text: &Text, w: &mut Writer<'_>) {
    let plain = text.plain();
    let structured = matches!(plain.trim_ascii().first(), Some(b'{' | b'['));
    match structured && scan(&plain, &mut Tape::new()).is_ok() {
        true => w.bytes(&plain),
        false => w.text(text),
    }
}

fn write_media(media: &Media, w: &mut Writer<'_>) {
    match &media.source {
        Source::Data(data) => w.key("data").text(data),
        Source::Url(url) => w.key("url").text(url),
        Source::Id(id, _) => w.key("file").text(id),
        Source::Plain(texts) => w.key("document").text(&Text::join(texts, "\\n")),
    }
}
