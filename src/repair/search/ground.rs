//! What the search of one history rests on: the history as it was judged, and what was asked of it before.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard};

use crate::history::{Act, NONE, Row, Settings, codes};
use crate::judge::{Case, Enabled, Judged};
use crate::rules::reasoning::item_without_reasoning;

use super::defect::{Defect, Key, key_of, key_of_finding};
use crate::repair::FixOptions;
use crate::repair::plan::chosen::Chosen;
use crate::repair::plan::history_plan::Plan;
use crate::repair::plan::memo::Once;
use crate::repair::store::View;

/// Plans the repair of each history as it is judged.
pub struct Search<'o> {
    pub options: &'o FixOptions,
    /// The doc is one document of several lines.
    pub spread: bool,
    /// Whether it is asked what each repair leaves.
    pub predicts: bool,
    /// What was chosen for rows that several histories share: they have one fate.
    fates: Mutex<HashMap<Key, Act>>,
}

impl<'o> Search<'o> {
    pub fn new(options: &'o FixOptions, spread: bool, predicts: bool) -> Self {
        Search { options, spread, predicts, fates: Mutex::default() }
    }
}

/// What the search of one history rests on.
pub(super) struct Ground<'g> {
    pub case: &'g Case<'g>,
    pub search: &'g Search<'g>,
    pub once: Once,
    /// Lent to the history that is judged.
    pub settings: RefCell<Option<Settings>>,
    pub known: OnceCell<HashSet<Key>>,
    /// What was found of all of the history after the acts of a candidate, which are known by their print.
    pub last: RefCell<Option<(u64, Vec<Judged>, u32)>>,
    /// The rules that judge a part of a history.
    pub in_part: OnceCell<Enabled>,
    pub view: OnceCell<Option<View<'g>>>,
}

impl<'g> Ground<'g> {
    /// The findings whose repair is asked for. One that counts several items is one of each.
    pub(super) fn defects(&self) -> Vec<Defect> {
        let cx = self.case.cx;
        let mut all = Vec::new();
        for judged in self.case.judged.iter().filter(|judged| self.search.options.wants(judged)) {
            if judged.finding.code == codes::ORPHAN_TOOL_RUN {
                let rest = self.index_of(&judged.finding.row) as usize;
                all.extend(self.outputs_of_run(judged, cx.history.rows.get(rest..).unwrap_or_default()));
                continue;
            }
            let counted = item_without_reasoning::counted(cx, &judged.finding);
            match counted.is_empty() {
                true => all.push(Defect::of(judged, self.index_of(&judged.finding.row))),
                false => {
                    all.extend(counted.into_iter().map(|row| Defect::of(judged, cx.history.index_of(row))));
                }
            }
        }
        all
    }

    /// The outputs of an orphaned run: what goes. `rows` are those from its reasoning on.
    pub(super) fn outputs_of_run(&self, judged: &Judged, rows: &[Row]) -> Vec<Defect> {
        let rest = rows.iter().skip_while(|row| !row.is_client_output());
        let outputs = rest.take_while(|row| row.is_client_output()).map(|row| self.index_of(row));
        outputs.map(|ix| Defect::of(judged, ix)).collect()
    }

    /// The row of a finding; [`NONE`] if it lies on no item.
    pub(super) fn index_of(&self, row: &Row) -> u32 {
        let history = self.case.cx.history;
        let ix = history.index_of(row);
        if history.rows.get(ix as usize).is_some_and(|own| own.at == row.at) {
            return ix;
        }
        self.once.continued_at(&history.continued, row.at).map_or(NONE, |n| history.rows.len() as u32 + n)
    }

    /// What other histories of the doc chose, where it may share rows with them.
    fn fates(&self) -> Option<MutexGuard<'_, HashMap<Key, Act>>> {
        let shares = self.case.info.histories.shares_rows();
        shares.then(|| self.search.fates.lock().ok()).flatten()
    }

    /// The act that another history chose for a finding on a row that both hold.
    pub(super) fn decided(&self, defect: &Defect) -> Option<Act> {
        self.fates()?.get(&self.key(defect)).copied()
    }

    /// Keeps what is chosen for histories that come later.
    pub(super) fn decide(&self, chosen: &[Chosen]) {
        let Some(mut fates) = self.fates() else { return };
        for chosen in chosen.iter().filter(|chosen| chosen.at != NONE) {
            fates.entry(self.key(&Defect::of_chosen(chosen))).or_insert(chosen.act);
        }
    }

    /// All that is found of the history as it is.
    pub(super) fn known(&self) -> &HashSet<Key> {
        self.known.get_or_init(|| {
            let found = self.case.judged.iter().map(|judged| key_of_finding(&judged.finding));
            found.chain(self.defects().iter().map(|defect| self.key(defect))).collect()
        })
    }

    pub(super) fn key(&self, defect: &Defect) -> Key {
        let finding = &defect.judged.finding;
        let at = if defect.at == NONE { finding.row.at } else { self.case.cx.row(defect.at).at };
        key_of(finding.code, finding.variant, at.start)
    }

    /// The store, where the history was made of what it holds.
    fn view(&'g self) -> Option<&'g View<'g>> {
        let Case { cx, info, .. } = self.case;
        let first = cx.history.rows.first().filter(|_| info.editor.is_some())?;
        self.view.get_or_init(|| View::of(first.at.doc, cx.look.bytes())).as_ref()
    }

    pub(super) fn new_plan(&'g self) -> Plan<'g> {
        let case = self.case;
        Plan::new(case.cx, self.search.options, case.info.dialect, case.number, &self.once, self.view())
    }
}
