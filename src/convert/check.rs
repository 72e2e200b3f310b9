//! A check against a target of another dialect: what the conversion would lose, or what would be refused of its result.

use std::io;

use crate::dialect::Written;
use crate::fix::{Sketch, Sketcher};
use crate::format::FormatInfo;
use crate::judge::{self, Judged, JudgedDoc, OnHistory, Options};
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
/// the target would refuse of its result, is found at the place of its source. The others are sketched.
pub fn check(id: DocId, bytes: &dyn ReadAt, options: &Options, threads: usize) -> io::Result<JudgedDoc<Sketch>> {
    let Some((target, to)) = options.target.and_then(|target| Some((target, dialect(target.dialect)?))) else {
        return judge::judge(id, bytes, options, threads, &Sketcher::default());
    };
    let found = judge::judge(id, bytes, options, threads, &Foreign { target, own: Sketcher::default() })?;
    let is_foreign = found.made.iter().any(|made| matches!(made, Met::Foreign));
    let own = |made| match made {
        Met::Foreign => None,
        Met::Own(sketch) => Some(sketch),
    };
    let mut found = found.remade(own);
    if !is_foreign {
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

/// Marks histories of another dialect than the target's, and sketches the others.
struct Foreign {
    target: &'static Target,
    own: Sketcher,
}

enum Met {
    Foreign,
    Own(Sketch),
}

impl OnHistory for Foreign {
    type Made = Met;

    fn history(&self, cx: &Cx<'_>, info: &'static FormatInfo, judged: &[Judged], number: u32) -> Option<Met> {
        match judge::speaks(info, self.target) {
            true => self.own.history(cx, info, judged, number).map(Met::Own),
            false => Some(Met::Foreign),
        }
    }

    fn renumber(made: &mut Met, by: u32) {
        if let Met::Own(sketch) = made {
            Sketcher::renumber(sketch, by);
        }
    }
}
