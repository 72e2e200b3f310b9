//! Fits images, documents and other media to the capabilities of a dialect.

use crate::message::{Capabilities, LossKind, Losses, Media, MediaKind, MediaSource, SourceLocation, Text};

use super::model_support::ModelSupport;

/// The form that media get.
pub enum MediaFit {
    /// They stay, after a text if there is one.
    Keep(Option<Text>),
    /// A text replaces them.
    Text(Text),
    Drop,
}

/// OpenAI's levels of detail.
const DETAILS: [&str; 4] = ["low", "high", "auto", "original"];

/// Fits media. `misplaced`: the dialect accepts none at this position.
pub fn fit(
    media: &mut Media,
    misplaced: bool,
    at: SourceLocation,
    capabilities: &Capabilities,
    support: &ModelSupport,
    losses: &mut Losses,
) -> MediaFit {
    let mut loss = if misplaced { Some(LossKind::MEDIA) } else { capabilities.media_loss(media) };
    // Text need not be a file.
    if loss.is_some() && media.decode_text() {
        losses.add(LossKind::DATA_AS_TEXT, at);
        loss = if misplaced { Some(LossKind::MEDIA_AS_TEXT) } else { capabilities.media_loss(media) };
    }
    let cited = !capabilities.document_metadata && media.citations.take().is_some();
    if cited && (loss.is_none() || matches!(media.source, MediaSource::Plain(_))) {
        losses.add(LossKind::CITATION_REQUEST, at);
    }
    if let Some(loss) = loss {
        let Some(text) = media.to_text() else {
            losses.add(loss, at);
            return MediaFit::Drop;
        };
        let found = media.kind == MediaKind::Search;
        if !found && media.name.is_some() {
            losses.add(LossKind::FILE_NAME, at);
        }
        losses.add(if found { LossKind::SEARCH_RESULT_AS_TEXT } else { LossKind::MEDIA_AS_TEXT }, at);
        return MediaFit::Text(text);
    }
    let is_known = |detail: &Text| match (capabilities.detail, support.part_resolution) {
        (true, _) => DETAILS.iter().any(|own| detail.is(own)),
        (false, images) => images && media.kind == MediaKind::Image && !detail.is("auto"),
    };
    if media.detail.as_ref().is_some_and(|detail| !is_known(detail))
        && media.detail.take().is_some_and(|detail| !detail.is("auto"))
    {
        losses.add(LossKind::DETAIL, at);
    }
    let named = media.kind == MediaKind::Search || media.kind == MediaKind::File && capabilities.file_names;
    if media.name.take_if(|_| !named).is_some() {
        losses.add(LossKind::FILE_NAME, at);
    }
    let context = media.context.take_if(|_| !capabilities.document_metadata);
    if context.is_some() {
        losses.add(LossKind::CONTEXT_AS_TEXT, at);
    }
    MediaFit::Keep(context)
}
