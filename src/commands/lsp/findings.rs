//! The findings of a file, and the page of a rule at one of them.

use std::cmp::Reverse;

use lsp_types as lsp;
use lsp_types::{
    CodeDescription, DiagnosticRelatedInformation, DiagnosticSeverity, Hover, HoverContents, MarkupContent,
    MarkupKind, NumberOrString, Position, Range,
};

use crate::commands::Run;
use crate::commands::check::{ReportMode, check_doc};
use crate::commands::explain::rule_markdown;
use crate::options::UsageError;
use crate::report::words::count;
use crate::report::{ContentDisplay, Diagnostic, rulebook};
use crate::rules;
use crate::target::Severity;

use super::document::{Document, failed, open};

/// Findings of a file that are published, at most: nobody reads more, and editors show them slowly.
const MAX_PUBLISHED: usize = 1000;

/// The findings of a file, and the bugs of this program that kept records from being read.
#[derive(Default)]
pub struct Judged {
    pub findings: Vec<Diagnostic>,
    pub bugs: Vec<String>,
}

/// Judges a file as `check` does that finds it in a folder: one without a conversation has no findings.
///
/// # Errors
///
/// As [`open`].
pub fn judge(run: &Run, document: &Document) -> Result<Judged, UsageError> {
    let Some(opened) = open(run, document)? else { return Ok(Judged::default()) };
    let (is_one_of_several, label) = (!opened.doc.segments.is_empty(), document.label());
    let checked =
        check_doc(run, opened.doc, run.threads, ContentDisplay::None, ReportMode::All).map_err(failed)?;
    let bugs = checked.bugs.iter().map(ToString::to_string).collect();
    if checked.skipped {
        return Ok(Judged { findings: Vec::new(), bugs });
    }
    let mut findings = checked.report.diagnostics;
    findings.retain(|finding| !is_one_of_several || finding.path == label);
    for finding in &mut findings {
        if is_one_of_several {
            // They may be in another file.
            finding.related.clear();
        }
        if checked.references > 0 {
            // Offsets are those of the text with the restored items; its lines are those of the file.
            let line = document.lines.line(&document.text, finding.location.line.saturating_sub(1) as usize);
            finding.location.span = (line.start as u64, line.end as u64);
            finding.related.clear();
        }
    }
    Ok(Judged { findings, bugs })
}

/// The findings as an editor takes them; the worst ones if there are too many.
pub fn published(document: &Document) -> Vec<lsp::Diagnostic> {
    let mut worst: Vec<&Diagnostic> = document.findings.iter().collect();
    let left_out = worst.len().saturating_sub(MAX_PUBLISHED);
    if left_out > 0 {
        worst.sort_by_key(|finding| Reverse(finding.severity));
        worst.truncate(MAX_PUBLISHED);
    }
    let mut published: Vec<_> = worst.into_iter().map(|finding| to_lsp(document, finding)).collect();
    if left_out > 0 {
        published.push(lsp::Diagnostic {
            severity: Some(DiagnosticSeverity::INFORMATION),
            source: Some("replaylint".to_owned()),
            message: format!("{} more; `replaylint check` lists them", count(left_out as u64, "finding")),
            ..lsp::Diagnostic::default()
        });
    }
    published
}

/// A finding as an editor takes it.
pub fn to_lsp(document: &Document, finding: &Diagnostic) -> lsp::Diagnostic {
    let related = finding.related.iter().map(|related| DiagnosticRelatedInformation {
        location: lsp::Location::new(document.uri.clone(), range_of(document, related.location.span)),
        message: related.message.clone(),
    });
    let api = finding.api_message.as_ref().map(|api| format!("\nThe API answers: {api}"));
    lsp::Diagnostic {
        range: range_of(document, finding.location.span),
        severity: Some(match finding.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Info => DiagnosticSeverity::INFORMATION,
        }),
        code: Some(NumberOrString::String(finding.rule.to_string())),
        code_description: rulebook::page_url(finding.rule).parse().ok().map(|href| CodeDescription { href }),
        source: Some("replaylint".to_owned()),
        message: format!("{}{}", finding.message, api.unwrap_or_default()),
        related_information: Some(related.collect()),
        tags: None,
        data: None,
    }
}

fn range_of(document: &Document, span: (u64, u64)) -> Range {
    document.lines.range(&document.text, span)
}

/// The rules of the innermost findings at a position: what the provider answers, and what `explain` prints.
pub fn hover(document: &Document, position: Position) -> Option<Hover> {
    let at = document.lines.offset(&document.text, position);
    let len = |finding: &Diagnostic| finding.location.span.1.saturating_sub(finding.location.span.0);
    let here = || {
        document
            .findings
            .iter()
            .filter(move |finding| (finding.location.span.0..=finding.location.span.1).contains(&at))
    };
    let shortest = here().map(len).min()?;
    let innermost: Vec<&Diagnostic> = here().filter(|finding| len(finding) == shortest).collect();
    let span = innermost.first()?.location.span;
    let mut pages: Vec<String> = Vec::new();
    for finding in &innermost {
        let api = finding.api_message.as_ref().map(|api| format!("\n\n{}", quote(api))).unwrap_or_default();
        pages.push(format!("{}: {}{api}", finding.severity.name(), finding.message));
    }
    let mut codes: Vec<_> = innermost.iter().map(|finding| finding.rule).collect();
    codes.dedup();
    pages.extend(codes.into_iter().filter_map(rules::by_code).map(rule_markdown));
    let value = pages.join("\n\n---\n\n");
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
    Some(Hover { contents, range: Some(range_of(document, span)) })
}

/// A text as a quotation in Markdown.
fn quote(text: &str) -> String {
    text.lines().map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n")
}
