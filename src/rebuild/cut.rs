//! Cutting a history at its front without breaking it. Every item knows the last cut that it survives: reasoning and
//! what the server made after it go together, an output goes with its call, a message stands for itself, and so do the
//! function calls of one response together, since nothing binds them to their reasoning but an id that can go. Any
//! budget keeps whole groups, and where it would keep nothing, it is widened to the nearest cut that keeps something.

use crate::history::{Class, History, Kind, NONE, PairState, Role, Row};

/// How much of a history is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Budget {
    /// This many items.
    Items(usize),
    /// Items whose text has this many characters together.
    Chars(usize),
    /// Items of about this many tokens together: four characters are taken for one.
    Tokens(usize),
}

/// Characters that are taken for a token.
pub const CHARS_A_TOKEN: usize = 4;

/// What is kept of a history, as indices of items.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cut {
    pub items: Vec<u32>,
    /// Items that were there; without the instructions at the head, which always stay.
    pub of: usize,
    /// How many of the kept items are not instructions at the head.
    pub last: usize,
    /// More is kept than was asked for, because less would not be legal.
    pub widened: bool,
    /// Kept calls whose reasoning is not: they must lose their ids.
    pub detached: Vec<u32>,
}

/// Keeps the end of a history. `sizes` are the items' characters; `drops` says that calls without an output go later, so
/// that they do not count.
pub fn cut(history: &History, sizes: &[usize], budget: Budget, drops: bool) -> Cut {
    let count = history.rows.len();
    let is_instruction = |row: &&Row| matches!(row.role, Role::System | Role::Developer);
    let head = history.rows.iter().take_while(is_instruction).count();
    let wanted = match budget {
        Budget::Items(items) => count.saturating_sub(items),
        Budget::Chars(chars) => fitting(sizes, chars),
        Budget::Tokens(tokens) => fitting(sizes, tokens.saturating_mul(CHARS_A_TOKEN)),
    };
    let wanted = wanted.max(head) as u32;
    let survives = survives(history, drops);
    let behind = survives.iter().enumerate().skip(head);
    let most = behind.clone().map(|(_, survives)| *survives).max().unwrap_or(wanted);
    let at = wanted.min(most);
    let kept = behind.filter(|(_, survives)| **survives >= at || at as usize <= head);
    let mut items: Vec<u32> = (0..head as u32).collect();
    items.extend(kept.map(|(ix, _)| ix as u32));
    let detached = detached(history, &items);
    Cut { detached, last: items.len() - head, items, of: count - head, widened: at < wanted }
}

/// The first item of the longest end whose items have at most this many characters together.
fn fitting(sizes: &[usize], chars: usize) -> usize {
    let mut left = chars;
    let fits = |size: &&usize| left.checked_sub(**size).map(|rest| left = rest).is_some();
    sizes.len() - sizes.iter().rev().take_while(fits).count()
}

/// A call that the API takes without its id, and then without its reasoning.
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
fn survives(history: &History, drops: bool) -> Vec<u32> {
    let mut last: Vec<u32> = (0..history.rows.len() as u32).collect();
    for group in history.groups.iter().filter(|group| group.has_reasoning()) {
        let response = history.rows[group.start as usize].turn;
        let first_call = group.all().find(|ix| is_detachable(&history.rows[*ix]));
        for ix in group.all() {
            let row = &history.rows[ix];
            // A text without an id stands for itself; what the server ran needs the reasoning that it was made with.
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
    use crate::history::{Pairing, Settings};
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
            (row.id, row.of) = (u64::from(letter == 'M'), row.kind);
            row.key = if "abAB".contains(letter) { u64::from(letter.to_ascii_lowercase() as u32) } else { 0 };
            row
        };
        let history =
            History::new(items.chars().enumerate().map(row).collect(), Settings::default(), Pairing::Keys);
        let sizes = vec![10; items.len()];
        let kept = cut(&history, &sizes, budget, drops);
        let letters: Vec<char> = items.chars().collect();
        let text = kept.items.iter().map(|ix| letters[*ix as usize]).collect();
        (text, format!("{}/{}{}", kept.last, kept.of, if kept.widened { " widened" } else { "" }))
    }

    #[test]
    fn a_history_is_cut_at_legal_points() {
        // (items, number wanted, what is kept, how it is reported). In a Responses history a hosted call holds its result,
        // so where another system stores an event for the result, one item fewer is counted here.
        for (items, last, expected, told) in [
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
            assert_eq!(found, (expected.to_owned(), told.to_owned()), "{items} {last}");
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
        assert_eq!(kept("uuu", Budget::Tokens(5)).0, "uu");
    }
}
