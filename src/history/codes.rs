//! The codes of what the reader finds by itself, before any rule runs: the rules of these codes only describe it. A test
//! holds them to the table of rules.

use super::Code;

pub const INVALID_JSON: Code = Code(1);
pub const DUPLICATE_KEY: Code = Code(2);
pub const CUT_LAST_LINE: Code = Code(3);
pub const UNKNOWN_FORMAT: Code = Code(4);
pub const INVALID_UTF8: Code = Code(5);
pub const LONE_SURROGATE: Code = Code(6);
pub const BYTE_ORDER_MARK: Code = Code(7);
pub const SHARED_LINE: Code = Code(8);
pub const RECORD_AFTER_CUT: Code = Code(9);
pub const RAW_CONTROL_CHARACTER: Code = Code(10);
pub const NUL_BYTES: Code = Code(11);
pub const MISSING_LAST_NEWLINE: Code = Code(12);
pub const LINKS_TO_LOST_LINE: Code = Code(13);
pub const NOT_AN_ITEM: Code = Code(490);

// Trees of nodes.
pub const MISSING_PARENT: Code = Code(601);
pub const CYCLE: Code = Code(602);
pub const DUPLICATE_NODE: Code = Code(603);
pub const BROKEN_CHAIN: Code = Code(604);
pub const UNFINISHED_STREAM: Code = Code(605);

// Streams of events.
pub const DANGLING_REQUEST: Code = Code(620);
pub const STALE_OUTPUT: Code = Code(621);
pub const OUTPUT_AFTER_CANCEL: Code = Code(622);
pub const ANSWERED_TWICE: Code = Code(623);
pub const COMPLETED_WITHOUT_REQUEST: Code = Code(624);
pub const OFFSETS_NOT_INCREASING: Code = Code(625);
pub const EMBEDDED_BODY_DIFFERS: Code = Code(626);
pub const UNKNOWN_EVENT: Code = Code(627);
pub const INVALID_EVENT: Code = Code(628);

// Sessions in the manner of Claude Code.
pub const PHANTOM_PARENT: Code = Code(660);
pub const UNFINDABLE_SESSION: Code = Code(664);
pub const UNKNOWN_LINE: Code = Code(665);
pub const SESSION_HOST: Code = Code(666);

// Stores of agents.
pub const INCOMPLETE_RECORD: Code = Code(667);
pub const HIDDEN_SESSION: Code = Code(668);

/// Of sessions of the Gemini CLI.
pub const UNKNOWN_REWIND: Code = Code(680);

/// Of sessions of the Copilot CLI.
pub const RAW_LINE_SEPARATOR: Code = Code(686);

pub const UNRECOVERABLE_ITEM: Code = Code(640);

/// What RL004 found instead of a conversation: the numbers of its variants.
pub mod unknown {
    pub const EMPTY: u8 = 1;
    pub const BINARY: u8 = 2;
    pub const TEXT: u8 = 3;
    pub const EVENTS: u8 = 4;
    pub const UNREAD: u8 = 5;
    pub const OTHER: u8 = 6;
    pub const STRANGER: u8 = 7;
    pub const NO_DATABASES: u8 = 8;
    pub const FOREIGN_DATABASE: u8 = 9;
    pub const DATABASE_WITHOUT_LOG: u8 = 10;
    pub const EMPTY_DATABASE: u8 = 11;
    pub const SEALED: u8 = 12;
    pub const STREAMED_DATABASE: u8 = 13;
    pub const NOT_JUDGED: u8 = 14;
}
