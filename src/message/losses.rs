//! The losses of conversions: content or settings that are removed, changed or invented. Each kind of loss is a variant of a
//! rule; the constants are their names in the code that converts.

use crate::history::{Code, Finding, Row, codes};
use crate::place::Place;

use super::SourceLocation;

/// A variant of a rule of loss.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LossKind {
    pub code: Code,
    pub variant: u8,
}

const fn kind(code: Code, variant: u8) -> LossKind {
    LossKind { code, variant }
}

impl LossKind {
    /// A loss as a finding.
    pub fn to_finding(self, at: Place, record: u32) -> Finding {
        Finding::new(self.code, Row::of_place(at, record)).variant(self.variant)
    }

    /// The kind that a finding reports.
    pub fn of(finding: &Finding) -> LossKind {
        LossKind { code: finding.code, variant: finding.variant }
    }

    /// True if a rule is about losses of conversions.
    pub fn is_loss_rule(code: Code) -> bool {
        (900..1000).contains(&code.0)
    }

    pub const REASONING: LossKind = kind(codes::LOST_REASONING, 0);
    pub const REASONING_AS_TEXT: LossKind = kind(codes::LOST_REASONING, 1);
    /// Counted: thought signatures on parts.
    pub const SIGNATURES: LossKind = kind(codes::LOST_REASONING, 2);
    /// Reasoning text without its signature or encrypted content.
    pub const REASONING_WITHOUT_SIGNATURE: LossKind = kind(codes::LOST_REASONING, 3);
    /// Only the server could read reasoning without its encrypted content, and it stores nothing.
    pub const REASONING_WITHOUT_BLOB: LossKind = kind(codes::LOST_REASONING, 4);
    pub const SERVER_TOOL: LossKind = kind(codes::LOST_SERVER_TOOL, 0);
    pub const SERVER_TOOL_DEFINITION: LossKind = kind(codes::LOST_SERVER_TOOL, 1);
    /// A limit of a web search.
    pub const SEARCH_LIMIT: LossKind = kind(codes::LOST_SERVER_TOOL, 2);
    /// The readable part of a call that the server ran becomes text.
    pub const SERVER_TOOL_IN_PART: LossKind = kind(codes::LOST_SERVER_TOOL, 3);
    /// The target accepts no such media, or not at this position.
    pub const MEDIA: LossKind = kind(codes::LOST_MEDIA, 0);
    /// Only its provider can read a file by its id.
    pub const FILE_ID: LossKind = kind(codes::LOST_MEDIA, 1);
    /// The target accepts no URL.
    pub const MEDIA_URL: LossKind = kind(codes::LOST_MEDIA, 2);
    /// The level of detail of an image.
    pub const DETAIL: LossKind = kind(codes::LOST_MEDIA, 3);
    pub const FILE_NAME: LossKind = kind(codes::LOST_MEDIA, 4);
    pub const CITATION: LossKind = kind(codes::LOST_CITATION, 0);
    /// The request that a document be cited.
    pub const CITATION_REQUEST: LossKind = kind(codes::LOST_CITATION, 1);
    pub const CACHE_MARK: LossKind = kind(codes::LOST_CACHE_MARK, 0);
    /// More cache marks than the target accepts.
    pub const CACHE_MARK_SURPLUS: LossKind = kind(codes::LOST_CACHE_MARK, 1);
    pub const CALL_ID_RENAMED: LossKind = kind(codes::CHANGED_ID, 0);
    pub const CALL_ID_INVENTED: LossKind = kind(codes::CHANGED_ID, 1);
    /// Counted: ids and status of items.
    pub const ITEM_IDS: LossKind = kind(codes::CHANGED_ID, 2);
    pub const TOOL_RENAMED: LossKind = kind(codes::CHANGED_ID, 3);
    /// The name of a batch's entry, which the target does not accept.
    pub const ENTRY_RENAMED: LossKind = kind(codes::CHANGED_ID, 4);
    pub const ROLE: LossKind = kind(codes::CHANGED_ROLE, 0);
    /// Instructions amid a conversation become a message of the user.
    pub const INSTRUCTIONS_AS_USER: LossKind = kind(codes::CHANGED_ROLE, 1);
    pub const SETTING: LossKind = kind(codes::LOST_SETTING, 0);
    pub const HARMLESS_SETTING: LossKind = kind(codes::LOST_SETTING, 1);
    pub const SERVER_STATE: LossKind = kind(codes::LOST_SETTING, 2);
    /// The target has the setting, and its model refuses it.
    pub const SETTING_REFUSED: LossKind = kind(codes::LOST_SETTING, 3);
    /// More stop sequences than the target accepts.
    pub const SURPLUS_STOPS: LossKind = kind(codes::LOST_SETTING, 4);
    /// The description of the answer's schema.
    pub const SCHEMA_DESCRIPTION: LossKind = kind(codes::LOST_SETTING, 5);
    /// The strictness of the answer's schema.
    pub const SCHEMA_STRICT: LossKind = kind(codes::LOST_SETTING, 6);
    /// Counted: instructions, where the agent that resumes has its own.
    pub const INSTRUCTIONS: LossKind = kind(codes::LOST_SETTING, 7);
    /// Counted: definitions of tools, where the agent that resumes has its own.
    pub const TOOL_DEFINITIONS: LossKind = kind(codes::LOST_SETTING, 8);
    /// The name of a batch's entry.
    pub const ENTRY_NAME: LossKind = kind(codes::LOST_SETTING, 9);
    /// An answer that the model is to be trained not to give.
    pub const REJECTED_ANSWER: LossKind = kind(codes::LOST_BLOCK, 13);
    /// Another setting of the request takes precedence.
    pub const OVERRIDDEN_SETTING: LossKind = kind(codes::LOST_SETTING, 10);
    pub const UNKNOWN: LossKind = kind(codes::LOST_BLOCK, 0);
    pub const COMPACTION: LossKind = kind(codes::LOST_BLOCK, 1);
    pub const REFERENCE: LossKind = kind(codes::LOST_BLOCK, 2);
    pub const ORPHAN_RESULT: LossKind = kind(codes::LOST_BLOCK, 3);
    /// A field of an item that the target does not know.
    pub const FIELD: LossKind = kind(codes::LOST_BLOCK, 4);
    /// The log contains no result of the call.
    pub const WITHOUT_RESULT: LossKind = kind(codes::LOST_BLOCK, 5);
    /// The log does not keep what a request needs of it.
    pub const NOT_REPLAYED: LossKind = kind(codes::LOST_BLOCK, 6);
    /// The history of a subagent.
    pub const SUBAGENT: LossKind = kind(codes::LOST_BLOCK, 7);
    /// Counted: snapshots of files.
    pub const SNAPSHOTS: LossKind = kind(codes::LOST_BLOCK, 8);
    /// Counted: notes of calls and results that are longer than the agent's limit.
    pub const NOTE_TRUNCATED: LossKind = kind(codes::LOST_BLOCK, 9);
    /// A message that the agent takes for a command.
    pub const AGENT_COMMAND: LossKind = kind(codes::LOST_BLOCK, 10);
    /// A value that no message of a translated store contains.
    pub const NOT_TRANSLATED: LossKind = kind(codes::LOST_BLOCK, 11);
    /// Content of a log that its agent does not send either.
    pub const NOT_SENT: LossKind = kind(codes::LOST_BLOCK, 12);
    /// Counted: whether messages of the model comment or answer.
    pub const PHASES: LossKind = kind(codes::LOST_BLOCK, 14);
    pub const STUB_RESULT: LossKind = kind(codes::INVENTED_CONTENT, 0);
    pub const STUB_TOOL: LossKind = kind(codes::INVENTED_CONTENT, 1);
    pub const STUB_TEXT: LossKind = kind(codes::INVENTED_CONTENT, 2);
    pub const STUB_LIMIT: LossKind = kind(codes::INVENTED_CONTENT, 3);
    pub const STUB_SIGNATURE: LossKind = kind(codes::INVENTED_CONTENT, 4);
    /// Counted: unsigned calls, which newer models refuse.
    pub const UNSIGNED_CALLS: LossKind = kind(codes::INVENTED_CONTENT, 5);
    /// Thinking is enabled, for that of the last message.
    pub const STUB_THINKING: LossKind = kind(codes::INVENTED_CONTENT, 6);
    pub const REFUSAL_AS_TEXT: LossKind = kind(codes::CHANGED_FORM, 0);
    pub const CALL_AS_FUNCTION: LossKind = kind(codes::CHANGED_FORM, 1);
    pub const ERROR_MARK: LossKind = kind(codes::CHANGED_FORM, 2);
    pub const MEDIA_MOVED: LossKind = kind(codes::CHANGED_FORM, 3);
    pub const ARGUMENTS_WRAPPED: LossKind = kind(codes::CHANGED_FORM, 4);
    pub const RESULT_MOVED: LossKind = kind(codes::CHANGED_FORM, 5);
    pub const NAME: LossKind = kind(codes::CHANGED_FORM, 6);
    pub const MEDIA_AS_TEXT: LossKind = kind(codes::CHANGED_FORM, 7);
    /// A readable summary of the server.
    pub const SUMMARY_AS_TEXT: LossKind = kind(codes::CHANGED_FORM, 8);
    /// Content after a call in its turn moves before it.
    pub const CALL_LAST: LossKind = kind(codes::CHANGED_FORM, 9);
    /// A setting gets the nearest value that the target accepts.
    pub const CLAMPED: LossKind = kind(codes::CHANGED_FORM, 10);
    /// Reasoning effort, in the target's own unit.
    pub const EFFORT: LossKind = kind(codes::CHANGED_FORM, 11);
    /// A list of allowed tools becomes all of them.
    pub const CHOICE_WIDENED: LossKind = kind(codes::CHANGED_FORM, 12);
    /// A web search tool becomes the target's.
    pub const WEB_SEARCH: LossKind = kind(codes::CHANGED_FORM, 13);
    pub const CONTEXT_AS_TEXT: LossKind = kind(codes::CHANGED_FORM, 14);
    pub const SEARCH_RESULT_AS_TEXT: LossKind = kind(codes::CHANGED_FORM, 15);
    /// A document whose data is a text.
    pub const DATA_AS_TEXT: LossKind = kind(codes::CHANGED_FORM, 16);
    /// Counted: calls and results that become text.
    pub const CALLS_AS_NOTES: LossKind = kind(codes::CHANGED_FORM, 17);
    /// A level of reasoning summaries becomes "on".
    pub const SUMMARY_LEVEL: LossKind = kind(codes::CHANGED_FORM, 18);
    /// The schema of the answer or of a strict tool has closed objects, and limits in its descriptions.
    pub const SCHEMA: LossKind = kind(codes::CHANGED_FORM, 19);
    /// The schema of a tool loses the alternatives at its top, or gets a type.
    pub const TOOL_SCHEMA: LossKind = kind(codes::CHANGED_FORM, 20);
    /// A message with more calls than the target accepts becomes several.
    pub const CALLS_SPLIT: LossKind = kind(codes::CHANGED_FORM, 21);
    /// A call that the server ran becomes text.
    pub const SERVER_TOOL_AS_TEXT: LossKind = kind(codes::CHANGED_FORM, 23);
    /// White space at the end of the last message of the model.
    pub const TRAILING_SPACE: LossKind = kind(codes::CHANGED_FORM, 22);
    pub const NOT_CONVERTED: LossKind = kind(codes::NOT_CONVERTED, 0);
    pub const RESULT_REFUSED: LossKind = kind(codes::NOT_CONVERTED, 1);
    /// The same, and the source has no error that `fix` repairs.
    pub const RESULT_REFUSED_FOR_GOOD: LossKind = kind(codes::NOT_CONVERTED, 2);
    /// The result would contain bytes that are not UTF-8.
    pub const NOT_UNICODE: LossKind = kind(codes::NOT_CONVERTED, 3);
    /// The model is of another provider.
    pub const MODEL: LossKind = kind(codes::OTHER_MODEL, 0);
    pub const NO_MODEL: LossKind = kind(codes::OTHER_MODEL, 1);
}

/// One loss.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConversionLoss {
    pub kind: LossKind,
    pub at: SourceLocation,
    pub arg: u32,
    /// What takes the place of the old value.
    pub to: Option<Box<str>>,
}

/// Losses, in the order in which they occurred.
#[derive(Clone, Debug, Default)]
pub struct Losses {
    pub list: Vec<ConversionLoss>,
    /// Losses that are only counted otherwise are listed one by one.
    pub lists_each: bool,
    /// The index in the list of each kind that is counted.
    counted: Vec<(LossKind, usize)>,
}

impl Losses {
    pub fn add(&mut self, kind: LossKind, at: SourceLocation) {
        self.add_with(kind, at, 0);
    }

    pub fn add_with(&mut self, kind: LossKind, at: SourceLocation, arg: u32) {
        self.list.push(ConversionLoss { kind, at, arg, to: None });
    }

    /// Adds a change of a value to this one.
    pub fn add_change(&mut self, kind: LossKind, at: SourceLocation, to: impl Into<Box<str>>) {
        self.list.push(ConversionLoss { kind, at, arg: 0, to: Some(to.into()) });
    }

    /// Counts instead of listing: one loss per conversation, at its first occurrence.
    pub fn count(&mut self, kind: LossKind, at: SourceLocation) {
        if self.lists_each {
            return self.add_with(kind, at, 1);
        }
        let known = self.counted.iter().find(|(own, _)| *own == kind);
        match known.and_then(|(_, ix)| self.list.get_mut(*ix)) {
            Some(lost) => lost.arg += 1,
            None => {
                self.counted.push((kind, self.list.len()));
                self.add_with(kind, at, 1);
            }
        }
    }
}
