//! Bytes in memory or spilled to a temporary file: a conversation may be larger than memory, and most of it is only copied.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::io;
use std::sync::Arc;

use crate::json::provenance::ValueOrigin;
use crate::source::bytes::overflow::Overflow;

/// Shorter bytes stay in memory.
const LONG: usize = 64;

/// The temporary file of spilled bytes.
#[derive(Clone)]
pub struct SpillStore(Arc<Overflow>);

/// Bytes in memory or spilled, and their origin.
#[derive(Clone)]
pub enum SpillBytes {
    Inline(Box<[u8]>),
    /// Boxed, so that bytes in memory without an origin, as nearly all of a request are, take no more room.
    Boxed(Box<TracedBytes>),
}

/// Bytes that have an origin, or are spilled.
#[derive(Clone)]
pub struct TracedBytes {
    bytes: ByteStorage,
    /// `None` if it is not tracked.
    origin: Option<ValueOrigin>,
}

#[derive(Clone)]
enum ByteStorage {
    Memory(Box<[u8]>),
    Spilled(SpilledBytes),
}

/// Bytes in the temporary file.
#[derive(Clone)]
pub struct SpilledBytes {
    store: SpillStore,
    at: u64,
    len: u32,
    first: u8,
}

const _: () = assert!(size_of::<SpillBytes>() == size_of::<Box<[u8]>>());

impl SpillStore {
    /// Fails where there is no folder for temporary files.
    pub fn new() -> io::Result<SpillStore> {
        Ok(SpillStore(Arc::new(Overflow::new()?)))
    }

    /// The error of a failed read of spilled bytes.
    pub fn failure(&self) -> Option<io::Error> {
        self.0.failure()
    }
}

/// The bytes of a conversation in memory, and the file for the rest.
#[derive(Default)]
pub struct SpillBudget {
    /// The number of bytes in memory, at least.
    in_memory: usize,
    store: Option<SpillStore>,
}

/// The number of bytes that a conversation keeps in memory.
const IN_MEMORY: usize = 8 << 20;

impl SpillBudget {
    /// The file for the next bytes; `None` if they stay in memory, as all do without a folder for temporary files.
    pub fn file_for(&mut self, size: impl FnOnce() -> usize) -> Option<&SpillStore> {
        if self.in_memory < IN_MEMORY {
            self.in_memory += size();
            return None;
        }
        if self.store.is_none() {
            self.store = SpillStore::new().ok();
        }
        self.store.as_ref()
    }

    pub fn store(&self) -> Option<&SpillStore> {
        self.store.as_ref()
    }
}

impl fmt::Debug for SpillStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Store")
    }
}

impl SpillBytes {
    pub fn new(bytes: impl Into<Box<[u8]>>) -> SpillBytes {
        SpillBytes::Inline(bytes.into())
    }

    pub fn with_origin(bytes: impl Into<Box<[u8]>>, origin: ValueOrigin) -> SpillBytes {
        SpillBytes::Boxed(Box::new(TracedBytes { bytes: ByteStorage::Memory(bytes.into()), origin: Some(origin) }))
    }

    /// The bytes, unless they are spilled.
    pub fn in_memory(&self) -> Option<&[u8]> {
        match self {
            SpillBytes::Inline(bytes) => Some(bytes),
            SpillBytes::Boxed(boxed) => match &boxed.bytes {
                ByteStorage::Memory(bytes) => Some(bytes),
                ByteStorage::Spilled(_) => None,
            },
        }
    }

    fn spilled(&self) -> Option<&SpilledBytes> {
        match self {
            SpillBytes::Inline(_) => None,
            SpillBytes::Boxed(boxed) => match &boxed.bytes {
                ByteStorage::Memory(_) => None,
                ByteStorage::Spilled(spilled) => Some(spilled),
            },
        }
    }

    pub fn bytes(&self) -> Cow<'_, [u8]> {
        match (self.in_memory(), self.spilled()) {
            (None, Some(spilled)) => Cow::Owned(spilled.store.0.get(spilled.at, spilled.len as usize)),
            (bytes, _) => Cow::Borrowed(bytes.unwrap_or_default()),
        }
    }

    pub fn size(&self) -> usize {
        self.spilled().map_or_else(|| self.in_memory().unwrap_or_default().len(), |spilled| spilled.len as usize)
    }

    pub fn first(&self) -> Option<u8> {
        self.spilled().map_or_else(|| self.in_memory()?.first().copied(), |spilled| Some(spilled.first))
    }

    /// Their origin; `None` if it is not known.
    pub fn origin(&self) -> Option<&ValueOrigin> {
        if let SpillBytes::Boxed(boxed) = self { boxed.origin.as_ref() } else { None }
    }

    /// Spills long bytes. They stay in memory if the file cannot be written.
    pub fn spill(&mut self, store: &SpillStore) {
        let Some(bytes) = self.in_memory() else { return };
        let Ok(len) = u32::try_from(bytes.len()) else { return };
        if let Some(&first) = bytes.first().filter(|_| bytes.len() >= LONG)
            && let Ok(at) = store.0.append(bytes)
        {
            let bytes = ByteStorage::Spilled(SpilledBytes { store: store.clone(), at, len, first });
            match self {
                SpillBytes::Inline(_) => *self = SpillBytes::Boxed(Box::new(TracedBytes { bytes, origin: None })),
                SpillBytes::Boxed(boxed) => boxed.bytes = bytes,
            }
        }
    }
}

impl Default for SpillBytes {
    fn default() -> Self {
        SpillBytes::Inline(Box::default())
    }
}

impl PartialEq for SpillBytes {
    fn eq(&self, other: &Self) -> bool {
        self.size() == other.size() && self.bytes() == other.bytes()
    }
}

impl Eq for SpillBytes {}

impl Hash for SpillBytes {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bytes().hash(state);
    }
}

impl fmt::Debug for SpillBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.bytes().fmt(f)
    }
}
