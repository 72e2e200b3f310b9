//! The library for JavaScript: documents as bytes, options and results as JSON. `lib/replaylint.js` makes objects of them.

mod options;

use clap::Parser;
use replaylint::internals::cli::Cli;
use replaylint::{Error, View};
use serde::Serialize;
use serde_json::{Value, json};
use wasm_bindgen::prelude::wasm_bindgen;

type Answer<T> = Result<T, String>;

/// The version of the crate.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// What a provider would refuse. `list`: the document is a list of items of the dialect that the options name.
#[wasm_bindgen]
pub fn check(document: &[u8], options: &str, list: bool) -> Answer<String> {
    json_of(&replaylint::check(document, &options::options(options, list)?).map_err(told)?)
}

/// A repaired document.
#[wasm_bindgen]
pub struct Fixed {
    text: Option<Vec<u8>>,
    report: String,
}

#[wasm_bindgen]
impl Fixed {
    /// The repaired text; nothing if it is as it was.
    #[wasm_bindgen(getter)]
    pub fn text(&self) -> Option<Vec<u8>> {
        self.text.clone()
    }

    /// The changes and what is left, as JSON.
    #[wasm_bindgen(getter)]
    pub fn report(&self) -> String {
        self.report.clone()
    }
}

/// Repairs a document.
#[wasm_bindgen]
pub fn fix(document: &[u8], options: &str, list: bool) -> Answer<Fixed> {
    let fixed = replaylint::fix(document, &options::options(options, list)?).map_err(told)?;
    let text = fixed.is_changed().then(|| fixed.text.to_vec());
    Ok(Fixed { text, report: json_of(&fixed)? })
}

/// What is sent instead of the body of a request to a URL, and `{endpoint, found}`: a report for each conversation that was
/// repaired, or that would be refused. `repairs`: whether they are repaired at all.
#[wasm_bindgen]
pub fn check_request(url: &str, body: &[u8], options: &str, repairs: bool) -> Answer<Fixed> {
    let options = options::options(options, false)?;
    let Some(checked) = replaylint::check_request(url, body, repairs, &options).map_err(told)? else {
        return Ok(Fixed { text: None, report: json!({ "found": [] }).to_string() });
    };
    let report = json!({ "endpoint": checked.endpoint, "found": checked.found }).to_string();
    Ok(Fixed { text: checked.body, report })
}

/// Histories as requests of another dialect: `{requests, histories, failed, losses}`.
#[wasm_bindgen]
pub fn convert(document: &[u8], to: &str, options: &str, list: bool) -> Answer<String> {
    let to = to.parse().map_err(told)?;
    let done = replaylint::convert(document, to, &options::options(options, list)?).map_err(told)?;
    let requests: Result<Vec<Value>, _> = serde_json::Deserializer::from_slice(&done.text).into_iter().collect();
    let requests = requests.map_err(|error| plain(&error))?;
    let (histories, failed) = (done.histories, done.failed);
    json_of(&json!({ "requests": requests, "histories": histories, "failed": failed, "losses": done.losses }))
}

/// What became of the items of one document in another.
#[wasm_bindgen]
pub fn diff(before: &[u8], after: &[u8], options: &str, list: bool) -> Answer<String> {
    json_of(&replaylint::diff(before, after, &options::options(options, list)?).map_err(told)?)
}

/// The data of the page to look at.
#[wasm_bindgen]
pub fn page(document: &[u8], options: &str, fixed: bool, content: bool) -> Answer<String> {
    let view = if fixed { View::Fix } else { View::Check };
    replaylint::page(document, &options::options(options, false)?, view, content).map_err(told)
}

/// What a command of the command line prints that opens no file: `explain`, `rules`, `formats`, `targets`.
#[wasm_bindgen]
pub fn run(arguments: Vec<String>) -> Answer<String> {
    let arguments = std::iter::once("replaylint".to_owned()).chain(arguments);
    let cli = Cli::try_parse_from(arguments).map_err(|error| plain(&error.render()))?;
    let mut out = Vec::new();
    cli.run(&mut out).map_err(|error| plain(&error))?;
    String::from_utf8(out).map_err(|error| plain(&error))
}

fn json_of(value: &impl Serialize) -> Answer<String> {
    serde_json::to_string(value).map_err(|error| plain(&error))
}

/// An error as JSON: its message, and what to do about it.
fn told(error: Error) -> String {
    json!({ "message": error.to_string(), "help": error.help() }).to_string()
}

fn plain(error: &dyn std::fmt::Display) -> String {
    json!({ "message": error.to_string() }).to_string()
}
