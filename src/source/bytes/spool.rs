//! What is written piece by piece, and read again: in memory, and beyond a few megabytes in a file without a name.

use std::cell::RefCell;
use std::io::{self, Write};

use super::overflow::Overflow;
use super::read::ReadAt;

/// As much is held in memory.
const IN_MEMORY: usize = 8 << 20;
/// What comes after that is moved to the file in such steps.
const STEP: usize = 256 << 10;

/// Where the beginning of a text goes that gets too long. By default nowhere: it stays in memory.
#[derive(Default)]
pub struct Outlet(RefCell<State>);

#[derive(Default)]
enum State {
    #[default]
    Closed,
    /// So many bytes are held before there is a file.
    Open(usize),
    Used(Overflow),
    Failed(io::Error),
}

impl Outlet {
    pub fn open() -> Outlet {
        Outlet::beyond(IN_MEMORY)
    }

    fn beyond(bytes: usize) -> Outlet {
        Outlet(RefCell::new(State::Open(bytes)))
    }

    /// From which length on a text is to be [relieved](Outlet::relieve).
    pub fn most(&self) -> usize {
        match &*self.0.borrow() {
            State::Closed => usize::MAX,
            State::Open(most) => *most,
            State::Used(_) | State::Failed(_) => STEP,
        }
    }

    /// How much went here.
    pub fn moved(&self) -> usize {
        match &*self.0.borrow() {
            State::Used(file) => usize::try_from(ReadAt::len(file)).unwrap_or(usize::MAX),
            State::Closed | State::Open(_) | State::Failed(_) => 0,
        }
    }

    /// Takes the beginning of a text, and leaves its last byte.
    pub fn relieve(&self, text: &mut Vec<u8>) {
        let Some((_, start)) = text.split_last() else { return };
        let mut state = self.0.borrow_mut();
        if let State::Open(_) = &*state {
            match Overflow::new() {
                Ok(file) => *state = State::Used(file),
                // Without a folder for temporary files all stays in memory.
                Err(_) => {
                    *state = State::Closed;
                    return;
                }
            }
        }
        if let State::Used(file) = &*state
            && let Err(error) = file.append(start)
        {
            *state = State::Failed(unwritten(&error));
        }
        if matches!(*state, State::Used(_) | State::Failed(_)) {
            text.drain(..text.len() - 1);
            text.shrink_to(STEP * 2);
        }
    }

    /// All of a text whose beginning went here.
    pub fn close(self, rest: Vec<u8>) -> io::Result<Spool> {
        match self.0.into_inner() {
            State::Used(file) => {
                file.append(&rest).map_err(|error| unwritten(&error))?;
                Ok(Spool(Held::File(file)))
            }
            State::Failed(error) => Err(error),
            State::Closed | State::Open(_) => Ok(Spool(Held::Memory(rest))),
        }
    }
}

fn unwritten(error: &io::Error) -> io::Error {
    let words = format!("a temporary file could not be written: {error} (set TMPDIR to a folder with room)");
    io::Error::new(error.kind(), words)
}

/// A text that was written.
pub struct Spool(Held);

enum Held {
    Memory(Vec<u8>),
    File(Overflow),
}

impl Default for Spool {
    fn default() -> Self {
        Spool(Held::Memory(Vec::new()))
    }
}

impl From<Vec<u8>> for Spool {
    fn from(bytes: Vec<u8>) -> Self {
        Spool(Held::Memory(bytes))
    }
}

impl Spool {
    pub fn is_empty(&self) -> bool {
        ReadAt::len(self) == 0
    }

    /// Holds nothing but white space.
    pub fn is_blank(&self) -> bool {
        match &self.0 {
            Held::Memory(bytes) => bytes.trim_ascii().is_empty(),
            Held::File(_) => false,
        }
    }

    /// A copy of all of these bytes.
    pub fn of(bytes: &dyn ReadAt) -> io::Result<Spool> {
        let (outlet, mut text, mut at) = (Outlet::open(), Vec::new(), 0);
        let mut buf = Vec::new();
        while at < bytes.len() {
            let want = (bytes.len() - at).min(STEP as u64) as usize;
            bytes.read_into(at, want, &mut buf)?;
            text.extend_from_slice(&buf);
            at += want as u64;
            if text.len() > outlet.most() {
                outlet.relieve(&mut text);
            }
        }
        outlet.close(text)
    }

    /// Hands over all of it, piece by piece.
    pub fn each(&self, take: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let file = match &self.0 {
            Held::Memory(bytes) => return take(bytes),
            Held::File(file) => file,
        };
        let (mut at, len, mut buf) = (0, ReadAt::len(file), Vec::new());
        while at < len {
            let want = (len - at).min(STEP as u64) as usize;
            file.read_into(at, want, &mut buf)?;
            take(&buf)?;
            at += want as u64;
        }
        Ok(())
    }

    pub fn copy_to(&self, out: &mut dyn Write) -> io::Result<()> {
        self.each(&mut |bytes| out.write_all(bytes))
    }

    /// All of it, in memory.
    pub fn into_bytes(self) -> io::Result<Vec<u8>> {
        match self.0 {
            Held::Memory(bytes) => Ok(bytes),
            Held::File(file) => {
                let mut bytes = Vec::new();
                file.read_into(0, ReadAt::len(&file) as usize, &mut bytes)?;
                Ok(bytes)
            }
        }
    }
}

impl ReadAt for Spool {
    fn len(&self) -> u64 {
        match &self.0 {
            Held::Memory(bytes) => ReadAt::len(bytes),
            Held::File(file) => ReadAt::len(file),
        }
    }

    fn read_at(&self, start: u64, buf: &mut [u8]) -> io::Result<usize> {
        match &self.0 {
            Held::Memory(bytes) => bytes.read_at(start, buf),
            Held::File(file) => file.read_at(start, buf),
        }
    }

    fn in_memory(&self) -> Option<&[u8]> {
        match &self.0 {
            Held::Memory(bytes) => Some(bytes),
            Held::File(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_goes_to_a_file_and_comes_back_whole() -> io::Result<()> {
        for most in [usize::MAX, 1 << 20, 1000] {
            let outlet = if most == usize::MAX { Outlet::default() } else { Outlet::beyond(most) };
            let (mut text, mut whole) = (Vec::new(), Vec::new());
            for n in 0..3000u32 {
                let piece = vec![n as u8; 700];
                whole.extend_from_slice(&piece);
                text.extend_from_slice(&piece);
                if text.len() > outlet.most() {
                    outlet.relieve(&mut text);
                    assert_eq!(text, [n as u8]);
                }
            }
            let spool = outlet.close(text)?;
            assert_eq!(spool.in_memory().is_some(), most == usize::MAX);
            let mut copy = Vec::new();
            spool.copy_to(&mut copy)?;
            assert!(copy == whole && spool.into_bytes()? == whole, "{most}");
        }
        Ok(())
    }
}
