//! RL490: something that is not an object is where an item should be.

use crate::rule::{Check, Evidence, Variant};
use crate::target::ErrorDetails;

crate::rule! {
    /// ## What it does
    ///
    /// Finds null, a number, a string or a list where an item or a message is expected.
    ///
    /// ## Why it matters
    ///
    /// Every API requires a list of objects and rejects the request otherwise; the SDKs' types allow nothing else. Such
    /// a value usually comes from a client that deletes items by setting them to null.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"gpt-5","input":[{"role":"user","content":"Hello"},null]}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: the intended item is not known. Remove the value if nothing was lost there.
    ///
    /// ## Evidence
    ///
    /// Documented: the schemas of all five APIs have objects there. None of 1,441 recorded accepted requests has
    /// anything else.
    NOT_AN_ITEM, "not-an-item" tags [Field], Check::External,
    [Variant {
        message: "expected an item, found {shape}",
        error: ErrorDetails::BODY,
        evidence: Evidence::Documented,
        ..Variant::BASE
    }]
}
