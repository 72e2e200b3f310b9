//! A check against a target of another dialect: reports what the target would refuse of the converted history.

use std::io;

use crate::dialect::OutputShape;
use crate::history::Finding;
use crate::history::codes::{UNKNOWN_FORMAT, unknown_format};
use crate::judge::{self, JudgedDoc, Options, WeighedFinding};
use crate::message::LossKind;
use crate::place::DocId;
use crate::repair::{HistoryPreview, Previewer};
use crate::source::ReadAt;
use crate::target::Severity;

use super::dialect_names::dialect_by_name;
use super::doc::convert_doc;
use super::options::ConvertOptions;
use super::plan::ConvertPlan;

/// Checks a doc against its target. Histories of another dialect are converted, and what the target would refuse of the
/// result is reported at the place of its source; losses are reported only by the conversion itself. For the others
/// repairs are sketched.
pub fn check(
    id: DocId,
    bytes: &dyn ReadAt,
    options: &Options,
    threads: usize,
) -> io::Result<JudgedDoc<HistoryPreview>> {
    let mut found = judge::judge(id, bytes, options, threads, &Previewer::default())?;
    let is_foreign = found.outputs.iter().any(|sketch| sketch.is_foreign);
    let target = found.format.and_then(|format| options.named_target(format.info()));
    let to = target.and_then(|target| dialect_by_name(target.dialect));
    let Some(to) = to.filter(|_| is_foreign) else { return Ok(found) };
    let plan = ConvertPlan {
        model: options.written_model().map(str::to_owned),
        target,
        ..ConvertPlan::to(to, OutputShape::Request)
    };
    let options = &Options { target, ..options.clone() };
    let how = ConvertOptions { foreign_only: true, ..ConvertOptions::new(options, plan) };
    let done = convert_doc(id, bytes, &how, threads, &mut |_| Ok(()))?;
    let judged = done.judged.into_iter().filter_map(to_check_finding);
    found.findings.extend(judged.filter(|judged| options.enabled.has(judged.finding.code)));
    found.findings.sort_by_key(|judged| (judged.finding.row.record, judged.finding.row.at.start));
    Ok(found)
}

/// The finding that a check reports for one of a conversion: none for a loss, and a note for a conversation that could not
/// be converted, that it was not judged. Read errors were reported by the check itself.
fn to_check_finding(judged: WeighedFinding) -> Option<WeighedFinding> {
    let finding = judged.finding;
    match LossKind::is_loss_rule(finding.code) {
        false => judged.history.is_some().then_some(judged),
        true if (finding.code, finding.variant)
            == (LossKind::NOT_CONVERTED.code, LossKind::NOT_CONVERTED.variant) =>
        {
            let finding = Finding::new(UNKNOWN_FORMAT, finding.row)
                .variant(unknown_format::NOT_JUDGED)
                .never(NOT_CONVERTIBLE);
            Some(WeighedFinding { finding, severity: Severity::Info, ..judged })
        }
        true => None,
    }
}

const NOT_CONVERTIBLE: &str = "it has no content that the target supports";
