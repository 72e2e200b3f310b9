//! RL913: the result names a model of another provider, or none.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Reports a conversion whose result names a model that the target does not serve, or none although the target
    /// requires one in the body.
    ///
    /// ## Why it matters
    ///
    /// Everything else may be right, and the request is still rejected: the target does not know the model. Which
    /// settings the new model accepts (sampling, thinking, signatures) also depends on its name.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"gpt-5-nano","input":"hi"}
    /// ```
    ///
    /// Converted with `--to anthropic`, this names a model that Anthropic does not have.
    ///
    /// ## Fix
    ///
    /// Use `--model NAME`.
    ///
    /// ## Evidence
    ///
    /// The providers' lists of models. Names without a recognisable provider are not reported.
    OTHER_MODEL, "other-model", Check::External,
    [
        Variant {
            message: "kept the model {key}, which the target does not serve: use --model",
            levels: Levels::INFO,
            is_shown: true,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "no model is named, but the target requires one: use --model",
            levels: Levels::INFO,
            is_shown: true,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
