//! Trajectories in the Agent Trajectory Interchange Format of Harbor: steps of the system, the user and the agent; a step of
//! the agent has its calls and their results. Some calls share an output, and some have none: unpaired ones become text.

use crate::format::translate::{ParsedRecord, TranslatedThread, by_record};
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::{HistorySettings, Role};
use crate::json::{Val, name};
use crate::message::{RawJson, Text};

use crate::formats::member::{text, text_at};
use crate::formats::threads::{Dialects, STORE, ThreadBuilder, has_list};

pub struct AtifTrajectory;

pub static FORMAT: AtifTrajectory = AtifTrajectory;

static INFO: FormatInfo = Dialects::of_agent(FormatInfo {
    name: "atif-trajectory",
    title: "Trajectory of Harbor and others (ATIF)",
    upstream: Some(Upstream {
        repository: "harbor-framework/harbor",
        file: Some("src/harbor/models/trajectories"),
        version: Some("0.26.0"),
    }),
    known_by: "`schema_version` that begins with `ATIF-v`, and `steps`",
    unsent: UNSENT,
    ..STORE
})
.chat;

const READ_ONLY: &str = "trajectories are records of finished runs; `replaylint convert --to API FILE` writes a request that `fix` can repair";

/// Members with which adapters of agents mark a failed result.
const FAILED: [&str; 2] = ["is_error", "tool_result_is_error"];

/// Stored members that no request contains, and why.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths { paths: &["**/extra/**", "**/notes", "**/*metrics/**"], why: "notes on the run, and its cost" },
    UnsentPaths {
        paths: &["**/*_version", "**/agent/*", "**/source"],
        why: "the origin of a trajectory or a step",
    },
    UnsentPaths { paths: &["**/trajectory_id", "**/*_trajectory_ref/**"], why: "the location of a trajectory" },
    UnsentPaths { paths: &["**/*_call_id"], why: "the id of a call or a result without a partner" },
    UnsentPaths { paths: &["**/is_copied_context"], why: "a mark of steps copied from another trajectory" },
    UnsentPaths { paths: &["**/reasoning_effort"], why: "a setting of the request" },
];

impl Format for AtifTrajectory {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let is_atif = probe.text(name::schema_version).is_some_and(|version| version.starts_with(b"ATIF-v"));
        if is_atif && has_list(probe.val, "steps") { 95 } else { 0 }
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| by_record(read))
    }
}

/// Reads a trajectory and those of its subagents.
fn read(record: &ParsedRecord<'_>, out: &mut Vec<TranslatedThread>) {
    let (mut all, mut next) = (vec![record.val], 0);
    while let Some(trajectory) = all.get(next).copied() {
        let mut conversation = conversation(trajectory, record);
        conversation.settings.is_of_subagent = next > 0;
        out.push(conversation);
        all.extend(list(trajectory, &["subagent_trajectories"]));
        next += 1;
    }
}

fn conversation(trajectory: Val<'_>, record: &ParsedRecord<'_>) -> TranslatedThread {
    let (mut thread, mut model) = (ThreadBuilder::default(), text_at(trajectory, &["agent", "model_name"]));
    for step in list(trajectory, &["steps"]) {
        model = text(step, "model_name").or(model);
        thread.begin();
        add_step(step, record, &mut thread);
    }
    let settings = HistorySettings {
        label: text(trajectory, "trajectory_id").or_else(|| text(trajectory, "session_id")),
        model: model.as_deref().map(|model| model.rsplit('/').next().unwrap_or(model).into()),
        read_only: Some(READ_ONLY),
        ..HistorySettings::default()
    };
    let tools = trajectory.at(&["agent", "tool_definitions"]);
    let request = tools.map(|tools| {
        RawJson::build(record.base.of(tools), |w| w.object(|w| w.key("tools").copy(tools, record.base)))
    });
    TranslatedThread { request, ..thread.pair_results().finish(&INFO, settings) }
}

fn add_step(step: Val<'_>, record: &ParsedRecord<'_>, thread: &mut ThreadBuilder) {
    if step.at(&["extra", "context_management", "boundary"]).is_some_and(|boundary| boundary.is("replace")) {
        thread.keep_recent_user_messages(0);
        return thread.omit("a step", step, record, "it marks where the context was changed");
    }
    let is = |source: &str| step.get(name::source).is_some_and(|own| own.is(source));
    let role = if is("agent") { Role::Assistant } else { Role::User };
    if let Some(thought) = step.get(name::reasoning_content).filter(Val::is_string) {
        thread.push_reasoning(thought, record);
    }
    thread.content(if is("system") { Role::System } else { role }, step.get(name::message), record);
    for call in list(step, &["tool_calls"]) {
        let function = call.get("function_name").and_then(|own| Text::copied(own, record.base));
        let Some(function) = function else { continue };
        thread.push_call(role, call.get(name::tool_call_id), function, call.get(name::arguments), call, record);
    }
    for result in list(step, &["observation", "results"]) {
        let Some(given) = result.get(name::content).filter(|given| !given.is_null()) else { continue };
        let failed = |key: &&str| result.at(&["extra", key]).and_then(|own| own.as_bool()) == Some(true);
        let (output, failed) = (thread.output(given, record), FAILED.iter().any(failed));
        match role {
            Role::Assistant => thread.push_result(result.get("source_call_id"), output, failed, result, record),
            _ => thread.content(role, Some(given), record),
        }
    }
}

fn list<'v>(val: Val<'v>, path: &[&str]) -> impl Iterator<Item = Val<'v>> {
    val.at(path).into_iter().flat_map(|list| list.elements())
}
