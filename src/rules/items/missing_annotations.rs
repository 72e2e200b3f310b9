//! RL406: model text has no list of annotations.

use crate::rule::{Check, Evidence, Loss, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// For Azure: finds `output_text` parts without `annotations`. OpenAI itself accepts them, as recorded requests
    /// show. On Azure it is a warning, because some of its deployments accept them.
    ///
    /// ## Why it matters
    ///
    /// Azure has rejected such a history with HTTP 400:
    ///
    /// > Required property 'annotations' is missing
    ///
    /// Its Foundry endpoints say only that "The provided data does not match the expected schema".
    ///
    /// ## Example
    ///
    /// ```json
    /// {"role":"assistant","content":[{"type":"output_text","text":"Hello"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// With `--fix-warnings`, an empty list is added. Nothing is lost.
    ///
    /// ## Evidence
    ///
    /// Reported: block/goose#11263, NousResearch/hermes-agent#67667; the schema requires it. Three recorded requests to
    /// Azure have no annotations and were accepted, so it is not an error.
    MISSING_ANNOTATIONS, "missing-annotations" of "responses" tags [Field], Check::External,
    [
        Variant {
            message: "model text has no annotations, which this server may require",
            api: Some("Required property 'annotations' is missing"),
            levels: Levels::OFF,
            evidence: Evidence::Reported,
            fix: "add empty annotations",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}
