//! Matching of members at a path inside a value, and their edits. Matches are data, so that a table of them can be
//! checked, reported and repaired by one engine. This module knows nothing of conversations.

use std::borrow::Cow;

use crate::place::Edit;

use super::edit::{RecordBase, Sequence, SequenceSlot, WrongKind, add_member};
use super::names::name;
use super::string;
use super::tape::{NodeKind, Val};

/// A step of a path that matches every element of a list.
pub const EACH: &str = "*";
/// A last step that matches every key that begins with an underscore.
pub const PRIVATE: &str = "_";

/// Matches members at a path whose values pass a test.
#[derive(PartialEq, Eq, Debug)]
pub struct MemberMatch {
    /// Keys from the value down, [`EACH`] or [`PRIVATE`].
    pub path: &'static [&'static str],
    /// Only elements with these `type`s; empty: all.
    pub parts: &'static [&'static str],
    pub is: ValueTest,
}

/// A test of a member's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueTest {
    /// The member is missing.
    Missing,
    /// The member exists.
    Present,
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
    NonEmptyList,
    OneOf(&'static [&'static str]),
    /// A text other than these.
    NoneOf(&'static [&'static str]),
    /// A text of more than this many characters.
    LongerThan(u32),
}

impl ValueTest {
    /// True if a value, or its absence (`None`), passes the test.
    pub fn passes(self, val: Option<Val<'_>>) -> bool {
        let Some(val) = val else { return self == ValueTest::Missing };
        match self {
            ValueTest::Missing => false,
            ValueTest::Present => true,
            ValueTest::Null => val.is_null(),
            ValueTest::NotNull => !val.is_null(),
            ValueTest::Object => val.is_object(),
            ValueTest::Scalar => matches!(val.kind(), NodeKind::Number | NodeKind::True | NodeKind::False),
            ValueTest::NotText => !val.is_string(),
            ValueTest::NotList => !val.is_array(),
            ValueTest::EmptyText => val.as_str().is_some_and(|text| text.is_empty()),
            ValueTest::Empty => {
                val.is_null() || val.is_string() && val.size() == 2 || val.is_array() && val.count() == 0
            }
            ValueTest::NonEmptyList => val.is_array() && val.count() > 0,
            ValueTest::OneOf(texts) => {
                val.as_str().is_some_and(|text| texts.iter().any(|t| text.is(t.as_bytes())))
            }
            ValueTest::NoneOf(texts) => {
                val.as_str().is_some_and(|text| !texts.iter().any(|t| text.is(t.as_bytes())))
            }
            // No text has more characters than bytes.
            ValueTest::LongerThan(most) => {
                val.size() > most && val.as_str().is_some_and(|text| text.characters() > most as usize)
            }
        }
    }
}

/// Values that surely fail a test, by their kind and size.
#[derive(Clone, Copy, Debug)]
pub struct ValueExclusion {
    /// A bit mask of kinds.
    kinds: u8,
    /// Minimum length of a string in bytes, with its quotes.
    least: u32,
    most: u32,
}

impl ValueExclusion {
    /// True if a value surely fails.
    #[inline(always)]
    pub fn is(self, val: Val<'_>) -> bool {
        self.kinds >> val.kind() as u8 & 1 == 1
            && (!val.is_string() || (self.least..=self.most).contains(&val.size()))
    }

    /// The values that are in both sets.
    pub fn and(self, other: ValueExclusion) -> ValueExclusion {
        let (least, most) = (self.least.max(other.least), self.most.min(other.most));
        ValueExclusion { kinds: self.kinds & other.kinds, least, most }
    }

    /// All values.
    pub const ALL: ValueExclusion = ValueExclusion { kinds: u8::MAX, least: 0, most: u32::MAX };
}

impl ValueTest {
    /// The values that surely fail the test.
    pub fn exclusion(self) -> ValueExclusion {
        use NodeKind as K;
        let but = |kinds: &[NodeKind]| ValueExclusion {
            kinds: kinds.iter().fold(u8::MAX, |all, kind| all & !(1 << *kind as u8)),
            ..ValueExclusion::ALL
        };
        match self {
            ValueTest::Missing => ValueExclusion::ALL,
            ValueTest::Present => ValueExclusion { kinds: 0, ..ValueExclusion::ALL },
            ValueTest::Null => but(&[K::Null]),
            ValueTest::NotNull => but(&[K::Object, K::Array, K::String, K::Number, K::True, K::False]),
            ValueTest::Object => but(&[K::Object]),
            ValueTest::Scalar => but(&[K::Number, K::True, K::False]),
            ValueTest::NotText => but(&[K::Object, K::Array, K::Number, K::True, K::False, K::Null]),
            ValueTest::NotList => but(&[K::Object, K::String, K::Number, K::True, K::False, K::Null]),
            ValueTest::EmptyText => ValueExclusion { least: 3, ..ValueExclusion::ALL },
            ValueTest::Empty => ValueExclusion { least: 3, ..but(&[K::Null, K::Array]) },
            ValueTest::NonEmptyList => but(&[K::Array]),
            ValueTest::OneOf(_) | ValueTest::NoneOf(_) => but(&[K::String]),
            ValueTest::LongerThan(most) => ValueExclusion { most, ..ValueExclusion::ALL },
        }
    }
}

/// An edit of a matched member.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MemberEdit {
    /// Remove it.
    Remove,
    /// Set it to this JSON text.
    Json(Cow<'static, str>),
    /// Set it to its own JSON text as a string.
    Quote,
    /// Truncate the text to this many characters, and append how many were left out.
    Truncate(u32),
}

/// A matched member, which may be missing.
pub struct MatchedMember<'t> {
    /// The object that contains it.
    pub holder: Val<'t>,
    /// `None` for a member that is missing.
    pub val: Option<Val<'t>>,
    /// The path, with numbers: `content[0].text`.
    pub path: String,
}

impl MemberMatch {
    /// Calls `see` for each match, in order.
    pub fn for_each_match<'t>(&self, root: Val<'t>, see: &mut dyn FnMut(MatchedMember<'t>)) {
        self.walk(root, self.path, String::new(), see);
    }

    /// The first match.
    pub fn first<'t>(&self, root: Val<'t>) -> Option<MatchedMember<'t>> {
        let mut first = None;
        self.for_each_match(root, &mut |found| {
            first.get_or_insert(found);
        });
        first
    }

    /// True if an element of a list has one of the `parts` types.
    pub fn accepts_element(&self, element: Val<'_>) -> bool {
        self.parts.is_empty()
            || element.get(name::r#type).is_some_and(|own| self.parts.iter().any(|part| own.is(part)))
    }

    fn walk<'t>(&self, at: Val<'t>, path: &[&str], prefix: String, see: &mut dyn FnMut(MatchedMember<'t>)) {
        let Some((&step, rest)) = path.split_first() else { return };
        if step == EACH {
            for (n, element) in at.elements().enumerate().filter(|(_, element)| self.accepts_element(*element)) {
                self.walk(element, rest, format!("{prefix}[{n}]"), see);
            }
            return;
        }
        let below = |key: &str| if prefix.is_empty() { key.to_owned() } else { format!("{prefix}.{key}") };
        if step == PRIVATE {
            for member in at.members().filter(|member| member.key.raw.starts_with(b"_")) {
                let path = below(&String::from_utf8_lossy(&member.key.decode()));
                see(MatchedMember { holder: at, val: Some(member.val), path });
            }
            return;
        }
        let val = at.get(step);
        if !rest.is_empty() {
            if let Some(val) = val {
                self.walk(val, rest, below(step), see);
            }
        } else if at.is_object() && self.is.passes(val) {
            see(MatchedMember { holder: at, val, path: below(step) });
        }
    }

    /// Appends the edits of all matches.
    pub fn edit(
        &self,
        root: Val<'_>,
        to: &MemberEdit,
        base: RecordBase<'_>,
        out: &mut Vec<Edit>,
    ) -> Result<(), WrongKind> {
        let mut done = Ok(());
        let mut holders: Vec<(u32, Vec<u32>)> = Vec::new();
        self.for_each_match(root, &mut |found| match (to, found.val) {
            (MemberEdit::Remove, Some(val)) => match holders.last_mut() {
                Some((start, gone)) if *start == found.holder.start() => gone.push(val.start()),
                _ => holders.push((found.holder.start(), vec![val.start()])),
            },
            (MemberEdit::Remove, None) => {}
            (_, None) => {
                if let (MemberEdit::Json(text), Some(key)) = (to, self.path.last()) {
                    let member = [&*string::quoted(key), b":", text.as_bytes()].concat();
                    done = done.and(add_member(found.holder, member, base, out));
                }
            }
            (_, Some(val)) => out.push(Edit::replace(base.of(val), edited_text(val, to))),
        });
        if !holders.is_empty() {
            // Members of one object are removed in one edit: adjacent edits would share a comma.
            self.for_each_match(root, &mut |found| {
                if let Some(at) = holders.iter().position(|(start, _)| *start == found.holder.start()) {
                    let (_, gone) = holders.remove(at);
                    done = done.and(remove(found.holder, &gone, base, out));
                }
            });
        }
        done
    }
}

fn remove(object: Val<'_>, gone: &[u32], base: RecordBase<'_>, out: &mut Vec<Edit>) -> Result<(), WrongKind> {
    let stays = |(n, member): (usize, super::tape::Member<'_>)| {
        (!gone.contains(&member.val.start())).then_some(SequenceSlot::Keep(n as u32))
    };
    let slots = object.members().enumerate().filter_map(stays).collect();
    Sequence::of_object(object, base)?.edit(slots, out);
    Ok(())
}

fn edited_text(val: Val<'_>, to: &MemberEdit) -> Vec<u8> {
    match to {
        MemberEdit::Remove => Vec::new(),
        MemberEdit::Json(text) => text.as_bytes().to_vec(),
        MemberEdit::Quote => string::quoted(&String::from_utf8_lossy(val.raw())),
        MemberEdit::Truncate(most) => {
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
    use crate::place::{DocId, Patch};

    fn edited(text: &str, spot: &MemberMatch, to: MemberEdit) -> String {
        let mut tape = Tape::new();
        scan(text.as_bytes(), &mut tape).expect("JSON");
        let mut edits = Vec::new();
        let root = tape.root(text.as_bytes()).expect("scanned");
        assert_eq!(spot.edit(root, &to, RecordBase::new(DocId(0), 0), &mut edits), Ok(()));
        let mut patch = Patch::default();
        assert!(patch.add(edits).is_empty());
        String::from_utf8(patch.apply(DocId(0), text.as_bytes())).expect("UTF-8")
    }

    #[test]
    fn what_is_surely_other_is_never_as_said() {
        let texts =
            ["{}", r#"{"a":1}"#, "[]", "[1]", r#""""#, r#""a""#, r#""long""#, "1", "true", "false", "null"];
        let all = [
            ValueTest::Present,
            ValueTest::Null,
            ValueTest::NotNull,
            ValueTest::Object,
            ValueTest::Scalar,
            ValueTest::NotText,
            ValueTest::NotList,
            ValueTest::EmptyText,
            ValueTest::Empty,
            ValueTest::NonEmptyList,
            ValueTest::OneOf(&["a"]),
            ValueTest::NoneOf(&["a"]),
            ValueTest::LongerThan(3),
        ];
        for is in all {
            let mut prefix = 0;
            for text in texts {
                let mut tape = Tape::new();
                scan(text.as_bytes(), &mut tape).expect("JSON");
                let val = tape.root(text.as_bytes()).expect("scanned");
                let other = is.exclusion().is(val);
                assert!(!other || !is.passes(Some(val)), "{is:?} of {text}");
                assert!(!other || !is.exclusion().and(ValueTest::Present.exclusion()).is(val));
                prefix += usize::from(other);
            }
            assert!(prefix > 0 || is == ValueTest::Present, "{is:?} is sure of nothing");
        }
    }

    #[test]
    fn members_go_wherever_the_path_leads() {
        let spot = MemberMatch { path: &["content", EACH, "parsed"], parts: &["a"], is: ValueTest::Present };
        let text = r#"{"content":[{"type":"a","parsed":1},{"type":"b","parsed":2},{"parsed":null,"type":"a"}]}"#;
        assert_eq!(
            edited(text, &spot, MemberEdit::Remove),
            r#"{"content":[{"type":"a"},{"type":"b","parsed":2},{"type":"a"}]}"#
        );
        let private = MemberMatch { path: &[PRIVATE], parts: &[], is: ValueTest::Present };
        assert_eq!(edited(r#"{"_a":1,"b":2,"_c":3}"#, &private, MemberEdit::Remove), r#"{"b":2}"#);
        assert_eq!(edited(r#"{"_a":1,"_c":3}"#, &private, MemberEdit::Remove), "{}");
    }

    #[test]
    fn members_are_set_quoted_and_cut() {
        let missing = MemberMatch { path: &["content", EACH, "annotations"], parts: &[], is: ValueTest::Missing };
        let text = r#"{"content":[{"type":"a"},{"annotations":[1]}]}"#;
        assert_eq!(
            edited(text, &missing, MemberEdit::Json("[]".into())),
            r#"{"content":[{"type":"a","annotations":[]},{"annotations":[1]}]}"#
        );
        let object = MemberMatch { path: &["output"], parts: &[], is: ValueTest::Object };
        assert_eq!(
            edited(r#"{"output":{"a": "b"}}"#, &object, MemberEdit::Quote),
            r#"{"output":"{\"a\": \"b\"}"}"#
        );
        let long = MemberMatch { path: &["output"], parts: &[], is: ValueTest::LongerThan(3) };
        assert_eq!(
            edited(r#"{"output":"äöüß"}"#, &long, MemberEdit::Truncate(2)),
            r#"{"output":"äö\n[2 characters were left out]"}"#
        );
        assert_eq!(edited(r#"{"output":"äöü"}"#, &long, MemberEdit::Truncate(2)), r#"{"output":"äöü"}"#);
    }

    #[test]
    fn what_is_found_is_told_with_its_path() {
        let text = r#"{"content":[{"type":"a"},{"type":"b","x":{}}]}"#;
        let mut tape = Tape::new();
        scan(text.as_bytes(), &mut tape).expect("JSON");
        let root = tape.root(text.as_bytes()).expect("scanned");
        let spot = MemberMatch { path: &["content", EACH, "x"], parts: &[], is: ValueTest::Object };
        assert_eq!(spot.first(root).map(|found| found.path).as_deref(), Some("content[1].x"));
        let none = MemberMatch { path: &["content"], parts: &[], is: ValueTest::Missing };
        assert!(none.first(root).is_none());
    }
}
