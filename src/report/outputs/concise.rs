//! One line per finding: for `grep`, editors and agents.

use std::io::{self, Write};

use foldhash::HashSet;

use crate::history::Code;
use crate::source::display_name;

use crate::report::{Diagnostic, DocReport, Reporter, RunSummary, Style};

/// The output `concise`.
pub(in crate::report) struct ConciseReporter {
    style: Style,
    shown: usize,
    omitted: u64,
    /// Kinds of notes that are reported in any case, each once.
    noted: HashSet<(Code, u8, Option<&'static str>)>,
}

impl ConciseReporter {
    pub(in crate::report) fn new(style: Style) -> Self {
        ConciseReporter { style, shown: 0, omitted: 0, noted: HashSet::default() }
    }

    fn shows_to_people(&mut self, diagnostic: &Diagnostic) -> bool {
        let shows = self.style.shows(diagnostic);
        let kind = (diagnostic.rule, diagnostic.variant, diagnostic.no_fix);
        shows || self.style.shows_to_people(diagnostic) && self.noted.insert(kind)
    }
}

impl Reporter for ConciseReporter {
    fn write_doc(&mut self, doc: &DocReport, out: &mut dyn Write) -> io::Result<()> {
        for diagnostic in &doc.diagnostics {
            if !self.shows_to_people(diagnostic) {
                continue;
            }
            if self.style.limit.is_some_and(|limit| self.shown >= limit) {
                self.omitted += 1;
                continue;
            }
            self.shown += 1;
            let location = &diagnostic.location;
            write!(
                out,
                "{}:{}:{}: {} {} {}",
                display_name(&diagnostic.path),
                location.line,
                location.column,
                diagnostic.severity.name(),
                diagnostic.rule,
                diagnostic.message
            )?;
            if !location.pointer.is_empty() {
                write!(out, " ({})", location.pointers())?;
            }
            if let Some(fix) = &diagnostic.fix {
                write!(
                    out,
                    " [fix: {}{}]",
                    fix.title,
                    fix.flag.map(|flag| format!(", requires {flag}")).unwrap_or_default()
                )?;
            }
            writeln!(out)?;
        }
        Ok(())
    }

    fn finish(&mut self, summary: &RunSummary, out: &mut dyn Write) -> io::Result<()> {
        super::text::finish(&self.style, self.omitted, summary, out)
    }

    fn is_for_people(&self) -> bool {
        true
    }
}
