//! The functions for JSON values: the items or messages of a request, before it is sent.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;

use crate::report::contract::{Change, Repaired};
use crate::report::diff_contract::Diff;

use super::dialect::Dialect;
use super::error::Error;
use super::options::Options;
use super::report::{Report, check};
use super::{Converted, Fixed, diff, fix};

/// Items after their repair.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FixedItems<'i> {
    /// The repaired items; borrowed if nothing was changed.
    #[serde(skip)]
    pub items: Cow<'i, [Value]>,
    /// The changes; pointers lead into the original list.
    pub changes: Vec<Change>,
    /// Counts of the changes.
    pub fixed: Repaired,
    /// The remaining diagnostics; pointers lead into the repaired list.
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

/// [`check`] for items. Pointers lead into the list: `/1` is the second item. Lines, columns and spans refer to
/// the list as compact JSON.
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
    check(&serde_json::to_vec(items)?, &options.clone().list_of(dialect)?)
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
    let list = serde_json::to_vec(items)?;
    let Fixed { text, changes, fixed, report } = fix::fix(&list, &options.clone().list_of(dialect)?)?;
    let items = match text {
        Cow::Borrowed(_) => Cow::Borrowed(items),
        Cow::Owned(text) => Cow::Owned(serde_json::from_slice(&text)?),
    };
    Ok(FixedItems { items, changes, fixed, report })
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
/// If no request can be written.
pub fn convert_items(
    items: &[Value],
    from: Dialect,
    to: Dialect,
    options: &Options,
) -> Result<ConvertedItems, Error> {
    let list = serde_json::to_vec(items)?;
    let Converted { text, losses, .. } = super::convert(&list, to, &options.clone().list_of(from)?)?;
    if text.is_empty() {
        let why = losses.diagnostics.first().map(|diagnostic| diagnostic.message.clone());
        return Err(Error::new(why.unwrap_or_else(|| "the list contains nothing to convert".to_owned())));
    }
    Ok(ConvertedItems { request: serde_json::from_slice(&text)?, losses })
}

/// [`diff`](super::diff()) for items of one dialect.
///
/// # Errors
///
/// If one of the lists is empty.
pub fn diff_items(before: &[Value], after: &[Value], dialect: Dialect, options: &Options) -> Result<Diff, Error> {
    let options = options.clone().list_of(dialect)?;
    diff::diff(&serde_json::to_vec(before)?, &serde_json::to_vec(after)?, &options)
}
