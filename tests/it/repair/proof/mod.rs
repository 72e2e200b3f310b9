//! The proof of repairs: generated histories of every dialect, damaged as real logs are, are repaired, and a second,
//! independent statement of what is legal judges the result.
//!
//! | property | of every history |
//! |---|---|
//! | agrees | a history generated as legal is legal for `check` and for the statement |
//! | fixed is legal | no visible fault remains, if there is a repair |
//! | legal is kept | a legal history is not changed |
//! | hidden | no fault is added that only the server can see |
//! | second run | a repair is idempotent |
//! | order | the remaining rows keep their order; only outputs move |
//! | least loss | no more is lost than by the cheapest repair that the statement accepts |
//! | prefix | a repaired prefix stays as it is when the history continues |
//!
//! The tables also count the cases, those generated as legal, those with a fault to be repaired, those whose cheapest
//! repair is known and was compared, and those that no default repair makes legal ("hopeless").
//!
//! `cargo test --test it proof::` runs one seed. The figures for seeds 1 to 5 are printed by
//! `cargo test --test it proof::figures -- --ignored --nocapture`. `REPLAYLINT_PROOF_SEED`, `REPLAYLINT_PROOF_COUNT` (of
//! each dialect) and `REPLAYLINT_PROOF_DIALECT` choose others, `REPLAYLINT_PROOF_CASE` one history, and
//! `REPLAYLINT_PROOF_SHOW` says how many failures of a property are printed in full.

mod examples;
mod generator;
mod loss;
mod rows;
mod search;
mod statement;
mod sweep;

use std::collections::BTreeMap;
use std::env;
use std::str::FromStr;

use replaylint::Dialect;
use replaylint::internals::judge::{self, Options, WeighedFinding};
use replaylint::internals::repair::{self, FixOptions, RepairSearch};

use crate::support::{DOC, growable_text};
use sweep::Tally;

/// Number of histories of each dialect in the test that always runs.
const COUNT: u64 = 600;

/// A setting from the environment: `REPLAYLINT_PROOF_` and a name.
fn env_option<T: FromStr>(name: &str) -> Option<T> {
    env::var(format!("REPLAYLINT_PROOF_{name}")).ok()?.parse().ok()
}

/// Runs `count` histories of each dialect, prints failures, and counts them.
fn sweep_seed(seed: u64, count: u64, tally: &mut Tally) {
    let only: Option<Dialect> = env_option("DIALECT");
    let show: usize = env_option("SHOW").unwrap_or(2);
    let one: Option<u64> = env_option("CASE");
    let mut shown: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for dialect in Dialect::ALL.into_iter().filter(|dialect| only.is_none_or(|only| only == *dialect)) {
        for n in (0..count).filter(|n| one.is_none_or(|one| one == *n)) {
            let case = generator::generate(dialect, seed, n);
            let outcome = sweep::run(&case);
            tally.add(&case, &outcome);
            for failure in &outcome.failures {
                let shown = shown.entry((dialect.name(), failure.property)).or_default();
                *shown += 1;
                if *shown <= show {
                    println!(
                        "\n{} {} seed {seed} case {n}, damage {:?}, model {:?}\n  why {}\n  in  {}\n  out {}\n  check {:?} -> {:?}",
                        failure.property,
                        dialect.name(),
                        case.damage,
                        case.model,
                        failure.why,
                        case.body,
                        outcome.output,
                        sweep::errors(&case, &case.body),
                        sweep::errors(&case, &outcome.output)
                    );
                }
            }
        }
    }
}

#[test]
fn repairs_are_legal_and_lose_the_least() {
    let mut tally = Tally::default();
    sweep_seed(env_option("SEED").unwrap_or(1), env_option("COUNT").unwrap_or(COUNT), &mut tally);
    println!("\n{}\n{}\n{}", tally.table(), tally.kinds(), tally.damage(12));
    assert!(tally.is_good(), "repairs fail:\n{}", tally.table());
}

/// The remaining findings that a plan predicts are those that the rules find in the bytes that the fix writes.
#[test]
fn a_plan_predicts_the_findings_after_the_fix() {
    let (mut plans, mut apart) = (0, Vec::new());
    for dialect in Dialect::ALL {
        for n in 0..900 {
            let text = generator::generate(dialect, 6, n).body.to_string();
            let (bytes, options, wanted) =
                (growable_text(text.as_bytes()), Options::default(), FixOptions::default());
            let search = RepairSearch::new(&wanted, false, true);
            let judged = judge::judge(DOC, &bytes, &options, 1, &search).expect("memory reads");
            let planned = judged.outputs.iter().find_map(|plan| plan.outcome.as_ref());
            let Some(predicted) = planned.filter(|predicted| predicted.is_sure) else { continue };
            plans += 1;
            let fixed = repair::fix(DOC, &bytes, &options, &wanted, 1).expect("memory reads");
            let kinds = |judged: &[WeighedFinding]| {
                let mut all: Vec<(u16, u8)> =
                    judged.iter().map(|judged| (judged.finding.code.0, judged.finding.variant)).collect();
                all.sort_unstable();
                all
            };
            let (rows, bytes) = (kinds(&predicted.remaining), kinds(&fixed.remaining().findings));
            if rows != bytes {
                apart.push(format!("rows {rows:?}, bytes {bytes:?}: {text}"));
            }
        }
    }
    println!("{plans} plans");
    assert!(plans > 2_000, "{plans} plans");
    assert!(apart.is_empty(), "{} of {plans} plans:\n{}", apart.len(), apart.join("\n"));
}

/// Prints the figures of five seeds, some thousand histories per dialect.
#[test]
#[ignore = "takes minutes: it prints the figures"]
fn figures() {
    let mut all = Tally::default();
    for seed in 1..=5 {
        let mut tally = Tally::default();
        sweep_seed(seed, env_option("COUNT").unwrap_or(2_000), &mut tally);
        println!("\nseed {seed}\n{}", tally.table());
        all.merge(tally);
    }
    println!("\nall\n{}\n{}\n{}\n{}", all.table(), all.kinds(), all.disagreements(), all.damage(20));
    assert!(all.is_good(), "repairs fail:\n{}", all.table());
}
