//! Images of a store's records that a text replaces: in the store's own form, or removed where only files can be.

use crate::dialect::{EditRefusal, TextChange};
use crate::json::edit::RecordBase;
use crate::json::{Val, name};
use crate::place::{Edit, Place, ReplacementPart};

use super::draft::{DraftBuilder, HOLDS_MORE, NO_PLACE, NOT_HERE};
use super::origin_map::OriginEdit;
use super::view::StoreRecord;

impl DraftBuilder<'_, '_> {
    /// Edits on an item, as edits on the store.
    pub(super) fn map_edits(
        &mut self,
        edits: &[Edit],
        changes: &[TextChange],
    ) -> Result<Vec<OriginEdit>, EditRefusal> {
        let omits_images = changes.iter().any(|change| matches!(change, TextChange::OmitImages(_)));
        let mut mapped = Vec::with_capacity(edits.len());
        for edit in edits {
            match self.view.origins.map(edit) {
                Err(_) if omits_images => mapped.extend(self.omit_image(edit)?),
                edit => mapped.push(edit?),
            }
        }
        Ok(mapped)
    }

    /// Replaces an image with a text, in the store's own form, or removes it.
    fn omit_image(&mut self, edit: &Edit) -> Result<Option<OriginEdit>, EditRefusal> {
        let range = (edit.at.start, edit.at.end());
        let places = self.view.origins.removable_values(range.0, range.1, &[range])?;
        let source = places.first().copied().ok_or(EditRefusal(NO_PLACE))?;
        let record = self.view.record(source).ok_or(EditRefusal(NO_PLACE))?;
        let (base, root) = (record.base(), record.root().ok_or(EditRefusal(NO_PLACE))?);
        let text = replacement_text(&edit.with).ok_or(EditRefusal(NOT_HERE))?;
        let (image, list) = enclosing_part(root, base, source).ok_or(EditRefusal(NOT_HERE))?;
        let at = base.of(image);
        if self.view.origins.keeps(at, &[range]) {
            return Err(EditRefusal(HOLDS_MORE));
        }
        if self.editor.attachments.iter().any(|key| key.as_bytes() == list) {
            self.remove(&record, at);
            return Ok(None);
        }
        let part = (self.editor.text_part)(image, &text).ok_or(EditRefusal(NOT_HERE))?;
        Ok(Some(OriginEdit::Replace(Edit { at, with: vec![ReplacementPart::text(part)] })))
    }
}

/// The text of a part that replaces an image.
fn replacement_text(with: &[ReplacementPart]) -> Option<String> {
    let [ReplacementPart::Text(part)] = with else { return None };
    let record = StoreRecord::of_text(part.to_vec())?;
    let text = record.root()?.get(name::text)?.text()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// The members of messages, which no part has.
const MESSAGE_KEYS: [&str; 3] = ["role", "message", "parts"];

/// The smallest element of a list that contains a place, and the key of the list. A record that is a part of a message
/// itself has no list.
fn enclosing_part<'t>(root: Val<'t>, base: RecordBase<'_>, place: Place) -> Option<(Val<'t>, &'t [u8])> {
    let contains = |val: &Val<'t>| base.of(*val).contains(&place);
    let (mut part, mut value, mut key) = (None, root, &b""[..]);
    while value.is_object() || value.is_array() {
        value = match value.elements().find(contains) {
            Some(element) => {
                // A message whose only content is an image is no part.
                let is_message = MESSAGE_KEYS.iter().any(|key| element.get(key).is_some());
                part = Some((element, key)).filter(|_| !is_message);
                element
            }
            None => {
                let Some(member) = value.members().find(|member| contains(&member.val)) else { break };
                key = member.key.raw;
                member.val
            }
        };
    }
    part
}
