//! Edits of a Chat Completions message, or of a block of one.

use crate::dialect::{EditRefusal, TextChange};
use crate::json::edit::{RecordBase, remove_members};
use crate::json::value_edit::put_member;
use crate::json::{Val, name, string};
use crate::place::Edit;

use crate::dialects::common::result_as_parts;
use crate::dialects::{omitted_images, shortened_text, shrunk_images};

pub(super) fn edit(
    change: &TextChange,
    item: Val<'_>,
    base: RecordBase<'_>,
    out: &mut Vec<Edit>,
) -> Result<(), EditRefusal> {
    match change {
        TextChange::StripCalls => remove_members(item, &["tool_calls"], base, out)?,
        TextChange::Rename(key) => {
            let field = if item.get(name::role).is_some() { "tool_call_id" } else { "id" };
            put_member(item, field, &string::quoted(key), base, out)?;
        }
        TextChange::AsText => {
            let said = result_as_parts(item.get(name::content), "text", "text").join(&b","[..]);
            let text = [br#"{"role":"user","content":["#, &*said, b"]}"].concat();
            out.push(Edit::replace(base.of(item), text));
        }
        TextChange::EditValue(mend) => mend.edit(item, base, out)?,
        TextChange::OmitImages(omitted) => omitted_images::omit(item, omitted, base, out)?,
        TextChange::ShrinkImages(images) => shrunk_images::shrink(item, images, base, out)?,
        TextChange::ShortenResult => shortened_text::shorten(item, base, out)?,
        TextChange::AppendNote(note) => shortened_text::append_note(item, note, base, out)?,
        _ => return Err(EditRefusal("messages of this dialect have no such field")),
    }
    Ok(())
}
