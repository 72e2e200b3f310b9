//! Repair of a session in place: a call without a result gets the event of a failed one, after the line that started it;
//! lines are linked by their ids. Line separators are escaped.

use crate::dialects::responses::STUB;
use crate::format::translate::ParsedRecord;
use crate::format::{
    Attachments, Editor, LineLinks, OpenCall, ResultStorage, fill_template, format_uuid, raw_member,
};
use crate::json::{Val, name, string};
use crate::place::{Edit, Place};

use super::event::LineSeparators;

pub(super) static EDITOR: Editor = Editor {
    links: Some(&LINKS),
    concerns_call: Some(concerns_call),
    fill: Some(escape),
    attachments: Some(Attachments { list: "attachments", texts: &["transformedContent", "content"] }),
    ..Editor::of(ResultStorage::Messages(result))
};

static LINKS: LineLinks = LineLinks { name: "id", parent: "parentId", others: &[], new_name: format_uuid };

/// True if a line refers to the open call.
fn concerns_call(line: Val<'_>, open: &OpenCall<'_>) -> bool {
    let id = |val: Option<Val<'_>>| val.and_then(|val| val.text()).map(|id| id.into_owned());
    id(line.at(&["data", "toolCallId"])).is_some_and(|own| id(open.call.get(name::toolCallId)) == Some(own))
}

fn result(open: &OpenCall<'_>) -> Option<Vec<u8>> {
    let parent = open.record.at(&["data", "parentToolCallId"]).filter(Val::is_string);
    let parent = parent.map(|id| fill_template(r#","parentToolCallId":$"#, &[id.raw()])).unwrap_or_default();
    Some(fill_template(
        r#"{"type":"tool.execution_complete","data":{"toolCallId":$,"success":false,"error":{"message":$}$},"id":null,"timestamp":$,"parentId":null}"#,
        &[
            open.raw_member(&[&["toolCallId"]]),
            &string::quoted(STUB),
            &parent,
            raw_member(open.record, &[&["timestamp"]]),
        ],
    ))
}

fn escape(record: &ParsedRecord<'_>, is_selected: &dyn Fn(Place) -> bool, out: &mut Vec<Edit>) {
    let separators = LineSeparators::of(record);
    if separators.first().is_some_and(|first| is_selected(*first)) {
        out.extend(separators.edits());
    }
}
