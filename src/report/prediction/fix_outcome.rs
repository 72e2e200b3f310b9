//! The outcome of the default repair for each finding.

use foldhash::HashMap;

use crate::history::{Code, Remedy};
use crate::judge::WeighedFinding;
use crate::place::Pieces;
use crate::repair::DocRepair;
pub use crate::repair::PredictedFix;
use crate::target::Severity;

use crate::report::{Diagnostic, FixNote};

const WITH_ANOTHER: &str = "fixed together with another finding";

impl PredictedFix {
    /// The fix of a finding, or why there is none.
    pub fn fix_note(self, judged: &WeighedFinding) -> (Option<FixNote>, Option<&'static str>) {
        let (default, flag) = self.availability(judged);
        let title = if self == PredictedFix::ByOtherFix { WITH_ANOTHER } else { judged.fix_title() };
        let fix = FixNote { title: title.to_owned(), loss: judged.loss, default, flag };
        ((default || flag.is_some()).then_some(fix), self.no_fix_reason(judged))
    }

    /// True if the fix is applied by default; else the flag that enables it.
    pub fn availability(self, judged: &WeighedFinding) -> (bool, Option<&'static str>) {
        match self {
            PredictedFix::Requested => (judged.is_fixed_by_default(), judged.flag()),
            PredictedFix::ByOtherFix => (true, None),
            PredictedFix::Unknown | PredictedFix::Impossible(_) => (false, None),
        }
    }

    /// Why there is no fix; `None` if there is one, or no known reason.
    pub fn no_fix_reason(self, judged: &WeighedFinding) -> Option<&'static str> {
        match (self, judged.finding.remedy) {
            (PredictedFix::Impossible(why), _) => Some(why),
            (PredictedFix::ByOtherFix, _) => None,
            (_, Remedy::Never(why)) if !why.is_empty() => Some(why),
            _ => None,
        }
    }

    /// Replaces the fix of a diagnostic, unless it is the one that the finding asks for.
    pub fn apply_to(self, diagnostic: &mut Diagnostic, judged: &WeighedFinding) {
        if self != PredictedFix::Requested {
            (diagnostic.fix, diagnostic.no_fix) = self.fix_note(judged);
        }
    }
}

/// The outcome for each finding of `fixed.before`, in order, and the number of errors and warnings that the default repair
/// resolves. `total` is the length of the document in bytes.
pub fn fix_outcomes(fixed: &DocRepair, total: u64) -> (Vec<PredictedFix>, u64) {
    let doc = fixed.before.findings.first().map(|judged| judged.finding.row.at.doc);
    let pieces = doc.map(|doc| Pieces::new(fixed.patch.edits(doc), doc, total));
    let mut left: HashMap<(Code, u64), Option<&'static str>> = HashMap::default();
    let why_not = fixed.refusal_reasons();
    for judged in &fixed.remaining().findings {
        let at = judged.finding.row.at;
        let at = pieces.as_ref().filter(|_| fixed.after.is_some()).map_or(at, |pieces| pieces.original(at));
        left.insert((judged.finding.code, at.start), why_not(judged));
    }
    let one =
        |judged: &WeighedFinding| PredictedFix::of(judged, left.get(&judged.finding.code_and_start()).copied());
    let counts = |judged: &&WeighedFinding| judged.severity > Severity::Info;
    let had = fixed.before.findings.iter().filter(counts).count();
    let has = fixed.remaining().findings.iter().filter(counts).count();
    (fixed.before.findings.iter().map(one).collect(), had.saturating_sub(has) as u64)
}
