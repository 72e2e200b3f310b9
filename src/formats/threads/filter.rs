//! Messages of a store as a client sends them: an API has no equivalent of some stored values, and no client sends
//! reasoning without the signature, the encrypted content or the id that the provider requires. Other illegal parts are
//! kept, so that they are reported.

use smallvec::SmallVec;

use crate::format::translate::TranslatedThread;
use crate::history::Role;
use crate::message::{LossKind, Message, Part, PartKind, ReasoningProvider, ResultPart};

/// Removes the parts of a translated thread that clients do not send, and adapts the others to the dialect.
pub(super) fn drop_unsendable(translated: &mut TranslatedThread) {
    let dialect = translated.info.dialect.info().name;
    let (thread, lost) = (&mut translated.thread, &mut translated.settings.conversion_losses);
    let loss: fn(Role, &[Part], &Part) -> Option<LossKind> = match dialect {
        "anthropic" => anthropic_loss,
        "responses" => responses_loss,
        "gemini" => gemini_loss,
        _ => chat_loss,
    };
    let mut messages = Vec::with_capacity(thread.messages.len());
    // Media of results: sent in a user message after the results.
    let mut shown: Option<Message> = None;
    for mut message in std::mem::take(&mut thread.messages) {
        let was_empty = message.parts.is_empty();
        let (role, record) = (message.role, message.record);
        let losses: SmallVec<[Option<LossKind>; 8]> =
            message.parts.iter().map(|part| loss(role, &message.parts, part)).collect();
        let mut each = losses.iter();
        message.parts.retain(|part| match each.next().copied().flatten() {
            Some(kind) => {
                // Reasoning without text is not reported as a loss.
                if !matches!(&part.kind, PartKind::Reasoning(thought) if !thought.has_text()) {
                    lost.push(kind.to_finding(part.at.place, record));
                }
                kind == LossKind::ERROR_MARK
            }
            None => true,
        });
        if dialect != "anthropic" {
            replace_opaque_by_text(&mut message);
        }
        if dialect == "chat" {
            if role != Role::Tool {
                messages.extend(shown.take());
            }
            move_media(&mut message, &mut shown);
        }
        match dialect {
            // There, instructions are not messages, wherever they are in the store.
            "anthropic" | "gemini" if matches!(role, Role::System | Role::Developer) => {
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

/// Replaces blocks of results that the dialect does not have by their JSON as text.
fn replace_opaque_by_text(message: &mut Message) {
    for part in &mut message.parts {
        let PartKind::Result(result) = &mut part.kind else { continue };
        for part in &mut result.parts {
            if let ResultPart::Opaque(opaque, _) = part {
                *part = ResultPart::Text(opaque.raw.to_text());
            }
        }
    }
}

/// Moves images and files out of results, which are texts in Chat Completions: clients send them in a user message.
fn move_media(message: &mut Message, shown: &mut Option<Message>) {
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
            let is_signed = thought.encrypted_content.is_some() || thought.redacted.is_some();
            (thought.provider != ReasoningProvider::Anthropic || !is_signed).then_some(LossKind::REASONING)
        }
        _ => None,
    }
}

fn chat_loss(role: Role, parts: &[Part], part: &Part) -> Option<LossKind> {
    match (role, &part.kind) {
        (_, PartKind::Opaque(_)) => Some(LossKind::UNKNOWN),
        (Role::Assistant, PartKind::Text { .. } | PartKind::Call(_)) => None,
        (Role::Assistant, PartKind::Reasoning(_)) => {
            let is_content = |part: &Part| matches!(part.kind, PartKind::Text { .. } | PartKind::Call(_));
            (!parts.iter().any(is_content)).then_some(LossKind::REASONING)
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
            let is_known = part.id.is_some() || thought.encrypted_content.is_some();
            (thought.provider != ReasoningProvider::OpenAi || !is_known).then_some(LossKind::REASONING)
        }
        (Role::Assistant | Role::Tool, PartKind::Result(result)) => {
            result.is_error.then_some(LossKind::ERROR_MARK)
        }
        (Role::Assistant | Role::Tool, PartKind::Media(_)) => Some(LossKind::MEDIA),
        (Role::Assistant | Role::Tool, _) | (_, PartKind::Text { .. } | PartKind::Media(_)) => None,
        _ => Some(loss_of(part)),
    }
}

fn gemini_loss(role: Role, _: &[Part], part: &Part) -> Option<LossKind> {
    match (role, &part.kind) {
        (_, PartKind::Text { .. }) => None,
        (Role::System | Role::Developer, _) | (_, PartKind::Opaque(_)) => Some(loss_of(part)),
        (_, PartKind::Reasoning(thought)) => {
            (thought.provider != ReasoningProvider::Google).then_some(LossKind::REASONING)
        }
        _ => None,
    }
}

fn loss_of(part: &Part) -> LossKind {
    match part.kind {
        PartKind::Reasoning(_) => LossKind::REASONING,
        PartKind::Media(_) => LossKind::MEDIA,
        _ => LossKind::UNKNOWN,
    }
}
