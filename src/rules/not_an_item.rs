//! RL490: something that is not an object stands where an item should be.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Answer;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a null, a number, a string or a list in the place of an item or a message, at any index.
    ///
    /// ## Why it matters
    ///
    /// Every API takes a list of objects and refuses the request otherwise; the SDKs' types allow nothing else. Such a
    /// value is mostly left by a client that deletes items by setting them to null.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"gpt-5","input":[{"role":"user","content":"Hello"},null]}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: what was meant is not known. Remove it if nothing was lost there.
    ///
    /// ## Evidence
    ///
    /// Documented: the schemas of all five APIs have objects there. None of 1,441 recorded accepted requests has
    /// anything else.
    490, "not-an-item", Check::Raised,
    [Variant {
        message: "expected an item, found {shape}",
        answer: Answer::BODY,
        evidence: Evidence::Documented,
        ..Variant::BASE
    }]
}
