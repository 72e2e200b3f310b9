//! Trees made readable.

use std::io;

use crate::history::Row;
use crate::history::tree::Marks;
use crate::judge::{Judged, JudgedDoc};
use crate::read;
use crate::rebuild::{ChainOptions, Conversation, Judge, Reason, turns};
use crate::rule::Loss;
use crate::rules;
use crate::schema::Schemas;
use crate::targets::TARGETS;

use super::super::mask;
use super::super::words::{harmless, printable};
use super::super::{Content, Diagnostic, diagnose};
use crate::report::locations;

/// One conversation.
pub struct TreeView {
    pub title: String,
    pub format: Option<&'static str>,
    pub turns: Vec<TurnView>,
    /// Index of the turn in which the current leaf lies.
    pub current: Option<usize>,
}

/// One turn of it.
pub struct TurnView {
    /// Short, and no other's.
    pub name: String,
    /// Names of all its entries, in full.
    pub names: Vec<String>,
    pub parent: Option<usize>,
    pub children: Vec<usize>,
    /// It leads to the current leaf.
    pub live: bool,
    pub response: Option<String>,
    /// The id as it is shown: nothing if it is the name.
    pub short_response: String,
    pub model: Option<String>,
    /// Unix seconds.
    pub time: Option<i64>,
    /// Seconds.
    pub age: Option<i64>,
    pub answered: bool,
    pub side: bool,
    pub edited: bool,
    pub trimmed: bool,
    /// Nothing but its file tells it from others.
    pub file: bool,
    /// Name of a parent that is not stored here.
    pub missing: Option<String>,
    /// The call_ids that nothing answers.
    pub open_calls: Vec<String>,
    pub verdict: &'static str,
    /// (code, words)
    pub reasons: Vec<(&'static str, String)>,
    pub path: String,
    /// Number of the record, from 1.
    pub record: u32,
    /// The first line of what the user says; only if content is to be shown.
    pub says: Option<String>,
}

impl TurnView {
    /// The verdict with its first reason, and how many others there are.
    pub fn words(&self) -> String {
        let mut words = self.verdict.to_owned();
        if let Some((_, reason)) = self.reasons.first() {
            words = format!("{words}: {reason}");
        }
        if self.reasons.len() > 1 {
            words = format!("{words} (+{})", self.reasons.len() - 1);
        }
        words
    }
}

/// Makes a conversation readable.
pub fn view(conversation: &Conversation, options: &ChainOptions, show_content: bool) -> TreeView {
    let forest = &conversation.forest;
    let names = forest.short_names();
    let judge = Judge::new(forest, options);
    let turns = turns(forest);
    let current = forest.current;
    let name_of = |node: u32| mask::id(names.get(node as usize).map_or("", String::as_str));
    let mut views = Vec::with_capacity(turns.len());
    for turn in &turns {
        let last = turn.last();
        let node = forest.node(last);
        let first = forest.node(turn.first());
        let verdict = judge.verdict(last);
        let own = |marks: Marks| turn.nodes.iter().any(|node| forest.node(*node).has(marks));
        let response = node.entry.response.as_deref().map(mask::id);
        let name = name_of(last);
        let shown = response.clone().filter(|id| node.names.first().is_none_or(|first| **first != **id));
        let label = conversation.parts.iter().find(|part| part.doc.id == node.entry.at.doc);
        views.push(TurnView {
            names: turn.nodes.iter().flat_map(|node| &forest.node(*node).names).map(|n| mask::id(n)).collect(),
            parent: turn.parent,
            children: turn.children.clone(),
            live: turn.live,
            short_response: shown.map(|id| shorten(&id)).unwrap_or_default(),
            response,
            model: node.entry.model.as_deref().map(mask::model),
            time: node.entry.time,
            age: node.entry.time.map(|time| options.now - time),
            answered: node.is_answer(),
            side: own(Marks::SIDE),
            edited: own(Marks::EDITED),
            trimmed: own(Marks::TRIMMED),
            file: node.name().is_none() && conversation.parts.len() > 1,
            missing: first.missing.as_deref().map(mask::id),
            open_calls: forest.open_calls(last).iter().map(|call| call_id(conversation, call)).collect(),
            verdict: verdict.word(),
            reasons: verdict
                .reasons
                .iter()
                .map(|reason| (reason.code(), harmless(&reason_words(reason, name_of))))
                .collect(),
            path: label.map_or_else(String::new, |part| part.doc.label.clone()),
            record: first.entry.record + 1,
            says: show_content.then(|| says(conversation, &turn.nodes)).flatten(),
            name,
        });
    }
    let current = current.and_then(|node| turns.iter().position(|turn| turn.nodes.contains(&node)));
    let format = conversation.parts.iter().find_map(|part| part.format).map(|format| format.info().name);
    TreeView { title: conversation.title(), format, turns: views, current }
}

/// A reason in words, with what is not published masked.
pub fn reason_words(reason: &Reason, name: impl Fn(u32) -> String) -> String {
    match reason {
        Reason::OtherModel(model) => Reason::OtherModel(mask::model(model)).words(name),
        Reason::OtherConfig(config) => Reason::OtherConfig(mask::id(config)).words(name),
        reason => reason.words(name),
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

/// The first line of what the user says in a turn.
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
    Some(printable(line.trim()))
}

/// What is wrong with a conversation's links, and with its text.
pub fn problems(conversation: &Conversation) -> io::Result<Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    for part in &conversation.parts {
        let own = conversation.forest.problems.iter().filter(|problem| problem.at.doc == part.doc.id);
        let links = own.map(|problem| {
            let mut finding = read::finding(problem, &conversation.forest);
            // A place in another file cannot be told here.
            finding.partner = finding.partner.filter(|partner| partner.doc == part.doc.id);
            finding
        });
        let mut judged: Vec<Judged> = part
            .raised
            .iter()
            .copied()
            .chain(links)
            .filter_map(|finding| {
                let severity = rules::by_code(finding.code)?.variant(finding.variant).levels.stored?;
                let target = TARGETS.first()?;
                Some(Judged { finding, severity, target, history: None, loss: Loss::Lossless, flattens: false })
            })
            .collect();
        judged.sort_by_key(Judged::order);
        let lint = JudgedDoc::<()> {
            container: part.container,
            targets: Vec::new(),
            schemas: Schemas::Official,
            format: part.format,
            judged,
            made: Vec::new(),
            records: part.records,
            histories: 0,
            items: 0,
            slimmed: false,
            may_refer: true,
            alone: false,
            unsent: Vec::new(),
            lines: Vec::new(),
            bugs: Vec::new(),
        };
        let mut found = diagnose(part.doc.id, &part.doc.label, &*part.doc.bytes, &lint, Content::None)?;
        locations::diagnostics(&part.doc.segments, &mut found);
        diagnostics.extend(found);
    }
    Ok(diagnostics)
}
