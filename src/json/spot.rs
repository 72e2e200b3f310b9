//! Spots: members at a path inside a value, what must stand there, and what to make of them. A spot is data, so that a
//! table of them can be checked, reported and repaired by one engine. It knows no domain.

use std::borrow::Cow;

use crate::place::Edit;

use super::edit::{Base, Sequence, Slot, WrongKind, add_member};
use super::names::name;
use super::string;
use super::tape::{NodeKind, Val};

/// A step of a path that stands for every element of a list.
pub const EACH: &str = "*";
/// A last step that stands for every key that begins with an underscore.
pub const PRIVATE: &str = "_";

/// Members at a path, if what is there is as said.
#[derive(PartialEq, Eq, Debug)]
pub struct Spot {
    /// Keys from the value down; [`EACH`] goes into a list, [`PRIVATE`] stands for a kind of key.
    pub path: &'static [&'static str],
    /// Of the elements of the list only those of these `type`s; empty: all.
    pub parts: &'static [&'static str],
    pub is: Is,
}

/// What is at a spot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Is {
    /// The member is not there.
    Missing,
    /// It is there, whatever it holds.
    There,
    Null,
    NotNull,
    Object,
    /// A number or a boolean.
    Scalar,
    /// Neither a text nor absent.
    NotText,
    NotList,
    EmptyText,
    /// Null, an empty text or an empty list.
    Empty,
    FilledList,
    OneOf(&'static [&'static str]),
    /// A text, and none of these.
    NoneOf(&'static [&'static str]),
    /// A text of more characters.
    Longer(u32),
}

impl Is {
    /// Whether a member, or that there is none, is as said.
    pub fn holds(self, val: Option<Val<'_>>) -> bool {
        let Some(val) = val else { return self == Is::Missing };
        match self {
            Is::Missing => false,
            Is::There => true,
            Is::Null => val.is_null(),
            Is::NotNull => !val.is_null(),
            Is::Object => val.is_object(),
            Is::Scalar => matches!(val.kind(), NodeKind::Number | NodeKind::True | NodeKind::False),
            Is::NotText => !val.is_string(),
            Is::NotList => !val.is_array(),
            Is::EmptyText => val.as_str().is_some_and(|text| text.is_empty()),
            Is::Empty => val.is_null() || val.is_string() && val.size() == 2 || val.is_array() && val.count() == 0,
            Is::FilledList => val.is_array() && val.count() > 0,
            Is::OneOf(texts) => val.as_str().is_some_and(|text| texts.iter().any(|t| text.is(t.as_bytes()))),
            Is::NoneOf(texts) => val.as_str().is_some_and(|text| !texts.iter().any(|t| text.is(t.as_bytes()))),
            // No text has more characters than bytes.
            Is::Longer(most) => {
                val.size() > most && val.as_str().is_some_and(|text| text.characters() > most as usize)
            }
        }
    }
}

/// Values of which one can be sure, by their kind and size, that they are not as said.
#[derive(Clone, Copy, Debug)]
pub struct Other {
    /// A bit for each kind.
    kinds: u8,
    /// Bytes of a string with its quotes.
    least: u32,
    most: u32,
}

impl Other {
    /// Whether a value is one.
    #[inline(always)]
    pub fn is(self, val: Val<'_>) -> bool {
        self.kinds >> val.kind() as u8 & 1 == 1
            && (!val.is_string() || (self.least..=self.most).contains(&val.size()))
    }

    /// Those that are other for both.
    pub fn and(self, other: Other) -> Other {
        let (least, most) = (self.least.max(other.least), self.most.min(other.most));
        Other { kinds: self.kinds & other.kinds, least, most }
    }

    /// All values.
    pub const ALL: Other = Other { kinds: u8::MAX, least: 0, most: u32::MAX };
}

impl Is {
    /// Values that are surely not so.
    pub fn other(self) -> Other {
        use NodeKind as K;
        let but = |kinds: &[NodeKind]| Other {
            kinds: kinds.iter().fold(u8::MAX, |all, kind| all & !(1 << *kind as u8)),
            ..Other::ALL
        };
        match self {
            Is::Missing => Other::ALL,
            Is::There => Other { kinds: 0, ..Other::ALL },
            Is::Null => but(&[K::Null]),
            Is::NotNull => but(&[K::Object, K::Array, K::String, K::Number, K::True, K::False]),
            Is::Object => but(&[K::Object]),
            Is::Scalar => but(&[K::Number, K::True, K::False]),
            Is::NotText => but(&[K::Object, K::Array, K::Number, K::True, K::False, K::Null]),
            Is::NotList => but(&[K::Object, K::String, K::Number, K::True, K::False, K::Null]),
            Is::EmptyText => Other { least: 3, ..Other::ALL },
            Is::Empty => Other { least: 3, ..but(&[K::Null, K::Array]) },
            Is::FilledList => but(&[K::Array]),
            Is::OneOf(_) | Is::NoneOf(_) => but(&[K::String]),
            Is::Longer(most) => Other { most, ..Other::ALL },
        }
    }
}

/// What becomes of a member.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum To {
    /// It goes.
    Gone,
    /// This JSON text is there.
    Json(Cow<'static, str>),
    /// Its JSON text, as a string.
    Quoted,
    /// As many characters of the text, and how many went.
    Cut(u32),
}

/// A member that is at a spot, or would be.
pub struct Found<'t> {
    /// The object that holds it.
    pub holder: Val<'t>,
    /// `None` for a member that is missing.
    pub val: Option<Val<'t>>,
    /// The path, with numbers: `content[0].text`.
    pub path: String,
}

impl Spot {
    /// Calls `see` for each member at the spot, in order.
    pub fn each<'t>(&self, root: Val<'t>, see: &mut dyn FnMut(Found<'t>)) {
        self.walk(root, self.path, String::new(), see);
    }

    /// The first member at the spot.
    pub fn first<'t>(&self, root: Val<'t>) -> Option<Found<'t>> {
        let mut first = None;
        self.each(root, &mut |found| {
            first.get_or_insert(found);
        });
        first
    }

    /// Whether an element of the list is one of those that are meant.
    pub fn takes(&self, element: Val<'_>) -> bool {
        self.parts.is_empty()
            || element.get(name::r#type).is_some_and(|own| self.parts.iter().any(|part| own.is(part)))
    }

    fn walk<'t>(&self, at: Val<'t>, path: &[&str], told: String, see: &mut dyn FnMut(Found<'t>)) {
        let Some((&step, rest)) = path.split_first() else { return };
        if step == EACH {
            for (n, element) in at.elements().enumerate().filter(|(_, element)| self.takes(*element)) {
                self.walk(element, rest, format!("{told}[{n}]"), see);
            }
            return;
        }
        let below = |key: &str| if told.is_empty() { key.to_owned() } else { format!("{told}.{key}") };
        if step == PRIVATE {
            for member in at.members().filter(|member| member.key.raw.starts_with(b"_")) {
                let path = below(&String::from_utf8_lossy(&member.key.decode()));
                see(Found { holder: at, val: Some(member.val), path });
            }
            return;
        }
        let val = at.get(step);
        if !rest.is_empty() {
            if let Some(val) = val {
                self.walk(val, rest, below(step), see);
            }
        } else if at.is_object() && self.is.holds(val) {
            see(Found { holder: at, val, path: below(step) });
        }
    }

    /// The edits that make something of all members at the spot.
    pub fn edit(&self, root: Val<'_>, to: &To, base: Base<'_>, out: &mut Vec<Edit>) -> Result<(), WrongKind> {
        let mut done = Ok(());
        let mut holders: Vec<(u32, Vec<u32>)> = Vec::new();
        self.each(root, &mut |found| match (to, found.val) {
            (To::Gone, Some(val)) => match holders.last_mut() {
                Some((start, gone)) if *start == found.holder.start() => gone.push(val.start()),
                _ => holders.push((found.holder.start(), vec![val.start()])),
            },
            (To::Gone, None) => {}
            (_, None) => {
                if let (To::Json(text), Some(key)) = (to, self.path.last()) {
                    let member = [&*string::quoted(key), b":", text.as_bytes()].concat();
                    done = done.and(add_member(found.holder, member, base, out));
                }
            }
            (_, Some(val)) => out.push(Edit::replace(base.of(val), made_of(val, to))),
        });
        if !holders.is_empty() {
            // Members of one object go in one edit: edits side by side would share a comma.
            self.each(root, &mut |found| {
                if let Some(at) = holders.iter().position(|(start, _)| *start == found.holder.start()) {
                    let (_, gone) = holders.remove(at);
                    done = done.and(remove(found.holder, &gone, base, out));
                }
            });
        }
        done
    }
}

fn remove(object: Val<'_>, gone: &[u32], base: Base<'_>, out: &mut Vec<Edit>) -> Result<(), WrongKind> {
    let stays = |(n, member): (usize, super::tape::Member<'_>)| {
        (!gone.contains(&member.val.start())).then_some(Slot::Keep(n as u32))
    };
    let slots = object.members().enumerate().filter_map(stays).collect();
    Sequence::of_object(object, base)?.edit(slots, out);
    Ok(())
}

fn made_of(val: Val<'_>, to: &To) -> Vec<u8> {
    match to {
        To::Gone => Vec::new(),
        To::Json(text) => text.as_bytes().to_vec(),
        To::Quoted => string::quoted(&String::from_utf8_lossy(val.raw())),
        To::Cut(most) => {
            let text = val.text().unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            let kept: String = text.chars().take(*most as usize).collect();
            let left_out = string::characters(text.as_bytes()).saturating_sub(*most as usize);
            string::quoted(&format!("{kept}\n[{left_out} characters were left out]"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Tape, scan};
    use super::*;
    use crate::place::{DocId, Patch, Pieces, With};

    fn edited(text: &str, spot: &Spot, to: To) -> String {
        let mut tape = Tape::new();
        scan(text.as_bytes(), &mut tape).expect("JSON");
        let mut edits = Vec::new();
        let root = tape.root(text.as_bytes()).expect("scanned");
        assert_eq!(spot.edit(root, &to, Base::new(DocId(0), 0), &mut edits), Ok(()));
        let mut patch = Patch::default();
        assert!(patch.add(edits).is_empty());
        let pieces = Pieces::new(patch.edits(DocId(0)), DocId(0), text.len() as u64);
        let mut out = Vec::new();
        let _: Result<(), ()> = pieces.walk(0, pieces.len(), |with| {
            match with {
                With::Text(new) => out.extend_from_slice(new),
                With::Copy(at) => out.extend_from_slice(&text.as_bytes()[at.start as usize..at.end() as usize]),
            }
            Ok(())
        });
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn what_is_surely_other_is_never_as_said() {
        let texts =
            ["{}", r#"{"a":1}"#, "[]", "[1]", r#""""#, r#""a""#, r#""long""#, "1", "true", "false", "null"];
        let all = [
            Is::There,
            Is::Null,
            Is::NotNull,
            Is::Object,
            Is::Scalar,
            Is::NotText,
            Is::NotList,
            Is::EmptyText,
            Is::Empty,
            Is::FilledList,
            Is::OneOf(&["a"]),
            Is::NoneOf(&["a"]),
            Is::Longer(3),
        ];
        for is in all {
            let mut told = 0;
            for text in texts {
                let mut tape = Tape::new();
                scan(text.as_bytes(), &mut tape).expect("JSON");
                let val = tape.root(text.as_bytes()).expect("scanned");
                let other = is.other().is(val);
                assert!(!other || !is.holds(Some(val)), "{is:?} of {text}");
                assert!(!other || !is.other().and(Is::There.other()).is(val));
                told += usize::from(other);
            }
            assert!(told > 0 || is == Is::There, "{is:?} is sure of nothing");
        }
    }

    #[test]
    fn members_go_wherever_the_path_leads() {
        let spot = Spot { path: &["content", EACH, "parsed"], parts: &["a"], is: Is::There };
        let text = r#"{"content":[{"type":"a","parsed":1},{"type":"b","parsed":2},{"parsed":null,"type":"a"}]}"#;
        assert_eq!(
            edited(text, &spot, To::Gone),
            r#"{"content":[{"type":"a"},{"type":"b","parsed":2},{"type":"a"}]}"#
        );
        let private = Spot { path: &[PRIVATE], parts: &[], is: Is::There };
        assert_eq!(edited(r#"{"_a":1,"b":2,"_c":3}"#, &private, To::Gone), r#"{"b":2}"#);
        assert_eq!(edited(r#"{"_a":1,"_c":3}"#, &private, To::Gone), "{}");
    }

    #[test]
    fn members_are_set_quoted_and_cut() {
        let missing = Spot { path: &["content", EACH, "annotations"], parts: &[], is: Is::Missing };
        let text = r#"{"content":[{"type":"a"},{"annotations":[1]}]}"#;
        assert_eq!(
            edited(text, &missing, To::Json("[]".into())),
            r#"{"content":[{"type":"a","annotations":[]},{"annotations":[1]}]}"#
        );
        let object = Spot { path: &["output"], parts: &[], is: Is::Object };
        assert_eq!(edited(r#"{"output":{"a": "b"}}"#, &object, To::Quoted), r#"{"output":"{\"a\": \"b\"}"}"#);
        let long = Spot { path: &["output"], parts: &[], is: Is::Longer(3) };
        assert_eq!(
            edited(r#"{"output":"äöüß"}"#, &long, To::Cut(2)),
            r#"{"output":"äö\n[2 characters were left out]"}"#
        );
        assert_eq!(edited(r#"{"output":"äöü"}"#, &long, To::Cut(2)), r#"{"output":"äöü"}"#);
    }

    #[test]
    fn what_is_found_is_told_with_its_path() {
        let text = r#"{"content":[{"type":"a"},{"type":"b","x":{}}]}"#;
        let mut tape = Tape::new();
        scan(text.as_bytes(), &mut tape).expect("JSON");
        let root = tape.root(text.as_bytes()).expect("scanned");
        let spot = Spot { path: &["content", EACH, "x"], parts: &[], is: Is::Object };
        assert_eq!(spot.first(root).map(|found| found.path).as_deref(), Some("content[1].x"));
        let none = Spot { path: &["content"], parts: &[], is: Is::Missing };
        assert!(none.first(root).is_none());
    }
}
