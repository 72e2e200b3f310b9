//! Repair of rows of the database: results are parts of a row, and no row is added.

use crate::dialects::responses::STUB;
use crate::format::{Editor, OpenCall, PartResults, ResultStorage, fill_template};
use crate::json::{Val, name, string};

pub(super) static EDITOR: Editor = Editor::of(ResultStorage::Parts(&RESULTS));

static RESULTS: PartResults = PartResults { list, part, message: |_, _| None };

fn list(row: Val<'_>) -> Option<Val<'_>> {
    row.get(name::data).filter(|_| row.get(name::role).is_some_and(|role| role.is("tool")))
}

fn part(open: &OpenCall<'_>) -> Option<Vec<u8>> {
    Some(fill_template(
        r#"{"type":"tool_result","data":{"tool_call_id":$,"name":$,"content":$,"metadata":"","is_error":true}}"#,
        &[open.raw_member(&[&["data", "id"]]), open.raw_member(&[&["data", "name"]]), &string::quoted(STUB)],
    ))
}
