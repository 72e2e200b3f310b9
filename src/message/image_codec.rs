//! Makes an image smaller: it is decoded, scaled down as far as a limit of pixels asks for, and encoded again until it has few
//! enough bytes. Everything about the result follows from the image and the limits, so that a second run gives the same.
//!
//! Memory is bounded: one image is decoded at a time, and a large one is refused by its header, before its pixels are decoded.
//! What is written is decoded once more.

use std::io::Cursor;
use std::sync::{Mutex, PoisonError};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use image::codecs::gif::GifDecoder;
use image::codecs::jpeg::{JpegDecoder, JpegEncoder};
use image::codecs::png::{CompressionType, FilterType, PngDecoder, PngEncoder};
use image::codecs::webp::WebPDecoder;
use image::{DynamicImage, ExtendedColorType, ImageDecoder, ImageEncoder, Limits};

use super::media_bytes::{decode, is_url_safe, size_of_base64, type_of_base64};
use super::scaled_pixels::Pixels;
use super::smaller_image::{EncodedImage, ImageLimits};

/// Bytes that the pixels of an image may have.
const MAX_DECODED: u64 = 256 << 20;

/// The longest side that is decoded: that of a JPEG.
const MAX_SIDE: u32 = 65_535;

const UNDECODED: &str = "the image is not shrunk: it cannot be decoded";
const TOO_LARGE: &str = "the image is not shrunk: its decoded size is above 256 MB";
const OTHER_TYPE: &str = "the image is not shrunk: only PNG, JPEG, GIF and WebP can be decoded";
const NOT_SMALLER: &str = "the image is not shrunk: it cannot be made small enough";
const NOT_VERIFIED: &str = "the image is not shrunk: what was written could not be read again";

/// An image of at most so many colours was drawn, and is no photograph: PNG keeps it exact.
const FEW_COLOURS: usize = 1024;

/// The qualities of JPEG that are tried before the image gets fewer pixels.
const QUALITIES: [u8; 5] = [90, 80, 70, 60, 50];

/// An image is not scaled below this side.
const LEAST_SIDE: u32 = 16;

/// Held while an image is decoded: documents are repaired on several threads.
static ONE_IMAGE: Mutex<()> = Mutex::new(());

/// A smaller image within the limits, from an image in base64; otherwise the reason why there is none.
pub fn shrink(text: &[u8], limits: &ImageLimits) -> Result<EncodedImage, &'static str> {
    let _one = ONE_IMAGE.lock().unwrap_or_else(PoisonError::into_inner);
    let mime = type_of_base64(text).ok_or(OTHER_TYPE)?;
    let pixels = Pixels::of(read(mime, &decode(text).ok_or(UNDECODED)?)?);
    let is_drawn = mime != "image/jpeg" && (pixels.is_translucent() || pixels.has_few_colours(FEW_COLOURS));
    let mut side = pixels.longest_side().min(limits.side.unwrap_or(u32::MAX));
    let scaled = pixels.scaled_to(side);
    let fits = |bytes: &[u8]| limits.takes_bytes(bytes.len() as u64);
    let is_url_safe = is_url_safe(text);
    if is_drawn {
        let png = png(&scaled)?;
        if fits(&png) {
            return verified(&png, "image/png", &scaled, is_url_safe);
        }
    }
    let mut opaque = scaled.without_alpha();
    loop {
        // Fewer pixels are needed if the lowest quality has too many bytes.
        let lowest = QUALITIES.last().copied().unwrap_or_default();
        if fits(&jpeg(&opaque, lowest)?) {
            for quality in QUALITIES {
                let bytes = jpeg(&opaque, quality)?;
                if fits(&bytes) {
                    return verified(&bytes, "image/jpeg", &opaque, is_url_safe);
                }
            }
        }
        side = side / 4 * 3;
        if side < LEAST_SIDE {
            return Err(NOT_SMALLER);
        }
        // From all pixels, so that nothing is blurred twice.
        opaque = pixels.scaled_to(side).without_alpha();
    }
}

fn read(mime: &str, bytes: &[u8]) -> Result<DynamicImage, &'static str> {
    let bytes = Cursor::new(bytes);
    match mime {
        "image/png" => decoded(PngDecoder::with_limits(bytes, limits())),
        "image/jpeg" => decoded(JpegDecoder::new(bytes)),
        "image/gif" => decoded(GifDecoder::new(bytes)),
        "image/webp" => decoded(WebPDecoder::new(bytes)),
        _ => Err(OTHER_TYPE),
    }
}

fn limits() -> Limits {
    let mut limits = Limits::no_limits();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    limits.max_alloc = Some(MAX_DECODED);
    limits
}

/// The pixels that a decoder gives, turned as the image says.
fn decoded<D: ImageDecoder>(decoder: image::ImageResult<D>) -> Result<DynamicImage, &'static str> {
    let why = |error: image::ImageError| match error {
        image::ImageError::Limits(_) => TOO_LARGE,
        _ => UNDECODED,
    };
    let mut decoder = decoder.map_err(why)?;
    let (width, height) = decoder.dimensions();
    // Four bytes for each pixel are what it is scaled in.
    let scaled = u64::from(width) * u64::from(height) * 4;
    if decoder.total_bytes().max(scaled) > MAX_DECODED {
        return Err(TOO_LARGE);
    }
    decoder.set_limits(limits()).map_err(why)?;
    let orientation = decoder.orientation().ok();
    let mut image = DynamicImage::from_decoder(decoder).map_err(why)?;
    if let Some(orientation) = orientation {
        image.apply_orientation(orientation);
    }
    Ok(image)
}

fn png(pixels: &Pixels) -> Result<Vec<u8>, &'static str> {
    let mut out = Vec::new();
    let encoder = PngEncoder::new_with_quality(&mut out, CompressionType::Default, FilterType::Adaptive);
    encode(encoder, pixels)?;
    Ok(out)
}

fn jpeg(pixels: &Pixels, quality: u8) -> Result<Vec<u8>, &'static str> {
    let mut out = Vec::new();
    encode(JpegEncoder::new_with_quality(&mut out, quality), pixels)?;
    Ok(out)
}

fn encode(encoder: impl ImageEncoder, pixels: &Pixels) -> Result<(), &'static str> {
    let color = if pixels.has_alpha { ExtendedColorType::Rgba8 } else { ExtendedColorType::Rgb8 };
    encoder.write_image(&pixels.bytes, pixels.width, pixels.height, color).map_err(|_| NOT_SMALLER)
}

/// The image in base64, once it was read again.
fn verified(
    bytes: &[u8],
    mime: &'static str,
    pixels: &Pixels,
    is_url_safe: bool,
) -> Result<EncodedImage, &'static str> {
    let again = read(mime, bytes).map_err(|_| NOT_VERIFIED)?;
    let text = if is_url_safe { URL_SAFE.encode(bytes) } else { STANDARD.encode(bytes) };
    let size = Some((pixels.width, pixels.height));
    let is_same = Some((again.width(), again.height())) == size
        && size_of_base64(text.as_bytes()) == size
        && type_of_base64(text.as_bytes()) == Some(mime);
    if is_same { Ok(EncodedImage { mime, text: text.into() }) } else { Err(NOT_VERIFIED) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An image of noise, which nothing compresses well, or of one colour with a line in it.
    fn sample(width: u32, height: u32, is_noise: bool, has_alpha: bool) -> Pixels {
        let channels = if has_alpha { 4 } else { 3 };
        let mut state = 1u32;
        let bytes = (0..width * height * channels).map(|at| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            match () {
                () if is_noise => (state >> 24) as u8,
                () if at / channels % width == 3 => 200,
                () => 20,
            }
        });
        Pixels { width, height, has_alpha, bytes: bytes.collect() }
    }

    fn text(bytes: &[u8]) -> Vec<u8> {
        STANDARD.encode(bytes).into_bytes()
    }

    fn limits(bytes: Option<u32>, side: Option<u32>) -> ImageLimits {
        ImageLimits { text: None, bytes, side }
    }

    /// Type, size and bytes of what is written.
    fn shrunk(text: &[u8], limits: ImageLimits) -> (&'static str, Option<(u32, u32)>, usize) {
        let made = shrink(text, &limits).expect("a smaller image");
        assert_eq!(Some(made.mime), type_of_base64(made.text.as_bytes()));
        assert!(!limits.are_exceeded(made.text.as_bytes()));
        assert_eq!(shrink(text, &limits), Ok(made.clone()), "a second run differs");
        (made.mime, size_of_base64(made.text.as_bytes()), decode(made.text.as_bytes()).expect("base64").len())
    }

    #[test]
    fn the_aspect_ratio_and_the_type_stay_where_they_can() {
        let drawn = text(&png(&sample(300, 100, false, false)).expect("PNG"));
        assert_eq!(shrunk(&drawn, limits(None, Some(150))).1, Some((150, 50)));
        assert_eq!(shrunk(&drawn, limits(None, Some(150))).0, "image/png");
        let clear = text(&png(&sample(90, 60, true, true)).expect("PNG"));
        assert_eq!(shrunk(&clear, limits(None, Some(30))).0, "image/png");
        // A photograph.
        let noise = text(&png(&sample(90, 60, true, false)).expect("PNG"));
        assert_eq!(shrunk(&noise, limits(None, Some(30))).0, "image/jpeg");
        assert_eq!(shrunk(&noise, limits(None, Some(30))).1, Some((30, 20)));
        let (mime, size, bytes) = shrunk(&clear, limits(Some(2000), None));
        assert!(mime == "image/jpeg" && size.is_some_and(|(width, _)| width < 90) && bytes <= 2000, "{size:?}");
        let photo = text(&jpeg(&sample(120, 80, true, false), 100).expect("JPEG"));
        let (mime, size, bytes) = shrunk(&photo, limits(Some(12000), None));
        assert!((mime, size) == ("image/jpeg", Some((120, 80))) && bytes <= 12000, "{size:?} {bytes}");
        // A line is never scaled to nothing.
        let line = text(&png(&sample(400, 1, false, false)).expect("PNG"));
        assert_eq!(shrunk(&line, limits(None, Some(100))).1, Some((100, 1)));
    }

    #[test]
    fn gif_and_webp_become_what_every_api_takes() {
        let pixels = sample(60, 40, false, true);
        let mut gif = Vec::new();
        image::codecs::gif::GifEncoder::new(&mut gif)
            .encode(&pixels.bytes, 60, 40, ExtendedColorType::Rgba8)
            .expect("GIF");
        assert_eq!(
            shrunk(&text(&gif), limits(None, Some(30))),
            ("image/png", Some((30, 20)), 0).with_len_of(&gif)
        );
        let mut webp = Vec::new();
        encode(image::codecs::webp::WebPEncoder::new_lossless(&mut webp), &pixels).expect("WebP");
        assert_eq!(shrunk(&text(&webp), limits(None, Some(30))).1, Some((30, 20)));
    }

    /// The length of what is written is not what a test is about.
    trait WithLenOf {
        fn with_len_of(self, from: &[u8]) -> Self;
    }

    impl WithLenOf for (&'static str, Option<(u32, u32)>, usize) {
        fn with_len_of(self, from: &[u8]) -> Self {
            let made = shrink(&text(from), &limits(None, Some(30))).expect("a smaller image");
            (self.0, self.1, decode(made.text.as_bytes()).expect("base64").len())
        }
    }

    #[test]
    fn the_alphabet_of_base64_stays() {
        let noise = png(&sample(90, 60, true, false)).expect("PNG");
        let made = shrink(URL_SAFE.encode(noise).as_bytes(), &limits(None, Some(60))).expect("a smaller image");
        assert!(made.text.contains(['-', '_']) && !made.text.contains(['+', '/']));
    }

    #[test]
    fn what_cannot_be_decoded_is_refused() {
        let drawn = png(&sample(300, 100, false, false)).expect("PNG");
        let half = text(&drawn[..drawn.len() / 2]);
        let all = limits(None, Some(10));
        assert_eq!(shrink(&half, &all), Err(UNDECODED));
        let mut huge = drawn.clone();
        huge[16..24].copy_from_slice(&[0, 0, 0xff, 0, 0, 0, 0xff, 0]);
        assert!(matches!(shrink(&text(&huge), &all), Err(TOO_LARGE | UNDECODED)));
        assert_eq!(shrink(&text(b"BM and more of a bitmap"), &all), Err(OTHER_TYPE));
        assert_eq!(shrink(b"no base64!", &all), Err(OTHER_TYPE));
        let noise = text(&png(&sample(90, 60, true, false)).expect("PNG"));
        assert_eq!(shrink(&noise, &limits(Some(10), None)), Err(NOT_SMALLER));
    }
}
