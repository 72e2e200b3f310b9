//! Reports: findings made readable, and the outputs that print them. All outputs show the same diagnostics with the same
//! places.

pub mod changes;
pub mod client_versions;
pub mod command_line;
pub mod contract;
mod diagnose;
mod diagnostic;
pub mod diff_concise;
pub mod diff_contract;
pub mod diff_json;
pub mod history_diff;
pub mod html;
mod hunks;
pub mod image_list;
mod item_text;
pub mod locator;
pub mod mask;
pub mod preview;
pub mod proposal;
pub mod recognise;
pub mod recorded;
pub mod rule_page;
pub mod rulebook;
pub mod slim_report;
pub mod snippet;
pub mod table;
pub mod tree;
pub mod words;

pub mod change_counts;
mod conversion_losses;
pub mod error_place;
mod finding_reader;
mod grouping;
mod item_facts;
mod item_line;
pub mod outputs;
pub mod prediction;
mod reporter;
pub mod request_path;
mod sampling;
pub mod segment_locations;
pub mod skipped_groups;
mod style;
mod summary;
pub mod updates;
mod value_changes;
mod word_diff;

use outputs::{api_error, concise, github, gitlab, json, jsonl, junit, sarif, text};

/// Constructor of an output.
pub type ReporterConstructor = fn(Style) -> Box<dyn Reporter>;

/// The table of outputs.
pub static OUTPUTS: &[(&str, ReporterConstructor)] = &[
    ("text", |style| Box::new(text::TextReporter::new(style))),
    ("concise", |style| Box::new(concise::ConciseReporter::new(style))),
    ("json", |_| Box::new(json::JsonReporter::default())),
    ("jsonl", |_| Box::new(jsonl::JsonLinesReporter::default())),
    ("sarif", |style| Box::new(sarif::SarifReporter::new(style))),
    ("github", |style| Box::new(github::GithubReporter::new(style))),
    ("gitlab", |style| Box::new(gitlab::GitlabReporter::new(style))),
    ("junit", |style| Box::new(junit::JunitReporter::new(style))),
    ("html", |_| Box::new(html::HtmlReporter::default())),
    ("api-error", |style| Box::new(api_error::ApiErrorReporter::new(style))),
];

/// The constructor of the output with this name; `None` if there is none.
pub fn by_name(name: &str) -> Option<ReporterConstructor> {
    OUTPUTS.iter().find(|(known, _)| *known == name).map(|(_, make)| *make)
}

pub use diagnose::{diagnose, diagnose_batches, diagnose_some};
pub use diagnostic::{Diagnostic, FindingIdentity, FixNote, Location, RelatedLocation, Replacement};
pub use finding_reader::ContentDisplay;
pub use outputs::api_error::first_refusal;
pub use outputs::ci::{BaselineKey, baseline_keys};
pub use outputs::json::{diagnostic_value, printable_json, summary_value, write_compact, write_pretty};
pub use outputs::text::fix_offers;
pub use reporter::{DiagnosticSink, Reporter};
pub use sampling::{FindingSample, SimilarFindings};
pub use snippet::Snippet;
pub use style::Style;
pub use summary::{DocReport, IgnoredCounts, InputKind, RunSummary};
