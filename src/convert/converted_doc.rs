//! The result of converting a doc.
#![expect(clippy::indexing_slicing, reason = "there is a count for each severity")]

use crate::carry::Destination;
use crate::format::Format;
use crate::judge::{JudgedDoc, NewValues, WeighedFinding};
use crate::schema::Schemas;
use crate::source::Container;
use crate::target::Severity;

use super::history_converter::HistoryOutput;
use super::loss_names::NameDigests;
use super::options::ConvertOptions;

/// The result of converting a doc.
pub struct ConvertedDoc {
    pub container: Container,
    /// The format of the doc, or of the first record that has one.
    pub format: Option<&'static dyn Format>,
    pub records: u32,
    /// Conversations that were written.
    pub converted: u32,
    /// The number of those that are lines of a batch.
    pub batch_lines: u32,
    /// All conversations of the doc.
    pub total: u32,
    pub items: u64,
    /// Records of which nothing was written.
    pub failed: u32,
    /// The offsets of conversations that were left out because they would lose something.
    pub left_out: Vec<u64>,
    /// Losses and failures, in the order of the doc.
    pub judged: Vec<WeighedFinding>,
    /// What is written instead of old values.
    pub new_values: NewValues,
    /// What the messages of findings name, if that was asked for and is known.
    pub name_digests: NameDigests,
    /// The destinations of the written sessions, in order.
    pub destinations: Vec<Destination>,
    /// The number of findings by severity: notes, warnings, errors.
    pub counts: [u64; 3],
    /// The number of values in the doc that its agent does not send.
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
            batch_lines: 0,
            total: 0,
            items: 0,
            failed: 0,
            left_out: Vec::new(),
            judged: Vec::new(),
            new_values: NewValues::default(),
            name_digests: NameDigests::default(),
            destinations: Vec::new(),
            counts: [0; 3],
            unsent: 0,
            lines: Vec::new(),
        }
    }

    /// True if something that the model saw is lost, or something was invented.
    pub fn loses(&self) -> bool {
        self.counts[Severity::Warning as usize] > 0
    }

    pub fn count(&self, severity: Severity) -> u64 {
        self.counts[severity as usize]
    }

    /// The findings as those of a check, for the same report.
    pub fn into_judged_doc(self) -> JudgedDoc<()> {
        JudgedDoc {
            container: self.container,
            format: self.format,
            agent_version: None,
            findings: self.judged,
            outputs: Vec::new(),
            records: self.records,
            histories: self.converted,
            items: self.items,
            slimmed: false,
            may_have_references: true,
            is_self_contained: false,
            unsent: Vec::new(),
            lines: self.lines,
            bugs: Vec::new(),
            new_values: self.new_values,
            targets: Vec::new(),
            schemas: Schemas::Official,
        }
    }

    /// Adds the output of the next history, and counts on.
    pub(super) fn append(&mut self, output: HistoryOutput, options: &ConvertOptions<'_>) {
        let before = options.number(self.converted, self.total);
        let room = options.max_findings.saturating_sub(self.judged.len());
        for mut judged in output.judged.into_iter().take(room) {
            judged.history = judged.history.map(|n| n + before);
            self.judged.push(judged);
        }
        self.converted += output.converted;
        self.batch_lines += output.batch_lines;
        self.total += output.total;
        self.items += output.items;
        self.failed += output.failed;
        self.unsent += output.unsent;
        self.left_out.extend(output.left_out);
        self.new_values.extend(output.new_values);
        self.name_digests.extend(output.name_digests);
        self.destinations.extend(output.destination);
        for (sum, more) in self.counts.iter_mut().zip(output.counts) {
            *sum += more;
        }
    }
}
