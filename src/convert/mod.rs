//! Conversion: histories are read as threads, fitted to what the other dialect takes, written in it and judged, several
//! at a time; what comes out comes in their order. Every loss is a finding on the place of its source.

mod able;
mod carried;
mod check;
mod doc;
mod done;
mod effort;
mod fit;
pub mod log;
mod media;
mod mend;
mod model;
mod names;
mod options;
mod plan;
mod record;
mod request;
pub mod session;
mod source;
pub mod stream;
mod taker;
mod to;
mod verbatim;

pub use check::check;
pub use doc::{convert_doc, convert_to_spools};
pub use done::ConvertedDoc;
pub use fit::{fit_parts, merge};
pub use options::ConvertOptions;
pub use plan::{Plan, Thoughts};
pub use to::{ALIASES, TO, dialect};
