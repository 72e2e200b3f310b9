//! The next request of a session whose blocks are Anthropic's: a body of the Messages API, repaired for its target.

use std::io;

use crate::dialects::anthropic;
use crate::formats::envelopes;
use crate::history::{Kind, Row, Usage};
use crate::json::{Val, string};
use crate::judge;
use crate::read;
use crate::repair;
use crate::repair::Action;
use crate::target::Target;

use super::cut::{Budget, CHARS_A_TOKEN, Cut};
use super::lifted::write_request;
use super::messages::{Message, messages};
use super::request::{BODY, Rebuild, Rebuilt};
use super::{Advice, Conversation, is_session};

/// Whether the history up to a node is sent as messages.
pub(super) fn applies(conversation: &Conversation, at: u32, target: Option<&Target>) -> bool {
    let doc = conversation.forest.node(at).entry.at.doc;
    conversation.info(doc).is_some_and(is_session)
        && target.is_some_and(|target| target.dialect == anthropic::NAME)
}

pub(super) fn rebuild(
    conversation: &Conversation,
    at: u32,
    asked: &Rebuild<'_>,
    verdict: Advice,
) -> io::Result<Rebuilt> {
    let forest = &conversation.forest;
    let path = forest.path(at);
    let rows: Vec<Row> = path.iter().flat_map(|node| forest.rows_of(*node)).copied().collect();
    let mut see = |row: &Row, see: &mut dyn FnMut(Val<'_>)| {
        conversation.item(row, see);
    };
    let mut list: Vec<Message> = messages(&rows, &mut see).collect();
    let kept = asked.budget.map(|budget| cut(&mut list, budget));
    let ends_with_user = list.last().is_some_and(|last| last.is_users);
    let mut texts: Vec<Vec<u8>> = list.into_iter().map(|message| message.text).collect();
    if let Some(ask) = asked.ask {
        let block = [b"{\"type\":\"text\",\"text\":", &*string::quoted(ask), b"}"].concat();
        match texts.last_mut().filter(|_| ends_with_user) {
            Some(last) => {
                last.truncate(last.len() - 2);
                last.extend([b",", &*block, b"]}"].concat());
            }
            None => texts.push([b"{\"role\":\"user\",\"content\":[", &*block, b"]}"].concat()),
        }
    }
    let mut notes = Vec::new();
    let model = asked.chain.model.clone().or_else(|| {
        let known = forest.upward(at).find_map(|node| forest.node(node).entry.model.clone());
        known.map(|model| model.to_string())
    });
    if model.is_none() {
        notes.push("the model is not known; set it with --model NAME".to_owned());
    }
    notes.push("max_tokens, instructions and tools are not stored here; add them yourself".to_owned());
    if let Some(gone) = path.first().and_then(|root| forest.node(*root).missing.as_deref()) {
        notes.push(format!("the history is incomplete: {gone} is not stored here"));
    }
    let count = texts.len();
    let members: Vec<_> = model.iter().map(|model| ("model".to_owned(), string::quoted(model))).collect();
    let body = write_request(&members, "messages", texts);
    let options = judge::Options {
        read: read::Options {
            format: Some(&envelopes::ANTHROPIC_REQUEST),
            usage: Some(Usage::Request),
            effort: asked.lint.read.effort,
            ..read::Options::default()
        },
        target: asked.target,
        model,
        schemas: asked.lint.schemas.clone(),
        enabled: asked.lint.enabled.clone(),
        ..judge::Options::default()
    };
    let fixed = repair::fix(BODY, &body, &options, asked.fix, 1)?;
    let dropped = fixed
        .changes
        .iter()
        .filter(|change| change.action == Action::Drop && change.row.kind == Kind::BlockMessage);
    let items = count.saturating_sub(dropped.count());
    Ok(Rebuilt { verdict, chained: None, kept, items, unit: "message", notes, body, fixed })
}

/// Cuts where the user says something that answers no call.
fn cut(list: &mut Vec<Message>, budget: Budget) -> Cut {
    let of = list.len();
    let size = |message: &Message| String::from_utf8_lossy(&message.text).chars().count();
    let cost = |from: usize| match budget {
        Budget::Items(_) => of - from,
        Budget::Chars(_) | Budget::Tokens(_) => list.iter().skip(from).map(size).sum(),
    };
    let most = match budget {
        Budget::Items(most) | Budget::Chars(most) => most,
        Budget::Tokens(most) => most.saturating_mul(CHARS_A_TOKEN),
    };
    let begins = list.iter().enumerate().filter(|(_, message)| message.is_users && !message.answers);
    let starts: Vec<usize> = begins.map(|(ix, _)| ix).collect();
    let fits = starts.iter().copied().find(|start| cost(*start) <= most);
    let from = fits.or(starts.last().copied()).unwrap_or(0);
    list.drain(..from);
    let items = (from as u32..of as u32).collect();
    Cut { items, of, last: of - from, widened: fits.is_none(), detached: Vec::new() }
}
