//! `wardroom:documents/image`.

use super::Component;
use super::bindings::exports::wardroom::documents::image as wit;
use crate::image::{self, PictureError, PictureFormat, PictureInfo, Thumbnail};

impl wit::Guest for Component {
    fn inspect(data: Vec<u8>) -> Result<wit::Info, wit::ImageError> {
        match image::inspect(&data) {
            Ok(PictureInfo { format, width, height }) => Ok(wit::Info { format: to_wit(format), width, height }),
            Err(error) => Err(image_error(error)),
        }
    }

    fn make_thumbnail(data: Vec<u8>, side: u32) -> Result<wit::Thumbnail, wit::ImageError> {
        match image::make_thumbnail(&data, side) {
            Ok(Thumbnail { format, width, height, data }) => {
                Ok(wit::Thumbnail { format: to_wit(format), width, height, data })
            }
            Err(error) => Err(image_error(error)),
        }
    }
}

const fn to_wit(format: PictureFormat) -> wit::Format {
    match format {
        PictureFormat::Png => wit::Format::Png,
        PictureFormat::Jpeg => wit::Format::Jpeg,
        PictureFormat::Gif => wit::Format::Gif,
        PictureFormat::Webp => wit::Format::Webp,
    }
}

fn image_error(error: PictureError) -> wit::ImageError {
    match error {
        PictureError::UnknownFormat => wit::ImageError::UnknownFormat,
        PictureError::TooManyPixels(limit) => wit::ImageError::TooManyPixels(limit),
        PictureError::Malformed(reason) => wit::ImageError::Malformed(reason),
    }
}
