//! Writes JSON on one line, from texts and values that are copied as they stand.

use crate::json::edit::Base;
use crate::json::provenance::{Origin, Provenance, Span, Written, decode};
use crate::json::string;
use crate::json::{Val, is_json};
use crate::place::Place;
use crate::source::bytes::spool::Outlet;

use super::{Raw, Text};

/// Appends to a buffer. Commas come by themselves.
pub struct Writer<'o> {
    pub out: &'o mut Vec<u8>,
    /// Where what is written came from, if that is asked for.
    spans: Option<&'o mut Vec<Span>>,
    /// What is made up is reported here.
    here: Place,
    /// Where the beginning goes once it gets too long, and from which length on.
    outlet: Option<&'o Outlet>,
    most: usize,
}

impl<'o> Writer<'o> {
    pub fn new(out: &'o mut Vec<u8>) -> Self {
        Writer { out, spans: None, here: Place::default(), outlet: None, most: usize::MAX }
    }

    /// Writes the values of a store, and where they came from.
    pub fn tracing(written: &'o mut Written, here: Place) -> Self {
        Writer { spans: Some(&mut written.spans), here, ..Writer::new(&mut written.text) }
    }

    /// What is made up from now on is reported here.
    pub fn here(&mut self, at: Place) {
        self.here = at;
    }

    /// Whether it is noted where what is written came from: then each text has a place of its own.
    pub fn is_tracing(&self) -> bool {
        self.spans.is_some()
    }

    fn span(&mut self, from: Place, provenance: Provenance) {
        if let Some(spans) = &mut self.spans {
            spans.push(Span { at: self.out.len() as u64, from, provenance });
        }
    }

    /// Notes where the value comes from that is written next.
    fn origin(&mut self, origin: Option<&Origin>) {
        if let (Some(spans), Some(origin)) = (&mut self.spans, origin) {
            let start = self.out.len() as u64;
            spans.extend(origin.runs.iter().map(|run| run.span(start + u64::from(run.at))));
        }
    }

    /// The same, for what may be too long for memory.
    pub fn relieved(self, outlet: &'o Outlet) -> Self {
        Writer { most: outlet.most(), outlet: Some(outlet), ..self }
    }

    fn relieve(&mut self) {
        if self.out.len() > self.most
            && let Some(outlet) = self.outlet
        {
            outlet.relieve(self.out);
            self.most = outlet.most();
        }
    }

    /// How much was written.
    pub fn written(&self) -> usize {
        self.outlet.map_or(0, Outlet::moved) + self.out.len()
    }

    /// Appends what was written elsewhere, as it is.
    pub fn append(&mut self, written: &[u8]) {
        self.relieve();
        self.out.extend_from_slice(written);
    }

    fn comma(&mut self) {
        self.relieve();
        // What ends in one of these is open; every value ends in something else.
        if !matches!(self.out.last(), None | Some(b'{' | b'[' | b':' | b'\n')) {
            self.out.push(b',');
        }
        self.span(self.here, Provenance::Named);
    }

    pub fn object(&mut self, write: impl FnOnce(&mut Self)) {
        self.comma();
        self.out.push(b'{');
        write(self);
        self.out.push(b'}');
    }

    pub fn array(&mut self, write: impl FnOnce(&mut Self)) {
        self.comma();
        self.out.push(b'[');
        write(self);
        self.out.push(b']');
    }

    /// A key of our own: nothing in it needs an escape. Its value comes next.
    pub fn key(&mut self, key: &str) -> &mut Self {
        self.comma();
        self.out.push(b'"');
        self.out.extend_from_slice(key.as_bytes());
        self.out.extend_from_slice(b"\":");
        self
    }

    pub fn text(&mut self, text: &Text) {
        self.comma();
        if let Some(origin) = text.origin() {
            self.span(origin.whole, Provenance::Named);
        }
        self.out.push(b'"');
        self.origin(text.origin());
        self.out.extend_from_slice(&text.raw());
        self.out.push(b'"');
    }

    /// A plain text of our own.
    pub fn plain(&mut self, text: &str) {
        self.comma();
        string::encode(text, self.out);
    }

    pub fn bool(&mut self, value: bool) {
        self.bytes(if value { b"true" } else { b"false" });
    }

    pub fn raw(&mut self, raw: &Raw) {
        let Some(origin) = raw.origin().filter(|_| self.spans.is_some()) else { return self.bytes(&raw.bytes()) };
        self.comma();
        self.span(origin.whole, Provenance::Named);
        self.origin(Some(origin));
        self.out.extend_from_slice(&raw.bytes());
    }

    /// A copy of a value of a store.
    pub fn copy(&mut self, val: Val<'_>, base: Base<'_>) {
        self.raw(&Raw::copied(val, base));
    }

    /// The value that a text spells; the text as a string if it spells none.
    pub fn spelled(&mut self, text: &Text) {
        let plain = text.plain();
        if !is_json(&plain) {
            return self.text(text);
        }
        let Some(origin) = text.origin().filter(|_| self.spans.is_some()) else { return self.bytes(&plain) };
        self.comma();
        self.span(origin.whole, Provenance::Named);
        if let Some(spans) = &mut self.spans {
            decode(&text.raw(), &origin.runs, self.out, spans);
        }
    }

    /// A value as it stands, but on one line.
    pub fn bytes(&mut self, json: &[u8]) {
        self.comma();
        match memchr::memchr2(b'\n', b'\r', json) {
            Some(_) => string::one_line(json, self.out),
            None => self.out.extend_from_slice(json),
        }
    }

    /// A value as the text of a string: the arguments of a call.
    pub fn quoted(&mut self, json: &Raw) {
        self.text(&json.spelled());
    }
}

impl Raw {
    /// JSON that is put together of what a store holds. What is made up in it is reported at this place.
    pub fn build(at: Place, write: impl FnOnce(&mut Writer<'_>)) -> Raw {
        let mut written = Written::default();
        write(&mut Writer::tracing(&mut written, at));
        Raw::of_written(written, at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_come_by_themselves() {
        let mut out = Vec::new();
        Writer::new(&mut out).object(|w| {
            w.key("a").array(|w| {
                w.plain("x{");
                w.bytes(b"[1,\n 2]");
                w.object(|_| {});
            });
            w.key("b").quoted(&Raw::new(*b"{\"c\": \"d\"}"));
        });
        assert_eq!(String::from_utf8_lossy(&out), r#"{"a":["x{",[1,2],{}],"b":"{\"c\": \"d\"}"}"#);
    }
}
