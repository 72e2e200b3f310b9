//! A key as two words, so that it is hashed and compared without a loop over its bytes.

/// A key of up to this many bytes is what its words say.
pub(super) const SHORT: usize = 16;

/// The first bytes of a key, filled up with zeros, or with a mark that no short key ends with. Long keys may have the same.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words {
    low: u64,
    high: u64,
}

/// JSON has no such byte in a string.
const MARK: u8 = 1;

/// Which bytes of two words belong to a key, by its length.
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

impl Words {
    /// Of the short key that a text begins with; `None` where the key is longer, or less text than two words is left.
    #[inline(always)]
    pub fn of_short(text: &[u8], len: usize) -> Option<Words> {
        let words = u128::from_le_bytes(*text.first_chunk::<SHORT>()?);
        let [low, high] = MASKS.get(len)?;
        Some(Words { low: words as u64 & low, high: (words >> 64) as u64 & high })
    }

    pub const fn of(key: &[u8]) -> Words {
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
        Words { low: words as u64, high: (words >> 64) as u64 }
    }

    /// Folded by one multiplication. Equal hashes cost time, no more: the keys are compared.
    #[inline(always)]
    pub const fn hash(self) -> u32 {
        let product = (self.low ^ 0x9e37_79b9_7f4a_7c15) as u128 * (self.high ^ 0xd6e8_feb8_6659_fd93) as u128;
        let folded = product as u64 ^ (product >> 64) as u64;
        (folded ^ folded >> 32) as u32
    }

    #[inline(always)]
    pub const fn are(self, other: Words) -> bool {
        self.low == other.low && self.high == other.high
    }
}
