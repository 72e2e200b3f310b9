//! The conversations in the body of an HTTP request, judged for the API that its URL names.

use serde::Serialize;

use crate::history::codes::MISSING_LAST_NEWLINE;
use crate::json::{Tape, Val, scan};
use crate::judge::{FindingsOnly, judge};
use crate::repair::ImageOptions;
use crate::report::contract::{Change, Repaired};
use crate::source::BorrowedBytes;
use crate::targets::hosts::ApiUrl;

use super::dialect::Dialect;
use super::error::Error;
use super::fix::{Fixed, fix};
use super::options::Options;
use super::report::{DOC, Report, check};

/// What is to be said about the body of a request.
#[derive(Clone, Debug)]
pub struct CheckedRequest {
    /// The end of the URL's path that names what is asked for: `responses`, `messages/count_tokens`, `generateContent`.
    pub endpoint: &'static str,
    /// The body to send instead; `None` if the given one is to be sent.
    pub body: Option<Vec<u8>>,
    /// The conversations that are repaired, or that the provider would reject.
    pub found: Vec<CheckedConversation>,
}

/// A conversation of a body. As JSON it is its report, with `changes` and `fixed`.
#[derive(Clone, Debug, Serialize)]
pub struct CheckedConversation {
    /// What remains after the repair, or what was found where there is none.
    #[serde(flatten)]
    pub report: Report,
    /// Empty if the conversation is sent as it is.
    pub changes: Vec<Change>,
    /// Counts of the changes.
    pub fixed: Repaired,
}

/// Judges the conversations in the body of a request that a client is about to send, and with `repairs` repairs those of
/// which nothing remains that the provider would reject. The format, the target where the host is known, and the model
/// where the path has it, are those of the URL.
///
/// `None` if there is nothing to say: no conversation is sent to the URL, or the provider would accept it.
///
/// ```
/// use replaylint::{Options, check_request};
///
/// # fn main() -> Result<(), replaylint::Error> {
/// let body = br#"{"model": "gpt-5", "messages": [{"role": "tool", "tool_call_id": "call_1", "content": "22"},
///     {"role": "user", "content": "And in Oslo?"}]}"#;
/// let url = "https://api.openai.com/v1/chat/completions";
/// let checked = check_request(url, body, true, &Options::new())?.unwrap();
/// assert_eq!((checked.endpoint, checked.found[0].changes[0].rule.as_str()), ("chat/completions", "RL502"));
/// assert!(check_request(url, &checked.body.unwrap(), true, &Options::new())?.is_none());
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// As [`fix`](super::fix()).
pub fn check_request(
    url: &str,
    body: &[u8],
    repairs: bool,
    options: &Options,
) -> Result<Option<CheckedRequest>, Error> {
    let Some(api) = ApiUrl::of_conversations(url) else { return Ok(None) };
    let dialect: Dialect = api.endpoint.dialect.parse()?;
    let options = options_for(api, dialect, options)?;
    // Most requests are whole, and this is all that they cost.
    if matches!(api.endpoint.requests, [[]]) && api.endpoint.mark.is_empty() && is_whole(body, &options)? {
        return Ok(None);
    }
    let mut tape = Tape::new();
    // Anything else than JSON is not what the API takes; it answers so itself.
    let Some(root) = scan(body, &mut tape).ok().and_then(|()| tape.root(body)) else { return Ok(None) };
    let endpoint = api.endpoint;
    if !endpoint.mark.is_empty() && root.get(endpoint.mark).is_none() {
        return Ok(None);
    }
    let mut requests = Vec::new();
    endpoint.requests.iter().for_each(|steps| collect(root, steps, String::new(), &mut requests));
    let mut checked = CheckedRequest { endpoint: endpoint.name(), body: None, found: Vec::new() };
    let (mut text, mut copied) = (Vec::new(), 0);
    for (pointer, request) in requests {
        let is_conversation = request.get(dialect.list_key()).is_some_and(|list| list.is_array());
        if !is_conversation || is_continuation(request) || (request.start() as usize) < copied {
            continue;
        }
        let options = options.clone().name(format!("{}{pointer}", checked.endpoint));
        let Some((conversation, repaired)) = find(request.raw(), repairs, &options)? else { continue };
        if let Some(repaired) = repaired {
            text.extend_from_slice(body.get(copied..request.start() as usize).unwrap_or_default());
            text.extend_from_slice(&repaired);
            copied = request.end() as usize;
        }
        checked.found.push(conversation);
    }
    if copied > 0 {
        text.extend_from_slice(body.get(copied..).unwrap_or_default());
        checked.body = Some(text);
    }
    Ok((!checked.found.is_empty()).then_some(checked))
}

/// The options for an API: the target is the given one if it has the dialect, or that of the host.
fn options_for(api: ApiUrl<'_>, dialect: Dialect, given: &Options) -> Result<Options, Error> {
    let mut options = given.clone().format(&dialect.request_format())?.as_request();
    options.list = None;
    options.judge.read.pointer = Vec::new();
    let named = options.judge.target.filter(|target| target.dialect == api.endpoint.dialect);
    options.judge.target = named.or_else(|| api.known_target());
    Ok(match api.model() {
        Some(model) => options.model(model),
        None => options,
    })
}

/// The values at the end of these steps, with their pointers, in the order of the body.
fn collect<'t>(value: Val<'t>, steps: &[&str], pointer: String, found: &mut Vec<(String, Val<'t>)>) {
    match steps {
        [] if value.is_object() => found.push((pointer, value)),
        ["*", rest @ ..] => {
            for (n, element) in value.elements().enumerate() {
                collect(element, rest, format!("{pointer}/{n}"), found);
            }
        }
        [key, rest @ ..] => {
            if let Some(member) = value.get(*key) {
                collect(member, rest, format!("{pointer}/{key}"), found);
            }
        }
        [] => {}
    }
}

/// True if the server holds what came before, so that a result may answer a call that is not in the body: a thread of
/// Anthropic. What the members of other APIs mean is known to the rules.
fn is_continuation(request: Val<'_>) -> bool {
    request.at(&["thread", "previous_message_id"]).is_some()
}

/// A conversation of which there is something to say, and its repaired text if it is to be sent.
type JudgedRequest = (CheckedConversation, Option<Vec<u8>>);

/// What there is to say of a request; `None` if it is whole.
fn find(request: &[u8], repairs: bool, options: &Options) -> Result<Option<JudgedRequest>, Error> {
    if is_whole(request, options)? {
        return Ok(None);
    }
    if repairs {
        let Fixed { text, changes, fixed, report } = fix(request, options)?;
        if changes.is_empty() && !report.has_errors() {
            return Ok(None);
        }
        if !report.has_errors() {
            return Ok(Some((CheckedConversation { report, changes, fixed }, Some(text.into_owned()))));
        }
    }
    let report = check(request, options)?;
    let found = CheckedConversation { report, changes: Vec::new(), fixed: Repaired::default() };
    Ok(found.report.has_errors().then_some((found, None)))
}

/// True if there is nothing to say, and nothing else that was asked for is a reason to change something.
fn is_whole(request: &[u8], options: &Options) -> Result<bool, Error> {
    if options.fix.length.max_tokens.is_some() || options.fix.images != ImageOptions::default() {
        return Ok(false);
    }
    let judged = judge(DOC, &BorrowedBytes(request), &options.judge, 1, &FindingsOnly)?;
    // A body is no file, and has no last line.
    Ok(judged.findings.iter().all(|judged| judged.finding.code == MISSING_LAST_NEWLINE))
}
