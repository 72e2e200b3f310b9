//! What is around the items that a repair touches, as they were before: the turn, what the user said in it, and the
//! neighbours. A plan that is made knows it for nothing; whoever shows the plan would have to read the history again.

use std::collections::HashSet;

use crate::format::FormatInfo;
use crate::history::{History, Kind, Message, Role, Row};
use crate::place::Place;

use super::Change;

/// An item, by its number in its history.
#[derive(Clone, Copy, Debug)]
pub struct Numbered {
    pub ix: u32,
    pub row: Row,
}

/// What is around an item.
#[derive(Clone, Copy)]
pub struct Surroundings {
    /// The row of the format: a store may send its histories in several dialects.
    pub info: &'static FormatInfo,
    pub row: Row,
    /// Its own number in its history.
    pub ix: u32,
    /// Number of the user's turn, from 1; 0 before the first.
    pub turn: u32,
    /// What the user said first in this turn.
    pub asked: Option<Row>,
    pub before: Option<Numbered>,
    pub after: Option<Numbered>,
}

/// What is around the items that the changes are made to, and around those beside which something is put. Sorted by place.
pub(super) fn of(history: &History, info: &'static FormatInfo, changes: &[Change]) -> Vec<(Place, Surroundings)> {
    let places = changes.iter().flat_map(|change| [Some(change.row.at), change.other]).flatten();
    let wanted: HashSet<Place> = places.collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let (mut turn, mut asked, mut speaks) = (0, None, false);
    let mut found = Vec::with_capacity(wanted.len());
    for (row, ix) in history.rows.iter().zip(0..) {
        let message = history.messages.of_row(ix);
        if message.map_or(row.role, |message| message.role) != Role::User {
            speaks = false;
        } else if begins_to_speak(history, ix, message) {
            // What the user says in several messages is one turn.
            if !speaks {
                turn += 1;
                asked = Some(*row);
            }
            speaks = true;
        }
        if wanted.contains(&row.at) {
            let (before, after) = neighbours(history, ix);
            found.push((row.at, Surroundings { info, row: *row, ix, turn, asked, before, after }));
        }
    }
    found.sort_by_key(|(at, _)| at.order());
    found
}

/// Whether a row of the user is a message that says something. Results of tools are not what the user says.
fn begins_to_speak(history: &History, ix: u32, message: Option<&Message>) -> bool {
    let says = |ix: u32| history.row(ix).kind != Kind::ToolResult;
    match message {
        Some(message) => message.row == ix && (message.blocks().is_empty() || message.blocks().any(says)),
        None => history.messages.is_empty() && history.row(ix).kind == Kind::Message,
    }
}

/// The items before and after one. A message is no neighbour of its blocks.
fn neighbours(history: &History, ix: u32) -> (Option<Numbered>, Option<Numbered>) {
    let at = history.row(ix).at;
    let numbered = |ix: usize| history.rows.get(ix).map(|row| Numbered { ix: ix as u32, row: *row });
    let is_apart = |other: &Numbered| !other.row.at.contains(&at) && !at.contains(&other.row.at);
    let here = ix as usize;
    let before = (0..here).rev().filter_map(numbered).find(is_apart);
    let after = (here + 1..history.rows.len()).filter_map(numbered).find(is_apart);
    (before, after)
}
