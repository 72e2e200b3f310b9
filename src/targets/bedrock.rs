//! AWS Bedrock's Converse API, which checks messages by itself before the model's own rules apply.

use crate::history::codes;
use crate::target::{Answer, Caps, Levels, Target, Trait, Traits, UNSEEN, Verdict, one};

pub static BEDROCK: Target = Target {
    name: "bedrock",
    base: None,
    title: "AWS Bedrock Converse API",
    dialect: "bedrock",
    store: false,
    caps: Caps::NONE,
    models: &[],
    traits: TRAITS,
    verdicts: VERDICTS,
    evidence: "rules and their pages; 21 recorded accepted requests and one rejection",
};

/// Of a role that is none the sentence was seen (continuedev/continue#1938); it counts messages from one.
const VERDICTS: &[Verdict] = &[
    Verdict { api: UNSEEN, answer: Some(Answer::AWS), ..one(codes::SCHEMA_VIOLATION, 0, Levels::ERROR) },
    Verdict { api: UNSEEN, answer: Some(Answer::AWS), ..one(codes::SCHEMA_VIOLATION, 1, Levels::ERROR) },
    Verdict {
        api: Some(
            "1 validation error detected: Value '{value}' at 'messages.{ordinal}.member.role' failed to satisfy \
             constraint: Member must satisfy enum value set: [user, assistant]",
        ),
        answer: Some(Answer::AWS),
        ..one(codes::SCHEMA_VIOLATION, 2, Levels::ERROR)
    },
];

/// Claude signs its reasoning, and takes documents with their bytes only (recorded rejection, claude-sonnet-4-5).
const CLAUDE: Traits = Traits::of(&[Trait::SignedReasoning, Trait::NoRemoteDocuments]);
/// Families that do not reason, or keep their reasoning to themselves.
const WITHOUT: Traits = Traits::of(&[Trait::NoReasoning]);

/// Names without region and Anthropic's own name in front.
const TRAITS: &[(&str, Traits)] = &[
    ("claude-3-haiku", WITHOUT),
    ("claude-3-sonnet", WITHOUT),
    ("claude-3-opus", WITHOUT),
    ("claude-3-5-", WITHOUT),
    ("amazon.nova-micro", WITHOUT),
    ("amazon.nova-lite", WITHOUT),
    ("amazon.nova-pro", WITHOUT),
    ("deepseek.r1", WITHOUT),
    ("claude-", CLAUDE),
    ("amazon.nova", Traits::of(&[Trait::UserFirst])),
    ("meta.llama", Traits::of(&[Trait::ResultsAlone])),
    ("gpt-oss", Traits::of(&[Trait::UnsignedReasoning])),
];

pub static BEDROCK_NOVA: Target = Target {
    name: "bedrock-nova",
    title: "AWS Bedrock Converse API with a model of the Nova family, whatever the file names",
    traits: NOVA_TRAITS,
    evidence: "20 recorded accepted requests to Nova (results beside text); langgenius/dify#12340 (the user speaks first)",
    ..Target::like(&BEDROCK)
};

const NOVA_TRAITS: &[(&str, Traits)] = &[
    ("", Traits::of(&[Trait::UserFirst])),
    ("amazon.nova-micro", WITHOUT),
    ("amazon.nova-lite", WITHOUT),
    ("amazon.nova-pro", WITHOUT),
];
