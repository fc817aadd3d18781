//! GIF: the first frame, on a transparent canvas.
//!
//! Never: reads a second frame, or one that goes beyond the canvas.

use gif::{ColorOutput, DecodeOptions, Decoder, MemoryLimit};

use super::super::PictureError;
use super::{Decode, Pixels, buffer};

pub(super) fn open(data: &[u8]) -> Result<Gif<'_>, PictureError> {
    let mut options = DecodeOptions::new();
    options.set_color_output(ColorOutput::Indexed);
    options.check_frame_consistency(true);
    // Frames go to buffers of ours, whose size was checked.
    options.set_memory_limit(MemoryLimit::Unlimited);
    Ok(Gif(options.read_info(data).map_err(PictureError::malformed)?))
}

pub(super) struct Gif<'d>(Decoder<&'d [u8]>);

impl Decode for Gif<'_> {
    fn size(&self) -> (u32, u32) {
        (u32::from(self.0.width()), u32::from(self.0.height()))
    }

    fn exif(&mut self) -> Option<Vec<u8>> {
        None
    }

    fn pixel_bytes(&mut self) -> u64 {
        // The indices of the frame and the canvas.
        1 + 4
    }

    fn pixels_per_byte(&self) -> Option<u64> {
        // The canvas may be larger than the frame.
        None
    }

    fn decode(mut self: Box<Self>) -> Result<Pixels, PictureError> {
        let (width, height) = self.size();
        let frame = self.0.next_frame_info().map_err(PictureError::malformed)?;
        let Some(frame) = frame else { return Err(PictureError::malformed("the picture has no frame")) };
        let (frame_width, frame_height) = (frame.width, frame.height);
        let (left, top) = (usize::from(frame.left), usize::from(frame.top));
        let transparent = frame.transparent.map(usize::from);
        if frame_width == 0 || frame_height == 0 {
            return Err(PictureError::malformed("the first frame has no pixels"));
        }
        let mut indices = buffer((frame_width.into(), frame_height.into()), 1);
        self.0.read_into_buffer(&mut indices).map_err(PictureError::malformed)?;
        // An index past the palette is transparent, too.
        let mut colours = [[0; 4]; 256];
        let palette = self.0.palette().map_err(PictureError::malformed)?;
        for (index, (colour, rgb)) in colours.iter_mut().zip(palette.chunks_exact(3)).enumerate() {
            if let [red, green, blue] = *rgb
                && transparent != Some(index)
            {
                *colour = [red, green, blue, u8::MAX];
            }
        }
        let mut data = buffer((width, height), 4);
        let canvas_rows = data.chunks_exact_mut(usize::from(self.0.width()) * 4).skip(top);
        for (canvas, frame) in canvas_rows.zip(indices.chunks_exact(usize::from(frame_width))) {
            for (pixel, index) in canvas.chunks_exact_mut(4).skip(left).zip(frame) {
                pixel.copy_from_slice(colours.get(usize::from(*index)).unwrap_or(&[0; 4]));
            }
        }
        Ok(Pixels { width, height, channels: 4, data })
    }
}
