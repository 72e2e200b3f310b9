//! Trees in readable form.

use std::io;

use foldhash::HashMap;

use crate::history::Row;
use crate::history::tree::EntryMarks;
use crate::judge::{JudgedDoc, NewValues, WeighedFinding};
use crate::read::{self, TreeReach};
use crate::rebuild::{ChainJudge, ChainOptions, Conversation, Reason, Turn, turns};
use crate::rule::Loss;
use crate::rules;
use crate::schema::Schemas;
use crate::targets::TARGETS;

use super::super::item_facts::read_facts;
use super::super::mask;
use super::super::segment_locations;
use super::super::words::{count, group_digits, replace_hidden};
use super::super::{ContentDisplay, Diagnostic, diagnose};
use super::prompt;
use super::sizes::ContentSizes;

/// A conversation as a tree of turns.
pub struct TreeView {
    pub title: String,
    pub format: Option<&'static str>,
    pub turns: Vec<TurnView>,
    /// Index of the turn that contains the current leaf.
    pub current: Option<usize>,
    /// What most of its requests send.
    pub sending: Sending,
    /// What all of its turns consist of.
    pub sizes: ContentSizes,
    /// True if texts of the conversation are shown.
    pub shows_content: bool,
}

/// What the requests of a conversation send.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sending {
    /// Only what is new: the server has stored the responses that they build on.
    New,
    /// Only what is new: the server stores the conversation that they add to.
    Conversation,
    /// The whole history, for a reason (code, words) that most of them share.
    History(Option<(&'static str, String)>),
    /// There is no response to build on yet.
    First,
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
    /// True if it ends in an answer of the model.
    pub answered: bool,
    pub is_side_chain: bool,
    pub edited: bool,
    pub trimmed: bool,
    /// True if only its file distinguishes it from others.
    pub file: bool,
    /// Name of a parent that is not stored here.
    pub missing_parent: Option<String>,
    /// The ids of calls without an output, or the names of their tools.
    pub open_calls: Vec<String>,
    pub verdict: &'static str,
    /// (code, words)
    pub reasons: Vec<(&'static str, String)>,
    pub path: String,
    /// Number of the record, from 1.
    pub record: u32,
    /// The first line of the user's message, or its size; `None` if there is no text of the user.
    pub says: Option<String>,
    /// What it consists of.
    pub sizes: ContentSizes,
}

impl TreeView {
    pub fn answered(&self) -> usize {
        self.turns.iter().filter(|turn| turn.answered).count()
    }

    /// `4 turns (3 answered), 1 branch`.
    pub fn counts(&self) -> String {
        let leaves = self.turns.iter().filter(|turn| turn.children.is_empty()).count() as u64;
        let (turns, answered) = (count(self.turns.len() as u64, "turn"), group_digits(self.answered() as u64));
        let branches =
            if leaves == 1 { "1 branch".to_owned() } else { format!("{} branches", group_digits(leaves)) };
        format!("{turns} ({answered} answered), {branches}")
    }

    /// The tokens that the requests of the current branch send, one a turn: if each builds on the last one, and if each
    /// repeats the whole history.
    pub fn sent_tokens(&self) -> (u64, u64) {
        let mut path: Vec<u64> = Vec::new();
        let mut next = self.current;
        while let Some(turn) = next.and_then(|ix| self.turns.get(ix)) {
            path.push(turn.sizes.total().tokens());
            next = turn.parent;
        }
        // A turn is in its own request and in those of all turns after it.
        let repeated = path.iter().zip(1u64..).map(|(tokens, requests)| tokens * requests).sum();
        (path.iter().sum(), repeated)
    }

    /// What a chain saves, in words; `None` if the requests are not chained.
    pub fn saving_words(&self) -> Option<String> {
        let (new, all) = self.sent_tokens();
        let is_chained = matches!(self.sending, Sending::New | Sending::Conversation) && all > new;
        is_chained.then(|| {
            let (new, all) = (group_digits(new), group_digits(all));
            format!("This branch has sent about {new} tokens; with the whole history in each request, {all}.")
        })
    }

    /// The sentence about what the requests send.
    pub fn sending_words(&self) -> String {
        match &self.sending {
            Sending::New => {
                "Chained on the server by previous_response_id: requests send only what is new.".to_owned()
            }
            Sending::Conversation => {
                "Stored in a conversation on the server: requests send only what is new.".to_owned()
            }
            Sending::History(Some((_, reason))) => {
                format!("Requests send the full history: {reason}.")
            }
            Sending::History(None) => "Requests send the full history.".to_owned(),
            Sending::First => "No response yet: the next request sends the full history.".to_owned(),
        }
    }

    /// The lines of a turn in a diagram: its name, its first words, and what distinguishes it.
    pub fn label(&self, turn: &TurnView) -> Vec<String> {
        let says = turn.says.as_ref().map(|says| format!("\"{says}\""));
        let unanswered = (!turn.answered).then(|| "unanswered".to_owned());
        [Some(turn.name.clone()), says, unanswered, self.deviation(turn)].into_iter().flatten().collect()
    }

    /// What distinguishes the next request after a turn from the others; `None` if nothing does.
    pub fn deviation(&self, turn: &TurnView) -> Option<String> {
        let general = match &self.sending {
            Sending::History(reason) => reason.as_ref(),
            Sending::New | Sending::Conversation | Sending::First => None,
        };
        let is_new = |reason: &&(&'static str, String)| match reason.0 {
            // A turn without a response is marked as unanswered.
            code if code == Reason::FirstRequest.code() => false,
            code if Reason::GENERAL.contains(&code) => {
                Some(*reason) != general && self.sending != Sending::Conversation
            }
            _ => true,
        };
        let mut reasons = turn.reasons.iter().filter(is_new);
        let mut words = reasons.next()?.1.clone();
        if self.sending == Sending::New {
            words = format!("send full history: {words}");
        }
        match reasons.count() {
            0 => Some(words),
            more => Some(format!("{words} (and {})", count(more as u64, "more reason"))),
        }
    }
}

impl Sending {
    /// The verdict that holds for the turns in general.
    pub fn verdict(&self) -> &'static str {
        match self {
            Sending::New => "chain",
            Sending::Conversation => "conversation",
            Sending::History(_) | Sending::First => "rebuild",
        }
    }

    fn of(turns: &[TurnView], has_conversation: bool) -> Sending {
        if has_conversation {
            return Sending::Conversation;
        }
        let is_first = |code: &str| code == Reason::FirstRequest.code();
        // Not this response, for a reason of its own.
        let is_stored = |turn: &TurnView| {
            let general = |(code, _): &(&str, String)| is_first(code) || Reason::GENERAL.contains(code);
            turn.response.is_some() && !turn.reasons.iter().any(general)
        };
        if turns.iter().any(|turn| turn.verdict == "chain" || is_stored(turn)) {
            return Sending::New;
        }
        let all = || turns.iter().flat_map(|turn| &turn.reasons);
        if all().all(|(code, _)| is_first(code)) && !turns.iter().any(|turn| turn.answered) {
            return Sending::First;
        }
        let mut counts: HashMap<&(&'static str, String), usize> = HashMap::default();
        let general: Vec<_> = all().filter(|(code, _)| Reason::GENERAL.contains(code)).collect();
        general.iter().for_each(|reason| *counts.entry(reason).or_default() += 1);
        // The first one among equally frequent ones.
        let most = general.iter().rev().max_by_key(|reason| counts.get(**reason));
        Sending::History(most.map(|reason| (*reason).clone()))
    }
}

impl TurnView {
    /// The verdict as people read it.
    pub fn verdict_words(&self) -> &'static str {
        if self.verdict == "rebuild" { "send full history" } else { self.verdict }
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
        let model = turn.nodes.iter().rev().find_map(|node| forest.node(*node).entry.model.as_deref());
        let response = node.entry.response.as_deref().map(mask::id);
        let name = name_of(last);
        let shown = response.clone().filter(|id| node.names.first().is_none_or(|first| **first != **id));
        let label = conversation.doc(node.entry.at.doc);
        views.push(TurnView {
            names: turn.nodes.iter().flat_map(|node| &forest.node(*node).names).map(|n| mask::id(n)).collect(),
            parent: turn.parent,
            children: turn.children.clone(),
            live: turn.is_live,
            short_response: shown.map(|id| shorten(&id)).unwrap_or_default(),
            response,
            model: model.map(mask::model),
            time: node.entry.time,
            age: node.entry.time.map(|time| options.now - time),
            answered: turn.is_answered,
            is_side_chain: turn.marks.has(EntryMarks::SIDE),
            edited: turn.marks.has(EntryMarks::EDITED),
            trimmed: turn.marks.has(EntryMarks::TRIMMED),
            file: node.name().is_none() && conversation.docs.len() > 1,
            missing_parent: first.missing.as_deref().map(mask::id),
            open_calls: open_calls(conversation, turn),
            verdict: verdict.name(),
            reasons: verdict
                .reasons
                .iter()
                .map(|reason| (reason.code(), replace_hidden(&reason_words(reason, name_of))))
                .collect(),
            path: label.map_or_else(String::new, |part| part.doc.label.clone()),
            record: first.entry.record + 1,
            says: prompt::first_words(conversation, turn, show_content),
            sizes: ContentSizes::of(conversation, turn),
            name,
        });
    }
    let current = current.and_then(|node| turns.iter().position(|turn| turn.nodes.contains(&node)));
    let format = conversation.docs.iter().find_map(|part| part.format).map(|format| format.info().name);
    TreeView {
        title: match conversation.docs.len() {
            1 => conversation.title(),
            files => count(files as u64, "file"),
        },
        format,
        sizes: views.iter().fold(ContentSizes::default(), |all, turn| all.plus(turn.sizes)),
        sending: Sending::of(&views, turns.iter().any(|turn| turn.marks.has(EntryMarks::CONVERSATION))),
        turns: views,
        current,
        shows_content: show_content,
    }
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

/// The open calls of the last answer of a turn. Those of an earlier turn are listed there.
fn open_calls(conversation: &Conversation, turn: &Turn) -> Vec<String> {
    let (forest, last) = (&conversation.forest, turn.last());
    let is_own = forest.answer_above(last).is_some_and(|answer| turn.nodes.contains(&answer));
    let open = if is_own { forest.open_calls(last) } else { Vec::new() };
    open.iter().map(|call| call_name(conversation, call)).collect()
}

/// The id of a call, or the name of its tool if it has none.
fn call_name(conversation: &Conversation, call: &Row) -> String {
    let names = conversation.info(call.at.doc).and_then(|info| info.dialect.info().item_ids);
    let facts = conversation.item(call, |val| {
        let facts = read_facts(val, names.and_then(|names| names(val)), false);
        facts.call_id.or(facts.id).or(facts.name)
    });
    facts.flatten().unwrap_or_default()
}

/// Diagnostics of a conversation's links and of its text.
pub fn problems(conversation: &Conversation) -> io::Result<Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    let reach = TreeReach::of(&conversation.forest);
    for part in &conversation.docs {
        let info = part.format.map(|format| format.info());
        let own = conversation
            .forest
            .problems
            .iter()
            .filter(|problem| problem.at.doc == part.doc.id)
            .zip(info.into_iter().cycle());
        let links = own.map(|(problem, info)| {
            let mut finding = read::tree_finding(problem, &reach, info);
            // A place in another file cannot be located here.
            finding.partner = finding.partner.filter(|partner| partner.doc == part.doc.id);
            finding
        });
        let mut findings: Vec<WeighedFinding> = part
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
        findings.sort_by_key(WeighedFinding::sort_key);
        let lint = JudgedDoc::<()> {
            agent_version: None,
            container: part.container,
            targets: Vec::new(),
            schemas: Schemas::Official,
            format: part.format,
            findings,
            outputs: Vec::new(),
            records: part.records,
            histories: 0,
            items: 0,
            slimmed: false,
            may_have_references: true,
            is_self_contained: false,
            unsent: Vec::new(),
            lines: Vec::new(),
            new_values: NewValues::default(),
            bugs: Vec::new(),
        };
        let mut found = diagnose(part.doc.id, &part.doc.label, &*part.doc.bytes, &lint, ContentDisplay::None)?;
        segment_locations::diagnostics(&part.doc.segments, &mut found);
        diagnostics.extend(found);
    }
    Ok(diagnostics)
}
