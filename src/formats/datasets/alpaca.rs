//! Data sets in the manner of Alpaca: `instruction`, `input` and `output`. They are read only with `--format alpaca`.

use crate::dialects::chat::CHAT;
use crate::format::translate::{Stored, Translated, by_record};
use crate::format::{Edited, Format, FormatInfo, Histories, Layout, Part, Probe, Unit};
use crate::history::{Settings, Usage};
use crate::json::{Val, name};
use crate::message::{Message, Text};

use super::message;
use crate::formats::threads;

pub struct Alpaca;

pub static FORMAT: Alpaca = Alpaca;

static INFO: FormatInfo = FormatInfo {
    name: "alpaca",
    title: "Alpaca data set (only with `--format alpaca`)",
    known_by: "`--format alpaca`: `instruction`, `input`, `output`, and `system` and `history` where they are there",
    usage: Usage::Log,
    histories: Histories::PerDoc,
    parts: &[Part { path: &[], unit: Unit::Record }],
    named_only: true,
    edited: Edited::Never,
    ..FormatInfo::of(&CHAT, "chat-template")
};

const READ_ONLY: &str =
    "data sets are not edited; `replaylint convert --to API FILE` writes requests, which `fix` can repair";

impl Format for Alpaca {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, _: &Probe<'_>) -> u8 {
        0
    }

    fn knows(&self, val: Val<'_>) -> bool {
        val.get(name::instruction).is_some()
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| by_record(tell))
    }
}

fn tell(record: &Stored<'_>, out: &mut Vec<Translated>) {
    for one in threads::each(record.val).into_iter().filter(|one| one.get(name::instruction).is_some()) {
        let settings = Settings { read_only: Some(READ_ONLY), ..Settings::default() };
        out.push(Translated::history(&INFO, settings, messages(one, record)));
    }
}

fn messages(one: Val<'_>, record: &Stored<'_>) -> Vec<Message> {
    let base = record.base;
    let string = |key: &str| one.get(key).filter(Val::is_string);
    let says = |own: &Val<'_>| !own.is("");
    let said = |role: &str, own: Val<'_>| {
        message(role, base.of(own), record.number, |w| w.key("content").copy(own, base))
    };
    let mut out = Vec::new();
    out.extend(string("system").filter(says).map(|own| said("system", own)));
    // Earlier turns: pairs of what was asked and what was answered.
    for pair in one.get("history").into_iter().flat_map(|history| history.elements()) {
        let sides = ["user", "assistant"].into_iter().zip(pair.elements());
        out.extend(sides.map(|(role, own)| said(role, own)));
    }
    if let Some(instruction) = string("instruction") {
        let asked = [Some(instruction), string("input").filter(says)];
        let texts: Vec<Text> = asked.into_iter().flatten().filter_map(|own| Text::copied(own, base)).collect();
        let text = Text::join(&texts, "\\n\\n");
        out.push(message("user", base.of(instruction), record.number, |w| w.key("content").text(&text)));
    }
    out.extend(string("output").map(|own| said("assistant", own)));
    out
}
