//! The masks of `block` with vector instructions, where the machine has them. All unsafe code is here.
//!
//! No closure may contain an intrinsic: it would not be compiled with the target features of the surrounding
//! function, and be called for each block.
#![expect(unsafe_code, reason = "vector instructions after a check that the machine has them")]

use std::arch::x86_64::*;

use super::block::{BlockSorter, LANES, LaneWidth, Masks};
use super::fault::Fault;
use super::grammar::grammar;
use super::tape::Tape;

/// Scans a text; `None` if the machine lacks such instructions, or `lanes` excludes them.
pub(super) fn run(bytes: &[u8], tape: &mut Tape, lanes: LaneWidth, one_line: bool) -> Option<Result<u32, Fault>> {
    if lanes >= LaneWidth::Avx512 && is_x86_feature_detected!("avx512bw") {
        // SAFETY: the machine has it, and with it all older features.
        return Some(unsafe { avx512(bytes, tape, one_line) });
    }
    if lanes >= LaneWidth::Avx2 && is_x86_feature_detected!("avx2") {
        // SAFETY: the machine has it, and with it BMI1.
        return Some(unsafe { avx2(bytes, tape, one_line) });
    }
    None
}

#[target_feature(enable = "avx512f,avx512bw,bmi1")]
fn avx512(bytes: &[u8], tape: &mut Tape, one_line: bool) -> Result<u32, Fault> {
    grammar::<Avx512>(bytes, tape, one_line)
}

#[target_feature(enable = "avx2,bmi1")]
fn avx2(bytes: &[u8], tape: &mut Tape, one_line: bool) -> Result<u32, Fault> {
    grammar::<Avx2>(bytes, tape, one_line)
}

/// Each letter of a short escape is recognised by its two nibbles: a bit for each high nibble, looked up by the low one.
const HIGH: [i8; 16] = {
    let mut table = [0; 16];
    (table[0x2], table[0x5], table[0x6], table[0x7]) = (1, 2, 4, 8);
    table
};
const LOW: [i8; 16] = {
    let mut table = [0; 16];
    (table[0x2], table[0xf], table[0xc]) = (1 | 4 | 8, 1, 2);
    (table[0x6], table[0xe], table[0x4]) = (4, 4, 8);
    table
};

struct Avx2;

impl Avx2 {
    /// The half of a block that begins at a byte.
    #[inline(always)]
    fn half(block: &[u8; LANES], at: usize) -> __m256i {
        debug_assert!(at + 32 <= LANES);
        // SAFETY: this type is used only below `avx2`, which is entered only where the machine has it; the load is
        // unaligned and reads 32 of the 64 bytes of the array.
        unsafe { _mm256_loadu_si256(block.as_ptr().add(at).cast()) }
    }

    #[inline(always)]
    fn is(bytes: __m256i, byte: u8) -> u64 {
        // SAFETY: as above.
        unsafe { u64::from(_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(byte as i8))) as u32) }
    }

    #[inline(always)]
    fn is_control(bytes: __m256i) -> u64 {
        // SAFETY: as above.
        unsafe {
            let last = _mm256_set1_epi8(0x1f);
            u64::from(_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_max_epu8(bytes, last), last)) as u32)
        }
    }

    #[inline(always)]
    fn is_high(bytes: __m256i) -> u64 {
        // SAFETY: as above.
        unsafe { u64::from(_mm256_movemask_epi8(bytes) as u32) }
    }

    #[inline(always)]
    fn is_no_letter(bytes: __m256i) -> u64 {
        // SAFETY: as above; the loads read the 16 bytes of the tables.
        unsafe {
            let high_table = _mm256_broadcastsi128_si256(_mm_loadu_si128(HIGH.as_ptr().cast()));
            let low_table = _mm256_broadcastsi128_si256(_mm_loadu_si128(LOW.as_ptr().cast()));
            let nibble = _mm256_set1_epi8(0x0f);
            let high = _mm256_shuffle_epi8(high_table, _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), nibble));
            let low = _mm256_shuffle_epi8(low_table, _mm256_and_si256(bytes, nibble));
            let none = _mm256_cmpeq_epi8(_mm256_and_si256(high, low), _mm256_setzero_si256());
            u64::from(_mm256_movemask_epi8(none) as u32)
        }
    }
}

impl BlockSorter for Avx2 {
    #[inline(always)]
    fn masks(block: &[u8; LANES]) -> Masks {
        let (first, second) = (Avx2::half(block, 0), Avx2::half(block, 32));
        Masks {
            quote: Avx2::is(first, b'"') | Avx2::is(second, b'"') << 32,
            backslash: Avx2::is(first, b'\\') | Avx2::is(second, b'\\') << 32,
            control: Avx2::is_control(first) | Avx2::is_control(second) << 32,
            high: Avx2::is_high(first) | Avx2::is_high(second) << 32,
        }
    }

    #[inline(always)]
    fn short_escapes(block: &[u8; LANES]) -> u64 {
        !(Avx2::is_no_letter(Avx2::half(block, 0)) | Avx2::is_no_letter(Avx2::half(block, 32)) << 32)
    }
}

struct Avx512;

impl BlockSorter for Avx512 {
    #[inline(always)]
    fn masks(block: &[u8; LANES]) -> Masks {
        // SAFETY: this type is used only below `avx512`, which is entered only where the machine has it; the load is
        // unaligned and reads the 64 bytes of the array.
        unsafe {
            let bytes = _mm512_loadu_si512(block.as_ptr().cast());
            Masks {
                quote: _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(b'"' as i8)),
                backslash: _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(b'\\' as i8)),
                control: _mm512_cmplt_epu8_mask(bytes, _mm512_set1_epi8(0x20)),
                high: _mm512_movepi8_mask(bytes),
            }
        }
    }

    #[inline(always)]
    fn short_escapes(block: &[u8; LANES]) -> u64 {
        // SAFETY: as above; the loads read the 16 bytes of the tables.
        unsafe {
            let bytes = _mm512_loadu_si512(block.as_ptr().cast());
            let high_table = _mm512_broadcast_i32x4(_mm_loadu_si128(HIGH.as_ptr().cast()));
            let low_table = _mm512_broadcast_i32x4(_mm_loadu_si128(LOW.as_ptr().cast()));
            let nibble = _mm512_set1_epi8(0x0f);
            let high = _mm512_shuffle_epi8(high_table, _mm512_and_si512(_mm512_srli_epi16::<4>(bytes), nibble));
            let low = _mm512_shuffle_epi8(low_table, _mm512_and_si512(bytes, nibble));
            _mm512_test_epi8_mask(high, low)
        }
    }
}
