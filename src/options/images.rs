//! The options of `fix` about images, and what they ask of a repair together.

use crate::message::shrink;
use crate::repair::ImageOptions;

use super::usage_error::UsageError;

/// What is done with images.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImageTreatment {
    /// They are listed, and stay.
    Report,
    Drop,
    KeepLast(u32),
    Shrink,
}

/// The treatment of a value of `--images`; otherwise what to use.
pub fn parse_images(text: &str) -> Result<ImageTreatment, String> {
    match (text, text.strip_prefix("keep-last=")) {
        ("report", _) => Ok(ImageTreatment::Report),
        ("drop", _) => Ok(ImageTreatment::Drop),
        ("shrink", _) => Ok(ImageTreatment::Shrink),
        (_, Some(number)) => {
            number.parse().map(ImageTreatment::KeepLast).map_err(|_| "keep-last needs a number".to_owned())
        }
        _ => Err("use report, drop, keep-last=N or shrink".to_owned()),
    }
}

/// The options about images, as they are given.
#[derive(Clone, Copy, Debug, Default)]
pub struct ImageRequest {
    pub treatment: Option<ImageTreatment>,
    pub max_bytes: Option<u64>,
    pub max_pixels: Option<u32>,
    pub max_count: Option<u32>,
}

impl ImageRequest {
    /// True if a limit is given.
    pub fn has_limit(&self) -> bool {
        self.max_bytes.is_some() || self.max_pixels.is_some() || self.max_count.is_some()
    }

    /// What they ask of a repair.
    ///
    /// # Errors
    ///
    /// If images are to be made smaller, and the program was built without that.
    pub fn options(&self) -> Result<ImageOptions, UsageError> {
        self.options_if(shrink::IS_BUILT)
    }

    fn options_if(&self, can_shrink: bool) -> Result<ImageOptions, UsageError> {
        let shrinks = self.treatment == Some(ImageTreatment::Shrink);
        if shrinks && !can_shrink {
            return Err(UsageError::new(
                "--images shrink needs the feature `images`, without which this program was built",
            )
            .help("`cargo install replaylint --features images` builds it; the packages of pip and npm have it"));
        }
        Ok(ImageOptions {
            // With a limit, only the images above it go.
            all: self.treatment == Some(ImageTreatment::Drop) && !self.has_limit(),
            shrinks,
            max_bytes: self.max_bytes.map(|bytes| u32::try_from(bytes).unwrap_or(u32::MAX)),
            max_pixels: self.max_pixels,
            max_count: match self.treatment {
                Some(ImageTreatment::KeepLast(count)) => {
                    Some(self.max_count.map_or(count, |most| most.min(count)))
                }
                _ => self.max_count,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_without_the_feature_refuses_to_shrink() {
        let request = ImageRequest { treatment: Some(ImageTreatment::Shrink), ..ImageRequest::default() };
        assert!(request.options_if(true).is_ok_and(|options| options.shrinks));
        let error = request.options_if(false).expect_err("refused");
        assert!(error.to_string().contains("feature `images`"), "{error}");
        assert!(ImageRequest::default().options_if(false).is_ok());
    }
}
