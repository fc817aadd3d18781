//! JPEG, baseline and progressive.
//!
//! Where the data ends early, the rest of the picture is grey, as in browsers.
//! Never: reads a colour profile.

use zune_core::bytestream::ZCursor;
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;

use super::super::PictureError;
use super::super::limits::{MAX_JPEG_SCANS, MAX_SIDE};
use super::{Decode, Pixels, buffer};

pub(super) fn open(data: &[u8]) -> Result<Jpeg<'_>, PictureError> {
    let side = usize::try_from(MAX_SIDE).unwrap_or(usize::MAX);
    let options = DecoderOptions::new_cmd()
        .set_strict_mode(false)
        .set_max_width(side)
        .set_max_height(side)
        .jpeg_set_max_scans(MAX_JPEG_SCANS);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(data), options);
    decoder.decode_headers().map_err(PictureError::malformed)?;
    let (is_grey, components) = match decoder.input_colorspace() {
        Some(space) => (space == ColorSpace::Luma, space.num_components()),
        None => return Err(PictureError::malformed("the header has no colours")),
    };
    let space = if is_grey { ColorSpace::Luma } else { ColorSpace::RGB };
    let options = decoder.options().jpeg_set_out_colorspace(space);
    decoder.set_options(options);
    Ok(Jpeg { decoder, is_grey, components: u64::try_from(components).unwrap_or(4) })
}

pub(super) struct Jpeg<'d> {
    decoder: JpegDecoder<ZCursor<&'d [u8]>>,
    is_grey: bool,
    components: u64,
}

impl Jpeg<'_> {
    const fn channels(&self) -> u8 {
        if self.is_grey { 1 } else { 3 }
    }
}

impl Decode for Jpeg<'_> {
    fn size(&self) -> (u32, u32) {
        let (width, height) = self.decoder.dimensions().unwrap_or_default();
        (u32::try_from(width).unwrap_or(u32::MAX), u32::try_from(height).unwrap_or(u32::MAX))
    }

    fn exif(&mut self) -> Option<Vec<u8>> {
        self.decoder.exif().cloned()
    }

    fn pixel_bytes(&mut self) -> u64 {
        // A progressive picture, or one with a scan for each component, keeps 16 bits for each component of a pixel.
        u64::from(self.channels()) + 2 * self.components
    }

    fn pixels_per_byte(&self) -> Option<u64> {
        // A block of 64 pixels takes a bit at least.
        Some(8 * 64)
    }

    fn decode(mut self: Box<Self>) -> Result<Pixels, PictureError> {
        let ((width, height), channels) = (self.size(), self.channels());
        let mut data = buffer((width, height), channels);
        if self.decoder.output_buffer_size() != Some(data.len()) {
            return Err(PictureError::malformed("the colours are not supported"));
        }
        self.decoder.decode_into(&mut data).map_err(PictureError::malformed)?;
        Ok(Pixels { width, height, channels, data })
    }
}
