//! The pixels of an image, and fewer of them: each new pixel is the mean of the area that it covers. It is counted in whole
//! numbers, so that every machine gets the same, and needs no memory but that of the result.

use foldhash::HashSet;
use image::DynamicImage;

/// Pixels of three or four bytes, in rows.
pub struct Pixels {
    pub width: u32,
    pub height: u32,
    pub has_alpha: bool,
    pub bytes: Vec<u8>,
}

/// The part of the old pixels along one side that a new pixel covers.
struct Span {
    first: u32,
    /// The weight of each old pixel; the sum is the length of the old side.
    weights: Vec<u64>,
}

/// What each new pixel of a side covers of the old ones. Both sides are counted in steps of which an old pixel has `new`, and a
/// new one `old`.
fn spans(old: u32, new: u32) -> impl Iterator<Item = Span> {
    let (old, new) = (u64::from(old), u64::from(new));
    (0..new).map(move |at| {
        let (from, to) = (at * old, (at + 1) * old);
        let (first, last) = (from / new, to.div_ceil(new));
        let weights = (first..last).map(|pixel| ((pixel + 1) * new).min(to) - (pixel * new).max(from));
        Span { first: first as u32, weights: weights.collect() }
    })
}

impl Pixels {
    pub fn of(image: DynamicImage) -> Pixels {
        let (width, height, has_alpha) = (image.width(), image.height(), image.color().has_alpha());
        let bytes = if has_alpha { image.into_rgba8().into_raw() } else { image.into_rgb8().into_raw() };
        Pixels { width, height, has_alpha, bytes }
    }

    pub fn longest_side(&self) -> u32 {
        self.width.max(self.height)
    }

    fn channels(&self) -> usize {
        if self.has_alpha { 4 } else { 3 }
    }

    /// True if something shows through.
    pub fn is_translucent(&self) -> bool {
        self.has_alpha && self.bytes.iter().skip(3).step_by(4).any(|alpha| *alpha < u8::MAX)
    }

    /// True if there are at most so many colours.
    pub fn has_few_colours(&self, most: usize) -> bool {
        let (mut colours, mut last) = (HashSet::default(), None);
        self.bytes.chunks_exact(self.channels()).all(|pixel| {
            let is_new = last != Some(pixel) && colours.insert(pixel);
            last = Some(pixel);
            !is_new || colours.len() <= most
        })
    }

    /// The same image with this longest side; as it is, if that is not shorter.
    pub fn scaled_to(&self, side: u32) -> Pixels {
        let longest = u64::from(self.longest_side()).max(1);
        let scaled = |own: u32| {
            let rounded = (u64::from(own) * u64::from(side) + longest / 2) / longest;
            u32::try_from(rounded).unwrap_or(own).clamp(1, own.max(1))
        };
        let (width, height) = (scaled(self.width), scaled(self.height));
        let channels = self.channels();
        let columns: Vec<Span> = spans(self.width, width).collect();
        let mut bytes = Vec::with_capacity(width as usize * height as usize * channels);
        let old_row = self.width as usize * channels;
        for row in spans(self.height, height) {
            for column in &columns {
                // Colours count as much as they are seen.
                let (mut sums, mut alphas, mut total) = ([0u64; 3], 0u64, 0u64);
                for (y, of_row) in row.weights.iter().enumerate() {
                    let start = (row.first as usize + y) * old_row + column.first as usize * channels;
                    let line = self.bytes.get(start..start + column.weights.len() * channels).unwrap_or_default();
                    for (pixel, of_column) in line.chunks_exact(channels).zip(&column.weights) {
                        let area = of_row * of_column;
                        let (colour, alpha) = pixel.split_at(3);
                        let seen = area * alpha.first().map_or(255, |alpha| u64::from(*alpha));
                        (total, alphas) = (total + area, alphas + seen);
                        for (sum, value) in sums.iter_mut().zip(colour) {
                            *sum += seen * u64::from(*value);
                        }
                    }
                }
                bytes.extend(sums.map(|sum| mean(sum, alphas)));
                if self.has_alpha {
                    bytes.push(mean(alphas, total));
                }
            }
        }
        Pixels { width, height, has_alpha: self.has_alpha, bytes }
    }

    /// The same on white.
    pub fn without_alpha(self) -> Pixels {
        if !self.has_alpha {
            return self;
        }
        let on_white = |pixel: &[u8]| {
            let alpha = pixel.get(3).map_or(255, |alpha| u64::from(*alpha));
            let colour = move |value: &u8| mean(u64::from(*value) * alpha + 255 * (255 - alpha), 255);
            pixel.iter().take(3).map(colour).collect::<Vec<u8>>()
        };
        let bytes = self.bytes.chunks_exact(4).flat_map(on_white).collect();
        Pixels { has_alpha: false, bytes, ..self }
    }
}

/// The rounded quotient; 0 of nothing.
fn mean(sum: u64, count: u64) -> u8 {
    (sum + count / 2).checked_div(count).and_then(|mean| u8::try_from(mean).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_are_means_of_areas() {
        let row = Pixels { width: 3, height: 1, has_alpha: false, bytes: vec![0, 0, 0, 90, 90, 90, 30, 30, 30] };
        // The first covers one and a half, the second the rest.
        assert_eq!(row.scaled_to(2).bytes, [30, 30, 30, 50, 50, 50]);
        assert_eq!(row.scaled_to(1).bytes, [40, 40, 40]);
        assert_eq!(row.scaled_to(9).bytes, row.bytes);
        // What is not seen has no colour.
        let clear = Pixels { width: 2, height: 1, has_alpha: true, bytes: vec![200, 0, 0, 255, 0, 0, 0, 0] };
        assert_eq!(clear.scaled_to(1).bytes, [200, 0, 0, 128]);
        assert!(clear.is_translucent() && clear.has_few_colours(2) && !clear.has_few_colours(1));
        assert_eq!(clear.without_alpha().bytes, [200, 0, 0, 255, 255, 255]);
    }
}
