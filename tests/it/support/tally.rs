//! How many breaks were made in accepted requests, found, and healed: what the mutation tests of all dialects share.

use std::collections::BTreeMap;

use replaylint::internals::judge::Options;
use replaylint::internals::repair::FixOptions;
use replaylint::internals::report::Diagnostic;
use replaylint::internals::target::Severity;

use crate::support::{diagnostics, repair};

#[derive(Default)]
struct Count {
    made: u32,
    caught: u32,
    healed: u32,
}

#[derive(Default)]
pub struct Tally {
    pub requests: u32,
    by_break: BTreeMap<&'static str, Count>,
    unhealed: BTreeMap<String, u32>,
}

impl Tally {
    /// Looks for one of the expected rules in a request that was broken, and repairs it. Gives what was found.
    pub fn judge(
        &mut self,
        what: &'static str,
        expected: &[&str],
        text: &[u8],
        options: &Options,
        path: &str,
    ) -> Vec<Diagnostic> {
        let found = diagnostics(text, options);
        let count = self.by_break.entry(what).or_default();
        count.made += 1;
        if found.iter().any(|d| expected.contains(&d.rule.to_string().as_str())) {
            count.caught += 1;
        } else {
            println!("not caught: {what} in {path}");
        }
        let repaired = repair(text, options, &FixOptions::default());
        let left: Vec<_> = repaired.left.iter().filter(|d| d.severity == Severity::Error).collect();
        count.healed += u32::from(left.is_empty());
        for diagnostic in left {
            let why = diagnostic.no_fix.unwrap_or("no reason given");
            *self.unhealed.entry(format!("{} after '{what}': {why}", diagnostic.rule)).or_default() += 1;
        }
        let again = repair(&repaired.text, options, &FixOptions::default());
        assert!(again.fixed.patch.is_empty(), "{what} in {path}: a second run still edits");
        found
    }

    /// Prints the numbers, and holds them against what is wanted.
    pub fn settle(&self, least_requests: u32) {
        let sum = |of: fn(&Count) -> u32| self.by_break.values().map(of).sum::<u32>();
        let (made, caught, healed) = (sum(|c| c.made), sum(|c| c.caught), sum(|c| c.healed));
        for (what, count) in &self.by_break {
            println!("{what}: {} made, {} caught, {} healed", count.made, count.caught, count.healed);
        }
        let (requests, unhealed) = (self.requests, &self.unhealed);
        println!("{requests} requests, {made} breaks, {caught} caught, {healed} healed; not healed: {unhealed:?}");
        assert!(requests >= least_requests && made >= 1000, "{requests} requests, {made} breaks");
        assert!(caught * 100 >= made * 97, "{caught} of {made} caught");
        assert!(healed * 100 >= made * 97, "{healed} of {made} healed: {unhealed:?}");
    }
}
