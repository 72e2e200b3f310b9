//! Conversion: histories are read as threads, fitted to the capabilities of the other dialect, written in it and judged,
//! several at a time; results come in the order of the source. Every loss is a finding at the place of its source.

mod batch_line;
mod carry_over;
mod check;
mod conversion_builder;
mod converted_doc;
mod dialect_names;
mod doc;
mod effort;
mod fit;
mod history_converter;
pub mod log;
mod loss_names;
mod media;
mod model;
mod model_support;
mod names;
mod options;
mod plan;
mod prefill;
mod repair_copy;
mod request;
mod schemas;
pub mod session;
mod source;
pub mod stream;
mod verbatim_copy;
mod verdict;

pub use check::check;
pub use converted_doc::ConvertedDoc;
pub use dialect_names::{CONVERT_DIALECTS, DIALECT_ALIASES, dialect_by_name};
pub use doc::{convert_doc, convert_to_spools};
pub use fit::{fit_parts, fit_thread, merge};
pub use loss_names::NameDigests;
pub use options::ConvertOptions;
pub use plan::{ConvertPlan, ReasoningMode, ServerTools};
pub use source::read_thread;
