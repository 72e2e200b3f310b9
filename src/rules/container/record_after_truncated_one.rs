//! RL009: a record follows a truncated one on the same line.

use crate::rule::{Autofix, Check, Evidence, Loss, Variant};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a line that begins with a truncated record, directly followed by a complete one.
    ///
    /// ## Why it matters
    ///
    /// The writer crashed in the middle of a record, and the next process appended to the unfinished line. Readers of
    /// JSON Lines reject the whole line, so the complete record is lost as well. `replaylint` reads and checks it; the
    /// content of the truncated record is not known.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"message","role":"user","con{"type":"message","role":"user","content":"a"}
    /// ```
    ///
    /// ## Fix
    ///
    /// With `--fix-warnings` the truncated record is removed. Its readable part is lost; the complete record is often a
    /// second attempt to write the same one. `--dropped FILE` keeps what is removed.
    ///
    /// pi skips lines that are not valid JSON. In its sessions the record is put on its own line by default, and linked to the
    /// nearest earlier entry that can be read (RL601), so that all that can be read is sent again; nothing is removed. Kimi Code loses everything after a line that is not valid JSON;
    /// in its sessions the truncated record is removed by default.
    ///
    /// ## Evidence
    ///
    /// github/copilot-cli#4098. Recorded: with a newline and the link, pi 0.74 sends all turns of such a session.
    RECORD_AFTER_TRUNCATED_ONE, "record-after-truncated-one" tags [Container], Check::External,
    [
        Variant {
            message: "a truncated record precedes another record on this line",
            evidence: Evidence::Reported,
            fix: "remove the truncated record",
            loss: Loss::Lossy,
            autofix: Autofix::OnRequest,
            ..Variant::BASE
        },
        Variant {
            message: "a truncated record precedes another record on this line; the agent reads neither, and nothing before them",
            evidence: Evidence::Recorded,
            fix: "put the record on its own line",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "a truncated record precedes another record on this line; the agent loses everything after it",
            evidence: Evidence::Recorded,
            fix: "remove the truncated record",
            ..Variant::BASE
        },
    ]
}
