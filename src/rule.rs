//! What a rule is: a code, a page, the words of its variants, and one function. Rules are pure: they see a history (or
//! an item as it passes by) and what the target can do, and raise findings. Severity is not theirs to decide; it comes
//! from the verdicts.

mod template;

use crate::dialect::Item;
use crate::history::{
    ANSWER, Act, BlockFlags, Code, Effort, Finding, Flags, Group, History, ItemFlags, Kind, KindSet, Known, Pair,
    PairState, Row, Usage,
};
use crate::json::Val;
use crate::place::Place;
use crate::read::Scanned;
use crate::schema::Standard;
use crate::source::ReadAt;
use crate::target::{Answer, Caps, Levels, Thinking, Trait, Traits};

/// How well a rule's condition is known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Evidence {
    /// A conclusion; nobody saw it.
    Inferred,
    /// The provider's documents or schema say so.
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

/// What a fix takes from what the model saw, or adds to it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Loss {
    Lossless,
    /// Nothing is taken, but something is written that nobody said: a placeholder result, a message that links two others.
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

    /// What a fix with this loss is called in text.
    pub fn term(self) -> &'static str {
        match self {
            Loss::Lossless => "lossless",
            Loss::Adds => "lossless, adds a placeholder",
            Loss::Lossy => "lossy",
        }
    }

    /// The term after what is done, in parentheses. What neither takes nor adds needs none.
    pub fn mark(self) -> &'static str {
        match self {
            Loss::Lossless => "",
            Loss::Adds => " (lossless, adds a placeholder)",
            Loss::Lossy => " (lossy)",
        }
    }
}

/// When a fix is made without being asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// Where the finding is an error.
    Error,
    /// Where it is a warning, too.
    Always,
    /// Never by itself: what is missing is the user's next message, which a log need not hold yet. `--fix-warnings`, or
    /// the rule's name, asks for it.
    Asked,
    /// Never: it is a person's decision, and has a flag of its own.
    Flag,
}

/// One way in which a rule is broken: its words and its default verdict.
///
/// Templates name what they show in braces: one of [`NAMES`].
pub struct Variant {
    pub message: &'static str,
    /// What the partner's place is called; empty if there is none.
    pub related: &'static str,
    /// The provider's sentence, only where one was seen.
    pub api: Option<&'static str>,
    /// The same complaint in other words, as older servers and other routes were seen to put it.
    pub also: &'static [&'static str],
    /// The HTTP status that comes with it.
    pub status: u16,
    /// What else the provider's error says. In its template `{list}` is the request's list of items, where providers were
    /// seen to name it.
    pub answer: Answer,
    pub levels: Levels,
    pub evidence: Evidence,
    /// What `fix` does about it, as an infinitive without "to"; empty where it does nothing.
    pub fix: &'static str,
    pub loss: Loss,
    pub when: When,
    /// Reported to people without `-v`, too, where it is only noted.
    pub shown: bool,
}

impl Variant {
    /// What most variants have in common.
    pub const BASE: Variant = Variant {
        message: "",
        related: "",
        api: None,
        also: &[],
        status: 400,
        answer: Answer::HISTORY,
        levels: Levels::ERROR,
        evidence: Evidence::Inferred,
        fix: "",
        loss: Loss::Lossy,
        when: When::Error,
        shown: false,
    };

    /// Whether what its templates name is filled. Those in `also` are only recognised, never filled: they may name what
    /// nothing knows.
    pub const fn is_filled(&self) -> bool {
        template::is_filled(self.message)
            && match self.api {
                Some(api) => template::is_filled(api),
                None => true,
            }
            && match self.answer.param {
                Some(param) => template::is_filled(param),
                None => true,
            }
    }
}

/// What a rule looks at.
pub enum Check {
    /// Items of these kinds, as they pass by.
    Item(KindSet, fn(&Item<'_>, &mut Out)),
    /// Calls and outputs, paired or not.
    Pair(fn(&Cx<'_>, &Pair, &mut Out)),
    Group(fn(&Cx<'_>, &Group, &mut Out)),
    History(fn(&Cx<'_>, &mut Out)),
    /// Items of all kinds, as they pass by, with what their schema is.
    Schema(fn(&Standard, &Item<'_>, &mut Out)),
    /// The scanner, the reader, a format or the table of field rules raises it.
    Raised,
}

impl Check {
    /// Whether an item by itself has the finding, whatever history it is in.
    pub fn is_of_item(&self) -> bool {
        matches!(self, Check::Item(..) | Check::Schema(_) | Check::Raised)
    }
}

/// What a rule is about, where the engine treats its findings differently for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum About {
    /// The bytes of a file or a record, before any item.
    Container,
    /// A partner that is not there. In a log with an unreadable record nothing is repaired for want of it.
    MissingPartner,
    /// How reasoning and the items after it belong together: without any reasoning there is no finding.
    Reasoning,
    /// The ids of items, and how a group is replayed.
    Identity,
    /// The fix of a group drops its reasoning, and the variant says so.
    LosesReasoning,
    /// A field of an item, in words of its own: the schema need not repeat it.
    Field,
    /// The same field of the partner, too.
    FieldOfBoth,
}

/// A row of the table of rules.
pub struct Rule {
    pub code: Code,
    pub name: &'static str,
    /// The dialect whose histories it judges; `None` for all.
    pub dialect: Option<&'static str>,
    pub about: &'static [About],
    /// The rule's `explain` page.
    pub page: &'static str,
    pub variants: &'static [Variant],
    pub check: Check,
}

impl Rule {
    /// Whether it has something to say of histories in a dialect.
    pub fn judges(&self, dialect: &str) -> bool {
        self.dialect.is_none_or(|own| own == dialect)
    }

    pub fn is_about(&self, what: About) -> bool {
        self.about.contains(&what)
    }

    #[expect(clippy::indexing_slicing, reason = "the macro that declares rules takes no list without a variant")]
    pub fn variant(&self, n: u8) -> &Variant {
        &self.variants[usize::from(n).min(self.variants.len() - 1)]
    }
}

/// Declares the rule of a file. The doc comment is the rule's page; then come its code and name, the dialect that it
/// judges and what it is [about](About), what it looks at, and its variants:
///
/// ```text
/// CHAT_CALL_ID_LENGTH, "chat-call-id-length" of "chat" about [Field], Check::Item(KINDS, check), [Variant { .. }]
/// ```
macro_rules! rule {
    ($(#[doc = $line:literal])+ $code:ident, $name:literal $(of $dialect:literal)? $(about [$($about:ident),+])?, $check:expr, [$($variant:expr),+ $(,)?]) => {
        $(#[doc = $line])+
        pub static RULE: $crate::rule::Rule = $crate::rule::Rule {
            code: {
                assert!($crate::history::codes::is_named(stringify!($code), $name), "a constant is named as its rule");
                $crate::history::codes::$code
            },
            name: $name,
            dialect: $crate::rule!(@dialect $($dialect)?),
            about: &[$($($crate::rule::About::$about),+)?],
            page: concat!($($line, "\n"),+),
            variants: &[$(const {
                let variant = $variant;
                assert!(variant.is_filled(), "a template names what nothing fills");
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

/// Why the open call at the end of a log is left alone. Reports know the sentences: each tells how to have the call
/// judged and repaired.
pub const ABOUT_TO_RUN: &str = "it may be about to run; use --as request to treat it as unanswered";
pub const ABOUT_TO_BE_ANSWERED: &str =
    "the user may be about to answer; use --as request to treat it as unanswered";
pub const NOT_TO_GO_ON: &str = "the turn was not continued; use --as request to treat it as unanswered";

/// Whether a finding is not repaired only because it lies at the end of a log.
pub fn is_end_of_log(why: &str) -> bool {
    [ABOUT_TO_RUN, ABOUT_TO_BE_ANSWERED, NOT_TO_GO_ON].contains(&why)
}

/// Takes findings.
#[derive(Default)]
pub struct Out {
    pub findings: Vec<Finding>,
    /// What is noted on the item at hand for rules that only few targets care about.
    pub noted: ItemFlags,
    /// Ids of items without reasoning in front: a recorded response elsewhere in the doc may prove that some was.
    pub unheaded: Vec<u64>,
}

impl Out {
    pub fn add(&mut self, finding: Finding) {
        self.findings.push(finding);
    }
}

/// Reads the text of an item again. Slow; for the few places where a fingerprint is not enough.
pub trait Look {
    /// Calls `see` with the item's value; not at all if it cannot be read.
    fn look(&self, row: &Row, see: &mut dyn FnMut(Val<'_>));

    /// The same for a value that is no item.
    fn value(&self, at: Place, see: &mut dyn FnMut(Val<'_>));

    /// Whether two items say the same, as canonical JSON.
    fn same(&self, a: &Row, b: &Row) -> bool;

    /// Whether two items have the same id, by their text.
    fn same_id(&self, a: &Row, b: &Row) -> bool;

    /// The record that need not be read again.
    fn scanned(&self) -> Option<Scanned<'_>>;

    /// The bytes of the doc, with what was made of them.
    fn bytes(&self) -> &dyn ReadAt;
}

/// How old stored items may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Age {
    /// In seconds.
    pub most: u64,
    /// Unix seconds.
    pub now: u64,
}

impl Age {
    /// Whether something of this time, in Unix seconds, is too old. 0 is no time.
    pub fn is_past(&self, time: u32) -> bool {
        time > 0 && self.now.saturating_sub(u64::from(time)) > self.most
    }
}

/// What a rule may ask about.
pub struct Cx<'h> {
    pub history: &'h History,
    pub caps: Caps,
    /// The server stores items of this history.
    pub stored: bool,
    pub thinking: Thinking,
    /// What the target, or the model behind it, wants or refuses.
    pub traits: Traits,
    /// What the user said about the age of stored items.
    pub age: Option<Age>,
    pub look: &'h dyn Look,
    /// What the rest of the doc tells about items that this history misses.
    pub known: &'h Known,
}

impl Cx<'_> {
    pub fn row(&self, ix: u32) -> &Row {
        self.history.row(ix)
    }

    pub fn has(&self, one: Trait) -> bool {
        self.traits.has(one)
    }

    /// An open call here is about to run: the history is a log, and only the call's batch comes after it.
    pub fn is_pending(&self, ix: u32) -> bool {
        let log = match self.history.settings.usage {
            Usage::Request => false,
            Usage::Log => true,
            Usage::Exchange => self.row(ix).has(Flags::RECORDED),
        };
        log && ix >= self.history.shapes.tail
    }

    /// What is found of a call whose result is missing or too far away; `None` of any other pair. The variants are those
    /// of a result that comes too late, and of a call that may be about to run.
    pub fn unanswered(&self, code: Code, pair: &Pair, [far, pending]: [u8; 2]) -> Option<Finding> {
        let finding = || Finding::new(code, *self.row(pair.call));
        match pair.state {
            PairState::Far => Some(finding().variant(far).with(self.row(pair.output).at).act(Act::Reorder)),
            PairState::Open if self.is_pending(pair.call) => Some(finding().variant(pending).never(ABOUT_TO_RUN)),
            PairState::Open => Some(finding().remedy(ANSWER)),
            _ => None,
        }
    }

    /// Reports messages without content. The only message of a history stays.
    pub fn empty_messages(&self, code: Code, out: &mut Out) {
        let messages = &self.history.messages.list;
        for row in messages.iter().map(|message| self.row(message.row)) {
            let empty =
                [BlockFlags::EMPTY, BlockFlags::NULL, BlockFlags::ABSENT].iter().any(|flag| row.has(*flag));
            if row.kind == Kind::BlockMessage && empty && !row.has(Flags::RECORDED) {
                let finding = Finding::new(code, *row);
                out.add(match messages.len() {
                    1 => finding.never("nothing else would remain of the history"),
                    _ => finding.act(Act::Drop),
                });
            }
        }
    }

    /// A group can live without its ids: its reasoning by its blob, and nothing else by its id.
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
            false => !self.goes_with_its_id(row),
        })
    }

    /// Why a group cannot be replayed by references: the server has to store its items under their ids. A client's call
    /// without an id stays in full, as outputs do.
    pub fn unreferable<'r>(&self, mut items: impl Iterator<Item = &'r Row>) -> Option<&'static str> {
        if !self.stored {
            return Some("the server stores no items");
        }
        if !self.caps.references {
            return Some("the target takes no references");
        }
        items.find_map(|row| match row {
            _ if row.has(ItemFlags::SYNTHETIC_ID) => Some("an id in it was made up by a client"),
            _ if row.has(ItemFlags::LONG_ID) => Some("an id in it is too long"),
            _ if row.has_id() || row.is_client_call() => None,
            _ if row.is_reasoning() => Some("its reasoning has no id"),
            _ => Some("an item in it has no id"),
        })
    }

    /// A group whose reasoning has an id and no blob, on a server that stores it: without its id the reasoning would be
    /// lost, and a reference keeps it.
    pub fn lives_by_reference<'r>(&self, items: impl Iterator<Item = &'r Row> + Clone) -> bool {
        let caps = &self.caps;
        let bare = |row: &Row| row.is_reasoning() && !row.has(ItemFlags::BLOB);
        let detachable = caps.detached_reasoning && !caps.bare_reasoning && self.thinking != Thinking::Never;
        detachable && items.clone().any(bare) && self.unreferable(items).is_none()
    }

    /// A hosted call that the target takes without its id.
    pub fn replays_without_id(&self, row: &Row) -> bool {
        self.caps.searches_without_ids && row.kind == Kind::WebSearchCall
    }

    /// What says nothing to the target without its id.
    pub fn goes_with_its_id(&self, row: &Row) -> bool {
        row.goes_with_its_id() && !self.replays_without_id(row)
    }

    /// The server may hold calls and items that the history does not show.
    pub fn server_state(&self) -> bool {
        self.history.settings.has_server_state()
    }

    /// A finding on a member of the request itself, at the place of its value.
    pub fn on_request(&self, code: Code, at: Place) -> Finding {
        let first = self.history.rows.first();
        let mut row = Row::of_place(at, first.map_or(0, |row| row.record));
        row.flags = first.map_or(Flags::NONE, |row| row.flags.only(Flags::FROZEN | Flags::EMBEDDED));
        Finding::new(code, row)
    }

    /// Whether the model of this history reasons: `None` if nothing tells.
    pub fn reasons(&self) -> Option<bool> {
        match (self.history.settings.effort, self.thinking) {
            (_, Thinking::Never) | (Some(Effort::None), _) => Some(false),
            (Some(Effort::Some), _) => Some(true),
            (None, Thinking::ByDefault) => Some(true),
            (None, Thinking::OnRequest) => Some(false),
            (None, Thinking::Unknown) => None,
        }
    }
}
