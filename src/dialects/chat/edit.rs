//! Changes to the text of a message of Chat Completions, or of a block of one.

use crate::dialect::{Cannot, TextChange};
use crate::json::edit::{Base, remove_members};
use crate::json::mend::put_member;
use crate::json::{Val, name, string};
use crate::place::Edit;

use crate::dialects::common::as_parts;

pub(super) fn edit(change: &TextChange, item: Val<'_>, base: Base<'_>, out: &mut Vec<Edit>) -> Result<(), Cannot> {
    match change {
        TextChange::StripCalls => remove_members(item, &["tool_calls"], base, out)?,
        TextChange::Rename(key) => {
            let field = if item.get(name::role).is_some() { "tool_call_id" } else { "id" };
            put_member(item, field, &string::quoted(key), base, out)?;
        }
        TextChange::AsText => {
            let said = as_parts(item.get(name::content), "text", "text").join(&b","[..]);
            let text = [br#"{"role":"user","content":["#, &*said, b"]}"].concat();
            out.push(Edit::replace(base.of(item), text));
        }
        TextChange::Mend(mend) => mend.edit(item, base, out)?,
        _ => return Err(Cannot("no message of this dialect has such a field")),
    }
    Ok(())
}
