//! RL007: the file starts with a byte-order mark.

use crate::rule::{Check, Evidence, Loss, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds the three bytes EF BB BF at the start of a file.
    ///
    /// ## Why it matters
    ///
    /// They are not valid JSON: RFC 8259, section 8.1, forbids writers to add them, and many readers stop there.
    ///
    /// ## Fix
    ///
    /// With `--fix-warnings` the mark is removed; nothing is lost.
    BYTE_ORDER_MARK, "byte-order-mark" tags [Container], Check::External,
    [
        Variant {
            message: "the file starts with a byte-order mark, which is not valid JSON",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            fix: "remove the byte-order mark",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}
