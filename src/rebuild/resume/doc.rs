//! The requests that continue the histories of a document.

use std::io;

use crate::format::FormatInfo;
use crate::history::{Row, Usage};
use crate::judge::{self, HistoryVisitor, JudgedDoc, JudgedHistory, Options};
use crate::place::DocId;
use crate::source::ReadAt;
use crate::target::Target;

use super::request::{ResumeSpec, ResumedRequest, resume};
use super::stored_thread::StoredHistory;

/// A history, and the request that continues it.
pub struct ResumedHistory {
    /// Number of the history in the document.
    pub number: u32,
    pub info: &'static FormatInfo,
    pub target: &'static Target,
    pub rows: Vec<Row>,
    /// `None` if it would be empty, or if the document contains the request itself.
    pub request: io::Result<Option<ResumedRequest>>,
}

/// Chooses the target of a request, from the one that the history is judged for.
pub type TargetChoice<'c> = &'c (dyn Fn(&'static Target) -> &'static Target + Sync);

/// Builds the requests that continue the histories of a document.
pub fn resume_doc(
    id: DocId,
    bytes: &dyn ReadAt,
    options: &Options,
    ask: Option<&str>,
    target: TargetChoice<'_>,
) -> io::Result<JudgedDoc<ResumedHistory>> {
    judge::judge(id, bytes, options, 1, &ResumeVisitor { id, bytes, options, ask, target })
}

struct ResumeVisitor<'v> {
    id: DocId,
    bytes: &'v dyn ReadAt,
    options: &'v Options,
    ask: Option<&'v str>,
    target: TargetChoice<'v>,
}

impl HistoryVisitor for ResumeVisitor<'_> {
    type Output = ResumedHistory;

    fn visit(&self, case: &JudgedHistory<'_>) -> Option<ResumedHistory> {
        let ResumeVisitor { id, bytes, options, ask, target } = *self;
        let (history, info, number) = (case.cx.history, case.info, case.number);
        let target = target(case.target());
        let is_stored = |row: &Row| history.settings.body.is_some_and(|body| body.contains(row.at));
        let request = match info.usage != Usage::Log && history.rows.first().is_some_and(is_stored) {
            true => Ok(None),
            false => resume(&StoredHistory { id, bytes, options, history, info }, ResumeSpec { target, ask }),
        };
        Some(ResumedHistory { number, info, target, rows: history.rows.clone(), request })
    }

    fn needs_findings(&self) -> bool {
        false
    }

    fn renumber(made: &mut ResumedHistory, by: u32) {
        made.number += by;
    }

    fn renumber_records(made: &mut ResumedHistory, by: u32) {
        made.rows.iter_mut().for_each(|row| row.record += by);
    }
}
