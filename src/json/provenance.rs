//! Where text that was put together came from: a finding in it points into the document that it was made of, and what no
//! text was made of is known.

use crate::place::Place;

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
