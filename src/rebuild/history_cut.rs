//! Cutting off the beginning of a history without breaking it. For every item, the last cut that it survives is
//! known: reasoning and what the server made after it stay together, an output stays with its call, a message is
//! independent, and so are the function calls of one response together, since only a removable id binds them to
//! their reasoning. Any budget keeps whole groups, and if it would keep nothing, it is widened to the nearest cut
//! that keeps something.

use crate::dialects::item_tokens::item_tokens;
use crate::history::{Class, History, Kind, NONE, PairState, Role, Row};
use crate::json::{Tape, scan};

/// How much of a history to keep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Budget {
    /// The last items, this many.
    Items(usize),
    /// The last items whose text has this many characters in total.
    Chars(usize),
    /// The last items with about this many tokens in total.
    Tokens(usize),
}

impl Budget {
    /// The size of an item in the unit of the budget.
    pub fn size_of(self, item: &[u8]) -> usize {
        match self {
            Budget::Items(_) => 1,
            Budget::Chars(_) => String::from_utf8_lossy(item).chars().count(),
            Budget::Tokens(_) => {
                let mut tape = Tape::new();
                let val = scan(item, &mut tape).ok().and_then(|()| tape.root(item));
                val.map_or(0, item_tokens).div_ceil(100) as usize
            }
        }
    }
}

/// The part of a history that is kept, as indices of items.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HistoryCut {
    pub items: Vec<u32>,
    /// Number of items before the cut, without the leading instructions, which always stay.
    pub total: usize,
    /// Number of kept items, without the leading instructions.
    pub kept: usize,
    /// True if more is kept than the budget allows, because less would be invalid.
    pub is_widened: bool,
    /// Kept calls whose reasoning is cut off, so that they must lose their ids.
    pub detached: Vec<u32>,
}

/// Keeps the end of a history. `sizes` are the sizes of the items in the unit of the budget; `drops` is true if calls
/// without an output will be dropped, so that they do not count.
pub fn cut_history(history: &History, sizes: &[usize], budget: Budget, drops: bool) -> HistoryCut {
    let count = history.rows.len();
    let is_instruction = |row: &&Row| matches!(row.role, Role::System | Role::Developer);
    let head = history.rows.iter().take_while(is_instruction).count();
    let wanted = match budget {
        Budget::Items(items) => count.saturating_sub(items),
        Budget::Chars(most) | Budget::Tokens(most) => first_fitting(sizes, most),
    };
    let wanted = wanted.max(head) as u32;
    let survives = last_survived_cuts(history, drops);
    let after_head = survives.iter().enumerate().skip(head);
    let most = after_head.clone().map(|(_, survives)| *survives).max().unwrap_or(wanted);
    let at = wanted.min(most);
    let kept = after_head.filter(|(_, survives)| **survives >= at || at as usize <= head);
    let mut items: Vec<u32> = (0..head as u32).collect();
    items.extend(kept.map(|(ix, _)| ix as u32));
    let detached = detached(history, &items);
    HistoryCut { detached, kept: items.len() - head, items, total: count - head, is_widened: at < wanted }
}

/// The first item of the longest end whose items have at most this size together.
fn first_fitting(sizes: &[usize], most: usize) -> usize {
    let mut left = most;
    let fits = |size: &&usize| left.checked_sub(**size).map(|rest| left = rest).is_some();
    sizes.len() - sizes.iter().rev().take_while(fits).count()
}

/// True for a call that the API accepts without its id, and then without its reasoning.
fn is_detachable(row: &Row) -> bool {
    matches!(row.kind, Kind::FunctionCall | Kind::CustomToolCall)
}

/// The kept calls with ids whose reasoning is cut off.
fn detached(history: &History, kept: &[u32]) -> Vec<u32> {
    let cut_off =
        history.groups.iter().filter(|group| group.has_reasoning() && kept.binary_search(&group.start).is_err());
    let loses_id = |row: &Row| is_detachable(row) && row.has_id() && !row.is_reference();
    let calls = cut_off.flat_map(|group| group.all()).filter(|ix| history.rows.get(*ix).is_some_and(loses_id));
    calls.map(|ix| ix as u32).filter(|ix| kept.binary_search(ix).is_ok()).collect()
}

/// For each item the largest cut (index of the first item that stays) that it survives.
#[expect(
    clippy::indexing_slicing,
    reason = "groups and pairs name rows of their history, and the list has a place for each"
)]
fn last_survived_cuts(history: &History, drops: bool) -> Vec<u32> {
    let mut last: Vec<u32> = (0..history.rows.len() as u32).collect();
    for group in history.groups.iter().filter(|group| group.has_reasoning()) {
        let response = history.rows[group.start as usize].turn;
        let first_call = group.all().find(|ix| is_detachable(&history.rows[*ix]));
        for ix in group.all() {
            let row = &history.rows[ix];
            // A text without an id is independent; server tools need the reasoning that they were called with.
            last[ix] = match first_call {
                _ if row.turn != response => continue,
                Some(first) if is_detachable(row) => first as u32,
                _ if row.kind.class() != Class::Message || row.has_id() => group.start,
                _ => continue,
            };
        }
    }
    for pair in &history.pairs {
        let (call, output) = (pair.call, pair.output);
        match pair.state {
            PairState::Orphan => last[output as usize] = 0,
            PairState::Open if drops => last[call as usize] = 0,
            _ if call != NONE && output != NONE => {
                let both = last[call as usize].min(last[output as usize]);
                (last[call as usize], last[output as usize]) = (both, both);
            }
            _ => {}
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{HistorySettings, Pairing};
    use crate::place::{DocId, Place};

    /// u user, s system, m message without an id, M with one, r reasoning, w web search, a b calls, A B outputs,
    /// ? an item of an unknown type.
    fn kept(items: &str, budget: Budget) -> (String, String) {
        kept_where(items, budget, false)
    }

    fn kept_where(items: &str, budget: Budget, drops: bool) -> (String, String) {
        let row = |(n, letter): (usize, char)| {
            let mut row = Row::of_place(Place::new(DocId(0), n as u64, 1), 0);
            (row.kind, row.role) = match letter {
                'u' => (Kind::Message, Role::User),
                's' => (Kind::Message, Role::System),
                'm' | 'M' => (Kind::Message, Role::Assistant),
                'r' => (Kind::Reasoning, Role::None),
                'w' => (Kind::WebSearchCall, Role::None),
                'a' | 'b' => (Kind::FunctionCall, Role::None),
                '?' => (Kind::Unknown, Role::None),
                _ => (Kind::FunctionCallOutput, Role::None),
            };
            (row.id, row.item_kind) = (u64::from(letter == 'M'), row.kind);
            row.key = if "abAB".contains(letter) { u64::from(letter.to_ascii_lowercase() as u32) } else { 0 };
            row
        };
        let history =
            History::new(items.chars().enumerate().map(row).collect(), HistorySettings::default(), Pairing::Keys);
        let sizes = vec![10; items.len()];
        let kept = cut_history(&history, &sizes, budget, drops);
        let letters: Vec<char> = items.chars().collect();
        let text = kept.items.iter().map(|ix| letters[*ix as usize]).collect();
        (text, format!("{}/{}{}", kept.kept, kept.total, if kept.is_widened { " widened" } else { "" }))
    }

    #[test]
    fn a_history_is_cut_at_legal_points() {
        // (items, number wanted, what is kept, how it is reported). In a Responses history a hosted call contains
        // its result, so where another system stores an event for the result, one item fewer is counted here.
        for (items, last, expected, report) in [
            ("rwu", 2, "u", "1/3"),
            ("urw", 2, "rw", "2/3"),
            ("uwu", 3, "uwu", "3/3"),
            ("ww", 1, "w", "1/2"),
            ("rwrw", 3, "rw", "2/4"),
            ("ruw", 1, "w", "1/3"),
            ("rmw", 1, "m", "1/3 widened"),
            ("urw", 1, "rw", "2/3 widened"),
            ("wu", 1, "u", "1/2"),
            ("ur?w", 1, "r?w", "3/4 widened"),
            ("uaA", 1, "aA", "2/3 widened"),
            ("raAu", 2, "u", "1/4"),
            ("raA", 1, "aA", "2/3 widened"),
            ("raA", 2, "aA", "2/3"),
            ("raA", 3, "raA", "3/3"),
            ("rabAB", 4, "abAB", "4/5"),
            ("rabAB", 3, "abAB", "4/5 widened"),
            ("rwabABu", 5, "abABu", "5/7"),
            ("rawAu", 4, "aAu", "3/5"),
            ("urm", 1, "m", "1/3"),
            ("urM", 1, "rM", "2/3 widened"),
            ("abABu", 4, "bBu", "3/5"),
            ("aAbB", 3, "bB", "2/4"),
            ("uAu", 2, "u", "1/3"),
            ("surw", 1, "srw", "2/3 widened"),
            ("u", 0, "u", "1/1 widened"),
            ("", 3, "", "0/0"),
        ] {
            let found = kept(items, Budget::Items(last));
            assert_eq!(found, (expected.to_owned(), report.to_owned()), "{items} {last}");
        }
    }

    #[test]
    fn a_call_that_goes_later_is_nothing_to_be_kept() {
        assert_eq!(kept_where("uua", Budget::Items(1), false).0, "a");
        assert_eq!(kept_where("uua", Budget::Items(1), true), ("u".to_owned(), "1/3 widened".to_owned()));
        assert_eq!(kept_where("uabA", Budget::Items(2), true), ("aA".to_owned(), "2/4 widened".to_owned()));
    }

    #[test]
    fn budgets_of_characters_and_tokens_follow_the_same_rules() {
        assert_eq!(kept("urwu", Budget::Chars(10)).0, "u");
        assert_eq!(kept("urwu", Budget::Chars(25)).0, "u");
        assert_eq!(kept("urwu", Budget::Chars(30)).0, "rwu");
        assert_eq!(kept("urw", Budget::Chars(5)), ("rw".to_owned(), "2/3 widened".to_owned()));
        assert_eq!(kept("uuu", Budget::Tokens(20)).0, "uu");
    }
}
