//! RL005: the text is not UTF-8.

use crate::rule::{Check, Evidence, Variant};
use crate::target::ErrorDetails;

crate::rule! {
    /// ## What it does
    ///
    /// Finds bytes that are not UTF-8, and files in UTF-16, which Windows PowerShell writes with `>`.
    ///
    /// ## Why it matters
    ///
    /// JSON is exchanged in UTF-8 only (RFC 8259, section 8.1); an API rejects the request before it looks at the
    /// history.
    ///
    /// ## Fix
    ///
    /// None: the intended character is not known. A UTF-16 file is converted without loss by `iconv -f UTF-16 -t
    /// UTF-8 old.json > new.json`. The rest of a record with invalid bytes is checked, but the record is not
    /// edited.
    INVALID_UTF8, "invalid-utf8" tags [Container], Check::External,
    [
        Variant {
            message: "invalid UTF-8",
            error: ErrorDetails::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "the file is UTF-16 ({order}-endian); convert it with `iconv -f UTF-16 -t UTF-8`",
            error: ErrorDetails::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
