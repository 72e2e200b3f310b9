//! AWS Bedrock's Converse API, which checks messages itself before the model's own rules apply.

use crate::history::codes;
use crate::target::{Caps, ErrorDetails, Levels, Target, Trait, Traits, UNSEEN, Verdict, one};

pub static BEDROCK: Target = Target {
    name: "bedrock",
    base: None,
    title: "AWS Bedrock Converse API",
    dialect: "bedrock",
    store: false,
    caps: Caps { max_temperature: 1, ..Caps::NONE },
    models: &[],
    traits: TRAITS,
    verdicts: VERDICTS,
    evidence: "rules and their pages; 21 recorded accepted requests and one rejection",
};

/// The sentence for an invalid role is known (continuedev/continue#1938); it counts messages from one.
const VERDICTS: &[Verdict] = &[
    Verdict { api: UNSEEN, error: Some(ErrorDetails::AWS), ..one(codes::SCHEMA_VIOLATION, 0, Levels::ERROR) },
    Verdict { api: UNSEEN, error: Some(ErrorDetails::AWS), ..one(codes::SCHEMA_VIOLATION, 1, Levels::ERROR) },
    Verdict {
        api: Some(
            "1 validation error detected: Value '{value}' at 'messages.{ordinal}.member.role' failed to satisfy \
             constraint: Member must satisfy enum value set: [user, assistant]",
        ),
        error: Some(ErrorDetails::AWS),
        ..one(codes::SCHEMA_VIOLATION, 2, Levels::ERROR)
    },
];

/// Claude signs its reasoning, and accepts only documents with inline bytes (recorded rejection, claude-sonnet-4-5).
const CLAUDE: Traits = Traits::of(&[Trait::SignedReasoning, Trait::NoRemoteDocuments]);
/// Families that do not reason, or do not return their reasoning.
const NO_REASONING: Traits = Traits::of(&[Trait::NoReasoning]);

/// Names without the prefixes of the region and of Anthropic.
const TRAITS: &[(&str, Traits)] = &[
    ("claude-3-haiku", NO_REASONING),
    ("claude-3-sonnet", NO_REASONING),
    ("claude-3-opus", NO_REASONING),
    ("claude-3-5-", NO_REASONING),
    ("amazon.nova-micro", NO_REASONING),
    ("amazon.nova-lite", NO_REASONING),
    ("amazon.nova-pro", NO_REASONING),
    ("deepseek.r1", NO_REASONING),
    ("claude-", CLAUDE),
    ("amazon.nova", Traits::of(&[Trait::UserFirst])),
    ("meta.llama", Traits::of(&[Trait::ResultsAlone, Trait::CallsAlone])),
    ("gpt-oss", Traits::of(&[Trait::UnsignedReasoning])),
];

pub static BEDROCK_NOVA: Target = Target {
    name: "bedrock-nova",
    title: "AWS Bedrock Converse API with a model of the Nova family, whatever the file names",
    traits: NOVA_TRAITS,
    evidence: "20 recorded accepted requests to Nova (results with text); langgenius/dify#12340 (user message first)",
    ..Target::based_on(&BEDROCK)
};

const NOVA_TRAITS: &[(&str, Traits)] = &[
    ("", Traits::of(&[Trait::UserFirst])),
    ("amazon.nova-micro", NO_REASONING),
    ("amazon.nova-lite", NO_REASONING),
    ("amazon.nova-pro", NO_REASONING),
];
