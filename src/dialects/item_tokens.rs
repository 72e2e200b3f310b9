//! An estimate of the tokens of an item of any dialect: of its texts and arguments, of its images by their size, and of
//! encrypted reasoning by the length of its ciphertext. Its ids and types are not content.

use crate::history::Row;
use crate::json::{Val, name};
use crate::message::MediaKind;
use crate::message::media_bytes::{decoded_len, size_of_base64};
use crate::message::token_estimate::{Hundredths, estimate};

use super::media_parts::{self, MediaPart};

/// What the envelope of an item costs, in hundredths of a token.
const ENVELOPE: Hundredths = 400;

/// Pixels of an image for one token, and its most tokens (Anthropic's documentation of vision: width × height / 750, at
/// most about 1,600; other providers are near it).
const PIXELS_A_TOKEN: u64 = 750;
const IMAGE_TOKENS: u64 = 1_600;

/// Bytes of a file for one token: a page of a PDF, of some 60 KB, is 1,500 to 3,000.
const FILE_BYTES_A_TOKEN: u64 = 30;

/// Characters of ciphertext for one token of reasoning: measured on 93 recorded responses of OpenAI's models that have
/// both (from 6.6 where there is much, to more where there is little).
const CIPHERTEXT_A_TOKEN: u64 = 7;

/// Members that are no content.
const NOT_CONTENT: [&str; 14] = [
    "id",
    "call_id",
    "tool_call_id",
    "tool_use_id",
    "toolUseId",
    "type",
    "role",
    "status",
    "phase",
    "cache_control",
    "model",
    "usage",
    "stop_reason",
    "timestamp",
];

/// Members with encrypted reasoning.
const CIPHERTEXT: [&str; 5] =
    ["encrypted_content", "signature", "thoughtSignature", "thought_signature", "redactedContent"];

/// Calls a function with the item of a row.
pub type WithItem<'w> = dyn FnMut(&Row, &mut dyn FnMut(Val<'_>)) + 'w;

/// The estimated tokens of each row of a message. What its blocks have is not counted in the message again.
pub fn tokens_of_message(message: &[Row], with_item: &mut WithItem<'_>) -> Vec<Hundredths> {
    let mut all: Vec<Hundredths> = Vec::with_capacity(message.len());
    for row in message {
        let mut tokens = 0;
        with_item(row, &mut |item| tokens = item_tokens(item));
        all.push(tokens);
    }
    if let Some((first, blocks)) = message.split_first() {
        let inside = blocks.iter().zip(all.iter().skip(1)).filter(|(row, _)| first.at.contains(&row.at));
        let inside: Hundredths = inside.map(|(_, tokens)| *tokens).sum();
        if let Some(own) = all.first_mut() {
            *own = own.saturating_sub(inside);
        }
    }
    all
}

/// The estimated tokens of the images and files of an item.
pub fn media_tokens(item: Val<'_>) -> Hundredths {
    let mut tokens = 0;
    media_parts::for_each(item, &mut |part| tokens += part_tokens(&part));
    tokens
}

fn part_tokens(part: &MediaPart<'_>) -> Hundredths {
    let tokens = match (part.kind, part.filled_data()) {
        (MediaKind::Image, Some(data)) => size_of_base64(&data).map_or(IMAGE_TOKENS, |(width, height)| {
            (u64::from(width) * u64::from(height) / PIXELS_A_TOKEN).min(IMAGE_TOKENS)
        }),
        (_, Some(data)) => decoded_len(&data) / FILE_BYTES_A_TOKEN,
        (_, None) => IMAGE_TOKENS,
    };
    tokens * 100
}

/// The estimated tokens of an item.
pub fn item_tokens(item: Val<'_>) -> Hundredths {
    ENVELOPE + content_tokens(item)
}

/// The same without its envelope.
pub fn content_tokens(val: Val<'_>) -> Hundredths {
    if let Some(text) = val.text() {
        return estimate(&text);
    }
    if let Some(part) = media_parts::part(val) {
        return part_tokens(&part);
    }
    if val.is_array() {
        return val.elements().map(content_tokens).sum();
    }
    if !val.is_object() {
        return estimate(val.raw());
    }
    let is_redacted = val.get(name::r#type).is_some_and(|kind| kind.is("redacted_thinking"));
    let is_readable = val.get(name::thinking).and_then(|text| text.as_str()).is_some_and(|text| !text.is_empty());
    let of_member = |key: &[u8], val: Val<'_>| {
        let is_any = |names: &[&str]| names.iter().any(|name| name.as_bytes() == key);
        match () {
            () if val.is_null() || is_any(&NOT_CONTENT) => 0,
            () if is_any(&CIPHERTEXT) || is_redacted && key == b"data" => match val.as_str() {
                Some(text) if !is_readable => text.raw.len() as u64 * 100 / CIPHERTEXT_A_TOKEN,
                _ => 0,
            },
            () if val.is_string() || val.is_object() || val.is_array() => content_tokens(val) + estimate(key),
            () => content_tokens(val),
        }
    };
    val.members().map(|member| of_member(member.key.raw, member.val)).sum()
}
