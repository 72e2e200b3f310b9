//! What `check` would say of a result: whether it is read as a conversation, and whether the target would reject it.

use crate::dialect::OutputShape;
use crate::history::{Code, codes};
use crate::json::{ScratchBuffers, Tape, scan};
use crate::judge::{self, FindingsOnly, Options, WeighedFinding};
use crate::read::{self, detect};
use crate::rule::Autofix;
use crate::source::bytes::spool::Spool;
use crate::source::outputs::new_file;
use crate::source::{Container, ReadAt};
use crate::target::Severity;

use super::repair_copy::RESULT_DOC;

/// The verdict on a result.
pub(super) struct Verdict {
    /// The first error.
    pub error: Option<Code>,
    /// Some format claims it, so that the next command can read it.
    pub is_recognised: bool,
}

/// Judges a result with each of these options. The end of a log may be pending.
pub(super) fn judge(result: &Spool, written: OutputShape, checks: &[Options], log: bool) -> Verdict {
    let container = match written {
        OutputShape::Items => Container::Lines { start: 0 },
        OutputShape::Request => Container::Document { start: 0 },
    };
    // A request in memory is scanned once for all that looks at it.
    let mut scratch = ScratchBuffers::acquire();
    let tape = &mut scratch.tape;
    let text = result.in_memory().filter(|text| written == OutputShape::Request && scan(text, tape).is_ok());
    let claimed = text.and_then(|text| tape.root(text)).map(|val| {
        let likely = checks.first().and_then(|options| options.read.format);
        detect::is_claimed(val, likely)
    });
    let mut scanned = text.map(|_| tape);
    let error = checks.iter().find_map(|options| {
        let scanned = scanned.take();
        let found =
            judge::judge_in_container(RESULT_DOC, result, container, options, 1, &FindingsOnly, scanned).ok()?;
        // A log may end before the next message of the user.
        let whole = |judged: &&WeighedFinding| !log || judged.variant().autofix != Autofix::OnRequest;
        let mut errors = found.findings.iter().filter(|judged| judged.severity == Severity::Error);
        errors.find(whole).map(|judged| judged.finding.code)
    });
    // An error says what is wrong; that the format is unknown, only that nothing could be judged.
    let may_be_unread = error.is_none_or(|code| code == codes::UNKNOWN_FORMAT);
    let is_recognised = || claimed.unwrap_or_else(|| is_recognised(result, written));
    Verdict { error, is_recognised: !may_be_unread || is_recognised() }
}

/// True if a result is valid UTF-8 and Unicode for every parser of JSON.
pub(super) fn is_unicode(result: &dyn ReadAt) -> bool {
    matches!(new_file::invalid_utf8_offset(result, 0, result.len()), Ok(None))
}

/// True if a result is recognised as some format, so that the next command can read it.
pub(super) fn is_recognised(result: &dyn ReadAt, written: OutputShape) -> bool {
    match (written, result.in_memory()) {
        (OutputShape::Items, _) => matches!(detect::of_first_lines(result, 0, u64::MAX / 2), Ok(Some(_))),
        (OutputShape::Request, None) => read::recognises_large(RESULT_DOC, result).unwrap_or(false),
        (OutputShape::Request, Some(text)) => {
            let mut tape = Tape::new();
            scan(text, &mut tape).is_ok()
                && tape.root(text).and_then(|val| detect::of_document(val, None)).is_some()
        }
    }
}
