//! Encoding of thumbnails.
//!
//! Owns: the choice of the format, and the orientation.
//! Never: writes metadata.

use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::metadata::Orientation;
use image::{DynamicImage, GrayAlphaImage, GrayImage, ImageEncoder, RgbImage, RgbaImage};

use super::decode::Pixels;
use super::{PictureError, PictureFormat, Thumbnail};

/// JPEG's quality, of 100.
const QUALITY: u8 = 80;

/// Encodes pixels as JPEG, or as PNG where some are transparent.
pub(super) fn thumbnail(pixels: Pixels, orientation: Orientation) -> Result<Thumbnail, PictureError> {
    let mut picture = dynamic(pixels).ok_or_else(|| PictureError::malformed("the size does not fit the data"))?;
    picture.apply_orientation(orientation);
    let is_transparent = match &picture {
        DynamicImage::ImageLumaA8(grey) => grey.pixels().any(|pixel| pixel.0[1] < u8::MAX),
        DynamicImage::ImageRgba8(colour) => colour.pixels().any(|pixel| pixel.0[3] < u8::MAX),
        _ => false,
    };
    let mut data = Vec::new();
    let format = if is_transparent { PictureFormat::Png } else { PictureFormat::Jpeg };
    let encoded = if is_transparent {
        write(PngEncoder::new(&mut data), &picture)
    } else {
        let opaque = match picture {
            DynamicImage::ImageLumaA8(_) => DynamicImage::ImageLuma8(picture.to_luma8()),
            DynamicImage::ImageRgba8(_) => DynamicImage::ImageRgb8(picture.to_rgb8()),
            picture => picture,
        };
        picture = opaque;
        write(JpegEncoder::new_with_quality(&mut data, QUALITY), &picture)
    };
    encoded.map_err(PictureError::malformed)?;
    Ok(Thumbnail { format, width: picture.width(), height: picture.height(), data })
}

fn dynamic(Pixels { width, height, channels, data }: Pixels) -> Option<DynamicImage> {
    match channels {
        1 => GrayImage::from_raw(width, height, data).map(DynamicImage::ImageLuma8),
        2 => GrayAlphaImage::from_raw(width, height, data).map(DynamicImage::ImageLumaA8),
        3 => RgbImage::from_raw(width, height, data).map(DynamicImage::ImageRgb8),
        _ => RgbaImage::from_raw(width, height, data).map(DynamicImage::ImageRgba8),
    }
}

fn write(encoder: impl ImageEncoder, picture: &DynamicImage) -> image::ImageResult<()> {
    encoder.write_image(picture.as_bytes(), picture.width(), picture.height(), picture.color().into())
}
