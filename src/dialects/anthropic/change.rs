//! Changes within a message or a block, and the way of system messages to the request's `system`.

use crate::dialect::{Cannot, Change};
use crate::history::Act;
use crate::json::edit::{Base, Sequence, Slot, add_member, remove_members};
use crate::json::{Tape, Val, scan, string};
use crate::place::{Edit, With};

/// What can be mended in a message or a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u16)]
pub enum Mend {
    /// Take `cache_control` away.
    StripCacheMark,
    /// Make `input` an object.
    Input,
    /// Give the message to the user.
    UserRole,
    /// Take white space off the end of the text.
    TrimEnd,
    /// Take members away that a block of its type has only in a stream.
    StripExtra,
}

const MENDS: [Mend; 5] = [Mend::StripCacheMark, Mend::Input, Mend::UserRole, Mend::TrimEnd, Mend::StripExtra];

impl Mend {
    pub const fn act(self) -> Act {
        Act::Field(self as u16)
    }

    pub const fn change(self) -> Change {
        Change::Field(self as u16)
    }

    /// Members that a block does not take back, though streams and clients leave them in it: the API was seen to refuse
    /// each as an extra input.
    pub const EXTRA: [&'static str; 2] = ["text", "index"];
}

pub(super) fn change(change: &Change, item: Val<'_>, base: Base<'_>, out: &mut Vec<Edit>) -> Result<(), Cannot> {
    match change {
        Change::Rename(key) => {
            let field = if item.get("tool_use_id").is_some() { "tool_use_id" } else { "id" };
            replace(item, field, string::quoted(key), base, out)
        }
        Change::Field(number) => match MENDS.get(usize::from(*number)) {
            Some(mend) => mended(*mend, item, base, out),
            None => Err(Cannot("the field does not exist")),
        },
        _ => Err(Cannot("no message of this dialect has such a field")),
    }
}

fn mended(mend: Mend, item: Val<'_>, base: Base<'_>, out: &mut Vec<Edit>) -> Result<(), Cannot> {
    match mend {
        Mend::StripCacheMark => remove_members(item, &["cache_control"], base, out)?,
        Mend::StripExtra => remove_members(item, &Mend::EXTRA, base, out)?,
        Mend::UserRole => return replace(item, "role", br#""user""#.to_vec(), base, out),
        Mend::Input => match item.get("input") {
            Some(input) => out.push(Edit::replace(base.of(input), object_of(input))),
            None => add_member(item, br#""input":{}"#.to_vec(), base, out)?,
        },
        Mend::TrimEnd => {
            // A text is a block's, or all that the message says.
            let field = if item.get("text").is_some() { "text" } else { "content" };
            let text = item.get(field).and_then(|text| text.text()).ok_or(Cannot("the item has no text"))?;
            let text = String::from_utf8_lossy(&text).trim_end().to_owned();
            return replace(item, field, string::quoted(&text), base, out);
        }
    }
    Ok(())
}

fn replace(item: Val<'_>, field: &str, with: Vec<u8>, base: Base<'_>, out: &mut Vec<Edit>) -> Result<(), Cannot> {
    let old = item.get(field).ok_or(Cannot("the item has no such field"))?;
    out.push(Edit::replace(base.of(old), with));
    Ok(())
}

/// An object that says what an input says. Arguments that other APIs keep as a text are read.
fn object_of(input: Val<'_>) -> Vec<u8> {
    match input.text() {
        None if input.is_null() => b"{}".to_vec(),
        None => wrapped(input.raw()),
        Some(text) if text.trim_ascii().is_empty() => b"{}".to_vec(),
        Some(text) => {
            let mut tape = Tape::new();
            let read = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text));
            match read.filter(Val::is_object) {
                Some(object) => object.raw().to_vec(),
                None => wrapped(input.raw()),
            }
        }
    }
}

fn wrapped(raw: &[u8]) -> Vec<u8> {
    [br#"{"raw":"#, raw, b"}"].concat()
}

/// Puts what system messages say behind what the request's `system` says.
pub(super) fn hoist(
    request: Val<'_>,
    messages: &[Val<'_>],
    base: Base<'_>,
    out: &mut Vec<Edit>,
) -> Result<(), Cannot> {
    let contents: Vec<Val<'_>> = messages.iter().filter_map(|message| message.get("content")).collect();
    if contents.iter().any(|content| !content.is_string() && !content.is_array()) {
        return Err(Cannot("the content of the message is neither a string nor a list of blocks"));
    }
    let said: Vec<Vec<u8>> = contents.iter().flat_map(|content| blocks(*content)).collect();
    match request.get("system").filter(|system| !system.is_null()) {
        None => {
            let text = match contents.as_slice() {
                [only] => only.raw().to_vec(),
                _ => list(said),
            };
            add_member(request, [br#""system":"#, &*text].concat(), base, out)?;
        }
        Some(system) if system.is_array() => {
            let kept = (0..system.count()).map(Slot::Keep);
            let slots = kept.chain(said.into_iter().map(|text| Slot::New(vec![With::text(text)]))).collect();
            Sequence::of_list(system, base)?.edit(slots, out);
        }
        Some(system) if system.is_string() => {
            let all = blocks(system).into_iter().chain(said).collect();
            out.push(Edit::replace(base.of(system), list(all)));
        }
        Some(_) => return Err(Cannot("`system` of the request is neither a string nor a list of blocks")),
    }
    Ok(())
}

/// The blocks that a content is, as texts. An empty text is none.
fn blocks(content: Val<'_>) -> Vec<Vec<u8>> {
    match content.text() {
        Some(text) if text.is_empty() => Vec::new(),
        Some(_) => vec![[br#"{"type":"text","text":"#, content.raw(), b"}"].concat()],
        None => content.elements().map(|block| block.raw().to_vec()).collect(),
    }
}

fn list(blocks: Vec<Vec<u8>>) -> Vec<u8> {
    [&b"["[..], &blocks.join(&b","[..]), b"]"].concat()
}
