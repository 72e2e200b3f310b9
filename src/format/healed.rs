//! What clients of sessions put right before they send them: messages of the user that follow each other become one,
//! with the results in front.

use crate::history::{Kind, Role, Row};

/// Puts messages that hold results before the others of their run.
pub(super) fn results_first(rows: Vec<Row>) -> Vec<Row> {
    let is_users = |row: &&Row| row.role == Role::User && row.kind == Kind::BlockMessage;
    if rows.iter().filter(is_users).count() < 2 {
        return rows;
    }
    let mut out = Vec::with_capacity(rows.len());
    let messages: Vec<&[Row]> = rows.chunk_by(|_, next| next.kind != Kind::BlockMessage).collect();
    let of_user = |message: &[Row]| message.first().is_some_and(|row| row.role == Role::User);
    for run in messages.chunk_by(|a, b| of_user(a) && of_user(b)) {
        let (results, others): (Vec<&[Row]>, Vec<&[Row]>) =
            run.iter().partition(|message| message.iter().any(|row| row.kind == Kind::ToolResult));
        results.into_iter().chain(others).for_each(|message| out.extend_from_slice(message));
    }
    out
}
