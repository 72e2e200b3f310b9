//! The state of an interrupted run of the OpenAI Agents SDK for JavaScript. Its items have their own form, with keys in
//! camel case; they are translated as the SDK sends them.

use crate::format::translate::{ParsedRecord, TranslatedThread, by_record};
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::{HistorySettings, Role};
use crate::json::{Val, name};
use crate::message::{Message, Part, Text};

use super::run_state::is_known_version;
use crate::formats::threads::{Dialects, STORE};

mod item;

pub struct AgentsJsState;

pub static FORMAT: AgentsJsState = AgentsJsState;

static DIALECTS: Dialects = Dialects::of_sdk(FormatInfo {
    name: "agents-js-state",
    title: "RunState of the OpenAI Agents SDK for JavaScript",
    upstream: Some(Upstream {
        repository: "openai/openai-agents-js",
        file: Some("packages/agents-core/src/runState.ts"),
        version: Some("6d0c61a5"),
    }),
    known_by: "`$schemaVersion`, `originalInput` and `generatedItems`",
    unsent: UNSENT,
    ..STORE
});

/// The minor number of the newest known version 1.x: that of the SDK 0.20.
const NEWEST: u8 = 20;

const READ_ONLY: &str = "a RunState refers to its items in several places, so it is not edited; `replaylint convert --to API FILE` writes the history";

/// Values that are not part of requests.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths {
        paths: &["**/[type=function_call_result]name", "**/[type=hosted_tool_call]name"],
        why: "the call and the type of the item state it",
    },
    UnsentPaths {
        paths: &[
            "$schemaVersion",
            "**/agent/name",
            "currentAgent/**",
            "currentStep/**",
            "currentTurnInProgress",
            "lastModelResponse/**",
            "lastProcessedResponse/**",
            "modelResponses/**",
            "noActiveAgentRun",
            "pendingAgentToolRuns/**",
            "sandbox/**",
            "toolUseTracker/**",
        ],
        why: "the state of the run, which repeats the items",
    },
    UnsentPaths {
        paths: &[
            "generatedItems/toolName",
            "generatedItems/[type=tool_call_output_item]output",
            "generatedItems/rawItem/status=completed|in_progress",
            "generatedItems/[type=tool_approval_item]**",
        ],
        why: "the raw item states it; a call that waits for approval is not sent",
    },
    UnsentPaths { paths: &["context/**"], why: "the context of the application, which the model never sees" },
];

impl Format for AgentsJsState {
    fn info(&'static self) -> &'static FormatInfo {
        &DIALECTS.responses
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let items = || probe.val.get("generatedItems").is_some_and(|items| items.is_array());
        if probe.has(name::originalInput) && probe.val.get("$schemaVersion").is_some() && items() { 97 } else { 0 }
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| by_record(read_record))
    }
}

/// Reads what the run would send if it is resumed: its input, and the items that it has generated, except those that wait
/// for an approval.
fn read_record(record: &ParsedRecord<'_>, out: &mut Vec<TranslatedThread>) {
    let (state, base) = (record.val, record.base);
    let Some(input) = state.get("originalInput") else { return };
    let prompt = Text::copied(input, base).map(|text| {
        let at = base.of(input).into();
        let parts = vec![Part::text(text, at)];
        Message { parts, record: record.number, ..Message::new(Role::User, at) }
    });
    let generated = state.get("generatedItems").into_iter().flat_map(|items| items.elements());
    let is_sent = |own: &Val<'_>| !own.get(name::r#type).is_some_and(|kind| kind.is("tool_approval_item"));
    let generated = generated.filter(is_sent).filter_map(|own| own.get("rawItem"));
    let items = input.elements().chain(generated).filter_map(|own| {
        let raw = item::translate(own, base)?;
        Some(Message::verbatim("responses", Role::Assistant, raw, base.of(own), record.number))
    });
    let messages = prompt.into_iter().chain(items).collect();
    let version = state.get("$schemaVersion").filter(|version| !is_known_version(*version, NEWEST));
    let settings = HistorySettings {
        read_only: Some(READ_ONLY),
        unknown_version: version.map(|version| base.of(version)),
        ..HistorySettings::default()
    };
    out.push(TranslatedThread::from_messages(&DIALECTS.responses, settings, messages));
}
