//! Histories that depend on a number alone: legal ones of each dialect, and what damage makes of them. The generator
//! knows what a linter cannot see: which items the server made together.

mod messages;
mod messages_damage;
mod responses;
mod responses_damage;
mod write;

use std::collections::BTreeMap;

use replaylint::Dialect;
use serde_json::Value;

use crate::support::rng::Rng;

/// Which items of the Responses API the server has linked, by their ids.
#[derive(Clone, Debug, Default)]
pub struct Truth {
    /// The reasoning that an item was made by.
    pub reasoning_of: BTreeMap<String, String>,
    /// The item that followed a reasoning item.
    pub follower_of: BTreeMap<String, String>,
    /// The `call_id` of a call that the server knows by its id.
    pub call_id_of: BTreeMap<String, String>,
}

/// A request, and what was done to it.
#[derive(Clone, Debug)]
pub struct Case {
    pub dialect: Dialect,
    pub body: Value,
    /// Gemini's model is not in the body.
    pub model: Option<&'static str>,
    /// Nothing if it is legal.
    pub damage: Vec<&'static str>,
    pub truth: Truth,
}

/// How many kinds of damage one history has at most.
const MOST_DAMAGE: usize = 3;

/// One case in so many is left as it is.
const LEGAL: usize = 5;

/// The history of a number. Each has its own numbers, so that any of them can be made again alone.
pub fn case(dialect: Dialect, seed: u64, n: u64) -> Case {
    let mut rng = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (n << 8) ^ dialect as u64);
    rng.next();
    match dialect {
        Dialect::Responses => responses::case(&mut rng),
        _ => messages::case(dialect, &mut rng),
    }
}

/// A legal history that goes on from where a history ends: items to append, of which the first is the user's.
pub fn continuation(case: &Case) -> Vec<Value> {
    match case.dialect {
        Dialect::Responses => responses::continuation(),
        _ => messages::continuation(case.dialect),
    }
}

/// Draws kinds of damage until so many as are asked for took hold.
fn damaged<T>(rng: &mut Rng, history: &mut T, kinds: &[(&'static str, Damage<T>)]) -> Vec<&'static str> {
    if rng.one_in(LEGAL) {
        return Vec::new();
    }
    let wanted = 1 + rng.below(MOST_DAMAGE);
    let mut done = Vec::new();
    for _ in 0..40 {
        if done.len() == wanted {
            break;
        }
        let (name, damage) = rng.pick(kinds);
        if damage(rng, history).is_some() {
            done.push(*name);
        }
    }
    done
}

/// `None` if there is nothing that it could be done to; then nothing was.
type Damage<T> = fn(&mut Rng, &mut T) -> Option<()>;

/// One of the places that a condition holds of.
fn place<T>(rng: &mut Rng, list: &[T], holds: impl Fn(usize, &T) -> bool) -> Option<usize> {
    let places: Vec<usize> = list.iter().enumerate().filter(|(n, item)| holds(*n, item)).map(|(n, _)| n).collect();
    (!places.is_empty()).then(|| *rng.pick(&places))
}
