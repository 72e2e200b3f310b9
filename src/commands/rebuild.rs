//! `rebuild`: prints the request that continues a conversation at a node. Files are only read.

use std::io::Write;

use crate::history::Usage;
use crate::judge;
use crate::place::Pieces;
use crate::rebuild::request::BODY;
use crate::rebuild::{
    Budget, ChainOptions, ChainPolicy, Conversation, NextRequest, RequestSpec, rebuild as build,
};
use crate::report::mask;
use crate::report::tree::{problems, reason_words};
use crate::report::words::{count, group_digits, replace_hidden};
use crate::report::{ContentDisplay, Diagnostic, changes};
use crate::source::{Doc, PatchedView};
use crate::target::{Severity, Target};
use crate::targets;

pub use super::rebuild_options::RebuildOptions;
use super::rebuild_options::write_body;
use super::run::products::PlannedFile;
use super::tree::{apply_overrides, find_node, print_diagnostics, read_conversations};
use super::{Failure, Outcome, Run, print_error, print_note, stderr};
use crate::options::UsageError;

/// The name of the printed body in messages.
const LABEL: &str = "request";

pub fn rebuild(
    run: &Run,
    chain: &ChainOptions,
    options: &RebuildOptions,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let planned = options.output.iter().map(|copies| PlannedFile::product(&copies.to, copies.existing)).collect();
    let (mut conversations, failed) = read_conversations(run, planned)?;
    if let Some(outcome) = super::stored_requests::rebuild(run, &conversations, options, out)? {
        return Ok(if failed { Outcome::Failed } else { outcome });
    }
    if let Some(outcome) = super::resumed_session::rebuild(run, &conversations, options, out)? {
        return Ok(if failed { Outcome::Failed } else { outcome });
    }
    let Some((conversation, built)) =
        next_request(&mut conversations, |title| run.lints.options_for(title), chain, options)?
    else {
        if !failed {
            print_error("no conversation found");
        }
        return Ok(Outcome::Failed);
    };
    let names = conversation.forest.short_names();
    let name = |node: u32| mask::id(names.get(node as usize).map_or("", String::as_str));
    if !run.quiet {
        print_decisions(&built, &name, options.budget);
        print_diagnostics(&problems(conversation)?, &run.style)?;
    }
    deliver(run, options, &built, out, failed)
}

/// The request that continues a conversation, written for a caller that prints nothing else; false if there is none.
pub fn write_request(
    doc: Doc,
    lints: &judge::Options,
    chain: &ChainOptions,
    options: &RebuildOptions,
    out: &mut dyn Write,
) -> Result<bool, Failure> {
    let mut conversations = Conversation::read([doc], |_| lints)?;
    if let [conversation] = conversations.as_slice()
        && options.only_resumes
        && let Some(resumed) = super::resumed_session::next_request(conversation, lints, options.ask.as_deref())?
    {
        resumed.write(options, out)?;
        return Ok(true);
    }
    let Some((_, built)) = next_request(&mut conversations, |_| lints, chain, options)? else { return Ok(false) };
    write_body(&repaired_body(&built), options, out)?;
    Ok(true)
}

/// The next request of a conversation, and the conversation; `None` if the input contains none.
/// `options_for` returns the options of a conversation by its title.
fn next_request<'c, 'o>(
    conversations: &'c mut Vec<Conversation>,
    options_for: impl Fn(&str) -> &'o judge::Options,
    chain: &ChainOptions,
    options: &RebuildOptions,
) -> Result<Option<(&'c Conversation, NextRequest)>, Failure> {
    conversations.retain(|conversation| !conversation.forest.nodes.is_empty());
    if conversations.is_empty() {
        return Ok(None);
    }
    apply_overrides(conversations, &options.overrides)?;
    let (conversation, at) = match &options.at {
        Some(name) => find_node(conversations, name)?,
        None => match conversations.as_mut_slice() {
            [one] => {
                let current = one.forest.current.unwrap_or(0);
                (one, current)
            }
            _ => {
                return Err(UsageError::new("the input contains several conversations")
                    .help("select a node with --at NODE")
                    .into());
            }
        },
    };
    let conversation = &*conversation;
    let doc = conversation.forest.node(at).entry.at.doc;
    if !conversation.can_be_rebuilt(at) {
        let info = conversation.info(doc);
        let title = info.map_or("an unknown format", |info| info.title);
        return Err(match info.is_some_and(|info| info.usage == Usage::Log) {
            true => UsageError::new(format!("of this format only the next request can be rebuilt: {title}")).help(
                "leave out --at, --last, --max-chars, --max-tokens, --orphans, --reasoning and --chain always",
            ),
            false => UsageError::new(format!("requests cannot be rebuilt from this format: {title}"))
                .help("supported: items of the Responses API, logs of such items, and agent sessions"),
        }
        .into());
    }
    let lints = options_for(&conversation.title());
    let by_format = conversation.info(doc).and_then(|info| targets::by_name(info.target));
    let is_session = conversation.info(doc).is_some_and(crate::convert::session::is_session);
    let fits = |target: &&Target| target.dialect == RESPONSES || is_session && target.dialect == MESSAGES;
    let target = lints.target.or(by_format).filter(fits);
    let target = target.or(targets::by_name(DEFAULT));
    let asked = RequestSpec {
        policy: options.policy,
        chain,
        ask: options.ask.as_deref(),
        budget: options.budget,
        fix: &options.fix,
        target: target_for_chain(target, chain, conversation, at),
        lint: lints,
    };
    let built = build(conversation, at, &asked)?;
    if options.policy == ChainPolicy::Always && built.previous_response.is_none() {
        let usage_error = UsageError::new("no response id to build on");
        return Err(usage_error
            .help("specify one with --response-id NODE=ID, or use --chain auto to send the full history")
            .into());
    }
    Ok(Some((conversation, built)))
}

/// The body with its repairs.
fn repaired_body(built: &NextRequest) -> PatchedView<'_> {
    let edits = built.repair.patch.edits(BODY);
    PatchedView::new(&built.body, Pieces::new(edits, BODY, built.body.len() as u64))
}

/// Dialects of the requests that are built.
const RESPONSES: &str = "responses";
const MESSAGES: &str = "anthropic";
const DEFAULT: &str = "openai";

/// The target of a request: one that stores responses, if the request builds on a response.
fn target_for_chain(
    target: Option<&'static Target>,
    chain: &ChainOptions,
    conversation: &Conversation,
    at: u32,
) -> Option<&'static Target> {
    let judge = crate::rebuild::ChainJudge::new(&conversation.forest, chain);
    let is_chain = judge.advice(at).is_chain();
    if is_chain && chain.target.is_none() { targets::by_name(DEFAULT) } else { target }
}

/// Prints what was decided, and why.
fn print_decisions(built: &NextRequest, name: &dyn Fn(u32) -> String, budget: Option<Budget>) {
    let reasons: Vec<String> =
        built.advice.reasons.iter().map(|reason| replace_hidden(&reason_words(reason, name))).collect();
    let items = count(built.items as u64, built.unit);
    match &built.previous_response {
        Some(id) => {
            let id = mask::id(id);
            let of = built.advice.answer.map(name).filter(|name| *name != id);
            let of = of.map_or_else(String::new, |name| format!(" of {name}"));
            print_note(&format!("chain: builds on {id}{of} with {items} of new input"));
            if !reasons.is_empty() {
                print_note(&format!("  against: {}", reasons.join("; ")));
            }
        }
        None => print_note(&format!("send full history: {items}; reason: {}", reasons.join("; "))),
    }
    if let Some(kept) = &built.cut {
        let widened = if kept.is_widened { ", extended to a valid cut" } else { "" };
        print_note(&format!(
            "  last {} of {}{widened}",
            group_digits(kept.kept as u64),
            count(kept.total as u64, built.unit)
        ));
        if matches!(budget, Some(Budget::Tokens(_))) {
            print_note("  tokens are estimated");
        }
    }
    for note in &built.notes {
        print_note(&format!("  {}", replace_hidden(note)));
    }
}

/// Writes the repaired body, and prints its changes and the remaining diagnostics.
fn deliver(
    run: &Run,
    options: &RebuildOptions,
    built: &NextRequest,
    out: &mut dyn Write,
    failed: bool,
) -> Result<Outcome, Failure> {
    write_body(&repaired_body(built), options, out)?;
    let notes = changes::notes(BODY, LABEL, &built.body, &built.repair)?;
    changes::write_list(&notes, &mut stderr())?;
    let left = changes::remaining_diagnostics(BODY, LABEL, &built.body, &built.repair, ContentDisplay::None)?;
    let loud = |diagnostic: &&Diagnostic| run.verbose || diagnostic.severity == Severity::Error;
    print_diagnostics(&left.iter().filter(loud).cloned().collect::<Vec<_>>(), &run.style)?;
    let errors = left.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    Ok(run.outcome(failed, errors))
}
