//! RL603: two entries have one uuid.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds an entry with the `uuid` of an earlier one, either as a copy or with different content.
    ///
    /// ## Why it matters
    ///
    /// Readers that index entries by uuid use the later one, others the first. A copy is harmless. Different content
    /// means that the history was edited: the server's state still has the original, so a request must not build on the
    /// ids of later responses (`rebuild` sends the whole history instead, with the later content).
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"user","uuid":"u1","parentUuid":null,"message":{"role":"user","content":"hello"}}
    /// {"type":"user","uuid":"u1","parentUuid":null,"message":{"role":"user","content":"hello again"}}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: it is not known which of the two was sent.
    ///
    /// ## Evidence
    ///
    /// Inferred from how sessions are loaded. No API sees these uuids.
    DUPLICATE_NODE, "duplicate-node", Check::External,
    [
        Variant {
            message: "duplicate entry with the same content",
            related: "the first one",
            levels: Levels::INFO,
            evidence: Evidence::Inferred,
            ..Variant::BASE
        },
        Variant {
            message: "duplicate entry uuid with different content; the history was edited",
            related: "the earlier one",
            levels: Levels::WARNING,
            evidence: Evidence::Inferred,
            ..Variant::BASE
        },
    ]
}
