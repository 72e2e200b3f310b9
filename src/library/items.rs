//! The same on JSON values: the items or messages of a request, right before it is sent.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;

use crate::convert;
use crate::dialect;
use crate::report::contract::{Change, Diagnostic, Diff, Repaired};

use super::error::Error;
use super::options::Options;
use super::report::{Report, check};
use super::{Converted, Fixed, diff, fix};

/// The grammar of items and messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Items of the OpenAI Responses API: what its `input` holds.
    Responses,
    /// Messages of Chat Completions and the APIs that are modelled on it.
    Chat,
    /// Messages of the Anthropic API.
    Anthropic,
    /// Contents of the Gemini API.
    Gemini,
    /// Messages of Bedrock's Converse API.
    Bedrock,
}

impl Dialect {
    /// As `convert --to` calls it.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Responses => "responses",
            Dialect::Chat => "chat",
            Dialect::Anthropic => "anthropic",
            Dialect::Gemini => "gemini",
            Dialect::Bedrock => "bedrock",
        }
    }

    pub(super) fn grammar(self) -> &'static dyn dialect::Dialect {
        convert::dialect(self.name()).unwrap_or(convert::TO[0].1)
    }

    /// The member of a request that holds its items.
    fn list_key(self) -> &'static str {
        self.grammar().takes().list_key
    }

    /// A request of these items, and how it is read.
    fn request(self, items: &[Value], options: &Options) -> Result<(Vec<u8>, Options), Error> {
        let mut text = format!("{{\"{}\":", self.list_key()).into_bytes();
        serde_json::to_writer(&mut text, items)?;
        text.push(b'}');
        Ok((text, options.clone().format(&format!("{}-request", self.name()))?))
    }

    /// A pointer into the request as one into the list.
    fn within(self, pointer: &mut String) {
        if let Some(rest) = pointer.strip_prefix('/').and_then(|rest| rest.strip_prefix(self.list_key())) {
            *pointer = rest.to_owned();
        }
    }

    fn relocate(self, diagnostics: &mut [Diagnostic]) {
        for diagnostic in diagnostics {
            self.within(&mut diagnostic.pointer);
            diagnostic.related.iter_mut().for_each(|related| self.within(&mut related.pointer));
        }
    }
}

/// Items after their repair.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FixedItems<'i> {
    /// The repaired items; borrowed if nothing was changed.
    #[serde(skip)]
    pub items: Cow<'i, [Value]>,
    /// What was changed; pointers lead into the original list.
    pub changes: Vec<Change>,
    /// How much was changed.
    pub fixed: Repaired,
    /// What is left; pointers lead into the repaired list.
    pub report: Report,
}

/// Items as a request of another dialect.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConvertedItems {
    /// The body of the request.
    pub request: Value,
    /// Everything that was lost; pointers lead into the list.
    pub losses: Report,
}

/// [`check`] for items. Pointers lead into the list: `/1` is the second item. Lines, columns and spans are those of the
/// request as it would be sent, and of little use.
///
/// ```
/// use replaylint::{Dialect, Options, check_items};
/// use serde_json::json;
///
/// # fn main() -> Result<(), replaylint::Error> {
/// let items = [
///     json!({"role": "user", "content": "What is the weather in Rome?"}),
///     json!({"type": "function_call_output", "call_id": "call_1", "output": "22 degrees"}),
/// ];
/// let report = check_items(&items, Dialect::Responses, &Options::new())?;
/// assert_eq!((report.diagnostics[0].rule.as_str(), report.diagnostics[0].pointer.as_str()), ("RL102", "/1"));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// As [`check`].
pub fn check_items(items: &[Value], dialect: Dialect, options: &Options) -> Result<Report, Error> {
    let (text, options) = dialect.request(items, options)?;
    let mut report = check(&text, &options)?;
    dialect.relocate(&mut report.diagnostics);
    Ok(report)
}

/// [`fix`](super::fix()) for items.
///
/// ```
/// use replaylint::{Dialect, Options, fix_items};
/// use serde_json::json;
///
/// # fn main() -> Result<(), replaylint::Error> {
/// let items = [
///     json!({"role": "user", "content": "What is the weather in Rome?"}),
///     json!({"type": "function_call_output", "call_id": "call_1", "output": "22 degrees"}),
/// ];
/// let fixed = fix_items(&items, Dialect::Responses, &Options::new())?;
/// assert_eq!(&*fixed.items, &items[..1]);
/// assert_eq!(fixed.changes[0].pointer, "/1");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// As [`fix`](super::fix()).
pub fn fix_items<'i>(items: &'i [Value], dialect: Dialect, options: &Options) -> Result<FixedItems<'i>, Error> {
    let (text, options) = dialect.request(items, options)?;
    let Fixed { text, version, summary, mut changes, fixed, inputs, mut diagnostics } = fix::fix(&text, &options)?;
    dialect.relocate(&mut diagnostics);
    changes.iter_mut().for_each(|change| dialect.within(&mut change.pointer));
    let items = match text {
        Cow::Borrowed(_) => Cow::Borrowed(items),
        Cow::Owned(text) => match serde_json::from_slice::<Value>(&text)?.get_mut(dialect.list_key()) {
            Some(Value::Array(items)) => Cow::Owned(std::mem::take(items)),
            _ => return Err(Error::new("the repaired request holds no list of items")),
        },
    };
    Ok(FixedItems { items, changes, fixed, report: Report { version, summary, inputs, diagnostics } })
}

/// [`convert`](super::convert()) for items.
///
/// ```
/// use replaylint::{Dialect, Options, convert_items};
/// use serde_json::json;
///
/// # fn main() -> Result<(), replaylint::Error> {
/// let messages = [json!({"role": "user", "content": "Hello"})];
/// let converted = convert_items(&messages, Dialect::Chat, Dialect::Gemini, &Options::new())?;
/// assert_eq!(converted.request, json!({"contents": [{"role": "user", "parts": [{"text": "Hello"}]}]}));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// If nothing can be written.
pub fn convert_items(
    items: &[Value],
    from: Dialect,
    to: Dialect,
    options: &Options,
) -> Result<ConvertedItems, Error> {
    let (text, options) = from.request(items, options)?;
    let Converted { text, mut losses, .. } = super::convert(&text, to, &options)?;
    from.relocate(&mut losses.diagnostics);
    if text.is_empty() {
        let why = losses.diagnostics.first().map(|diagnostic| diagnostic.message.clone());
        return Err(Error::new(why.unwrap_or_else(|| "there is nothing to convert".to_owned())));
    }
    Ok(ConvertedItems { request: serde_json::from_slice(&text)?, losses })
}

/// [`diff`](super::diff()) for items of one dialect.
///
/// # Errors
///
/// If one of the lists is empty.
pub fn diff_items(before: &[Value], after: &[Value], dialect: Dialect, options: &Options) -> Result<Diff, Error> {
    let (before, options) = dialect.request(before, options)?;
    let (after, _) = dialect.request(after, &options)?;
    let mut diff = diff::diff(&before, &after, &options)?;
    for entry in diff.histories.iter_mut().flat_map(|history| &mut history.entries) {
        entry.before.iter_mut().chain(&mut entry.after).for_each(|side| dialect.within(&mut side.pointer));
    }
    Ok(diff)
}
