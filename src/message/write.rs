//! Writes JSON on one line, from texts and values that are copied as they stand.

use crate::json::string;
use crate::source::bytes::spool::Outlet;

use super::{Raw, Text};

/// Appends to a buffer. Commas come by themselves.
pub struct Writer<'o> {
    pub out: &'o mut Vec<u8>,
    /// Where the beginning goes once it gets too long, and from which length on.
    outlet: Option<&'o Outlet>,
    most: usize,
}

impl<'o> Writer<'o> {
    pub fn new(out: &'o mut Vec<u8>) -> Self {
        Writer { out, outlet: None, most: usize::MAX }
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
        self.texts(&[&text.raw()]);
    }

    /// One string of several pieces, each as it stands between quotes.
    pub fn texts(&mut self, pieces: &[&[u8]]) {
        self.comma();
        self.out.push(b'"');
        for piece in pieces {
            self.out.extend_from_slice(piece);
        }
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
        self.bytes(&raw.bytes());
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
        let mut line = Vec::new();
        Writer::new(&mut line).raw(json);
        self.plain(&String::from_utf8_lossy(&line));
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
