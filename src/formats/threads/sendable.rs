//! Messages of a store as a client sends them: an API has no place for some of what a store keeps, and no client sends
//! thoughts without the signature, the blob or the id that the provider wants back. What is illegal otherwise stays, so
//! that it is found.

use crate::format::translate::Translated;
use crate::history::Role;
use crate::message::{LossKind, Maker, Message, Part, PartKind, ResultPart};

pub(super) fn fit(translated: &mut Translated) {
    let dialect = translated.info.dialect.info().name;
    let (thread, lost) = (&mut translated.thread, &mut translated.settings.lost);
    let loss: fn(Role, &[Part], &Part) -> Option<LossKind> = match dialect {
        "anthropic" => anthropic_loss,
        "responses" => responses_loss,
        _ => chat_loss,
    };
    let mut messages = Vec::with_capacity(thread.messages.len());
    // Images that tools gave: the user shows them after the results.
    let mut shown: Option<Message> = None;
    for mut message in std::mem::take(&mut thread.messages) {
        let was_empty = message.parts.is_empty();
        let (role, record) = (message.role, message.record);
        let losses: Vec<Option<LossKind>> =
            message.parts.iter().map(|part| loss(role, &message.parts, part)).collect();
        let mut each = losses.iter();
        message.parts.retain(|part| match each.next().copied().flatten() {
            Some(kind) => {
                // A thought without a word is nobody's loss.
                if !matches!(&part.kind, PartKind::Reasoning(thought) if !thought.has_text()) {
                    lost.push(kind.found(part.at.place, record));
                }
                kind == LossKind::ERROR_MARK
            }
            None => true,
        });
        if dialect != "anthropic" {
            spell(&mut message);
        }
        if dialect == "chat" {
            if role != Role::Tool {
                messages.extend(shown.take());
            }
            show(&mut message, &mut shown);
        }
        match dialect {
            // Instructions are beside the messages there, wherever they are in the store.
            "anthropic" if matches!(role, Role::System | Role::Developer) => {
                thread.instructions.append(&mut message.parts);
            }
            "anthropic" if was_empty => messages.push(message),
            _ if message.parts.is_empty() => {}
            _ => messages.push(message),
        }
    }
    messages.extend(shown);
    thread.messages = messages;
}

/// Blocks of results that the dialect does not have are texts in it.
fn spell(message: &mut Message) {
    for part in &mut message.parts {
        let PartKind::Result(result) = &mut part.kind else { continue };
        for part in &mut result.parts {
            if let ResultPart::Opaque(opaque, _) = part {
                *part = ResultPart::Text(opaque.raw.spelled());
            }
        }
    }
}

/// Moves images and files out of results, which are texts in Chat Completions: clients show them to the model in a message
/// of the user.
fn show(message: &mut Message, shown: &mut Option<Message>) {
    let (at, record) = (message.at, message.record);
    for part in &mut message.parts {
        let PartKind::Result(result) = &mut part.kind else { continue };
        for part in std::mem::take(&mut result.parts) {
            match part {
                ResultPart::Media(media, place) => {
                    let message = shown.get_or_insert_with(|| Message { record, ..Message::new(Role::User, at) });
                    message.parts.push(Part::new(PartKind::Media(media), place));
                }
                part => result.parts.push(part),
            }
        }
    }
}

fn anthropic_loss(role: Role, _: &[Part], part: &Part) -> Option<LossKind> {
    match &part.kind {
        PartKind::Text { .. } => None,
        _ if matches!(role, Role::System | Role::Developer) => Some(loss_of(part)),
        PartKind::Reasoning(thought) => {
            let is_signed = thought.seal.is_some() || thought.redacted.is_some();
            (thought.maker != Maker::Anthropic || !is_signed).then_some(LossKind::REASONING)
        }
        _ => None,
    }
}

fn chat_loss(role: Role, parts: &[Part], part: &Part) -> Option<LossKind> {
    match (role, &part.kind) {
        (_, PartKind::Opaque(_)) => Some(LossKind::UNKNOWN),
        (Role::Assistant, PartKind::Text { .. } | PartKind::Call(_)) => None,
        (Role::Assistant, PartKind::Reasoning(_)) => {
            let says = |part: &Part| matches!(part.kind, PartKind::Text { .. } | PartKind::Call(_));
            (!parts.iter().any(says)).then_some(LossKind::REASONING)
        }
        (Role::Tool, PartKind::Result(result)) => result.is_error.then_some(LossKind::ERROR_MARK),
        (Role::Assistant | Role::Tool, _) => Some(loss_of(part)),
        (_, PartKind::Text { .. } | PartKind::Media(_)) => None,
        _ => Some(loss_of(part)),
    }
}

fn responses_loss(role: Role, _: &[Part], part: &Part) -> Option<LossKind> {
    match (role, &part.kind) {
        (Role::Assistant | Role::Tool, PartKind::Reasoning(thought)) => {
            let is_known = part.id.is_some() || thought.seal.is_some();
            (thought.maker != Maker::OpenAi || !is_known).then_some(LossKind::REASONING)
        }
        (Role::Assistant | Role::Tool, PartKind::Result(result)) => {
            result.is_error.then_some(LossKind::ERROR_MARK)
        }
        (Role::Assistant | Role::Tool, PartKind::Media(_)) => Some(LossKind::MEDIA),
        (Role::Assistant | Role::Tool, _) | (_, PartKind::Text { .. } | PartKind::Media(_)) => None,
        _ => Some(loss_of(part)),
    }
}

fn loss_of(part: &Part) -> LossKind {
    match part.kind {
        PartKind::Reasoning(_) => LossKind::REASONING,
        PartKind::Media(_) => LossKind::MEDIA,
        _ => LossKind::UNKNOWN,
    }
}
