//! One line a finding: for `grep`, editors and agents.

use std::io::{self, Write};

use super::{Report, Seen, Style, Summary};

pub(super) struct Concise {
    style: Style,
    shown: usize,
    left: u64,
}

impl Concise {
    pub(super) fn new(style: Style) -> Self {
        Concise { style, shown: 0, left: 0 }
    }
}

impl Report for Concise {
    fn doc(&mut self, doc: &Seen, out: &mut dyn Write) -> io::Result<()> {
        for diagnostic in doc.diagnostics.iter().filter(|d| self.style.shows(d)) {
            if self.style.limit.is_some_and(|limit| self.shown >= limit) {
                self.left += 1;
                continue;
            }
            self.shown += 1;
            let spot = &diagnostic.spot;
            write!(
                out,
                "{}:{}:{}: {} {} {}",
                diagnostic.path,
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
