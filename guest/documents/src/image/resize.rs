//! Downscaling.
//!
//! Owns: the size of a copy, and its pixels. Colours are weighted by their alpha, so that transparent pixels do not
//! colour those beside them.
//! Never: enlarges a picture, or copies it at its full size.

use fast_image_resize::images::TypedImage;
use fast_image_resize::pixels::{U8, U8x2, U8x3, U8x4};
use fast_image_resize::{FilterType, MulDiv, PixelTrait, ResizeAlg, ResizeOptions, Resizer};

use super::PictureError;
use super::decode::Pixels;

/// Returns the picture itself if it fits in a square of `side` pixels, or a copy that does.
pub(super) fn fit(pixels: Pixels, side: u32) -> Result<Pixels, PictureError> {
    let (width, height) = fitting_size(pixels.width, pixels.height, side);
    if (width, height) == (pixels.width, pixels.height) {
        return Ok(pixels);
    }
    match pixels.channels {
        1 => resize::<U8>(pixels, width, height),
        2 => resize::<U8x2>(pixels, width, height),
        3 => resize::<U8x3>(pixels, width, height),
        _ => resize::<U8x4>(pixels, width, height),
    }
}

/// Returns the size with the same ratio of sides, whose longer side is `side` at most, and whose shorter one is at
/// least 1.
fn fitting_size(width: u32, height: u32, side: u32) -> (u32, u32) {
    let longer = width.max(height);
    if longer <= side {
        return (width, height);
    }
    let scale = |length: u32| {
        let scaled = (u64::from(length) * u64::from(side) + u64::from(longer) / 2) / u64::from(longer);
        u32::try_from(scaled).unwrap_or(side).clamp(1, side)
    };
    (scale(width), scale(height))
}

fn resize<P: PixelTrait>(mut pixels: Pixels, width: u32, height: u32) -> Result<Pixels, PictureError> {
    let has_alpha = pixels.channels.is_multiple_of(2);
    let alpha = MulDiv::new();
    let mut source =
        TypedImage::<P>::from_buffer(pixels.width, pixels.height, &mut pixels.data).map_err(PictureError::malformed)?;
    if has_alpha {
        alpha.multiply_alpha_inplace_typed(&mut source).map_err(PictureError::malformed)?;
    }
    let mut data = vec![0; width as usize * height as usize * usize::from(pixels.channels)];
    let mut small = TypedImage::<P>::from_buffer(width, height, &mut data).map_err(PictureError::malformed)?;
    let algorithm = ResizeAlg::Convolution(FilterType::Lanczos3);
    let options = ResizeOptions::new().resize_alg(algorithm).use_alpha(false);
    Resizer::new().resize_typed(&source, &mut small, &options).map_err(PictureError::malformed)?;
    if has_alpha {
        alpha.divide_alpha_inplace_typed(&mut small).map_err(PictureError::malformed)?;
    }
    Ok(Pixels { width, height, channels: pixels.channels, data })
}

#[cfg(test)]
mod tests {
    use super::fitting_size;

    #[test]
    fn copy_keeps_its_ratio_and_is_never_empty() {
        for (width, height, side, fitting) in [
            (4000, 3000, 800, (800, 600)),
            (3000, 4000, 800, (600, 800)),
            (1000, 999, 100, (100, 100)),
            (800, 600, 800, (800, 600)),
            (100, 50, 800, (100, 50)),
            (65_535, 1, 1, (1, 1)),
            (1, 65_535, 2048, (1, 2048)),
        ] {
            assert_eq!(fitting_size(width, height, side), fitting);
        }
    }
}
