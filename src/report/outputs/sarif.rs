//! SARIF 2.1.0, for code scanning and editors. <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>
//!
//! A result describes its fix in its `properties`, and contains it in its `fixes` if that reveals no content.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::history::Code;
use crate::rule::Rule;
use crate::rules;
use crate::target::Severity;

use super::ci::{details, file, fingerprints};
use super::json::{put, write_compact};
use crate::report::{
    Diagnostic, DocReport, Location, Replacement, Reporter, RunSummary, Style, rulebook, summary_value,
};

const HOME: &str = concat!("https://crates.io/crates/", env!("CARGO_PKG_NAME"));
const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The output `sarif`.
pub(in crate::report) struct SarifReporter {
    style: Style,
    begun: bool,
    results: u64,
    /// The rules of the findings so far, in the order of their first occurrence.
    rules: Vec<&'static Rule>,
    /// The format and the targets of each file.
    artifacts: Vec<Value>,
}

impl SarifReporter {
    pub(in crate::report) fn new(style: Style) -> Self {
        SarifReporter { style, begun: false, results: 0, rules: Vec::new(), artifacts: Vec::new() }
    }

    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if std::mem::replace(&mut self.begun, true) {
            return Ok(());
        }
        write!(
            out,
            "{{\"$schema\":\"{SCHEMA}\",\"version\":\"2.1.0\",\"runs\":[{{\"columnKind\":\"unicodeCodePoints\",\"results\":["
        )
    }

    /// The number of a rule among those that occur. They are described after the results, when all are known.
    fn index(&mut self, code: Code) -> Option<usize> {
        if let Some(index) = self.rules.iter().position(|rule| rule.code == code) {
            return Some(index);
        }
        self.rules.push(rules::by_code(code)?);
        Some(self.rules.len() - 1)
    }
}

impl Reporter for SarifReporter {
    fn write_doc(&mut self, doc: &DocReport, out: &mut dyn Write) -> io::Result<()> {
        self.begin(out)?;
        let read_as = json!({ "format": doc.format, "targets": doc.targets });
        self.artifacts.push(json!({ "location": { "uri": uri(file(&doc.path)) }, "properties": read_as }));
        for (diagnostic, fingerprint) in doc.diagnostics.iter().zip(fingerprints(doc)) {
            if self.style.shows(diagnostic) {
                out.write_all(if self.results > 0 { b",\n" } else { b"\n" })?;
                let index = self.index(diagnostic.rule);
                write_compact(&result(diagnostic, index, &fingerprint), out)?;
                self.results += 1;
            }
        }
        Ok(())
    }

    fn finish(&mut self, summary: &RunSummary, out: &mut dyn Write) -> io::Result<()> {
        self.begin(out)?;
        let summary = json!({ "summary": summary_value(summary) });
        let artifacts = Value::Array(std::mem::take(&mut self.artifacts));
        let driver = json!({
            "name": env!("CARGO_PKG_NAME"),
            "version": env!("CARGO_PKG_VERSION"),
            "semanticVersion": env!("CARGO_PKG_VERSION"),
            "informationUri": HOME,
            "rules": self.rules.iter().map(|rule| descriptor(rule)).collect::<Vec<_>>(),
        });
        write!(out, "\n],\"tool\":{{\"driver\":{driver}}},\n")?;
        writeln!(out, "\"artifacts\":{artifacts},\"properties\":{summary}}}]}}")
    }
}

/// A rule as SARIF describes it.
fn descriptor(rule: &Rule) -> Value {
    let worst = rulebook::worst_severity(rule, None);
    let about = rulebook::section(rule, "What it does").split_whitespace().collect::<Vec<_>>().join(" ");
    let end = about.find(". ").map_or(about.len(), |end| end + 1);
    json!({
        "id": rule.code.to_string(),
        "name": rule.name,
        "shortDescription": { "text": &about[..end] },
        "fullDescription": { "text": about },
        "help": { "text": strip_markdown(rule.page), "markdown": rule.page },
        "helpUri": rulebook::page_url(rule.code),
        "defaultConfiguration": { "level": worst.map_or("none", level), "enabled": worst.is_some() },
    })
}

/// A page without the marks of Markdown that would look odd.
fn strip_markdown(page: &str) -> String {
    let bare = |line: &str| line.trim_start_matches(['#', '>']).trim().replace('`', "");
    page.lines().map(|line| bare(line.trim())).collect::<Vec<_>>().join("\n").trim().to_owned()
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

fn result(diagnostic: &Diagnostic, index: Option<usize>, fingerprint: &str) -> Value {
    let related = diagnostic.related.iter().enumerate().map(|(n, related)| {
        let mut location = location(&diagnostic.path, &related.location);
        put(&mut location, "id", json!(n));
        put(&mut location, "message", json!({ "text": message(&related.message) }));
        location
    });
    let related: Vec<Value> = related.collect();
    let fix = diagnostic.fix.as_ref();
    let fix = fix.map(|fix| json!({ "title": fix.title, "loss": fix.loss.name(), "default": fix.default }));
    let mut result = json!({
        "ruleId": diagnostic.rule.to_string(),
        "ruleIndex": index,
        "level": level(diagnostic.severity),
        "message": { "text": message(&details(diagnostic)) },
        "locations": [location(&diagnostic.path, &diagnostic.location)],
        "relatedLocations": related,
        "partialFingerprints": { "replaylintFinding/v1": fingerprint },
        "properties": {
            "history": diagnostic.history,
            "record": diagnostic.record,
            "target": diagnostic.target,
            "evidence": diagnostic.evidence.name(),
            "apiMessage": diagnostic.api_message,
            "fix": fix,
            "noFix": diagnostic.no_fix_reason(),
        },
    });
    if let (Some(note), false) = (&diagnostic.fix, diagnostic.proposal.is_empty()) {
        let replacements: Vec<Value> = diagnostic.proposal.iter().map(replacement).collect();
        let fix = json!({
            "description": { "text": message(&format!("{} ({})", note.title, note.loss.name())) },
            "artifactChanges": [{
                "artifactLocation": { "uri": uri(file(&diagnostic.path)) },
                "replacements": replacements,
            }],
        });
        put(&mut result, "fixes", json!([fix]));
    }
    result
}

fn replacement(replacement: &Replacement) -> Value {
    let mut value = json!({ "deletedRegion": region(&replacement.location) });
    if !replacement.text.is_empty() {
        put(&mut value, "insertedContent", json!({ "text": replacement.text }));
    }
    value
}

fn location(path: &str, place: &Location) -> Value {
    let mut location = json!({
        "physicalLocation": {
            "artifactLocation": { "uri": uri(file(path)) },
            "region": region(place),
        },
    });
    if !place.pointer.is_empty() {
        put(&mut location, "logicalLocations", json!([{ "fullyQualifiedName": place.pointers() }]));
    }
    location
}

fn region(place: &Location) -> Value {
    json!({
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end.0,
        "endColumn": place.end.1,
        "byteOffset": place.span.0,
        "byteLength": place.span.1 - place.span.0,
    })
}

/// Text of a message. An id must not become a link.
fn message(text: &str) -> String {
    text.replace("](", "] (")
}

/// A path as a URI: relative as it is, absolute with a scheme; what a URI cannot contain is escaped byte by byte.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len() + 8);
    let mut rest = path;
    if path.starts_with('/') {
        uri.push_str("file://");
    } else if cfg!(windows) && path.as_bytes().get(1) == Some(&b':') {
        uri.push_str("file:///");
        uri.push_str(&path[..2]);
        rest = &path[2..];
    }
    for byte in rest.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(byte.into()),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri("logs/a b#1.json"), "logs/a%20b%231.json");
        assert_eq!(uri("/tmp/ü.json"), "file:///tmp/%C3%BC.json");
        assert_eq!(uri("a:b.json"), "a%3Ab.json");
    }

    #[test]
    fn an_id_is_no_link() {
        assert_eq!(message("call [x](https://example.com)"), "call [x] (https://example.com)");
    }

    #[test]
    fn help_without_markdown_reads_well() {
        assert_eq!(strip_markdown(" ## Fix\n\n > No `tool`.\n"), "Fix\n\nNo tool.");
    }
}
