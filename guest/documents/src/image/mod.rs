//! Pictures: their size, and small copies of them.
//!
//! Owns: the order of the steps, from the header to the encoded copy, and the types that callers see.
//! Never: decodes a picture whose header promises more than `limits`, or keeps metadata.

mod decode;
mod encode;
mod limits;
mod resize;
#[cfg(test)]
mod tests;

use std::fmt;

use limits::{MAX_MESSAGE_BYTES, MAX_THUMBNAIL_SIDE};

/// The format of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureFormat {
    Png,
    Jpeg,
    Gif,
    Webp,
}

/// The size of a picture as a viewer shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PictureInfo {
    pub format: PictureFormat,
    pub width: u32,
    pub height: u32,
}

/// A small copy of a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thumbnail {
    /// JPEG, or PNG where the picture has transparent parts.
    pub format: PictureFormat,
    pub width: u32,
    pub height: u32,
    pub data: Vec<u8>,
}

/// Why a picture cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PictureError {
    UnknownFormat,
    /// Carries the number of pixels that this picture may have, by its format and length.
    TooManyPixels(u32),
    /// Carries the reason.
    Malformed(String),
}

impl PictureError {
    fn malformed(reason: impl fmt::Display) -> Self {
        // A decoder's message may end with a line break.
        let mut reason = reason.to_string().trim().to_owned();
        reason.truncate(reason.floor_char_boundary(MAX_MESSAGE_BYTES));
        Self::Malformed(reason)
    }
}

/// Reads the format and the size from the header of a picture.
///
/// # Errors
/// The data is no picture, or its header is damaged.
pub fn inspect(data: &[u8]) -> Result<PictureInfo, PictureError> {
    let format = decode::format(data).ok_or(PictureError::UnknownFormat)?;
    let picture = decode::open(format, data)?;
    let (width, height) = picture.upright_size();
    Ok(PictureInfo { format, width, height })
}

/// Returns a copy that fits in a square of `side` pixels, of the first frame, upright, without metadata. A smaller
/// picture keeps its size. The side is at least 1 and at most 2048; another one counts as the nearest of them.
///
/// # Errors
/// The data is no picture, is damaged, or has more pixels than are decoded.
pub fn make_thumbnail(data: &[u8], side: u32) -> Result<Thumbnail, PictureError> {
    let format = decode::format(data).ok_or(PictureError::UnknownFormat)?;
    let picture = decode::open(format, data)?;
    let orientation = picture.orientation;
    let pixels = picture.decode()?;
    let small = resize::fit(pixels, side.clamp(1, MAX_THUMBNAIL_SIDE))?;
    encode::thumbnail(small, orientation)
}
