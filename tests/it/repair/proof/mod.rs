//! The proof of repairs: generated histories of every dialect, broken in the ways that logs are, are repaired, and a
//! second statement of what is legal, which shares nothing with the program, judges the result.
//!
//! | property | of every history |
//! |---|---|
//! | agrees | what the generator makes as legal is legal for `check` and for the statement |
//! | fixed is legal | nothing that a linter can see is left, if there is a repair |
//! | legal is kept | a legal history is not changed |
//! | hidden | nothing is illegal, because of what only the server knows, that was not before |
//! | second run | a repair is one for good |
//! | order | what stays is in the order that it was in; only outputs move |
//! | least loss | no more is lost than by the cheapest repair that the statement accepts |
//! | prefix | what was repaired stays as it is when the history goes on |
//!
//! The tables also count the cases, those that were made legal, those with a fault that is to be repaired, those of them
//! whose cheapest repair is known and was compared, and those that nothing repairs that is on by default ("hopeless").
//!
//! `cargo test --test it proof::` runs one seed. The figures for seeds 1 to 5 are printed by
//! `cargo test --test it proof::figures -- --ignored --nocapture`. `REPLAYLINT_PROOF_SEED`, `REPLAYLINT_PROOF_COUNT` (of
//! each dialect) and `REPLAYLINT_PROOF_DIALECT` choose others, `REPLAYLINT_PROOF_CASE` one history, and
//! `REPLAYLINT_PROOF_SHOW` says how many failures of a property are printed in full.

mod examples;
mod generator;
mod loss;
mod minimal;
mod rows;
mod statement;
mod sweep;

use std::collections::BTreeMap;
use std::env;
use std::str::FromStr;

use replaylint::Dialect;
use replaylint::internals::judge::{self, Judged, Options};
use replaylint::internals::repair::{self, FixOptions, Search};

use crate::support::{DOC, roomy};
use sweep::Tally;

/// Histories of each dialect in the test that always runs.
const COUNT: u64 = 600;

fn asked<T: FromStr>(name: &str) -> Option<T> {
    env::var(format!("REPLAYLINT_PROOF_{name}")).ok()?.parse().ok()
}

/// Runs so many histories of each dialect, prints what fails, and counts.
fn swept(seed: u64, count: u64, tally: &mut Tally) {
    let only: Option<Dialect> = asked("DIALECT");
    let show: usize = asked("SHOW").unwrap_or(2);
    let one: Option<u64> = asked("CASE");
    let mut shown: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for dialect in Dialect::ALL.into_iter().filter(|dialect| only.is_none_or(|only| only == *dialect)) {
        for n in (0..count).filter(|n| one.is_none_or(|one| one == *n)) {
            let case = generator::case(dialect, seed, n);
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
    swept(asked("SEED").unwrap_or(1), asked("COUNT").unwrap_or(COUNT), &mut tally);
    println!("\n{}\n{}\n{}", tally.table(), tally.kinds(), tally.damage(12));
    assert!(tally.is_good(), "repairs fail:\n{}", tally.table());
}

/// What a plan says is left, without writing anything, is what the rules find on the bytes that the fix writes.
#[test]
fn rows_are_judged_as_bytes_are() {
    let (mut plans, mut apart) = (0, Vec::new());
    for dialect in Dialect::ALL {
        for n in 0..900 {
            let text = generator::case(dialect, 6, n).body.to_string();
            let (bytes, options, wanted) = (roomy(text.as_bytes()), Options::default(), FixOptions::default());
            let search = Search::new(&wanted, false, true);
            let judged = judge::judge(DOC, &bytes, &options, 1, &search).expect("memory reads");
            let planned = judged.made.iter().find_map(|plan| plan.predicted.as_ref());
            let Some(predicted) = planned.filter(|predicted| predicted.is_sure) else { continue };
            plans += 1;
            let fixed = repair::fix(DOC, &bytes, &options, &wanted, 1).expect("memory reads");
            let kinds = |judged: &[Judged]| {
                let mut all: Vec<(u16, u8)> =
                    judged.iter().map(|judged| (judged.finding.code.0, judged.finding.variant)).collect();
                all.sort_unstable();
                all
            };
            let (rows, bytes) = (kinds(&predicted.left), kinds(&fixed.left().judged));
            if rows != bytes {
                apart.push(format!("rows {rows:?}, bytes {bytes:?}: {text}"));
            }
        }
    }
    println!("{plans} plans");
    assert!(plans > 2_000, "{plans} plans");
    assert!(apart.is_empty(), "{} of {plans} plans:\n{}", apart.len(), apart.join("\n"));
}

/// Prints the figures of five seeds, some thousand histories of each dialect.
#[test]
#[ignore = "takes minutes: it prints the figures"]
fn figures() {
    let mut all = Tally::default();
    for seed in 1..=5 {
        let mut tally = Tally::default();
        swept(seed, asked("COUNT").unwrap_or(2_000), &mut tally);
        println!("\nseed {seed}\n{}", tally.table());
        all.merge(tally);
    }
    println!("\nall\n{}\n{}\n{}\n{}", all.table(), all.kinds(), all.apart(), all.damage(20));
    assert!(all.is_good(), "repairs fail:\n{}", all.table());
}
