//! The settings that more than one dialect has, a row each: the path in every dialect, and the kind of loss. A setting is
//! kept if the target has a path for it, and lost otherwise. A setting that only one dialect has is a full loss, unless it
//! is listed here as harmless or as state on the server.
//!
//! Sources: the request types of the official SDKs (openai, anthropic, google-genai, botocore).

use std::sync::LazyLock;

use foldhash::{HashMap, HashSet};

use super::LossKind;

const CHAT: &str = "chat";
const RESPONSES: &str = "responses";
const ANTHROPIC: &str = "anthropic";
const GEMINI: &str = "gemini";
const BEDROCK: &str = "bedrock";

/// A setting that more than one dialect has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SettingName {
    MaxTokens,
    /// The same under the name that most servers of Chat Completions use.
    LegacyMaxTokens,
    Temperature,
    TopP,
    TopK,
    Stop,
    Seed,
    FrequencyPenalty,
    PresencePenalty,
    /// The number of answers.
    Answers,
    Logprobs,
    TopLogprobs,
    Verbosity,
    /// Reasoning effort as a word.
    Effort,
    /// Reasoning effort in tokens.
    Budget,
    /// A summary of the reasoning in the answer.
    Summary,
    /// The format of the answer.
    Output,
    /// The tools that the model may or must call.
    Choice,
    /// Several tool calls at once.
    Parallel,
    Store,
    Stream,
    Metadata,
    User,
    ServiceTier,
    CacheKey,
    CacheRetention,
    CacheOptions,
    SafetyIdentifier,
    Moderation,
}

/// A row of the table.
pub struct SettingRow {
    pub name: SettingName,
    /// The path in each dialect: names of members, separated by dots.
    pub paths: &'static [(&'static str, &'static str)],
    /// Other paths, which are read and never written: older names, and those of vendors.
    pub aliases: &'static [(&'static str, &'static str)],
    /// The kind of loss where a target does not have it.
    pub loss: LossKind,
}

const fn row(name: SettingName, paths: &'static [(&'static str, &'static str)]) -> SettingRow {
    SettingRow { name, paths, aliases: &[], loss: LossKind::SETTING }
}

/// A setting without influence on the output of a model: transport, caches, accounts.
const fn harmless(name: SettingName, paths: &'static [(&'static str, &'static str)]) -> SettingRow {
    SettingRow { loss: LossKind::HARMLESS_SETTING, ..row(name, paths) }
}

impl SettingRow {
    const fn with_aliases(self, aliases: &'static [(&'static str, &'static str)]) -> SettingRow {
        SettingRow { aliases, ..self }
    }
}

/// The table.
pub static SETTING_ROWS: [SettingRow; 29] = [
    row(
        SettingName::MaxTokens,
        &[
            (CHAT, "max_completion_tokens"),
            (RESPONSES, "max_output_tokens"),
            (ANTHROPIC, "max_tokens"),
            (GEMINI, "generationConfig.maxOutputTokens"),
            (BEDROCK, "inferenceConfig.maxTokens"),
        ],
    ),
    row(SettingName::LegacyMaxTokens, &[(CHAT, "max_tokens")]),
    row(
        SettingName::Temperature,
        &[
            (CHAT, "temperature"),
            (RESPONSES, "temperature"),
            (ANTHROPIC, "temperature"),
            (GEMINI, "generationConfig.temperature"),
            (BEDROCK, "inferenceConfig.temperature"),
        ],
    ),
    row(
        SettingName::TopP,
        &[
            (CHAT, "top_p"),
            (RESPONSES, "top_p"),
            (ANTHROPIC, "top_p"),
            (GEMINI, "generationConfig.topP"),
            (BEDROCK, "inferenceConfig.topP"),
        ],
    ),
    row(
        SettingName::TopK,
        &[
            (ANTHROPIC, "top_k"),
            (GEMINI, "generationConfig.topK"),
            (BEDROCK, "additionalModelRequestFields.top_k"),
        ],
    )
    .with_aliases(&[(CHAT, "top_k")]),
    row(
        SettingName::Stop,
        &[
            (CHAT, "stop"),
            (ANTHROPIC, "stop_sequences"),
            (GEMINI, "generationConfig.stopSequences"),
            (BEDROCK, "inferenceConfig.stopSequences"),
        ],
    ),
    row(SettingName::Seed, &[(CHAT, "seed"), (GEMINI, "generationConfig.seed")])
        .with_aliases(&[(CHAT, "random_seed")]),
    row(
        SettingName::FrequencyPenalty,
        &[(CHAT, "frequency_penalty"), (GEMINI, "generationConfig.frequencyPenalty")],
    ),
    row(SettingName::PresencePenalty, &[(CHAT, "presence_penalty"), (GEMINI, "generationConfig.presencePenalty")]),
    row(SettingName::Answers, &[(CHAT, "n"), (GEMINI, "generationConfig.candidateCount")]),
    row(
        SettingName::Logprobs,
        // The Responses API turns them on by an entry of a list.
        &[(CHAT, "logprobs"), (RESPONSES, "include.logprobs"), (GEMINI, "generationConfig.responseLogprobs")],
    ),
    row(
        SettingName::TopLogprobs,
        &[(CHAT, "top_logprobs"), (RESPONSES, "top_logprobs"), (GEMINI, "generationConfig.logprobs")],
    ),
    row(SettingName::Verbosity, &[(CHAT, "verbosity"), (RESPONSES, "text.verbosity")]),
    row(
        SettingName::Effort,
        &[
            (CHAT, "reasoning_effort"),
            (RESPONSES, "reasoning.effort"),
            (ANTHROPIC, "output_config.effort"),
            (GEMINI, "generationConfig.thinkingConfig.thinkingLevel"),
            (BEDROCK, "outputConfig.effort"),
        ],
    )
    .with_aliases(&[(CHAT, "reasoning.effort")]),
    row(
        SettingName::Budget,
        &[
            (ANTHROPIC, "thinking.budget_tokens"),
            (GEMINI, "generationConfig.thinkingConfig.thinkingBudget"),
            (BEDROCK, "additionalModelRequestFields.thinking.budget_tokens"),
        ],
    )
    .with_aliases(&[(CHAT, "reasoning.max_tokens")]),
    row(
        SettingName::Summary,
        &[(RESPONSES, "reasoning.summary"), (GEMINI, "generationConfig.thinkingConfig.includeThoughts")],
    )
    .with_aliases(&[(RESPONSES, "reasoning.generate_summary")]),
    row(
        SettingName::Output,
        &[
            (CHAT, "response_format"),
            (RESPONSES, "text.format"),
            (ANTHROPIC, "output_config.format"),
            (GEMINI, "generationConfig.responseJsonSchema"),
            (BEDROCK, "outputConfig.textFormat"),
        ],
    )
    .with_aliases(&[
        (ANTHROPIC, "output_format"),
        (GEMINI, "generationConfig.responseSchema"),
        (GEMINI, "generationConfig.responseMimeType"),
    ]),
    row(
        SettingName::Choice,
        &[
            (CHAT, "tool_choice"),
            (RESPONSES, "tool_choice"),
            (ANTHROPIC, "tool_choice"),
            (GEMINI, "toolConfig.functionCallingConfig"),
            (BEDROCK, "toolConfig.toolChoice"),
        ],
    )
    .with_aliases(&[(CHAT, "function_call")]),
    row(
        SettingName::Parallel,
        &[
            (CHAT, "parallel_tool_calls"),
            (RESPONSES, "parallel_tool_calls"),
            (ANTHROPIC, "tool_choice.disable_parallel_tool_use"),
        ],
    ),
    harmless(SettingName::Store, &[(CHAT, "store"), (RESPONSES, "store")]),
    harmless(SettingName::Stream, &[(CHAT, "stream"), (RESPONSES, "stream"), (ANTHROPIC, "stream")]),
    harmless(SettingName::Metadata, &[(CHAT, "metadata"), (RESPONSES, "metadata"), (BEDROCK, "requestMetadata")]),
    harmless(SettingName::User, &[(CHAT, "user"), (RESPONSES, "user"), (ANTHROPIC, "metadata.user_id")]),
    harmless(
        SettingName::ServiceTier,
        &[
            (CHAT, "service_tier"),
            (RESPONSES, "service_tier"),
            (ANTHROPIC, "service_tier"),
            (GEMINI, "serviceTier"),
            (BEDROCK, "serviceTier.type"),
        ],
    ),
    harmless(SettingName::CacheKey, &[(CHAT, "prompt_cache_key"), (RESPONSES, "prompt_cache_key")]),
    harmless(
        SettingName::CacheRetention,
        &[(CHAT, "prompt_cache_retention"), (RESPONSES, "prompt_cache_retention")],
    ),
    harmless(SettingName::CacheOptions, &[(CHAT, "prompt_cache_options"), (RESPONSES, "prompt_cache_options")]),
    harmless(SettingName::SafetyIdentifier, &[(CHAT, "safety_identifier"), (RESPONSES, "safety_identifier")]),
    harmless(SettingName::Moderation, &[(CHAT, "moderation"), (RESPONSES, "moderation")]),
];

/// Members that only one dialect has, without influence on the output of a model: the last name of their path.
const HARMLESS: [&str; 19] = [
    "stream_options",
    "streamOptions",
    "streamFunctionCallArguments",
    "include",
    "prediction",
    "serviceTier",
    "background",
    "provider",
    "usage",
    "labels",
    "cache_control",
    "additionalModelResponseFieldPaths",
    "performanceConfig",
    "anthropic_version",
    "anthropic_beta",
    "betas",
    "inference_geo",
    "speed",
    "service_tier",
];

/// The dialects whose requests name a tier of the service.
const TIER_DIALECTS: [&str; 5] = [CHAT, RESPONSES, ANTHROPIC, GEMINI, BEDROCK];
/// A tier: another word for it, and the words of these dialects, empty where they do not have it.
const TIERS: [(&str, [&str; 5]); 6] = [
    ("", ["auto", "auto", "auto", "", ""]),
    ("on_demand", ["default", "default", "standard_only", "standard", "default"]),
    ("", ["flex", "flex", "", "flex", "flex"]),
    ("", ["priority", "priority", "", "priority", "priority"]),
    ("", ["scale", "scale", "", "", ""]),
    ("", ["fast", "fast", "", "", ""]),
];

/// The word of a dialect for a tier of another one's service; `None` if it has no such tier.
pub fn service_tier(word: &str, dialect: &str) -> Option<&'static str> {
    let (_, words) =
        TIERS.iter().find(|(alias, words)| !word.is_empty() && (*alias == word || words.contains(&word)))?;
    let at = TIER_DIALECTS.iter().position(|own| *own == dialect)?;
    words.get(at).copied().filter(|word| !word.is_empty())
}

/// Members that refer to state on the server, which is not in the file.
const STATE: [(&str, &str); 5] = [
    (RESPONSES, "previous_response_id"),
    (RESPONSES, "conversation"),
    (RESPONSES, "prompt"),
    (GEMINI, "cachedContent"),
    (ANTHROPIC, "container"),
];

impl SettingRow {
    /// The row of a setting.
    pub fn of(name: SettingName) -> Option<&'static SettingRow> {
        // The rows are in the order of the names.
        SETTING_ROWS.get(name as usize)
    }

    /// The row of the setting at this path in a dialect.
    pub fn by_path(dialect: &str, path: &str) -> Option<&'static SettingRow> {
        static ROWS: LazyLock<HashMap<(&str, &str), &SettingRow>> = LazyLock::new(|| {
            let paths = |row: &'static SettingRow| row.all_paths().map(move |path| (*path, row));
            SETTING_ROWS.iter().rev().flat_map(paths).collect()
        });
        ROWS.get(&(dialect, path)).copied()
    }

    /// The path at which a dialect writes it; `None` if the dialect does not have it.
    pub fn path(&self, dialect: &str) -> Option<&'static str> {
        self.paths.iter().find(|(own, _)| *own == dialect).map(|(_, path)| *path)
    }

    fn all_paths(&self) -> impl Iterator<Item = &(&'static str, &'static str)> {
        self.paths.iter().chain(self.aliases)
    }
}

/// True if a dialect has a setting.
pub fn has_setting(dialect: &str, name: SettingName) -> bool {
    SettingRow::of(name).is_some_and(|row| row.path(dialect).is_some())
}

/// True if the object at a path contains settings.
pub fn contains_settings(dialect: &str, path: &str) -> bool {
    static OBJECTS: LazyLock<HashSet<(&str, &str)>> = LazyLock::new(|| {
        let around = |(dialect, path): &(&'static str, &'static str)| {
            let (dialect, path) = (*dialect, *path);
            path.match_indices('.').filter_map(move |(end, _)| Some((dialect, path.get(..end)?)))
        };
        SETTING_ROWS.iter().flat_map(SettingRow::all_paths).flat_map(around).collect()
    });
    OBJECTS.contains(&(dialect, path))
}

/// True if a member refers to state on the server.
pub fn is_server_state(dialect: &str, path: &str) -> bool {
    STATE.contains(&(dialect, path))
}

/// The kind of loss of a member that only one dialect has.
pub fn dialect_only_loss(path: &str) -> LossKind {
    let last = path.rsplit('.').next().unwrap_or(path);
    if HARMLESS.contains(&last) { LossKind::HARMLESS_SETTING } else { LossKind::SETTING }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_leads_to_one_row() {
        let mut all: Vec<_> = SETTING_ROWS.iter().flat_map(SettingRow::all_paths).collect();
        let before = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), before, "one path, two rows");
        for row in &SETTING_ROWS {
            assert!(std::ptr::eq(SettingRow::of(row.name).expect("its row"), row), "two rows for {:?}", row.name);
        }
    }

    #[test]
    fn tiers_have_a_word_in_each_dialect() {
        assert_eq!(service_tier("default", ANTHROPIC), Some("standard_only"));
        assert_eq!(service_tier("standard_only", BEDROCK), Some("default"));
        assert_eq!(service_tier("priority", BEDROCK), Some("priority"));
        assert_eq!(service_tier("on_demand", GEMINI), Some("standard"));
        assert_eq!(service_tier("flex", ANTHROPIC), None);
        assert_eq!(service_tier("", CHAT), None);
    }

    #[test]
    fn objects_that_hold_settings_are_known() {
        assert!(
            contains_settings(GEMINI, "generationConfig")
                && contains_settings(GEMINI, "generationConfig.thinkingConfig")
        );
        assert!(
            contains_settings(BEDROCK, "additionalModelRequestFields") && !contains_settings(CHAT, "metadata")
        );
        assert!(!contains_settings(CHAT, "stop"));
    }
}
