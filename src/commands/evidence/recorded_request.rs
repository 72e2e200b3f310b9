//! A recorded request, judged for the API that it was sent to.

use std::io;

use serde::Deserialize;
use serde_json::Value;

use crate::history::codes::MISSING_LAST_NEWLINE;
use crate::history::{Code, Usage};
use crate::judge::{self, FindingsOnly, JudgedDoc, Options};
use crate::place::DocId;
use crate::source::BorrowedBytes;
use crate::source::recordings::Exchange;
use crate::target::{Severity, Target};
use crate::targets::hosts::ApiUrl;

use super::model_name;

/// A request with what replaylint says of it.
pub(super) struct RecordedRequest<'e> {
    pub target: &'static Target,
    /// The model, as it is printed.
    pub model: String,
    /// The rules with an error or a warning, each once with its highest severity.
    pub found: Vec<(Code, Severity)>,
    body: &'e [u8],
    options: Options,
}

impl RecordedRequest<'_> {
    pub fn has_errors(&self) -> bool {
        self.found.iter().any(|(_, severity)| *severity == Severity::Error)
    }

    /// True if one of these rules has an error or a warning, given that the provider refused the request for one of them:
    /// which URL a server cannot fetch, for instance, is not known before.
    pub fn is_found(&self, codes: &[Code]) -> io::Result<bool> {
        let has = |found: &[(Code, Severity)]| found.iter().any(|(code, _)| codes.contains(code));
        if has(&self.found) {
            return Ok(true);
        }
        let enabled = self.options.enabled.clone().with_proven(codes.to_vec());
        let judged = judge_body(self.body, &Options { enabled, ..self.options.clone() })?;
        Ok(has(&findings(&judged)))
    }
}

/// The member of a body that names the model.
#[derive(Deserialize)]
struct NamedModel {
    model: Option<Value>,
}

/// Judges the request of an exchange; `None` if it sends no conversation, or if its API is not known.
pub(super) fn judge<'e>(exchange: &'e Exchange, options: &Options) -> io::Result<Option<RecordedRequest<'e>>> {
    if !exchange.method.eq_ignore_ascii_case("POST") {
        return Ok(None);
    }
    let Some(api) = ApiUrl::parse(&exchange.url) else { return Ok(None) };
    let Some(target) = api.target(options.target) else { return Ok(None) };
    let Ok(body) = serde_json::from_slice::<NamedModel>(&exchange.request) else { return Ok(None) };
    let own = body.model.as_ref().and_then(Value::as_str).map(str::to_owned);
    let model = own.or_else(|| api.model());
    let mut options = Options { target: Some(target), model: model.clone(), ..options.clone() };
    options.read.usage = Some(Usage::Request);
    options.read.dialect = Some(target.dialect);
    let judged = judge_body(&exchange.request, &options)?;
    if judged.format.is_none_or(|format| format.info().dialect.info().name != target.dialect) {
        return Ok(None);
    }
    let (body, found) = (&*exchange.request, findings(&judged));
    Ok(Some(RecordedRequest { target, model: model_name::printable(model.as_deref()), found, body, options }))
}

fn judge_body(body: &[u8], options: &Options) -> io::Result<JudgedDoc<()>> {
    judge::judge(DocId(0), &BorrowedBytes(body), options, 1, &FindingsOnly)
}

/// The rules with an error or a warning, each once with its highest severity.
fn findings(judged: &JudgedDoc<()>) -> Vec<(Code, Severity)> {
    // A body is not a file.
    let findings = judged.findings.iter().filter(|judged| judged.finding.code != MISSING_LAST_NEWLINE);
    let mut found: Vec<(Code, Severity)> = findings
        .filter(|judged| judged.severity > Severity::Info)
        .map(|judged| (judged.finding.code, judged.severity))
        .collect();
    found.sort_by_key(|(code, severity)| (*code, std::cmp::Reverse(*severity)));
    found.dedup_by_key(|(code, _)| *code);
    found
}
