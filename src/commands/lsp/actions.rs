//! Quick fixes: the repairs of `fix` as edits of the text in the editor, which nobody but the editor writes. One for each
//! finding whose repair can be made alone, and one for the conversation.

use std::collections::HashMap;
use std::io;

use lsp_types::{
    CodeAction, CodeActionContext, CodeActionDisabled, CodeActionKind, DocumentChanges, OneOf,
    OptionalVersionedTextDocumentIdentifier, Range, TextDocumentEdit, TextEdit, WorkspaceEdit,
};

use crate::commands::check::{ReportMode, check_doc};
use crate::commands::fix::plan::RepairPlanner;
use crate::commands::{Run, positions};
use crate::options::UsageError;
use crate::place::Pieces;
use crate::repair::FixOptions;
use crate::report::{ContentDisplay, Diagnostic};
use crate::rule::Loss;
use crate::source::{Packing, PatchedView, append_piece};
use crate::target::Severity;

use super::client::Client;
use super::document::{Document, failed, open};
use super::findings::to_lsp;
use super::repairs::{Repairs, WholeRepair};

/// Larger files are left to `fix`, which does not send their text through a pipe.
const MAX_REPAIRED: usize = 32 << 20;
/// The lossless part of a repair, for editors that make it when a file is saved.
pub const FIX_ALL: CodeActionKind = CodeActionKind::new("source.fixAll.replaylint");

/// Plans the repairs of a file. `run` is one that proposes.
fn plan(run: &Run, document: &Document) -> Result<Repairs, UsageError> {
    let Some(opened) = open(run, document)? else { return Ok(Repairs { proposed: Vec::new(), whole: None }) };
    let checked =
        check_doc(run, opened.doc, run.threads, ContentDisplay::None, ReportMode::All).map_err(failed)?;
    let mut proposed = checked.report.diagnostics;
    proposed.sort_by_key(|finding| finding.proposal.first().map(|first| first.location.span));
    Ok(Repairs { proposed, whole: plan_whole(run, document, &FixOptions::default())? })
}

/// Plans the repair of the conversation in a file; `None` if there is nothing to repair, or if it consists of several files
/// or refers to others, so that the text of this one is not all that changes.
fn plan_whole(run: &Run, document: &Document, options: &FixOptions) -> Result<Option<WholeRepair>, UsageError> {
    let Some(opened) = open(run, document)? else { return Ok(None) };
    if !opened.doc.segments.is_empty() || opened.doc.packing != Packing::Plain {
        return Ok(None);
    }
    let inputs = [opened.input];
    // Why a repair is refused is said by `fix`.
    let Ok(done) = RepairPlanner::new(run, options, &inputs).plan(opened.doc, run.threads) else {
        return Ok(None);
    };
    let (doc, edits) = (&done.doc, done.fixed.patch.edits(done.doc.id));
    if done.skipped || done.fixed.bug.is_some() || edits.is_empty() {
        return Ok(None);
    }
    let view = PatchedView::new(&*doc.bytes, Pieces::new(edits, doc.id, doc.bytes.len()));
    if let Some(format) = done.fixed.before.format
        && positions::refusal(doc, &view, format).map_err(failed)?.is_some()
    {
        return Ok(None);
    }
    let text_edit = |edit: &crate::place::Edit| -> io::Result<TextEdit> {
        let mut text = Vec::new();
        edit.with.iter().try_for_each(|piece| append_piece(&*doc.bytes, piece, &mut text))?;
        let text = String::from_utf8(text).map_err(io::Error::other)?;
        Ok(TextEdit::new(document.lines.range(&document.text, (edit.at.start, edit.at.end())), text))
    };
    let is_error = |finding: &&Diagnostic| finding.severity == Severity::Error;
    Ok(Some(WholeRepair {
        edits: edits.iter().map(text_edit).collect::<Result<_, _>>().map_err(failed)?,
        changes: done.notes.len(),
        errors: done.remaining.diagnostics.iter().filter(is_error).count(),
        loss: done.notes.iter().map(|note| note.loss).max().unwrap_or(Loss::Lossless),
    }))
}

/// The quick fixes for the findings in a range, lossless ones first, and the repair of the conversation last. `run` is one
/// that proposes.
///
/// # Errors
///
/// As [`open`].
pub fn actions(
    run: &Run,
    document: &mut Document,
    range: Range,
    context: &CodeActionContext,
    client: Client,
) -> Result<Vec<CodeAction>, UsageError> {
    let wants = |kind: &CodeActionKind| {
        let is_above = |asked: &CodeActionKind| {
            let rest = kind.as_str().strip_prefix(asked.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.') || asked.as_str().is_empty())
        };
        context.only.as_ref().map(|only| only.iter().any(is_above))
    };
    let wants_quick_fixes = wants(&CodeActionKind::QUICKFIX).unwrap_or(true);
    // It is made without anyone looking at it: only for those who ask for it.
    let wants_all = wants(&FIX_ALL).unwrap_or(false);
    let (start, end) =
        (document.lines.offset(&document.text, range.start), document.lines.offset(&document.text, range.end));
    let is_here = |finding: &&Diagnostic| finding.location.span.0 <= end && start <= finding.location.span.1;
    let is_fixed_here = document.findings.iter().any(|finding| is_here(&finding));
    let offers_quick_fixes = wants_quick_fixes && is_fixed_here;
    if !wants_all && !offers_quick_fixes {
        return Ok(Vec::new());
    }
    if document.text.len() > MAX_REPAIRED {
        let reason = format!("the file is larger than {} MiB; `replaylint fix` repairs it", MAX_REPAIRED >> 20);
        let refused = CodeAction {
            title: "Repair the conversation".to_owned(),
            kind: Some(CodeActionKind::QUICKFIX),
            disabled: Some(CodeActionDisabled { reason }),
            ..CodeAction::default()
        };
        return Ok(if client.shows_disabled && offers_quick_fixes { vec![refused] } else { Vec::new() });
    }
    let mut actions = Vec::new();
    if wants_all {
        let lossless = FixOptions { lossless: true, ..FixOptions::default() };
        actions.extend(plan_whole(run, document, &lossless)?.map(|whole| CodeAction {
            title: "Make all lossless repairs".to_owned(),
            kind: Some(FIX_ALL),
            edit: Some(workspace_edit(document, whole.edits, client)),
            ..CodeAction::default()
        }));
    }
    if !offers_quick_fixes {
        return Ok(actions);
    }
    let repairs = match document.repairs.take() {
        Some(repairs) => repairs,
        None => plan(run, document)?,
    };
    let mut fixes: Vec<(Loss, CodeAction)> = Vec::new();
    for findings in repairs.proposed.chunk_by(have_one_repair) {
        if findings.iter().any(|finding| is_here(&finding)) {
            fixes.extend(quick_fix(document, findings, client));
        }
    }
    fixes.sort_by_key(|(loss, _)| *loss);
    actions.extend(fixes.into_iter().map(|(_, action)| action));
    actions.extend(repairs.whole.as_ref().map(|whole| CodeAction {
        title: whole.title(),
        kind: Some(CodeActionKind::QUICKFIX),
        edit: Some(workspace_edit(document, whole.edits.clone(), client)),
        ..CodeAction::default()
    }));
    document.repairs = Some(repairs);
    Ok(actions)
}

/// True if two findings are repaired by the same edits, or by none.
fn have_one_repair(one: &Diagnostic, other: &Diagnostic) -> bool {
    one.proposal == other.proposal
}

/// The quick fix for findings that are repaired by the same edits; `None` if that can only be done with the rest.
fn quick_fix(document: &Document, findings: &[Diagnostic], client: Client) -> Option<(Loss, CodeAction)> {
    let first = findings.first().filter(|first| !first.proposal.is_empty())?;
    let edits = first.proposal.iter().map(|replacement| {
        let range = document.lines.range(&document.text, replacement.location.span);
        TextEdit::new(range, replacement.text.clone())
    });
    let fixes = || findings.iter().filter_map(|finding| Some((finding.rule, finding.fix.as_ref()?)));
    let mut titles: Vec<String> = fixes().map(|(rule, fix)| format!("{rule}: {}", fix.title)).collect();
    titles.dedup();
    // The loss is that of all edits.
    let loss = fixes().map(|(_, fix)| fix.loss).max()?;
    let action = CodeAction {
        title: format!("{} ({})", titles.join("; "), loss.term()),
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(findings.iter().map(|finding| to_lsp(document, finding)).collect()),
        edit: Some(workspace_edit(document, edits.collect(), client)),
        is_preferred: Some(loss == Loss::Lossless),
        ..CodeAction::default()
    };
    Some((loss, action))
}

/// Edits of this version of the text, if the editor can be told which one they are for.
fn workspace_edit(document: &Document, edits: Vec<TextEdit>, client: Client) -> WorkspaceEdit {
    if !client.takes_versions {
        return WorkspaceEdit::new(HashMap::from([(document.uri.clone(), edits)]));
    }
    let text_document =
        OptionalVersionedTextDocumentIdentifier { uri: document.uri.clone(), version: Some(document.version) };
    let edits = edits.into_iter().map(OneOf::Left).collect();
    WorkspaceEdit {
        document_changes: Some(DocumentChanges::Edits(vec![TextDocumentEdit { text_document, edits }])),
        ..WorkspaceEdit::default()
    }
}
