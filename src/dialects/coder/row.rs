//! Rows of chatd's table: whether a row is sent, and where it belongs. The query for a prompt takes rows that are not
//! deleted and that the model may see, by `id`; of what a compaction summed up only the summary is left.

use crate::history::Role;
use crate::history::ranked::{Rank, Standing};
use crate::json::{Tape, Val, name, scan};

use super::part::{Part, PartKind};

/// A row's place among the others.
pub fn rank(row: Val<'_>) -> Rank {
    let number = row.get(name::id).and_then(|id| match id.text() {
        Some(text) => std::str::from_utf8(&text).ok()?.parse().ok(),
        None => id.as_u64(),
    });
    let name = row.get(name::id).map(|id| match id.text() {
        Some(text) => String::from_utf8_lossy(&text).into_owned(),
        None => String::from_utf8_lossy(id.raw()).into_owned(),
    });
    Rank { number, name: name.unwrap_or_default().into(), standing: standing(row), ..Rank::default() }
}

fn standing(row: Val<'_>) -> Standing {
    let is = |key: &str| row.get(key).and_then(|flag| flag.as_bool()) == Some(true);
    let role = role_of(row);
    if is("deleted") {
        return Standing::Unsent("it is deleted");
    }
    if row.get("visibility").and_then(|who| who.as_str()).is_some_and(|who| !who.is(b"both") && !who.is(b"model"))
    {
        return Standing::Unsent("the model does not see it");
    }
    match (is("compressed"), role) {
        // The call of the compaction and its result are kept for people.
        (true, Role::Assistant | Role::Other | Role::None) => Standing::Unsent("it belongs to a compaction"),
        (true, _) => Standing::Restart,
        (false, Role::User) if holds_only_skills(row) => Standing::Unsent("it holds only skills"),
        (false, Role::System | Role::Developer) => Standing::Always,
        (false, _) => Standing::Sent,
    }
}

pub fn role_of(row: Val<'_>) -> Role {
    row.get(name::role).and_then(|role| role.text()).map_or(Role::None, |role| Role::of(&role))
}

/// What chatd notes about skills that a user invoked is no text for the model.
fn holds_only_skills(row: Val<'_>) -> bool {
    let Some(content) = row.get(name::content) else { return false };
    let only = |parts: Val<'_>| {
        let mut skills = 0;
        parts.is_array()
            && parts.elements().all(|part| {
                skills += u32::from(part.get(name::r#type).is_some_and(|kind| kind.is("skill")));
                part.is_object() && Part::of(part).kind == PartKind::Silent
            })
            && skills > 0
    };
    if content.is_string() { parts_in(content, only).unwrap_or(false) } else { only(content) }
}

/// Calls `see` with the parts that the text of a row's content holds: some exports write the column as text.
pub fn parts_in<T>(content: Val<'_>, see: impl FnOnce(Val<'_>) -> T) -> Option<T> {
    let text = content.text().filter(|text| text.trim_ascii_start().starts_with(b"["))?;
    let mut tape = Tape::new();
    let parts = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text)).filter(|val| holds_parts(*val))?;
    Some(see(parts))
}

/// Whether a value is a list of parts, and not a list that somebody wrote about.
pub fn holds_parts(val: Val<'_>) -> bool {
    let mut parts = val.elements().peekable();
    let is_part = |part: Val<'_>| {
        part.is_object()
            && (part.get(name::r#type).is_some_and(|kind| kind.is_string())
                || part.get(name::tool_call_id).is_some())
    };
    val.is_array() && parts.peek().is_some() && parts.all(is_part)
}
