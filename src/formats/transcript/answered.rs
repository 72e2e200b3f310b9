//! Exports keep calls and results only to be looked at: some have no ids, others are shown without their partner. What finds
//! its partner in the next turn stays a call with its result; the rest is kept as the text that it was.

use std::collections::HashSet;

use crate::history::Role;
use crate::json::pieces::Pieced;
use crate::place::Place;

use super::super::spoken::{Id, Says, Turn};
use super::Transcript;

/// Turns in which the call of a result is looked for.
const RECENT: usize = 8;

impl Transcript {
    /// The first call of the last answer that has no result yet.
    pub fn open_call(&self) -> Option<Id> {
        let mut answered: HashSet<&str> = HashSet::new();
        for turn in self.turns.iter().rev() {
            match turn.role {
                Role::Tool => answered.extend(turn.says.iter().filter_map(|says| match says {
                    Says::Result { call, .. } => Some(&*call.text),
                    _ => None,
                })),
                Role::Assistant => {
                    return turn.says.iter().find_map(|says| match says {
                        Says::Call(call) if !answered.contains(&*call.id.text) => Some(call.id.clone()),
                        _ => None,
                    });
                }
                _ => return None,
            }
        }
        None
    }

    /// Whether some call has this id.
    pub fn has_call(&self, id: &str) -> bool {
        let calls = self.turns.iter().rev().take(RECENT).flat_map(|turn| &turn.says);
        calls.into_iter().any(|says| matches!(says, Says::Call(call) if &*call.id.text == id))
    }

    /// Adds to the result that came last, if nothing was said since.
    pub fn add_to_result(&mut self, more: Pieced) -> bool {
        let last = self.turns.last_mut().filter(|turn| turn.role == Role::Tool);
        match last.and_then(|turn| turn.says.last_mut()) {
            Some(Says::Result { output, at, .. }) => {
                let first = std::mem::replace(output, Pieced::fixed("\"\"", *at));
                *output = Pieced::joined(vec![first.spelling(), more.spelling()], "\n", *at);
                true
            }
            _ => false,
        }
    }

    /// Tells calls without a result, and results without a call, as texts; calls come last in their turn.
    pub fn answered(mut self) -> Transcript {
        let turns = std::mem::take(&mut self.turns);
        let mut ids: Vec<HashSet<Box<str>>> = Vec::with_capacity(turns.len());
        for (n, turn) in turns.iter().enumerate() {
            ids.push(match turn.role {
                Role::Assistant => partners(&turns, n),
                _ => HashSet::new(),
            });
        }
        let mut pairs: HashSet<Box<str>> = HashSet::new();
        for (turn, own) in turns.into_iter().zip(ids) {
            let Turn { role, says, at, record } = turn;
            if role == Role::Assistant {
                pairs = own;
                let (mut calls, mut said): (Vec<Says>, Vec<Says>) = (Vec::new(), Vec::new());
                let mut seen: HashSet<Box<str>> = HashSet::new();
                for says in says {
                    match says {
                        Says::Call(call) if pairs.contains(&call.id.text) && seen.insert(call.id.text.clone()) => {
                            calls.push(Says::Call(call));
                        }
                        Says::Call(call) => {
                            let words = ["[called ", " with ", "]"].map(|word| Pieced::text(word, call.at));
                            let [called, with, end] = words;
                            let parts = vec![called, call.name, with, call.input.spelling(), end];
                            said.push(text(Pieced::joined(parts, "", call.at), call.at));
                        }
                        says => said.push(says),
                    }
                }
                said.append(&mut calls);
                self.turns.push(Turn { role, says: said, at, record });
                continue;
            }
            let (mut results, mut said) = (Vec::new(), Vec::new());
            for says in says {
                match says {
                    Says::Result { call, output, failed, at } => match pairs.remove(&call.text) {
                        true => results.push(Says::Result { call, output, failed, at }),
                        false => {
                            let parts =
                                vec![Pieced::text("[result: ", at), output.spelling(), Pieced::text("]", at)];
                            said.push(text(Pieced::joined(parts, "", at), at));
                        }
                    },
                    says => said.push(says),
                }
            }
            let sides = [(Role::Tool, results), (if role == Role::Tool { Role::User } else { role }, said)];
            for (role, says) in sides.into_iter().filter(|(_, says)| !says.is_empty()) {
                self.turns.push(Turn { role, says, at, record });
            }
        }
        self
    }
}

/// The ids of the results between an answer and what is said next.
fn partners(turns: &[Turn], answer: usize) -> HashSet<Box<str>> {
    let next = turns.iter().skip(answer + 1).take_while(|turn| turn.role == Role::Tool);
    let results = next.flat_map(|turn| &turn.says).filter_map(|says| match says {
        Says::Result { call, .. } => Some(call.text.clone()),
        _ => None,
    });
    results.collect()
}

fn text(text: Pieced, at: Place) -> Says {
    Says::Text { text, id: None, at }
}
