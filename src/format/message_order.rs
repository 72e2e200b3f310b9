//! The order in which clients send consecutive user messages of a session: they become one message, with the results
//! first.

use crate::history::{Kind, Role, Row};

/// Puts messages with results before the others among consecutive user messages.
pub(super) fn put_results_first(rows: Vec<Row>) -> Vec<Row> {
    let is_users = |row: &&Row| row.role == Role::User && row.kind == Kind::BlockMessage;
    if rows.iter().filter(is_users).count() < 2 {
        return rows;
    }
    let mut out = Vec::with_capacity(rows.len());
    let mut messages: Vec<&[Row]> = rows.chunk_by(|_, next| next.kind != Kind::BlockMessage).collect();
    let of_user = |message: &[Row]| message.first().is_some_and(|row| row.role == Role::User);
    for run in messages.chunk_by_mut(|a, b| of_user(a) && of_user(b)) {
        if run.len() > 1 {
            run.sort_by_cached_key(|message| message.iter().all(|row| row.kind != Kind::ToolResult));
        }
        run.iter().for_each(|message| out.extend_from_slice(message));
    }
    out
}
