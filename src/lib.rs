//! `replaylint` checks stored LLM conversations for what a provider would reject on replay, repairs them without silent
//! losses, converts them between dialects, and compares them.
//!
//! The library does what the command line does, on bytes or JSON values: it reads no files, prints nothing, and starts
//! threads only for batches ([`check_many`], [`fix_many`]).
//!
//! | | a document (`&[u8]`) | items or messages (`&[serde_json::Value]`) |
//! |---|---|---|
//! | what would be rejected | [`check`] | [`check_items`] |
//! | the provider's error | [`validate`] | |
//! | repair | [`fix`](fix()) | [`fix_items`] |
//! | another dialect | [`convert`](convert()) | [`convert_items`] |
//! | what changed | [`diff`](diff()) | [`diff_items`] |
//!
//! [`Options`] sets the target and the behaviour. Results are plain structs that serialise to the JSON of
//! `--output-format json`.
//!
//! ```
//! use replaylint::{Dialect, Options, fix_items};
//! use serde_json::json;
//!
//! # fn main() -> Result<(), replaylint::Error> {
//! // A run was interrupted: the call has no result, and the API would reject the history.
//! let messages = [
//!     json!({"role": "user", "content": "What is the weather in Rome?"}),
//!     json!({"role": "assistant", "tool_calls": [
//!         {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
//!     ]}),
//!     json!({"role": "user", "content": "And in Oslo?"}),
//! ];
//! let fixed = fix_items(&messages, Dialect::Chat, &Options::new())?;
//! assert_eq!(fixed.items[2]["role"], "tool"); // A placeholder: nothing is lost.
//! assert_eq!(fixed.changes[0].rule, "RL501");
//! # Ok(())
//! # }
//! ```
//!
//! `examples/guard.rs` repairs a request before it is sent.
#![warn(missing_docs)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

// The modules are private: they document rules, formats and the engine, not an API. Their order, and what each may
// import, is the list in `internals`.
#[allow(missing_docs, rustdoc::all)]
mod carry;
#[allow(missing_docs, rustdoc::all)]
mod cli;
#[allow(missing_docs, rustdoc::all)]
mod commands;
#[allow(missing_docs, rustdoc::all)]
mod convert;
#[allow(missing_docs, rustdoc::all)]
mod dialect;
#[allow(missing_docs, rustdoc::all)]
mod dialects;
#[allow(missing_docs, rustdoc::all)]
mod diff;
#[allow(missing_docs, rustdoc::all)]
mod format;
#[allow(missing_docs, rustdoc::all)]
mod formats;
#[allow(missing_docs, rustdoc::all)]
mod history;
#[allow(missing_docs, rustdoc::all)]
mod json;
#[allow(missing_docs, rustdoc::all)]
mod judge;
mod library;
#[allow(missing_docs, rustdoc::all)]
mod message;
#[allow(missing_docs, rustdoc::all)]
mod options;
#[allow(missing_docs, rustdoc::all)]
mod place;
#[allow(missing_docs, rustdoc::all)]
mod read;
#[allow(missing_docs, rustdoc::all)]
mod rebuild;
#[allow(missing_docs, rustdoc::all)]
mod repair;
#[allow(missing_docs, rustdoc::all)]
mod report;
#[allow(missing_docs, rustdoc::all)]
mod rule;
#[allow(missing_docs, rustdoc::all)]
mod rules;
#[allow(missing_docs, rustdoc::all)]
mod schema;
#[allow(missing_docs, rustdoc::all)]
mod source;
#[allow(missing_docs, rustdoc::all)]
mod target;
#[allow(missing_docs, rustdoc::all)]
mod targets;

/// The modules, lowest first, for the command line, tests, benchmarks and fuzzers. Each imports only modules before it,
/// which a test verifies. This is not a stable API.
#[doc(hidden)]
#[allow(missing_docs)]
pub mod internals {
    macro_rules! open {
        ($($room:ident)*) => {
            $(pub mod $room {
                pub use crate::$room::*;
            })*
        };
    }

    open! {
        place json source history message dialect dialects schema target
        targets format formats read rule rules judge repair rebuild
        convert carry diff report options library commands cli
    }
}

pub(crate) use rule::rule;

pub use library::{
    CheckedConversation, CheckedRequest, Converted, ConvertedItems, Dialect, Error, Fixed, FixedItems, Options,
    Report, check, check_items, check_many, check_request, convert, convert_items, diff, diff_items, fix,
    fix_items, fix_many, validate,
};
#[doc(hidden)]
pub use library::{View, page};
pub use repair::{Orphans, Reasoning};
pub use report::contract::{
    ApiError, ApiErrorBody, Change, Diagnostic, Fix, Input, Related, Repaired, Span, Summary,
};
pub use report::diff_contract::{
    CacheLoss, Diff, DiffSummary, EntryDiff, HistoryDiff, RenamedId, SettingDiff, Side, UnsentDiff, ValueDiff,
    WordReplacement,
};
