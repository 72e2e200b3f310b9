//! A log that lies in several files is judged as one; here what is told about it finds the file that it lies in.

use crate::source::{Segment, display_name, segments};

use super::changes::ChangeNote;
use super::{Diagnostic, Spot};

/// Diagnostics on the log as it was read.
pub fn diagnostics(log: &[Segment], told: &mut [Diagnostic]) {
    for diagnostic in told.iter_mut().filter(|_| !log.is_empty()) {
        let Some(home) = segments::of(log, diagnostic.spot.span.0) else { continue };
        diagnostic.path.clone_from(&home.label);
        diagnostic.record = diagnostic.record.saturating_sub(home.records_before).max(1);
        for related in &mut diagnostic.related {
            let other = segments::of(log, related.spot.span.0).unwrap_or(home);
            if other.label != home.label {
                related.message = format!("{} (in {})", related.message, display_name(&other.label));
            }
            bring_home(other, &mut related.spot);
        }
        bring_home(home, &mut diagnostic.spot);
    }
}

/// Changes to the log as it was read.
pub fn notes(log: &[Segment], notes: &mut [ChangeNote]) {
    for note in notes.iter_mut().filter(|_| !log.is_empty()) {
        let Some(home) = segments::of(log, note.spot.span.0) else { continue };
        note.path.clone_from(&home.label);
        note.record = note.record.saturating_sub(home.records_before).max(1);
        if let Some(other) = &mut note.other {
            bring_home(segments::of(log, other.span.0).unwrap_or(home), other);
        }
        bring_home(home, &mut note.spot);
    }
}

fn bring_home(home: &Segment, spot: &mut Spot) {
    spot.line = spot.line.saturating_sub(home.lines_before).max(1);
    spot.span = (spot.span.0.saturating_sub(home.start), spot.span.1.saturating_sub(home.start));
}
