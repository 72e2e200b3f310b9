//! Commands that print JSON or a request, for callers in the process: what they print, and their errors.

use std::time::{SystemTime, UNIX_EPOCH};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use replaylint::internals::commands::explain::{self, PastedError, PrintOptions};
use replaylint::internals::commands::rebuild::{RebuildOptions, write_request};
use replaylint::internals::commands::tree::NodeOverrides;
use replaylint::internals::commands::{Failure, tables};
use replaylint::internals::history::time::parse_duration;
use replaylint::internals::judge;
use replaylint::internals::options::{ConfigLookup, FileOptions, LintSettings, WalkOptions};
use replaylint::internals::place::DocId;
use replaylint::internals::rebuild::{Budget, ChainOptions, ChainPolicy, Conversation};
use replaylint::internals::repair::{FixOptions, Orphans, Reasoning};
use replaylint::internals::report::tree::{OUTPUTS, problems, view};
use replaylint::internals::report::{ContentDisplay, Style};
use replaylint::internals::source::Doc;

use super::Error;
use super::json::from_json;
use super::options::{one_of, options};

fn failed(failure: Failure) -> PyErr {
    match failure {
        Failure::Usage(error) => super::raise(error.into()),
        failure => Error::new_err(failure.to_string()),
    }
}

fn printed<'py, T>(
    py: Python<'py>,
    print: impl FnOnce(&mut Vec<u8>) -> Result<T, Failure>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut out = Vec::new();
    print(&mut out).map_err(failed)?;
    from_json(py, &String::from_utf8_lossy(&out))
}

#[pyfunction]
pub fn rules<'py>(py: Python<'py>, target: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
    printed(py, |out| tables::rules(target, &PrintOptions::JSON, out))
}

#[pyfunction]
pub fn formats(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    printed(py, |out| tables::formats(&PrintOptions::JSON, out))
}

#[pyfunction]
pub fn targets<'py>(py: Python<'py>, name: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
    printed(py, |out| tables::targets(name, &PrintOptions::JSON, out))
}

#[pyfunction]
pub fn explain_rule<'py>(py: Python<'py>, rule: &str) -> PyResult<Bound<'py, PyAny>> {
    printed(py, |out| explain::explain_rule(rule, &PrintOptions::JSON, out))
}

#[pyfunction]
pub fn explain_error(py: Python<'_>, text: String) -> PyResult<Bound<'_, PyAny>> {
    let lints = LintSettings::new(FileOptions::default(), WalkOptions::default(), ConfigLookup::Isolated);
    let lints = lints.map_err(|error| super::raise(error.into()))?;
    let pasted = PastedError { text, path: None, lints, content: ContentDisplay::None };
    printed(py, |out| explain::explain_error(&pasted, &PrintOptions::JSON, out))
}

/// What `tree` and `rebuild` have beside the options of all commands.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Walk {
    max_age: String,
    show_content: bool,
    at: Option<String>,
    ask: Option<String>,
    chain: String,
    last: Option<usize>,
    max_chars: Option<usize>,
    max_tokens: Option<usize>,
}

impl Walk {
    fn chain_options(&self, judging: &judge::Options) -> PyResult<ChainOptions> {
        let age = parse_duration(&self.max_age, 60).ok_or_else(|| {
            Error::new_err(format!("invalid age '{}'; examples: 45s, 60m, 2h, 30d; 0 for any age", self.max_age))
        })?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64);
        let (store, model, target) = (judging.store, judging.model.clone(), judging.target);
        Ok(ChainOptions { max_age: (age > 0).then_some(age), now, store, model, target })
    }

    /// `drops` tells that nobody said what is done with calls without a result.
    fn rebuild_options(&self, fix: &FixOptions, drops: bool) -> PyResult<RebuildOptions> {
        let policies =
            [("auto", ChainPolicy::Auto), ("always", ChainPolicy::Always), ("never", ChainPolicy::Never)];
        let policy = one_of("chain", &self.chain, &policies)?;
        let budgets =
            [self.last.map(Budget::Items), self.max_chars.map(Budget::Chars), self.max_tokens.map(Budget::Tokens)];
        let given: Vec<Budget> = budgets.into_iter().flatten().collect();
        if given.len() > 1 {
            return Err(Error::new_err("only one of last, max_chars and max_tokens can be given"));
        }
        let budget = given.into_iter().next();
        if policy == ChainPolicy::Always && budget.is_some() {
            return Err(Error::new_err(
                "chain='always' sends no history that last, max_chars or max_tokens could shorten",
            ));
        }
        let orphans = if drops { Orphans::Drop } else { fix.orphans };
        let only_resumes = self.at.is_none()
            && budget.is_none()
            && drops
            && fix.reasoning == Reasoning::Auto
            && policy != ChainPolicy::Always;
        Ok(RebuildOptions {
            at: self.at.clone(),
            policy,
            ask: self.ask.clone(),
            budget,
            fix: FixOptions { orphans, ..fix.clone() },
            overrides: NodeOverrides::default(),
            output: None,
            provider: None,
            every_header: false,
            protocol_prompt: None,
            only_resumes,
        })
    }
}

fn doc(document: &Bound<'_, PyBytes>, name: &str) -> Doc {
    Doc::of_bytes(DocId(0), name, document.as_bytes().to_vec())
}

/// The turns of a conversation, as `tree --output-format json` prints them.
#[pyfunction]
pub fn tree<'py>(
    document: &Bound<'py, PyBytes>,
    name: &str,
    walk: Walk,
    kwargs: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let options = options(kwargs)?;
    let (judging, _) = options.parts();
    let chain = walk.chain_options(judging)?;
    printed(document.py(), |out| {
        let mut all = Conversation::read([doc(document, name)], |_| judging)?;
        all.retain(|conversation| !conversation.forest.nodes.is_empty());
        let views: Vec<_> = all.iter().map(|conversation| view(conversation, &chain, walk.show_content)).collect();
        let mut diagnostics = Vec::new();
        for conversation in &all {
            diagnostics.extend(problems(conversation)?);
        }
        if let Some((_, print)) = OUTPUTS.iter().find(|(name, _)| *name == "json") {
            print(&views, &diagnostics, &Style::PLAIN, out)?;
        }
        Ok(())
    })
}

/// The body of the request that continues a conversation; `None` if there is no conversation.
#[pyfunction]
pub fn rebuild<'py>(
    document: &Bound<'py, PyBytes>,
    name: &str,
    walk: Walk,
    kwargs: &Bound<'py, PyDict>,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let options = options(kwargs)?;
    let (judging, fix) = options.parts();
    let drops = kwargs.get_item("orphans")?.is_none_or(|orphans| orphans.is_none());
    let (chain, how) = (walk.chain_options(judging)?, walk.rebuild_options(fix, drops)?);
    let mut out = Vec::new();
    let found = write_request(doc(document, name), judging, &chain, &how, &mut out).map_err(failed)?;
    Ok(found.then(|| PyBytes::new(document.py(), &out)))
}
