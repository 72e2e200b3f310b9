//! Edits of a content or a part.

use crate::dialect::{EditRefusal, TextChange};
use crate::json::edit::RecordBase;
use crate::json::value_edit::put_member;
use crate::json::{Val, name, string};
use crate::place::Edit;

use super::rows;
use crate::dialects::common::result_as_text;
use crate::dialects::{omitted_images, shortened_text, shrunk_images};

pub(super) fn edit(
    change: &TextChange,
    item: Val<'_>,
    base: RecordBase<'_>,
    out: &mut Vec<Edit>,
) -> Result<(), EditRefusal> {
    match change {
        TextChange::Rename(name) => {
            let inner = rows::call(item).or_else(|| rows::response(item));
            let inner = inner.ok_or(EditRefusal("the part is not a call"))?;
            Ok(put_member(inner, "name", &string::quoted(name), base, out)?)
        }
        TextChange::AsText => {
            let response = rows::response(item).and_then(|response| response.get(name::response));
            out.push(Edit::replace(base.of(item), result_as_text(response)));
            Ok(())
        }
        TextChange::EditValue(mend) => mend.edit(item, base, out),
        TextChange::OmitImages(omitted) => omitted_images::omit(item, omitted, base, out),
        TextChange::ShrinkImages(images) => shrunk_images::shrink(item, images, base, out),
        TextChange::ShortenResult => shortened_text::shorten(item, base, out),
        TextChange::AppendNote(note) => shortened_text::append_note(item, note, base, out),
        _ => Err(EditRefusal("contents of this dialect have no such field")),
    }
}
