//! Images of a store's records that a text replaces: in the store's own form, or at the end of the text beside them where only
//! files can be. And those that a smaller image replaces: the string with the data, and the member beside it with their type.

use crate::dialect::{Dialect, EditRefusal, SmallerImage, TextChange};
use crate::dialects::{media_parts, shrunk_images};
use crate::format::Attachments;
use crate::history::Row;
use crate::json::edit::RecordBase;
use crate::json::{Tape, Val, name, scan, string};
use crate::message::media_bytes::is_base64;
use crate::place::{Edit, Place, ReplacementPart};

use super::draft::{DraftBuilder, HOLDS_MORE, NO_PLACE, NOT_HERE};
use super::origin_map::OriginEdit;
use super::view::StoreRecord;

impl DraftBuilder<'_, '_> {
    /// Changes to an item, as edits on the store.
    pub(super) fn map_changes(
        &mut self,
        dialect: &'static dyn Dialect,
        row: &Row,
        changes: &[TextChange],
    ) -> Result<Vec<OriginEdit>, EditRefusal> {
        let is_smaller = |change: &&TextChange| matches!(change, TextChange::ShrinkImages(_));
        let others: Vec<TextChange> = changes.iter().filter(|change| !is_smaller(change)).cloned().collect();
        let edits = self.item_edits(dialect, row, &others)?;
        let mut mapped = self.map_edits(&edits, &others)?;
        for change in changes.iter().filter(is_smaller) {
            self.shrink_images(row, change, &mut mapped)?;
        }
        Ok(mapped)
    }

    /// Edits on an item, as edits on the store.
    fn map_edits(&mut self, edits: &[Edit], changes: &[TextChange]) -> Result<Vec<OriginEdit>, EditRefusal> {
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
        if let Some(attachments) = self.editor.attachments.filter(|own| own.list.as_bytes() == list) {
            self.append_to_text(root, base, source, attachments, &text);
            self.remove(&record, at);
            return Ok(None);
        }
        let part = (self.editor.text_part)(image, &text).ok_or(EditRefusal(NOT_HERE))?;
        Ok(Some(OriginEdit::Replace(Edit { at, with: vec![ReplacementPart::text(part)] })))
    }
}

impl DraftBuilder<'_, '_> {
    /// Adds the edits that replace images where the store has them, in place of others of the same values.
    fn shrink_images(
        &mut self,
        row: &Row,
        change: &TextChange,
        out: &mut Vec<OriginEdit>,
    ) -> Result<(), EditRefusal> {
        let TextChange::ShrinkImages(images) = change else { return Ok(()) };
        let (mut text, mut tape) = (Vec::new(), Tape::new());
        let read = self.view.bytes.read_into(row.at.start, row.at.len as usize, &mut text);
        read.map_err(|_| EditRefusal(NO_PLACE))?;
        let item = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text)).ok_or(EditRefusal(NO_PLACE))?;
        let parts = media_parts::parts(item);
        let mut edits: Vec<Edit> = Vec::new();
        for smaller in images {
            let part = parts.get(smaller.number as usize).ok_or(EditRefusal(NO_PLACE))?;
            let source = part.source.ok_or(EditRefusal(NO_PLACE))?;
            let at = RecordBase::new(row.at.doc, row.at.start).of(source);
            let at = self.view.origins.source_of_string(at).ok_or(EditRefusal(NOT_HERE))?;
            let record = self.view.record(at).ok_or(EditRefusal(NO_PLACE))?;
            let root = record.root().ok_or(EditRefusal(NO_PLACE))?;
            let stored = stored_edits(root, record.base(), at, smaller, part.declared_type().as_deref())?;
            // Branches share images.
            edits.extend(stored.into_iter().filter(|edit| !edits.contains(edit)).collect::<Vec<_>>());
            self.draft.records.push(record.at);
        }
        out.retain(|other| match other {
            OriginEdit::Replace(other) => !edits.iter().any(|edit| edit.at.overlaps(&other.at)),
            OriginEdit::Remove(..) => true,
        });
        out.extend(edits.into_iter().map(OriginEdit::Replace));
        Ok(())
    }
}

const NO_TYPE: EditRefusal = EditRefusal(
    "the image is not shrunk: it would be of another type, and the store does not say the type beside it",
);

/// The keys of the members with the type of an image.
const TYPE_KEYS: [&str; 7] =
    ["media_type", "mediaType", "mime_type", "mimeType", "mime", "contentType", "content_type"];

/// The edits of a record that make an image at a place smaller.
fn stored_edits(
    root: Val<'_>,
    base: RecordBase<'_>,
    at: Place,
    smaller: &SmallerImage,
    old_type: Option<&str>,
) -> Result<Vec<Edit>, EditRefusal> {
    let path = path_to(root, base, at);
    let (source, above) = path.split_last().filter(|(last, _)| last.is_string()).ok_or(EditRefusal(NOT_HERE))?;
    let text = source.text().ok_or(EditRefusal(NOT_HERE))?;
    let has_head = text.starts_with(b"data:");
    if !has_head && !is_base64(&text) {
        return Err(EditRefusal(NOT_HERE));
    }
    let new = shrunk_images::source_text(*source, &smaller.image).ok_or(EditRefusal(NOT_HERE))?;
    let mut edits = vec![Edit::replace(base.of(*source), new)];
    let mut has_type = has_head;
    for object in above.iter().rev() {
        // The type is beside the data, or in the part around them.
        if object.is_array() || MESSAGE_KEYS.iter().any(|key| object.get(*key).is_some()) {
            break;
        }
        for member in object.members() {
            let Some(text) = member.val.text() else { continue };
            let is_type = TYPE_KEYS.iter().any(|key| member.key.is(key.as_bytes())) && text.starts_with(b"image/");
            let is_format = member.key.is(b"format") && FORMATS.contains(&&*text);
            if is_type || is_format {
                has_type = true;
                edits.extend(shrunk_images::retype(member.val, &smaller.image, base));
            }
        }
    }
    // A list of images has no types: who reads it looks at the bytes.
    let is_bare = above.last().is_some_and(|list| list.is_array());
    if has_type || is_bare || old_type == Some(smaller.image.mime) { Ok(edits) } else { Err(NO_TYPE) }
}

/// The types of images without `image/`.
const FORMATS: [&[u8]; 5] = [b"png", b"jpeg", b"jpg", b"gif", b"webp"];

/// The values that contain a place, from the outermost to the innermost.
fn path_to<'t>(root: Val<'t>, base: RecordBase<'_>, place: Place) -> Vec<Val<'t>> {
    let contains = |val: &Val<'t>| base.of(*val).contains(&place);
    let (mut path, mut next) = (Vec::new(), Some(root));
    while let Some(value) = next {
        path.push(value);
        let members = || value.members().map(|member| member.val).find(contains);
        next = value.elements().find(contains).or_else(members);
    }
    path
}

impl DraftBuilder<'_, '_> {
    /// Adds a text to the text beside a list of attachments, if there is one.
    fn append_to_text(
        &mut self,
        root: Val<'_>,
        base: RecordBase<'_>,
        source: Place,
        attachments: Attachments,
        text: &str,
    ) {
        let path = path_to(root, base, source);
        let Some(object) = path.iter().rev().find(|val| val.get(attachments.list).is_some()) else { return };
        let beside = attachments.texts.iter().find_map(|key| object.get(*key)).filter(Val::is_string);
        let Some(beside) = beside else { return };
        let end = beside.end().saturating_sub(1);
        let at = base.place(end, end);
        let own = string::escaped(text);
        let own = own.as_bytes();
        match self.draft.edits.iter_mut().find(|edit| edit.at == at) {
            Some(edit) => edit.with.push(ReplacementPart::text([br"\n", own].concat())),
            None => {
                let is_empty = beside.text().is_some_and(|text| text.is_empty());
                let line_end: &[u8] = if is_empty { b"" } else { br"\n" };
                self.draft.edits.push(Edit { at, with: vec![ReplacementPart::text([line_end, own].concat())] });
            }
        }
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
