//! What a target is: an API that a history is replayed to. Targets are data: what their server can do, and where its
//! verdicts differ from a rule's own. Rules ask for capabilities and never for a target's name.

use crate::history::Code;

/// How much a finding weighs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Shown in JSON, in text with `-v`; changes no exit code and is never fixed.
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

/// The severity where the server stores items, and where it stores none; `None` is silence.
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

    /// Only noted, wherever it is reported at all.
    pub fn is_note(self) -> bool {
        self.stored.max(self.stateless) == I
    }
}

/// What is beside the sentence in the error that a provider answers with, in OpenAI's form:
/// `{"error":{"message":…,"type":…,"param":…,"code":…}}`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answer {
    pub kind: &'static str,
    /// What the error names as its place; a template like the sentence.
    pub param: Option<&'static str>,
    pub code: Option<&'static str>,
}

impl Answer {
    /// About the history as a whole. OpenAI's Responses API names its list, `input`; that was recorded.
    pub const HISTORY: Answer = Answer { kind: "invalid_request_error", param: Some("{list}"), code: None };
    /// About a field of an item that the API does not know.
    pub const UNKNOWN_FIELD: Answer =
        Answer { param: Some("input[{index}].{field}"), code: Some("unknown_parameter"), ..Answer::HISTORY };
    /// About a body that is no request at all.
    pub const BODY: Answer = Answer { param: None, ..Answer::HISTORY };
    /// Of Google's APIs: a status and no place.
    pub const GOOGLE: Answer = Answer { kind: "INVALID_ARGUMENT", ..Answer::BODY };
    /// Of AWS: the name of an exception.
    pub const AWS: Answer = Answer { kind: "ValidationException", ..Answer::BODY };
}

/// Where a target's verdict differs from the rule's own.
#[derive(Clone, Copy, Debug)]
pub struct Verdict {
    pub code: Code,
    /// The variant of the rule; `None` means all of them.
    pub variant: Option<u8>,
    pub levels: Levels,
    /// The target's own sentence, where it differs.
    pub api: Option<&'static str>,
    /// What is beside that sentence.
    pub answer: Option<Answer>,
}

/// For a target of which no sentence was seen, where the rule has another's.
pub const UNSEEN: Option<&str> = Some("");

/// A verdict on all variants of a rule.
pub const fn all(code: Code, levels: Levels) -> Verdict {
    Verdict { code, variant: None, levels, api: None, answer: None }
}

/// A verdict on one variant of a rule.
pub const fn one(code: Code, variant: u8, levels: Levels) -> Verdict {
    Verdict { code, variant: Some(variant), levels, api: None, answer: None }
}

/// What a target's server can do.
#[derive(Clone, Copy, Debug)]
pub struct Caps {
    /// Takes reasoning without an id, if it carries its encrypted blob.
    pub detached_reasoning: bool,
    /// Takes reasoning without id and blob.
    pub bare_reasoning: bool,
    /// Takes references to stored items.
    pub references: bool,
    /// Wants the calls of a turn together, and their outputs directly after them.
    pub contiguous_outputs: bool,
    /// Builds on stored responses.
    pub chaining: bool,
    /// Reads the arguments of calls as JSON.
    pub parses_arguments: bool,
    /// Takes web searches without their ids.
    pub searches_without_ids: bool,
}

impl Caps {
    /// Of APIs whose messages hold blocks: they know none of this.
    pub const NONE: Caps = Caps {
        detached_reasoning: false,
        bare_reasoning: false,
        references: false,
        contiguous_outputs: false,
        chaining: false,
        parses_arguments: false,
        searches_without_ids: false,
    };
}

/// What an API, or some of the models behind it, want or refuse beyond the rules' own verdicts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Trait {
    /// Nothing in front of preserved thinking may change: it is signed together with it.
    BoundThinking,
    /// A message of the assistant at the end is refused, not continued.
    RefusesPrefill,
    /// Messages of the role `system` are refused: instructions stand beside the messages.
    RefusesSystemMessages,
    /// Ids of calls are nine letters and digits.
    NineCharIds,
    /// Only some roles may come after each other, and the model's own message is not the last.
    RoleOrder,
    /// A message with calls carries what a thinking model thought.
    WantsReasoning,
    /// What the model thought is refused under the name `reasoning_content`.
    RefusesReasoning,
    /// What the model thought is called `reasoning`.
    NamesItReasoning,
    /// Messages of the system and of developers are refused.
    NoInstructions,
    /// The role `developer` is not known.
    NoDeveloper,
    /// The first call of each step in the current turn carries the signature of the thought that led to it.
    SignedCalls,
    /// A turn whose calls have no responses at all is refused, even if the user spoke instead.
    CountsResponses,
    /// Reasoning goes back only with its signature.
    SignedReasoning,
    /// Reasoning goes back only without a signature.
    UnsignedReasoning,
    /// Reasoning is not taken back at all.
    NoReasoning,
    /// Documents come with their bytes, not from a place in S3.
    NoRemoteDocuments,
    /// The messages are put into a chat template, which may refuse their order.
    ChatTemplate,
    /// At least one message is the user's.
    WantsUser,
    /// Members of messages that the server does not know are refused.
    KnownMembers,
    /// The first message is the user's.
    UserFirst,
    /// The user has the last word, and results of calls stand alone in their turn.
    UserLast,
    /// Results of calls stand alone in their message.
    ResultsAlone,
    /// Temperature, `top_p` and `top_k` are refused.
    NoSampling,
    /// They are refused if the model is asked to think.
    NoSamplingWhenThinking,
    /// Is never asked to think.
    NeverThinks,
    /// Is told in words how hard to think.
    EffortByWord,
    /// Is told in tokens how hard to think.
    EffortByBudget,
    /// Results of calls may hold images and files.
    MediaInResults,
    /// Reasons before some of its items only, so that an item without reasoning need not have lost any.
    ReasonsAtTimes,
    /// Was seen to refuse an item without its reasoning.
    WantsReasoningBefore,
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

    pub const fn has(self, one: Trait) -> bool {
        self.0 >> one as u8 & 1 == 1
    }
}

/// What is known about a model by its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Thinking {
    /// Takes no reasoning items.
    Never,
    /// Reasons unless the request turns it off.
    ByDefault,
    /// Reasons only if the request asks for it.
    OnRequest,
    Unknown,
}

/// A row of the table of targets.
pub struct Target {
    pub name: &'static str,
    /// Whose verdicts hold where it has none of its own.
    pub base: Option<&'static Target>,
    /// What it is, in one line.
    pub title: &'static str,
    pub dialect: &'static str,
    /// Whether the server stores items unless the request says otherwise.
    pub store: bool,
    pub caps: Caps,
    /// By the start of the model's name; the first that fits holds. A trailing `$` means the whole name.
    pub models: &'static [(&'static str, Thinking)],
    /// By the start of the model's name, as in `models`; the empty one holds for all, also for unknown ones. All that
    /// fit count.
    pub traits: &'static [(&'static str, Traits)],
    pub verdicts: &'static [Verdict],
    /// Where the row's facts come from.
    pub evidence: &'static str,
}

impl std::fmt::Debug for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl Target {
    /// A target with the server and the models of another, to change some of them. Verdicts are looked up in the base;
    /// traits are not passed on.
    pub const fn like(base: &'static Target) -> Target {
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

    /// What is known about a model.
    pub fn thinking(&self, model: &str) -> Thinking {
        let model = bare(model);
        let found = self.models.iter().find(|(pattern, _)| fits(pattern, model));
        found.map_or(Thinking::Unknown, |(_, thinking)| *thinking)
    }

    /// What holds for a model; without one, what holds for all.
    pub fn traits(&self, model: Option<&str>) -> Traits {
        let model = model.map(bare);
        let holds = |pattern: &str| pattern.is_empty() || model.is_some_and(|model| fits(pattern, model));
        let all = self.traits.iter().filter(|(pattern, _)| holds(pattern));
        Traits(all.fold(0, |bits, (_, traits)| bits | traits.0))
    }
}

/// The name of a model without those that routers put in front: their own, or the vendor's.
pub fn bare(model: &str) -> &str {
    let model = model.rsplit('/').next().unwrap_or(model);
    let model = model.strip_prefix("openai.").unwrap_or(model);
    // Bedrock puts a region in front of that.
    let region = |region| model.strip_prefix(region);
    let model = ["us.", "eu.", "apac.", "global."].into_iter().find_map(region).unwrap_or(model);
    model.strip_prefix("anthropic.").unwrap_or(model)
}

/// Whether the bare name of a model fits a pattern.
pub fn fits(pattern: &str, model: &str) -> bool {
    match pattern.strip_suffix('$') {
        Some(whole) => model == whole,
        None => model.starts_with(pattern),
    }
}
