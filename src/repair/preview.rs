//! Preview of the default repair of a history, from its plan: `check` reports for each finding what `fix` would do
//! without making the repair.

use foldhash::{HashMap, HashSet};

use crate::history::{Code, RepairAct};
use crate::judge::{self, HistoryVisitor, JudgedHistory, WeighedFinding};
use crate::target::{Severity, Trait};

use super::{FixOptions, HistoryPlan, PlanOutcome, PlanUse, Refusal, RepairSearch};

/// The predicted fix of a finding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PredictedFix {
    /// The fix of the finding itself.
    Requested,
    /// Another finding's fix resolves it.
    ByOtherFix,
    /// No statement.
    Unknown,
    /// No fix, for this reason.
    Impossible(&'static str),
}

pub const NO_FIX_FOUND: &str = "no fix was found that resolves it";

impl PredictedFix {
    /// `left` is `None` if the finding is resolved, and otherwise the reason for which it is not, if that is
    /// known.
    pub fn of(judged: &WeighedFinding, left: Option<Option<&'static str>>) -> PredictedFix {
        let is_default = judged.is_fixed_by_default();
        match left {
            Some(why) if is_default => PredictedFix::Impossible(why.unwrap_or(NO_FIX_FOUND)),
            // Not even with the flag that it needs.
            Some(Some(why)) if judged.flag().is_some() => PredictedFix::Impossible(why),
            // It needs no fix or flag of its own if another repair removes it.
            None if !is_default => PredictedFix::ByOtherFix,
            _ => PredictedFix::Requested,
        }
    }
}

/// The preview of the repair of a history.
pub struct HistoryPreview {
    /// Number of the history.
    pub number: u32,
    /// True if its dialect is not the target's, so that it must be converted first.
    pub is_foreign: bool,
    /// The predicted fixes of its findings, by code and start; without those that are made as the finding asks for, which
    /// are most.
    pub fixes: HashMap<(Code, u64), PredictedFix>,
    /// Number of errors and warnings that the repair resolves.
    pub resolved: i64,
    /// True if the plan is conclusive: some repairs can only be tried.
    pub is_conclusive: bool,
    /// The plan of a history of several records, for the repair to start from.
    pub plan: Option<Box<HistoryPlan>>,
}

/// Previews the default repair of histories.
#[derive(Default)]
pub struct Previewer {
    options: FixOptions,
}

impl HistoryVisitor for Previewer {
    type Output = HistoryPreview;

    fn visit(&self, case: &JudgedHistory<'_>) -> Option<HistoryPreview> {
        let (info, number) = (case.info, case.number);
        let nothing = HistoryPreview {
            number,
            is_foreign: false,
            fixes: HashMap::default(),
            resolved: 0,
            is_conclusive: true,
            plan: None,
        };
        if case.options.named_target(info).is_some_and(|target| !judge::shares_dialect(info, target)) {
            return Some(HistoryPreview { is_foreign: true, ..nothing });
        }
        let spans = info.histories.span_records();
        let is_fixed = case.findings.iter().any(WeighedFinding::is_fixed_by_default);
        let is_offered = case.findings.iter().any(WeighedFinding::needs_flag);
        if !is_fixed && !is_offered && !spans {
            return None;
        }
        // The repair of a document that spans several lines does not start from these plans.
        let plan_use = if spans { PlanUse::Shown } else { PlanUse::Predicted };
        let search = RepairSearch::new(&self.options, false, true).for_use(plan_use);
        let numbered = case.cx.history.settings.ordinals.is_some();
        let plan = (is_fixed || is_offered || numbered).then(|| search.visit(case)).flatten();
        let mut sketch = match &plan {
            Some(plan) if is_fixed => outcome(plan, case),
            Some(plan) => HistoryPreview { fixes: predicted_fixes(plan, case, |_| true), ..nothing },
            None => HistoryPreview { is_conclusive: !is_fixed, ..nothing },
        };
        sketch.is_conclusive &= !numbered;
        sketch.plan = plan.filter(|_| spans).map(Box::new);
        Some(sketch)
    }

    fn renumber(made: &mut HistoryPreview, by: u32) {
        made.number += by;
        if let Some(plan) = &mut made.plan {
            RepairSearch::renumber(plan, by);
        }
    }

    fn renumber_records(made: &mut HistoryPreview, by: u32) {
        if let Some(plan) = &mut made.plan {
            RepairSearch::renumber_records(plan, by);
        }
    }
}

/// The predicted fixes of findings, other than [`PredictedFix::Requested`]; `is_left` is true for those that the plan leaves.
fn predicted_fixes(
    plan: &HistoryPlan,
    case: &JudgedHistory<'_>,
    is_left: impl Fn(&WeighedFinding) -> bool,
) -> HashMap<(Code, u64), PredictedFix> {
    let refused = Refusal::reasons(&plan.refusals);
    let mut fixes = HashMap::default();
    for judged in case.findings {
        let why = || refused.get(&(judged.finding.code, judged.finding.row.at)).copied();
        match PredictedFix::of(judged, is_left(judged).then(why)) {
            PredictedFix::Requested if fixes.is_empty() => {}
            // The last finding of a kind at a place decides.
            PredictedFix::Requested => drop(fixes.remove(&judged.finding.code_and_start())),
            other => drop(fixes.insert(judged.finding.code_and_start(), other)),
        }
    }
    fixes
}

/// The preview of a plan, from the findings that it leaves.
fn outcome(plan: &HistoryPlan, case: &JudgedHistory<'_>) -> HistoryPreview {
    let remaining = || plan.outcome.iter().flat_map(|predicted| &predicted.remaining);
    let left: HashSet<(Code, u64)> = remaining().map(|judged| judged.finding.code_and_start()).collect();
    let fixes = predicted_fixes(plan, case, |judged| left.contains(&judged.finding.code_and_start()));
    let counts = |judged: &&WeighedFinding| judged.severity > Severity::Info;
    let has = remaining().filter(counts).count();
    let gone = case.findings.iter().filter(counts).count() as i64 - has as i64;
    let by_text = |judged: &WeighedFinding| {
        let acts = judged.finding.remedy.acts();
        judged.is_fixed_by_default()
            && acts.iter().any(|act| {
                matches!(
                    act,
                    RepairAct::RepairText
                        | RepairAct::ReplaceCharacter
                        | RepairAct::Placeholder
                        | RepairAct::Relink
                        | RepairAct::RepairStored(_)
                )
            })
    };
    // An item of a kind unknown to its format may be what the format is recognised by.
    let is_odd = |judged: &WeighedFinding| {
        judged.rule().check.judges_single_items() && judged.severity == Severity::Error && !judged.has_fix()
    };
    let is_doubtful = fixes.values().any(|fix| *fix == PredictedFix::Impossible(NO_FIX_FOUND));
    // A change before signed thinking has consequences that only the repair itself finds.
    let is_bound = case.cx.has(Trait::BoundThinking) && !plan.changes.is_empty();
    let is_sure = plan.outcome.as_ref().is_some_and(PlanOutcome::is_conclusive)
        && !is_doubtful
        && !is_bound
        && !case.findings.iter().any(|judged| by_text(judged) || is_odd(judged));
    HistoryPreview {
        number: plan.number,
        is_foreign: false,
        fixes,
        resolved: gone,
        is_conclusive: is_sure,
        plan: None,
    }
}
