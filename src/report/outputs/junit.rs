//! JUnit's XML, as Jenkins and GitLab read it: a suite per file, a case per conversation. Errors are failures; other findings are
//! in the case's output, and let it pass.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::source::{display_name, is_hidden};
use crate::target::Severity;

use super::ci::{details, file};
use crate::report::words::count;
use crate::report::{Diagnostic, DocReport, Reporter, RunSummary, Style};

/// The output `junit`.
pub(in crate::report) struct JunitReporter {
    style: Style,
    begun: bool,
}

impl JunitReporter {
    pub(in crate::report) fn new(style: Style) -> Self {
        JunitReporter { style, begun: false }
    }

    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if std::mem::replace(&mut self.begun, true) {
            return Ok(());
        }
        writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"replaylint\">")
    }
}

impl Reporter for JunitReporter {
    fn write_doc(&mut self, doc: &DocReport, out: &mut dyn Write) -> io::Result<()> {
        self.begin(out)?;
        let mut cases: BTreeMap<Option<u32>, Vec<&Diagnostic>> =
            (0..doc.histories).map(|history| (Some(history), Vec::new())).collect();
        if cases.is_empty() {
            cases.insert(None, Vec::new());
        }
        // What concerns a record or the file is a case of its own.
        for diagnostic in doc.diagnostics.iter().filter(|d| self.style.shows(d)) {
            cases.entry(diagnostic.history).or_default().push(diagnostic);
        }
        let failed =
            cases.values().filter(|diagnostics| diagnostics.iter().any(|d| d.severity == Severity::Error)).count();
        let path = escape(file(&doc.path)).replace('\n', "&#10;");
        let total = cases.len();
        writeln!(
            out,
            "  <testsuite name=\"{path}\" tests=\"{total}\" failures=\"{failed}\" errors=\"0\" skipped=\"0\">"
        )?;
        if let Some(format) = doc.format {
            let targets = doc.targets.join(" ");
            writeln!(
                out,
                "    <properties><property name=\"format\" value=\"{format}\"/><property name=\"targets\" \
                 value=\"{targets}\"/></properties>"
            )?;
        }
        for (history, diagnostics) in &cases {
            let name = history.map_or("file".to_owned(), |history| format!("conversation {}", history + 1));
            write!(out, "    <testcase classname=\"{path}\" name=\"{name}\" file=\"{path}\"")?;
            case(diagnostics, out)?;
        }
        writeln!(out, "  </testsuite>")
    }

    fn finish(&mut self, _: &RunSummary, out: &mut dyn Write) -> io::Result<()> {
        self.begin(out)?;
        writeln!(out, "</testsuites>")
    }
}

/// Writes the rest of a case. Readers accept one failure per case, so it contains all errors.
fn case(diagnostics: &[&Diagnostic], out: &mut dyn Write) -> io::Result<()> {
    if diagnostics.is_empty() {
        return writeln!(out, "/>");
    }
    writeln!(out, ">")?;
    let (errors, others): (Vec<&&Diagnostic>, Vec<_>) =
        diagnostics.iter().partition(|diagnostic| diagnostic.severity == Severity::Error);
    let lines = |diagnostics: &[&&Diagnostic]| diagnostics.iter().map(|d| line(d)).collect::<String>();
    if let Some(first) = errors.first() {
        let rule = first.rule;
        let message = match errors.len() {
            1 => format!("{rule} {}", first.message),
            n => format!("{rule} {} (and {})", first.message, count(n as u64 - 1, "more error")),
        };
        let text = escape(&lines(&errors));
        writeln!(out, "      <failure type=\"{rule}\" message=\"{}\">{text}</failure>", escape(&message))?;
    }
    if !others.is_empty() {
        writeln!(out, "      <system-out>{}</system-out>", escape(&lines(&others)))?;
    }
    writeln!(out, "    </testcase>")
}

fn line(diagnostic: &Diagnostic) -> String {
    let location = &diagnostic.location;
    let (severity, rule) = (diagnostic.severity.name(), diagnostic.rule);
    let place = format!("{}:{}:{}", display_name(file(&diagnostic.path)), location.line, location.column);
    format!("{place}: {severity} {rule} {}\n", details(diagnostic).replace('\n', "\n  "))
}

/// Text for XML, in attributes as between tags. Characters that XML 1.0 cannot contain at all are replaced.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\t' | '\r' => out.push_str(if c == '\t' { "&#9;" } else { "&#13;" }),
            '\n' => out.push(c),
            '\0'..'\u{20}' | '\u{fffe}' | '\u{ffff}' => out.push(char::REPLACEMENT_CHARACTER),
            c if is_hidden(c) => out.push_str(&format!("&#x{:x};", u32::from(c))),
            _ => out.push(c),
        }
    }
    out
}
