//! What the first bytes of an image, a sound or a file say of it: its type and its size. Nothing is decoded but the start
//! of the base64 text.

/// Bytes from which the type of anything is known, and the size of every image but a JPEG.
const HEAD: usize = 64;

/// Bytes of a JPEG that are searched for its size, one after the other: it comes after its metadata, which may be long.
const JPEG_HEADS: [usize; 3] = [1 << 10, 1 << 14, 1 << 17];

/// The media type that the first bytes of base64 text show; `None` if it is none that is known.
pub fn type_of_base64(text: &[u8]) -> Option<&'static str> {
    type_of(&decode_start(text, HEAD))
}

/// Width and height in pixels of an image in base64; `None` if they are not in its header.
pub fn size_of_base64(text: &[u8]) -> Option<(u32, u32)> {
    let head = decode_start(text, HEAD);
    match type_of(&head)? {
        "image/jpeg" => JPEG_HEADS.iter().find_map(|most| jpeg_size(&decode_start(text, *most))),
        "image/png" => Some((big(head.get(16..20)?)?, big(head.get(20..24)?)?)),
        "image/gif" => Some((little(head.get(6..8)?)?, little(head.get(8..10)?)?)),
        "image/webp" => webp_size(&head),
        _ => None,
    }
}

/// True if a text can be decoded as base64: of either alphabet, with or without padding, with line breaks.
pub fn is_base64(text: &[u8]) -> bool {
    let padding = text.iter().rev().take_while(|b| is_filler(**b)).count();
    let (digits, end) = text.split_at(text.len() - padding);
    // Images are long: without branches, many digits are compared at once. Line breaks are rare.
    let are_digits = |piece: &[u8]| piece.iter().fold(true, |all, b| all & is_digit(*b));
    let spaces = match digits.chunks(64).all(are_digits) {
        true => 0,
        false if digits.iter().all(|b| is_digit(*b) || is_space(*b)) => {
            digits.iter().filter(|b| is_space(**b)).count()
        }
        false => return false,
    };
    (digits.len() - spaces) % 4 != 1 && end.iter().filter(|b| **b == b'=').count() <= 2
}

/// True for a digit of either alphabet, without a branch.
fn is_digit(b: u8) -> bool {
    let is_letter = (b | 0x20).wrapping_sub(b'a') < 26;
    let is_number = b.wrapping_sub(b'0') < 10;
    // Plus and slash differ in one bit.
    is_letter | is_number | (b | 4 == b'/') | (b == b'-') | (b == b'_')
}

fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\n' | b'\r')
}

/// The bytes of base64 text; `None` if it is not valid.
pub fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let digits = text.len() - text.iter().rev().take_while(|b| is_filler(**b)).count();
    is_base64(text).then(|| decode_start(text.get(..digits).unwrap_or_default(), usize::MAX))
}

/// True if base64 text is of the alphabet for URLs, by a digit that only this one has.
pub fn is_url_safe(text: &[u8]) -> bool {
    memchr::memchr2(b'-', b'_', text).is_some()
}

/// Number of bytes that base64 text decodes to.
pub fn decoded_len(text: &[u8]) -> u64 {
    let end = text.iter().rev().take_while(|b| is_filler(**b)).count();
    (text.len() - end) as u64 * 3 / 4
}

fn is_filler(b: u8) -> bool {
    b == b'=' || b.is_ascii_whitespace()
}

/// The value of a digit, in both alphabets.
fn value(b: u8) -> Option<u32> {
    Some(u32::from(match b {
        b'A'..=b'Z' => b - b'A',
        b'a'..=b'z' => b - b'a' + 26,
        b'0'..=b'9' => b - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    }))
}

/// Up to `most` bytes of the start of base64 text, as far as it can be decoded.
fn decode_start(text: &[u8], most: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(most.min(text.len()));
    let (mut bits, mut held) = (0u32, 0u32);
    for b in text.iter().filter(|b| !b.is_ascii_whitespace()) {
        let Some(digit) = value(*b).filter(|_| out.len() < most) else { break };
        bits = bits << 6 | digit;
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held) as u8);
        }
    }
    out
}

/// Types by the bytes that they begin with.
const STARTS: [(&[u8], &str); 21] = [
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    (b"BM", "image/bmp"),
    (b"\0\0\x01\0", "image/x-icon"),
    (b"<svg", "image/svg+xml"),
    (b"%PDF", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"\xd0\xcf\x11\xe0", "application/msword"),
    (b"ID3", "audio/mpeg"),
    (b"\xff\xfb", "audio/mpeg"),
    (b"\xff\xf3", "audio/mpeg"),
    (b"\xff\xf2", "audio/mpeg"),
    (b"\xff\xf1", "audio/aac"),
    (b"\xff\xf9", "audio/aac"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
    (b"\x1aE\xdf\xa3", "video/webm"),
    (b"FLV", "video/x-flv"),
];

/// True for a type that bytes show.
pub fn is_known_type(mime: &str) -> bool {
    STARTS.iter().any(|(_, known)| *known == mime)
}

fn type_of(bytes: &[u8]) -> Option<&'static str> {
    match (bytes.get(..4)?, bytes.get(4..8), bytes.get(8..12)) {
        (b"RIFF", _, Some(b"WEBP")) => Some("image/webp"),
        (b"RIFF", _, Some(b"WAVE")) => Some("audio/wav"),
        (b"RIFF", _, Some(b"AVI ")) => Some("video/avi"),
        (_, Some(b"ftyp"), Some(b"avif" | b"avis")) => Some("image/avif"),
        (_, Some(b"ftyp"), Some(b"heic" | b"heix" | b"mif1" | b"msf1" | b"hevc")) => Some("image/heic"),
        (_, Some(b"ftyp"), Some(b"M4A ")) => Some("audio/mp4"),
        (_, Some(b"ftyp"), Some(b"qt  ")) => Some("video/quicktime"),
        (_, Some(b"ftyp"), _) => Some("video/mp4"),
        _ => STARTS.iter().find(|(start, _)| bytes.starts_with(start)).map(|(_, mime)| *mime),
    }
}

fn big(bytes: &[u8]) -> Option<u32> {
    bytes.iter().try_fold(0u32, |all, b| Some(all.checked_mul(256)? + u32::from(*b)))
}

fn little(bytes: &[u8]) -> Option<u32> {
    bytes.iter().rev().try_fold(0u32, |all, b| Some(all.checked_mul(256)? + u32::from(*b)))
}

/// The three forms of WebP: lossy, lossless, and extended.
fn webp_size(bytes: &[u8]) -> Option<(u32, u32)> {
    match bytes.get(12..16)? {
        b"VP8 " => Some((little(bytes.get(26..28)?)? & 0x3fff, little(bytes.get(28..30)?)? & 0x3fff)),
        b"VP8L" => {
            let bits = little(bytes.get(21..25)?)?;
            Some(((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1))
        }
        b"VP8X" => Some((little(bytes.get(24..27)?)? + 1, little(bytes.get(27..30)?)? + 1)),
        _ => None,
    }
}

/// Follows the segments of a JPEG to the frame that has its size.
fn jpeg_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut rest = bytes.get(2..)?;
    loop {
        let [0xff, marker, after @ ..] = rest else { return None };
        rest = match marker {
            // Fill bytes, and segments without a length.
            0xff => rest.get(1..)?,
            0x01 | 0xd0..=0xd8 => after,
            0xc0..=0xcf if ![0xc4, 0xc8, 0xcc].contains(marker) => {
                return Some((big(after.get(5..7)?)?, big(after.get(3..5)?)?));
            }
            _ => after.get(big(after.get(..2)?)? as usize..)?,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

    fn size(bytes: &[u8]) -> Option<(u32, u32)> {
        size_of_base64(STANDARD.encode(bytes).as_bytes())
    }

    #[test]
    fn headers_show_type_and_size() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x20\0\0\0\x10\0\x08\x06\0\0\0";
        assert_eq!(size(png), Some((8192, 4096)));
        assert_eq!(type_of_base64(URL_SAFE_NO_PAD.encode(png).as_bytes()), Some("image/png"));
        assert_eq!(size(b"GIF89a\x0a\0\x14\0\0\0"), Some((10, 20)));
        let jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xff\xc4\0\x02\xff\xc2\0\x11\x08\x01\0\x02\0\x03";
        assert_eq!(size(jpeg), Some((512, 256)));
        assert_eq!(size(b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x40\x01\xf0\0"), Some((320, 240)));
        assert_eq!(size(b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\x3f\xc1\x3b\0"), Some((320, 240)));
        assert_eq!(size(b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0\x3f\x01\0\xef\0\0"), Some((320, 240)));
        assert_eq!((size(b"\x89PNG"), size(b"\xff\xd8\xff\xe0"), size(b"no image")), (None, None, None));
        assert_eq!(type_of_base64(b"JVBERi0xLjQK"), Some("application/pdf"));
        assert_eq!(type_of_base64(b"//t0"), None);
    }

    #[test]
    fn base64_is_told_from_other_text() {
        for text in ["", "AAAA", "AA==", "AA", "A-_A", "AA\nAA\n", "//t0", "AAA="] {
            assert!(is_base64(text.as_bytes()), "{text}");
        }
        for text in ["A", "AAAAA", "not_valid_base64_data!!!", "data:,", "AA=A", "AA==="] {
            assert!(!is_base64(text.as_bytes()), "{text}");
        }
        assert_eq!(decoded_len(b"AAAA"), 3);
        assert_eq!(decoded_len(b"AA=="), 1);
    }
}
