//! Where text that was put together came from: a finding in it points into the document that it was made of, and what no
//! text was made of is known.

use crate::place::Place;

use super::string::Decoder;

/// Where the text that begins at an offset came from.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// Offset in the text.
    pub at: u32,
    pub from: Place,
    pub provenance: Provenance,
}

/// What a stretch of written text has of the place that is named for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Provenance {
    /// The same bytes.
    Copied,
    /// The same value in another spelling.
    Respelled,
    /// Nothing: the text was made up, and a problem in it is reported there.
    Named,
}

/// Where a stretch of written text came from, up to the next one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// Offset in the written text.
    pub at: u64,
    pub from: Place,
    pub provenance: Provenance,
}

impl Span {
    /// Whether it says something of the place.
    pub fn is_said(&self) -> bool {
        self.provenance != Provenance::Named && self.from.len > 0
    }
}

/// What was written, and where it came from.
#[derive(Default)]
pub struct Written {
    pub text: Vec<u8>,
    pub spans: Vec<Span>,
}

/// Where a value came from: as a whole, and stretch by stretch.
#[derive(Clone, Debug)]
pub struct Origin {
    /// Where the whole value is, or what it is reported at.
    pub whole: Place,
    /// Its stretches, in order. What comes before the first one was made up.
    pub runs: Vec<Run>,
}

impl Origin {
    /// The same for the value in another spelling: which byte came from where is not known any more.
    pub fn respelled(&self) -> impl Iterator<Item = Run> + '_ {
        let known = self.runs.iter().filter(|run| run.provenance != Provenance::Named);
        let end = Run { at: 0, from: self.whole, provenance: Provenance::Named };
        let respelled = known.map(|run| Run { at: 0, from: run.from, provenance: Provenance::Respelled });
        respelled.chain(std::iter::once(end))
    }
}

impl Run {
    /// The run as a span that begins at this offset of written text.
    pub fn span(&self, at: u64) -> Span {
        Span { at, from: self.from, provenance: self.provenance }
    }
}

/// Appends what a text of a string spells, and where that came from.
pub fn decode(raw: &[u8], runs: &[Run], text: &mut Vec<u8>, spans: &mut Vec<Span>) {
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
