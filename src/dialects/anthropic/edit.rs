//! Edits of a message or a block, and the move of system messages to the request's `system`.

use crate::dialect::{EditRefusal, TextChange};
use crate::json::edit::{RecordBase, Sequence, SequenceSlot, add_member};
use crate::json::{Val, name, string};
use crate::place::{Edit, ReplacementPart};

use crate::dialects::common::result_as_parts;
use crate::dialects::{omitted_images, shortened_text, shrunk_images};

pub(super) fn edit(
    change: &TextChange,
    item: Val<'_>,
    base: RecordBase<'_>,
    out: &mut Vec<Edit>,
) -> Result<(), EditRefusal> {
    match change {
        TextChange::Rename(key) => {
            let field = if item.get(name::tool_use_id).is_some() { "tool_use_id" } else { "id" };
            let old = item.get(field).ok_or(EditRefusal("the item has no such field"))?;
            out.push(Edit::replace(base.of(old), string::quoted(key)));
            Ok(())
        }
        TextChange::AsText => {
            let said = result_as_parts(item.get(name::content), "text", "text").join(&b","[..]);
            out.push(Edit::replace(base.of(item), said));
            Ok(())
        }
        TextChange::EditValue(mend) => mend.edit(item, base, out),
        TextChange::OmitImages(omitted) => omitted_images::omit(item, omitted, base, out),
        TextChange::ShrinkImages(images) => shrunk_images::shrink(item, images, base, out),
        TextChange::ShortenResult => shortened_text::shorten(item, base, out),
        TextChange::AppendNote(note) => shortened_text::append_note(item, note, base, out),
        _ => Err(EditRefusal("messages of this dialect have no such field")),
    }
}

/// Appends the content of system messages to the request's `system`.
pub(super) fn hoist(
    request: Val<'_>,
    messages: &[Val<'_>],
    base: RecordBase<'_>,
    out: &mut Vec<Edit>,
) -> Result<(), EditRefusal> {
    let contents: Vec<Val<'_>> = messages.iter().filter_map(|message| message.get(name::content)).collect();
    if contents.iter().any(|content| !content.is_string() && !content.is_array()) {
        return Err(EditRefusal("the content of the message is neither a string nor a list of blocks"));
    }
    let said: Vec<Vec<u8>> = contents.iter().flat_map(|content| blocks(*content)).collect();
    match request.get(name::system).filter(|system| !system.is_null()) {
        None => {
            let text = match contents.as_slice() {
                [only] => only.raw().to_vec(),
                _ => list(said),
            };
            add_member(request, [br#""system":"#, &*text].concat(), base, out)?;
        }
        Some(system) if system.is_array() => {
            let kept = (0..system.count()).map(SequenceSlot::Keep);
            let slots = kept
                .chain(said.into_iter().map(|text| SequenceSlot::New(vec![ReplacementPart::text(text)])))
                .collect();
            Sequence::of_list(system, base)?.edit(slots, out);
        }
        Some(system) if system.is_string() => {
            let all = blocks(system).into_iter().chain(said).collect();
            out.push(Edit::replace(base.of(system), list(all)));
        }
        Some(_) => return Err(EditRefusal("`system` of the request is neither a string nor a list of blocks")),
    }
    Ok(())
}

/// The JSON of a content's blocks; none for an empty text.
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
