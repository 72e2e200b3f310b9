//! Missing fields in sessions of opencode that opencode requires, and that it fills in with default values.

use crate::format::translate::ParsedRecord;
use crate::history::{Finding, RepairAct, Row, codes};
use crate::json::edit::{RecordBase, add_member};
use crate::json::{Val, name, string};
use crate::place::{Edit, Place};

use super::message::is_type;

/// The fields that opencode requires of a kind of object, and their default values.
struct RequiredFields {
    kind: OpencodeObjectKind,
    fields: &'static [(&'static str, FieldDefault)],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum OpencodeObjectKind {
    User,
    Answer,
    Part(&'static str),
    CompletedTool,
}

#[derive(Clone, Copy)]
enum FieldDefault {
    Json(&'static str),
    /// The id of the previous message.
    Previous,
    /// The name of the tool.
    Tool,
    /// The time of the message, as start and end.
    Time,
}

/// Required fields, in the order of the rule's variants.
static REQUIRED: [RequiredFields; 5] = [
    RequiredFields { kind: OpencodeObjectKind::User, fields: &[("agent", FieldDefault::Json("\"build\""))] },
    RequiredFields {
        kind: OpencodeObjectKind::Answer,
        fields: &[
            ("parentID", FieldDefault::Previous),
            ("mode", FieldDefault::Json("\"build\"")),
            ("agent", FieldDefault::Json("\"build\"")),
        ],
    },
    RequiredFields {
        kind: OpencodeObjectKind::Part("step-finish"),
        fields: &[("reason", FieldDefault::Json("\"stop\""))],
    },
    RequiredFields {
        kind: OpencodeObjectKind::CompletedTool,
        fields: &[
            ("title", FieldDefault::Tool),
            ("metadata", FieldDefault::Json("{}")),
            ("time", FieldDefault::Time),
        ],
    },
    RequiredFields {
        kind: OpencodeObjectKind::Part("compaction"),
        fields: &[("auto", FieldDefault::Json("false"))],
    },
];

/// A message or a part of a session.
struct OpencodeObject<'v> {
    val: Val<'v>,
    kind: OpencodeObjectKind,
    /// The object that has the required fields: the state in the part of a completed tool, otherwise `val`.
    owner: Val<'v>,
    /// The id of the previous message; `None` for the first one, and for parts.
    before: Option<Val<'v>>,
    /// The time of the message in milliseconds since 1970; 0 if it is not stored.
    created: u64,
}

/// Visits the messages and parts of an export.
fn visit_objects<'v>(session: Val<'v>, visit: &mut dyn FnMut(&OpencodeObject<'v>)) {
    let mut before: Option<Val<'v>> = None;
    for message in session.get(name::messages).into_iter().flat_map(|list| list.elements()) {
        let Some(info) = message.get(name::info) else { continue };
        let created = info.at(&["time", "created"]).and_then(|time| time.as_u64()).unwrap_or(0);
        let Some(object) = OpencodeObject::message(info, before, created) else { continue };
        visit(&object);
        for part in message.get(name::parts).into_iter().flat_map(|parts| parts.elements()) {
            visit(&OpencodeObject::part(part, created));
        }
        before = info.get(name::id).or(before);
    }
}

impl<'v> OpencodeObject<'v> {
    fn finding(&self, record: &ParsedRecord<'_>) -> Option<Finding> {
        let (variant, _) = self.missing()?;
        let row = Row::of_place(record.base.of(self.val), record.number);
        Some(Finding::new(codes::INCOMPLETE_RECORD, row).variant(variant))
    }

    /// Adds the missing fields.
    fn fill(&self, base: RecordBase<'_>, out: &mut Vec<Edit>) -> Option<()> {
        let (_, missing) = self.missing()?;
        let members =
            missing.iter().map(|(key, fill)| [&string::quoted(key)[..], b":", &self.default_json(*fill)].concat());
        add_member(self.owner, members.collect::<Vec<_>>().join(&b","[..]), base, out).ok()
    }

    fn message(info: Val<'v>, before: Option<Val<'v>>, created: u64) -> Option<OpencodeObject<'v>> {
        let kind = match info.get(name::role)? {
            role if role.is("user") => OpencodeObjectKind::User,
            role if role.is("assistant") => OpencodeObjectKind::Answer,
            _ => return None,
        };
        Some(OpencodeObject { val: info, kind, owner: info, before, created })
    }

    fn part(part: Val<'v>, created: u64) -> OpencodeObject<'v> {
        let state = part.get(name::state).filter(|_| is_type(part, "tool"));
        let done = state.filter(|state| state.get(name::status).is_some_and(|status| status.is("completed")));
        let kind = match done {
            Some(_) => OpencodeObjectKind::CompletedTool,
            None if is_type(part, "step-finish") => OpencodeObjectKind::Part("step-finish"),
            None if is_type(part, "compaction") => OpencodeObjectKind::Part("compaction"),
            None => OpencodeObjectKind::Part(""),
        };
        OpencodeObject { val: part, kind, owner: done.unwrap_or(part), before: None, created }
    }

    /// The object in a row of the database.
    fn row(row: Val<'v>) -> Option<OpencodeObject<'v>> {
        let data = row.get(name::data)?;
        let created = row.get(name::created).and_then(|time| time.as_u64()).unwrap_or(0);
        match row.get("row")? {
            kind if kind.is("message") => OpencodeObject::message(data, row.get("before"), created),
            kind if kind.is("part") => Some(OpencodeObject::part(data, created)),
            _ => None,
        }
    }

    /// The variant of the rule, and the missing fields; `None` if there are none.
    fn missing(&self) -> Option<(u8, Vec<(&'static str, FieldDefault)>)> {
        let (at, required) = REQUIRED.iter().enumerate().find(|(_, required)| required.kind == self.kind)?;
        let lacks = |(key, fill): &&(&'static str, FieldDefault)| {
            // The first message has no previous one.
            self.owner.get(key).is_none() && !(matches!(fill, FieldDefault::Previous) && self.before.is_none())
        };
        let missing: Vec<_> = required.fields.iter().filter(lacks).copied().collect();
        (!missing.is_empty()).then_some((at as u8, missing))
    }

    fn time(&self) -> String {
        let created = self.created;
        format!("{{\"start\":{created},\"end\":{created}}}")
    }

    fn default_json(&self, fill: FieldDefault) -> Vec<u8> {
        let raw = |val: Option<Val<'_>>| val.map_or_else(|| b"\"\"".to_vec(), |val| val.raw().to_vec());
        match fill {
            FieldDefault::Json(json) => json.into(),
            FieldDefault::Previous => raw(self.before),
            FieldDefault::Tool => raw(self.val.get(name::tool)),
            FieldDefault::Time => self.time().into(),
        }
    }
}

/// Repair of a record without required fields.
const FILL: &str = "add the fields with the values that opencode itself fills in";

/// Findings about missing fields in an export.
pub(in crate::formats) fn findings(record: &ParsedRecord<'_>) -> Vec<Finding> {
    let mut out = Vec::new();
    visit_objects(record.val, &mut |object| {
        out.extend(object.finding(record).map(|finding| finding.act(RepairAct::RepairStored(FILL))))
    });
    out
}

/// The finding about missing fields in a row of the database.
pub(in crate::formats) fn finding_in_row(record: &ParsedRecord<'_>) -> Option<Finding> {
    let object = OpencodeObject::row(record.val)?;
    let finding = object.finding(record)?;
    Some(match object.kind {
        OpencodeObjectKind::User | OpencodeObjectKind::Answer => {
            finding.never("only parts can be edited in a database")
        }
        _ => finding.act(RepairAct::RepairStored(FILL)),
    })
}

/// Adds the missing fields of the selected objects of an export.
pub(super) fn fill_export(record: &ParsedRecord<'_>, is_selected: &dyn Fn(Place) -> bool, out: &mut Vec<Edit>) {
    visit_objects(record.val, &mut |object| {
        if is_selected(record.base.of(object.val)) {
            object.fill(record.base, out);
        }
    });
}

/// The same for a row of the database.
pub(super) fn fill_row(record: &ParsedRecord<'_>, is_selected: &dyn Fn(Place) -> bool, out: &mut Vec<Edit>) {
    if let Some(object) = OpencodeObject::row(record.val).filter(|object| is_selected(record.base.of(object.val)))
    {
        object.fill(record.base, out);
    }
}
