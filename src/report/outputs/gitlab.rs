//! GitLab's code quality report: an array of findings, each with a fingerprint by which a merge request knows what is
//! new. The format has lines and no columns. <https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format>

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::target::Severity;

use super::ci::{file, fingerprints};
use super::json::write_compact;
use crate::report::{Diagnostic, DocReport, Reporter, RunSummary, Style};

/// The output `gitlab`.
pub(in crate::report) struct GitlabReporter {
    style: Style,
    begun: bool,
}

impl GitlabReporter {
    pub(in crate::report) fn new(style: Style) -> Self {
        GitlabReporter { style, begun: false }
    }
}

impl Reporter for GitlabReporter {
    fn write_doc(&mut self, doc: &DocReport, out: &mut dyn Write) -> io::Result<()> {
        for (diagnostic, fingerprint) in doc.diagnostics.iter().zip(fingerprints(doc)) {
            if self.style.shows(diagnostic) {
                out.write_all(if self.begun { b",\n" } else { b"[\n" })?;
                write_compact(&finding(diagnostic, &fingerprint), out)?;
                self.begun = true;
            }
        }
        Ok(())
    }

    fn finish(&mut self, _: &RunSummary, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(if self.begun { b"\n]\n" } else { b"[]\n" })
    }
}

fn finding(diagnostic: &Diagnostic, fingerprint: &str) -> Value {
    json!({
        "description": format!("{} {}: {}", diagnostic.rule, diagnostic.name, diagnostic.message),
        "check_name": diagnostic.rule.to_string(),
        "fingerprint": fingerprint,
        "severity": match diagnostic.severity {
            Severity::Error => "major",
            Severity::Warning => "minor",
            Severity::Info => "info",
        },
        "location": { "path": file(&diagnostic.path), "lines": { "begin": diagnostic.location.line } },
    })
}
