//! The first bytes of a doc, as a doc.

use std::io;

use super::read::ReadAt;

/// The first bytes of other bytes.
pub struct DocPrefix {
    of: Box<dyn ReadAt>,
    len: u64,
}

impl DocPrefix {
    pub fn new(of: Box<dyn ReadAt>, len: u64) -> Self {
        DocPrefix { len: len.min(of.len()), of }
    }
}

impl ReadAt for DocPrefix {
    fn len(&self) -> u64 {
        self.len
    }

    fn is_truncated(&self) -> bool {
        self.of.is_truncated() && self.len == self.of.len()
    }

    fn close(&self) {
        self.of.close();
    }

    fn read_at(&self, start: u64, buf: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.len.saturating_sub(start)).unwrap_or(usize::MAX).min(buf.len());
        self.of.read_at(start, buf.split_at_mut(left).0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_read_behind_the_end() -> io::Result<()> {
        let prefix = DocPrefix::new(Box::new(b"abcdef".to_vec()), 3);
        let mut buf = [0; 6];
        assert_eq!((prefix.len(), prefix.read_at(1, &mut buf)?, buf[..2].to_vec()), (3, 2, b"bc".to_vec()));
        assert_eq!((prefix.read_at(3, &mut buf)?, prefix.read_at(9, &mut buf)?), (0, 0));
        assert_eq!(DocPrefix::new(Box::new(b"ab".to_vec()), 9).len(), 2);
        Ok(())
    }
}
