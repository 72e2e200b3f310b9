//! Lines for supervised fine-tuning: `{"messages": […], "tools": […]}`. They end with what the model is to learn to say,
//! and may tell it not to learn from a message (`"weight": 0`).

use crate::dialects::chat::CHAT;
use crate::format::{
    Format, FormatInfo, Histories, Layout, Mark, Part, Probe, Record, Sink, Unit, around, read_slice,
};
use crate::history::{Flags, Settings, Usage};
use crate::json::{Val, name};

use super::chat_request;

pub struct ChatTraining;

pub static FORMAT: ChatTraining = ChatTraining;

static INFO: FormatInfo = FormatInfo {
    name: "chat-training",
    title: "lines for fine-tuning on Chat Completions",
    known_by: "`messages` without `model`, with a `weight` on one of them or the assistant's last",
    usage: Usage::Log,
    histories: Histories::PerRecord,
    parts: &[Part { path: &["messages"], unit: Unit::Element }],
    ..FormatInfo::of(&CHAT, "chat")
};

/// What a line for training may hold.
const KEYS: [&str; 4] = ["messages", "tools", "parallel_tool_calls", "functions"];

impl Format for ChatTraining {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let known = || probe.val.members().all(|member| KEYS.iter().any(|key| member.key.is(key.as_bytes())));
        if !probe.has(name::messages) || !known() || !is_lesson(probe.val) {
            return 0;
        }
        match chat_request::body_score(probe.val) {
            0 => 0,
            score => score + 5,
        }
    }

    fn layout(&self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    if read_slice(&INFO, record, Flags::default(), sink) {
        return;
    }
    let around = around(record.val, record);
    sink.mark(Mark::Start(Box::new(Settings { usage: Usage::Log, around, ..Settings::default() })));
    chat_request::read_messages(record.val, record, 0, Flags::default(), sink);
    sink.mark(Mark::End);
}

fn is_lesson(line: Val<'_>) -> bool {
    let mut last_is_models = false;
    for message in line.get(name::messages).into_iter().flat_map(|messages| messages.elements()) {
        if message.get(name::weight).is_some() {
            return true;
        }
        last_is_models = message.get(name::role).is_some_and(|role| role.is("assistant"));
    }
    last_is_models
}
