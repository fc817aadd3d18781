//! From the bytes of a picture to its pixels.
//!
//! Owns: which decoder reads a format, and the checks before it decodes.
//! Never: allocates for pixels before the header was checked.

mod gif;
mod jpeg;
mod png;
mod webp;
mod webp_frame;

use image::metadata::Orientation;

use super::limits::{MAX_EXIF_BYTES, MAX_SIDE, pixel_limit};
use super::{PictureError, PictureFormat};

/// Pixels of 8 bits a channel, in rows from the top: 1 channel (grey), 2 (grey and alpha), 3 (RGB) or 4 (RGBA).
#[derive(Debug)]
pub(super) struct Pixels {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) channels: u8,
    pub(super) data: Vec<u8>,
}

/// A decoder that has read the header of a picture.
trait Decode {
    /// Returns the size in pixels, as stored.
    fn size(&self) -> (u32, u32);

    /// Returns the TIFF structure of the EXIF metadata.
    fn exif(&mut self) -> Option<Vec<u8>>;

    /// Returns the memory that decoding takes for a pixel, the result among it.
    fn pixel_bytes(&mut self) -> u64;

    /// Returns how many pixels a byte of the input can stand for at most, where the format has such a limit. An input
    /// that is shorter is cut off, and would have its memory filled for nothing.
    fn pixels_per_byte(&self) -> Option<u64>;

    fn decode(self: Box<Self>) -> Result<Pixels, PictureError>;
}

/// A picture whose header was read and checked.
pub(super) struct Picture<'d> {
    decoder: Box<dyn Decode + 'd>,
    input_bytes: usize,
    pub(super) orientation: Orientation,
}

/// Recognises the format by the first bytes.
pub(super) fn format(data: &[u8]) -> Option<PictureFormat> {
    Some(match data {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => PictureFormat::Png,
        [0xff, 0xd8, 0xff, ..] => PictureFormat::Jpeg,
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => PictureFormat::Gif,
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => PictureFormat::Webp,
        _ => return None,
    })
}

/// Reads the header of a picture.
pub(super) fn open(format: PictureFormat, data: &[u8]) -> Result<Picture<'_>, PictureError> {
    let mut decoder: Box<dyn Decode> = match format {
        PictureFormat::Png => Box::new(png::open(data)?),
        PictureFormat::Jpeg => Box::new(jpeg::open(data)?),
        PictureFormat::Gif => Box::new(gif::open(data)?),
        PictureFormat::Webp => Box::new(webp::open(data)?),
    };
    let (width, height) = decoder.size();
    if width == 0 || height == 0 {
        return Err(PictureError::malformed("the picture has no pixels"));
    }
    let exif = decoder.exif();
    let exif = exif.as_ref().and_then(|exif| exif.get(..exif.len().min(MAX_EXIF_BYTES)));
    let orientation = exif.and_then(Orientation::from_exif_chunk).unwrap_or(Orientation::NoTransforms);
    Ok(Picture { decoder, input_bytes: data.len(), orientation })
}

impl Picture<'_> {
    /// Returns the size as a viewer shows it.
    pub(super) fn upright_size(&self) -> (u32, u32) {
        let (width, height) = self.decoder.size();
        match self.orientation {
            Orientation::Rotate90
            | Orientation::Rotate270
            | Orientation::Rotate90FlipH
            | Orientation::Rotate270FlipH => (height, width),
            Orientation::NoTransforms
            | Orientation::Rotate180
            | Orientation::FlipHorizontal
            | Orientation::FlipVertical => (width, height),
        }
    }

    pub(super) fn decode(mut self) -> Result<Pixels, PictureError> {
        let (width, height) = self.decoder.size();
        let pixels = u64::from(width) * u64::from(height);
        let limit = pixel_limit(self.input_bytes, self.decoder.pixel_bytes());
        if pixels > u64::from(limit) {
            return Err(PictureError::TooManyPixels(limit));
        }
        if width.max(height) > MAX_SIDE {
            return Err(PictureError::malformed(format!("a side is longer than {MAX_SIDE} pixels")));
        }
        let possible = self
            .decoder
            .pixels_per_byte()
            .and_then(|most| u64::try_from(self.input_bytes).ok().and_then(|bytes| bytes.checked_mul(most)));
        if possible.is_some_and(|possible| pixels > possible) {
            return Err(PictureError::malformed("the data ends long before the last pixel"));
        }
        self.decoder.decode()
    }
}

/// Allocates the memory of `pixels` pixels of some bytes each.
fn buffer((width, height): (u32, u32), pixel_bytes: u8) -> Vec<u8> {
    // In range: the header was checked against the limits.
    let len = u64::from(width) * u64::from(height) * u64::from(pixel_bytes);
    vec![0; usize::try_from(len).unwrap_or(0)]
}
