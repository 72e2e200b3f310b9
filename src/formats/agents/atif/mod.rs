//! Trajectories in the Agent Trajectory Interchange Format of Harbor: steps of the system, the user and the agent, a step of the
//! agent with its calls and what they gave. Some calls share an output, and some have none: what has no partner counts as text.

use crate::format::translate::{Stored, Translated, by_record};
use crate::format::unsent::UnsentPaths;
use crate::format::{Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::{Role, Settings};
use crate::json::{Val, name};
use crate::message::{Raw, Text};

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

const READ_ONLY: &str = "trajectories are results, and are not edited; `replaylint convert --to API FILE` writes a request, which `fix` can repair";

/// How adapters of agents mark a result that failed.
const FAILED: [&str; 2] = ["is_error", "tool_result_is_error"];

/// What of the store no request says.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths { paths: &["**/extra/**", "**/notes", "**/*metrics/**"], why: "a note on the run, and its costs" },
    UnsentPaths { paths: &["**/*_version", "**/agent/*", "**/source"], why: "who made a trajectory, or a step" },
    UnsentPaths { paths: &["**/trajectory_id", "**/*_trajectory_ref/**"], why: "where a trajectory lies" },
    UnsentPaths { paths: &["**/*_call_id"], why: "the id of a call or a result without a partner" },
    UnsentPaths { paths: &["**/is_copied_context"], why: "whether another trajectory holds the step, too" },
    UnsentPaths { paths: &["**/reasoning_effort"], why: "a setting of the request" },
];

impl Format for AtifTrajectory {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let is_atif = text(probe.val, "schema_version").is_some_and(|version| version.starts_with("ATIF-v"));
        if is_atif && has_list(probe.val, "steps") { 95 } else { 0 }
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| by_record(read))
    }
}

/// A trajectory, and those of the subagents that lie in it.
fn read(record: &Stored<'_>, out: &mut Vec<Translated>) {
    let (mut all, mut next) = (vec![record.val], 0);
    while let Some(trajectory) = all.get(next).copied() {
        out.push(conversation(trajectory, record));
        all.extend(list(trajectory, &["subagent_trajectories"]));
        next += 1;
    }
}

fn conversation(trajectory: Val<'_>, record: &Stored<'_>) -> Translated {
    let (mut said, mut model) = (ThreadBuilder::default(), text_at(trajectory, &["agent", "model_name"]));
    for step in list(trajectory, &["steps"]) {
        model = text(step, "model_name").or(model);
        said.begin();
        add(step, record, &mut said);
    }
    let settings = Settings {
        label: text(trajectory, "trajectory_id").or_else(|| text(trajectory, "session_id")),
        model: model.as_deref().map(|model| model.rsplit('/').next().unwrap_or(model).into()),
        read_only: Some(READ_ONLY),
        ..Settings::default()
    };
    let tools = trajectory.at(&["agent", "tool_definitions"]);
    let request = tools
        .map(|tools| Raw::build(record.base.of(tools), |w| w.object(|w| w.key("tools").copy(tools, record.base))));
    Translated { request, ..said.answered().finish(&INFO, settings) }
}

fn add(step: Val<'_>, record: &Stored<'_>, said: &mut ThreadBuilder) {
    if step.at(&["extra", "context_management", "boundary"]).is_some_and(|boundary| boundary.is("replace")) {
        said.forget(0, &Default::default());
        return said.leave_out("a step", step, record, "it marks where the context was changed");
    }
    let is = |source: &str| step.get(name::source).is_some_and(|own| own.is(source));
    let role = if is("agent") { Role::Assistant } else { Role::User };
    if let Some(thought) = step.get(name::reasoning_content).filter(Val::is_string) {
        said.thought(thought, record);
    }
    said.content(if is("system") { Role::System } else { role }, step.get(name::message), record);
    for call in list(step, &["tool_calls"]) {
        let function = call.get("function_name").and_then(|own| Text::copied(own, record.base));
        let Some(function) = function else { continue };
        said.call_of(role, call.get(name::tool_call_id), function, call.get(name::arguments), call, record);
    }
    for result in list(step, &["observation", "results"]) {
        let Some(given) = result.get(name::content).filter(|given| !given.is_null()) else { continue };
        let failed = |key: &&str| result.at(&["extra", key]).and_then(|own| own.as_bool()) == Some(true);
        let (output, failed) = (said.output(given, record), FAILED.iter().any(failed));
        match role {
            Role::Assistant => said.result_of(result.get("source_call_id"), output, failed, result, record),
            _ => said.content(role, Some(given), record),
        }
    }
}

fn list<'v>(val: Val<'v>, path: &[&str]) -> impl Iterator<Item = Val<'v>> {
    val.at(path).into_iter().flat_map(|list| list.elements())
}
