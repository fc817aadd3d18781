//! Hostile pictures: other formats, false sizes, and damage.

use super::super::limits::{MAX_PIXELS, MAX_SIDE, pixel_limit};
use super::{
    BLUE, CLEAR, PictureError, PictureFormat, PictureInfo, RED, WEBP_ANIMATED_ALPHA, WEBP_ANIMATED_PART,
    WEBP_LOSSY_ALPHA, bytes, gif, inspect, jpeg, jpeg_with_orientation, make_thumbnail, pictures, png_with_orientation,
    rgba_png, webp_lossless,
};
use crate::mutation::Random;

#[test]
fn other_formats_are_unknown() {
    for data in [
        &b""[..],
        b"\xff\xd8",
        b"\x89PNG",
        b"GIF86a\x01\0\x01\0",
        b"RIFF\0\0\0\0WAVEfmt ",
        b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>",
        b"<!doctype html>",
        b"II*\0\x08\0\0\0",
        b"MM\0*\0\0\0\x08",
        b"BM\x46\0\0\0",
        b"\0\0\x01\0",
        b"\0\0\0\x1cftypavif",
    ] {
        assert_eq!(inspect(data), Err(PictureError::UnknownFormat));
        assert_eq!(make_thumbnail(data, 100), Err(PictureError::UnknownFormat));
    }
}

/// Sets the size in the header of a picture.
fn resized(format: PictureFormat, mut data: Vec<u8>, width: u16, height: u16) -> Vec<u8> {
    match format {
        PictureFormat::Png => {
            data[16..20].copy_from_slice(&u32::from(width).to_be_bytes());
            data[20..24].copy_from_slice(&u32::from(height).to_be_bytes());
            let mut crc = u32::MAX;
            for byte in &data[12..29] {
                crc ^= u32::from(*byte);
                (0..8).for_each(|_| crc = (crc >> 1) ^ (0xedb8_8320 & 0_u32.wrapping_sub(crc & 1)));
            }
            data[29..33].copy_from_slice(&(!crc).to_be_bytes());
        }
        PictureFormat::Jpeg => {
            let frame =
                data.windows(2).position(|marker| marker[0] == 0xff && matches!(marker[1], 0xc0 | 0xc2)).unwrap();
            data[frame + 5..frame + 7].copy_from_slice(&height.to_be_bytes());
            data[frame + 7..frame + 9].copy_from_slice(&width.to_be_bytes());
        }
        PictureFormat::Gif => {
            data[6..8].copy_from_slice(&width.to_le_bytes());
            data[8..10].copy_from_slice(&height.to_le_bytes());
        }
        PictureFormat::Webp => {
            // Lossless: 14 bits for each side, less one, after a signature of one byte.
            let (width, height) = (u32::from(width - 1), u32::from(height - 1));
            data[21..25].copy_from_slice(&(width & 0x3fff | (height & 0x3fff) << 14).to_le_bytes());
        }
    }
    data
}

#[test]
fn large_picture_is_refused_before_it_is_decoded() {
    for (format, data, side) in [
        (PictureFormat::Png, rgba_png(RED, BLUE), 60_000),
        (PictureFormat::Jpeg, jpeg(), 65_500),
        (PictureFormat::Gif, gif((16, 16), 0, 0), 65_535),
        (PictureFormat::Webp, webp_lossless(RED, BLUE), 16_383),
    ] {
        let data = resized(format, data, side, side);
        let (width, height) = (side.into(), side.into());
        assert_eq!(inspect(&data), Ok(PictureInfo { format, width, height }));
        assert_eq!(make_thumbnail(&data, 100), Err(PictureError::TooManyPixels(MAX_PIXELS)));
    }
    // Too long for its pixels.
    let width = MAX_SIDE + 1;
    let data = super::png(&vec![0; width as usize], (width, 1), image::ExtendedColorType::L8);
    let refused = Err(PictureError::Malformed("a side is longer than 65535 pixels".into()));
    assert_eq!(make_thumbnail(&data, 100), refused);
}

#[test]
fn short_data_is_refused_before_it_is_decoded() {
    for (format, data) in [(PictureFormat::Png, rgba_png(RED, BLUE)), (PictureFormat::Jpeg, jpeg())] {
        let data = resized(format, data, 5_000, 4_000);
        let refused = Err(PictureError::Malformed("the data ends long before the last pixel".into()));
        assert_eq!(make_thumbnail(&data, 100), refused);
    }
}

#[test]
fn picture_without_pixels_is_malformed() {
    for (format, data) in [
        (PictureFormat::Png, rgba_png(RED, BLUE)),
        (PictureFormat::Jpeg, jpeg()),
        (PictureFormat::Gif, gif((16, 16), 0, 0)),
    ] {
        for (width, height) in [(0, 16), (16, 0), (0, 0)] {
            let data = resized(format, data.clone(), width, height);
            assert!(matches!(inspect(&data), Err(PictureError::Malformed(_))), "{format:?}");
            assert!(matches!(make_thumbnail(&data, 100), Err(PictureError::Malformed(_))), "{format:?}");
        }
    }
}

#[test]
fn frame_beyond_its_canvas_is_malformed() {
    for canvas in [(15, 16), (16, 15), (1, 1)] {
        assert!(matches!(make_thumbnail(&gif(canvas, 0, 0), 100), Err(PictureError::Malformed(_))));
    }
    assert!(matches!(make_thumbnail(&gif((20, 20), 5, 0), 100), Err(PictureError::Malformed(_))));
    assert!(make_thumbnail(&gif((20, 20), 4, 4), 100).is_ok());
}

#[test]
fn animation_with_a_false_frame_size_is_malformed() {
    for data in [bytes(WEBP_ANIMATED_ALPHA), bytes(WEBP_ANIMATED_PART)] {
        let header = data.windows(4).position(|name| name == b"ANMF").unwrap() + 8;
        // The place, and the size less one, in three bytes each.
        for (field, value) in [(0, 20), (3, 20), (6, 14), (6, 0), (9, 14), (9, 0), (6, 255), (11, 255)] {
            let mut data = data.clone();
            data[header + field] = value;
            assert!(matches!(make_thumbnail(&data, 8), Err(PictureError::Malformed(_))), "{field}: {value}");
        }
    }
}

#[test]
fn pixel_limit_follows_the_memory() {
    let camera = 24_500_000;
    for (pixel_bytes, input_bytes) in [(4, 64 << 20), (3 + 2 * 3, 20 << 20), (5, 64 << 20), (3 + 4, 48 << 20)] {
        assert!(pixel_limit(input_bytes, pixel_bytes) >= camera, "{pixel_bytes}");
    }
    assert_eq!(pixel_limit(0, 1), MAX_PIXELS);
    assert!(pixel_limit(0, 12) < MAX_PIXELS);
    assert!(pixel_limit(50 << 20, 12) < pixel_limit(0, 12));
    assert_eq!(pixel_limit(usize::MAX, 1), 0);
}

#[test]
fn every_truncation_gets_an_answer() {
    for (format, data) in pictures() {
        let mut accepted = 0;
        for len in 0..data.len() {
            let _info = inspect(&data[..len]);
            accepted += usize::from(make_thumbnail(&data[..len], 8).is_ok());
        }
        // A truncated JPEG is shown in part, and the second frame of an animation is not read.
        assert!(format == PictureFormat::Jpeg || 2 * accepted < data.len(), "{format:?}: {accepted} of {}", data.len());
    }
}

#[test]
fn mutated_picture_gets_an_answer() {
    let mut originals: Vec<Vec<u8>> = pictures().into_iter().map(|(_, data)| data).collect();
    originals.extend([
        jpeg_with_orientation(6),
        png_with_orientation(3),
        rgba_png(RED, CLEAR),
        bytes(WEBP_LOSSY_ALPHA),
        bytes(WEBP_ANIMATED_ALPHA),
        bytes(WEBP_ANIMATED_PART),
        gif((40, 20), 3, 2),
    ]);
    let pieces: [&[u8]; 8] =
        [b"\xff\xd9", b"\xff\xda", b"\xff\xff\xff\xff", b"\0\0\0\0", b"IDAT", b"!\xf9\x04", b"VP8L", b"ANMF"];
    let mut random = Random::new(5);
    let mut thumbnails = 0;
    for turn in 0..30_000 {
        let mut data = originals[turn % originals.len()].clone();
        random.mutate(&mut data, &pieces);
        // Without optimisation, a large picture takes seconds.
        let is_small = |info: PictureInfo| u64::from(info.width) * u64::from(info.height) <= 100_000;
        if inspect(&data).is_ok_and(is_small) {
            thumbnails += usize::from(make_thumbnail(&data, 8).is_ok());
        }
    }
    assert!(thumbnails > 2_000, "{thumbnails} thumbnails");
}
