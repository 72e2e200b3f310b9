//! RL913: the model of another provider, or none.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Reports a conversion whose result names a model that the target does not serve, or none although the target wants one
    /// in the body.
    ///
    /// ## Why it matters
    ///
    /// Everything else of the result may be right, and the request is still refused: the target does not know the model. What
    /// the new model takes (sampling, thinking, signatures) also depends on its name.
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
    /// Give `--model NAME`.
    ///
    /// ## Evidence
    ///
    /// The providers' lists of models. Names that tell no provider are not reported.
    OTHER_MODEL, "other-model", Check::Raised,
    [
        Variant {
            message: "kept the model {key}, which the target does not serve: give --model",
            levels: Levels::INFO,
            shown: true,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "no model is named, and the target requires one: give --model",
            levels: Levels::INFO,
            shown: true,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
