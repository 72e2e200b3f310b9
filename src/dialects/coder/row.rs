//! Rows of chatd's table: whether a row is sent, and its rank. The query for a prompt selects rows that are not deleted and
//! that the model may see, ordered by `id`; of compacted rows only the summary is sent.

use crate::history::Role;
use crate::history::ranked_order::{Rank, SendStatus};
use crate::json::{Tape, Val, name, scan};

use super::part::{CoderPart, CoderPartKind};

/// The rank of a row among the others.
pub fn rank(row: Val<'_>) -> Rank {
    let number = row.get(name::id).and_then(|id| match id.text() {
        Some(text) => std::str::from_utf8(&text).ok()?.parse().ok(),
        None => id.as_u64(),
    });
    let name = row.get(name::id).map(|id| match id.text() {
        Some(text) => String::from_utf8_lossy(&text).into_owned(),
        None => String::from_utf8_lossy(id.raw()).into_owned(),
    });
    Rank { number, name: name.unwrap_or_default().into(), status: standing(row), ..Rank::default() }
}

fn standing(row: Val<'_>) -> SendStatus {
    let is = |key: &str| row.get(key).and_then(|flag| flag.as_bool()) == Some(true);
    let role = role_of(row);
    if is("deleted") {
        return SendStatus::Unsent("it is deleted");
    }
    if row.get("visibility").and_then(|who| who.as_str()).is_some_and(|who| !who.is(b"both") && !who.is(b"model"))
    {
        return SendStatus::Unsent("the model does not see it");
    }
    match (is("compressed"), role) {
        // The call of the compaction and its result are only for display.
        (true, Role::Assistant | Role::Other | Role::None) => SendStatus::Unsent("it belongs to a compaction"),
        (true, _) => SendStatus::Restart,
        (false, Role::User) if has_only_skills(row) => SendStatus::Unsent("it contains only skills"),
        (false, Role::System | Role::Developer) => SendStatus::Always,
        (false, _) => SendStatus::Sent,
    }
}

pub fn role_of(row: Val<'_>) -> Role {
    row.get(name::role).and_then(|role| role.text()).map_or(Role::None, |role| Role::of(&role))
}

/// True if a row has only notes about skills that a user invoked, which are not sent to the model.
fn has_only_skills(row: Val<'_>) -> bool {
    let Some(content) = row.get(name::content) else { return false };
    let only = |parts: Val<'_>| {
        let mut skills = 0;
        parts.is_array()
            && parts.elements().all(|part| {
                skills += u32::from(part.get(name::r#type).is_some_and(|kind| kind.is("skill")));
                part.is_object() && CoderPart::of(part).kind == CoderPartKind::Unsent
            })
            && skills > 0
    };
    if content.is_string() { parse_parts(content, only).unwrap_or(false) } else { only(content) }
}

/// Parses content that is the text of a list of parts, as some exports write it, and passes the list to `see`.
pub fn parse_parts<T>(content: Val<'_>, see: impl FnOnce(Val<'_>) -> T) -> Option<T> {
    let text = content.text().filter(|text| text.trim_ascii_start().starts_with(b"["))?;
    let mut tape = Tape::new();
    let parts = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text)).filter(|val| is_part_list(*val))?;
    Some(see(parts))
}

/// True if a value is a list of parts, not a list that is content itself.
pub fn is_part_list(val: Val<'_>) -> bool {
    let mut parts = val.elements().peekable();
    let is_part = |part: Val<'_>| {
        part.is_object()
            && (part.get(name::r#type).is_some_and(|kind| kind.is_string())
                || part.get(name::tool_call_id).is_some())
    };
    val.is_array() && parts.peek().is_some() && parts.all(is_part)
}
