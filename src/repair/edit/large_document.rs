//! Edits on a document that is too large to be scanned at once: on one element of its lists after another.

use std::io;

use crate::format::RecordPart;
use crate::json::edit::Sequence;
use crate::place::Place;
use crate::source::split::{DocumentPiece, SplitError, split_at};

use super::render::{ItemStep, Renderer, remove_value};

impl Renderer<'_> {
    /// Edits a document that is scanned element by element. False if something else than items is edited, which may depend on all
    /// of them.
    pub(super) fn edit_large_document(
        &mut self,
        start: u64,
        has_items_in: &dyn Fn(&str) -> bool,
        steps: &[ItemStep<'_>],
        removed_members: &[Place],
    ) -> io::Result<bool> {
        let mut sequences: Vec<(String, Sequence)> = Vec::new();
        let (id, mut failed) = (self.id, None);
        let (mut at, mut is_around) = (0, false);
        let done = split_at(self.bytes, id, start, u64::MAX / 2, has_items_in, |piece, tape| {
            let (section, index, bytes, base) = match piece {
                DocumentPiece::Element { section, index, bytes, base } => (section, index, bytes, base),
                DocumentPiece::Head { bytes, base } => {
                    let head = tape.root(bytes);
                    let remove = |at: &Place| head.map(|head| remove_value(head, *at, base, &mut self.edits));
                    removed_members.iter().map(remove).for_each(drop);
                    return true;
                }
            };
            let place = base.place(0, bytes.len() as u32);
            if index == 0 {
                let sequence = Sequence { doc: id, inner: (0, 0), entries: Vec::new(), space: Box::default() };
                sequences.push((section.to_owned(), sequence));
            }
            if let Some((_, sequence)) = sequences.last_mut() {
                sequence.entries.push((place.start, place.end()));
            }
            let here = steps.iter().skip(at).take_while(|step| step.row.at.start < place.end());
            let here: Vec<&ItemStep<'_>> = here.collect();
            at += here.len();
            let changed = |step: &&ItemStep<'_>| step.decision.hoisted().into_iter().chain([step.row.at]);
            let before = removed_members.partition_point(|at| at.start < place.start);
            is_around = removed_members.get(before).is_some_and(|at| at.start < place.end())
                || here.iter().flat_map(changed).any(|at| at.start < place.start);
            if is_around {
                return false;
            }
            let here = here.into_iter().filter(|step| !step.unit(step.row).is_nested());
            let (own, inside): (Vec<&ItemStep<'_>>, Vec<&ItemStep<'_>>) =
                here.partition(|step| step.row.at.start == place.start);
            if own.iter().all(|step| step.decision.stays())
                && let Some(root) = tape.root(bytes)
                && let Err(error) = self.edit_value(root, base, &own, &inside)
            {
                failed = Some(error);
            }
            true
        });
        if let Err(SplitError::Io(error)) = done {
            return Err(error);
        }
        if is_around || at < steps.len() {
            return Ok(false);
        }
        for (section, mut sequence) in sequences {
            if let Err(error) = self.read_frame(&mut sequence) {
                failed = Some(error);
                continue;
            }
            let of_section = |step: &&ItemStep<'_>| match step.info.parts.get(usize::from(step.row.part)) {
                Some(RecordPart { path: [], .. }) => section.is_empty(),
                Some(RecordPart { path: [key], .. }) => *key == section,
                _ => false,
            };
            let here: Vec<&ItemStep<'_>> = steps.iter().filter(of_section).collect();
            match here.first().is_some_and(|step| step.unit(step.row).is_nested()) {
                true => self.edit_streamed_messages(&sequence, &here.into_iter().copied().collect::<Vec<_>>())?,
                false => self.edit_elements(&sequence, &here)?,
            }
        }
        failed.map_or(Ok(true), Err)
    }

    /// Reads the brackets and the white space around the entries of an array.
    fn read_frame(&self, sequence: &mut Sequence) -> io::Result<()> {
        let (Some(first), Some(last)) = (sequence.entries.first(), sequence.entries.last()) else { return Ok(()) };
        let mut start = first.0;
        let mut byte = [0];
        while start > 0 {
            self.bytes.read_at(start - 1, &mut byte)?;
            if byte[0] == b'[' {
                break;
            }
            start -= 1;
        }
        let mut end = last.1;
        while end < self.bytes.len() {
            self.bytes.read_at(end, &mut byte)?;
            if byte[0] == b']' {
                break;
            }
            end += 1;
        }
        sequence.inner = (start, end);
        if let [first, second, ..] = sequence.entries.as_slice() {
            let mut between = Vec::new();
            self.bytes.read_into(first.1, (second.0 - first.1) as usize, &mut between)?;
            between.retain(|b| *b != b',');
            sequence.space = between.into_boxed_slice();
        }
        Ok(())
    }
}
