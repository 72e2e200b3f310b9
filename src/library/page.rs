//! A document as the data of a page, for what shows pages by itself.

use serde_json::{Value, json};

use crate::convert;
use crate::repair::fix;
use crate::report::html::draw::{self, Drawing};
use crate::report::prediction::promise;
use crate::report::sums::Counts;
use crate::report::{Content, Picked, changes};
use crate::source::{Memory, ReadAt, Roomy};

use super::error::Error;
use super::options::Options;
use super::report::{DOC, Report};

/// What a page shows of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// What was found, and what `fix` would do.
    Check,
    /// What `fix` did, and what is left.
    Fix,
}

/// The data of the page that `--output-format html` writes, as JSON.
///
/// # Errors
///
/// If the document is larger than this machine can address.
pub fn page(document: &[u8], options: &Options, view: View, content: bool) -> Result<String, Error> {
    let bytes = Roomy::new(Memory(document));
    let drawing = |command| Drawing {
        command,
        id: DOC,
        label: &options.name,
        bytes: &bytes as &dyn ReadAt,
        options: &options.judge,
        content,
    };
    let (doc, report, fixed) = match view {
        View::Check => {
            let mut found = convert::check(DOC, &bytes, &options.judge, 1)?;
            let promises = promise::plan(DOC, &bytes, &mut found, &options.judge, 1, true)?;
            let picked = Picked::all(&found);
            let diagnostics = promises.diagnose(DOC, &options.name, &bytes, &found, &picked, Content::None)?;
            let doc = draw::found(drawing("check"), &found, &diagnostics, promises.repair(&found.judged))?;
            let mut report = Report::new(&found, &options.name, diagnostics);
            report.summary.fixable = promises.gone;
            (doc, report, Value::Null)
        }
        View::Fix => {
            let fixed = fix(DOC, &bytes, &options.judge, &options.fix, 1)?;
            let notes = changes::notes(DOC, &options.name, &bytes, &fixed)?;
            let left = changes::left(DOC, &options.name, &bytes, &fixed, Content::None)?;
            let doc = draw::repaired(drawing("fix"), &fixed, &notes, &left)?;
            let mut counts = Counts::default();
            counts.add(&notes);
            let counts = json!(crate::report::contract::Repaired::from(&counts));
            (doc, Report::new(fixed.left(), &options.name, left), counts)
        }
    };
    Ok(format!(
        "{{\"version\":\"{}\",\"docs\":[{doc}],\"summary\":{},\"fixed\":{fixed}}}",
        env!("CARGO_PKG_VERSION"),
        json!(report.summary),
    ))
}
