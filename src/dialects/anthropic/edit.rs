//! Changes within a message or a block, and the way of system messages to the request's `system`.

use crate::dialect::{Cannot, TextChange};
use crate::json::edit::{Base, Sequence, Slot, add_member};
use crate::json::{Val, name, string};
use crate::place::{Edit, With};

use crate::dialects::common::as_parts;

pub(super) fn edit(change: &TextChange, item: Val<'_>, base: Base<'_>, out: &mut Vec<Edit>) -> Result<(), Cannot> {
    match change {
        TextChange::Rename(key) => {
            let field = if item.get(name::tool_use_id).is_some() { "tool_use_id" } else { "id" };
            let old = item.get(field).ok_or(Cannot("the item has no such field"))?;
            out.push(Edit::replace(base.of(old), string::quoted(key)));
            Ok(())
        }
        TextChange::AsText => {
            let said = as_parts(item.get(name::content), "text", "text").join(&b","[..]);
            out.push(Edit::replace(base.of(item), said));
            Ok(())
        }
        TextChange::Mend(mend) => mend.edit(item, base, out),
        _ => Err(Cannot("no message of this dialect has such a field")),
    }
}

/// Puts what system messages say after what the request's `system` says.
pub(super) fn hoist(
    request: Val<'_>,
    messages: &[Val<'_>],
    base: Base<'_>,
    out: &mut Vec<Edit>,
) -> Result<(), Cannot> {
    let contents: Vec<Val<'_>> = messages.iter().filter_map(|message| message.get(name::content)).collect();
    if contents.iter().any(|content| !content.is_string() && !content.is_array()) {
        return Err(Cannot("the content of the message is neither a string nor a list of blocks"));
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
