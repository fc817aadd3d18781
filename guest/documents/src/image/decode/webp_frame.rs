//! The first frame of an animated WebP, as a file of its own.
//!
//! Owns: the chunks of the container, as far as they hold that frame.
//! Never: reads pixels.

/// The flag of a picture with an alpha channel, in a `VP8X` chunk.
const HAS_ALPHA: u8 = 0x10;

/// The length of a frame's header, before its own chunks.
const FRAME_HEADER_BYTES: usize = 16;

pub(super) struct Frame {
    /// Where it lies on the canvas.
    pub(super) left: u32,
    pub(super) top: u32,
    /// The frame as a WebP.
    pub(super) file: Vec<u8>,
}

/// A chunk: its name, its content, and the data after it.
type Chunk<'d> = (&'d [u8; 4], &'d [u8], &'d [u8]);

/// Returns the first frame of a file with an animation.
pub(super) fn first(data: &[u8]) -> Option<Frame> {
    let mut rest = data.get(12..)?;
    loop {
        let (name, content, after) = chunk(rest)?;
        if name == b"ANMF" {
            return frame(content);
        }
        rest = after;
    }
}

fn chunk(data: &[u8]) -> Option<Chunk<'_>> {
    let (name, rest) = data.split_first_chunk::<4>()?;
    let (len, rest) = rest.split_first_chunk::<4>()?;
    let len = usize::try_from(u32::from_le_bytes(*len)).ok()?;
    let (content, after) = rest.split_at_checked(len)?;
    // Content of an odd length is padded.
    Some((name, content, after.get(len % 2..).unwrap_or_default()))
}

fn frame(content: &[u8]) -> Option<Frame> {
    let (header, chunks) = content.split_at_checked(FRAME_HEADER_BYTES)?;
    let number = |at: usize| match header.get(at..at + 3) {
        Some([low, middle, high]) => Some(u32::from_le_bytes([*low, *middle, *high, 0])),
        _ => None,
    };
    let (name, ..) = chunk(chunks)?;
    let flags = if matches!(name, b"ALPH" | b"VP8L") { HAS_ALPHA } else { 0 };
    let len = u32::try_from(chunks.len()).ok()?.checked_add(22)?;
    let mut file = Vec::with_capacity(chunks.len() + 30);
    file.extend_from_slice(b"RIFF");
    file.extend_from_slice(&len.to_le_bytes());
    file.extend_from_slice(b"WEBPVP8X\x0a\0\0\0");
    file.extend_from_slice(&[flags, 0, 0, 0]);
    // The canvas of that file is the frame: both sizes are stored less one.
    file.extend_from_slice(header.get(6..12)?);
    file.extend_from_slice(chunks);
    Some(Frame { left: number(0)?.saturating_mul(2), top: number(3)?.saturating_mul(2), file })
}
