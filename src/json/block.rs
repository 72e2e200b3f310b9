//! Masks of the bytes that matter inside strings, per block of bytes, and the arithmetic on them. The portable
//! counterpart of `vectors`.

/// Bytes of a string that are examined in one step.
pub(super) const LANES: usize = 64;

/// The instructions that scan strings.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum LaneWidth {
    PortableSorter,
    Avx2,
    Avx512,
}

impl LaneWidth {
    pub(super) const WIDEST: LaneWidth = LaneWidth::Avx512;

    pub const ALL: [LaneWidth; 3] = [LaneWidth::PortableSorter, LaneWidth::Avx2, LaneWidth::Avx512];
}

/// Masks of the bytes of a block that matter inside a string: bit i is for byte i.
#[derive(Clone, Copy)]
pub(super) struct Masks {
    pub quote: u64,
    pub backslash: u64,
    pub control: u64,
    /// Bytes above 0x7f.
    pub high: u64,
}

/// Classifies the bytes of a block, [`LANES`] at a time.
pub(super) trait BlockSorter {
    fn masks(block: &[u8; LANES]) -> Masks;

    /// The mask of bytes that may follow the backslash of a two-byte escape: `"\/bfnrt`.
    fn short_escapes(block: &[u8; LANES]) -> u64;
}

pub(super) struct PortableSorter;

impl BlockSorter for PortableSorter {
    #[inline(always)]
    fn masks(block: &[u8; LANES]) -> Masks {
        let mut masks = Masks { quote: 0, backslash: 0, control: 0, high: 0 };
        for (n, word) in block.as_chunks::<8>().0.iter().enumerate() {
            let word = u64::from_le_bytes(*word);
            masks.quote |= zero_bytes(word ^ (LOW * 0x22)) << (n * 8);
            masks.backslash |= zero_bytes(word ^ (LOW * 0x5c)) << (n * 8);
            masks.control |= zero_bytes(word & (LOW * 0xe0)) << (n * 8);
            masks.high |= gather_high_bits(word & HIGH) << (n * 8);
        }
        masks
    }

    #[inline(always)]
    fn short_escapes(block: &[u8; LANES]) -> u64 {
        let is_letter = |byte: &u8| matches!(byte, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't');
        block.iter().enumerate().fold(0, |mask, (n, byte)| mask | u64::from(is_letter(byte)) << n)
    }
}

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// One bit for each byte of a word that is zero. The usual trick borrows from byte to byte; this form does not.
#[inline(always)]
fn zero_bytes(word: u64) -> u64 {
    gather_high_bits(!(((word & !HIGH) + !HIGH) | word) & HIGH)
}

/// The highest bits of the bytes of a word, of which no other is set, as its lowest bits.
#[inline(always)]
fn gather_high_bits(high: u64) -> u64 {
    (high >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// The mask of escaped bytes in a block, and 1 if the first byte of the next block is escaped. Escaped bytes are
/// those after a run of backslashes of odd length. A run that starts on an even bit carries to an odd one by the
/// subtraction if its length is odd, and the other way round (Langdale and Lemire, "Parsing gigabytes of JSON per
/// second", 2019).
#[inline(always)]
pub(super) fn escaped_bytes(backslash: u64, first_is_escaped: u64) -> (u64, u64) {
    const ODD: u64 = 0xaaaa_aaaa_aaaa_aaaa;
    let starts = backslash & !first_is_escaped;
    let codes = (((starts << 1) | ODD).wrapping_sub(starts)) ^ ODD;
    let escaped = codes ^ (backslash | first_is_escaped);
    let next_is_escaped = (codes & backslash) >> (LANES - 1);
    (escaped, next_is_escaped)
}

/// The bits below the lowest one of a mask; all bits if there is none.
#[inline(always)]
pub(super) fn below(mask: u64) -> u64 {
    mask.wrapping_sub(1) & !mask
}

/// The value of each hexadecimal digit; for any other byte a value that shifts out above 16 bits wherever it is.
#[expect(
    clippy::indexing_slicing,
    reason = "evaluated when it is compiled, where an index outside the table is an error"
)]
pub(super) const HEX: [u32; 256] = {
    let mut table = [1 << 16; 256];
    let mut n = 0;
    while n < 10 {
        table[b'0' as usize + n] = n as u32;
        n += 1;
    }
    n = 0;
    while n < 6 {
        table[b'a' as usize + n] = 10 + n as u32;
        table[b'A' as usize + n] = 10 + n as u32;
        n += 1;
    }
    table
};
