//! Changes within a message, a block, or the request around them.

use crate::dialect::{Cannot, TextChange};
use crate::json::edit::Base;
use crate::json::{Val, string};
use crate::place::Edit;

use crate::dialects::common::as_text;

pub(super) fn edit(change: &TextChange, item: Val<'_>, base: Base<'_>, out: &mut Vec<Edit>) -> Result<(), Cannot> {
    match change {
        TextChange::Rename(key) => {
            let paths = [["toolUse", "toolUseId"], ["toolResult", "toolUseId"], ["document", "name"]];
            let old = paths.iter().find_map(|path| item.at(path)).ok_or(Cannot("the block has no id"))?;
            out.push(Edit::replace(base.of(old), string::quoted(key)));
            Ok(())
        }
        TextChange::AsText => {
            out.push(Edit::replace(base.of(item), as_text(item.at(&["toolResult", "content"]))));
            Ok(())
        }
        TextChange::Mend(mend) => mend.edit(item, base, out),
        _ => Err(Cannot("no message of this dialect has such a field")),
    }
}
