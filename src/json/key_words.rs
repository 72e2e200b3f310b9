//! A key as two words, so that it is hashed and compared without a loop over its bytes.

/// Keys of up to this many bytes are determined by their words.
pub(super) const SHORT: usize = 16;

/// The first bytes of a key, padded with zeros. A long key ends with [`MARK`], and several long keys may have
/// equal words.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyWords {
    low: u64,
    high: u64,
}

/// A byte that never occurs in a JSON string.
const MARK: u8 = 1;

/// Masks of the bytes of both words that belong to a key, by its length.
const MASKS: [[u64; 2]; SHORT + 1] = {
    let mut masks = [[0; 2]; SHORT + 1];
    let mut len = 1;
    while len <= SHORT {
        let whole = u128::MAX >> (8 * (SHORT - len));
        masks[len] = [whole as u64, (whole >> 64) as u64];
        len += 1;
    }
    masks
};

impl KeyWords {
    /// The words of the key at the start of a text; `None` if the key is longer than [`SHORT`], or the text
    /// shorter than two words.
    #[inline(always)]
    pub fn of_short(text: &[u8], len: usize) -> Option<KeyWords> {
        let words = u128::from_le_bytes(*text.first_chunk::<SHORT>()?);
        let [low, high] = MASKS.get(len)?;
        Some(KeyWords { low: words as u64 & low, high: (words >> 64) as u64 & high })
    }

    pub const fn of(key: &[u8]) -> KeyWords {
        let mut block = [0; SHORT];
        let mut n = 0;
        while n < SHORT && n < key.len() {
            block[n] = key[n];
            n += 1;
        }
        if key.len() > SHORT {
            block[SHORT - 1] = MARK;
        }
        let words = u128::from_le_bytes(block);
        KeyWords { low: words as u64, high: (words >> 64) as u64 }
    }

    /// A hash by one multiplication. Collisions cost only time: the keys are compared.
    #[inline(always)]
    pub const fn hash(self) -> u32 {
        let product = (self.low ^ 0x9e37_79b9_7f4a_7c15) as u128 * (self.high ^ 0xd6e8_feb8_6659_fd93) as u128;
        let folded = product as u64 ^ (product >> 64) as u64;
        (folded ^ folded >> 32) as u32
    }

    #[inline(always)]
    pub const fn equals(self, other: KeyWords) -> bool {
        self.low == other.low && self.high == other.high
    }
}
