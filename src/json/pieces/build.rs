//! Values that are built, rather than merged: objects and lists of other pieces, texts, JSON in a string and out of it.

use std::collections::HashMap;

use crate::json::edit::Base;
use crate::json::{Val, string};
use crate::place::Place;

use super::{Pieced, Run, What, is_json};

impl Pieced {
    /// A string. It is named by this place.
    pub fn text(text: &str, from: Place) -> Pieced {
        Pieced { from, what: What::Raw(string::quoted(text)) }
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
        Pieced { from: base.of(val), what: What::Raw(string::quoted(&spelled)) }
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

    /// A value as a text: a string is copied, of anything else the JSON is spelled.
    pub fn as_text(val: Val<'_>, base: Base<'_>) -> Pieced {
        if val.is_string() { Pieced::of(val, base) } else { Pieced::spelled(val, base) }
    }

    /// The strings in a row, with a text between each two.
    pub fn joined(parts: &[Val<'_>], between: &str, base: Base<'_>, from: Place) -> Pieced {
        let mut what = What::text(false);
        for (n, part) in parts.iter().enumerate() {
            if n > 0
                && let What::Text { raw, runs, .. } = &mut what
            {
                runs.push(Run { at: u32::try_from(raw.len()).unwrap_or(u32::MAX), from: base.of(*part) });
                let quoted = string::quoted(between);
                raw.extend_from_slice(quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default());
            }
            what.grow(*part, base);
        }
        Pieced { from, what }
    }

    /// The same value, named by another place.
    pub fn at_place(self, from: Place) -> Pieced {
        Pieced { from, ..self }
    }
}
