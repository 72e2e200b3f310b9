//! A check against a target of another dialect: what the conversion would lose, or what would be refused of its result.

use std::io;

use crate::dialect::Written;
use crate::history::Finding;
use crate::history::codes::{UNKNOWN_FORMAT, unknown};
use crate::judge::{self, Judged, JudgedDoc, Options};
use crate::message::LossKind;
use crate::place::DocId;
use crate::repair::{Sketch, Sketcher};
use crate::source::ReadAt;
use crate::target::Severity;

use super::doc::convert_doc;
use super::options::ConvertOptions;
use super::plan::{Plan, Thoughts};
use super::to::dialect;

/// Checks a doc against its target. Histories of another dialect are converted, and what the target would refuse of the
/// result is found at the place of its source; what the conversion loses is said when it is made. The others are sketched.
pub fn check(id: DocId, bytes: &dyn ReadAt, options: &Options, threads: usize) -> io::Result<JudgedDoc<Sketch>> {
    let to = options.target.and_then(|target| dialect(target.dialect));
    let sketcher = Sketcher::new(options.target.filter(|_| to.is_some()));
    let mut found = judge::judge(id, bytes, options, threads, &sketcher)?;
    let is_foreign = found.made.iter().any(|sketch| sketch.is_foreign);
    let Some(to) = to.filter(|_| is_foreign) else { return Ok(found) };
    let plan = Plan {
        to,
        written: Written::Request,
        thoughts: Thoughts::Auto,
        model: options.model.clone(),
        target: options.target,
    };
    let how = ConvertOptions { foreign_only: true, ..ConvertOptions::new(options, plan) };
    let done = convert_doc(id, bytes, &how, threads, &mut |_| Ok(()))?;
    let judged = done.judged.into_iter().filter_map(of_check);
    found.judged.extend(judged.filter(|judged| options.enabled.has(judged.finding.code)));
    found.judged.sort_by_key(|judged| (judged.finding.row.record, judged.finding.row.at.start));
    Ok(found)
}

/// What a check says of what a conversion found: nothing of losses, and of a conversation that gave nothing a note that it
/// was not judged. What cannot be read was reported by the check itself.
fn of_check(judged: Judged) -> Option<Judged> {
    let finding = judged.finding;
    match LossKind::is_one(finding.code) {
        false => judged.history.is_some().then_some(judged),
        true if (finding.code, finding.variant)
            == (LossKind::NOT_CONVERTED.code, LossKind::NOT_CONVERTED.variant) =>
        {
            let finding = Finding::new(UNKNOWN_FORMAT, finding.row).variant(unknown::NOT_JUDGED).never(NOTHING);
            Some(Judged { finding, severity: Severity::Info, ..judged })
        }
        true => None,
    }
}

const NOTHING: &str = "nothing of it is of a kind that the target takes";
