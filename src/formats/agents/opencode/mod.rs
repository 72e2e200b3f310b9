//! Sessions of opencode: exports, databases and folders of 1.x, and databases of 2. Messages consist of parts.

mod config;
pub mod export;
pub mod resume;
pub mod store;
pub mod v2;
pub mod write;

pub(super) mod edit;
pub(super) mod message;
mod required;
pub(super) mod rows;
pub(super) mod session;

use crate::format::unsent_paths::UnsentPaths;

/// Stored members that no request contains, and why.
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
        why: "session and message metadata",
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
        why: "the progress of a call, and its terminal output",
    },
    UnsentPaths {
        paths: &["**/info/error/name", "**/info/error/data/message", "data/error/name", "data/error/data/message"],
        why: "why a message ended, which is not sent",
    },
];
