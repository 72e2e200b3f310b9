//! HTTP archives, as browsers and proxies export them: http://www.softwareishard.com/blog/har-12-spec/.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::exchange::Exchange;
use super::node::Node;

/// The exchanges of an archive; `None` if it is none.
pub(super) fn exchanges(root: &Node) -> Option<Vec<Exchange>> {
    let entries = root.get("log")?.get("entries")?.elements()?;
    Some(entries.iter().filter_map(exchange).collect())
}

/// An exchange; `None` if its request or its answer is not recorded.
fn exchange(entry: &Node) -> Option<Exchange> {
    let request = entry.get("request")?;
    let response = entry.get("response")?;
    let text = |key: &str| request.get(key).and_then(Node::text).unwrap_or_default().to_owned();
    let status = match response.get("status") {
        Some(Node::Number(number)) => number.as_u64().and_then(|status| u16::try_from(status).ok()),
        _ => None,
    };
    Some(Exchange {
        method: text("method"),
        url: text("url"),
        request: request.get("postData").map(content).unwrap_or_default(),
        // A request that was cancelled has the status 0.
        status: status.filter(|status| *status > 0),
        response: response.get("content").map(content).unwrap_or_default(),
    })
}

/// The text of a body, which is base64 if it says so.
fn content(body: &Node) -> Vec<u8> {
    let text = body.get("text").and_then(Node::text).unwrap_or_default();
    match body.get("encoding").and_then(Node::text) {
        Some("base64") => STANDARD.decode(text).unwrap_or_default(),
        _ => text.as_bytes().to_vec(),
    }
}
