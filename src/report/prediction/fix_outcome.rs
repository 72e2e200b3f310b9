//! What a plan of the default repair leaves of the fixes that findings ask for.

use std::collections::HashMap;

use crate::history::{Code, Remedy};
use crate::judge::Judged;
use crate::place::Pieces;
use crate::repair::Fixed;
pub use crate::repair::Promise;
use crate::target::Severity;

use crate::report::{Diagnostic, FixNote};

const WITH_ANOTHER: &str = "fixed together with another finding";

impl Promise {
    /// What is said of the fix of a finding, or why there is none.
    pub fn note(self, judged: &Judged) -> (Option<FixNote>, Option<&'static str>) {
        let (default, flag) = self.made(judged);
        let title = if self == Promise::WithAnother { WITH_ANOTHER } else { judged.fix_title() };
        let fix = FixNote { title: title.to_owned(), loss: judged.loss, default, flag };
        ((default || flag.is_some()).then_some(fix), self.why_not(judged))
    }

    /// Whether the fix is made by default, and the flag that makes it otherwise.
    pub fn made(self, judged: &Judged) -> (bool, Option<&'static str>) {
        match self {
            Promise::Asked => (judged.is_fixed_by_default(), judged.flag()),
            Promise::WithAnother => (true, None),
            Promise::Nothing | Promise::Never(_) => (false, None),
        }
    }

    /// Why there is no fix.
    pub fn why_not(self, judged: &Judged) -> Option<&'static str> {
        match (self, judged.finding.remedy) {
            (Promise::Never(why), _) => Some(why),
            (Promise::WithAnother, _) => None,
            (_, Remedy::Never(why)) if !why.is_empty() => Some(why),
            _ => None,
        }
    }

    /// Says it in a diagnostic.
    pub fn tell(self, diagnostic: &mut Diagnostic, judged: &Judged) {
        if self != Promise::Asked {
            (diagnostic.fix, diagnostic.no_fix) = self.note(judged);
        }
    }
}

/// What a default repair makes of each finding of `fixed.before`, in order, and the number of errors and warnings that are
/// gone after it. `total` is the length of the doc.
pub fn outcome(fixed: &Fixed, total: u64) -> (Vec<Promise>, u64) {
    let doc = fixed.before.judged.first().map(|judged| judged.finding.row.at.doc);
    let pieces = doc.map(|doc| Pieces::new(fixed.patch.edits(doc), doc, total));
    let mut left: HashMap<(Code, u64), Option<&'static str>> = HashMap::new();
    let why_not = fixed.reasons();
    for judged in &fixed.left().judged {
        let at = judged.finding.row.at;
        let at = pieces.as_ref().filter(|_| fixed.after.is_some()).map_or(at, |pieces| pieces.original(at));
        left.insert((judged.finding.code, at.start), why_not(judged));
    }
    let one = |judged: &Judged| Promise::of(judged, left.get(&judged.finding.code_and_start()).copied());
    let counts = |judged: &&Judged| judged.severity > Severity::Info;
    let had = fixed.before.judged.iter().filter(counts).count();
    let has = fixed.left().judged.iter().filter(counts).count();
    (fixed.before.judged.iter().map(one).collect(), had.saturating_sub(has) as u64)
}
