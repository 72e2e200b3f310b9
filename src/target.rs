//! Targets: the APIs that a history is replayed to. Targets are data: the capabilities of their server, and its
//! verdicts where they differ from a rule's defaults. Rules ask for capabilities, never for a target's name.

pub mod media;

use crate::history::Code;

/// The severity of a finding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// A note: shown in JSON, and in text with `-v`; does not change the exit code and is never fixed.
    Info,
    Warning,
    Error,
}

impl Severity {
    pub fn name(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// The severity if the server stores items, and if it stores none; `None` means off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Levels {
    pub stored: Option<Severity>,
    pub stateless: Option<Severity>,
}

const E: Option<Severity> = Some(Severity::Error);
const W: Option<Severity> = Some(Severity::Warning);
const I: Option<Severity> = Some(Severity::Info);

impl Levels {
    pub const ERROR: Levels = Levels { stored: E, stateless: E };
    pub const WARNING: Levels = Levels { stored: W, stateless: W };
    pub const INFO: Levels = Levels { stored: I, stateless: I };
    pub const OFF: Levels = Levels { stored: None, stateless: None };
    pub const STATELESS_ERROR: Levels = Levels { stored: None, stateless: E };
    pub const STATELESS_WARNING: Levels = Levels { stored: None, stateless: W };
    pub const STORED_ERROR: Levels = Levels { stored: E, stateless: None };
    pub const STORED_WARNING: Levels = Levels { stored: W, stateless: None };
    pub const ERROR_OR_INFO: Levels = Levels { stored: E, stateless: I };
    pub const WARNING_OR_INFO: Levels = Levels { stored: W, stateless: I };

    pub fn at(self, stored: bool) -> Option<Severity> {
        if stored { self.stored } else { self.stateless }
    }

    /// True if it is never more than a note.
    pub fn is_note(self) -> bool {
        self.stored.max(self.stateless) == I
    }
}

/// The other fields of a provider's error besides the sentence, in OpenAI's form:
/// `{"error":{"message":…,"type":…,"param":…,"code":…}}`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ErrorDetails {
    pub kind: &'static str,
    /// The place that the error names; a template like the sentence.
    pub param: Option<&'static str>,
    pub code: Option<&'static str>,
}

impl ErrorDetails {
    /// For the history as a whole. OpenAI's Responses API names its list, `input` (recorded).
    pub const HISTORY: ErrorDetails =
        ErrorDetails { kind: "invalid_request_error", param: Some("{list}"), code: None };
    /// For a field of an item that the API does not know.
    pub const UNKNOWN_FIELD: ErrorDetails = ErrorDetails {
        param: Some("input[{index}].{field}"),
        code: Some("unknown_parameter"),
        ..ErrorDetails::HISTORY
    };
    /// For a body that is not a valid request.
    pub const BODY: ErrorDetails = ErrorDetails { param: None, ..ErrorDetails::HISTORY };
    /// For Google's APIs: a status and no place.
    pub const GOOGLE: ErrorDetails = ErrorDetails { kind: "INVALID_ARGUMENT", ..ErrorDetails::BODY };
    /// For AWS: the name of an exception.
    pub const AWS: ErrorDetails = ErrorDetails { kind: "ValidationException", ..ErrorDetails::BODY };
}

/// A target's verdict on a rule, where it differs from the rule's default.
#[derive(Clone, Copy, Debug)]
pub struct Verdict {
    pub code: Code,
    /// The variant of the rule; `None` for all of them.
    pub variant: Option<u8>,
    pub levels: Levels,
    /// The target's own sentence, if it differs.
    pub api: Option<&'static str>,
    /// The other fields of that error.
    pub error: Option<ErrorDetails>,
}

/// For a target whose sentence is not known, if the rule has that of another one.
pub const UNSEEN: Option<&str> = Some("");

/// A verdict on all variants of a rule.
pub const fn all(code: Code, levels: Levels) -> Verdict {
    Verdict { code, variant: None, levels, api: None, error: None }
}

/// A verdict on one variant of a rule.
pub const fn one(code: Code, variant: u8, levels: Levels) -> Verdict {
    Verdict { code, variant: Some(variant), levels, api: None, error: None }
}

/// Capabilities of a target's server.
#[derive(Clone, Copy, Debug)]
pub struct Caps {
    /// Accepts reasoning without an id, if it has its encrypted blob.
    pub detached_reasoning: bool,
    /// Accepts reasoning without id and blob.
    pub bare_reasoning: bool,
    /// Accepts references to stored items.
    pub references: bool,
    /// Requires the calls of a turn together, and their outputs directly after them.
    pub contiguous_outputs: bool,
    /// Supports `previous_response_id`.
    pub chaining: bool,
    /// Parses the arguments of calls as JSON.
    pub parses_arguments: bool,
    /// Accepts web searches without their ids.
    pub searches_without_ids: bool,
    /// The highest temperature; 0 if it is not known.
    pub max_temperature: u8,
    /// The lowest limit of output tokens.
    pub min_output_limit: u8,
}

impl Caps {
    /// For APIs whose messages contain blocks: they have none of these.
    pub const NONE: Caps = Caps {
        detached_reasoning: false,
        bare_reasoning: false,
        references: false,
        contiguous_outputs: false,
        chaining: false,
        parses_arguments: false,
        searches_without_ids: false,
        max_temperature: 0,
        min_output_limit: 0,
    };
}

/// Declares [`Trait`]. The doc comment of a trait is also its description for users.
macro_rules! traits {
    ($($(#[doc = $line:literal])+ $name:ident,)+) => {
        /// A requirement or restriction of an API, or of some of its models, beyond the rules' default verdicts.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub enum Trait {
            $($(#[doc = $line])+ $name,)+
        }

        impl Trait {
            /// All traits.
            pub const ALL: &[Trait] = &[$(Trait::$name,)+];

            /// What it means, in a sentence.
            pub fn description(self) -> &'static str {
                match self {
                    $(Trait::$name => concat!($($line),+).trim_ascii(),)+
                }
            }
        }
    };
}

traits! {
    /// Nothing before preserved thinking may change: its signature covers it.
    BoundThinking,
    /// Preserved thinking works only in the account that produced it.
    AccountBound,
    /// An assistant message at the end is rejected, not continued.
    RefusesPrefill,
    /// Messages of the role `system` are rejected: instructions are a separate field.
    RefusesSystemMessages,
    /// Call ids are nine letters and digits.
    NineCharIds,
    /// The order of roles is restricted, and the last message is not the model's.
    RoleOrder,
    /// A message with calls must have the reasoning of a thinking model.
    WantsReasoning,
    /// Reasoning is rejected under the name `reasoning_content`.
    RefusesReasoning,
    /// Reasoning is called `reasoning`.
    CallsItReasoning,
    /// System and developer messages are rejected.
    NoInstructions,
    /// The role `developer` is not known.
    NoDeveloper,
    /// The first call of each step in the current turn has a thought signature.
    SignedCalls,
    /// A turn whose calls have no responses at all is rejected, even if a user message follows.
    CountsResponses,
    /// A turn whose calls have no responses at all is accepted, if a user message follows.
    AcceptsOpenTurns,
    /// Reasoning is accepted only with its signature.
    SignedReasoning,
    /// Reasoning is accepted only without a signature.
    UnsignedReasoning,
    /// Reasoning is not accepted at all.
    NoReasoning,
    /// Documents must have inline bytes, not an S3 location.
    NoRemoteDocuments,
    /// The messages are rendered with a chat template, which may reject their order.
    ChatTemplate,
    /// At least one user message is required.
    WantsUser,
    /// Unknown members of messages are rejected.
    RejectsUnknownMembers,
    /// The first message must be from the user.
    UserFirst,
    /// The last turn must be the user's, and results of calls must be alone in their turn.
    UserLast,
    /// Results of calls must be alone in their message.
    ResultsAlone,
    /// Temperature, `top_p` and `top_k` are rejected.
    NoSampling,
    /// They are rejected if thinking is enabled.
    NoSamplingWhenThinking,
    /// Does not support thinking.
    NeverThinks,
    /// The thinking effort is set by a word.
    EffortByWord,
    /// The thinking effort is set by a token budget.
    EffortByBudget,
    /// Results of calls may contain images and files.
    MediaInResults,
    /// Reasons only before some of its items, so an item without reasoning need not have lost any.
    ReasonsSometimes,
    /// Is known to reject an item without its reasoning.
    WantsReasoningBefore,
    /// Lists of parts are rejected in assistant and tool messages.
    TextOutsideUser,
    /// No rejection for missing reasoning is known.
    UnprovenReasoning,
    /// Lists of parts are rejected in every message.
    TextOnly,
    /// Releases of mistral-common before 1.11.1 reject a user message directly after a tool message.
    OldMistralOrder,
    /// An assistant message must have the member `content` or `tool_calls`; reasoning alone is not enough.
    WantsContent,
    /// Empty text is rejected beside calls.
    NoEmptyTextWithCalls,
    /// Calls must be alone in the model's message.
    CallsAlone,
    /// The role `tool` is not known.
    NoToolRole,
    /// The last text of the model must not end with white space, nor its last message with thinking.
    ChecksLastText,
    /// An empty text is accepted in place of reasoning.
    AcceptsEmptyReasoning,
    /// Thinking cannot be turned off.
    AlwaysThinks,
    /// The request is rejected if it turns thinking off.
    NoDisabledThinking,
    /// Thinking with a budget is rejected.
    NoBudget,
    /// Adaptive thinking is rejected: the model thinks only with a budget.
    NoAdaptiveThinking,
    /// Can think only between the calls of a turn, and not less.
    ThinksBetweenTools,
    /// Thinking with a budget restricts temperature, `top_p`, `top_k` and `tool_choice`.
    BudgetRestrictsOptions,
    /// Temperature and `top_p` are rejected together.
    OneSampling,
    /// A forced tool is rejected.
    NoForcedTool,
    /// A forced tool is rejected while the model thinks.
    NoForcedToolWhenThinking,
    /// The highest efforts need thinking.
    HighEffortThinks,
    /// The effort is rejected in a request with tools.
    NoEffortWithTools,
    /// Stop sequences without a visible character are rejected.
    NoBlankStops,
    /// The schema of a strict tool or answer closes its objects, and requires all their properties.
    StrictSchemas,
    /// The template of gpt-oss, which renders either the content or the reasoning of a message with calls.
    HarmonyTemplate,
}

/// A set of traits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Traits(u64);

impl Traits {
    #[expect(
        clippy::indexing_slicing,
        reason = "a constant function has no iterators; the loop ends at the length"
    )]
    pub const fn of(list: &[Trait]) -> Traits {
        let mut bits = 0;
        let mut n = 0;
        while n < list.len() {
            bits |= 1 << list[n] as u8;
            n += 1;
        }
        Traits(bits)
    }

    pub const fn and(self, one: Trait) -> Traits {
        Traits(self.0 | 1 << one as u8)
    }

    pub const fn with(self, other: Traits) -> Traits {
        Traits(self.0 | other.0)
    }

    /// The traits in the set.
    pub fn iter(self) -> impl Iterator<Item = Trait> {
        Trait::ALL.iter().copied().filter(move |one| self.has(*one))
    }

    pub const fn has(self, one: Trait) -> bool {
        self.0 >> one as u8 & 1 == 1
    }
}

/// When a model reasons, as known by its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Thinking {
    /// Does not accept reasoning items.
    Never,
    /// Reasons unless the request disables it.
    ByDefault,
    /// Reasons only if the request enables it.
    OnRequest,
    Unknown,
}

/// A row of the table of targets.
pub struct Target {
    pub name: &'static str,
    /// The target whose verdicts apply where it has none of its own.
    pub base: Option<&'static Target>,
    /// A description in one line.
    pub title: &'static str,
    pub dialect: &'static str,
    /// True if the server stores items unless the request says otherwise.
    pub store: bool,
    pub caps: Caps,
    /// By the start of the model's name; the first match applies. A trailing `$` means the whole name.
    pub models: &'static [(&'static str, Thinking)],
    /// By the start of the model's name, as in `models`; the empty one matches all models, also unknown ones. All
    /// matches apply.
    pub traits: &'static [(&'static str, Traits)],
    pub verdicts: &'static [Verdict],
    /// Sources of the row's facts.
    pub evidence: &'static str,
}

impl std::fmt::Debug for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl Target {
    /// A target with the server and the models of another one, to override some of them. Verdicts are looked up in the
    /// base; traits are not inherited.
    pub const fn based_on(base: &'static Target) -> Target {
        Target {
            name: base.name,
            base: Some(base),
            title: base.title,
            dialect: base.dialect,
            store: base.store,
            caps: base.caps,
            models: base.models,
            traits: &[],
            verdicts: &[],
            evidence: base.evidence,
        }
    }

    /// The verdict on a variant of a rule: the target's own, else the nearest base's.
    pub fn verdict(&self, code: Code, variant: u8) -> Option<&'static Verdict> {
        let own = self.verdicts.iter().find(|v| v.code == code && v.variant.is_none_or(|n| n == variant));
        own.or_else(|| self.base?.verdict(code, variant))
    }

    /// Whether a model reasons.
    pub fn thinking(&self, model: &str) -> Thinking {
        let model = strip_vendor(model);
        let found = self.models.iter().find(|(pattern, _)| matches_pattern(pattern, model));
        found.map_or(Thinking::Unknown, |(_, thinking)| *thinking)
    }

    /// Whether a model reasons that has a row of its own: an agent's session may be of a model that another server runs.
    pub fn thinking_of_known(&self, model: &str) -> Thinking {
        let model = strip_vendor(model);
        let mut named = self.models.iter().filter(|(pattern, _)| !pattern.is_empty());
        let found = named.find(|(pattern, _)| matches_pattern(pattern, model));
        found.map_or(Thinking::Unknown, |(_, thinking)| *thinking)
    }

    /// The traits of a model; without one, those of all models.
    pub fn traits(&self, model: Option<&str>) -> Traits {
        let model = model.map(strip_vendor);
        let holds =
            |pattern: &str| pattern.is_empty() || model.is_some_and(|model| matches_pattern(pattern, model));
        let all = self.traits.iter().filter(|(pattern, _)| holds(pattern));
        Traits(all.fold(0, |bits, (_, traits)| bits | traits.0))
    }
}

/// The name of a model without the prefix of a router or vendor.
pub fn strip_vendor(model: &str) -> &str {
    let model = memchr::memrchr(b'/', model.as_bytes()).and_then(|at| model.get(at + 1..)).unwrap_or(model);
    let model = model.strip_prefix("openai.").unwrap_or(model);
    // Bedrock puts a region before that.
    let region = |region| model.strip_prefix(region);
    let model = ["us.", "eu.", "apac.", "global."].into_iter().find_map(region).unwrap_or(model);
    model.strip_prefix("anthropic.").unwrap_or(model)
}

/// True if the name of a model, without vendor, matches a pattern.
pub fn matches_pattern(pattern: &str, model: &str) -> bool {
    // Most patterns begin with another letter.
    if pattern.as_bytes().first().is_some_and(|first| model.as_bytes().first() != Some(first)) {
        return false;
    }
    match pattern.strip_suffix('$') {
        Some(whole) => model == whole,
        None => model.starts_with(pattern),
    }
}
