//! How much of a conversation is what: bytes and estimated tokens, by kind of content.

use crate::dialects::item_tokens::{media_tokens, tokens_of_message};
use crate::history::turns::messages;
use crate::history::{Kind, Role, Row};
use crate::message::token_estimate::Hundredths;
use crate::rebuild::{Conversation, Turn};
use crate::report::words::{byte_size, group_digits};

/// The kinds of content, in the order in which they are printed.
pub const KINDS: [&str; 6] = ["instructions", "user", "model", "reasoning", "results", "images"];

const INSTRUCTIONS: usize = 0;
const USER: usize = 1;
const MODEL: usize = 2;
const REASONING: usize = 3;
const RESULTS: usize = 4;
const IMAGES: usize = 5;

/// The size of something.
#[derive(Clone, Copy, Debug, Default)]
pub struct ContentSize {
    pub bytes: u64,
    tokens: Hundredths,
}

impl ContentSize {
    /// Estimated tokens.
    pub fn tokens(self) -> u64 {
        self.tokens.div_ceil(100)
    }

    fn add(&mut self, other: ContentSize) {
        self.bytes += other.bytes;
        self.tokens += other.tokens;
    }
}

/// Sizes by kind of content.
#[derive(Clone, Copy, Debug, Default)]
pub struct ContentSizes([ContentSize; KINDS.len()]);

impl ContentSizes {
    /// The sizes of a turn. What several turns share counts in the first of them.
    pub fn of(conversation: &Conversation, turn: &Turn) -> ContentSizes {
        let mut sizes = ContentSizes::default();
        for node in &turn.nodes {
            for message in messages(conversation.forest.rows_of(*node)) {
                sizes.add_message(conversation, message);
            }
        }
        sizes
    }

    fn add_message(&mut self, conversation: &Conversation, message: &[Row]) {
        // Only the first row of a message contains others.
        let (envelope, blocks) = message.split_at(message.len().min(1));
        let inside = || blocks.iter().filter(|inner| envelope.iter().any(|own| own.at.contains(&inner.at)));
        let inside_bytes: u64 = inside().map(|inner| u64::from(inner.at.len)).sum();
        let has_media_inside = inside().any(Row::has_own_media);
        let mut images: Vec<Hundredths> = Vec::with_capacity(message.len());
        let tokens = tokens_of_message(message, &mut |row, see| {
            let is_seen = row.has_own_media() && !(images.is_empty() && has_media_inside);
            let mut of_images = 0;
            conversation.item(row, |item| {
                see(item);
                of_images = if is_seen { media_tokens(item) } else { 0 };
            });
            images.push(of_images);
        });
        for (n, ((row, tokens), of_images)) in message.iter().zip(tokens).zip(images).enumerate() {
            let bytes = u64::from(row.at.len).saturating_sub(if n == 0 { inside_bytes } else { 0 });
            let of_images = of_images.min(tokens);
            // Bytes of an image are nearly all of what contains it.
            let is_image = of_images * 2 > tokens;
            self.at(IMAGES).add(ContentSize { bytes: if is_image { bytes } else { 0 }, tokens: of_images });
            let rest = ContentSize { bytes: if is_image { 0 } else { bytes }, tokens: tokens - of_images };
            self.at(kind_of(row)).add(rest);
        }
    }

    #[expect(clippy::indexing_slicing, reason = "the kinds are constants below the number of kinds")]
    fn at(&mut self, kind: usize) -> &mut ContentSize {
        &mut self.0[kind]
    }

    /// The sizes of both.
    pub fn plus(mut self, other: ContentSizes) -> ContentSizes {
        self.0.iter_mut().zip(other.0).for_each(|(own, other)| own.add(other));
        self
    }

    pub fn total(&self) -> ContentSize {
        let mut total = ContentSize::default();
        self.0.iter().for_each(|size| total.add(*size));
        total
    }

    /// Each kind and its size.
    pub fn by_kind(&self) -> impl Iterator<Item = (&'static str, ContentSize)> {
        KINDS.into_iter().zip(self.0)
    }

    /// `About 23,400 tokens (212 KB): user 400, model 2,100, results 20,900.`
    pub fn words(&self) -> String {
        let total = self.total();
        let parts = self.by_kind().filter(|(_, size)| size.tokens() > 0);
        let parts: Vec<String> =
            parts.map(|(kind, size)| format!("{kind} {}", group_digits(size.tokens()))).collect();
        let (tokens, bytes) = (group_digits(total.tokens()), byte_size(total.bytes));
        format!("About {tokens} tokens ({bytes}): {}.", parts.join(", "))
    }
}

fn kind_of(row: &Row) -> usize {
    match row.role {
        _ if row.is_reasoning() || row.kind == Kind::Thinking => REASONING,
        _ if row.answers_call() => RESULTS,
        Role::System | Role::Developer => INSTRUCTIONS,
        Role::User => USER,
        _ => MODEL,
    }
}

/// A number of tokens in few characters: `950`, `1.2k`, `34k`, `1.2M`.
pub fn short_tokens(tokens: u64) -> String {
    match tokens {
        0..1_000 => tokens.to_string(),
        1_000..10_000 => format!("{}.{}k", tokens / 1_000, tokens / 100 % 10),
        10_000..1_000_000 => format!("{}k", tokens / 1_000),
        _ => format!("{}.{}M", tokens / 1_000_000, tokens / 100_000 % 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_tokens_are_short() {
        let short = [0, 999, 1_000, 9_950, 10_000, 999_999, 1_250_000].map(short_tokens);
        assert_eq!(short, ["0", "999", "1.0k", "9.9k", "10k", "999k", "1.2M"]);
    }
}
