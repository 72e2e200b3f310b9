//! Data sets in the manner of Alpaca: `instruction`, `input` and `output`. They are read only with `--format alpaca`.

use crate::dialects::chat::CHAT;
use crate::format::translate::{Stored, Translated, by_record};
use crate::format::{Edited, Format, FormatInfo, Histories, Layout, Part, Probe, Unit};
use crate::formats::spoken;
use crate::history::{Settings, Usage};
use crate::json::pieces::Pieced;
use crate::json::{Val, name};

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
        let says =
            messages(one, record).into_iter().map(|message| spoken::verbatim(&INFO, &message, record.number));
        let settings = Settings { read_only: Some(READ_ONLY), ..Settings::default() };
        out.push(Translated::history(&INFO, settings, says.collect()));
    }
}

fn messages(one: Val<'_>, record: &Stored<'_>) -> Vec<Pieced> {
    let base = record.base;
    let string = |key: &str| one.get(key).filter(Val::is_string);
    let says = |own: &Val<'_>| !own.is("");
    let message = |role: &str, content: Pieced| {
        let at = content.place();
        Pieced::object(at).with("role", Pieced::text(role, at)).with("content", content)
    };
    let mut out = Vec::new();
    out.extend(string("system").filter(says).map(|own| message("system", Pieced::of(own, base))));
    // Earlier turns: pairs of what was asked and what was answered.
    for pair in one.get("history").into_iter().flat_map(|history| history.elements()) {
        let sides = ["user", "assistant"].into_iter().zip(pair.elements());
        out.extend(sides.map(|(role, own)| message(role, Pieced::of(own, base))));
    }
    if let Some(instruction) = string("instruction") {
        let mut parts = vec![Pieced::of(instruction, base)];
        parts.extend(string("input").filter(says).map(|own| Pieced::of(own, base)));
        out.push(message("user", Pieced::joined(parts, "\n\n", base.of(instruction))));
    }
    out.extend(string("output").map(|own| message("assistant", Pieced::of(own, base))));
    out
}
