//! Writes JSON on one line, from texts and values that are copied unchanged.

use crate::json::edit::RecordBase;
use crate::json::provenance::{Provenance, ProvenanceSpan, TracedText, ValueOrigin, decode};
use crate::json::string;
use crate::json::{Val, is_json};
use crate::place::Place;
use crate::source::bytes::spool::SpoolSink;

use super::{RawJson, Text};

/// Appends JSON to a buffer, with commas where they belong.
pub struct JsonWriter<'o> {
    pub out: &'o mut Vec<u8>,
    /// The origin of the written text, if it is tracked.
    spans: Option<&'o mut Vec<ProvenanceSpan>>,
    /// The place at which synthetic text is reported.
    place: Place,
    /// The file for the beginning of the text, and the length from which it is used.
    outlet: Option<&'o SpoolSink>,
    limit: usize,
}

impl<'o> JsonWriter<'o> {
    pub fn new(out: &'o mut Vec<u8>) -> Self {
        JsonWriter { out, spans: None, place: Place::default(), outlet: None, limit: usize::MAX }
    }

    /// Writes the values of a store, and tracks their origin.
    pub fn tracing(written: &'o mut TracedText, place: Place) -> Self {
        JsonWriter { spans: Some(&mut written.spans), place, ..JsonWriter::new(&mut written.text) }
    }

    /// Sets the place at which synthetic text is reported from now on.
    pub fn set_place(&mut self, at: Place) {
        self.place = at;
    }

    /// True if origins are tracked: then each text needs a place of its own.
    pub fn is_tracing(&self) -> bool {
        self.spans.is_some()
    }

    fn span(&mut self, from: Place, provenance: Provenance) {
        if let Some(spans) = &mut self.spans {
            spans.push(ProvenanceSpan { at: self.out.len() as u64, from, provenance });
        }
    }

    /// Records the origin of the value that is written next.
    fn origin(&mut self, origin: Option<&ValueOrigin>) {
        if let (Some(spans), Some(origin)) = (&mut self.spans, origin) {
            let start = self.out.len() as u64;
            spans.extend(origin.runs.iter().map(|run| run.span(start + u64::from(run.at))));
        }
    }

    /// The same writer, for text that may be too large for memory.
    pub fn with_outlet(self, outlet: &'o SpoolSink) -> Self {
        JsonWriter { limit: outlet.threshold(), outlet: Some(outlet), ..self }
    }

    fn flush_overflow(&mut self) {
        if self.out.len() > self.limit
            && let Some(outlet) = self.outlet
        {
            outlet.spill_from(self.out);
            self.limit = outlet.threshold();
        }
    }

    /// The number of bytes written.
    pub fn written_len(&self) -> usize {
        self.outlet.map_or(0, SpoolSink::spilled_len) + self.out.len()
    }

    /// Appends JSON that was written elsewhere, without a comma.
    pub fn append(&mut self, written: &[u8]) {
        self.flush_overflow();
        self.out.extend_from_slice(written);
    }

    fn comma(&mut self) {
        self.flush_overflow();
        // After one of these no comma is due; every value ends in something else.
        if !matches!(self.out.last(), None | Some(b'{' | b'[' | b':' | b'\n')) {
            self.out.push(b',');
        }
        self.span(self.place, Provenance::Named);
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

    /// Writes a key that needs no escapes. Its value comes next.
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

    /// Writes a plain text as a string.
    pub fn plain(&mut self, text: &str) {
        self.comma();
        string::encode(text, self.out);
    }

    pub fn bool(&mut self, value: bool) {
        self.bytes(if value { b"true" } else { b"false" });
    }

    pub fn raw(&mut self, raw: &RawJson) {
        let Some(origin) = raw.origin().filter(|_| self.spans.is_some()) else { return self.bytes(&raw.bytes()) };
        self.comma();
        self.span(origin.whole, Provenance::Named);
        self.origin(Some(origin));
        self.out.extend_from_slice(&raw.bytes());
    }

    /// Copies a value of a store.
    pub fn copy(&mut self, val: Val<'_>, base: RecordBase<'_>) {
        self.raw(&RawJson::copied(val, base));
    }

    /// Writes a text that is JSON as that value, any other as a string.
    pub fn text_as_value(&mut self, text: &Text) {
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

    /// Writes a value unchanged, but on one line.
    pub fn bytes(&mut self, json: &[u8]) {
        self.comma();
        match memchr::memchr2(b'\n', b'\r', json) {
            Some(_) => string::one_line(json, self.out),
            None => self.out.extend_from_slice(json),
        }
    }

    /// Writes a value as the text of a string, as the arguments of a call.
    pub fn value_as_text(&mut self, json: &RawJson) {
        self.text(&json.to_text());
    }
}

impl RawJson {
    /// JSON that is built from the values of a store. A problem in synthetic text of it is reported at this place.
    pub fn build(at: Place, write: impl FnOnce(&mut JsonWriter<'_>)) -> RawJson {
        let mut written = TracedText::default();
        write(&mut JsonWriter::tracing(&mut written, at));
        RawJson::of_written(written, at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_come_by_themselves() {
        let mut out = Vec::new();
        JsonWriter::new(&mut out).object(|w| {
            w.key("a").array(|w| {
                w.plain("x{");
                w.bytes(b"[1,\n 2]");
                w.object(|_| {});
            });
            w.key("b").value_as_text(&RawJson::new(*b"{\"c\": \"d\"}"));
        });
        assert_eq!(String::from_utf8_lossy(&out), r#"{"a":["x{",[1,2],{}],"b":"{\"c\": \"d\"}"}"#);
    }
}
