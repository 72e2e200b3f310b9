//! `rebuild`: prints the next request at a node of a conversation. The files are only read.

use std::io::Write;

use crate::place::Pieces;
use crate::rebuild::cut::CHARS_A_TOKEN;
use crate::rebuild::request::BODY;
use crate::rebuild::{Budget, ChainOptions, Policy, Rebuild, Rebuilt, rebuild as build};
use crate::report::mask;
use crate::report::tree::{problems, reason_words};
use crate::report::words::{count, grouped, harmless};
use crate::report::{Content, Diagnostic, changes};
use crate::source::Patched;
use crate::target::{Severity, Target};
use crate::targets;

pub use super::rebuild_options::Wanted;
use super::rebuild_options::print;
use super::run::products::Planned;
use super::tree::{find, read, say, tell};
use super::{Failure, Outcome, Run, complain, stderr, talk};
use crate::options::Misuse;

/// What the printed body is called in messages.
const LABEL: &str = "request";

pub fn rebuild(run: &Run, chain: &ChainOptions, wanted: &Wanted, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let planned = wanted.output.iter().map(|copies| Planned::product(&copies.to, copies.existing)).collect();
    let (mut conversations, failed) = read(run, planned)?;
    if let Some(outcome) = super::stored::rebuild(run, &conversations, wanted, out)? {
        return Ok(if failed { Outcome::Failed } else { outcome });
    }
    conversations.retain(|conversation| !conversation.forest.nodes.is_empty());
    if conversations.is_empty() {
        if !failed {
            complain("no conversation was found");
        }
        return Ok(Outcome::Failed);
    }
    tell(&mut conversations, &wanted.told)?;
    let (conversation, at) = match &wanted.at {
        Some(name) => find(&mut conversations, name)?,
        None => match conversations.as_mut_slice() {
            [one] => {
                let current = one.forest.current.unwrap_or(0);
                (one, current)
            }
            _ => return Err(Misuse::new("there are several conversations").help("name a node: --at NODE").into()),
        },
    };
    let conversation = &*conversation;
    let doc = conversation.forest.node(at).entry.at.doc;
    if !conversation.is_rebuilt(at) {
        let title = conversation.info(doc).map_or("an unknown format", |info| info.title);
        let misuse = Misuse::new(format!("cannot rebuild requests from this format: {title}"));
        return Err(misuse
            .help("rebuild supports items of the Responses API, logs that are replayed as such, and sessions")
            .into());
    }
    let lints = run.lints.of(&conversation.title());
    let by_format = conversation.info(doc).and_then(|info| targets::by_name(info.target));
    let is_session = conversation.info(doc).is_some_and(crate::convert::session::is_session);
    let fits = |target: &&Target| target.dialect == RESPONSES || is_session && target.dialect == MESSAGES;
    let target = lints.target.or(by_format).filter(fits);
    let target = target.or(targets::by_name(DEFAULT));
    let asked = Rebuild {
        policy: wanted.policy,
        chain,
        ask: wanted.ask.as_deref(),
        budget: wanted.budget,
        fix: &wanted.fix,
        target: for_state(target, chain, conversation, at),
        lint: lints,
    };
    let built = build(conversation, at, &asked)?;
    if wanted.policy == Policy::Always && built.chained.is_none() {
        let misuse = Misuse::new("there is no response id to build on");
        return Err(misuse
            .help(
                "supply one with --response-id NODE=ID, or use --chain auto to send the whole \
                                history",
            )
            .into());
    }
    let names = conversation.forest.short_names();
    let name = |node: u32| mask::id(names.get(node as usize).map_or("", String::as_str));
    if !run.quiet {
        decisions(&built, &name, wanted.budget);
        say(&problems(conversation)?, &run.style)?;
    }
    deliver(run, wanted, &built, out, failed)
}

/// Dialect of the requests that are built.
const RESPONSES: &str = "responses";
const MESSAGES: &str = "anthropic";
const DEFAULT: &str = "openai";

/// A response that is built on is stored, whatever the format's sessions usually are.
fn for_state(
    target: Option<&'static Target>,
    chain: &ChainOptions,
    conversation: &crate::rebuild::Conversation,
    at: u32,
) -> Option<&'static Target> {
    let judge = crate::rebuild::Judge::new(&conversation.forest, chain);
    let chains = judge.verdict(at).is_chain();
    if chains && chain.target.is_none() { targets::by_name(DEFAULT) } else { target }
}

/// What was decided, and why.
fn decisions(built: &Rebuilt, name: &dyn Fn(u32) -> String, budget: Option<Budget>) {
    let reasons: Vec<String> =
        built.verdict.reasons.iter().map(|reason| harmless(&reason_words(reason, name))).collect();
    let items = count(built.items as u64, built.unit);
    match &built.chained {
        Some(id) => {
            let id = mask::id(id);
            let of = built.verdict.answer.map(name).filter(|name| *name != id);
            let of = of.map_or_else(String::new, |name| format!(" of {name}"));
            talk(&format!("chain: builds on {id}{of}, with {items} of new input"));
            if !reasons.is_empty() {
                talk(&format!("  against: {}", reasons.join("; ")));
            }
        }
        None => talk(&format!("rebuild: {items}; reason: {}", reasons.join("; "))),
    }
    if let Some(kept) = &built.kept {
        let widened = if kept.widened { ", extended to a legal cut" } else { "" };
        talk(&format!("  last {} of {}{widened}", grouped(kept.last as u64), count(kept.of as u64, built.unit)));
        if matches!(budget, Some(Budget::Tokens(_))) {
            talk(&format!("  tokens are estimated at {CHARS_A_TOKEN} characters each"));
        }
    }
    for note in &built.notes {
        talk(&format!("  {}", harmless(note)));
    }
}

/// Writes the repaired body, and says what the repair did and what is left.
fn deliver(
    run: &Run,
    wanted: &Wanted,
    built: &Rebuilt,
    out: &mut dyn Write,
    failed: bool,
) -> Result<Outcome, Failure> {
    let edits = built.fixed.patch.edits(BODY);
    let body = Patched::new(&built.body, Pieces::new(edits, BODY, built.body.len() as u64));
    print(&body, wanted, out)?;
    let notes = changes::notes(BODY, LABEL, &built.body, &built.fixed)?;
    changes::write_list(&notes, &mut stderr())?;
    let left = changes::left(BODY, LABEL, &built.body, &built.fixed, Content::None)?;
    let loud = |diagnostic: &&Diagnostic| run.verbose || diagnostic.severity == Severity::Error;
    say(&left.iter().filter(loud).cloned().collect::<Vec<_>>(), &run.style)?;
    let errors = left.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    Ok(run.outcome(failed, errors))
}
