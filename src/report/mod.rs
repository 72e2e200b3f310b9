//! Reports: findings made readable, and the outputs that print them. All outputs show the same diagnostics with the same
//! places.

pub mod changes;
pub mod command_line;
pub mod contract;
mod diagnose;
mod diagnostic;
pub mod histories;
pub mod html;
pub mod mask;
pub mod page;
pub mod place;
pub mod preview;
pub mod proposal;
pub mod recognise;
pub mod rulebook;
mod said;
pub mod saving;
mod settings;
pub mod snippet;
pub mod table;
mod telling;
pub mod tree;
pub mod words;

mod counts;
pub mod error_place;
mod item_facts;
mod item_line;
pub mod left_alone;
pub mod locations;
mod losses;
mod output;
pub mod outputs;
pub mod prediction;
mod sampling;
mod snippet_reader;
mod style;
mod summary;
pub mod sums;
pub mod updates;

use outputs::{api_error, concise, github, gitlab, json, jsonl, junit, sarif, text};

/// Makes a report.
pub type Make = fn(Style) -> Box<dyn Report>;

/// The table of outputs.
pub static OUTPUTS: &[(&str, Make)] = &[
    ("text", |style| Box::new(text::Text::new(style))),
    ("concise", |style| Box::new(concise::Concise::new(style))),
    ("json", |_| Box::new(json::Json::default())),
    ("jsonl", |_| Box::new(jsonl::JsonLines::default())),
    ("sarif", |style| Box::new(sarif::Sarif::new(style))),
    ("github", |style| Box::new(github::Github::new(style))),
    ("gitlab", |style| Box::new(gitlab::Gitlab::new(style))),
    ("junit", |style| Box::new(junit::Junit::new(style))),
    ("html", |_| Box::new(html::Html::default())),
    ("api-error", |style| Box::new(api_error::ApiError::new(style))),
];

/// The output with this name.
pub fn by_name(name: &str) -> Option<Make> {
    OUTPUTS.iter().find(|(known, _)| *known == name).map(|(_, make)| *make)
}

pub use diagnose::{diagnose, diagnose_some};
pub use diagnostic::{Diagnostic, FixNote, Identity, Related, Replacement, Spot};
pub use output::Report;
pub use outputs::ci::{Mark, marks};
pub use outputs::json::{diagnostic_value, printable_json, summary_value, write_compact, write_pretty};
pub use outputs::text::offers;
pub use sampling::Picked;
pub use snippet::Snippet;
pub use snippet_reader::Content;
pub use style::Style;
pub use summary::{Ignored, ReadAs, Seen, Summary};
