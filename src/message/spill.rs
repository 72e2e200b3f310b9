//! Bytes that are owned, or wait in a store: a conversation may be larger than memory, and most of it is only copied.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::io;
use std::sync::Arc;

use crate::json::provenance::Origin;
use crate::source::bytes::overflow::Overflow;

/// Shorter bytes are not worth a place in the store.
const LONG: usize = 64;

/// Where long bytes wait.
#[derive(Clone)]
pub struct Store(Arc<Overflow>);

/// Bytes, here or in a store, and where they came from.
#[derive(Clone)]
pub enum Held {
    Here(Box<[u8]>),
    /// In a box, so that what is only here, as nearly all of a request is, takes no more room for it.
    Boxed(Box<Boxed>),
}

/// Bytes of a store of conversations, or those that wait in one.
#[derive(Clone)]
pub struct Boxed {
    bytes: Bytes,
    /// `None` where nobody asks.
    origin: Option<Origin>,
}

#[derive(Clone)]
enum Bytes {
    Here(Box<[u8]>),
    Away(Away),
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
    pub fn new(bytes: impl Into<Box<[u8]>>) -> Held {
        Held::Here(bytes.into())
    }

    pub fn with_origin(bytes: impl Into<Box<[u8]>>, origin: Origin) -> Held {
        Held::Boxed(Box::new(Boxed { bytes: Bytes::Here(bytes.into()), origin: Some(origin) }))
    }

    /// The bytes, unless they wait in a store.
    pub fn here(&self) -> Option<&[u8]> {
        match self {
            Held::Here(bytes) => Some(bytes),
            Held::Boxed(boxed) => match &boxed.bytes {
                Bytes::Here(bytes) => Some(bytes),
                Bytes::Away(_) => None,
            },
        }
    }

    fn away(&self) -> Option<&Away> {
        match self {
            Held::Here(_) => None,
            Held::Boxed(boxed) => match &boxed.bytes {
                Bytes::Here(_) => None,
                Bytes::Away(away) => Some(away),
            },
        }
    }

    pub fn bytes(&self) -> Cow<'_, [u8]> {
        match (self.here(), self.away()) {
            (None, Some(away)) => Cow::Owned(away.store.0.get(away.at, away.len as usize)),
            (here, _) => Cow::Borrowed(here.unwrap_or_default()),
        }
    }

    pub fn size(&self) -> usize {
        self.away().map_or_else(|| self.here().unwrap_or_default().len(), |away| away.len as usize)
    }

    pub fn first(&self) -> Option<u8> {
        self.away().map_or_else(|| self.here()?.first().copied(), |away| Some(away.first))
    }

    /// Where they came from; `None` if that is not known.
    pub fn origin(&self) -> Option<&Origin> {
        if let Held::Boxed(boxed) = self { boxed.origin.as_ref() } else { None }
    }

    /// Puts long bytes into a store. They stay where they are if that takes no more.
    pub fn put_away(&mut self, store: &Store) {
        let Some(bytes) = self.here() else { return };
        let Ok(len) = u32::try_from(bytes.len()) else { return };
        if let Some(&first) = bytes.first().filter(|_| bytes.len() >= LONG)
            && let Ok(at) = store.0.append(bytes)
        {
            let bytes = Bytes::Away(Away { store: store.clone(), at, len, first });
            match self {
                Held::Here(_) => *self = Held::Boxed(Box::new(Boxed { bytes, origin: None })),
                Held::Boxed(boxed) => boxed.bytes = bytes,
            }
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
