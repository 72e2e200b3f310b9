//! A check against a target of another dialect: what the conversion would lose, or what would be refused of its result.

use std::io;

use crate::dialect::Written;
use crate::format::FormatInfo;
use crate::judge::{self, Findings, Judged, JudgedDoc, OnHistory, Options};
use crate::neutral::LossKind;
use crate::place::DocId;
use crate::rule::Cx;
use crate::source::ReadAt;
use crate::target::Target;

use super::doc::convert_doc;
use super::options::ConvertOptions;
use super::plan::{Plan, Thoughts};
use super::to::dialect;

/// Checks a doc against its target. Histories of another dialect are converted, and what the conversion loses, or what
/// the target would refuse of its result, is found at the place of its source.
pub fn check(id: DocId, bytes: &dyn ReadAt, options: &Options, threads: usize) -> io::Result<JudgedDoc<()>> {
    let Some((target, to)) = options.target.and_then(|target| Some((target, dialect(target.dialect)?))) else {
        return judge::judge(id, bytes, options, threads, &Findings);
    };
    let mut found = judge::judge(id, bytes, options, threads, &Foreign(target))?;
    if std::mem::take(&mut found.made).is_empty() {
        return Ok(found);
    }
    let plan = Plan {
        to,
        written: Written::Request,
        thoughts: Thoughts::Auto,
        model: options.model.clone(),
        target: Some(target),
    };
    let how = ConvertOptions { foreign_only: true, ..ConvertOptions::new(options, plan) };
    let done = convert_doc(id, bytes, &how, threads, &mut |_| Ok(()))?;
    // What cannot be read was reported by the check itself.
    let converts =
        |judged: &Judged| judged.history.is_some() || judged.finding.code == LossKind::NOT_CONVERTED.code;
    found.judged.extend(done.judged.into_iter().filter(converts));
    found.judged.sort_by_key(|judged| (judged.finding.row.record, judged.finding.row.at.start));
    Ok(found)
}

/// Marks histories of another dialect than the target's.
struct Foreign(&'static Target);

impl OnHistory for Foreign {
    type Made = ();

    fn history(&self, _: &Cx<'_>, info: &'static FormatInfo, _: &[Judged], _: u32) -> Option<()> {
        (!judge::speaks(info, self.0)).then_some(())
    }

    fn renumber(_: &mut (), _: u32) {}
}
