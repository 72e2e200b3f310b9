//! The provenance of generated text: findings in it point into the document that it was made from, and the parts
//! of the document that are missing from it are known.

use smallvec::SmallVec;

use crate::place::Place;

use super::string::Decoder;

/// The origin of the text from an offset up to the next run.
#[derive(Clone, Copy, Debug)]
pub struct ProvenanceRun {
    /// Offset in the text.
    pub at: u32,
    pub from: Place,
    pub provenance: Provenance,
}

/// The relation of a span of written text to the place that it is attributed to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Provenance {
    /// The same bytes.
    Copied,
    /// The same value, written differently.
    Respelled,
    /// The text is synthetic; the place is where problems in it are reported.
    Named,
}

/// The origin of written text from an offset up to the next span.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProvenanceSpan {
    /// Offset in the written text.
    pub at: u64,
    pub from: Place,
    pub provenance: Provenance,
}

impl ProvenanceSpan {
    /// True if it copies or respells the text at its place.
    pub fn is_traced(&self) -> bool {
        self.provenance != Provenance::Named && self.from.len > 0
    }
}

/// Written text with its provenance.
#[derive(Default)]
pub struct TracedText {
    pub text: Vec<u8>,
    pub spans: Vec<ProvenanceSpan>,
}

/// The origin of a value: as a whole, and run by run.
#[derive(Clone, Debug)]
pub struct ValueOrigin {
    /// The place of the whole value, or where problems in it are reported.
    pub whole: Place,
    pub runs: ProvenanceRuns,
}

/// The runs of a value, in order. Text before the first one is synthetic. Nearly all values are copied as a whole: a list
/// of one run is no allocation.
pub type ProvenanceRuns = SmallVec<[ProvenanceRun; 1]>;

impl ValueOrigin {
    /// The same for the value written differently, when the origins of single bytes are no longer known.
    pub fn respelled(&self) -> impl Iterator<Item = ProvenanceRun> + '_ {
        let known = self.runs.iter().filter(|run| run.provenance != Provenance::Named);
        let end = ProvenanceRun { at: 0, from: self.whole, provenance: Provenance::Named };
        let respelled =
            known.map(|run| ProvenanceRun { at: 0, from: run.from, provenance: Provenance::Respelled });
        respelled.chain(std::iter::once(end))
    }
}

impl ProvenanceRun {
    /// The run as a span at this offset of written text.
    pub fn span(&self, at: u64) -> ProvenanceSpan {
        ProvenanceSpan { at, from: self.from, provenance: self.provenance }
    }
}

/// Appends the decoded text of a string, and its provenance.
pub fn decode(raw: &[u8], runs: &[ProvenanceRun], text: &mut Vec<u8>, spans: &mut Vec<ProvenanceSpan>) {
    let mut decoder = Decoder::new(raw);
    let mut runs = runs.iter().peekable();
    loop {
        let offset = decoder.offset();
        let Some(part) = decoder.next_part() else { break };
        let (bytes, end) = (part.as_bytes(), decoder.offset());
        while let Some(run) = runs.next_if(|run| (run.at as usize) < end) {
            let inside = (run.at as usize).saturating_sub(offset).min(bytes.len());
            spans.push(run.span((text.len() + inside) as u64));
        }
        text.extend_from_slice(bytes);
    }
}
