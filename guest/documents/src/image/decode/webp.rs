//! WebP, lossy and lossless, and the first frame of animated ones.
//!
//! Never: reads a colour profile, or lets the decoder read an animation: it trusts the sizes in one (`image-webp` 0.2.4
//! panics when the frame within differs).

use std::io::Cursor;

use image_webp::WebPDecoder;

use super::super::PictureError;
use super::super::limits::MAX_EXIF_BYTES;
use super::webp_frame::{self, Frame};
use super::{Decode, Pixels, buffer};

pub(super) fn open(data: &[u8]) -> Result<Webp<'_>, PictureError> {
    Ok(Webp { decoder: decoder(data)?, data })
}

fn decoder(data: &[u8]) -> Result<WebPDecoder<Cursor<&[u8]>>, PictureError> {
    WebPDecoder::new(Cursor::new(data)).map_err(PictureError::malformed)
}

pub(super) struct Webp<'d> {
    decoder: WebPDecoder<Cursor<&'d [u8]>>,
    data: &'d [u8],
}

impl Decode for Webp<'_> {
    fn size(&self) -> (u32, u32) {
        self.decoder.dimensions()
    }

    fn exif(&mut self) -> Option<Vec<u8>> {
        self.decoder.set_memory_limit(MAX_EXIF_BYTES);
        self.decoder.exif_metadata().ok().flatten()
    }

    fn pixel_bytes(&mut self) -> u64 {
        // The result, the planes of a lossy frame, and its alpha channel as a picture and as a plane.
        const LOSSY_WITH_ALPHA: u64 = 4 + 2 + 4 + 1;
        match (self.decoder.is_animated(), self.decoder.has_alpha(), self.decoder.is_lossy()) {
            // The frame may be of any kind. Its data is copied, too, which is less than a byte for a pixel of a large
            // frame.
            (true, ..) => LOSSY_WITH_ALPHA + 1,
            (false, true, true) => LOSSY_WITH_ALPHA,
            (false, true, false) => 4,
            // The result, and the picture as RGBA; the planes of a lossy frame are less.
            (false, false, _) => 3 + 4,
        }
    }

    fn pixels_per_byte(&self) -> Option<u64> {
        // A picture of one colour is a few bytes, whatever its size.
        None
    }

    fn decode(mut self: Box<Self>) -> Result<Pixels, PictureError> {
        if !self.decoder.is_animated() {
            return pixels(&mut self.decoder);
        }
        let (width, height) = self.size();
        let frame =
            webp_frame::first(self.data).ok_or_else(|| PictureError::malformed("the animation has no frame"))?;
        let mut decoder = decoder(&frame.file)?;
        let (frame_width, frame_height) = decoder.dimensions();
        if decoder.is_animated() || beyond(frame.left, frame_width, width) || beyond(frame.top, frame_height, height) {
            return Err(PictureError::malformed("the first frame goes beyond the picture"));
        }
        let drawn = pixels(&mut decoder)?;
        if (frame_width, frame_height) == (width, height) {
            Ok(drawn)
        } else {
            Ok(on_canvas(&frame, &drawn, width, height))
        }
    }
}

const fn beyond(start: u32, length: u32, limit: u32) -> bool {
    start.saturating_add(length) > limit
}

fn pixels(decoder: &mut WebPDecoder<Cursor<&[u8]>>) -> Result<Pixels, PictureError> {
    let (width, height) = decoder.dimensions();
    let channels = if decoder.has_alpha() { 4 } else { 3 };
    let mut data = buffer((width, height), channels);
    decoder.read_image(&mut data).map_err(PictureError::malformed)?;
    Ok(Pixels { width, height, channels, data })
}

/// Returns a transparent canvas with a frame that lies within it.
fn on_canvas(frame: &Frame, drawn: &Pixels, width: u32, height: u32) -> Pixels {
    let mut data = buffer((width, height), 4);
    let channels = usize::from(drawn.channels);
    let rows = data.chunks_exact_mut(width as usize * 4).skip(frame.top as usize);
    for (canvas, row) in rows.zip(drawn.data.chunks_exact(drawn.width as usize * channels)) {
        let pixels = canvas.chunks_exact_mut(4).skip(frame.left as usize);
        for (pixel, source) in pixels.zip(row.chunks_exact(channels)) {
            for (channel, value) in pixel.iter_mut().zip(source.iter().chain([&u8::MAX])) {
                *channel = *value;
            }
        }
    }
    Pixels { width, height, channels: 4, data }
}
