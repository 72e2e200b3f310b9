//! The body of a recorded message, in the forms that libraries store it: text, bytes, base64, parsed JSON, and compressed as
//! it was sent.

use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::{MultiGzDecoder, ZlibDecoder};

use super::exchange::MAX_RECORDING;
use super::node::Node;
use crate::source::Packing;
use crate::source::inputs::zstandard;

/// Members that contain a body, the first that has one counts. `parsed_body` and `json_body` are what serializers of
/// pytest-recording write in place of a text; `content` is what vcrpy wrote for httpx, before version 6.
const BODIES: [&str; 4] = ["body", "parsed_body", "json_body", "content"];

/// The body of a request or an answer of a cassette.
pub(super) fn of_message(message: &Node) -> Vec<u8> {
    let raw = BODIES.iter().filter_map(|key| message.get(key)).find_map(raw).unwrap_or_default();
    unpack(raw, encoding(message).as_deref())
}

/// The bytes of a body as recorded. Ruby's VCR and vcrpy put them below `string` or `base64_string`.
fn raw(body: &Node) -> Option<Vec<u8>> {
    let found = match body {
        Node::Text(text) => text.clone().into_bytes(),
        Node::Bytes(bytes) => bytes.clone(),
        Node::Map(members) => match (body.get("string"), body.get("base64_string")) {
            (Some(inner), _) if members.len() <= MOST_MEMBERS => return raw(inner),
            (None, Some(inner)) => STANDARD.decode(inner.text()?.trim_ascii()).ok()?,
            _ => body.to_json().to_string().into_bytes(),
        },
        Node::List(_) => body.to_json().to_string().into_bytes(),
        Node::Null | Node::Bool(_) | Node::Number(_) => return None,
    };
    (!found.is_empty()).then_some(found)
}

/// Members of a body that describes itself (`encoding`, `string`); a body that was parsed has more.
const MOST_MEMBERS: usize = 2;

/// The value of the header `content-encoding`.
fn encoding(message: &Node) -> Option<String> {
    let Some(Node::Map(headers)) = message.get("headers") else { return None };
    let (_, value) = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-encoding"))?;
    let value = value.elements().map_or(Some(value), |all| all.first())?;
    Some(value.text()?.to_ascii_lowercase())
}

/// Decompresses a body if it is compressed. Libraries that decompress the body keep the header, so the bytes decide.
fn unpack(raw: Vec<u8>, encoding: Option<&str>) -> Vec<u8> {
    let unpacked = match (decompress(&raw, encoding), encoding) {
        (None, Some(_)) => {
            // Bytes in a text are base64.
            let packed: Vec<u8> = raw.iter().copied().filter(|c| !c.is_ascii_whitespace()).collect();
            STANDARD.decode(packed).ok().and_then(|bytes| decompress(&bytes, encoding))
        }
        (unpacked, _) => unpacked,
    };
    unpacked.unwrap_or(raw)
}

/// The decompressed bytes; empty if they are damaged or too many. `None` if they are not compressed.
fn decompress(bytes: &[u8], encoding: Option<&str>) -> Option<Vec<u8>> {
    let mut unpacked = Vec::new();
    let mut read = |from: &mut dyn Read| from.take(MAX_RECORDING).read_to_end(&mut unpacked);
    let done = match Packing::of(bytes) {
        Packing::Gzip => read(&mut MultiGzDecoder::new(bytes)),
        Packing::Zstd => zstandard::decoder(bytes).and_then(|mut from| read(&mut from)),
        _ if bytes.first() == Some(&0x78) && encoding == Some("deflate") => read(&mut ZlibDecoder::new(bytes)),
        _ => return None,
    };
    Some(done.map(|_| unpacked).unwrap_or_default())
}
