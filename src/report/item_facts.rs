//! The facts of an item that messages use: its type, ids, name and shape.

use crate::dialect::ItemIds;
use crate::dialects::media_parts::{self, MediaPart};
use crate::json::{NodeKind, Str, Val};
use crate::message::is_known_type;
use crate::message::media_bytes::type_of_base64;

use super::mask;

/// Facts of an item, masked where they may be content.
#[derive(Clone, Debug, Default)]
pub(super) struct ItemFacts {
    pub kind: Option<String>,
    pub id: Option<String>,
    pub call_id: Option<String>,
    /// Characters of the whole ids, of which only the beginnings may be printed.
    pub id_length: Option<usize>,
    pub call_id_length: Option<usize>,
    pub name: Option<String>,
    pub role: Option<String>,
    pub approval: Option<String>,
    pub checks: Option<String>,
    pub shape: Option<String>,
    /// The value itself, if it is a string.
    pub text: Option<String>,
    /// If it is an image, a sound, a video or a file.
    pub media: Option<MediaFacts>,
}

/// Facts of an image, a sound, a video or a file.
#[derive(Clone, Debug)]
pub(super) struct MediaFacts {
    /// The type of the part, or the member that shows what it is.
    pub name: String,
    /// The media type that it declares, or that its name or URL shows.
    pub mime: Option<String>,
    /// The media type of its bytes.
    pub bytes_type: Option<&'static str>,
}

impl MediaFacts {
    fn of(part: &MediaPart<'_>) -> MediaFacts {
        let key =
            || part.val.members().next().map(|member| mask::word(&String::from_utf8_lossy(&member.key.decode())));
        let mime = part.declared_type().or_else(|| part.likely_type().map(str::to_owned));
        MediaFacts {
            name: word(part.val.get("type")).or_else(key).unwrap_or_default(),
            mime: mime.map(|mime| if is_known_type(&mime) { mime } else { mask::word(&mime) }),
            bytes_type: part.data().and_then(|data| type_of_base64(&data)),
        }
    }
}

/// A string of an item, masked.
fn text(val: Option<Val<'_>>, mask: fn(&str) -> String) -> Option<String> {
    val.and_then(|val| val.text()).map(|text| mask(&String::from_utf8_lossy(&text)))
}

/// A key, a type, a role or a state, masked.
pub(super) fn word(val: Option<Val<'_>>) -> Option<String> {
    text(val, mask::word)
}

fn id(val: Option<Val<'_>>) -> Option<String> {
    text(val, mask::id)
}

/// Reads the facts of an item; its shape only if asked for.
pub(super) fn read_facts(item: Val<'_>, names: Option<ItemIds<'_>>, with_shape: bool) -> ItemFacts {
    let (own_id, own_call_id) = match names {
        Some(names) => (names.id, names.key),
        None => (item.get("id").and_then(|id| id.as_str()), call_id_of(item)),
    };
    let kind = word(item.get("type")).or_else(|| item.get("role").map(|_| "message".to_owned()));
    let checks = item.get("pending_safety_checks").map(|checks| {
        let ids = checks.elements().filter_map(|check| id(check.get("id")));
        ids.map(|id| format!("'{id}'")).collect::<Vec<_>>().join(", ")
    });
    ItemFacts {
        kind,
        id: own_id.map(masked_id),
        call_id: own_call_id.map(masked_id),
        id_length: own_id.map(|id| id.characters()),
        call_id_length: own_call_id.map(|id| id.characters()),
        name: text(NAMES.iter().find_map(|path| item.at(path)), mask::name),
        role: word(item.get("role")),
        approval: id(item.get("approval_request_id")),
        checks,
        shape: with_shape.then(|| shape(item, 2)),
        text: id(Some(item)),
        media: media_parts::part(item).map(|part| MediaFacts::of(&part)),
    }
}

/// The id that pairs call and output, in any dialect.
pub(super) fn call_id(item: Val<'_>) -> Option<String> {
    call_id_of(item).map(masked_id)
}

fn call_id_of(item: Val<'_>) -> Option<Str<'_>> {
    // Anthropic's calls pair by their own id.
    let own = || item.get("id").filter(|_| item.get("type").is_some_and(|kind| kind.is("tool_use")));
    CALL_IDS.iter().find_map(|path| item.at(path)).or_else(own)?.as_str()
}

fn masked_id(id: Str<'_>) -> String {
    mask::id(&String::from_utf8_lossy(&id.decode()))
}

/// Where the dialects store the id that pairs call and output, and a tool's name.
const CALL_IDS: [&[&str]; 9] = [
    &["call_id"],
    &["tool_call_id"],
    &["tool_use_id"],
    &["toolUse", "toolUseId"],
    &["toolResult", "toolUseId"],
    &["functionCall", "id"],
    &["functionResponse", "id"],
    &["function_call", "id"],
    &["function_response", "id"],
];
const NAMES: [&[&str]; 8] = [
    &["name"],
    &["function", "name"],
    &["custom", "name"],
    &["toolUse", "name"],
    &["functionCall", "name"],
    &["functionResponse", "name"],
    &["function_call", "name"],
    &["function_response", "name"],
];

/// The shape of a value in words, without its content; of lists also their first element, to a number of levels.
fn shape(val: Val<'_>, levels: u32) -> String {
    match val.kind() {
        NodeKind::Object => {
            let mut keys: Vec<String> = val
                .members()
                .take(8)
                .map(|member| mask::word(&String::from_utf8_lossy(&member.key.decode())))
                .collect();
            if val.count() as usize > keys.len() {
                keys.push("…".to_owned());
            }
            match keys.is_empty() {
                true => "an empty object".to_owned(),
                false => format!(
                    "an object with the {} {}",
                    if keys.len() == 1 { "key" } else { "keys" },
                    keys.join(", ")
                ),
            }
        }
        NodeKind::Array => match val.elements().next() {
            Some(first) if levels > 0 => format!("a list that begins with {}", shape(first, levels - 1)),
            Some(_) => "a list".to_owned(),
            None => "an empty list".to_owned(),
        },
        NodeKind::String => "a string".to_owned(),
        NodeKind::Number => "a number".to_owned(),
        NodeKind::Null => "null".to_owned(),
        NodeKind::True | NodeKind::False => "a boolean".to_owned(),
    }
}
