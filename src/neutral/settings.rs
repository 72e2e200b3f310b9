//! What a request asks for beside its conversation, as far as more than one dialect knows it.

use super::{At, Raw, Text};

/// A setting, and where its key stands.
#[derive(Clone, Debug)]
pub struct Setting<T> {
    pub value: T,
    pub at: At,
}

/// A setting that may be absent.
pub type Set<T> = Option<Setting<T>>;

#[derive(Clone, Debug, Default)]
pub struct Settings {
    pub max_tokens: Set<Raw>,
    pub temperature: Set<Raw>,
    pub top_p: Set<Raw>,
    pub top_k: Set<Raw>,
    pub stop: Set<Vec<Text>>,
    pub choice: Set<Choice>,
    /// Whether the model may call several tools at once.
    pub parallel: Set<bool>,
    pub store: Set<bool>,
    pub stream: Set<bool>,
    /// How hard to think: `low`, `medium`, `high` …
    pub effort: Set<Text>,
    pub output: Set<OutputFormat>,
    /// Settings that both APIs of OpenAI know under one name.
    pub shared: Vec<Shared>,
    /// Settings that no other dialect knows; where their keys stand, and whether a model's answer depends on them.
    pub others: Vec<Setting<bool>>,
    /// The request builds on history that the server holds.
    pub state: Vec<At>,
}

#[derive(Clone, Debug)]
pub struct Shared {
    pub key: &'static str,
    pub value: Raw,
    pub at: At,
}

/// Which tool to call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Choice {
    Auto,
    None,
    /// Any tool, but one.
    Required,
    Tool(Text),
}

/// The form of the answer.
#[derive(Clone, Debug)]
pub enum OutputFormat {
    Json,
    Schema { name: Option<Text>, description: Option<Text>, schema: Raw, strict: Option<bool> },
}

impl Settings {
    /// The names of settings that change nothing of what a model says: transport, caches, accounts.
    pub const HARMLESS: [&'static str; 30] = [
        "stream_options",
        "streamOptions",
        "metadata",
        "user",
        "include",
        "service_tier",
        "serviceTier",
        "prompt_cache_key",
        "prompt_cache_retention",
        "prompt_cache_options",
        "safety_identifier",
        "background",
        "store",
        "stream",
        "n",
        "logprobs",
        "top_logprobs",
        "provider",
        "usage",
        "labels",
        "cache_control",
        "cachedContent",
        "requestMetadata",
        "additionalModelResponseFieldPaths",
        "performanceConfig",
        "anthropic_version",
        "anthropic_beta",
        "betas",
        "moderation",
        "inference_geo",
    ];
}
