//! What came of the conversion of a doc.
#![expect(clippy::indexing_slicing, reason = "there is a count for each severity")]

use crate::carry::Destination;
use crate::format::Format;
use crate::judge::{Judged, JudgedDoc};
use crate::schema::Schemas;
use crate::source::Container;
use crate::target::Severity;

use super::options::ConvertOptions;
use super::record::Made;

/// What came of a doc.
pub struct ConvertedDoc {
    pub container: Container,
    /// The format of the doc, or of the first record that has one.
    pub format: Option<&'static dyn Format>,
    pub records: u32,
    /// Conversations that were written.
    pub converted: u32,
    /// All that were met.
    pub met: u32,
    pub items: u64,
    /// Records of which nothing was written.
    pub failed: u32,
    /// Offsets at which conversations begin that were left out for what they would lose.
    pub left_out: Vec<u64>,
    /// What was lost and what failed, in the order of the doc.
    pub judged: Vec<Judged>,
    /// Where the sessions belong that were written, in their order.
    pub destinations: Vec<Destination>,
    /// Findings by weight: noted, warnings, errors.
    pub counts: [u64; 3],
    /// What the doc holds and its agent does not send.
    pub unsent: u64,
    pub lines: Vec<(u64, u64)>,
}

impl ConvertedDoc {
    pub(super) fn new(container: Container) -> Self {
        ConvertedDoc {
            container,
            format: None,
            records: 0,
            converted: 0,
            met: 0,
            items: 0,
            failed: 0,
            left_out: Vec::new(),
            judged: Vec::new(),
            destinations: Vec::new(),
            counts: [0; 3],
            unsent: 0,
            lines: Vec::new(),
        }
    }

    /// Something of what the model saw is lost, or something was made up.
    pub fn loses(&self) -> bool {
        self.counts[Severity::Warning as usize] > 0
    }

    pub fn count(&self, severity: Severity) -> u64 {
        self.counts[severity as usize]
    }

    /// The findings as those of a check, to be reported by the same report.
    pub fn told(self) -> JudgedDoc<()> {
        JudgedDoc {
            container: self.container,
            format: self.format,
            judged: self.judged,
            made: Vec::new(),
            records: self.records,
            histories: self.converted,
            items: self.items,
            slimmed: false,
            may_refer: true,
            alone: false,
            unsent: Vec::new(),
            lines: self.lines,
            bugs: Vec::new(),
            targets: Vec::new(),
            schemas: Schemas::Official,
        }
    }

    /// Adds what comes next, counted from where this ended.
    pub(super) fn take(&mut self, made: Made, how: &ConvertOptions<'_>) {
        let before = how.number(self.converted, self.met);
        let room = how.most.saturating_sub(self.judged.len());
        for mut judged in made.judged.into_iter().take(room) {
            judged.history = judged.history.map(|n| n + before);
            self.judged.push(judged);
        }
        self.converted += made.converted;
        self.met += made.met;
        self.items += made.items;
        self.failed += made.failed;
        self.unsent += made.unsent;
        self.left_out.extend(made.left_out);
        self.destinations.extend(made.destination);
        for (sum, more) in self.counts.iter_mut().zip(made.counts) {
            *sum += more;
        }
    }
}
