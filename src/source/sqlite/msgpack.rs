//! MessagePack as JSON: cells of LangGraph's checkpoints. An object that was constructed is written as LangChain dumps one:
//! `{"lc":1,"type":"constructor","id":[module…, class],"kwargs":…}`.

use crate::json::string;

/// Maximum nesting depth.
const DEEPEST: u32 = 256;

/// Maximum ratio of the length of the JSON to that of the cell.
const MOST_RATIO: usize = 64;

/// True if bytes begin like a MessagePack map. No UTF-8 text does.
pub(super) fn is_map(bytes: &[u8]) -> bool {
    matches!(bytes.first(), Some(0x80..=0x8f | 0xde | 0xdf))
}

/// Converts MessagePack to JSON; `None` if the bytes are not exactly one value.
pub(super) fn json(bytes: &[u8]) -> Option<Vec<u8>> {
    let most = bytes.len().saturating_mul(MOST_RATIO).saturating_add(1 << 10);
    let mut reader = MsgpackReader { rest: bytes, out: Vec::with_capacity(bytes.len()), most };
    reader.value(0)?;
    reader.rest.is_empty().then_some(reader.out)
}

struct MsgpackReader<'b> {
    rest: &'b [u8],
    out: Vec<u8>,
    most: usize,
}

impl<'b> MsgpackReader<'b> {
    fn read_bytes(&mut self, len: usize) -> Option<&'b [u8]> {
        let (own, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(own)
    }

    /// A big-endian number of this many bytes.
    fn number(&mut self, bytes: usize) -> Option<u64> {
        Some(self.read_bytes(bytes)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn length(&mut self, bytes: usize) -> Option<usize> {
        usize::try_from(self.number(bytes)?).ok()
    }

    fn value(&mut self, depth: u32) -> Option<()> {
        if depth > DEEPEST || self.out.len() > self.most {
            return None;
        }
        let kind = *self.read_bytes(1)?.first()?;
        match kind {
            0x00..=0x7f => self.write(kind),
            0x80..=0x8f => return self.map(usize::from(kind & 0x0f), depth),
            0x90..=0x9f => return self.list(usize::from(kind & 0x0f), depth),
            0xa0..=0xbf => return self.text(usize::from(kind & 0x1f)),
            0xc0 => self.out.extend_from_slice(b"null"),
            0xc2 => self.out.extend_from_slice(b"false"),
            0xc3 => self.out.extend_from_slice(b"true"),
            0xc4..=0xc6 => {
                let len = self.length(1 << (kind - 0xc4))?;
                return self.bytes(len);
            }
            0xc7..=0xc9 => {
                let len = self.length(1 << (kind - 0xc7))?;
                return self.constructed(len, depth);
            }
            0xca => {
                let bits = u32::try_from(self.number(4)?).ok()?;
                self.float(f64::from(f32::from_bits(bits)));
            }
            0xcb => {
                let bits = self.number(8)?;
                self.float(f64::from_bits(bits));
            }
            0xcc..=0xcf => {
                let number = self.number(1 << (kind - 0xcc))?;
                self.write(number);
            }
            0xd0..=0xd3 => {
                let bytes = 1usize << (kind - 0xd0);
                let shift = 64 - 8 * bytes as u32;
                let number = (self.number(bytes)? << shift) as i64 >> shift;
                self.write(number);
            }
            0xd4..=0xd8 => return self.constructed(1 << (kind - 0xd4), depth),
            0xd9..=0xdb => {
                let len = self.length(1 << (kind - 0xd9))?;
                return self.text(len);
            }
            0xdc | 0xdd => {
                let len = self.length(2 << (kind - 0xdc))?;
                return self.list(len, depth);
            }
            0xde | 0xdf => {
                let len = self.length(2 << (kind - 0xde))?;
                return self.map(len, depth);
            }
            0xe0..=0xff => self.write(kind as i8),
            0xc1 => return None,
        }
        Some(())
    }

    fn write(&mut self, number: impl ToString) {
        self.out.extend_from_slice(number.to_string().as_bytes());
    }

    /// JSON has only finite numbers.
    fn float(&mut self, number: f64) {
        match number.is_finite() {
            true => self.write(number),
            false => self.out.extend_from_slice(b"null"),
        }
    }

    fn text(&mut self, len: usize) -> Option<()> {
        let text = self.read_bytes(len)?;
        self.out.extend_from_slice(&string::quoted(&String::from_utf8_lossy(text)));
        Some(())
    }

    /// JSON has no type for bytes: a string with their number is written instead.
    fn bytes(&mut self, len: usize) -> Option<()> {
        self.read_bytes(len)?;
        self.out.extend_from_slice(&string::quoted(&format!("({len} bytes)")));
        Some(())
    }

    fn list(&mut self, len: usize, depth: u32) -> Option<()> {
        self.out.push(b'[');
        for n in 0..len {
            if n > 0 {
                self.out.push(b',');
            }
            self.value(depth + 1)?;
        }
        self.out.push(b']');
        Some(())
    }

    fn map(&mut self, len: usize, depth: u32) -> Option<()> {
        self.out.push(b'{');
        for n in 0..len {
            if n > 0 {
                self.out.push(b',');
            }
            let start = self.out.len();
            self.value(depth + 1)?;
            if self.out.get(start) != Some(&b'"') {
                // A key that is not a string is written as the JSON text of its value.
                let key = string::quoted(&String::from_utf8_lossy(self.out.get(start..)?));
                self.out.truncate(start);
                self.out.extend_from_slice(&key);
            }
            self.out.push(b':');
            self.value(depth + 1)?;
        }
        self.out.push(b'}');
        Some(())
    }

    /// An object by its class: `[module, class, arguments, …]`, itself MessagePack.
    fn constructed(&mut self, len: usize, depth: u32) -> Option<()> {
        // The kind of constructor.
        self.read_bytes(1)?;
        let own = self.read_bytes(len)?;
        let mut inner =
            MsgpackReader { rest: own, out: Vec::new(), most: self.most.saturating_sub(self.out.len()) };
        match inner.class(depth + 1) {
            Some(()) => self.out.append(&mut inner.out),
            None => self.out.extend_from_slice(&string::quoted(&format!("({len} bytes)"))),
        }
        Some(())
    }

    fn class(&mut self, depth: u32) -> Option<()> {
        let len = match *self.read_bytes(1)?.first()? {
            kind @ 0x93..=0x9f => usize::from(kind & 0x0f),
            _ => return None,
        };
        let mut names = Vec::new();
        for _ in 0..2 {
            let mut name = MsgpackReader { rest: self.rest, out: Vec::new(), most: self.most };
            name.value(depth)?;
            self.rest = name.rest;
            names.push(String::from_utf8(name.out).ok()?);
        }
        let module = names.first()?.trim_matches('"').replace('.', "\",\"");
        self.out.extend_from_slice(b"{\"lc\":1,\"type\":\"constructor\",\"id\":[\"");
        self.out.extend_from_slice(module.as_bytes());
        self.out.extend_from_slice(b"\",");
        self.out.extend_from_slice(names.get(1)?.as_bytes());
        self.out.extend_from_slice(b"],\"kwargs\":");
        self.value(depth)?;
        self.out.push(b'}');
        for _ in 3..len {
            let kept = self.out.len();
            self.value(depth)?;
            self.out.truncate(kept);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> Option<String> {
        json(bytes).map(|json| String::from_utf8(json).expect("UTF-8"))
    }

    #[test]
    fn each_kind_of_value_is_written() {
        assert_eq!(
            text(b"\x83\xa1a\x01\xa1b\xff\x03\x93\xc0\xc3\xcb\x3f\xf8\0\0\0\0\0\0").as_deref(),
            Some("{\"a\":1,\"b\":-1,\"3\":[null,true,1.5]}")
        );
        assert_eq!(text(b"\x93\xd1\xff\xfe\xcd\x01\x00\xc4\x02ab").as_deref(), Some("[-2,256,\"(2 bytes)\"]"));
        assert_eq!(text(b"\xca\x7f\x80\0\0").as_deref(), Some("null"));
    }

    #[test]
    fn an_object_is_written_as_langchain_dumps_it() {
        let inner = b"\x94\xa3m.n\xa1C\x81\xa1x\x01\xa4more";
        let bytes = [&[0xc7, inner.len() as u8, 5], &inner[..]].concat();
        assert_eq!(
            text(&bytes).as_deref(),
            Some(r#"{"lc":1,"type":"constructor","id":["m","n","C"],"kwargs":{"x":1}}"#)
        );
    }

    #[test]
    fn what_is_cut_or_too_deep_is_refused() {
        let whole = b"\x82\xa1a\x92\x01\xa2bc\xa1d\xd9\x02ef";
        for len in 0..whole.len() {
            assert_eq!(json(&whole[..len]), None, "{len}");
        }
        assert_eq!(json(&[0x91; 1000]), None);
        assert_eq!(json(b"\xdd\xff\xff\xff\xff\x01"), None);
    }
}
