//! Trees in readable form.

use std::io;

use crate::history::Row;
use crate::history::tree::EntryMarks;
use crate::judge::{JudgedDoc, WeighedFinding};
use crate::read;
use crate::rebuild::{ChainJudge, ChainOptions, Conversation, Reason, turns};
use crate::rule::Loss;
use crate::rules;
use crate::schema::Schemas;
use crate::targets::TARGETS;

use super::super::mask;
use super::super::words::{count, replace_hidden, to_printable};
use super::super::{ContentDisplay, Diagnostic, diagnose};
use crate::report::segment_locations;

/// A conversation as a tree of turns.
pub struct TreeView {
    pub title: String,
    pub format: Option<&'static str>,
    pub turns: Vec<TurnView>,
    /// Index of the turn that contains the current leaf.
    pub current: Option<usize>,
}

/// A turn of a conversation.
pub struct TurnView {
    /// Short and unique in the conversation.
    pub name: String,
    /// Names of all its entries, in full.
    pub names: Vec<String>,
    pub parent: Option<usize>,
    pub children: Vec<usize>,
    /// True if it leads to the current leaf.
    pub live: bool,
    pub response: Option<String>,
    /// The response id as it is shown; empty if it is the name.
    pub short_response: String,
    pub model: Option<String>,
    /// Unix time in seconds.
    pub time: Option<i64>,
    /// Age in seconds.
    pub age: Option<i64>,
    pub answered: bool,
    pub is_side_chain: bool,
    pub edited: bool,
    pub trimmed: bool,
    /// True if only its file distinguishes it from others.
    pub file: bool,
    /// Name of a parent that is not stored here.
    pub missing_parent: Option<String>,
    /// The ids of calls without an output.
    pub open_calls: Vec<String>,
    pub verdict: &'static str,
    /// (code, words)
    pub reasons: Vec<(&'static str, String)>,
    pub path: String,
    /// Number of the record, from 1.
    pub record: u32,
    /// The first line of the user's message; `None` unless content is shown.
    pub says: Option<String>,
}

impl TurnView {
    /// The verdict as people read it.
    pub fn verdict_words(&self) -> &'static str {
        if self.verdict == "rebuild" { "send full history" } else { self.verdict }
    }

    /// The verdict with its first reason, and how many others there are.
    pub fn words(&self) -> String {
        let mut words = self.verdict_words().to_owned();
        if let Some((_, reason)) = self.reasons.first() {
            words = format!("{words}: {reason}");
        }
        if self.reasons.len() > 1 {
            words = format!("{words} (and {})", count(self.reasons.len() as u64 - 1, "more reason"));
        }
        words
    }
}

/// The tree of a conversation in readable form.
pub fn view(conversation: &Conversation, options: &ChainOptions, show_content: bool) -> TreeView {
    let forest = &conversation.forest;
    let names = forest.short_names();
    let judge = ChainJudge::new(forest, options);
    let turns = turns(forest);
    let current = forest.current;
    let name_of = |node: u32| mask::id(names.get(node as usize).map_or("", String::as_str));
    let mut views = Vec::with_capacity(turns.len());
    for turn in &turns {
        let last = turn.last();
        let node = forest.node(last);
        let first = forest.node(turn.first());
        let verdict = judge.advice(last);
        let own = |marks: EntryMarks| turn.nodes.iter().any(|node| forest.node(*node).has(marks));
        let response = node.entry.response.as_deref().map(mask::id);
        let name = name_of(last);
        let shown = response.clone().filter(|id| node.names.first().is_none_or(|first| **first != **id));
        let label = conversation.docs.iter().find(|part| part.doc.id == node.entry.at.doc);
        views.push(TurnView {
            names: turn.nodes.iter().flat_map(|node| &forest.node(*node).names).map(|n| mask::id(n)).collect(),
            parent: turn.parent,
            children: turn.children.clone(),
            live: turn.is_live,
            short_response: shown.map(|id| shorten(&id)).unwrap_or_default(),
            response,
            model: node.entry.model.as_deref().map(mask::model),
            time: node.entry.time,
            age: node.entry.time.map(|time| options.now - time),
            answered: node.is_answer(),
            is_side_chain: own(EntryMarks::SIDE),
            edited: own(EntryMarks::EDITED),
            trimmed: own(EntryMarks::TRIMMED),
            file: node.name().is_none() && conversation.docs.len() > 1,
            missing_parent: first.missing.as_deref().map(mask::id),
            open_calls: forest.open_calls(last).iter().map(|call| call_id(conversation, call)).collect(),
            verdict: verdict.name(),
            reasons: verdict
                .reasons
                .iter()
                .map(|reason| (reason.code(), replace_hidden(&reason_words(reason, name_of))))
                .collect(),
            path: label.map_or_else(String::new, |part| part.doc.label.clone()),
            record: first.entry.record + 1,
            says: show_content.then(|| says(conversation, &turn.nodes)).flatten(),
            name,
        });
    }
    let current = current.and_then(|node| turns.iter().position(|turn| turn.nodes.contains(&node)));
    let format = conversation.docs.iter().find_map(|part| part.format).map(|format| format.info().name);
    TreeView { title: conversation.title(), format, turns: views, current }
}

/// A reason in words, with what is not published masked.
pub fn reason_words(reason: &Reason, name: impl Fn(u32) -> String) -> String {
    match reason {
        Reason::OtherModel(model) => Reason::OtherModel(mask::model(model)).describe(name),
        Reason::OtherConfig(config) => Reason::OtherConfig(mask::id(config)).describe(name),
        reason => reason.describe(name),
    }
}

/// The end of a long id: its beginning is the same for a whole conversation.
fn shorten(id: &str) -> String {
    let count = id.chars().count();
    if count <= 14 { id.to_owned() } else { format!("…{}", id.chars().skip(count - 8).collect::<String>()) }
}

fn call_id(conversation: &Conversation, call: &Row) -> String {
    let id = conversation.item(call, |val| {
        let id = val.get("call_id").or_else(|| val.get("id"))?.text()?;
        Some(mask::id(&String::from_utf8_lossy(&id)))
    });
    id.flatten().unwrap_or_default()
}

/// The first line of the user's message in a turn.
fn says(conversation: &Conversation, nodes: &[u32]) -> Option<String> {
    let forest = &conversation.forest;
    let rows = nodes.iter().flat_map(|node| forest.rows_of(*node));
    let row = rows.into_iter().find(|row| row.role == crate::history::Role::User)?;
    let text = conversation.item(row, |val| {
        let content = val.get("content").unwrap_or(val);
        let first = content.elements().find_map(|part| part.get("text")?.text());
        let text = content.text().or(first).or_else(|| content.get("text")?.text())?;
        Some(String::from_utf8_lossy(&text).into_owned())
    })??;
    let line = text.lines().find(|line| !line.trim().is_empty())?;
    Some(to_printable(line.trim()))
}

/// Diagnostics of a conversation's links and of its text.
pub fn problems(conversation: &Conversation) -> io::Result<Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    for part in &conversation.docs {
        let own = conversation.forest.problems.iter().filter(|problem| problem.at.doc == part.doc.id);
        let links = own.map(|problem| {
            let mut finding = read::tree_finding(problem, &conversation.forest);
            // A place in another file cannot be located here.
            finding.partner = finding.partner.filter(|partner| partner.doc == part.doc.id);
            finding
        });
        let mut judged: Vec<WeighedFinding> = part
            .findings
            .iter()
            .copied()
            .chain(links)
            .filter_map(|finding| {
                let severity = rules::by_code(finding.code)?.variant(finding.variant).levels.stored?;
                let target = TARGETS.first()?;
                Some(WeighedFinding {
                    finding,
                    severity,
                    target,
                    history: None,
                    loss: Loss::Lossless,
                    flattens: false,
                })
            })
            .collect();
        judged.sort_by_key(WeighedFinding::sort_key);
        let lint = JudgedDoc::<()> {
            container: part.container,
            targets: Vec::new(),
            schemas: Schemas::Official,
            format: part.format,
            findings: judged,
            outputs: Vec::new(),
            records: part.records,
            histories: 0,
            items: 0,
            slimmed: false,
            may_have_references: true,
            is_self_contained: false,
            unsent: Vec::new(),
            lines: Vec::new(),
            bugs: Vec::new(),
        };
        let mut found = diagnose(part.doc.id, &part.doc.label, &*part.doc.bytes, &lint, ContentDisplay::None)?;
        segment_locations::diagnostics(&part.doc.segments, &mut found);
        diagnostics.extend(found);
    }
    Ok(diagnostics)
}
