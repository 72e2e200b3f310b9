//! Repairs a request right before it is sent: put this between the code that stores the history and the client.
//!
//! `cargo run --example guard < request.json` prints the body that would be sent, and what was changed.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::io::Read;

use replaylint::{Dialect, Error, Options, fix_items};
use serde_json::Value;

/// Repairs the items of a request as far as possible, and logs the changes. A history that would still be refused is sent
/// anyway, so that the provider's answer gives the reason.
fn guard(request: &mut Value, options: &Options) -> Result<(), Error> {
    let Some(Value::Array(items)) = request.get("input") else { return Ok(()) };
    // An intact history is not copied.
    let fixed = fix_items(items, Dialect::Responses, options)?;
    for change in &fixed.changes {
        eprintln!("{} {}: {} ({})", change.rule, change.pointer, change.what, change.loss);
    }
    for error in fixed.report.errors() {
        eprintln!("still refused: {} at {}", error.message, error.pointer);
    }
    if !fixed.changes.is_empty() {
        request["input"] = Value::Array(fixed.items.into_owned());
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let mut request: Value = serde_json::from_str(&text)?;
    let mut options = Options::new().target("openai")?.as_request();
    if let Some(model) = request.get("model").and_then(Value::as_str) {
        options = options.model(model);
    }
    if let Some(store) = request.get("store").and_then(Value::as_bool) {
        options = options.store(store);
    }
    guard(&mut request, &options)?;
    println!("{request:#}");
    Ok(())
}
