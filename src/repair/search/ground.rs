//! What the search of one history rests on: the history as it was judged, and what was asked of it before.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::sync::Mutex;

use crate::history::{Act, NONE, Row, Settings, codes};
use crate::judge::{Case, Enabled, Judged};
use crate::rules::reasoning::item_without_reasoning;

use super::wanted::{Key, Wanted, key_of, key_of_finding};
use crate::repair::FixOptions;
use crate::repair::plan::chosen::Chosen;
use crate::repair::plan::history_plan::Plan;
use crate::repair::plan::memo::Once;

/// What the search of one history rests on.
pub(super) struct Ground<'g> {
    pub case: &'g Case<'g>,
    pub options: &'g FixOptions,
    pub spread: bool,
    pub predicts: bool,
    /// What other histories of the doc chose for rows that this one shares with them.
    pub fates: Option<&'g Mutex<HashMap<Key, Act>>>,
    pub once: Once,
    /// Lent to the history that is judged.
    pub settings: RefCell<Option<Settings>>,
    pub known: OnceCell<HashSet<Key>>,
    /// What was found of all of the history after the acts of a candidate, which are known by their print.
    pub last: RefCell<Option<(u64, Vec<Judged>, u32)>>,
    /// The rules that judge a part of a history.
    pub in_part: OnceCell<Enabled>,
}

impl<'g> Ground<'g> {
    /// The findings whose repair is asked for. One that counts several items is one of each.
    pub(super) fn wanted(&self) -> Vec<Wanted> {
        let cx = self.case.cx;
        let mut all = Vec::new();
        for judged in self.case.judged.iter().filter(|judged| self.options.wants(judged)) {
            let counted = item_without_reasoning::counted(cx, &judged.finding);
            if judged.finding.code == codes::ORPHAN_TOOL_RUN {
                let rest = self.index_of(&judged.finding.row) as usize;
                all.extend(self.outputs_of_run(judged, cx.history.rows.get(rest..).unwrap_or_default()));
                continue;
            }
            match counted.is_empty() {
                true => all.push(Wanted::of(judged, self.index_of(&judged.finding.row))),
                false => {
                    all.extend(counted.into_iter().map(|row| Wanted::of(judged, cx.history.index_of(row))));
                }
            }
        }
        all
    }

    /// The outputs of an orphaned run: what goes. `rows` are those from its reasoning on.
    pub(super) fn outputs_of_run(&self, judged: &Judged, rows: &[Row]) -> Vec<Wanted> {
        let rest = rows.iter().skip_while(|row| !row.is_client_output());
        let outputs = rest.take_while(|row| row.is_client_output()).map(|row| self.index_of(row));
        outputs.map(|ix| Wanted::of(judged, ix)).collect()
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

    /// The act that another history chose for a finding on a row that both hold.
    pub(super) fn decided(&self, wanted: &Wanted) -> Option<Act> {
        let fates = self.fates?.lock().ok()?;
        fates.get(&self.key(wanted)).copied()
    }

    /// Keeps what is chosen for histories that come later.
    pub(super) fn decide(&self, chosen: &[Chosen]) {
        let Some(mut fates) = self.fates.and_then(|fates| fates.lock().ok()) else { return };
        for chosen in chosen.iter().filter(|chosen| chosen.at != NONE) {
            let wanted = Wanted { judged: chosen.judged, at: chosen.at, cause: chosen.cause };
            fates.entry(self.key(&wanted)).or_insert(chosen.act);
        }
    }

    /// All that is found of the history as it is.
    pub(super) fn known(&self) -> &HashSet<Key> {
        self.known.get_or_init(|| {
            let found = self.case.judged.iter().map(|judged| key_of_finding(&judged.finding));
            found.chain(self.wanted().iter().map(|wanted| self.key(wanted))).collect()
        })
    }

    pub(super) fn key(&self, wanted: &Wanted) -> Key {
        let finding = &wanted.judged.finding;
        let at = if wanted.at == NONE { finding.row.at } else { self.case.cx.row(wanted.at).at };
        key_of(finding.code, finding.variant, at.start)
    }

    pub(super) fn new_plan(&'g self) -> Plan<'g> {
        Plan::new(self.case.cx, self.options, self.case.info.dialect, self.case.number, &self.once)
    }
}
