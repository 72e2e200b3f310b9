//! Shortens the texts of a result, and adds a note to a text of the user, in every dialect and store: only strings change.

use crate::dialect::EditRefusal;
use crate::json::edit::RecordBase;
use crate::json::{Str, Val, name, string};
use crate::place::Edit;

use super::media_parts;

/// Characters of a text that are kept at its start and at its end.
const START: usize = 1_000;
const END: usize = 500;

/// A text of more characters is shortened; one that was shortened has fewer.
const MOST: usize = 2_000;

/// The end of every sentence about what is gone.
pub const OMITTED: &str = "omitted to shorten the conversation]";

/// Cuts the middle out of each long text of a result.
pub fn shorten(result: Val<'_>, base: RecordBase<'_>, out: &mut Vec<Edit>) -> Result<(), EditRefusal> {
    let before = out.len();
    let members = [
        result.get(name::content),
        result.get(name::output),
        result.get(name::toolResult).and_then(|result| result.get(name::content)),
        result.get(name::functionResponse).or_else(|| result.get(name::function_response)),
    ];
    members.into_iter().flatten().for_each(|member| shorten_texts(member, base, out));
    if out.len() == before { Err(EditRefusal("the result has no long text")) } else { Ok(()) }
}

fn shorten_texts(val: Val<'_>, base: RecordBase<'_>, out: &mut Vec<Edit>) {
    if let Some(text) = val.as_str() {
        out.extend(shortened(text).map(|short| Edit::replace(base.of(val), string::quoted(&short))));
    } else if media_parts::part(val).is_none() {
        val.elements().for_each(|element| shorten_texts(element, base, out));
        val.members().for_each(|member| shorten_texts(member.val, base, out));
    }
}

/// A text without its middle; `None` if it is short.
fn shortened(text: Str<'_>) -> Option<String> {
    if text.raw.len() <= MOST {
        return None;
    }
    let text = text.decode();
    let text = String::from_utf8_lossy(&text);
    let count = text.chars().count();
    if count <= MOST {
        return None;
    }
    let at = |n: usize| text.char_indices().nth(n).map_or(text.len(), |(at, _)| at);
    let (start, end) = (text.get(..at(START))?, text.get(at(count - END)..)?);
    Some(format!("{start}\n[{} characters {OMITTED}\n{end}", count - START - END))
}

/// Appends a note to the text of a message or a block.
pub fn append_note(
    item: Val<'_>,
    note: &str,
    base: RecordBase<'_>,
    out: &mut Vec<Edit>,
) -> Result<(), EditRefusal> {
    let content = item.get(name::content).or_else(|| item.get(name::parts));
    let last = content.into_iter().flat_map(|content| content.elements()).filter_map(|part| part.get(name::text));
    let text = [item.get(name::text), content].into_iter().flatten().find(Val::is_string);
    let text = text.or_else(|| last.filter(Val::is_string).last());
    let text = text.filter(|text| text.raw().len() > 2).ok_or(EditRefusal("the message has no text"))?;
    // Only its last byte is replaced, so that the rest stays where it is in a store.
    let (start, last) = (text.end() - 2, text.raw().get(text.raw().len() - 2).copied().unwrap_or_default());
    let note = string::escaped(note);
    out.push(Edit::replace(base.place(start, start + 1), [&[last], &b"\\n\\n"[..], note.as_bytes()].concat()));
    Ok(())
}
