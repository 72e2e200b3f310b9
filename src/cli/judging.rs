//! The options that say for which API, model and account conversations are judged, and by which rules.

use std::path::PathBuf;

use clap::Args;

/// The API that conversations are sent to.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Target")]
pub(super) struct TargetArgs {
    /// API to check against (see `replaylint targets`)
    #[arg(long, value_name = "NAME")]
    pub target: Option<String>,
    /// Whether the server stores items: true or false
    #[arg(long, value_name = "BOOL", hide_possible_values = true)]
    pub store: Option<bool>,
    /// Model, if the file does not specify it
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Use this time as "now" when computing ages (2026-01-31T12:00:00Z or Unix seconds)
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    pub now: Option<String>,
}

/// The rules, and how they are applied.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Rules")]
pub(super) struct JudgeArgs {
    /// Enable only these rules (codes, prefixes or names)
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    pub select: Vec<String>,
    /// Enable these rules in addition to the selected ones
    #[arg(long, value_name = "RULE", value_delimiter = ',', hide_short_help = true)]
    pub extend_select: Vec<String>,
    /// Disable these rules
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    pub ignore: Vec<String>,
    /// Treat these rules as errors, because the server rejected this request for them
    #[arg(long, value_name = "RULE", value_delimiter = ',', hide_short_help = true)]
    pub proven: Vec<String>,
    /// Treat the input as a request, or as a log whose last call may be pending
    #[arg(long = "as", value_name = "KIND", value_parser = ["request", "log"])]
    pub usage: Option<String>,
    /// Model that goes on with it: MODEL or TARGET:MODEL
    #[arg(long = "for", value_name = "MODEL", help_heading = "Target")]
    pub next_model: Option<String>,
    /// The conversation goes on in another account: report encrypted reasoning, compactions and ids, or remove them
    #[arg(long, help_heading = "Target", hide_short_help = true)]
    pub account_changed: bool,
    /// Agent version that will resume the session; problems that version repairs by itself become notes
    #[arg(long, value_name = "VERSION", hide_short_help = true)]
    pub agent_version: Option<String>,
    /// Reasoning effort, if the file does not specify it
    #[arg(long, value_name = "LEVEL", hide_short_help = true)]
    pub effort: Option<String>,
    /// Check each item against this JSON Schema instead of the provider's
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub schema: Option<PathBuf>,
    /// Report references to server-side items older than AGE, e.g. 30d
    #[arg(long, value_name = "AGE", hide_short_help = true)]
    pub max_item_age: Option<String>,
}
