//! What a conversion takes from what the model saw, or adds to it. Each kind of loss is a variant of a rule; the names
//! here are how the code that converts speaks of them.

use crate::history::{Code, Finding, Row, codes};
use crate::place::Place;

use super::At;

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
    pub fn found(self, at: Place, record: u32) -> Finding {
        Finding::new(self.code, Row::of_place(at, record)).variant(self.variant)
    }

    /// The kind that a finding reports.
    pub fn of(finding: &Finding) -> LossKind {
        LossKind { code: finding.code, variant: finding.variant }
    }

    /// Whether a rule is about what a conversion loses.
    pub fn is_one(code: Code) -> bool {
        (900..1000).contains(&code.0)
    }

    pub const REASONING: LossKind = kind(codes::LOST_REASONING, 0);
    pub const REASONING_AS_TEXT: LossKind = kind(codes::LOST_REASONING, 1);
    /// Counted: thought signatures on parts.
    pub const SIGNATURES: LossKind = kind(codes::LOST_REASONING, 2);
    /// What was thought, without what seals it.
    pub const REASONING_UNSEALED: LossKind = kind(codes::LOST_REASONING, 3);
    pub const SERVER_TOOL: LossKind = kind(codes::LOST_SERVER_TOOL, 0);
    pub const SERVER_TOOL_DEFINITION: LossKind = kind(codes::LOST_SERVER_TOOL, 1);
    /// What a search of the web is limited by.
    pub const SEARCH_LIMIT: LossKind = kind(codes::LOST_SERVER_TOOL, 2);
    /// The target takes no such media, or not where it is.
    pub const MEDIA: LossKind = kind(codes::LOST_MEDIA, 0);
    /// Only its provider can read a file by its id.
    pub const FILE_ID: LossKind = kind(codes::LOST_MEDIA, 1);
    /// The target takes no URL.
    pub const MEDIA_URL: LossKind = kind(codes::LOST_MEDIA, 2);
    /// How closely an image is to be looked at.
    pub const DETAIL: LossKind = kind(codes::LOST_MEDIA, 3);
    pub const FILE_NAME: LossKind = kind(codes::LOST_MEDIA, 4);
    pub const CITATION: LossKind = kind(codes::LOST_CITATION, 0);
    /// That a document is to be cited.
    pub const CITATION_WANTED: LossKind = kind(codes::LOST_CITATION, 1);
    pub const CACHE_MARK: LossKind = kind(codes::LOST_CACHE_MARK, 0);
    /// The target takes no more.
    pub const CACHE_MARK_SURPLUS: LossKind = kind(codes::LOST_CACHE_MARK, 1);
    pub const CALL_ID_RENAMED: LossKind = kind(codes::CHANGED_ID, 0);
    pub const CALL_ID_INVENTED: LossKind = kind(codes::CHANGED_ID, 1);
    /// Counted: ids, status and phase of items.
    pub const ITEM_IDS: LossKind = kind(codes::CHANGED_ID, 2);
    pub const TOOL_RENAMED: LossKind = kind(codes::CHANGED_ID, 3);
    pub const ROLE: LossKind = kind(codes::CHANGED_ROLE, 0);
    /// Instructions in the midst of a conversation become a user's message.
    pub const INSTRUCTIONS_AS_USER: LossKind = kind(codes::CHANGED_ROLE, 1);
    pub const SETTING: LossKind = kind(codes::LOST_SETTING, 0);
    pub const HARMLESS_SETTING: LossKind = kind(codes::LOST_SETTING, 1);
    pub const SERVER_STATE: LossKind = kind(codes::LOST_SETTING, 2);
    /// The target has it, and its model refuses it.
    pub const SETTING_REFUSED: LossKind = kind(codes::LOST_SETTING, 3);
    /// Stop sequences above what the target takes.
    pub const SURPLUS_STOPS: LossKind = kind(codes::LOST_SETTING, 4);
    /// What the answer's form is for.
    pub const SCHEMA_DESCRIPTION: LossKind = kind(codes::LOST_SETTING, 5);
    /// Whether the answer is held to its form.
    pub const SCHEMA_STRICT: LossKind = kind(codes::LOST_SETTING, 6);
    /// Counted: what a request tells the model, where the agent that goes on has its own.
    pub const INSTRUCTIONS: LossKind = kind(codes::LOST_SETTING, 7);
    /// Counted: definitions of tools, where the agent that goes on has its own.
    pub const TOOL_DEFINITIONS: LossKind = kind(codes::LOST_SETTING, 8);
    /// What a batch calls its entry.
    pub const ENTRY_NAME: LossKind = kind(codes::LOST_SETTING, 9);
    /// Another setting of the request holds.
    pub const OVERRULED: LossKind = kind(codes::LOST_SETTING, 10);
    pub const UNKNOWN: LossKind = kind(codes::LOST_BLOCK, 0);
    pub const COMPACTION: LossKind = kind(codes::LOST_BLOCK, 1);
    pub const REFERENCE: LossKind = kind(codes::LOST_BLOCK, 2);
    pub const ORPHAN_RESULT: LossKind = kind(codes::LOST_BLOCK, 3);
    /// A field of an item that the target does not know.
    pub const FIELD: LossKind = kind(codes::LOST_BLOCK, 4);
    /// Its log holds no result of it.
    pub const WITHOUT_RESULT: LossKind = kind(codes::LOST_BLOCK, 5);
    /// Its log does not keep what a request needs of it.
    pub const NOT_REPLAYED: LossKind = kind(codes::LOST_BLOCK, 6);
    /// What a subagent did.
    pub const SUBAGENT: LossKind = kind(codes::LOST_BLOCK, 7);
    /// Counted: how files were at some time.
    pub const SNAPSHOTS: LossKind = kind(codes::LOST_BLOCK, 8);
    /// Counted: notes of calls and results that are longer than an agent takes.
    pub const NOTE_CUT: LossKind = kind(codes::LOST_BLOCK, 9);
    /// The agent takes it for a command.
    pub const UNSENT: LossKind = kind(codes::LOST_BLOCK, 10);
    /// What no message of a translated store says.
    pub const LEFT_OUT: LossKind = kind(codes::LOST_BLOCK, 11);
    /// What a log holds and its agent does not send either.
    pub const NOT_SENT: LossKind = kind(codes::LOST_BLOCK, 12);
    /// The rest of the message is in other records.
    pub const CHUNK: LossKind = kind(codes::LOST_BLOCK, 13);
    pub const STUB_RESULT: LossKind = kind(codes::INVENTED_CONTENT, 0);
    pub const STUB_TOOL: LossKind = kind(codes::INVENTED_CONTENT, 1);
    pub const STUB_TEXT: LossKind = kind(codes::INVENTED_CONTENT, 2);
    pub const STUB_LIMIT: LossKind = kind(codes::INVENTED_CONTENT, 3);
    pub const STUB_SIGNATURE: LossKind = kind(codes::INVENTED_CONTENT, 4);
    /// Counted: calls that newer models want signed.
    pub const UNSIGNED_CALLS: LossKind = kind(codes::INVENTED_CONTENT, 5);
    pub const REFUSAL_AS_TEXT: LossKind = kind(codes::CHANGED_FORM, 0);
    pub const CALL_AS_FUNCTION: LossKind = kind(codes::CHANGED_FORM, 1);
    pub const ERROR_MARK: LossKind = kind(codes::CHANGED_FORM, 2);
    pub const MEDIA_MOVED: LossKind = kind(codes::CHANGED_FORM, 3);
    pub const ARGUMENTS_WRAPPED: LossKind = kind(codes::CHANGED_FORM, 4);
    pub const RESULT_MOVED: LossKind = kind(codes::CHANGED_FORM, 5);
    pub const NAME: LossKind = kind(codes::CHANGED_FORM, 6);
    pub const MEDIA_AS_TEXT: LossKind = kind(codes::CHANGED_FORM, 7);
    /// What the server summed up, and can be read.
    pub const SUMMARY_AS_TEXT: LossKind = kind(codes::CHANGED_FORM, 8);
    /// What followed a call in its turn comes before it.
    pub const CALL_LAST: LossKind = kind(codes::CHANGED_FORM, 9);
    /// The nearest value that the target takes.
    pub const CLAMPED: LossKind = kind(codes::CHANGED_FORM, 10);
    /// How hard to think, in the target's own measure.
    pub const EFFORT: LossKind = kind(codes::CHANGED_FORM, 11);
    /// Which tools may be called.
    pub const CHOICE_WIDENED: LossKind = kind(codes::CHANGED_FORM, 12);
    /// A search of the web becomes the target's.
    pub const WEB_SEARCH: LossKind = kind(codes::CHANGED_FORM, 13);
    pub const CONTEXT_AS_TEXT: LossKind = kind(codes::CHANGED_FORM, 14);
    pub const FOUND_AS_TEXT: LossKind = kind(codes::CHANGED_FORM, 15);
    /// A document whose data is a text.
    pub const DATA_AS_TEXT: LossKind = kind(codes::CHANGED_FORM, 16);
    /// Counted: calls and results that become text.
    pub const NOTES: LossKind = kind(codes::CHANGED_FORM, 17);
    pub const NOT_CONVERTED: LossKind = kind(codes::NOT_CONVERTED, 0);
    pub const RESULT_REFUSED: LossKind = kind(codes::NOT_CONVERTED, 1);
    /// The result would hold bytes that are not UTF-8.
    pub const NOT_UNICODE: LossKind = kind(codes::NOT_CONVERTED, 2);
    /// The model is another provider's.
    pub const MODEL: LossKind = kind(codes::OTHER_MODEL, 0);
    pub const NO_MODEL: LossKind = kind(codes::OTHER_MODEL, 1);
}

/// One loss.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lost {
    pub kind: LossKind,
    pub at: At,
    pub arg: u32,
}

/// Takes losses, in the order in which they are met.
#[derive(Clone, Debug, Default)]
pub struct Losses {
    pub list: Vec<Lost>,
    /// Where in the list each kind stands that is counted.
    counted: Vec<(LossKind, usize)>,
}

impl Losses {
    pub fn add(&mut self, kind: LossKind, at: At) {
        self.list.push(Lost { kind, at, arg: 0 });
    }

    pub fn add_with(&mut self, kind: LossKind, at: At, arg: u32) {
        self.list.push(Lost { kind, at, arg });
    }

    /// Counts instead of listing: one loss a conversation, where it was met first.
    pub fn count(&mut self, kind: LossKind, at: At) {
        let known = self.counted.iter().find(|(own, _)| *own == kind);
        match known.and_then(|(_, ix)| self.list.get_mut(*ix)) {
            Some(lost) => lost.arg += 1,
            None => {
                self.counted.push((kind, self.list.len()));
                self.list.push(Lost { kind, at, arg: 1 });
            }
        }
    }
}
