//! Reports, findings and changes from the JSON that they are pickled as.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use replaylint::internals::report::contract::{
    Change, Diagnostic, Fix, Input, Related, Repaired, Span, Summary, Update,
};
use serde_json::Value;

use super::Error;
use super::report;

/// Names of the library (rules, targets, actions) have the life of the program. Those of another version, in an old
/// pickle, get it here, once each.
fn interned(text: &str) -> &'static str {
    static KNOWN: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    match known.get(text) {
        Some(same) => same,
        None => {
            let kept: &'static str = Box::leak(text.into());
            known.insert(kept);
            kept
        }
    }
}

/// Members of a JSON object; what is missing is empty.
struct Members<'v>(&'v Value);

impl<'v> Members<'v> {
    fn of(&self, key: &str) -> Members<'v> {
        Members(self.0.get(key).unwrap_or(&Value::Null))
    }

    fn each<T>(&self, key: &str, make: impl Fn(Members<'v>) -> T) -> Vec<T> {
        self.0.get(key).and_then(Value::as_array).into_iter().flatten().map(|one| make(Members(one))).collect()
    }

    fn some<T>(&self, key: &str, make: impl Fn(Members<'v>) -> T) -> Option<T> {
        self.0.get(key).filter(|value| !value.is_null()).map(|value| make(Members(value)))
    }

    fn text(&self, key: &str) -> String {
        self.of(key).as_text().to_owned()
    }

    fn word(&self, key: &str) -> &'static str {
        interned(self.of(key).as_text())
    }

    fn number<N: TryFrom<u64> + Default>(&self, key: &str) -> N {
        self.of(key).as_number()
    }

    fn as_text(&self) -> &'v str {
        self.0.as_str().unwrap_or_default()
    }

    fn as_number<N: TryFrom<u64> + Default>(&self) -> N {
        self.0.as_u64().and_then(|number| N::try_from(number).ok()).unwrap_or_default()
    }
}

fn text(value: Members<'_>) -> String {
    value.as_text().to_owned()
}

fn word(value: Members<'_>) -> &'static str {
    interned(value.as_text())
}

fn span(of: &Members<'_>) -> Span {
    let span = of.of("span");
    Span { start: span.number("start"), end: span.number("end") }
}

fn diagnostic(of: Members<'_>) -> Diagnostic {
    Diagnostic {
        rule: of.text("rule"),
        name: of.word("name"),
        url: of.text("url"),
        severity: of.word("severity"),
        message: of.text("message"),
        path: of.text("path"),
        history: of.some("history", |value| value.as_number()),
        record: of.number("record"),
        line: of.number("line"),
        column: of.number("column"),
        span: span(&of),
        pointer: of.text("pointer"),
        inner_pointer: of.some("inner_pointer", text),
        id: of.some("id", text),
        call_id: of.some("call_id", text),
        related: of.each("related", |related| Related {
            line: related.number("line"),
            column: related.number("column"),
            span: span(&related),
            pointer: related.text("pointer"),
            inner_pointer: related.some("inner_pointer", text),
            message: related.text("message"),
        }),
        api_message: of.some("api_message", text),
        evidence: of.word("evidence"),
        target: of.word("target"),
        fix: of.some("fix", |fix| Fix {
            title: fix.text("title"),
            loss: fix.word("loss"),
            default: fix.of("default").0.as_bool().unwrap_or_default(),
            flag: fix.some("flag", word),
        }),
        no_fix: of.some("no_fix", text),
    }
}

fn change(of: Members<'_>) -> Change {
    Change {
        rule: of.text("rule"),
        path: of.text("path"),
        pointer: of.text("pointer"),
        line: of.number("line"),
        column: of.number("column"),
        action: of.word("action"),
        what: of.word("what"),
        loss: of.word("loss"),
        bytes: of.number("bytes"),
        turn: of.some("turn", |value| value.as_number()),
    }
}

fn summary(of: &Members<'_>) -> Summary {
    Summary {
        files: of.number("files"),
        histories: of.number("histories"),
        items: of.number("items"),
        errors: of.number("errors"),
        warnings: of.number("warnings"),
        fixable: of.number("fixable"),
        skipped: of.number("skipped"),
        ignored_files: of.number("ignored_files"),
        known: of.number("known"),
        accepted: of.number("accepted"),
        ignored_folders: of.number("ignored_folders"),
    }
}

fn input(of: Members<'_>) -> Input {
    Input {
        path: of.text("path"),
        format: of.some("format", word),
        targets: of.each("targets", word),
        histories: of.number("histories"),
        items: of.number("items"),
        left_out: of.each("left_out", |value| value.as_number()),
        update: of
            .some("update", |update| Update { call: update.word("call"), with: update.of("with").0.clone() }),
    }
}

fn parsed(json: &str) -> PyResult<Value> {
    serde_json::from_str(json).map_err(|error| Error::new_err(error.to_string()))
}

#[pyfunction]
pub fn restore_report(json: &str) -> PyResult<report::Report> {
    let whole = parsed(json)?;
    let of = Members(&whole);
    let report = replaylint::Report {
        version: of.number("version"),
        summary: summary(&of.of("summary")),
        inputs: of.each("inputs", input),
        diagnostics: of.each("diagnostics", diagnostic),
    };
    Ok(
        match of.some("fixed", |fixed| Repaired {
            dropped: fixed.number("dropped"),
            moved: fixed.number("moved"),
            stubbed: fixed.number("stubbed"),
            rewritten: fixed.number("rewritten"),
        }) {
            None => report::Report::new(report),
            Some(fixed) => report::Report::fixed(report, of.each("changes", change), fixed),
        },
    )
}

#[pyfunction]
pub fn restore_diagnostic(json: &str) -> PyResult<report::Diagnostic> {
    Ok(report::Diagnostic(diagnostic(Members(&parsed(json)?))))
}

#[pyfunction]
pub fn restore_change(json: &str) -> PyResult<report::Change> {
    Ok(report::Change(change(Members(&parsed(json)?))))
}
