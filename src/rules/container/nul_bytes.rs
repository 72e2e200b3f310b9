//! RL011: runs of NUL bytes in a log.

use crate::rule::{Autofix, Check, Evidence, Loss, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds runs of NUL bytes between the records of a log, on the line of a record, and at the end of the file.
    /// Inside a string they are RL010.
    ///
    /// ## Why it matters
    ///
    /// The machine crashed or lost power after the file had grown but before its content was written. Many readers stop
    /// there and lose a record on the same line.
    ///
    /// ## Fix
    ///
    /// They are removed; nothing is lost.
    ///
    /// ## Evidence
    ///
    /// github/copilot-cli#2217, #2927 and #1864; reported for files on WSL.
    NUL_BYTES, "nul-bytes" tags [Container], Check::External,
    [
        Variant {
            message: "a line of NUL bytes",
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "remove the NUL bytes",
            loss: Loss::Lossless,
            autofix: Autofix::Always,
            ..Variant::BASE
        },
        Variant {
            message: "the file ends in NUL bytes",
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "remove the NUL bytes",
            loss: Loss::Lossless,
            autofix: Autofix::Always,
            ..Variant::BASE
        },
        Variant {
            message: "NUL bytes on the line of a record",
            evidence: Evidence::Reported,
            fix: "remove the NUL bytes",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}
