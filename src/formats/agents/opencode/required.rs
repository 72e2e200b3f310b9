//! What is wrong with an opencode session as a store: fields that opencode requires, and fills in itself.

use crate::format::translate::Stored;
use crate::history::{Act, Finding, Row, codes};
use crate::json::edit::{Base, add_member};
use crate::json::{Val, name, string};
use crate::place::{Edit, Place};

use super::message::is;

/// What opencode requires: a kind of object, the fields that it must have, and what is filled in.
struct Required {
    kind: Kind,
    fields: &'static [(&'static str, Fill)],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    User,
    Answer,
    Part(&'static str),
    CompletedTool,
}

#[derive(Clone, Copy)]
enum Fill {
    Json(&'static str),
    /// The id of the message before.
    Before,
    /// The name of the tool.
    Tool,
    /// When the message was made.
    Time,
}

/// In the order of the rule's variants.
static REQUIRED: [Required; 5] = [
    Required { kind: Kind::User, fields: &[("agent", Fill::Json("\"build\""))] },
    Required {
        kind: Kind::Answer,
        fields: &[
            ("parentID", Fill::Before),
            ("mode", Fill::Json("\"build\"")),
            ("agent", Fill::Json("\"build\"")),
        ],
    },
    Required { kind: Kind::Part("step-finish"), fields: &[("reason", Fill::Json("\"stop\""))] },
    Required {
        kind: Kind::CompletedTool,
        fields: &[("title", Fill::Tool), ("metadata", Fill::Json("{}")), ("time", Fill::Time)],
    },
    Required { kind: Kind::Part("compaction"), fields: &[("auto", Fill::Json("false"))] },
];

/// An object of a session, and the message that it lies in.
struct Object<'v> {
    val: Val<'v>,
    kind: Kind,
    /// What a completed tool's part holds its fields in.
    holder: Val<'v>,
    /// The id of the message before.
    before: Option<Val<'v>>,
    /// When the message was made.
    created: u64,
}

/// Goes through the messages and parts of an export.
fn each<'v>(session: Val<'v>, see: &mut dyn FnMut(&Object<'v>)) {
    let mut before: Option<Val<'v>> = None;
    for message in session.get(name::messages).into_iter().flat_map(|list| list.elements()) {
        let Some(info) = message.get(name::info) else { continue };
        let created = info.at(&["time", "created"]).and_then(|time| time.as_u64()).unwrap_or(0);
        let Some(object) = Object::message(info, before, created) else { continue };
        see(&object);
        for part in message.get(name::parts).into_iter().flat_map(|parts| parts.elements()) {
            see(&Object::part(part, created));
        }
        before = info.get(name::id).or(before);
    }
}

impl<'v> Object<'v> {
    fn finding(&self, record: &Stored<'_>) -> Option<Finding> {
        let (variant, _) = self.missing()?;
        let row = Row::of_place(record.base.of(self.val), record.number);
        Some(Finding::new(codes::INCOMPLETE_RECORD, row).variant(variant))
    }

    /// Fills in what is missing.
    fn fill(&self, base: Base<'_>, out: &mut Vec<Edit>) -> Option<()> {
        let (_, missing) = self.missing()?;
        let members =
            missing.iter().map(|(key, fill)| [&string::quoted(key)[..], b":", &self.filled(*fill)].concat());
        add_member(self.holder, members.collect::<Vec<_>>().join(&b","[..]), base, out).ok()
    }

    fn message(info: Val<'v>, before: Option<Val<'v>>, created: u64) -> Option<Object<'v>> {
        let kind = match info.get(name::role)? {
            role if role.is("user") => Kind::User,
            role if role.is("assistant") => Kind::Answer,
            _ => return None,
        };
        Some(Object { val: info, kind, holder: info, before, created })
    }

    fn part(part: Val<'v>, created: u64) -> Object<'v> {
        let state = part.get(name::state).filter(|_| is(part, "tool"));
        let done = state.filter(|state| state.get(name::status).is_some_and(|status| status.is("completed")));
        let kind = match done {
            Some(_) => Kind::CompletedTool,
            None if is(part, "step-finish") => Kind::Part("step-finish"),
            None if is(part, "compaction") => Kind::Part("compaction"),
            None => Kind::Part(""),
        };
        Object { val: part, kind, holder: done.unwrap_or(part), before: None, created }
    }

    /// What a row of the database holds.
    fn row(row: Val<'v>) -> Option<Object<'v>> {
        let data = row.get(name::data)?;
        let created = row.get(name::created).and_then(|time| time.as_u64()).unwrap_or(0);
        match row.get("row")? {
            kind if kind.is("message") => Object::message(data, row.get("before"), created),
            kind if kind.is("part") => Some(Object::part(data, created)),
            _ => None,
        }
    }

    /// The fields that are missing, and the variant of the rule.
    fn missing(&self) -> Option<(u8, Vec<(&'static str, Fill)>)> {
        let (at, required) = REQUIRED.iter().enumerate().find(|(_, required)| required.kind == self.kind)?;
        let lacks = |(key, fill): &&(&'static str, Fill)| {
            // The first message has none before it.
            self.holder.get(key).is_none() && !(matches!(fill, Fill::Before) && self.before.is_none())
        };
        let missing: Vec<_> = required.fields.iter().filter(lacks).copied().collect();
        (!missing.is_empty()).then_some((at as u8, missing))
    }

    fn time(&self) -> String {
        let created = self.created;
        format!("{{\"start\":{created},\"end\":{created}}}")
    }

    fn filled(&self, fill: Fill) -> Vec<u8> {
        let raw = |val: Option<Val<'_>>| val.map_or_else(|| b"\"\"".to_vec(), |val| val.raw().to_vec());
        match fill {
            Fill::Json(json) => json.into(),
            Fill::Before => raw(self.before),
            Fill::Tool => raw(self.val.get(name::tool)),
            Fill::Time => self.time().into(),
        }
    }
}

/// What is done about a record that lacks fields.
const FILL: &str = "add the fields with the values that opencode itself fills in";

/// What is missing in an export.
pub(in crate::formats) fn findings(record: &Stored<'_>) -> Vec<Finding> {
    let mut out = Vec::new();
    each(record.val, &mut |object| out.extend(object.finding(record).map(|found| found.act(Act::Stored(FILL)))));
    out
}

/// What is missing in a row of the database.
pub(in crate::formats) fn finding_in_row(record: &Stored<'_>) -> Option<Finding> {
    let object = Object::row(record.val)?;
    let found = object.finding(record)?;
    Some(match object.kind {
        Kind::User | Kind::Answer => found.never("in a database only parts are edited"),
        _ => found.act(Act::Stored(FILL)),
    })
}

/// Fills in what is missing of the objects of an export that lie at some places.
pub(super) fn fill(record: &Stored<'_>, is_wanted: &dyn Fn(Place) -> bool, out: &mut Vec<Edit>) {
    each(record.val, &mut |object| {
        if is_wanted(record.base.of(object.val)) {
            object.fill(record.base, out);
        }
    });
}

/// The same for a row of the database.
pub(super) fn fill_row(record: &Stored<'_>, is_wanted: &dyn Fn(Place) -> bool, out: &mut Vec<Edit>) {
    if let Some(object) = Object::row(record.val).filter(|object| is_wanted(record.base.of(object.val))) {
        object.fill(record.base, out);
    }
}
