//! The definition of a rule: a code, a page, the messages of its variants, and one function. Rules are pure: they get a
//! history (or an item during reading) and the target's capabilities, and report findings. They do not decide the
//! severity; it comes from the verdicts.

mod template;

use foldhash::HashSet;

use crate::dialect::Item;
use crate::history::{
    ANSWER, BlockFlags, Code, Finding, Flags, Group, History, ItemFlags, Kind, KindSet, Pair, PairState,
    ReasoningEffort, RepairAct, RequestOptions, Row, StoredItems, Usage,
};
use crate::json::Val;
use crate::place::Place;
use crate::read::ScannedRecord;
use crate::schema::ItemSchema;
use crate::source::ReadAt;
use crate::target::{Caps, ErrorDetails, Levels, Thinking, Trait, Traits};

/// The kind of evidence for a rule's condition, weakest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Evidence {
    /// Inferred; nobody observed it.
    Inferred,
    /// The provider's documentation or schema says so.
    Documented,
    /// Users reported the provider's sentence.
    Reported,
    /// A recorded exchange shows it.
    Recorded,
}

impl Evidence {
    pub fn name(self) -> &'static str {
        match self {
            Evidence::Inferred => "inferred",
            Evidence::Documented => "documented",
            Evidence::Reported => "reported",
            Evidence::Recorded => "recorded",
        }
    }
}

/// What a fix removes from, or adds to, the content that the model saw.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Loss {
    Lossless,
    /// Nothing is removed, but content is added: a placeholder result, a message that links two others.
    Adds,
    Lossy,
}

impl Loss {
    pub fn name(self) -> &'static str {
        match self {
            Loss::Lossless => "lossless",
            Loss::Adds => "adds",
            Loss::Lossy => "lossy",
        }
    }

    /// The name of this loss in text.
    pub fn term(self) -> &'static str {
        match self {
            Loss::Lossless => "lossless",
            Loss::Adds => "lossless and adds a placeholder",
            Loss::Lossy => "lossy",
        }
    }

    /// The term in parentheses, to follow the description of a fix; empty for a lossless one.
    pub fn mark(self) -> &'static str {
        match self {
            Loss::Lossless => "",
            Loss::Adds => " (lossless and adds a placeholder)",
            Loss::Lossy => " (lossy)",
        }
    }
}

/// When a fix is applied by default.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Autofix {
    /// If the finding is an error.
    Error,
    /// Also if it is a warning.
    Always,
    /// Also if it is a note.
    Notes,
    /// Only with `--fix-warnings` or the rule's name: the missing part is the user's next message, which a log need not
    /// contain yet.
    OnRequest,
    /// Only with the rule's own flag: it is the user's decision.
    Flag,
}

/// One way in which a rule is violated: its message and its default verdict.
///
/// Templates contain placeholders in braces, each one of [`NAMES`].
pub struct Variant {
    pub message: &'static str,
    /// Label of the partner's place; empty if there is none.
    pub related: &'static str,
    /// The provider's sentence; `None` if it is not known.
    pub api: Option<&'static str>,
    /// Other sentences for the same error, of older servers and other routes.
    pub also: &'static [&'static str],
    /// The HTTP status of the provider's error.
    pub status: u16,
    /// The other fields of the provider's error. In its template `{list}` is the request's list of items, for providers
    /// that name it.
    pub error: ErrorDetails,
    pub levels: Levels,
    pub evidence: Evidence,
    /// What `fix` does, as an imperative; empty if there is no fix.
    pub fix: &'static str,
    pub loss: Loss,
    pub autofix: Autofix,
    /// Shown in text output without `-v` even if it is only a note.
    pub is_shown: bool,
}

impl Variant {
    /// The defaults of a variant.
    pub const BASE: Variant = Variant {
        message: "",
        related: "",
        api: None,
        also: &[],
        status: 400,
        error: ErrorDetails::HISTORY,
        levels: Levels::ERROR,
        evidence: Evidence::Inferred,
        fix: "",
        loss: Loss::Lossy,
        autofix: Autofix::Error,
        is_shown: false,
    };

    /// True if every placeholder of its templates is known. The templates in `also` are only recognised, never filled,
    /// so they may use others.
    pub const fn is_filled(&self) -> bool {
        template::is_filled(self.message)
            && match self.api {
                Some(api) => template::is_filled(api),
                None => true,
            }
            && match self.error.param {
                Some(param) => template::is_filled(param),
                None => true,
            }
    }
}

/// The input of a rule, and its function.
pub enum Check {
    /// Items of these kinds, during reading.
    Item(KindSet, fn(&Item<'_>, &mut FindingSink)),
    /// Calls and outputs, paired or not.
    Pair(fn(&RuleContext<'_>, &Pair, &mut FindingSink)),
    Group(fn(&RuleContext<'_>, &Group, &mut FindingSink)),
    History(fn(&RuleContext<'_>, &mut FindingSink)),
    /// Items of all kinds, during reading, with their schema.
    Schema(fn(&ItemSchema, &Item<'_>, &mut FindingSink)),
    /// Nothing: the scanner, the reader, a format or the table of field rules reports the findings.
    External,
}

impl Check {
    /// True if a finding depends on the item alone, not on its history.
    pub fn judges_single_items(&self) -> bool {
        matches!(self, Check::Item(..) | Check::Schema(_) | Check::External)
    }
}

/// Properties of a rule for which the engine treats its findings differently.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RuleTag {
    /// About the bytes of a file or a record, before any item.
    Container,
    /// About a missing partner: not repaired in a log with an unreadable record, which may contain it.
    MissingPartner,
    /// About reasoning and the items after it: a history without reasoning has no such finding.
    Reasoning,
    /// About the ids of items, and how a group is replayed.
    Identity,
    /// The fix drops the reasoning of a group, and the variant says so.
    LosesReasoning,
    /// About a field of an item: the schema rule does not report it again.
    Field,
    /// Also about the same field of the partner.
    FieldOfBoth,
    /// About an answer of the model at the end of a request: a session that ends with one is not finished.
    EndOfRequest,
}

/// A row of the table of rules.
pub struct Rule {
    pub code: Code,
    pub name: &'static str,
    /// The dialect whose histories it checks; `None` for all.
    pub dialect: Option<&'static str>,
    pub tags: &'static [RuleTag],
    /// The rule's `explain` page.
    pub page: &'static str,
    pub variants: &'static [Variant],
    pub check: Check,
}

impl Rule {
    /// True if it checks histories of a dialect.
    pub fn judges(&self, dialect: &str) -> bool {
        self.dialect.is_none_or(|own| own == dialect)
    }

    pub fn has_tag(&self, what: RuleTag) -> bool {
        self.tags.contains(&what)
    }

    #[expect(clippy::indexing_slicing, reason = "the macro that declares rules requires at least one variant")]
    pub fn variant(&self, n: u8) -> &Variant {
        &self.variants[usize::from(n).min(self.variants.len() - 1)]
    }
}

/// Declares the rule of a file. The doc comment is the rule's page; then come its code and name, the dialect that it
/// judges and its [tags](RuleTag), its check, and its variants:
///
/// ```text
/// CHAT_CALL_ID_LENGTH, "chat-call-id-length" of "chat" tags [Field], Check::Item(KINDS, check), [Variant { .. }]
/// ```
macro_rules! rule {
    ($(#[doc = $line:literal])+ $code:ident, $name:literal $(of $dialect:literal)? $(tags [$($tag:ident),+])?, $check:expr, [$($variant:expr),+ $(,)?]) => {
        $(#[doc = $line])+
        pub static RULE: $crate::rule::Rule = $crate::rule::Rule {
            code: {
                assert!($crate::history::codes::is_named(stringify!($code), $name), "a constant is named as its rule");
                $crate::history::codes::$code
            },
            name: $name,
            dialect: $crate::rule!(@dialect $($dialect)?),
            tags: &[$($($crate::rule::RuleTag::$tag),+)?],
            page: concat!($($line, "\n"),+),
            variants: &[$(const {
                let variant = $variant;
                assert!(variant.is_filled(), "a template has an unknown placeholder");
                variant
            }),+],
            check: $check,
        };
    };
    (@dialect) => { None };
    (@dialect $name:literal) => { Some($name) };
}
pub(crate) use rule;
pub use template::NAMES;

/// Reasons for not repairing an open call at the end of a log. Reports recognise these sentences: each says how to
/// check and repair the call.
pub const CALL_PENDING: &str = "it may be about to run; use --as request to treat it as unanswered";
pub const ANSWER_PENDING: &str = "the user may be about to answer; use --as request to treat it as unanswered";
pub const TURN_NOT_CONTINUED: &str = "the turn was not continued; use --as request to treat it as unanswered";

/// True if a finding is not repaired only because it is at the end of a log.
pub fn is_end_of_log(why: &str) -> bool {
    [CALL_PENDING, ANSWER_PENDING, TURN_NOT_CONTINUED].contains(&why)
}

/// True if a finding is not repaired only because the lines of its file are fixed: a copy is repaired.
pub fn is_repaired_in_copy(why: &str) -> bool {
    why.contains("`replaylint fix --install FILE`")
}

/// Collects findings.
#[derive(Default)]
pub struct FindingSink {
    pub findings: Vec<Finding>,
    /// Flags of the current item for rules that only few targets enforce.
    pub item_flags: ItemFlags,
    /// Ids of items without reasoning before them: a recorded response elsewhere in the doc may prove that there was
    /// some.
    pub without_reasoning: Vec<u64>,
}

impl FindingSink {
    pub fn add(&mut self, finding: Finding) {
        self.findings.push(finding);
    }
}

/// Reads the text of items again. Slow; for the few places where a fingerprint is not enough.
pub trait ItemText {
    /// Calls `see` with the item's value; not at all if it cannot be read.
    fn with_item(&self, row: &Row, see: &mut dyn FnMut(Val<'_>));

    /// The same for a value that is not an item.
    fn with_value(&self, at: Place, see: &mut dyn FnMut(Val<'_>));

    /// True if two items are equal as canonical JSON.
    fn same_content(&self, a: &Row, b: &Row) -> bool;

    /// True if two items have the same id, compared by text.
    fn same_id(&self, a: &Row, b: &Row) -> bool;

    /// The record that is in memory, if any.
    fn scanned(&self) -> Option<ScannedRecord<'_>>;

    /// The bytes of the doc, including synthesised text.
    fn bytes(&self) -> &dyn ReadAt;
}

/// The maximum age of stored items.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AgeLimit {
    /// Maximum age in seconds.
    pub max_seconds: u64,
    /// The current time in Unix seconds.
    pub now: u64,
}

impl AgeLimit {
    /// True if a time, in Unix seconds, is too long ago. 0 means an unknown time.
    pub fn is_exceeded_at(&self, time: u32) -> bool {
        time > 0 && self.now.saturating_sub(u64::from(time)) > self.max_seconds
    }
}

/// The context in which a rule checks a history.
pub struct RuleContext<'h> {
    pub history: &'h History,
    pub caps: Caps,
    /// The server stores items of this history.
    pub stored: bool,
    pub thinking: Thinking,
    /// What the target or its model requires or rejects.
    pub traits: Traits,
    /// The words for the effort that the model accepts, from the lowest to the highest; `None` if they are not known.
    pub efforts: Option<&'static [&'static str]>,
    /// The history goes on in another account than it was made in.
    pub account_changed: bool,
    /// From `--max-item-age`.
    pub age_limit: Option<AgeLimit>,
    pub text: &'h dyn ItemText,
    /// Items and responses elsewhere in the doc that this history lacks.
    pub stored_items: &'h StoredItems,
}

impl RuleContext<'_> {
    pub fn row(&self, ix: u32) -> &Row {
        self.history.row(ix)
    }

    pub fn has(&self, one: Trait) -> bool {
        self.traits.has(one)
    }

    /// True if an open call is about to run: the history is a log, only the call's batch comes after it, and the agent does
    /// not send it as it is.
    pub fn is_pending(&self, ix: u32) -> bool {
        if self.history.settings.sends_open_calls {
            return false;
        }
        let log = match self.history.settings.usage {
            Usage::Request => false,
            Usage::Log => true,
            Usage::Exchange => self.row(ix).has(Flags::RECORDED),
        };
        log && ix >= self.history.call_patterns.tail
    }

    /// The finding for a call whose result is missing or misplaced; `None` for any other pair. The variants are those
    /// for a misplaced result, and for a call that may be about to run.
    pub fn unanswered_call(&self, code: Code, pair: &Pair, [far, pending]: [u8; 2]) -> Option<Finding> {
        let finding = || Finding::new(code, *self.row(pair.call));
        match pair.state {
            PairState::Misplaced => {
                Some(finding().variant(far).with_partner(self.row(pair.output).at).act(RepairAct::Reorder))
            }
            PairState::Open if self.is_pending(pair.call) => Some(finding().variant(pending).never(CALL_PENDING)),
            PairState::Open => Some(finding().remedy(ANSWER)),
            _ => None,
        }
    }

    /// Calls with the id of an earlier one of their batch.
    pub fn repeated_calls(&self, batches: impl Iterator<Item = impl Iterator<Item = u32>>) -> HashSet<u32> {
        let (mut repeated, mut keys) = (HashSet::default(), HashSet::default());
        for batch in batches {
            keys.clear();
            let calls = batch.filter(|ix| self.row(*ix).kind == Kind::ToolUse);
            repeated.extend(calls.filter(|ix| !keys.insert(self.row(*ix).key)));
        }
        repeated
    }

    /// Reports messages without content. The only message of a history is kept.
    pub fn report_empty_messages(&self, code: Code, out: &mut FindingSink) {
        let messages = &self.history.messages.list;
        for row in messages.iter().map(|message| self.row(message.row)) {
            let empty =
                [BlockFlags::EMPTY, BlockFlags::NULL, BlockFlags::ABSENT].iter().any(|flag| row.has(*flag));
            if row.kind == Kind::BlockMessage && empty && !row.has(Flags::RECORDED) {
                let finding = Finding::new(code, *row);
                out.add(match messages.len() {
                    1 => finding.never("the history would be empty without it"),
                    _ => finding.act(RepairAct::Drop),
                });
            }
        }
    }

    /// True if a group can be replayed without its ids: its reasoning has a blob, and nothing else depends on its id.
    pub fn can_detach<'r>(&self, mut items: impl Iterator<Item = &'r Row>) -> bool {
        let caps = &self.caps;
        items.all(|row| match row.is_reasoning() {
            true => {
                !row.is_reference()
                    && !row.has(ItemFlags::BOUND)
                    && self.thinking != Thinking::Never
                    && caps.detached_reasoning
                    && (row.has(ItemFlags::BLOB) || caps.bare_reasoning)
            }
            false => !self.depends_on_id(row),
        })
    }

    /// Why a group cannot be replayed as references; `None` if it can. The server must store its items under their ids.
    /// A client's call without an id is kept in full, as outputs are.
    pub fn reference_obstacle<'r>(&self, mut items: impl Iterator<Item = &'r Row>) -> Option<&'static str> {
        if !self.stored {
            return Some("the server stores no items");
        }
        if !self.caps.references {
            return Some("the target does not support references");
        }
        items.find_map(|row| match row {
            _ if row.has(ItemFlags::SYNTHETIC_ID) => Some("one of its ids was invented by a client"),
            _ if row.has(ItemFlags::LONG_ID) => Some("one of its ids is too long"),
            _ if row.has_id() || row.is_client_call() => None,
            _ if row.is_reasoning() => Some("its reasoning has no id"),
            _ => Some("one of its items has no id"),
        })
    }

    /// True for a group whose reasoning has an id and no blob, on a server that stores it: a reference keeps the
    /// reasoning, which would be lost without its id.
    pub fn needs_references<'r>(&self, items: impl Iterator<Item = &'r Row> + Clone) -> bool {
        let caps = &self.caps;
        let bare = |row: &Row| row.is_reasoning() && !row.has(ItemFlags::BLOB);
        let detachable = caps.detached_reasoning && !caps.bare_reasoning && self.thinking != Thinking::Never;
        detachable && items.clone().any(bare) && self.reference_obstacle(items).is_none()
    }

    /// True for a hosted call that the target accepts without its id.
    pub fn replays_without_id(&self, row: &Row) -> bool {
        self.caps.searches_without_ids && row.kind == Kind::WebSearchCall
    }

    /// True for an item that the target cannot use without its id.
    pub fn depends_on_id(&self, row: &Row) -> bool {
        row.depends_on_id() && !self.replays_without_id(row)
    }

    /// True if the server may have calls and items that the history does not show.
    pub fn has_server_state(&self) -> bool {
        self.history.settings.has_server_state()
    }

    /// A finding about a field of the request itself, at the place of its value.
    pub fn request_finding(&self, code: Code, at: Place) -> Finding {
        let first = self.history.rows.first();
        let mut row = Row::of_place(at, first.map_or(0, |row| row.record));
        row.flags = first.map_or(Flags::NONE, |row| row.flags.only(Flags::FROZEN | Flags::EMBEDDED));
        Finding::new(code, row)
    }

    /// The options of the request, if it has any.
    pub fn options(&self) -> Option<&RequestOptions> {
        self.history.settings.options.as_deref().filter(|_| self.history.settings.usage != Usage::Log)
    }

    /// True if the model of this history reasons; `None` if it is not known.
    pub fn reasons(&self) -> Option<bool> {
        match (self.history.settings.effort, self.thinking) {
            _ if self.has(Trait::AlwaysThinks) => Some(true),
            (_, Thinking::Never) | (Some(ReasoningEffort::None), _) => Some(false),
            (Some(ReasoningEffort::Some), _) => Some(true),
            (None, Thinking::ByDefault) => Some(true),
            (None, Thinking::OnRequest) => Some(false),
            (None, Thinking::Unknown) => None,
        }
    }
}
