//! The next request of a session with Anthropic blocks: a body of the Messages API, repaired for its target.

use std::io;

use crate::convert::{merge, session};
use crate::dialects::anthropic::{self, ANTHROPIC};
use crate::formats::envelopes;
use crate::history::{Kind, Role, Row};
use crate::json::{Val, string};
use crate::judge;
use crate::message::{Losses, Message};
use crate::repair;
use crate::repair::Action;
use crate::target::Target;

use super::history_cut::{Budget, HistoryCut};
use super::request::{BODY, NextRequest, RequestSpec, user_message, write_items, write_request};
use super::{Advice, Conversation};

/// True if the history up to a node is sent as messages.
pub(super) fn applies(conversation: &Conversation, at: u32, target: Option<&Target>) -> bool {
    let doc = conversation.forest.node(at).entry.at.doc;
    conversation.info(doc).is_some_and(session::is_session)
        && target.is_some_and(|target| target.dialect == anthropic::NAME)
}

pub(super) fn rebuild(
    conversation: &Conversation,
    at: u32,
    spec: &RequestSpec<'_>,
    advice: Advice,
) -> io::Result<NextRequest> {
    let forest = &conversation.forest;
    let path = forest.path(at);
    let rows: Vec<Row> = path.iter().flat_map(|node| forest.rows_of(*node)).copied().collect();
    let mut see = |row: &Row, see: &mut dyn FnMut(Val<'_>)| {
        conversation.item(row, see);
    };
    let mut messages: Vec<Message> = Vec::new();
    for turn in session::turns(&rows) {
        messages.extend(session::messages(turn, true, &mut Losses::default(), &mut see));
    }
    merge(&mut messages, &ANTHROPIC);
    let kept = spec.budget.map(|budget| cut(&mut messages, budget));
    if let Some(ask) = spec.ask {
        messages.push(user_message(ask));
        merge(&mut messages, &ANTHROPIC);
    }
    let mut elements = Vec::new();
    messages.iter().for_each(|message| write_items(&ANTHROPIC, message, &mut elements));
    let mut notes = Vec::new();
    let model = spec.chain.model.clone().or_else(|| {
        let known = forest.upward(at).find_map(|node| forest.node(node).entry.model.clone());
        known.map(|model| model.to_string())
    });
    if model.is_none() {
        notes.push("the model is unknown; set it with --model NAME".to_owned());
    }
    notes.push("max_tokens, instructions and tools are not stored here; add them yourself".to_owned());
    if let Some(gone) = path.first().and_then(|root| forest.node(*root).missing.as_deref()) {
        notes.push(format!("the history is incomplete: {gone} is not stored here"));
    }
    let count = elements.len();
    let members: Vec<_> = model.iter().map(|model| ("model".to_owned(), string::quoted(model))).collect();
    let body = write_request(&members, "messages", elements);
    let options = judge::Options { model, ..spec.options(&envelopes::ANTHROPIC_REQUEST) };
    let fixed = repair::fix(BODY, &body, &options, spec.fix, 1)?;
    let dropped = fixed
        .changes
        .iter()
        .filter(|change| change.action == Action::Drop && change.row.kind == Kind::BlockMessage);
    let items = count.saturating_sub(dropped.count());
    Ok(NextRequest {
        advice,
        previous_response: None,
        cut: kept,
        items,
        unit: "message",
        notes,
        body,
        repair: fixed,
    })
}

/// Cuts before a message of the user, other than tool results.
fn cut(messages: &mut Vec<Message>, budget: Budget) -> HistoryCut {
    let total = messages.len();
    let size = |message: &Message| {
        let mut written = Vec::new();
        write_items(&ANTHROPIC, message, &mut written);
        written.iter().map(|text| budget.size_of(text)).sum::<usize>()
    };
    let (most, cost): (usize, Vec<usize>) = match budget {
        Budget::Items(most) => (most, vec![1; total]),
        Budget::Chars(most) | Budget::Tokens(most) => (most, messages.iter().map(size).collect()),
    };
    let begins = messages.iter().enumerate().filter(|(_, message)| message.role == Role::User);
    let starts: Vec<usize> = begins.map(|(ix, _)| ix).collect();
    let fits = starts.iter().copied().find(|start| cost.iter().skip(*start).sum::<usize>() <= most);
    let from = fits.or(starts.last().copied()).unwrap_or(0);
    messages.drain(..from);
    let items = (from as u32..total as u32).collect();
    HistoryCut { items, total, kept: total - from, is_widened: fits.is_none(), detached: Vec::new() }
}
