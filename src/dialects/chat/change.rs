//! Changes to the text of a message of Chat Completions, or of a block of one.

use crate::dialect::{Cannot, Change};
use crate::json::edit::{Base, add_member, remove_members};
use crate::json::{Tape, Val, scan, string};
use crate::place::Edit;

use super::field;

/// A function's name may be this many characters long.
const NAME_LIMIT: usize = 64;

pub(super) fn change(change: &Change, item: Val<'_>, base: Base<'_>, out: &mut Vec<Edit>) -> Result<(), Cannot> {
    match change {
        Change::StripCalls => remove_members(item, &["tool_calls"], base, out)?,
        Change::Rename(key) => {
            let field = if item.get("role").is_some() { "tool_call_id" } else { "id" };
            write(item, field, &string::quoted(key), base, out)?;
        }
        Change::Field(field) => mend(*field, item, base, out)?,
        _ => return Err(Cannot("no message of this dialect has such a field")),
    }
    Ok(())
}

fn mend(field: u16, item: Val<'_>, base: Base<'_>, out: &mut Vec<Edit>) -> Result<(), Cannot> {
    match field {
        field::NULL_CONTENT => write(item, "content", br#""""#, base, out)?,
        field::EMPTY_CALLS => remove_members(item, &["tool_calls"], base, out)?,
        field::TEXT_PART => write(item, "type", br#""text""#, base, out)?,
        field::SYSTEM_ROLE => write(item, "role", br#""system""#, base, out)?,
        field::USER_ROLE => write(item, "role", br#""user""#, base, out)?,
        field::ARGUMENTS => {
            let function = item.get("function").ok_or(Cannot("the call has no function"))?;
            let old = function.get("arguments").and_then(|old| old.text()).unwrap_or_default();
            write(function, "arguments", &wrapped(&old), base, out)?;
        }
        field::LOST_REASONING => write(item, "reasoning_content", br#"" ""#, base, out)?,
        field::STRIP_REASONING => remove_members(item, &["reasoning_content"], base, out)?,
        field::RENAME_REASONING => {
            let member = item.member("reasoning_content").ok_or(Cannot("the message has no such field"))?;
            let key = base.place(member.key_start, member.key_start + member.key.raw.len() as u32 + 2);
            out.push(Edit::replace(key, br#""reasoning""#.as_slice()));
        }
        field::PREFIX => write(item, "prefix", b"true", base, out)?,
        field::NAME => rename(item, base, out)?,
        field::EMPTY_NAME => remove_members(item, &["name"], base, out)?,
        field::FUNCTION_NAME => {
            let function = ["function", "custom"].iter().find_map(|key| item.get(key));
            rename(function.ok_or(Cannot("the call has no function"))?, base, out)?;
        }
        _ => return Err(Cannot("no message of this dialect has such a field")),
    }
    Ok(())
}

/// Gives a member another value, or adds it.
fn write(object: Val<'_>, key: &str, value: &[u8], base: Base<'_>, out: &mut Vec<Edit>) -> Result<(), Cannot> {
    match object.get(key) {
        Some(old) => out.push(Edit::replace(base.of(old), value)),
        None => add_member(object, [&*string::quoted(key), b":", value].concat(), base, out)?,
    }
    Ok(())
}

fn rename(named: Val<'_>, base: Base<'_>, out: &mut Vec<Edit>) -> Result<(), Cannot> {
    let old = named.get("name").and_then(|name| name.text()).ok_or(Cannot("the name is not a string"))?;
    let clean = clean_name(&String::from_utf8_lossy(&old));
    write(named, "name", &string::quoted(&clean), base, out)
}

/// A name with nothing but the characters that names may have.
fn clean_name(name: &str) -> String {
    let allowed = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' };
    name.chars().map(allowed).take(NAME_LIMIT).collect()
}

/// Arguments as the text of a JSON object, in a JSON string.
fn wrapped(arguments: &[u8]) -> Vec<u8> {
    if arguments.trim_ascii().is_empty() {
        return string::quoted("{}");
    }
    let text = String::from_utf8_lossy(arguments);
    let object = [&b"{\"arguments\":"[..], &string::quoted(&text), b"}"].concat();
    string::quoted(&String::from_utf8_lossy(&object))
}

/// Whether a call's arguments can be read as JSON.
pub fn is_json(arguments: &[u8]) -> bool {
    scan(arguments, &mut Tape::new()).is_ok()
}
