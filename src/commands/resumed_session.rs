//! `rebuild` of a session of an agent: the request that the agent sends when it resumes the session.

use std::io::Write;

use crate::format::FormatInfo;
use crate::formats::agents::resume::agent_of;
use crate::history::{Row, Usage};
use crate::judge::{self, FindingsOnly, Options};
use crate::options::UsageError;
use crate::rebuild::Conversation;
use crate::rebuild::conversation::ConversationDoc;
use crate::rebuild::request::BODY;
use crate::rebuild::resume::{ResumedHistory, ResumedRequest, resume_doc};
use crate::report::command_line::CommandLine;

use crate::report::words::{count, replace_hidden};
use crate::report::{ContentDisplay, Diagnostic, diagnose};
use crate::target::{Severity, Target};

use super::rebuild_options::{RebuildOptions, write_body};
use super::tree::print_diagnostics;
use super::{Failure, Outcome, Run, print_note};

/// The name of the printed body in messages.
const LABEL: &str = "request";

/// Prints the next request of a session, if the only input is one; `None` otherwise.
pub(super) fn rebuild(
    run: &Run,
    conversations: &[Conversation],
    options: &RebuildOptions,
    out: &mut dyn Write,
) -> Result<Option<Outcome>, Failure> {
    let [conversation] = conversations else { return Ok(None) };
    let [part] = conversation.docs.as_slice() else { return Ok(None) };
    let Some(info) = part.format.map(|format| format.info()).filter(|_| options.only_resumes) else {
        return Ok(None);
    };
    let lints = run.lints.options_for(&part.doc.label);
    let Some(NextRequest { request, target }) = next_request(conversation, lints, options.ask.as_deref())? else {
        return Ok(None);
    };
    if !run.quiet {
        print_notes(&request, info, part);
    }
    write_body(&request.body.text, options, out)?;
    let judged = judge::judge(BODY, &request.body.text, &request.options(target, lints), 1, &FindingsOnly)?;
    let found = diagnose(BODY, LABEL, &request.body.text, &judged, ContentDisplay::None)?;
    let loud = |diagnostic: &&Diagnostic| run.verbose || diagnostic.severity == Severity::Error;
    print_diagnostics(&found.iter().filter(loud).cloned().collect::<Vec<_>>(), &run.style)?;
    let errors = found.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    Ok(Some(run.outcome(false, errors)))
}

/// The request that continues a session, and its target.
pub(super) struct NextRequest {
    request: ResumedRequest,
    target: &'static Target,
}

impl NextRequest {
    pub(super) fn write(&self, options: &RebuildOptions, out: &mut dyn Write) -> Result<(), Failure> {
        write_body(&self.request.body.text, options, out)
    }
}

/// Builds the next request of the session of an agent, or of another log whose requests cannot be built node by node. `None`
/// for anything else, or if it would be empty.
pub(super) fn next_request(
    conversation: &Conversation,
    lints: &Options,
    ask: Option<&str>,
) -> Result<Option<NextRequest>, Failure> {
    let [part] = conversation.docs.as_slice() else { return Ok(None) };
    let info = part.format.map(|format| format.info());
    let Some(info) = info.filter(|info| is_resumed(conversation, info)) else { return Ok(None) };
    let found = resume_doc(part.doc.id, &*part.doc.bytes, lints, ask, &|target| target)?;
    let Some(live) = live_history(conversation, info, found.outputs)? else { return Ok(None) };
    let target = live.target;
    Ok(live.request?.map(|request| NextRequest { request, target }))
}

/// True for a session of an agent, and for any other log whose requests cannot be built node by node.
fn is_resumed(conversation: &Conversation, info: &FormatInfo) -> bool {
    let current = conversation.forest.current;
    let by_node = current.is_some_and(|current| conversation.can_be_rebuilt(current));
    info.usage == Usage::Log && (agent_of(info.name).is_some() || !by_node)
}

/// The history that the session continues: of a tree that of the current leaf, of other sessions the first, which those of
/// subagents follow.
fn live_history(
    conversation: &Conversation,
    info: &FormatInfo,
    mut found: Vec<ResumedHistory>,
) -> Result<Option<ResumedHistory>, UsageError> {
    if found.len() > 1 && info.histories.shares_rows() {
        let forest = &conversation.forest;
        let leaf = forest.current.and_then(|current| {
            forest.upward(current).find_map(|node| forest.rows_of(node).last().map(|row| row.at))
        });
        let has_leaf = |own: &ResumedHistory| own.rows.iter().any(|row: &Row| Some(row.at) == leaf);
        found.retain(has_leaf);
    }
    match found.len() {
        n if n > 1 && agent_of(info.name).is_none() => Err(UsageError::new(format!(
            "the input contains {n} conversations"
        ))
        .help("`rebuild` prints the next request of one; `replaylint convert --to DIALECT` writes one for each")),
        _ => Ok(found.into_iter().next()),
    }
}

/// Prints what the request contains, what the agent repaired, and what is missing.
fn print_notes(request: &ResumedRequest, info: &FormatInfo, part: &ConversationDoc) {
    let of = agent_of(info.name).map(|agent| format!(" of {}", agent.name)).unwrap_or_default();
    let unit = if request.list_key() == "input" { "item" } else { "message" };
    print_note(&format!("next request{of}: {}", count(request.item_count() as u64, unit)));
    for repair in &request.repairs {
        print_note(&format!("  {}", replace_hidden(repair)));
    }
    if !request.losses.is_empty() {
        let name = request.dialect.info().name;
        let convert = CommandLine::new("convert").with("--to", name).on_input(&part.doc.label);
        let parts = count(request.losses.len() as u64, "part");
        print_note(&format!("  {parts} of the session left out or changed; `{convert}` lists them"));
    }
    if request.is_continuation {
        print_note(
            "  the history is incomplete: the session that it continues was not found; name its file as well",
        );
    }
    if !request.has_model {
        print_note("  the model is unknown; set it with --model NAME");
    }
    let absent: Vec<&str> = [
        (request.dialect.info().capabilities.requires_limit, "max_tokens"),
        (!request.has_instructions, "instructions"),
        (!request.has_tools, "tools"),
    ]
    .into_iter()
    .filter_map(|(is_absent, name)| is_absent.then_some(name))
    .collect();
    if let Some((last, first)) = absent.split_last() {
        let list = if first.is_empty() { (*last).to_owned() } else { format!("{} and {last}", first.join(", ")) };
        let verb = if absent.len() == 1 && *last != "instructions" && *last != "tools" { "is" } else { "are" };
        print_note(&format!("  {list} {verb} not stored here; add them yourself"));
    }
}
