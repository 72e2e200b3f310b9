//! What the lines of a session name each other by, as data.

/// Keys of a line's own name, and of the line that it follows.
pub const NAME: &str = "uuid";
pub const PARENT: &str = "parentUuid";

/// Other members that hold the name of a line.
pub const LINKS: [&[&str]; 5] = [
    &["logicalParentUuid"],
    &["sourceToolAssistantUUID"],
    &["leafUuid"],
    &["messageId"],
    &["snapshot", "messageId"],
];

/// What the agent keeps beside a result for itself.
pub const OWN_RESULT: &str = "toolUseResult";

/// Types of lines that are about one other line, and go with it.
pub const GO_WITH: [&[u8]; 1] = [b"file-history-snapshot"];

/// Types of lines that another one may be linked to, where its own parent was never written.
pub const ANCHORS: [&[u8]; 4] = [b"user", b"assistant", b"system", b"attachment"];

/// Members that lines of one chain have in common.
pub const THREAD: [&str; 3] = ["sessionId", "isSidechain", "agentId"];

/// Members that a new line takes from the line of its call, in the order in which the agent writes them.
pub const COPIED: [&str; 8] =
    ["isSidechain", "userType", "cwd", "sessionId", "version", "gitBranch", "slug", "agentId"];
