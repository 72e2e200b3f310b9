//! What opencode stores, in the forms that it is stored in: messages with their parts.

pub mod export;
pub mod store;
pub mod v2;
pub mod write;

pub(super) mod edit;
pub(super) mod message;
mod required;
pub(super) mod rows;
pub(super) mod session;

use crate::format::unsent::UnsentPaths;

/// What of the store no request says.
pub(super) const UNSENT: &[UnsentPaths] = &[
    UnsentPaths {
        paths: &[
            "row",
            "before",
            "version",
            "info/directory",
            "info/projectID",
            "info/slug",
            "info/title",
            "info/version",
            "directory",
            "title",
            "slug",
            "**/agent",
            "**/mode",
            "**/finish",
            "**/path/cwd",
            "**/path/root",
            "**/parentID",
            "**/time/**",
        ],
        why: "about the session and its messages",
    },
    UnsentPaths {
        paths: &[
            "**/state/status",
            "**/state/title",
            "**/parts/reason",
            "**/[type=step-finish]reason",
            "data/reason",
            "**/auto",
            "**/info/summary",
        ],
        why: "how far a call was, and what the terminal shows of it",
    },
    UnsentPaths {
        paths: &["**/info/error/name", "**/info/error/data/message", "data/error/name", "data/error/data/message"],
        why: "why a message ended; it is not sent",
    },
];
