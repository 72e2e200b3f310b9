//! Changes within a content or a part.

use crate::dialect::{Cannot, TextChange};
use crate::json::edit::Base;
use crate::json::mend::put_member;
use crate::json::{Val, string};
use crate::place::Edit;

use super::rows;
use crate::dialects::common::as_text;

pub(super) fn edit(change: &TextChange, item: Val<'_>, base: Base<'_>, out: &mut Vec<Edit>) -> Result<(), Cannot> {
    match change {
        TextChange::Rename(name) => {
            let inner = rows::call(item).or_else(|| rows::response(item));
            let inner = inner.ok_or(Cannot("the part is not a call"))?;
            Ok(put_member(inner, "name", &string::quoted(name), base, out)?)
        }
        TextChange::AsText => {
            let response = rows::response(item).and_then(|response| response.get("response"));
            out.push(Edit::replace(base.of(item), as_text(response)));
            Ok(())
        }
        TextChange::Mend(mend) => mend.edit(item, base, out),
        _ => Err(Cannot("no content of this dialect has such a field")),
    }
}
