//! PNG, and the default picture of animated ones.
//!
//! Never: keeps more than 8 bits a channel, or reads text and colour profiles.

use std::io::Cursor;

use png::{ColorType, DecodingError, Limits, Reader, Transformations};

use super::super::PictureError;
use super::super::limits::MAX_PNG_EXTRA_BYTES;
use super::{Decode, Pixels, buffer};

pub(super) fn open(data: &[u8]) -> Result<Png<'_>, PictureError> {
    let limits = Limits { bytes: MAX_PNG_EXTRA_BYTES };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(data), limits);
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
    Ok(Png(decoder.read_info().map_err(malformed)?))
}

pub(super) struct Png<'d>(Reader<Cursor<&'d [u8]>>);

impl Png<'_> {
    fn channels(&self) -> u8 {
        match self.0.output_color_type().0 {
            ColorType::Grayscale => 1,
            ColorType::GrayscaleAlpha => 2,
            // Expanded, a palette has become one of the others.
            ColorType::Rgb | ColorType::Indexed => 3,
            ColorType::Rgba => 4,
        }
    }
}

impl Decode for Png<'_> {
    fn size(&self) -> (u32, u32) {
        self.0.info().size()
    }

    fn exif(&mut self) -> Option<Vec<u8>> {
        self.0.info().exif_metadata.as_ref().map(|exif| exif.to_vec())
    }

    fn pixel_bytes(&mut self) -> u64 {
        u64::from(self.channels())
    }

    fn pixels_per_byte(&self) -> Option<u64> {
        // Deflate makes at most 1032 bytes of one, and a byte has up to 8 pixels.
        Some(1032 * 8 / u64::try_from(self.0.info().bits_per_pixel()).ok()?.max(1) + 1)
    }

    fn decode(mut self: Box<Self>) -> Result<Pixels, PictureError> {
        let ((width, height), channels) = (self.size(), self.channels());
        let mut data = buffer((width, height), channels);
        if self.0.output_buffer_size() != Some(data.len()) {
            return Err(PictureError::malformed("the colour type is not supported"));
        }
        self.0.next_frame(&mut data).map_err(malformed)?;
        Ok(Pixels { width, height, channels, data })
    }
}

fn malformed(error: DecodingError) -> PictureError {
    match error {
        DecodingError::LimitsExceeded => PictureError::malformed("the metadata is too large"),
        error => PictureError::malformed(error),
    }
}
