//! The counts of the mutation tests of all dialects: changes of accepted requests, and how many were caught and repaired.

use std::collections::BTreeMap;

use replaylint::internals::judge::Options;
use replaylint::internals::repair::FixOptions;
use replaylint::internals::report::Diagnostic;
use replaylint::internals::target::Severity;

use crate::support::{diagnostics, repair};

#[derive(Default)]
struct MutationCount {
    made: u32,
    caught: u32,
    healed: u32,
}

#[derive(Default)]
pub struct MutationTally {
    pub requests: u32,
    by_break: BTreeMap<&'static str, MutationCount>,
    unhealed: BTreeMap<String, u32>,
}

impl MutationTally {
    /// Checks a broken request for one of the expected rules, and repairs it. Returns the diagnostics.
    pub fn judge(
        &mut self,
        description: &'static str,
        expected: &[&str],
        text: &[u8],
        options: &Options,
        path: &str,
    ) -> Vec<Diagnostic> {
        let found = diagnostics(text, options);
        let count = self.by_break.entry(description).or_default();
        count.made += 1;
        if found.iter().any(|d| expected.contains(&d.rule.to_string().as_str())) {
            count.caught += 1;
        } else {
            println!("not caught: {description} in {path}");
        }
        let repaired = repair(text, options, &FixOptions::default());
        let left: Vec<_> = repaired.remaining.iter().filter(|d| d.severity == Severity::Error).collect();
        count.healed += u32::from(left.is_empty());
        for diagnostic in left {
            let why = diagnostic.no_fix.unwrap_or("no reason given");
            *self.unhealed.entry(format!("{} after '{description}': {why}", diagnostic.rule)).or_default() += 1;
        }
        let again = repair(&repaired.text, options, &FixOptions::default());
        assert!(again.fixed.patch.is_empty(), "{description} in {path}: a second run still edits");
        found
    }

    /// Prints the counts, and asserts the required rates.
    pub fn assert_rates(&self, least_requests: u32) {
        let sum = |of: fn(&MutationCount) -> u32| self.by_break.values().map(of).sum::<u32>();
        let (made, caught, healed) = (sum(|c| c.made), sum(|c| c.caught), sum(|c| c.healed));
        for (description, count) in &self.by_break {
            println!("{description}: {} made, {} caught, {} healed", count.made, count.caught, count.healed);
        }
        let (requests, unhealed) = (self.requests, &self.unhealed);
        println!("{requests} requests, {made} breaks, {caught} caught, {healed} healed; not healed: {unhealed:?}");
        assert!(requests >= least_requests && made >= 1000, "{requests} requests, {made} breaks");
        assert!(caught * 100 >= made * 97, "{caught} of {made} caught");
        assert!(healed * 100 >= made * 97, "{healed} of {made} healed: {unhealed:?}");
    }
}
