//! The settings that more than one dialect has, a row each: its path in every dialect, and what its loss weighs. A
//! setting is carried over wherever the target has a path for it, and is lost, by the row's own kind of loss, wherever
//! it has none. What only one dialect has is lost with full weight, unless it is listed here as harmless or as state that
//! the server holds.
//!
//! Sources: the request types of the official SDKs (openai, anthropic, google-genai, botocore).

use super::LossKind;

const CHAT: &str = "chat";
const RESPONSES: &str = "responses";
const ANTHROPIC: &str = "anthropic";
const GEMINI: &str = "gemini";
const BEDROCK: &str = "bedrock";

/// A setting that more than one dialect knows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Name {
    MaxTokens,
    /// The same under the name that most servers of Chat Completions know.
    OldLimit,
    Temperature,
    TopP,
    TopK,
    Stop,
    Seed,
    FrequencyPenalty,
    PresencePenalty,
    /// How many answers are wanted.
    Answers,
    Logprobs,
    TopLogprobs,
    Verbosity,
    /// How hard to think, as a word.
    Effort,
    /// How hard to think, in tokens.
    Budget,
    /// Whether the answer shows what was thought.
    Summary,
    /// The form of the answer.
    Output,
    /// Which tool to call.
    Choice,
    /// Whether several tools may be called at once.
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
pub struct Form {
    pub name: Name,
    /// Dialects and the path there: names of members with dots between them.
    pub paths: &'static [(&'static str, &'static str)],
    /// Other paths that are read, and never written: older names, and those of vendors.
    pub reads: &'static [(&'static str, &'static str)],
    /// What it is to lose it.
    pub loss: LossKind,
}

const fn form(name: Name, paths: &'static [(&'static str, &'static str)]) -> Form {
    Form { name, paths, reads: &[], loss: LossKind::SETTING }
}

/// A setting that changes nothing of what a model says: transport, caches, accounts.
const fn harmless(name: Name, paths: &'static [(&'static str, &'static str)]) -> Form {
    Form { loss: LossKind::HARMLESS_SETTING, ..form(name, paths) }
}

impl Form {
    const fn reading(self, reads: &'static [(&'static str, &'static str)]) -> Form {
        Form { reads, ..self }
    }
}

/// The table.
pub static FORMS: [Form; 29] = [
    form(
        Name::MaxTokens,
        &[
            (CHAT, "max_completion_tokens"),
            (RESPONSES, "max_output_tokens"),
            (ANTHROPIC, "max_tokens"),
            (GEMINI, "generationConfig.maxOutputTokens"),
            (BEDROCK, "inferenceConfig.maxTokens"),
        ],
    ),
    form(Name::OldLimit, &[(CHAT, "max_tokens")]),
    form(
        Name::Temperature,
        &[
            (CHAT, "temperature"),
            (RESPONSES, "temperature"),
            (ANTHROPIC, "temperature"),
            (GEMINI, "generationConfig.temperature"),
            (BEDROCK, "inferenceConfig.temperature"),
        ],
    ),
    form(
        Name::TopP,
        &[
            (CHAT, "top_p"),
            (RESPONSES, "top_p"),
            (ANTHROPIC, "top_p"),
            (GEMINI, "generationConfig.topP"),
            (BEDROCK, "inferenceConfig.topP"),
        ],
    ),
    form(
        Name::TopK,
        &[
            (ANTHROPIC, "top_k"),
            (GEMINI, "generationConfig.topK"),
            (BEDROCK, "additionalModelRequestFields.top_k"),
        ],
    )
    .reading(&[(CHAT, "top_k")]),
    form(
        Name::Stop,
        &[
            (CHAT, "stop"),
            (ANTHROPIC, "stop_sequences"),
            (GEMINI, "generationConfig.stopSequences"),
            (BEDROCK, "inferenceConfig.stopSequences"),
        ],
    ),
    form(Name::Seed, &[(CHAT, "seed"), (GEMINI, "generationConfig.seed")]).reading(&[(CHAT, "random_seed")]),
    form(Name::FrequencyPenalty, &[(CHAT, "frequency_penalty"), (GEMINI, "generationConfig.frequencyPenalty")]),
    form(Name::PresencePenalty, &[(CHAT, "presence_penalty"), (GEMINI, "generationConfig.presencePenalty")]),
    form(Name::Answers, &[(CHAT, "n"), (GEMINI, "generationConfig.candidateCount")]),
    form(
        Name::Logprobs,
        // The Responses API has a word for it in a list.
        &[(CHAT, "logprobs"), (RESPONSES, "include.logprobs"), (GEMINI, "generationConfig.responseLogprobs")],
    ),
    form(
        Name::TopLogprobs,
        &[(CHAT, "top_logprobs"), (RESPONSES, "top_logprobs"), (GEMINI, "generationConfig.logprobs")],
    ),
    form(Name::Verbosity, &[(CHAT, "verbosity"), (RESPONSES, "text.verbosity")]),
    form(
        Name::Effort,
        &[
            (CHAT, "reasoning_effort"),
            (RESPONSES, "reasoning.effort"),
            (ANTHROPIC, "output_config.effort"),
            (GEMINI, "generationConfig.thinkingConfig.thinkingLevel"),
            (BEDROCK, "outputConfig.effort"),
        ],
    )
    .reading(&[(CHAT, "reasoning.effort")]),
    form(
        Name::Budget,
        &[
            (ANTHROPIC, "thinking.budget_tokens"),
            (GEMINI, "generationConfig.thinkingConfig.thinkingBudget"),
            (BEDROCK, "additionalModelRequestFields.thinking.budget_tokens"),
        ],
    )
    .reading(&[(CHAT, "reasoning.max_tokens")]),
    form(
        Name::Summary,
        &[(RESPONSES, "reasoning.summary"), (GEMINI, "generationConfig.thinkingConfig.includeThoughts")],
    )
    .reading(&[(RESPONSES, "reasoning.generate_summary")]),
    form(
        Name::Output,
        &[
            (CHAT, "response_format"),
            (RESPONSES, "text.format"),
            (ANTHROPIC, "output_config.format"),
            (GEMINI, "generationConfig.responseJsonSchema"),
            (BEDROCK, "outputConfig.textFormat"),
        ],
    )
    .reading(&[
        (ANTHROPIC, "output_format"),
        (GEMINI, "generationConfig.responseSchema"),
        (GEMINI, "generationConfig.responseMimeType"),
    ]),
    form(
        Name::Choice,
        &[
            (CHAT, "tool_choice"),
            (RESPONSES, "tool_choice"),
            (ANTHROPIC, "tool_choice"),
            (GEMINI, "toolConfig.functionCallingConfig"),
            (BEDROCK, "toolConfig.toolChoice"),
        ],
    )
    .reading(&[(CHAT, "function_call")]),
    form(
        Name::Parallel,
        &[
            (CHAT, "parallel_tool_calls"),
            (RESPONSES, "parallel_tool_calls"),
            (ANTHROPIC, "tool_choice.disable_parallel_tool_use"),
        ],
    ),
    harmless(Name::Store, &[(CHAT, "store"), (RESPONSES, "store")]),
    harmless(Name::Stream, &[(CHAT, "stream"), (RESPONSES, "stream"), (ANTHROPIC, "stream")]),
    harmless(Name::Metadata, &[(CHAT, "metadata"), (RESPONSES, "metadata"), (BEDROCK, "requestMetadata")]),
    harmless(Name::User, &[(CHAT, "user"), (RESPONSES, "user"), (ANTHROPIC, "metadata.user_id")]),
    harmless(Name::ServiceTier, &[(CHAT, "service_tier"), (RESPONSES, "service_tier")]),
    harmless(Name::CacheKey, &[(CHAT, "prompt_cache_key"), (RESPONSES, "prompt_cache_key")]),
    harmless(Name::CacheRetention, &[(CHAT, "prompt_cache_retention"), (RESPONSES, "prompt_cache_retention")]),
    harmless(Name::CacheOptions, &[(CHAT, "prompt_cache_options"), (RESPONSES, "prompt_cache_options")]),
    harmless(Name::SafetyIdentifier, &[(CHAT, "safety_identifier"), (RESPONSES, "safety_identifier")]),
    harmless(Name::Moderation, &[(CHAT, "moderation"), (RESPONSES, "moderation")]),
];

/// Members that only one dialect has, and that change nothing of what a model says: the last name of their path.
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

/// Members that refer to what lies on the server, and is not in the file.
const STATE: [(&str, &str); 5] = [
    (RESPONSES, "previous_response_id"),
    (RESPONSES, "conversation"),
    (RESPONSES, "prompt"),
    (GEMINI, "cachedContent"),
    (ANTHROPIC, "container"),
];

impl Form {
    /// The row of a setting.
    pub fn of(name: Name) -> Option<&'static Form> {
        FORMS.iter().find(|form| form.name == name)
    }

    /// The row of what has this path in a dialect.
    pub fn at(dialect: &str, path: &str) -> Option<&'static Form> {
        FORMS.iter().find(|form| form.all().any(|own| *own == (dialect, path)))
    }

    /// Where it is written in a dialect.
    pub fn path(&self, dialect: &str) -> Option<&'static str> {
        self.paths.iter().find(|(own, _)| *own == dialect).map(|(_, path)| *path)
    }

    fn all(&self) -> impl Iterator<Item = &(&'static str, &'static str)> {
        self.paths.iter().chain(self.reads)
    }
}

/// Whether a dialect has a setting.
pub fn has(dialect: &str, name: Name) -> bool {
    Form::of(name).is_some_and(|form| form.path(dialect).is_some())
}

/// Whether the object at a path holds settings.
pub fn holds(dialect: &str, path: &str) -> bool {
    let within = |own: &str| own.strip_prefix(path).is_some_and(|rest| rest.starts_with('.'));
    FORMS.iter().any(|form| form.all().any(|(name, own)| *name == dialect && within(own)))
}

/// Whether a member refers to what the server holds.
pub fn is_state(dialect: &str, path: &str) -> bool {
    STATE.contains(&(dialect, path))
}

/// What it is to lose a member that only one dialect has.
pub fn loss_alone(path: &str) -> LossKind {
    let last = path.rsplit('.').next().unwrap_or(path);
    if HARMLESS.contains(&last) { LossKind::HARMLESS_SETTING } else { LossKind::SETTING }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_leads_to_one_row() {
        let mut all: Vec<_> = FORMS.iter().flat_map(Form::all).collect();
        let before = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), before, "one path, two rows");
        for form in &FORMS {
            assert!(std::ptr::eq(Form::of(form.name).expect("its row"), form), "two rows for {:?}", form.name);
        }
    }

    #[test]
    fn objects_that_hold_settings_are_known() {
        assert!(holds(GEMINI, "generationConfig") && holds(GEMINI, "generationConfig.thinkingConfig"));
        assert!(holds(BEDROCK, "additionalModelRequestFields") && !holds(CHAT, "metadata"));
        assert!(!holds(CHAT, "stop"));
    }
}
