//! VCR cassettes: of vcrpy and pytest-recording (`interactions`), Ruby's VCR (`http_interactions`) and go-vcr.
//!
//! Sources: `vcr/serialize.py` and `vcr/serializers/compat.py` of vcrpy 7, `lib/vcr/structs.rb` of VCR 6, and
//! `pkg/cassette/cassette.go` of go-vcr 4.

use super::body;
use super::exchange::Exchange;
use super::node::Node;

/// The exchanges of a cassette; `None` if it is none.
pub(super) fn exchanges(root: &Node) -> Option<Vec<Exchange>> {
    let all = root.first(&["interactions", "http_interactions"])?.elements()?;
    Some(all.iter().filter_map(exchange).collect())
}

/// An exchange; `None` if its request or its answer is not recorded.
fn exchange(interaction: &Node) -> Option<Exchange> {
    let request = interaction.get("request")?;
    let response = interaction.get("response")?;
    let text = |keys: &[&str]| request.first(keys).and_then(Node::text).unwrap_or_default().to_owned();
    Some(Exchange {
        method: text(&["method"]),
        url: text(&["uri", "url"]),
        request: body::of_message(request),
        status: response.first(&["status_code", "code", "status"]).and_then(status),
        response: body::of_message(response),
    })
}

/// A status: a number, a map with its `code`, or the status line.
fn status(node: &Node) -> Option<u16> {
    match node {
        Node::Number(number) => u16::try_from(number.as_u64()?).ok(),
        Node::Text(text) => text.split_whitespace().next()?.parse().ok(),
        _ => status(node.get("code")?),
    }
}
