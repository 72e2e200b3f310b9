//! The plan of one history: what becomes of each item.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, HashSet};

use crate::dialect::{Dialect, TextChange as Text};
use crate::format::FormatInfo;
use crate::history::continued::Continued;
use crate::history::{Act, Kind, Mode, NONE, Row};
use crate::judge::Judged;
use crate::place::Place;
use crate::rule::{Cx, Loss};
use crate::rules::reasoning::orphan_tool_run;
use crate::target::Trait;

use super::chosen::Chosen;
use super::memo::Once;
use super::predicted::Predicted;
use super::reasons::LOSES_CONTENT;
use super::tally::Tallies;
use crate::repair::edit::insertion::Fresh;
use crate::repair::store::View;
use crate::repair::{Action, Cause, Change, FixOptions, Left, Reasoning, Refusal, Surroundings};

/// What becomes of one item.
#[derive(Clone, Debug, Default)]
pub(in crate::repair) struct Fate {
    pub drop: bool,
    /// It goes from here, and comes to stand elsewhere.
    pub moved: bool,
    pub text: Vec<Text>,
    /// What it says goes where the request at this place keeps its instructions.
    pub hoisted: Option<Place>,
    /// What comes to stand in its place: a copy of the full item after a reference.
    pub replaced_by: Option<Place>,
    pub before: Vec<Fresh>,
    pub behind: Vec<Fresh>,
}

impl Fate {
    /// The item stays where it is.
    pub fn stays(&self) -> bool {
        !self.drop && !self.moved
    }
}

/// What becomes of the items of one history.
pub struct HistoryPlan {
    pub number: u32,
    /// Number of its items.
    pub(in crate::repair) items: u32,
    pub(in crate::repair) info: &'static FormatInfo,
    pub(in crate::repair) newest_first: bool,
    /// Other files point at its lines: where its own begin, after those that it continues from.
    pub(in crate::repair) numbered: Option<u64>,
    /// By place.
    pub(in crate::repair) fates: Vec<(Row, Fate)>,
    /// Values in the request whose members go.
    pub(in crate::repair) unset: Vec<Place>,
    pub changes: Vec<Change>,
    /// What is around what changes, by place.
    pub around: Vec<(Place, Surroundings)>,
    pub refusals: Vec<Refusal>,
    pub left: Vec<Left>,
    /// What the history comes to, where that was asked for.
    pub predicted: Option<Predicted>,
}

impl HistoryPlan {
    /// The rows that something becomes of.
    pub(in crate::repair) fn rows(&self) -> impl Iterator<Item = &Row> {
        self.fates.iter().map(|(row, _)| row)
    }
}

/// The plan while it is made.
pub(in crate::repair) struct Plan<'p> {
    pub cx: &'p Cx<'p>,
    pub options: &'p FixOptions,
    pub dialect: &'static dyn Dialect,
    number: u32,
    pub fates: BTreeMap<u32, Fate>,
    /// Those of the items that go which are there a second time.
    copies: HashSet<u32>,
    /// By the index of the group.
    pub modes: BTreeMap<usize, (Mode, Cause)>,
    /// Values in the request whose members go.
    pub unset: Vec<Place>,
    /// What changes in the request around the messages.
    pub request: Option<(Row, Fate)>,
    /// By the index of the item; [`NONE`] for a member of the request.
    changes: Vec<(u32, Change)>,
    refusals: Vec<Refusal>,
    /// Groups that a flag leaves as they are.
    pub left: Vec<Left>,
    /// Flags that act on all reasoning do.
    pub by_flag: bool,
    /// Only a part of the history is looked at.
    pub in_part: bool,
    pub once: &'p Once,
    /// The store, where items were made of what it holds.
    pub view: Option<&'p View<'p>>,
    /// The blocks of the only message before this one are dropped.
    pub gone: Cell<u32>,
    pub tallies: RefCell<Tallies>,
}

impl<'p> Plan<'p> {
    pub(in crate::repair) fn new(
        cx: &'p Cx<'p>,
        options: &'p FixOptions,
        dialect: &'static dyn Dialect,
        number: u32,
        once: &'p Once,
        view: Option<&'p View<'p>>,
    ) -> Self {
        Plan {
            cx,
            options,
            dialect,
            number,
            fates: BTreeMap::new(),
            copies: HashSet::new(),
            modes: BTreeMap::new(),
            unset: Vec::new(),
            request: None,
            changes: Vec::new(),
            refusals: Vec::new(),
            left: Vec::new(),
            by_flag: false,
            in_part: false,
            once,
            view,
            gone: Cell::default(),
            tallies: RefCell::default(),
        }
    }

    pub fn changes(&self) -> impl Iterator<Item = (u32, &Change)> {
        self.changes.iter().map(|(ix, change)| (*ix, change))
    }

    /// What the acts come to. They are made in this order: what changes an item where it is; outputs go back to their
    /// calls; what is missing is copied or answered; what goes, goes; then each group gets its mode.
    pub(in crate::repair) fn make(&mut self, chosen: &[Chosen]) {
        self.request(chosen);
        let of_rows: Vec<Chosen> = chosen.iter().filter(|chosen| chosen.at != NONE).copied().collect();
        let chosen = of_rows.as_slice();
        if !self.cx.history.messages.is_empty() {
            return self.turns(chosen);
        }
        let of = |act: Act| chosen.iter().filter(move |chosen| chosen.act == act);
        of(Act::Retype).for_each(|chosen| self.retype(chosen));
        self.rename(of(Act::Rename));
        self.rekey_items(of(Act::Rekey));
        self.fields(chosen);
        self.adopt(of(Act::Adopt));
        of(Act::Acknowledge).for_each(|chosen| self.acknowledge(chosen));
        self.reorder(of(Act::Reorder));
        self.rejoin(of(Act::Drop));
        of(Act::Inline).for_each(|chosen| self.inline(chosen));
        self.answer(of(Act::Answer));
        of(Act::AsText).for_each(|chosen| self.turn_into_text(chosen));
        of(Act::Drop).for_each(|chosen| self.drop_item(chosen));
        self.drop_idle_programs();
        chosen.iter().filter(|chosen| chosen.act.mode().is_some()).for_each(|chosen| self.regroup(chosen));
        self.reasoning_by_flag();
        self.account_by_flag();
        self.references_by_flag();
        self.apply_modes();
        self.ids_by_flag();
        self.images_by_flag();
    }

    pub(in crate::repair) fn finish(mut self, info: &'static FormatInfo) -> Option<HistoryPlan> {
        self.follow();
        self.fates.retain(|_, fate| {
            fate.drop
                || fate.moved
                || !fate.text.is_empty()
                || fate.replaced_by.is_some()
                || !fate.before.is_empty()
                || !fate.behind.is_empty()
        });
        let numbered = self.cx.history.settings.numbered.as_ref().filter(|numbered| numbered.holds);
        let numbered = numbered.map(|numbered| numbered.own);
        let says_nothing = self.refusals.is_empty() && self.left.is_empty() && numbered.is_none();
        if self.fates.is_empty() && self.request.is_none() && self.unset.is_empty() && says_nothing {
            return None;
        }
        self.carry_changes();
        let cx = self.cx;
        let mut fates: Vec<(Row, Fate)> = self.fates.into_iter().map(|(ix, fate)| (*cx.row(ix), fate)).collect();
        fates.extend(self.request);
        fates.sort_by_key(|(row, _)| row.at.start);
        self.changes.sort_by_key(|(_, change)| (change.row.at.start, change.action));
        Some(HistoryPlan {
            number: self.number,
            items: cx.history.rows.len() as u32,
            info,
            newest_first: cx.history.settings.newest_first,
            numbered,
            fates,
            unset: self.unset,
            changes: self.changes.into_iter().map(|(_, change)| change).collect(),
            around: Vec::new(),
            refusals: self.refusals,
            left: self.left,
            predicted: None,
        })
    }

    /// What continues an item goes with it, and reasoning that is stored several times changes everywhere.
    fn follow(&mut self) {
        let continued = Continued::of(&self.cx.history.continued, self.cx.history.rows.len() as u32);
        if continued.is_empty() {
            return;
        }
        // A member of the request is no item, and nothing continues it.
        for (ix, change) in self.changes.clone().into_iter().filter(|(ix, _)| *ix != NONE) {
            let row = *self.cx.row(ix);
            let fate = self.fates.get(&ix).cloned().unwrap_or_default();
            for other in continued.behind(&row) {
                if fate.drop {
                    self.drop_row(other, change.cause, change.loss, "drop what belongs to it");
                } else if row.is_reasoning() && !fate.text.is_empty() {
                    self.fate(other).text.clone_from(&fate.text);
                    self.change(other, change.cause, change.action, change.loss, change.what);
                }
            }
        }
    }

    /// What changes in an item changes also where it moves to; what is dropped in the end moves nowhere.
    fn carry_changes(&mut self) {
        let dropped: HashSet<u64> = self
            .fates
            .iter()
            .filter(|(_, fate)| fate.drop && fate.moved)
            .map(|(ix, _)| self.cx.row(*ix).at.start)
            .collect();
        if !dropped.is_empty() {
            let goes = |row: &Row| dropped.contains(&row.at.start);
            for fate in self.fates.values_mut() {
                fate.before.retain_mut(|fresh| fresh.stays_without(&goes));
                fate.behind.retain_mut(|fresh| fresh.stays_without(&goes));
            }
        }
        let texts: BTreeMap<u64, Vec<Text>> = self
            .fates
            .iter()
            .filter(|(_, fate)| !fate.text.is_empty())
            .map(|(ix, fate)| (self.cx.row(*ix).at.start, fate.text.clone()))
            .collect();
        if texts.is_empty() {
            return;
        }
        let carry = |row: &Row, changes: &mut Vec<Text>| {
            changes.extend(texts.get(&row.at.start).into_iter().flatten().cloned());
        };
        for fresh in self.fates.values_mut().flat_map(|fate| fate.before.iter_mut().chain(&mut fate.behind)) {
            fresh.each_moved(&carry);
        }
    }

    /// Notes a change on a row.
    pub fn change(&mut self, ix: u32, cause: Cause, action: Action, loss: Loss, what: &'static str) {
        self.change_with(ix, cause, action, loss, what, None);
    }

    pub fn change_with(
        &mut self,
        ix: u32,
        cause: Cause,
        action: Action,
        loss: Loss,
        what: &'static str,
        other: Option<Place>,
    ) {
        let row = *self.cx.row(ix);
        self.changes.push((ix, Change { cause, row, other, action, loss, what, history: Some(self.number) }));
    }

    /// Notes that a member goes from the request: its value is at the place of the row.
    pub fn unset(&mut self, row: Row, cause: Cause, loss: Loss, what: &'static str) {
        self.unset.push(row.at);
        let (other, action) = (None, Action::Strip);
        self.changes.push((NONE, Change { cause, row, other, action, loss, what, history: Some(self.number) }));
    }

    /// Why each item goes that is lost.
    pub fn causes_of_loss(&self) -> HashMap<u32, Cause> {
        let lost = |change: &Change| change.action == Action::Drop && change.loss == Loss::Lossy;
        let changes = self.changes.iter().filter(|(_, change)| lost(change));
        changes.map(|(ix, change)| (*ix, change.cause)).collect()
    }

    /// Takes all back.
    pub fn refuse_all(&mut self, chosen: &[Chosen], why: &'static str) {
        self.fates.clear();
        self.tallies.get_mut().clear();
        self.changes.clear();
        for chosen in chosen {
            self.refuse(&chosen.judged, why);
        }
    }

    /// What was refused so far.
    pub fn refusals(&self) -> &[Refusal] {
        &self.refusals
    }

    /// Why the first change was made.
    pub fn first_cause(&self) -> Option<Cause> {
        self.changes.iter().min_by_key(|(ix, _)| *ix).map(|(_, change)| change.cause)
    }

    pub fn refuse(&mut self, judged: &Judged, why: &'static str) {
        self.refusals.push(Refusal::of(judged, why));
    }

    /// Whether a repair that loses something may be made.
    pub fn may_lose(&self) -> bool {
        !self.options.lossless
    }

    pub fn keeps_reasoning(&self) -> bool {
        self.options.reasoning == Reasoning::Keep
    }

    /// The item goes, and what it says is not there a second time.
    pub fn is_lost(&self, ix: u32) -> bool {
        self.is_dropped(ix) && !self.copies.contains(&ix)
    }

    pub fn is_dropped(&self, ix: u32) -> bool {
        self.fates.get(&ix).is_some_and(|fate| fate.drop)
    }

    pub fn fate(&mut self, ix: u32) -> &mut Fate {
        self.fates.entry(ix).or_default()
    }

    /// Takes an item out. Its copy elsewhere, if it has one, is the caller's matter.
    pub fn drop_row(&mut self, ix: u32, cause: Cause, loss: Loss, what: &'static str) {
        if !self.is_dropped(ix) {
            self.fate(ix).drop = true;
            if loss == Loss::Lossless {
                self.copies.insert(ix);
            }
            self.uncount(ix);
            self.change(ix, cause, Action::Drop, loss, what);
        }
    }

    fn retype(&mut self, chosen: &Chosen) {
        let ix = chosen.at;
        let call = self.once.call_of(&self.cx.history.pairs, ix);
        let kind = call.and_then(|call| self.cx.row(call).kind.answer());
        if let Some(kind) = kind {
            self.fate(ix).text.push(Text::Retype(kind));
            let what = "change the type of the output to match its call";
            self.change(ix, chosen.cause, Action::Rewrite, Loss::Lossless, what);
        }
    }

    /// Long keys get a short one, the same on every item that has it.
    pub(super) fn rename<'c>(&mut self, chosen: impl Iterator<Item = &'c Chosen>) {
        let mut names: BTreeMap<u64, (Option<String>, Cause, &'static str)> = BTreeMap::new();
        for chosen in chosen {
            let what = match self.cx.history.messages.is_empty() {
                true => "shorten the call_id on the call and its output",
                false => chosen.judged.variant().fix,
            };
            names.insert(chosen.judged.finding.row.key, (None, chosen.cause, what));
        }
        if names.is_empty() {
            return;
        }
        let cx = self.cx;
        for (ix, row) in cx.history.rows.iter().chain(&cx.history.continued).enumerate() {
            let Some((name, cause, what)) = names.get_mut(&row.key).filter(|_| row.key != 0) else { continue };
            if name.is_none() {
                let dialect = self.dialect;
                cx.look.look(row, &mut |item| {
                    *name = dialect.key(row.kind, item).map(|key| short_key(cx, &key.decode()));
                });
            }
            let (Some(name), cause, what) = (name.clone(), *cause, *what) else { continue };
            self.fate(ix as u32).text.push(Text::Rename(name));
            self.change(ix as u32, cause, Action::Rewrite, Loss::Lossless, what);
        }
    }

    fn acknowledge(&mut self, chosen: &Chosen) {
        let (cx, ix) = (self.cx, chosen.at);
        let Some(call) = self.once.call_of(&cx.history.pairs, ix) else { return };
        let mut checks = None;
        cx.look.look(cx.row(call), &mut |call| {
            checks = call.get("pending_safety_checks").map(|checks| checks.raw().to_vec());
        });
        if let Some(checks) = checks {
            self.fate(ix).text.push(Text::Acknowledge(checks));
            let what = "acknowledge the safety checks of the call";
            self.change(ix, chosen.cause, Action::Rewrite, Loss::Lossy, what);
        }
    }

    /// The output becomes a text of the user.
    pub(super) fn turn_into_text(&mut self, chosen: &Chosen) {
        self.fate(chosen.at).text.push(Text::AsText);
        let what = "turn the result into a text of the user";
        self.change(chosen.at, chosen.cause, Action::Rewrite, Loss::Lossy, what);
    }

    fn drop_item(&mut self, chosen: &Chosen) {
        let (ix, judged) = (chosen.at, &chosen.judged);
        if chosen.drops_call(self.cx) {
            return self.drop_call(chosen);
        }
        let loss = judged.variant().loss;
        if loss == Loss::Lossy && !self.may_lose() {
            return self.refuse(judged, LOSES_CONTENT);
        }
        let reasoning = self.cx.row(ix).is_reasoning();
        if reasoning && self.keeps_reasoning() {
            return self.refuse(judged, "its reasoning would have to go (--reasoning keep)");
        }
        if judged.finding.remedy.acts().contains(&Act::Inline) {
            return self.drop_reference(chosen);
        }
        let row = self.cx.row(ix);
        let what = match judged.finding.remedy.acts() {
            [Act::Rekey, ..] if row.kind.is_call() => "drop the call, which cannot be paired",
            [Act::Rekey, ..] => "drop the output, which cannot be paired",
            [Act::Drop, Act::Flatten] => "drop the reasoning",
            _ if row.kind.is_output() && judged.finding.code == orphan_tool_run::RULE.code => {
                "drop the output, which has no call"
            }
            _ => judged.variant().fix,
        };
        self.drop_row(ix, chosen.cause, loss, what);
    }
}

/// A key that the target takes for one that it does not: its beginning, and a fingerprint of all of it and of `salt`.
pub(super) fn short_key(cx: &Cx<'_>, key: &[u8]) -> String {
    let mut hash = crate::json::fingerprint_of(key);
    if cx.has(Trait::NineCharIds) {
        const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        let digit = |_| {
            let digit = DIGITS.get((hash % 62) as usize).map_or('0', |digit| char::from(*digit));
            hash /= 62;
            digit
        };
        return (0..9).map(digit).collect();
    }
    // Some servers of Chat take 40 characters.
    let most = if cx.history.messages.is_empty() { 40 } else { 23 };
    let text = String::from_utf8_lossy(key);
    let start: String =
        text.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')).take(most).collect();
    format!("{start}_{hash:016x}")
}

/// Whether an item of this kind lives by its id: a hosted call without one says nothing to the server.
pub(in crate::repair) fn lives_by_id(row: &Row) -> bool {
    row.is_reference()
        || matches!(
            row.kind,
            Kind::WebSearchCall
                | Kind::FileSearchCall
                | Kind::CodeInterpreterCall
                | Kind::ImageGenerationCall
                | Kind::McpCall
                | Kind::McpListTools
                | Kind::McpApprovalRequest
                | Kind::Program
                | Kind::LocalShellCall
                | Kind::ComputerCall
        )
}
