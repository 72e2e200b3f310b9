//! Makes an image smaller, if the program was built with the feature `images`: the decoders and encoders.

#[cfg(feature = "images")]
pub use super::image_codec::shrink;

/// True if the program was built with the feature.
pub const IS_BUILT: bool = cfg!(feature = "images");

/// There is no smaller image without the feature.
#[cfg(not(feature = "images"))]
pub fn shrink(
    _: &[u8],
    _: &super::smaller_image::ImageLimits,
) -> Result<super::smaller_image::EncodedImage, &'static str> {
    Err("the image is not shrunk: the program was built without the feature `images`")
}
