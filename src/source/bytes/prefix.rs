//! The first bytes of a doc, as a doc.

use std::io;

use super::read::ReadAt;

pub struct Prefix {
    of: Box<dyn ReadAt>,
    len: u64,
}

impl Prefix {
    pub fn new(of: Box<dyn ReadAt>, len: u64) -> Self {
        Prefix { len: len.min(of.len()), of }
    }
}

impl ReadAt for Prefix {
    fn len(&self) -> u64 {
        self.len
    }

    fn is_cut(&self) -> bool {
        self.of.is_cut() && self.len == self.of.len()
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
        let prefix = Prefix::new(Box::new(b"abcdef".to_vec()), 3);
        let mut buf = [0; 6];
        assert_eq!((prefix.len(), prefix.read_at(1, &mut buf)?, buf[..2].to_vec()), (3, 2, b"bc".to_vec()));
        assert_eq!((prefix.read_at(3, &mut buf)?, prefix.read_at(9, &mut buf)?), (0, 0));
        assert_eq!(Prefix::new(Box::new(b"ab".to_vec()), 9).len(), 2);
        Ok(())
    }
}
