//! One line a finding: for `grep`, editors and agents.

use std::collections::HashSet;
use std::io::{self, Write};

use crate::history::Code;
use crate::source::display_name;

use crate::report::{Diagnostic, Report, Seen, Style, Summary};

pub(in crate::report) struct Concise {
    style: Style,
    shown: usize,
    left: u64,
    /// Kinds of what is only noted, and reported all the same: once.
    noted: HashSet<(Code, u8, Option<&'static str>)>,
}

impl Concise {
    pub(in crate::report) fn new(style: Style) -> Self {
        Concise { style, shown: 0, left: 0, noted: HashSet::new() }
    }

    fn tells(&mut self, diagnostic: &Diagnostic) -> bool {
        let shows = self.style.shows(diagnostic);
        let kind = (diagnostic.rule, diagnostic.variant, diagnostic.no_fix);
        shows || self.style.tells(diagnostic) && self.noted.insert(kind)
    }
}

impl Report for Concise {
    fn doc(&mut self, doc: &Seen, out: &mut dyn Write) -> io::Result<()> {
        for diagnostic in &doc.diagnostics {
            if !self.tells(diagnostic) {
                continue;
            }
            if self.style.limit.is_some_and(|limit| self.shown >= limit) {
                self.left += 1;
                continue;
            }
            self.shown += 1;
            let spot = &diagnostic.spot;
            write!(
                out,
                "{}:{}:{}: {} {} {}",
                display_name(&diagnostic.path),
                spot.line,
                spot.column,
                diagnostic.severity.name(),
                diagnostic.rule,
                diagnostic.message
            )?;
            if !spot.pointer.is_empty() {
                write!(out, " ({})", spot.pointers())?;
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

    fn finish(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        super::text::finish(&self.style, self.left, summary, out)
    }

    fn is_for_people(&self) -> bool {
        true
    }
}
