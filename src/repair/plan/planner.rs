//! The plan of each history, made as the history is judged: with all findings whose fix is wanted, then without those
//! that ask for what cannot be made.

use std::collections::HashMap;

use crate::format::{FormatInfo, Histories};
use crate::history::{Act, Remedy};
use crate::judge::{Judged, OnHistory};
use crate::rule::Cx;

use super::feasibility::{EMPTY, EMPTY_CALL, SPREAD_ENTRY};
use super::history_plan::{HistoryPlan, Plan, cause};
use crate::repair::{Cause, FixOptions, Orphans};

/// A plan of which something cannot be made is made again without it, so many times.
const ATTEMPTS: usize = 8;

/// Plans each history as it is judged.
pub struct Planner<'o> {
    pub options: &'o FixOptions,
    /// The doc is one document of several lines.
    pub spread: bool,
}

impl OnHistory for Planner<'_> {
    type Made = HistoryPlan;

    fn history(
        &self,
        cx: &Cx<'_>,
        info: &'static FormatInfo,
        judged: &[Judged],
        number: u32,
    ) -> Option<HistoryPlan> {
        if cx.history.settings.read_only.is_some() {
            return None;
        }
        let answers = info.histories == Histories::Session || info.dialect.info().answers_calls;
        let orphans = match self.options.orphans {
            Orphans::Auto if answers => Orphans::Stub,
            asked => asked,
        };
        let options = &FixOptions { orphans, ..self.options.clone() };
        let mut wanted: Vec<&Judged> = judged.iter().filter(|judged| self.options.wants(judged)).collect();
        let by_lines = info.histories == Histories::Session || cx.history.settings.numbered.is_some();
        if self.spread && by_lines {
            let mut plan = Plan::new(cx, options, info.dialect, number);
            wanted.iter().for_each(|judged| plan.refuse(judged, SPREAD_ENTRY));
            return plan.finish(info);
        }
        let mut refused: Vec<(&Judged, &'static str)> = Vec::new();
        let mut flag = None;
        for _ in 0..ATTEMPTS {
            let mut plan = Plan::new(cx, options, info.dialect, number);
            plan.by_flag = flag.is_none();
            refused.iter().for_each(|(judged, why)| plan.refuse(judged, why));
            plan.findings(&wanted);
            plan.left.extend(flag.and_then(|why| plan.first_left(why)));
            let impossible = plan.impossible(info, self.spread);
            if impossible.is_empty() {
                return plan.finish(info);
            }
            let by_flag = impossible.iter().find(|(cause, _)| matches!(cause, Cause::Flag(_)));
            flag = flag.or(by_flag.map(|(_, why)| *why));
            let why: HashMap<Cause, &'static str> = impossible.into_iter().collect();
            wanted.retain(|judged| {
                let Some(why) = why.get(&cause(judged)) else { return true };
                let is_call = judged.finding.remedy == Remedy::One(Act::Answer);
                let stubs = orphans == Orphans::Stub;
                refused.push((*judged, if *why == EMPTY && is_call && !stubs { EMPTY_CALL } else { why }));
                false
            });
        }
        // What is left hangs together with what cannot be made.
        let mut plan = Plan::new(cx, options, info.dialect, number);
        refused.iter().for_each(|(judged, why)| plan.refuse(judged, why));
        wanted.iter().for_each(|judged| plan.refuse(judged, "it depends on a fix that cannot be made"));
        plan.finish(info)
    }

    fn renumber(made: &mut HistoryPlan, by: u32) {
        made.number += by;
        for change in &mut made.changes {
            change.history = Some(made.number);
        }
    }

    fn renumber_records(made: &mut HistoryPlan, by: u32) {
        made.fates.iter_mut().for_each(|(row, _)| row.record += by);
        made.changes.iter_mut().for_each(|change| change.row.record += by);
    }
}
