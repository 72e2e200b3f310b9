//! A log in several files is judged as one; here its diagnostics and changes are mapped to the files that they are in.

use crate::source::{Segment, display_name, segments};

use super::changes::ChangeNote;
use super::error_place::NamedItem;
use super::{Diagnostic, Location};

/// Maps diagnostics of the joined log to its files.
pub fn diagnostics(log: &[Segment], diagnostics: &mut [Diagnostic]) {
    for diagnostic in diagnostics.iter_mut().filter(|_| !log.is_empty()) {
        let Some(segment) = segments::segment_at(log, diagnostic.location.span.0) else { continue };
        diagnostic.path.clone_from(&segment.label);
        diagnostic.record = diagnostic.record.saturating_sub(segment.records_before).max(1);
        for related in &mut diagnostic.related {
            let other = segments::segment_at(log, related.location.span.0).unwrap_or(segment);
            if other.label != segment.label {
                related.message = format!("{} (in {})", related.message, display_name(&other.label));
            }
            map_to_segment(other, &mut related.location);
        }
        map_to_segment(segment, &mut diagnostic.location);
    }
}

/// Maps changes to the joined log to its files.
pub fn notes(log: &[Segment], notes: &mut [ChangeNote]) {
    for note in notes.iter_mut().filter(|_| !log.is_empty()) {
        let Some(segment) = segments::segment_at(log, note.location.span.0) else { continue };
        note.path = segment.label.as_str().into();
        note.record = note.record.saturating_sub(segment.records_before).max(1);
        if let Some(other) = &mut note.other {
            map_to_segment(segments::segment_at(log, other.span.0).unwrap_or(segment), other);
        }
        map_to_segment(segment, &mut note.location);
    }
}

/// Maps items of the joined log to its files.
pub fn items(log: &[Segment], items: &mut [NamedItem]) {
    for item in items.iter_mut().filter(|_| !log.is_empty()) {
        let Some(segment) = segments::segment_at(log, item.location.span.0) else { continue };
        item.path = Some(segment.label.clone());
        item.record = item.record.saturating_sub(segment.records_before).max(1);
        map_to_segment(segment, &mut item.location);
    }
}

/// Maps a location in the joined log to its file; the name of that, if the document is such a log.
pub fn map<'l>(log: &'l [Segment], location: &mut Location) -> Option<&'l str> {
    let segment = segments::segment_at(log, location.span.0)?;
    map_to_segment(segment, location);
    Some(&segment.label)
}

fn map_to_segment(segment: &Segment, location: &mut Location) {
    location.line = location.line.saturating_sub(segment.lines_before).max(1);
    location.span = (location.span.0.saturating_sub(segment.start), location.span.1.saturating_sub(segment.start));
}
