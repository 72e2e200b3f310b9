//! The OpenAI Agents SDK: its sessions consist of items of the Responses API, unchanged, a line or a row each.

use crate::carry::{Destination, SessionDraft, SessionWriter, ToolHandling};
use crate::dialect::write_lines;
use crate::dialects::responses::RESPONSES;
use crate::message::Losses;

pub static WRITER: SessionWriter = SessionWriter {
    name: "agents-session",
    agent: "the OpenAI Agents SDK",
    format: "responses-item-lines",
    is_document: false,
    capabilities: &crate::dialects::responses::CAPABILITIES,
    tools: ToolHandling::Calls,
    why_notes: None,
    model: None,
    keeps_reasoning: false,
    keeps_instructions: true,
    ids_by_time: false,
    home: None,
    write,
    file,
    resume,
    import: None,
};

fn file(draft: &SessionDraft<'_>) -> String {
    format!("{}.jsonl", draft.id())
}

fn resume(destination: &Destination, path: &str) -> String {
    match path.ends_with(".db") || path.ends_with(".sqlite") {
        true => format!("SQLiteSession(\"{}\", \"{path}\")", destination.id),
        false => format!("session.add_items([json.loads(line) for line in open(\"{path}\")])"),
    }
}

fn write(draft: &SessionDraft<'_>, _: &mut Losses, out: &mut Vec<u8>) {
    write_lines(&RESPONSES, draft.conversation, out);
}
