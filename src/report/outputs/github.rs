//! Workflow commands of GitHub Actions, which show a finding beside the line of the pull request.
//! <https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions>

use std::io::{self, Write};

use crate::source::display_name;
use crate::target::Severity;

use super::ci::{details, file};
use crate::report::words::count;
use crate::report::{Diagnostic, DocReport, Reporter, RunSummary, Style};

/// GitHub shows this many of each kind in a step, and drops the others silently.
const SHOWN: u64 = 10;

/// The output `github`.
pub(in crate::report) struct GithubReporter {
    style: Style,
    errors: u64,
    warnings: u64,
    notices: u64,
}

impl GithubReporter {
    pub(in crate::report) fn new(style: Style) -> Self {
        GithubReporter { style, errors: 0, warnings: 0, notices: 0 }
    }
}

impl Reporter for GithubReporter {
    fn write_doc(&mut self, doc: &DocReport, out: &mut dyn Write) -> io::Result<()> {
        for diagnostic in doc.diagnostics.iter().filter(|d| self.style.shows(d)) {
            // One notice is reserved for the number of findings that are not shown.
            let (n, kind, most) = match diagnostic.severity {
                Severity::Error => (&mut self.errors, "error", SHOWN),
                Severity::Warning => (&mut self.warnings, "warning", SHOWN),
                Severity::Info => (&mut self.notices, "notice", SHOWN - 1),
            };
            *n += 1;
            if *n <= most {
                command(kind, diagnostic, out)?;
            }
        }
        Ok(())
    }

    fn finish(&mut self, summary: &RunSummary, out: &mut dyn Write) -> io::Result<()> {
        let more = [
            (self.errors.saturating_sub(SHOWN), "more error"),
            (self.warnings.saturating_sub(SHOWN), "more warning"),
            (self.notices.saturating_sub(SHOWN - 1), "more note"),
        ];
        let more: Vec<String> = more.iter().filter(|(n, _)| *n > 0).map(|(n, what)| count(*n, what)).collect();
        if !more.is_empty() {
            let words = "GitHub shows 10 of each per step; the other output formats show all";
            writeln!(out, "::notice title=replaylint::{} not shown here: {words}", more.join(" and "))?;
        }
        super::text::finish(&self.style, 0, summary, out)
    }
}

fn command(kind: &str, diagnostic: &Diagnostic, out: &mut dyn Write) -> io::Result<()> {
    let location = &diagnostic.location;
    let path = property(&display_name(file(&diagnostic.path)));
    let title = property(&format!("{} {}", diagnostic.rule, diagnostic.name));
    let text = data(&details(diagnostic));
    writeln!(out, "::{kind} file={path},line={},col={},title={title}::{text}", location.line, location.column)
}

/// Text after `::`.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property, which a comma or a colon would end.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_command_is_escaped() {
        assert_eq!(data("100%\r\n::stop: a, b"), "100%25%0D%0A::stop: a, b");
        assert_eq!(property("C:\\a,b%\n"), "C%3A\\a%2Cb%25%0A");
    }
}
