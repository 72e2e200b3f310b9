//! Context of the search of one history: the judged history, and cached facts about it.

use std::cell::{OnceCell, RefCell};
use std::sync::{Mutex, MutexGuard};

use foldhash::HashMap;

use crate::history::{HistorySettings, NONE, RepairAct, Row, codes};
use crate::judge::{EnabledRules, JudgedHistory, WeighedFinding};
use crate::rules::reasoning::item_without_reasoning;

use super::defect::{Defect, DefectKey, key_of, key_of_finding};
use crate::repair::FixOptions;
use crate::repair::plan::chosen_act::{ChosenAct, SharedFinding};
use crate::repair::plan::history_plan::PlanBuilder;
use crate::repair::plan::memo::HistoryMemo;
use crate::repair::store::StoreView;

/// What plans are for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlanUse {
    /// To be made and shown: the surroundings of their changes are collected.
    Shown,
    /// To be made.
    Made,
    /// To predict their outcome: of their changes, only the first is kept.
    Predicted,
}

/// Plans the repair of each history as it is judged.
pub struct RepairSearch<'o> {
    pub options: &'o FixOptions,
    /// True if the doc is one document of several lines.
    pub is_multiline: bool,
    /// True if the outcome of each plan is to be predicted.
    pub predicts: bool,
    pub plan_use: PlanUse,
    /// Only components with a finding whose fix needs a flag are searched, to know why it is not possible.
    pub only_flagged: bool,
    /// Acts chosen for rows that several histories share, so that all of them decide alike.
    decisions: Mutex<HashMap<DefectKey, RepairAct>>,
}

impl<'o> RepairSearch<'o> {
    pub fn new(options: &'o FixOptions, is_multiline: bool, predicts: bool) -> Self {
        RepairSearch {
            options,
            is_multiline,
            predicts,
            plan_use: PlanUse::Shown,
            only_flagged: false,
            decisions: Mutex::default(),
        }
    }

    /// The same, for another use of its plans.
    pub fn for_use(self, plan_use: PlanUse) -> Self {
        RepairSearch { plan_use, ..self }
    }
}

/// Context of the search of one history.
pub(super) struct SearchContext<'g> {
    pub case: &'g JudgedHistory<'g>,
    pub search: &'g RepairSearch<'g>,
    pub memo: HistoryMemo,
    /// The settings, which are moved into each history that is judged, and back.
    pub settings: RefCell<Option<HistorySettings>>,
    /// Keys of all findings on the unchanged history, sorted.
    pub initial_keys: OnceCell<Vec<DefectKey>>,
    /// The last outcome of a candidate for the whole history: fingerprint of its acts, findings, and number of
    /// rows.
    pub last_outcome: RefCell<Option<(u64, Vec<WeighedFinding>, u32)>>,
    /// The rules that judge a part of a history.
    pub partial_rules: OnceCell<EnabledRules>,
    pub view: OnceCell<Option<StoreView<'g>>>,
}

impl<'g> SearchContext<'g> {
    /// The findings to fix. A finding that counts several items becomes one for each of them.
    pub(super) fn defects(&self) -> Vec<Defect<'g>> {
        let cx = self.case.cx;
        let selected = || self.case.findings.iter().filter(|judged| self.search.options.selects(judged));
        let mut all = Vec::with_capacity(selected().count());
        for judged in selected() {
            let judged = &SharedFinding::Initial(judged);
            if judged.finding.code == codes::ORPHAN_TOOL_RUN {
                let rest = self.index_of(&judged.finding.row) as usize;
                all.extend(self.outputs_of_run(judged, cx.history.rows.get(rest..).unwrap_or_default()));
                continue;
            }
            let counted = item_without_reasoning::counted_items(cx, &judged.finding);
            match counted.is_empty() {
                true => all.push(Defect::of(judged, self.index_of(&judged.finding.row))),
                false => {
                    all.extend(counted.into_iter().map(|row| Defect::of(judged, cx.history.index_of(row))));
                }
            }
        }
        all
    }

    /// The outputs of an orphaned run, each as a defect. `rows` begin with its reasoning.
    pub(super) fn outputs_of_run(&self, judged: &SharedFinding<'g>, rows: &[Row]) -> Vec<Defect<'g>> {
        let rest = rows.iter().skip_while(|row| !row.is_client_output());
        let outputs = rest.take_while(|row| row.is_client_output()).map(|row| self.index_of(row));
        outputs.map(|ix| Defect::of(judged, ix)).collect()
    }

    /// The index of a finding's row; [`NONE`] if it is on no item.
    pub(super) fn index_of(&self, row: &Row) -> u32 {
        let history = self.case.cx.history;
        let ix = history.index_of(row);
        if history.rows.get(ix as usize).is_some_and(|own| own.at == row.at) {
            return ix;
        }
        self.memo.continued_at(&history.continuations, row.at).map_or(NONE, |n| history.rows.len() as u32 + n)
    }

    /// The acts that other histories of the doc chose; `None` if they cannot share rows.
    fn decisions(&self) -> Option<MutexGuard<'_, HashMap<DefectKey, RepairAct>>> {
        let shares = self.case.info.histories.shares_rows();
        shares.then(|| self.search.decisions.lock().ok()).flatten()
    }

    /// The act that another history chose for a finding on a shared row.
    pub(super) fn shared_decision(&self, defect: &Defect) -> Option<RepairAct> {
        self.decisions()?.get(&self.key(defect)).copied()
    }

    /// Records the chosen acts for later histories.
    pub(super) fn share_decisions(&self, chosen: &[ChosenAct]) {
        let Some(mut decisions) = self.decisions() else { return };
        for chosen in chosen.iter().filter(|chosen| chosen.at != NONE) {
            decisions.entry(self.key(&Defect::of_chosen(chosen))).or_insert(chosen.act);
        }
    }

    /// True if the unchanged history has a finding with this key.
    pub(super) fn is_initial(&self, key: &DefectKey) -> bool {
        let keys = self.initial_keys.get_or_init(|| {
            let found = self.case.findings.iter().map(|judged| key_of_finding(&judged.finding));
            let to_fix = self.defects().into_iter().map(|defect| self.key(&defect));
            let mut keys: Vec<DefectKey> = found.chain(to_fix).collect();
            keys.sort_unstable();
            // Most findings to fix are there twice.
            keys.dedup();
            keys.shrink_to_fit();
            keys
        });
        keys.binary_search(key).is_ok()
    }

    pub(super) fn key(&self, defect: &Defect) -> DefectKey {
        let finding = &defect.judged.finding;
        let at = if defect.at == NONE { finding.row.at } else { self.case.cx.row(defect.at).at };
        key_of(finding.code, finding.variant, at.start)
    }

    /// The store, if the history was translated from its records.
    fn view(&'g self) -> Option<&'g StoreView<'g>> {
        let JudgedHistory { cx, info, .. } = self.case;
        let first = cx.history.rows.first().filter(|_| info.editor.is_some())?;
        self.view.get_or_init(|| StoreView::of(first.at.doc, cx.text.bytes())).as_ref()
    }

    pub(super) fn new_plan(&'g self) -> PlanBuilder<'g> {
        let case = self.case;
        PlanBuilder::new(case.cx, self.search.options, case.info.dialect, case.number, &self.memo, self.view())
    }
}
