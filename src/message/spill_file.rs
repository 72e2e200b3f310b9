//! The parts of a conversation that are spilled when it is too large for memory: texts and values that are long and only
//! copied. Ids and names stay, because they are compared.

use super::spill::SpillStore;
use super::{CallInput, Media, MediaSource, Opaque, Part, PartKind, RawJson, ResultPart, Text};

/// A text or a value.
enum SpillPiece<'b> {
    Text(&'b mut Text),
    Raw(&'b mut RawJson),
}

impl Part {
    /// The number of bytes that can be spilled.
    pub(super) fn spillable_size(&mut self) -> usize {
        let mut sum = 0;
        self.visit_pieces(&mut |piece| {
            sum += match piece {
                SpillPiece::Text(text) => text.size(),
                SpillPiece::Raw(raw) => raw.size(),
            };
        });
        sum
    }

    pub fn spill(&mut self, store: &SpillStore) {
        self.visit_pieces(&mut |piece| match piece {
            SpillPiece::Text(text) => text.spill(store),
            SpillPiece::Raw(raw) => raw.spill(store),
        });
    }

    fn visit_pieces(&mut self, visit: &mut dyn FnMut(SpillPiece<'_>)) {
        self.signature.iter_mut().for_each(|text| visit(SpillPiece::Text(text)));
        match &mut self.kind {
            PartKind::Text { text, citations } => {
                visit(SpillPiece::Text(text));
                citations.iter_mut().for_each(|own| own.visit_pieces(visit));
            }
            PartKind::Refusal(text) => visit(SpillPiece::Text(text)),
            PartKind::Media(media) => media.visit_pieces(visit),
            PartKind::Call(call) => match &mut call.input {
                CallInput::Text(text) => visit(SpillPiece::Text(text)),
                CallInput::Json(raw) => visit(SpillPiece::Raw(raw)),
            },
            PartKind::Result(result) => result.parts.iter_mut().for_each(|part| match part {
                ResultPart::Text(text) => visit(SpillPiece::Text(text)),
                ResultPart::Json(raw) => visit(SpillPiece::Raw(raw)),
                ResultPart::Media(media, _) => media.visit_pieces(visit),
                ResultPart::Opaque(foreign, _) => foreign.visit_pieces(visit),
            }),
            PartKind::Reasoning(reasoning) => {
                let sealed = reasoning.encrypted_content.iter_mut().chain(&mut reasoning.redacted);
                reasoning.texts.iter_mut().chain(sealed).for_each(|text| visit(SpillPiece::Text(text)));
            }
            PartKind::Opaque(foreign) => foreign.visit_pieces(visit),
        }
    }
}

impl Media {
    fn visit_pieces(&mut self, visit: &mut dyn FnMut(SpillPiece<'_>)) {
        match &mut self.source {
            MediaSource::Data(text) | MediaSource::Url(text) => visit(SpillPiece::Text(text)),
            MediaSource::Id(..) => {}
            MediaSource::Plain(texts) => texts.iter_mut().for_each(|text| visit(SpillPiece::Text(text))),
        }
        self.context.iter_mut().for_each(|text| visit(SpillPiece::Text(text)));
    }
}

impl Opaque {
    fn visit_pieces(&mut self, visit: &mut dyn FnMut(SpillPiece<'_>)) {
        visit(SpillPiece::Raw(&mut self.raw));
    }
}
