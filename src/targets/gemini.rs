//! The Gemini API: Google's own host, and Vertex AI.

use crate::target::{Caps, Target, Trait, Traits};

pub static GEMINI: Target = Target {
    name: "gemini",
    title: "Gemini API, also by way of Vertex AI",
    dialect: "gemini",
    store: false,
    caps: Caps::NONE,
    models: &[],
    traits: TRAITS,
    verdicts: &[],
    evidence: "rules and their pages; 56 recorded accepted requests, 13 of them to Vertex AI",
};

/// Google's page on thought signatures: models from Gemini 3 on check them, those before do not.
const TRAITS: &[(&str, Traits)] = &[("gemini-3", Traits::of(&[Trait::SignedCalls]))];
