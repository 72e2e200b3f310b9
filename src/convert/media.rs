//! Fits images, documents and other media to what a dialect takes.

use crate::message::{At, Capabilities, LossKind, Losses, Media, MediaKind, Source, Text};

/// What becomes of media.
pub enum Fitted {
    /// It stays, with a text in front of it if there is one.
    Kept(Option<Text>),
    /// A text stands for it.
    Text(Text),
    Gone,
}

/// Fits media; `misplaced` where the dialect takes none at all.
pub fn fit(
    media: &mut Media,
    misplaced: bool,
    at: At,
    capabilities: &Capabilities,
    losses: &mut Losses,
) -> Fitted {
    let mut loss = if misplaced { Some(LossKind::MEDIA) } else { capabilities.refuses(media) };
    // What is text need not come as a file.
    if loss.is_some() && media.read_text() {
        losses.add(LossKind::DATA_AS_TEXT, at);
        loss = if misplaced { Some(LossKind::MEDIA_AS_TEXT) } else { capabilities.refuses(media) };
    }
    let cited = !capabilities.document_facts && media.cited.take().is_some();
    if cited && (loss.is_none() || matches!(media.source, Source::Plain(_))) {
        losses.add(LossKind::CITATION_WANTED, at);
    }
    if let Some(loss) = loss {
        let Some(text) = media.told() else {
            losses.add(loss, at);
            return Fitted::Gone;
        };
        let found = media.kind == MediaKind::Search;
        if !found && media.name.is_some() {
            losses.add(LossKind::FILE_NAME, at);
        }
        losses.add(if found { LossKind::FOUND_AS_TEXT } else { LossKind::MEDIA_AS_TEXT }, at);
        return Fitted::Text(text);
    }
    if !capabilities.detail && media.detail.take().is_some_and(|detail| !detail.is("auto")) {
        losses.add(LossKind::DETAIL, at);
    }
    let named = media.kind == MediaKind::Search || media.kind == MediaKind::File && capabilities.file_names;
    if media.name.take_if(|_| !named).is_some() {
        losses.add(LossKind::FILE_NAME, at);
    }
    let context = media.context.take_if(|_| !capabilities.document_facts);
    if context.is_some() {
        losses.add(LossKind::CONTEXT_AS_TEXT, at);
    }
    Fitted::Kept(context)
}
