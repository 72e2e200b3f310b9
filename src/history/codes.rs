//! The codes of all rules, by name. A rule is declared with its constant, and the compiler checks that both have the
//! same name.

use super::Code;

macro_rules! codes {
    ($($name:ident = $number:literal,)*) => {
        $(pub const $name: Code = Code($number);)*
    };
}

codes! {
    // Files and records: bytes, text encodings, JSON.
    INVALID_JSON = 1,
    DUPLICATE_KEY = 2,
    TRUNCATED_LAST_LINE = 3,
    UNKNOWN_FORMAT = 4,
    INVALID_UTF8 = 5,
    LONE_SURROGATE = 6,
    BYTE_ORDER_MARK = 7,
    SHARED_LINE = 8,
    RECORD_AFTER_TRUNCATED_ONE = 9,
    RAW_CONTROL_CHARACTER = 10,
    NUL_BYTES = 11,
    MISSING_LAST_NEWLINE = 12,
    LINKS_TO_LOST_LINE = 13,

    // Calls and their outputs, in Responses histories.
    MISSING_OUTPUT = 101,
    ORPHAN_OUTPUT = 102,
    OUTPUT_BEFORE_CALL = 103,
    DUPLICATE_CALL = 104,
    DUPLICATE_OUTPUT = 105,
    MISMATCHED_OUTPUT = 106,
    UNANSWERED_APPROVAL = 107,
    ORPHAN_APPROVAL = 108,
    UNACKNOWLEDGED_SAFETY_CHECK = 109,
    SPLIT_PARALLEL_CALLS = 110,
    EMPTY_CALL_ID = 111,

    // Reasoning, and the items that follow it.
    ITEM_WITHOUT_REASONING = 201,
    REASONING_WITHOUT_ITEM = 202,
    REGROUPED_REASONING = 203,
    REASONING_FOR_PLAIN_MODEL = 204,
    REASONING_WITHOUT_BLOB = 205,
    PROVISIONAL_ITEM = 206,
    ORPHAN_TOOL_RUN = 207,
    OTHER_ACCOUNT = 208,

    // Ids of items, references, chains of responses.
    DUPLICATE_ID = 301,
    WRONG_ID_PREFIX = 302,
    ITEM_NOT_STORED = 303,
    REFERENCED_CALL = 304,
    MIXED_REFERENCES = 305,
    CHAIN_WITH_HISTORY = 306,
    CHAIN_WITHOUT_STORE = 307,
    CHAIN_AND_CONVERSATION = 308,
    EXPIRED_REFERENCE = 309,
    ID_LENGTH = 310,
    SYNTHETIC_ID = 311,
    CHAIN_NOT_SUPPORTED = 312,
    MIXED_LINEAGES = 313,
    CONFLICTING_BLOBS = 314,

    // Fields of Responses items.
    SCHEMA_VIOLATION = 400,
    OUTPUT_ONLY_FIELD = 401,
    FOREIGN_FIELD = 402,
    MISSING_SUMMARY = 403,
    REASONING_CONTENT = 404,
    PART_TYPE = 405,
    MISSING_ANNOTATIONS = 406,
    NULL_CONTENT = 407,
    EMPTY_CONTENT = 408,
    OUTPUT_NOT_TEXT = 409,
    ARGUMENTS_NOT_TEXT = 410,
    ARGUMENTS_NOT_JSON = 411,
    NAMESPACE_MISMATCH = 412,
    WRONG_ROLE = 413,
    MISSING_FIELD = 414,
    STRING_TOO_LONG = 415,
    COMPACTION_WITHOUT_BLOB = 416,
    COMPACTION_TRIGGER_NOT_LAST = 417,
    ITEMS_BEFORE_COMPACTION = 418,
    MISPLACED_PHASE = 419,
    UNFINISHED_ITEM = 420,
    LOST_PROGRAM = 421,
    EMPTY_INPUT = 422,
    NOT_AN_ITEM = 490,

    // Chat Completions.
    CHAT_MISSING_REPLY = 501,
    CHAT_ORPHAN_REPLY = 502,
    CHAT_DUPLICATE_REPLY = 503,
    CHAT_DUPLICATE_CALL_ID = 504,
    CHAT_CALL_ID_LENGTH = 505,
    CHAT_MISSING_ID = 506,
    CHAT_NULL_CONTENT = 507,
    CHAT_EMPTY_TOOL_CALLS = 508,
    CHAT_EMPTY_MESSAGES = 509,
    CHAT_NAME = 510,
    CHAT_PART_TYPE = 511,
    CHAT_ROLE = 512,
    CHAT_ARGUMENTS = 513,
    CHAT_MISSING_REASONING = 514,
    CHAT_REFUSED_REASONING = 515,
    CHAT_ROLE_ORDER = 516,
    CHAT_LAST_ROLE = 517,
    CHAT_CALL_ID_FORM = 518,
    CHAT_EMPTY_ASSISTANT = 519,
    CHAT_LONG_CONTENT = 520,
    CHAT_ASSUMED = 521,
    CHAT_TEMPLATE_ORDER = 522,
    CHAT_TOO_MANY_CALLS = 523,
    CHAT_CONTENT_WITH_THINKING = 524,

    // Anthropic Messages.
    ANTHROPIC_MISSING_RESULT = 530,
    ANTHROPIC_ORPHAN_RESULT = 531,
    ANTHROPIC_DUPLICATE_RESULT = 532,
    ANTHROPIC_DUPLICATE_CALL = 533,
    ANTHROPIC_MISPLACED_BLOCK = 534,
    ANTHROPIC_OPEN_SERVER_CALL = 535,
    ANTHROPIC_ORPHAN_SERVER_RESULT = 536,
    ANTHROPIC_TOOL_ID = 537,
    ANTHROPIC_TOOL_INPUT = 538,
    ANTHROPIC_TOOL_NAME = 539,
    ANTHROPIC_UNDEFINED_TOOLS = 540,
    ANTHROPIC_UNSIGNED_THINKING = 541,
    ANTHROPIC_THINKING_NOT_FIRST = 542,
    ANTHROPIC_MISSING_THINKING = 543,
    ANTHROPIC_EMPTY_TEXT = 544,
    ANTHROPIC_CACHE_CONTROL = 545,
    ANTHROPIC_PREFILL = 546,
    ANTHROPIC_SYSTEM_MESSAGE = 547,
    ANTHROPIC_UNKNOWN_ROLE = 548,
    ANTHROPIC_EXTRA_FIELD = 549,
    ANTHROPIC_EMPTY_MESSAGES = 550,
    ANTHROPIC_DISABLED_THINKING = 551,
    ANTHROPIC_UNDEFINED_REFERENCE = 559,

    // Gemini contents.
    GEMINI_MISSING_RESPONSE = 560,
    GEMINI_ORPHAN_RESPONSE = 561,
    GEMINI_LEADING_CALL = 562,
    GEMINI_UNNAMED_RESPONSE = 563,
    GEMINI_ROLE = 564,
    GEMINI_UNSIGNED_CALL = 565,
    GEMINI_EMPTY_PARTS = 566,
    GEMINI_EMPTY_TEXT = 567,
    GEMINI_MIXED_RESPONSE = 568,
    GEMINI_MODEL_LAST = 569,
    GEMINI_UNACKNOWLEDGED_SAFETY = 570,
    GEMINI_EMPTY_CONTENTS = 571,

    // Bedrock Converse.
    BEDROCK_MISSING_RESULT = 580,
    BEDROCK_ORPHAN_RESULT = 581,
    BEDROCK_DUPLICATE_ID = 582,
    BEDROCK_TOOL_ID = 583,
    BEDROCK_TOOL_INPUT = 584,
    BEDROCK_EMPTY_CONTENT = 585,
    BEDROCK_BLANK_TEXT = 586,
    BEDROCK_ASSISTANT_FIRST = 587,
    BEDROCK_MISSING_TOOL_CONFIG = 588,
    BEDROCK_SILENT_ERROR = 589,
    BEDROCK_DOCUMENT_ALONE = 590,
    BEDROCK_DOCUMENT_NAME = 591,
    BEDROCK_REMOTE_DOCUMENT = 592,
    BEDROCK_MISPLACED_REASONING = 593,
    BEDROCK_UNSIGNED_REASONING = 594,
    BEDROCK_DUPLICATE_DOCUMENT = 595,
    BEDROCK_EMPTY_MESSAGES = 596,
    BEDROCK_MIXED_RESULT = 597,
    BEDROCK_TOOL_NAME = 598,

    // Trees of nodes, and chains of responses.
    MISSING_PARENT = 601,
    CYCLE = 602,
    DUPLICATE_NODE = 603,
    BROKEN_CHAIN = 604,
    UNFINISHED_STREAM = 605,

    // Streams of events.
    DANGLING_REQUEST = 620,
    STALE_OUTPUT = 621,
    OUTPUT_AFTER_CANCEL = 622,
    ANSWERED_TWICE = 623,
    COMPLETED_WITHOUT_REQUEST = 624,
    OFFSETS_NOT_INCREASING = 625,
    EMBEDDED_BODY_DIFFERS = 626,
    UNKNOWN_EVENT = 627,
    INVALID_EVENT = 628,

    // Logs that grow, and their continuations.
    UNRECOVERABLE_ITEM = 640,
    STRAY_PART = 641,
    HISTORY_WINDOW = 650,
    BROKEN_ORDINALS = 651,
    MISSING_SESSION_META = 652,
    OTHER_HISTORY_BASE = 653,
    INVALID_IMAGE_URL = 654,

    // Sessions of agents.
    PHANTOM_PARENT = 660,
    SPLIT_THINKING = 661,
    CUT_SIGNATURE = 662,
    NUL_IN_RESULT = 663,
    UNFINDABLE_SESSION = 664,
    UNKNOWN_LINE = 665,
    SESSION_HOST = 666,
    INCOMPLETE_RECORD = 667,
    HIDDEN_SESSION = 668,
    SESSION_FILE = 669,
    UNKNOWN_REWIND = 680,
    UNKNOWN_VERSION = 685,
    RAW_LINE_SEPARATOR = 686,
    HEALED_BY_AGENT = 690,

    // Images, sounds, videos and files.
    UNSUPPORTED_PART = 701,
    UNFETCHED_MEDIA = 702,
    MEDIA_TYPE = 703,
    MISMATCHED_MEDIA_TYPE = 704,
    EMPTY_MEDIA = 705,
    INVALID_BASE64 = 706,
    MEDIA_WITHOUT_PREFIX = 707,
    LARGE_MEDIA = 708,
    LARGE_IMAGE = 709,
    TOO_MANY_MEDIA = 710,
    LARGE_BODY = 711,

    // Settings of a request that its model refuses.
    UNSUPPORTED_THINKING = 721,
    THINKING_BUDGET = 722,
    THINKING_WITH_SAMPLING = 723,
    FORCED_TOOL = 724,
    UNSUPPORTED_EFFORT = 725,
    GEMINI_THINKING_LEVEL = 726,
    SAMPLING_CONFLICT = 727,
    REFUSED_SAMPLING = 728,
    OPTION_RANGE = 729,
    BLANK_STOP = 730,
    ANTHROPIC_STRICT_SCHEMA = 731,
    ANTHROPIC_TOOL_SCHEMA = 732,
    STRICT_SCHEMA = 733,
    GEMINI_SCHEMA = 734,
    STRICT_TOOL_LIMITS = 735,

    // What a conversion loses, or changes.
    LOST_REASONING = 901,
    LOST_SERVER_TOOL = 902,
    LOST_MEDIA = 903,
    LOST_CITATION = 904,
    LOST_CACHE_MARK = 905,
    CHANGED_ID = 906,
    CHANGED_ROLE = 907,
    LOST_SETTING = 908,
    LOST_BLOCK = 909,
    INVENTED_CONTENT = 910,
    CHANGED_FORM = 911,
    NOT_CONVERTED = 912,
    OTHER_MODEL = 913,
}

/// True if a constant has the name of a rule: `MISSING_OUTPUT`, `missing-output`.
pub const fn is_named(constant: &str, rule: &str) -> bool {
    let (constant, rule) = (constant.as_bytes(), rule.as_bytes());
    let (mut constant, mut rule) = (constant, rule);
    loop {
        match (constant, rule) {
            ([], []) => return true,
            ([b'_', own @ ..], [b'-', named @ ..]) => (constant, rule) = (own, named),
            ([letter, own @ ..], [other, named @ ..]) if *letter == other.to_ascii_uppercase() => {
                (constant, rule) = (own, named);
            }
            _ => return false,
        }
    }
}

/// Variants of RL001.
pub mod invalid_json {
    /// The agent of the session loses everything after the line.
    pub const LOSES_LATER: u8 = 2;
}

/// Variants of RL009.
pub mod record_after_truncated_one {
    /// The truncated record may stay, on a line of its own.
    pub const SEPARATED: u8 = 1;
    /// The agent of the session loses everything after the line.
    pub const REMOVED: u8 = 2;
}

/// The variants of RL003.
pub mod truncated_last_line {
    /// The last line has no newline.
    pub const UNTERMINATED: u8 = 0;
    pub const COMPRESSED: u8 = 1;
    /// The last line ends in a newline.
    pub const TERMINATED: u8 = 2;
    /// The last line has no newline, and the agent loses what it writes next.
    pub const LOSES_NEXT: u8 = 3;
}

/// The variants of RL004, by what it found instead of a conversation.
pub mod unknown_format {
    pub const EMPTY: u8 = 1;
    pub const BINARY: u8 = 2;
    pub const TEXT: u8 = 3;
    pub const EVENTS: u8 = 4;
    pub const UNSUPPORTED: u8 = 5;
    pub const NOT_A_CONVERSATION: u8 = 6;
    pub const FOREIGN_RECORD: u8 = 7;
    pub const NO_DATABASES: u8 = 8;
    pub const FOREIGN_DATABASE: u8 = 9;
    pub const DATABASE_WITHOUT_LOG: u8 = 10;
    pub const EMPTY_DATABASE: u8 = 11;
    pub const ENCRYPTED: u8 = 12;
    pub const STREAMED_DATABASE: u8 = 13;
    pub const NOT_JUDGED: u8 = 14;
}
