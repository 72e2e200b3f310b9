//! Edits of a message or a block.

use crate::dialect::{EditRefusal, TextChange};
use crate::json::edit::RecordBase;
use crate::json::{Val, string};
use crate::place::Edit;

use crate::dialects::common::result_as_text;
use crate::dialects::{omitted_images, shortened_text, shrunk_images};

pub(super) fn edit(
    change: &TextChange,
    item: Val<'_>,
    base: RecordBase<'_>,
    out: &mut Vec<Edit>,
) -> Result<(), EditRefusal> {
    match change {
        TextChange::Rename(key) => {
            let paths = [["toolUse", "toolUseId"], ["toolResult", "toolUseId"], ["document", "name"]];
            let old = paths.iter().find_map(|path| item.at(path)).ok_or(EditRefusal("the block has no id"))?;
            out.push(Edit::replace(base.of(old), string::quoted(key)));
            Ok(())
        }
        TextChange::AsText => {
            out.push(Edit::replace(base.of(item), result_as_text(item.at(&["toolResult", "content"]))));
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
