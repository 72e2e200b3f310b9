//! Reproducible histories, each from a seed: legal ones of each dialect, and damaged ones. The generator knows what a
//! linter cannot see: which items the server linked.

mod messages;
mod messages_damage;
mod responses;
mod responses_damage;
mod write;

use std::collections::BTreeMap;

use replaylint::Dialect;
use serde_json::Value;

use crate::support::rng::Rng;

/// The links of a server between items of the Responses API, by their ids.
#[derive(Clone, Debug, Default)]
pub struct ServerLinks {
    /// The reasoning that an item belongs to.
    pub reasoning_of: BTreeMap<String, String>,
    /// The item that followed a reasoning item.
    pub follower_of: BTreeMap<String, String>,
    /// The `call_id` of a call that the server knows by its id.
    pub call_id_of: BTreeMap<String, String>,
}

/// A generated request, and the damage done to it.
#[derive(Clone, Debug)]
pub struct ProofCase {
    pub dialect: Dialect,
    pub body: Value,
    /// The model where it is not in the body, as in Gemini and Bedrock.
    pub model: Option<&'static str>,
    /// Names of the damage; empty if the history is legal.
    pub damage: Vec<&'static str>,
    pub links: ServerLinks,
}

/// Maximum number of kinds of damage to one history.
const MAX_DAMAGE: usize = 3;

/// One case in this many is left legal.
const LEGAL_ONE_IN: usize = 5;

/// Generates the history with number `n` of a seed; any of them can be generated alone.
pub fn generate(dialect: Dialect, seed: u64, n: u64) -> ProofCase {
    let mut rng = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (n << 8) ^ dialect as u64);
    rng.next();
    match dialect {
        Dialect::Responses => responses::generate(&mut rng),
        _ => messages::generate(dialect, &mut rng),
    }
}

/// A legal continuation of a history: items to append, of which the first is the user's.
pub fn continuation(case: &ProofCase) -> Vec<Value> {
    match case.dialect {
        Dialect::Responses => responses::continuation(),
        _ => messages::continuation(case.dialect),
    }
}

/// Applies random kinds of damage, and returns the names of those that had an effect.
fn apply_damage<T>(rng: &mut Rng, history: &mut T, kinds: &[(&'static str, DamageFn<T>)]) -> Vec<&'static str> {
    if rng.one_in(LEGAL_ONE_IN) {
        return Vec::new();
    }
    let wanted = 1 + rng.below(MAX_DAMAGE);
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

/// Damages a history; `None` if it has no place for this damage, and is unchanged.
type DamageFn<T> = fn(&mut Rng, &mut T) -> Option<()>;

/// A random index of an element that meets a condition.
fn pick_place<T>(rng: &mut Rng, list: &[T], holds: impl Fn(usize, &T) -> bool) -> Option<usize> {
    let places: Vec<usize> = list.iter().enumerate().filter(|(n, item)| holds(*n, item)).map(|(n, _)| n).collect();
    (!places.is_empty()).then(|| *rng.pick(&places))
}
