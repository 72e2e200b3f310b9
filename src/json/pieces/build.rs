//! Values that are built, rather than merged: objects and lists of other pieces, texts, JSON in a string and out of it.

use std::collections::HashMap;

use crate::json::edit::Base;
use crate::json::provenance::{Provenance, Run, Written};
use crate::json::{Val, is_json, string};
use crate::place::Place;

use super::{Pieced, What};

impl Pieced {
    /// A string that was made up. It is named by this place.
    pub fn text(text: &str, from: Place) -> Pieced {
        Pieced { from, what: What::Raw { json: string::quoted(text), says: Vec::new() } }
    }

    /// A string that says the value at this place in other words.
    pub fn reworded(text: &str, from: Place) -> Pieced {
        Pieced { from, what: What::Raw { json: string::quoted(text), says: vec![from] } }
    }

    /// The value `true`, which a flag, a state or an error at this place says.
    pub fn flag(from: Place) -> Pieced {
        Pieced { from, what: What::Raw { json: b"true".to_vec(), says: vec![from] } }
    }

    /// A list of these elements.
    pub fn list_of(elements: Vec<Pieced>, from: Place) -> Pieced {
        Pieced { from, what: What::List { elements, slots: HashMap::new() } }
    }

    /// The object with one member more. The key is written as it stands.
    pub fn with(mut self, key: &str, val: Pieced) -> Pieced {
        if let What::Object(members) = &mut self.what {
            members.push((key.as_bytes().into(), val));
        }
        self
    }

    /// The object with a copy of a value as one member more, if there is such a value.
    pub fn with_copy(self, key: &str, val: Option<Val<'_>>, base: Base<'_>) -> Pieced {
        match val {
            Some(val) => self.with(key, Pieced::of(val, base)),
            None => self,
        }
    }

    /// A string that spells a value.
    pub fn spelled(val: Val<'_>, base: Base<'_>) -> Pieced {
        let spelled = String::from_utf8_lossy(val.raw());
        let from = base.of(val);
        Pieced { from, what: What::Raw { json: string::quoted(&spelled), says: vec![from] } }
    }

    /// The value that a string spells; the string itself if it spells none. What is no string is copied.
    pub fn unspelled(val: Val<'_>, base: Base<'_>) -> Pieced {
        match val.text().filter(|text| val.is_string() && is_json(text)) {
            Some(_) => {
                let mut what = What::text(true);
                what.grow(val, base);
                Pieced { from: base.of(val), what }
            }
            None => Pieced::of(val, base),
        }
    }

    /// Where it began.
    pub fn place(&self) -> Place {
        self.from
    }

    /// A string that spells this value; a string stays as it is.
    pub fn spelling(self) -> Pieced {
        match &self.what {
            What::Text { json: false, .. } => return self,
            What::Raw { json, .. } if json.starts_with(b"\"") => return self,
            _ => {}
        }
        let mut written = Written::default();
        self.write(&mut written);
        let json = string::quoted(&String::from_utf8_lossy(&written.text));
        let spans = written.spans.iter().filter(|span| span.provenance != Provenance::Named);
        Pieced { from: self.from, what: What::Raw { json, says: spans.map(|span| span.from).collect() } }
    }

    /// A value as a text: a string is copied, of anything else the JSON is spelled.
    pub fn as_text(val: Val<'_>, base: Base<'_>) -> Pieced {
        if val.is_string() { Pieced::of(val, base) } else { Pieced::spelled(val, base) }
    }

    /// A stretch of a string, by the offsets in its text between the quotes.
    pub fn stretch(val: Val<'_>, from: usize, to: usize, base: Base<'_>) -> Pieced {
        let mut what = What::text(false);
        let inner = val.as_str().and_then(|text| text.raw.get(from..to));
        if let (What::Text { raw, runs, .. }, Some(inner)) = (&mut what, inner) {
            let start = val.start() + 1 + from as u32;
            let from = base.place(start, start + inner.len() as u32);
            runs.push(Run { at: 0, from, provenance: Provenance::Copied });
            raw.extend_from_slice(inner);
        }
        Pieced { from: base.of(val), what }
    }

    /// Strings in a row, with a text between each two.
    pub fn joined(parts: Vec<Pieced>, between: &str, from: Place) -> Pieced {
        let quoted = string::quoted(between);
        let between = inside(&quoted);
        let (mut text, mut spans) = (Vec::new(), Vec::new());
        for (n, part) in parts.into_iter().enumerate() {
            if n > 0 {
                spans.push(Run { at: offset(&text), from: part.from, provenance: Provenance::Named });
                text.extend_from_slice(between);
            }
            let start = offset(&text);
            match part.what {
                What::Text { raw, runs, .. } => {
                    spans.extend(runs.into_iter().map(|run| Run { at: start.saturating_add(run.at), ..run }));
                    text.extend_from_slice(&raw);
                }
                What::Raw { json, says } => {
                    let respelled = |from| Run { at: start, from, provenance: Provenance::Respelled };
                    spans.extend(says.into_iter().map(respelled));
                    spans.push(Run { at: start, from: part.from, provenance: Provenance::Named });
                    text.extend_from_slice(inside(&json));
                }
                What::Object(_) | What::List { .. } => {}
            }
        }
        Pieced { from, what: What::Text { raw: text, runs: spans, json: false } }
    }

    /// An address that holds the content itself, in base64.
    pub fn data_url(mime: Pieced, data: Pieced, from: Place) -> Pieced {
        let parts = vec![Pieced::text("data:", from), mime, Pieced::text(";base64,", from), data];
        Pieced::joined(parts, "", from)
    }

    /// The same value, named by another place.
    pub fn at_place(self, from: Place) -> Pieced {
        Pieced { from, ..self }
    }
}

fn offset(text: &[u8]) -> u32 {
    u32::try_from(text.len()).unwrap_or(u32::MAX)
}

/// A string without its quotes.
fn inside(quoted: &[u8]) -> &[u8] {
    quoted.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\"")).unwrap_or_default()
}
