//! How a session is repaired where it lies: a call without a result gets the event of one that failed, after the line that
//! started it; lines are linked by their ids. Line separators are escaped.

use crate::dialects::responses::STUB;
use crate::format::translate::Stored;
use crate::format::{Editor, Links, OpenCall, Results, filled, raw, uuid};
use crate::json::{Val, name, string};
use crate::place::{Edit, Place};

use super::event::Separators;

pub(super) static EDITOR: Editor = Editor {
    links: Some(&LINKS),
    is_about: Some(is_about),
    fill: Some(escape),
    ..Editor::of(Results::Messages(result))
};

static LINKS: Links = Links { name: "id", parent: "parentId", others: &[], new_name: uuid };

/// Whether a line says something of a call.
fn is_about(line: Val<'_>, open: &OpenCall<'_>) -> bool {
    let id = |val: Option<Val<'_>>| val.and_then(|val| val.text()).map(|id| id.into_owned());
    id(line.at(&["data", "toolCallId"])).is_some_and(|own| id(open.call.get(name::toolCallId)) == Some(own))
}

fn result(open: &OpenCall<'_>) -> Option<Vec<u8>> {
    let of = open.record.at(&["data", "parentToolCallId"]).filter(Val::is_string);
    let of = of.map(|of| filled(r#","parentToolCallId":$"#, &[of.raw()])).unwrap_or_default();
    Some(filled(
        r#"{"type":"tool.execution_complete","data":{"toolCallId":$,"success":false,"error":{"message":$}$},"id":null,"timestamp":$,"parentId":null}"#,
        &[open.raw(&[&["toolCallId"]]), &string::quoted(STUB), &of, raw(open.record, &[&["timestamp"]])],
    ))
}

fn escape(record: &Stored<'_>, is_wanted: &dyn Fn(Place) -> bool, out: &mut Vec<Edit>) {
    let separators = Separators::of(record);
    if separators.first().is_some_and(|first| is_wanted(*first)) {
        out.extend(separators.edits());
    }
}
