//! The keys by which lines of a session refer to each other.

use crate::format::LineLinks;

/// The keys by which lines of a session are linked.
#[derive(Clone, Copy)]
pub struct LineKeys {
    pub name: &'static str,
    pub parent: &'static str,
    /// Members that lines of one chain have in common.
    pub thread: &'static [&'static str],
    /// Types of lines that a line may be linked to if its own parent was never written; empty for all that have a parent.
    pub anchors: &'static [&'static [u8]],
}

impl LineKeys {
    /// The keys of a store whose editor links its lines.
    pub fn of(links: &LineLinks) -> LineKeys {
        LineKeys { name: links.name, parent: links.parent, thread: &[], anchors: &[] }
    }
}

/// The keys of sessions of Claude Code and Kode.
pub const SESSION_KEYS: LineKeys = LineKeys { name: NAME, parent: PARENT, thread: &THREAD, anchors: &ANCHORS };

/// Keys of the name of a line, and of its parent.
pub const NAME: &str = "uuid";
pub const PARENT: &str = "parentUuid";

/// Other members that contain the name of a line.
pub const LINKS: [&[&str]; 5] = [
    &["logicalParentUuid"],
    &["sourceToolAssistantUUID"],
    &["leafUuid"],
    &["messageId"],
    &["snapshot", "messageId"],
];

/// The agent's own form of a result, beside it.
pub const OWN_RESULT: &str = "toolUseResult";

/// Types of lines that describe another line, and are removed with it.
pub const DEPENDENT_TYPES: [&[u8]; 1] = [b"file-history-snapshot"];

/// Types of lines that a line may be linked to if its own parent was never written.
const ANCHORS: [&[u8]; 4] = [b"user", b"assistant", b"system", b"attachment"];

/// Members that lines of one chain have in common. A chain may go on under another `sessionId`: that of a resumed session.
const THREAD: [&str; 2] = ["isSidechain", "agentId"];

/// Members that a new line takes from the line of its call, in the order in which the agent writes them.
pub const COPIED: [&str; 8] =
    ["isSidechain", "userType", "cwd", "sessionId", "version", "gitBranch", "slug", "agentId"];
