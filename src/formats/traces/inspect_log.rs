//! Logs of Inspect: a document with `samples`, or a single sample, like the members of an `.eval` archive. Each sample is a
//! conversation. Long texts can be in its `attachments`, and are put back in their place.

use crate::format::translate::{ParsedRecord, TranslatedThread, by_record};
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::HistorySettings;
use crate::json::{Val, name};

use crate::formats::member::text;
use crate::formats::threads::{self, DialectChoice, Dialects, STORE};

mod message;

use message::SampleMessages;

pub struct InspectLog;

pub static FORMAT: InspectLog = InspectLog;

static DIALECTS: Dialects = Dialects::of_agent(FormatInfo {
    name: "inspect-log",
    title: "Inspect log (`.json`, or the samples of an `.eval` archive)",
    upstream: Some(Upstream {
        repository: "UKGovernmentBEIS/inspect_ai",
        file: Some("src/inspect_ai/log/_log.py"),
        version: None,
    }),
    known_by: "`eval`, `status` and `version`; a sample with `epoch`, `target` and `messages`",
    unsent: UNSENT,
    ..STORE
});

const READ_ONLY: &str =
    "logs of Inspect are not edited; `replaylint convert --to API FILE` writes a request, which `fix` can repair";

/// Values that are not part of requests.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths {
        paths: &["**/messages/content/*=attachment://*", "messages/content=attachment://*"],
        why: "the attachment that it names is read in its place",
    },
    UnsentPaths {
        paths: &[
            "eval/**",
            "plan/**",
            "results/**",
            "reductions/**",
            "stats/**",
            "status",
            "target",
            "samples/target",
            "**/scores/**",
            "**/metadata/**",
            "**/choices/source",
        ],
        why: "about the evaluation, which the model never sees",
    },
    UnsentPaths {
        paths: &[
            "samples/input/**",
            "input/**",
            "samples/input",
            "input",
            "samples/output/**",
            "output/**",
            "samples/events/**",
            "events/**",
            "samples/transcript/**",
            "transcript/**",
            "samples/attachments/**",
            "attachments/**",
        ],
        why: "a copy of the messages",
    },
    UnsentPaths {
        paths: &["**/messages/source", "**/[role=tool]function", "**/image/detail", "**/messages/content/detail"],
        why: "the source of a message, and the name that is in the call",
    },
];

impl Format for InspectLog {
    fn info(&'static self) -> &'static FormatInfo {
        &DIALECTS.chat
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let is_log = probe.get(name::eval).is_some_and(|own| own.is_object())
            && probe.get(name::status).is_some_and(|own| own.is_string())
            && probe.has(name::version);
        // A cancelled evaluation can have no samples.
        let is_log = is_log && [name::samples, name::plan, name::stats].into_iter().any(|name| probe.has(name));
        if is_log || probe.has_list(name::messages) && is_sample(probe.val) { 95 } else { 0 }
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| by_record(read_record))
    }
}

fn is_sample(val: Val<'_>) -> bool {
    let has = |key: &str| val.get(key).is_some();
    has("epoch") && has("target") && has("input") && val.get(name::messages).is_some_and(|own| own.is_array())
}

fn read_record(record: &ParsedRecord<'_>, out: &mut Vec<TranslatedThread>) {
    let model = record.val.get("eval").and_then(|eval| text(eval, "model"));
    let alone = is_sample(record.val).then_some(record.val);
    let samples = record.val.get(name::samples).into_iter().flat_map(|samples| samples.elements());
    for sample in alone.into_iter().chain(samples) {
        out.push(read_sample(sample, model.clone(), record));
    }
}

/// Reads a sample. Its model names the provider: `openai/gpt-5`.
fn read_sample(sample: Val<'_>, model: Option<Box<str>>, record: &ParsedRecord<'_>) -> TranslatedThread {
    let model = model.or_else(|| sample.get(name::output).and_then(|output| text(output, "model")));
    let provider = model.as_deref().and_then(|model| model.split_once('/')).map_or("", |(provider, _)| provider);
    let (dialect, target) = match provider {
        "anthropic" => (DialectChoice::Anthropic, "anthropic"),
        "openai" => (DialectChoice::Chat, "chat"),
        _ => (DialectChoice::Chat, "chat-compatible"),
    };
    let name =
        |key: &str| sample.get(key).map(|own| String::from_utf8_lossy(own.raw()).trim_matches('"').to_owned());
    let label = name("id").zip(name("epoch")).map(|(id, epoch)| format!("sample {id}, epoch {epoch}").into());
    let settings = HistorySettings {
        label,
        target: Some(target),
        model: model.as_deref().map(|model| model.rsplit('/').next().unwrap_or(model).into()),
        read_only: Some(READ_ONLY),
        ..HistorySettings::default()
    };
    threads::translate(DIALECTS.row(dialect), settings, SampleMessages::of(sample, record).translate())
}
