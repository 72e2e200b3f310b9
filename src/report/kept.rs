//! What a plan of the default repair leaves of the fixes that findings were told with.

use std::collections::HashMap;

use crate::fix::Fixed;
use crate::history::Code;
use crate::judge::Judged;
use crate::place::Pieces;
use crate::target::Severity;

use super::{Diagnostic, FixNote};

const WITH_ANOTHER: &str = "fixed together with another finding";
const REMAINS: &str = "no fix was found that resolves it";

/// Takes back the fixes that the default repair does not make. `diagnostics` are those of `fixed.before`, in order. Gives
/// the number of errors and warnings that are gone after the repair.
pub fn keep<'d>(fixed: &Fixed, total: u64, diagnostics: impl IntoIterator<Item = &'d mut Diagnostic>) -> u64 {
    let doc = fixed.before.judged.first().map(|judged| judged.finding.row.at.doc);
    let pieces = doc.map(|doc| Pieces::new(fixed.patch.edits(doc), doc, total));
    let counts = |judged: &&Judged| judged.severity > Severity::Info;
    let mut left: HashMap<(Code, u64), Option<&'static str>> = HashMap::new();
    let why_not = fixed.reasons();
    for judged in &fixed.left().judged {
        let at = judged.finding.row.at;
        let at = pieces.as_ref().filter(|_| fixed.after.is_some()).map_or(at, |pieces| pieces.original(at));
        left.insert((judged.finding.code, at.start), why_not(judged));
    }
    for (judged, diagnostic) in fixed.before.judged.iter().zip(diagnostics) {
        let remains = left.get(&(judged.finding.code, judged.finding.row.at.start));
        if let (Some(why), true) = (remains, judged.is_fixed_by_default()) {
            diagnostic.fix = None;
            diagnostic.no_fix = Some(why.unwrap_or(REMAINS));
        }
        // It needs no fix or flag of its own where it goes with what is repaired anyway.
        if remains.is_none() && diagnostic.fix.as_ref().is_none_or(|fix| !fix.default) {
            diagnostic.no_fix = None;
            let title = WITH_ANOTHER.to_owned();
            diagnostic.fix = Some(FixNote { title, loss: judged.loss, default: true, flag: None });
        }
    }
    let had = fixed.before.judged.iter().filter(counts).count();
    let has = fixed.left().judged.iter().filter(counts).count();
    had.saturating_sub(has) as u64
}
