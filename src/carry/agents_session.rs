//! The OpenAI Agents SDK: its sessions hold items of the Responses API as they are, a line or a row each.

use crate::convert::Landing;
use crate::dialect::{Dialect, Written};
use crate::dialects::responses::RESPONSES;
use crate::message::Losses;

use super::carrier::{Carrier, Story, Tools};

pub static CARRIER: Carrier = Carrier {
    name: "agents-session",
    agent: "the OpenAI Agents SDK",
    format: "responses-item-lines",
    is_document: false,
    takes: &crate::dialects::responses::TAKES,
    tools: Tools::Calls,
    keeps_thoughts: false,
    keeps_instructions: true,
    ids_by_time: false,
    home: None,
    write,
    file,
    resume,
    import: None,
};

fn file(story: &Story<'_>) -> String {
    format!("{}.jsonl", story.id())
}

fn resume(landing: &Landing, path: &str) -> String {
    match path.ends_with(".db") || path.ends_with(".sqlite") {
        true => format!("SQLiteSession(\"{}\", \"{path}\")", landing.id),
        false => format!("session.add_items([json.loads(line) for line in open(\"{path}\")])"),
    }
}

fn write(story: &Story<'_>, _: &mut Losses, out: &mut Vec<u8>) {
    RESPONSES.lower(story.conversation, Written::Items, out);
}
