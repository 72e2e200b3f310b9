//! RL669: a file of a session in several files is missing, empty, incomplete or changed.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

const fn fault(message: &'static str) -> Variant {
    Variant { message, evidence: Evidence::Reported, ..Variant::BASE }
}

crate::rule! {
    /// ## What it does
    ///
    /// Checks the files of sessions that consist of several: the events of an OpenHands conversation
    /// (`events/event-00007-….json`) and the chunks of a Mistral Vibe session (`chunks/<SHA-256>.json`).
    ///
    /// ## Why it matters
    ///
    /// OpenHands opens the events by their numbers. If one is missing, empty or incomplete, the conversation cannot be
    /// resumed, and no request is sent:
    ///
    /// > IndexError: Event index out of range
    ///
    /// Of two files with the same number it reads one; they come from a resume that failed.
    ///
    /// Vibe compares each chunk with its name, and does not open a session with another content:
    ///
    /// > stored chunk digest mismatch
    ///
    /// While a session runs, and after it was killed, its newest records are only in the journal, which is not read: a note says
    /// so.
    ///
    /// ## Example
    ///
    /// ```text
    /// events/event-00000-67f10f1a-2b67-4bce-b923-ce0efb412a2a.json
    /// events/event-00002-95041514-0b31-4481-a43a-2d56e74c5bd9.json
    /// ```
    ///
    /// ## Fix
    ///
    /// None: the content of the file is not known. Restore it from a backup. An empty or incomplete last event can be moved
    /// out of the folder. `replaylint convert --to API` writes what can be read.
    ///
    /// ## Evidence
    ///
    /// Observed with OpenHands CLI 1.16.0 (SDK 1.21) and Mistral Vibe 3.0.2.
    SESSION_FILE, "session-file" tags [Container], Check::External,
    [
        fault("event {arg} is missing: OpenHands cannot open the conversation"),
        Variant {
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..fault("another file has the number of event {arg}, too: OpenHands reads only one of them")
        },
        fault("the file of event {arg} is empty: OpenHands cannot open the conversation"),
        fault("the file of event {arg} is not valid JSON: OpenHands cannot open the conversation"),
        fault("the content of the chunk does not match its name: Vibe cannot open the session"),
        fault("a file of the session is missing: Vibe cannot open it"),
        Variant {
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            ..fault("the journal continues the session after this generation, and is not read")
        },
    ]
}
