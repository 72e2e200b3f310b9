//! Bytes that are owned, or wait in a store: a conversation may be larger than memory, and most of it is only copied.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::io;
use std::sync::Arc;

use crate::source::bytes::overflow::Overflow;

/// Shorter bytes are not worth a place in the store.
const LONG: usize = 64;

/// Where long bytes wait.
#[derive(Clone)]
pub struct Store(Arc<Overflow>);

/// Bytes, here or in a store.
#[derive(Clone)]
pub enum Held {
    Here(Box<[u8]>),
    /// In a box, so that what is here, as nearly all is, takes no more room for it.
    Away(Box<Away>),
}

/// Bytes in a store.
#[derive(Clone)]
pub struct Away {
    store: Store,
    at: u64,
    len: u32,
    first: u8,
}

const _: () = assert!(size_of::<Held>() == size_of::<Box<[u8]>>());

impl Store {
    /// Fails where there is no folder for temporary files.
    pub fn new() -> io::Result<Store> {
        Ok(Store(Arc::new(Overflow::new()?)))
    }

    /// Why something that was put away cannot be read again.
    pub fn failure(&self) -> Option<io::Error> {
        self.0.failure()
    }
}

/// What may go to a store, once there is too much for memory.
#[derive(Default)]
pub struct Aside {
    /// How many bytes are held in memory, at least.
    held: usize,
    store: Option<Store>,
}

/// As many bytes are held in memory.
const IN_MEMORY: usize = 8 << 20;

impl Aside {
    /// Where the next bytes go, unless they stay. Without a folder for temporary files all of them do.
    pub fn place_for(&mut self, size: impl FnOnce() -> usize) -> Option<&Store> {
        if self.held < IN_MEMORY {
            self.held += size();
            return None;
        }
        if self.store.is_none() {
            self.store = Store::new().ok();
        }
        self.store.as_ref()
    }

    pub fn store(&self) -> Option<&Store> {
        self.store.as_ref()
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Store")
    }
}

impl Held {
    pub fn bytes(&self) -> Cow<'_, [u8]> {
        match self {
            Held::Here(bytes) => Cow::Borrowed(bytes),
            Held::Away(away) => Cow::Owned(away.store.0.get(away.at, away.len as usize)),
        }
    }

    pub fn size(&self) -> usize {
        match self {
            Held::Here(bytes) => bytes.len(),
            Held::Away(away) => away.len as usize,
        }
    }

    pub fn first(&self) -> Option<u8> {
        match self {
            Held::Here(bytes) => bytes.first().copied(),
            Held::Away(away) => Some(away.first),
        }
    }

    /// Puts long bytes into a store. They stay where they are if that takes no more.
    pub fn put_away(&mut self, store: &Store) {
        let Held::Here(bytes) = self else { return };
        let Ok(len) = u32::try_from(bytes.len()) else { return };
        if let Some(&first) = bytes.first().filter(|_| bytes.len() >= LONG)
            && let Ok(at) = store.0.append(bytes)
        {
            *self = Held::Away(Box::new(Away { store: store.clone(), at, len, first }));
        }
    }
}

impl Default for Held {
    fn default() -> Self {
        Held::Here(Box::default())
    }
}

impl PartialEq for Held {
    fn eq(&self, other: &Self) -> bool {
        self.size() == other.size() && self.bytes() == other.bytes()
    }
}

impl Eq for Held {}

impl Hash for Held {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bytes().hash(state);
    }
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.bytes().fmt(f)
    }
}
