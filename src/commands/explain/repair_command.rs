//! The command that repairs an error: candidates are tried on the file in memory, and the first one that helps is offered.

use std::io;
use std::path::Path;

use crate::convert::stream;
use crate::format::requests::RebuildQuery;
use crate::history::{BlockFlags, Code, Kind, Row, Usage};
use crate::judge::{self, HistoryCollector, Options};
use crate::options::LintSettings;
use crate::place::DocId;
use crate::rebuild::Conversation;
use crate::repair;
use crate::repair::{Cause, DocRepair, FixOptions, ItemChange, Reasoning};
use crate::source::{Doc, Input, InputOptions};
use crate::target::Severity;
use crate::targets;

use super::super::resumed_session::next_request;

/// Candidate flags of `fix`, and their options.
fn candidate_flags() -> [(&'static str, FixOptions); 4] {
    let own = FixOptions::default();
    [
        ("", own.clone()),
        (" --fix-warnings", FixOptions { warnings: true, ..own.clone() }),
        (" --acknowledge-safety", FixOptions { acknowledge_safety: true, ..own.clone() }),
        (" --reasoning strip", FixOptions { reasoning: Reasoning::Strip, ..own }),
    ]
}

/// A `fix` that repairs a file.
pub(super) struct RepairCommand {
    /// Its flags, each after a space.
    pub flags: String,
    /// Number of changes.
    pub changes: usize,
    /// It writes a copy, because the file itself must stay.
    pub writes_copy: bool,
}

/// What a command does to the file.
pub(super) enum RepairTrial {
    Works(RepairCommand),
    /// It changes nothing that could be the cause; the reason, if it is known.
    Fails(Option<String>),
}

/// The first candidate after which no rule of `codes` finds anything. `judged` are the options to judge with, and their
/// flags; `None` if no candidate works.
pub(super) fn find_repair(
    doc: &Doc,
    codes: &[Code],
    judged: &[(String, Options)],
) -> io::Result<Option<RepairCommand>> {
    for (judge_flags, options) in judged {
        for (flags, wanted) in candidate_flags() {
            let fixed = repair::fix(doc.id, &*doc.bytes, options, &wanted, 1)?;
            if fixed.patch.is_empty() {
                continue;
            }
            let remaining = fixed.remaining().findings.iter();
            let mut remaining = remaining
                .filter(|weighed| codes.contains(&weighed.finding.code) && weighed.severity > Severity::Info);
            if remaining.next().is_none() {
                return Ok(Some(RepairCommand {
                    flags: format!("{judge_flags}{flags}"),
                    changes: fixed.changes.len(),
                    writes_copy: false,
                }));
            }
        }
    }
    Ok(None)
}

/// Whether `fix --fix-warnings` repairs something that these rules find, and why it leaves a finding.
pub(super) fn repairs_some(
    doc: &Doc,
    codes: &[Code],
    options: &Options,
) -> io::Result<(bool, Option<&'static str>)> {
    let wanted = FixOptions { warnings: true, ..FixOptions::default() };
    let fixed = repair::fix(doc.id, &*doc.bytes, options, &wanted, 1)?;
    let is_one = |cause: Cause| matches!(cause, Cause::Rule(code, ..) if codes.contains(&code));
    let repairs_some = !fixed.patch.is_empty() && fixed.changes.iter().any(|change| is_one(change.cause));
    let mut remaining = fixed.remaining().findings.iter().filter(|judged| codes.contains(&judged.finding.code));
    Ok((repairs_some, remaining.find_map(fixed.refusal_reasons())))
}

/// Tries a `fix` with flags: `replaylint fix --reasoning strip -w FILE`.
pub(super) fn try_command(doc: &Doc, own: &Options, command: &str) -> io::Result<RepairTrial> {
    let Some(flags) = command.strip_prefix("replaylint fix ") else { return Ok(RepairTrial::Fails(None)) };
    let (mut options, mut wanted, mut kept) = (own.clone(), FixOptions::default(), String::new());
    let mut words = flags.split_whitespace();
    while let Some(word) = words.next() {
        let value = match word {
            "--reasoning" | "--target" | "--set-provider" | "-o" => words.next(),
            _ => None,
        };
        match (word, value) {
            ("--reasoning", Some("strip")) => wanted.reasoning = Reasoning::Strip,
            ("--target", Some(name)) => options.target = targets::by_name(name),
            ("--set-provider", Some(name)) => wanted.provider = Some(name.to_owned()),
            ("-o", Some(_)) => wanted.writes_copy = true,
            ("--install", None) => wanted.writes_copy = true,
            ("-w" | "FILE", None) => continue,
            _ => return Ok(RepairTrial::Fails(None)),
        }
        kept.extend([Some(word), value].into_iter().flatten().flat_map(|word| [" ", word]));
    }
    let fixed = repair::fix(doc.id, &*doc.bytes, &options, &wanted, 1)?;
    // Other repairs are not what the command is for.
    let writes_copy = wanted.writes_copy && fixed.has_numbered_lines;
    let strips = wanted.reasoning == Reasoning::Strip;
    // A rule may remove the reasoning before the flag does.
    let is_meant = |change: &ItemChange| {
        writes_copy || matches!(change.cause, Cause::Flag(_)) || strips && has_reasoning(&change.row)
    };
    if fixed.patch.is_empty() || !fixed.changes.iter().any(is_meant) {
        let why = strips.then(|| kept_reasoning(doc, &options, &fixed)).transpose()?;
        return Ok(RepairTrial::Fails(why));
    }
    let changes = fixed.changes.len();
    Ok(RepairTrial::Works(RepairCommand { flags: kept, changes, writes_copy }))
}

/// Why the reasoning of a file cannot be removed.
fn kept_reasoning(doc: &Doc, options: &Options, fixed: &DocRepair) -> io::Result<String> {
    let found = judge::judge(doc.id, &*doc.bytes, options, 1, &HistoryCollector)?;
    let left = fixed.skipped_groups.first().map(|left| left.reason);
    let known = left.or_else(|| fixed.abandoned.values().next().copied());
    if known.is_none() && !found.outputs.iter().flat_map(|history| &history.rows).any(has_reasoning) {
        return Ok("no item that is sent contains reasoning, so nothing in this file can be the cause".to_owned());
    }
    let known = known.or_else(|| found.outputs.iter().find_map(|history| history.settings.read_only));
    let why = known.unwrap_or("the reasoning of this format cannot be removed in place");
    let is_log = found.format.is_none_or(|format| format.info().usage == Usage::Log);
    let converts = if is_log && !why.contains("`replaylint ") { CONVERT } else { "" };
    Ok(format!("{why}{converts}"))
}

fn has_reasoning(row: &Row) -> bool {
    row.is_reasoning() || row.kind == Kind::Thinking || row.has(BlockFlags::REASONED)
}

const CONVERT: &str = "; `replaylint convert --to API FILE` writes a request, which `fix` can repair";

/// True if `rebuild` prints a request of a file. `by_node`: also one that is shortened.
pub(super) fn can_rebuild(path: &Path, lints: &LintSettings, by_node: bool) -> io::Result<bool> {
    let input = Input::File { path: path.to_owned(), named: true };
    let doc = Doc::open(DocId(0), &input, &InputOptions::default())?;
    let conversations = Conversation::read([doc], |label| lints.options_for(label))?;
    let [conversation] = conversations.as_slice() else { return Ok(false) };
    let Some(part) = conversation.docs.first() else { return Ok(false) };
    let options = lints.options_for(&part.doc.label);
    if let Some(requests) = part.format.and_then(|format| format.info().requests) {
        let query = RebuildQuery::default();
        let sent = stream::rebuild(part.doc.id, &*part.doc.bytes, requests, &options.read, &query)?;
        return Ok(!by_node && sent.is_ok());
    }
    let current = conversation.forest.current;
    let is_built = current.is_some_and(|current| conversation.can_be_rebuilt(current));
    Ok(is_built || !by_node && next_request(conversation, options, None).is_ok_and(|next| next.is_some()))
}
