//! Changes within a content or a part.

use crate::dialect::{Cannot, Change};
use crate::history::Act;
use crate::json::edit::{Base, add_member};
use crate::json::{Val, string};
use crate::place::Edit;

use super::rows;

/// What can be mended in a content or a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u16)]
pub enum Mend {
    /// Give the content to the user.
    UserRole,
    /// Give the content to the model.
    ModelRole,
    /// Put the text that Google documents for a thought that is not there in the place of a call's signature.
    Signature,
    /// Say that a person allowed what the model was held back from.
    Acknowledge,
}

const MENDS: [Mend; 4] = [Mend::UserRole, Mend::ModelRole, Mend::Signature, Mend::Acknowledge];

/// The signature that says: this call came from no thought. Google's page on thought signatures documents it.
const UNSIGNED: &str = "skip_thought_signature_validator";

impl Mend {
    pub const fn act(self) -> Act {
        Act::Field(self as u16)
    }
}

pub(super) fn change(change: &Change, item: Val<'_>, base: Base<'_>, out: &mut Vec<Edit>) -> Result<(), Cannot> {
    match change {
        Change::Rename(name) => {
            let inner = rows::call(item).or_else(|| rows::response(item));
            set(inner.ok_or(Cannot("the part is not a call"))?, "name", name, base, out)?;
        }
        Change::Field(number) => match MENDS.get(usize::from(*number)) {
            Some(Mend::UserRole) => set(item, "role", "user", base, out)?,
            Some(Mend::ModelRole) => set(item, "role", "model", base, out)?,
            Some(Mend::Signature) => {
                let snake = item.get("function_call").is_some() || item.get("thought_signature").is_some();
                set(item, if snake { "thought_signature" } else { "thoughtSignature" }, UNSIGNED, base, out)?;
            }
            Some(Mend::Acknowledge) => {
                let response = rows::response(item).and_then(|inner| inner.get("response")).filter(Val::is_object);
                let response = response.ok_or(Cannot("the response has no content to add it to"))?;
                set(response, "safety_acknowledgement", "true", base, out)?;
            }
            None => return Err(Cannot("the field does not exist")),
        },
        _ => return Err(Cannot("no content of this dialect has such a field")),
    }
    Ok(())
}

/// Writes a text as the member of an object.
fn set(object: Val<'_>, key: &str, text: &str, base: Base<'_>, out: &mut Vec<Edit>) -> Result<(), Cannot> {
    match object.get(key) {
        Some(old) => out.push(Edit::replace(base.of(old), string::quoted(text))),
        None => add_member(object, [&*string::quoted(key), b":", &*string::quoted(text)].concat(), base, out)?,
    }
    Ok(())
}
