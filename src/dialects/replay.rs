//! What logs of other systems become when they are replayed: items of the Responses API, as texts, and what of the log
//! is not replayed, with its place.

use crate::dialect::Replayed;
use crate::json::edit::Base;
use crate::json::{Val, string};
use crate::place::Place;

impl Replayed {
    pub fn leave(&mut self, val: Val<'_>, base: Base<'_>, why: &'static str) {
        self.left_out.push((base.of(val), why));
    }

    /// Leaves out what has no result.
    pub fn leave_unanswered(&mut self, val: Val<'_>, base: Base<'_>, why: &'static str) {
        self.unanswered.push(base.of(val));
        self.leave(val, base, why);
    }

    /// A response of the model ends here.
    pub fn end_of_response(&mut self) {
        self.ends.push(self.items.len());
    }

    /// Adds an item of members whose values are JSON already, made of what lies here.
    pub fn item(&mut self, members: &[(&str, Vec<u8>)], here: Place) {
        self.add(object(members), here);
    }

    pub fn add(&mut self, item: Vec<u8>, here: Place) {
        self.items.push(item);
        self.made_of.push(here);
    }
}

/// An object of members whose values are JSON already.
pub fn object(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut out = vec![b'{'];
    for (n, (key, value)) in members.iter().enumerate() {
        out.extend_from_slice(if n == 0 { b"\"" } else { b",\"" });
        out.extend_from_slice(key.as_bytes());
        out.extend_from_slice(b"\":");
        out.extend_from_slice(value);
    }
    out.push(b'}');
    out
}

pub fn array(elements: &[Vec<u8>]) -> Vec<u8> {
    [b"[", &*elements.join(&b","[..]), b"]"].concat()
}

/// A value as it stands, on one line.
pub fn raw(val: Val<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    string::one_line(val.raw(), &mut out);
    out
}

/// The text of a string; what is no text in it becomes U+FFFD.
pub fn text(val: Val<'_>) -> Option<String> {
    val.text().map(|text| String::from_utf8_lossy(&text).into_owned())
}

pub fn quoted(text: &str) -> Vec<u8> {
    string::quoted(text)
}

/// Data of a media type, as a URL that holds it.
pub fn data_url(media_type: &str, base64: &str) -> Vec<u8> {
    quoted(&format!("data:{media_type};base64,{base64}"))
}

/// A part of a message that holds data: an image, or a file with a name.
pub fn data_part(media_type: &str, base64: &str, name: Option<String>) -> Vec<u8> {
    let url = data_url(media_type, base64);
    if media_type.starts_with("image/") {
        return object(&[("type", quoted("input_image")), ("image_url", url)]);
    }
    // The API wants a name beside the data of a file.
    let name = name.unwrap_or_else(|| format!("file.{}", media_type.rsplit('/').next().unwrap_or("bin")));
    object(&[("type", quoted("input_file")), ("filename", quoted(&name)), ("file_data", url)])
}

pub fn text_part(kind: &str, text: &str) -> Vec<u8> {
    object(&[("type", quoted(kind)), ("text", quoted(text))])
}
