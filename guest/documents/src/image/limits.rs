//! The limits of pictures.
//!
//! Owns: the numbers, each with the resource that a picture could exhaust, and how they depend on each other.
//! Never: decides what happens at a limit; that is a `PictureError`.

/// The memory of an instance that makes thumbnails.
const INSTANCE_BYTES: u64 = 256 * 1024 * 1024;

/// The part of that memory for everything but the input and the decoder's buffers: the program and the encoded
/// thumbnail.
const RESERVED_BYTES: u64 = 16 * 1024 * 1024;

/// The most pixels that are decoded, whatever their format. Cameras of 24 megapixels make up to 24.5 million.
pub(crate) const MAX_PIXELS: u32 = 24 * 1024 * 1024;

/// The longest side that is decoded: JPEG's and GIF's own limit. Decoders keep a few rows besides the picture, which
/// could be as large as the picture itself otherwise.
pub(crate) const MAX_SIDE: u32 = 65_535;

/// The longest side of a thumbnail. Each takes memory for the square of its side.
pub(crate) const MAX_THUMBNAIL_SIDE: u32 = 2048;

/// The most passes over a progressive JPEG. Each takes time for the whole picture, and a few bytes in the file; common
/// encoders make 10.
pub(crate) const MAX_JPEG_SCANS: usize = 64;

/// The most memory for the parts of a PNG other than pixels: rows, a palette, metadata.
pub(crate) const MAX_PNG_EXTRA_BYTES: usize = 16 * 1024 * 1024;

/// The most metadata in which an orientation is searched. JPEG has no more than 64 KiB.
pub(crate) const MAX_EXIF_BYTES: usize = 64 * 1024;

/// The most bytes of a decoder's error message.
pub(crate) const MAX_MESSAGE_BYTES: usize = 200;

/// Returns how many pixels fit in memory beside an input of `input_bytes`, with a decoder that needs `pixel_bytes` for
/// each, its output among them.
pub(crate) fn pixel_limit(input_bytes: usize, pixel_bytes: u64) -> u32 {
    let input_bytes = u64::try_from(input_bytes).unwrap_or(u64::MAX);
    let rest = (INSTANCE_BYTES - RESERVED_BYTES).saturating_sub(input_bytes);
    let fitting = rest / pixel_bytes.max(1);
    u32::try_from(fitting).unwrap_or(u32::MAX).min(MAX_PIXELS)
}
