//! The Gemini API: Google's own host, and Vertex AI.

use crate::history::codes;
use crate::target::{Caps, ErrorDetails, Levels, Target, Trait, Traits, UNSEEN, Verdict, one};

pub static GEMINI: Target = Target {
    name: "gemini",
    base: None,
    title: "Gemini API, also through Vertex AI",
    dialect: "gemini",
    store: false,
    caps: Caps { max_temperature: 2, ..Caps::NONE },
    models: &[],
    traits: TRAITS,
    verdicts: VERDICTS,
    evidence: "rules and their pages; 56 recorded accepted requests, 13 of them to Vertex AI",
};

/// Google's sentences use another spelling of the places, and Google's own names of the types.
const VERDICTS: &[Verdict] = &[
    Verdict { api: UNSEEN, error: Some(ErrorDetails::GOOGLE), ..one(codes::SCHEMA_VIOLATION, 0, Levels::ERROR) },
    Verdict { api: UNSEEN, error: Some(ErrorDetails::GOOGLE), ..one(codes::SCHEMA_VIOLATION, 1, Levels::ERROR) },
    // Ten recorded requests with an empty text, and six with words beside responses, were accepted.
    one(codes::GEMINI_EMPTY_TEXT, 0, Levels::INFO),
    one(codes::GEMINI_MIXED_RESPONSE, 0, Levels::INFO),
];

/// Google's page on thought signatures: models from Gemini 3 on check them, earlier ones do not. Earlier ones also
/// accept calls without any response, if a user message follows (recorded).
const TRAITS: &[(&str, Traits)] = &[
    ("gemini-2", Traits::of(&[Trait::AcceptsOpenTurns])),
    ("gemini-3", Traits::of(&[Trait::SignedCalls, Trait::CountsResponses])),
    ("gemini-3.6", USER_LAST),
    ("gemini-3.7", USER_LAST),
    ("gemini-3.8", USER_LAST),
    ("gemini-3.9", USER_LAST),
    ("gemini-4", USER_LAST),
];

/// Reports of August and September 2026 name these models, and none before them.
const USER_LAST: Traits = Traits::of(&[Trait::UserLast]);
