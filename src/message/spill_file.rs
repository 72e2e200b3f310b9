//! What of a block is put away when a conversation is too large for memory: what is long, and only copied. Ids and names
//! stay, for they are compared.

use super::spill::Store;
use super::{Input, Media, Opaque, Part, PartKind, Raw, ResultPart, Source, Text};

/// A text or a value.
enum Piece<'b> {
    Text(&'b mut Text),
    Raw(&'b mut Raw),
}

impl Part {
    /// How many bytes can be put away.
    pub(super) fn size(&mut self) -> usize {
        let mut sum = 0;
        self.pieces(&mut |piece| {
            sum += match piece {
                Piece::Text(text) => text.size(),
                Piece::Raw(raw) => raw.size(),
            };
        });
        sum
    }

    pub fn put_away(&mut self, store: &Store) {
        self.pieces(&mut |piece| match piece {
            Piece::Text(text) => text.put_away(store),
            Piece::Raw(raw) => raw.put_away(store),
        });
    }

    fn pieces(&mut self, take: &mut dyn FnMut(Piece<'_>)) {
        self.signature.iter_mut().for_each(|text| take(Piece::Text(text)));
        match &mut self.kind {
            PartKind::Text { text, citations } => {
                take(Piece::Text(text));
                citations.iter_mut().for_each(|own| own.pieces(take));
            }
            PartKind::Refusal(text) => take(Piece::Text(text)),
            PartKind::Media(media) => media.pieces(take),
            PartKind::Call(call) => match &mut call.input {
                Input::Text(text) => take(Piece::Text(text)),
                Input::Json(raw) => take(Piece::Raw(raw)),
            },
            PartKind::Result(result) => result.parts.iter_mut().for_each(|part| match part {
                ResultPart::Text(text) => take(Piece::Text(text)),
                ResultPart::Json(raw) => take(Piece::Raw(raw)),
                ResultPart::Media(media, _) => media.pieces(take),
                ResultPart::Opaque(foreign, _) => foreign.pieces(take),
            }),
            PartKind::Reasoning(reasoning) => {
                let sealed = reasoning.seal.iter_mut().chain(&mut reasoning.redacted);
                reasoning.texts.iter_mut().chain(sealed).for_each(|text| take(Piece::Text(text)));
            }
            PartKind::Opaque(foreign) => foreign.pieces(take),
        }
    }
}

impl Media {
    fn pieces(&mut self, take: &mut dyn FnMut(Piece<'_>)) {
        match &mut self.source {
            Source::Data(text) | Source::Url(text) => take(Piece::Text(text)),
            Source::Id(..) => {}
            Source::Plain(texts) => texts.iter_mut().for_each(|text| take(Piece::Text(text))),
        }
        self.context.iter_mut().for_each(|text| take(Piece::Text(text)));
    }
}

impl Opaque {
    fn pieces(&mut self, take: &mut dyn FnMut(Piece<'_>)) {
        take(Piece::Raw(&mut self.raw));
    }
}
