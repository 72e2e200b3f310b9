//! The methods, and what each takes.

use crate::library::{self, Converted, Fixed};
use crate::options::{ConfigLookup, FileOptions, LintSettings, WalkOptions, unknown_name};
use crate::report::ContentDisplay;

use super::super::explain::{PastedError, PrintOptions, explain_error, explain_rule};
use super::super::{Failure, Outcome, tables};
use super::rejection::Rejection;
use super::request::{Document, Request};

/// A method: its name, the members that it takes besides `id` and `method`, and what appends its result.
struct Method {
    name: &'static str,
    members: &'static [&'static str],
    run: fn(&Request<'_>, &mut Vec<u8>) -> Result<(), Rejection>,
}

static METHODS: [Method; 11] = [
    Method { name: "check", members: &["document", "options"], run: check },
    Method { name: "validate", members: &["document", "options"], run: validate },
    Method { name: "fix", members: &["document", "options"], run: fix },
    Method { name: "check_request", members: &["url", "document", "repairs", "options"], run: check_request },
    Method { name: "convert", members: &["document", "to", "options"], run: convert },
    Method { name: "diff", members: &["before", "after", "options"], run: diff },
    Method { name: "explain", members: &["error", "rule"], run: explain },
    Method { name: "rules", members: &["target"], run: rules },
    Method {
        name: "formats",
        members: &[],
        run: |_, out| printed(out, |text| tables::formats(&PrintOptions::JSON, text)),
    },
    Method { name: "targets", members: &["name"], run: targets },
    Method {
        name: "version",
        members: &[],
        run: |_, out| Ok(serde_json::to_writer(out, env!("CARGO_PKG_VERSION"))?),
    },
];

/// Appends the answer to a request, up to and with its line feed.
pub fn run(request: &Request<'_>, out: &mut Vec<u8>) -> Result<(), Rejection> {
    let name = request.method()?;
    let Some(method) = METHODS.iter().find(|method| method.name == name) else {
        return Err(unknown_name("method", &name, METHODS.iter().map(|method| method.name).collect()).into());
    };
    request.expect_members(method.name, method.members)?;
    out.extend_from_slice(b"{\"id\":");
    out.extend_from_slice(request.id);
    out.extend_from_slice(b",\"result\":");
    (method.run)(request, out)?;
    out.extend_from_slice(b"}\n");
    Ok(())
}

fn check(request: &Request<'_>, out: &mut Vec<u8>) -> Result<(), Rejection> {
    let document = request.document("document")?;
    let report = library::check(document.bytes(), &request.options()?)?;
    Ok(serde_json::to_writer(out, &report)?)
}

fn validate(request: &Request<'_>, out: &mut Vec<u8>) -> Result<(), Rejection> {
    let document = request.document("document")?;
    let refusal = library::validate(document.bytes(), &request.options()?)?;
    Ok(serde_json::to_writer(out, &refusal)?)
}

fn fix(request: &Request<'_>, out: &mut Vec<u8>) -> Result<(), Rejection> {
    let document = request.document("document")?;
    let fixed = library::fix(document.bytes(), &request.options()?)?;
    write_fixed(&document, &fixed, out)
}

/// `{"changed":…,"document":…,` and the report, of which only the opening brace is left out.
fn write_fixed(document: &Document<'_>, fixed: &Fixed<'_>, out: &mut Vec<u8>) -> Result<(), Rejection> {
    out.extend_from_slice(format!("{{\"changed\":{},\"document\":", fixed.is_changed()).as_bytes());
    document.write(&fixed.text, out)?;
    let report = out.len();
    serde_json::to_writer(&mut *out, fixed)?;
    if let Some(brace) = out.get_mut(report) {
        *brace = b',';
    }
    Ok(())
}

/// What is to be said of a request to a URL; `null` if nothing is.
fn check_request(request: &Request<'_>, out: &mut Vec<u8>) -> Result<(), Rejection> {
    let (url, document) = (request.text("url")?, request.document("document")?);
    let repairs = request.optional_flag("repairs")?.unwrap_or(true);
    let Some(checked) = library::check_request(&url, document.bytes(), repairs, &request.options()?)? else {
        out.extend_from_slice(b"null");
        return Ok(());
    };
    out.extend_from_slice(format!("{{\"endpoint\":\"{}\",\"document\":", checked.endpoint).as_bytes());
    match &checked.body {
        Some(body) => document.write(body, out)?,
        None => out.extend_from_slice(b"null"),
    }
    out.extend_from_slice(b",\"found\":");
    serde_json::to_writer(&mut *out, &checked.found)?;
    out.push(b'}');
    Ok(())
}

fn convert(request: &Request<'_>, out: &mut Vec<u8>) -> Result<(), Rejection> {
    let (document, to) = (request.document("document")?, request.dialect("to")?);
    let Converted { text, histories, failed, losses } =
        library::convert(document.bytes(), to, &request.options()?)?;
    out.extend_from_slice(b"{\"requests\":[");
    for (n, line) in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).enumerate() {
        out.extend_from_slice(if n > 0 { b"," } else { b"" });
        out.extend_from_slice(line);
    }
    out.extend_from_slice(format!("],\"histories\":{histories},\"failed\":{failed},\"losses\":").as_bytes());
    serde_json::to_writer(&mut *out, &losses)?;
    out.push(b'}');
    Ok(())
}

fn diff(request: &Request<'_>, out: &mut Vec<u8>) -> Result<(), Rejection> {
    let (before, after) = (request.document("before")?, request.document("after")?);
    let diff = library::diff(before.bytes(), after.bytes(), &request.options()?)?;
    Ok(serde_json::to_writer(out, &diff)?)
}

fn explain(request: &Request<'_>, out: &mut Vec<u8>) -> Result<(), Rejection> {
    match (request.optional_text("error")?, request.optional_text("rule")?) {
        (None, Some(rule)) => printed(out, |text| explain_rule(&rule, &PrintOptions::JSON, text)),
        (Some(error), None) => {
            let lints = LintSettings::new(FileOptions::default(), WalkOptions::default(), ConfigLookup::Isolated)?;
            let pasted = PastedError { text: error, path: None, lints, content: ContentDisplay::Masked };
            printed(out, |text| explain_error(&pasted, &PrintOptions::JSON, text))
        }
        _ => Err(Rejection::invalid("`explain` takes either 'error' or 'rule'")),
    }
}

fn rules(request: &Request<'_>, out: &mut Vec<u8>) -> Result<(), Rejection> {
    let target = request.optional_text("target")?;
    printed(out, |text| tables::rules(target.as_deref(), &PrintOptions::JSON, text))
}

fn targets(request: &Request<'_>, out: &mut Vec<u8>) -> Result<(), Rejection> {
    let name = request.optional_text("name")?;
    printed(out, |text| tables::targets(name.as_deref(), &PrintOptions::JSON, text))
}

/// Appends the JSON that a command prints, on one line.
fn printed(
    out: &mut Vec<u8>,
    print: impl FnOnce(&mut Vec<u8>) -> Result<Outcome, Failure>,
) -> Result<(), Rejection> {
    let mut text = Vec::new();
    print(&mut text)?;
    let value: serde_json::Value = serde_json::from_slice(&text)?;
    Ok(serde_json::to_writer(out, &value)?)
}
