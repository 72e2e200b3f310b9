//! The JSON contract as types: the reports for programs and the results of the library, described by
//! `schemas/report.v1.json`. The order of the members is that in which they are written.
#![warn(missing_docs)]

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;

use super::change_counts::ChangeCounts;
use super::changes::ChangeNote;
use super::{diagnostic, rulebook, summary};

/// Version of the contract.
pub const VERSION: u32 = 1;

/// A range of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u64,
    /// Offset after the last byte.
    pub end: u64,
}

/// A finding with its message and its location.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Diagnostic {
    /// The rule's code, such as `RL102`.
    pub rule: String,
    /// The rule's name, such as `orphan-output`.
    pub name: &'static str,
    /// The page of the rule.
    pub url: String,
    /// `error`, `warning` or `info`.
    pub severity: &'static str,
    /// The problem in words.
    pub message: String,
    /// The document, as it was named; empty for the library unless a name was given.
    pub path: String,
    /// Number of the history in the document, from 0; `None` for what concerns a record or the document.
    pub history: Option<u32>,
    /// Number of the record in the document, from 1.
    pub record: u32,
    /// Line, from 1.
    pub line: u64,
    /// Column in code points, from 1.
    pub column: u64,
    /// Where in the document.
    pub span: Span,
    /// JSON Pointer within the record.
    pub pointer: String,
    /// JSON Pointer within the JSON that the string at `pointer` contains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inner_pointer: Option<String>,
    /// The item's id.
    pub id: Option<String>,
    /// The item's call id.
    pub call_id: Option<String>,
    /// Other places that belong to it.
    pub related: Vec<Related>,
    /// The provider's error message, verbatim; `None` if none is known.
    pub api_message: Option<String>,
    /// How well the rule is known: `recorded`, `reported`, `documented` or `inferred`.
    pub evidence: &'static str,
    /// The target that the history was checked against.
    pub target: &'static str,
    /// The fix that `fix` would make; `None` if there is none.
    pub fix: Option<Fix>,
    /// Why there is no fix.
    pub no_fix: Option<String>,
}

/// Another place that belongs to a diagnostic.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Related {
    /// Line, from 1.
    pub line: u64,
    /// Column in code points, from 1.
    pub column: u64,
    /// Where in the document.
    pub span: Span,
    /// JSON Pointer within the record.
    pub pointer: String,
    /// JSON Pointer within the JSON that the string at `pointer` contains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inner_pointer: Option<String>,
    /// How it is related to the diagnostic.
    pub message: String,
}

/// A fix that `fix` would make.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fix {
    /// The fix in words.
    pub title: String,
    /// `lossless`, `adds` or `lossy`.
    pub loss: &'static str,
    /// True if it is applied by default.
    pub default: bool,
    /// The command-line flag that enables it, if it is not applied by default.
    pub flag: Option<&'static str>,
}

/// What a provider answers to a request that it rejects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ApiError {
    /// The HTTP status.
    pub status: u16,
    /// The body of the error.
    pub error: ApiErrorBody,
}

/// The members of an error that providers have in common.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ApiErrorBody {
    /// The provider's message, verbatim; replaylint's if none is known.
    pub message: String,
    /// The type, such as `invalid_request_error`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The parameter that it names; `None` if it names none.
    pub param: Option<String>,
    /// The code; `replaylint_rl105` if no message of the provider is known, `None` if there is no code.
    pub code: Option<String>,
}

impl From<&super::Diagnostic> for ApiError {
    fn from(error: &super::Diagnostic) -> Self {
        let (message, code) = match &error.api_message {
            Some(api) => (api, error.error_code.map(str::to_owned)),
            None => (&error.message, Some(format!("replaylint_{}", error.rule.to_string().to_ascii_lowercase()))),
        };
        let (message, param) = (message.clone(), error.error_param.clone());
        ApiError { status: error.status, error: ApiErrorBody { message, kind: error.error_type, param, code } }
    }
}

/// The totals of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Documents that were read.
    pub files: u64,
    /// Histories in them.
    pub histories: u64,
    /// Items of all histories.
    pub items: u64,
    /// Findings that are errors.
    pub errors: u64,
    /// Findings that are warnings.
    pub warnings: u64,
    /// Findings that `fix` repairs by default.
    pub fixable: u64,
    /// Files found in folders that contain no conversation.
    pub skipped: u64,
    /// Files found in folders that an ignore file names.
    #[serde(skip_serializing_if = "is_zero")]
    pub ignored_files: u64,
    /// Findings that are not reported because the baseline has them.
    #[serde(skip_serializing_if = "is_zero")]
    pub known: u64,
    /// Findings that are not reported because the config file accepts them.
    #[serde(skip_serializing_if = "is_zero")]
    pub accepted: u64,
    /// Folders that were not read: an ignore file names them, they are links, or they are never read.
    #[serde(skip_serializing_if = "is_zero")]
    pub ignored_folders: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A document that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Input {
    /// The document, as it was named.
    pub path: String,
    /// The format; `None` if it is unknown.
    pub format: Option<&'static str>,
    /// The targets that its histories were checked against.
    pub targets: Vec<&'static str>,
    /// Histories in it.
    pub histories: u32,
    /// Items of all histories.
    pub items: u64,
    /// `convert --deny-loss=record` only: lines of the conversations that were left out for what they would lose.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<u64>,
    /// `fix` only: the update that the program that owns a store can make instead of a repair.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update: Option<Update>,
}

/// A repair that is made by calling the program that owns a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Update {
    /// The function to call.
    pub call: &'static str,
    /// The argument of the call.
    pub with: Value,
}

/// A change that a fix makes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The rule's code, or the flag that asked for the change.
    pub rule: String,
    /// The document, as it was named.
    pub path: String,
    /// JSON Pointer within the record, in the original.
    pub pointer: String,
    /// Line, from 1, in the original.
    pub line: u64,
    /// Column in code points, from 1, in the original.
    pub column: u64,
    /// `drop`, `move`, `stub`, `rewrite` or `strip`.
    pub action: &'static str,
    /// The change in words.
    pub what: &'static str,
    /// `lossless`, `adds` or `lossy`.
    pub loss: &'static str,
    /// Length of the item in bytes.
    pub bytes: u32,
    /// Number of the user's turn that the item is in, from 1; `None` before the first, and where no turn is known.
    pub turn: Option<u32>,
}

/// Numbers of items that a fix removed, moved, answered and rewrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Repaired {
    /// Items that were removed.
    pub dropped: u64,
    /// Outputs that were moved to their calls.
    pub moved: u64,
    /// Calls that were answered with a neutral placeholder.
    pub stubbed: u64,
    /// Items that were changed in place.
    pub rewritten: u64,
}

impl From<&diagnostic::Diagnostic> for Diagnostic {
    fn from(from: &diagnostic::Diagnostic) -> Self {
        let location = &from.location;
        Diagnostic {
            rule: from.rule.to_string(),
            name: from.name,
            url: rulebook::page_url(from.rule),
            severity: from.severity.name(),
            message: from.message.clone(),
            path: from.path.clone(),
            history: from.history,
            record: from.record,
            line: location.line,
            column: location.column,
            span: Span { start: location.span.0, end: location.span.1 },
            pointer: location.pointer.clone(),
            inner_pointer: location.inner_pointer.clone(),
            id: from.id.clone(),
            call_id: from.call_id.clone(),
            related: from.related.iter().map(Related::from).collect(),
            api_message: from.api_message.clone(),
            evidence: from.evidence.name(),
            target: from.target,
            fix: from.fix.as_ref().map(Fix::from),
            no_fix: from.no_fix_reason().map(Cow::into_owned),
        }
    }
}

impl From<&diagnostic::RelatedLocation> for Related {
    fn from(from: &diagnostic::RelatedLocation) -> Self {
        let location = &from.location;
        Related {
            line: location.line,
            column: location.column,
            span: Span { start: location.span.0, end: location.span.1 },
            pointer: location.pointer.clone(),
            inner_pointer: location.inner_pointer.clone(),
            message: from.message.clone(),
        }
    }
}

impl From<&diagnostic::FixNote> for Fix {
    fn from(from: &diagnostic::FixNote) -> Self {
        Fix { title: from.title.clone(), loss: from.loss.name(), default: from.default, flag: from.flag }
    }
}

impl From<&summary::RunSummary> for Summary {
    fn from(from: &summary::RunSummary) -> Self {
        Summary {
            files: from.files,
            histories: from.histories,
            items: from.items,
            errors: from.errors,
            warnings: from.warnings,
            fixable: from.fixable,
            skipped: from.skipped,
            ignored_files: from.ignored.files,
            known: from.in_baseline,
            accepted: from.accepted,
            ignored_folders: from.ignored.folders,
        }
    }
}

impl From<&summary::DocReport> for Input {
    fn from(from: &summary::DocReport) -> Self {
        Input {
            path: from.path.clone(),
            format: from.format,
            targets: from.targets.clone(),
            histories: from.histories,
            items: from.items,
            left_out: from.left_out.clone(),
            update: from.update.as_ref().and_then(|update| {
                Some(Update { call: update.call, with: serde_json::from_slice(&update.payload).ok()? })
            }),
        }
    }
}

impl From<&ChangeNote> for Change {
    fn from(from: &ChangeNote) -> Self {
        Change {
            rule: from.rule.clone(),
            path: from.path.to_string(),
            pointer: from.location.pointer.clone(),
            line: from.location.line,
            column: from.location.column,
            action: from.action.name(),
            what: from.description,
            loss: from.loss.name(),
            bytes: from.bytes,
            turn: from.turn,
        }
    }
}

impl From<&ChangeCounts> for Repaired {
    fn from(from: &ChangeCounts) -> Self {
        Repaired { dropped: from.dropped, moved: from.moved, stubbed: from.stubbed, rewritten: from.rewritten }
    }
}
