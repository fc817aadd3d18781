//! Tests of pictures. Their pixels are compared after decoding with `image`.

mod fixture;
mod hostile;

use image::{ExtendedColorType, Rgba, RgbaImage};

use self::fixture::{
    JPEG_CMYK, JPEG_PROGRESSIVE, SIDE, WEBP_ANIMATED, WEBP_ANIMATED_ALPHA, WEBP_ANIMATED_PART, WEBP_LOSSY,
    WEBP_LOSSY_ALPHA, bytes, gif, halves, jpeg, jpeg_with_orientation, png, png_with_orientation, rgba_png,
    webp_lossless,
};
use super::{PictureError, PictureFormat, PictureInfo, Thumbnail, inspect, make_thumbnail};

const RED: [u8; 4] = [255, 0, 0, 255];
const BLUE: [u8; 4] = [0, 0, 255, 255];
const CLEAR: [u8; 4] = [0, 255, 0, 0];

/// Returns one picture of each kind, whose left half is red and whose right half is blue, with its format.
fn pictures() -> Vec<(PictureFormat, Vec<u8>)> {
    let deep: Vec<u8> = halves([255, 0, 0], [0, 0, 255]).into_iter().flat_map(|channel| [channel, channel]).collect();
    vec![
        (PictureFormat::Png, rgba_png(RED, BLUE)),
        (PictureFormat::Png, png(&halves([255, 0, 0], [0, 0, 255]), (SIDE, SIDE), ExtendedColorType::Rgb8)),
        (PictureFormat::Png, png(&deep, (SIDE, SIDE), ExtendedColorType::Rgb16)),
        (PictureFormat::Jpeg, jpeg()),
        (PictureFormat::Jpeg, bytes(JPEG_PROGRESSIVE)),
        (PictureFormat::Jpeg, bytes(JPEG_CMYK)),
        (PictureFormat::Gif, gif((16, 16), 0, 0)),
        (PictureFormat::Webp, webp_lossless(RED, BLUE)),
        (PictureFormat::Webp, bytes(WEBP_LOSSY)),
        (PictureFormat::Webp, bytes(WEBP_ANIMATED)),
    ]
}

fn decoded(thumbnail: &Thumbnail) -> RgbaImage {
    let format = match thumbnail.format {
        PictureFormat::Png => image::ImageFormat::Png,
        PictureFormat::Jpeg => image::ImageFormat::Jpeg,
        other => panic!("{other:?}"),
    };
    let picture = image::load_from_memory_with_format(&thumbnail.data, format).unwrap().to_rgba8();
    assert_eq!(picture.dimensions(), (thumbnail.width, thumbnail.height));
    picture
}

/// Compares a pixel with a colour, up to the losses of lossy formats.
#[track_caller]
fn check_pixel(picture: &RgbaImage, (x, y): (u32, u32), [red, green, blue, alpha]: [u8; 4]) {
    let Rgba(pixel) = *picture.get_pixel(x, y);
    let near = |a: u8, b: u8| a.abs_diff(b) < 40;
    let is_near = near(pixel[0], red) && near(pixel[1], green) && near(pixel[2], blue) && near(pixel[3], alpha);
    assert!(is_near, "{pixel:?} at {x}, {y}");
}

#[test]
fn format_and_size_are_read_from_the_header() {
    for (format, data) in pictures() {
        assert_eq!(inspect(&data), Ok(PictureInfo { format, width: SIDE, height: SIDE }));
    }
    assert_eq!(
        inspect(&gif((300, 200), 5, 6)),
        Ok(PictureInfo { format: PictureFormat::Gif, width: 300, height: 200 })
    );
}

#[test]
fn header_is_enough_for_the_size() {
    for (format, data) in pictures() {
        let enough = (0..=data.len()).find(|len| inspect(&data[..*len]).is_ok()).unwrap();
        // An animated WebP has its frames in its header's list of chunks.
        let is_short = enough < data.len() || format == PictureFormat::Webp;
        assert!(is_short, "{format:?}: {enough} of {}", data.len());
    }
}

#[test]
fn thumbnail_shows_the_first_frame() {
    for (format, data) in pictures() {
        let thumbnail = make_thumbnail(&data, 8).unwrap();
        assert_eq!((thumbnail.format, thumbnail.width, thumbnail.height), (PictureFormat::Jpeg, 8, 8), "{format:?}");
        let picture = decoded(&thumbnail);
        for y in [0, 7] {
            check_pixel(&picture, (0, y), RED);
            check_pixel(&picture, (7, y), BLUE);
        }
    }
}

#[test]
fn small_picture_keeps_its_size() {
    for (_, data) in pictures() {
        for side in [16, 17, 2048, 2049, u32::MAX] {
            let thumbnail = make_thumbnail(&data, side).unwrap();
            check_pixel(&decoded(&thumbnail), (15, 15), BLUE);
        }
    }
    for side in [0, 1] {
        assert_eq!(decoded(&make_thumbnail(&jpeg(), side).unwrap()).dimensions(), (1, 1));
    }
}

#[test]
fn side_of_a_thumbnail_is_limited() {
    let wide = png(&vec![7; 5000 * 10], (5000, 10), ExtendedColorType::L8);
    assert_eq!(decoded(&make_thumbnail(&wide, 4096).unwrap()).dimensions(), (2048, 4));
    let tall = png(&vec![7; 5000 * 10], (10, 5000), ExtendedColorType::L8);
    assert_eq!(decoded(&make_thumbnail(&tall, 100).unwrap()).dimensions(), (1, 100));
}

#[test]
fn transparent_picture_becomes_a_png() {
    let lossy = bytes(WEBP_LOSSY_ALPHA);
    for data in [rgba_png(RED, CLEAR), webp_lossless(RED, CLEAR), lossy] {
        for side in [8, 16] {
            let thumbnail = make_thumbnail(&data, side).unwrap();
            assert_eq!(thumbnail.format, PictureFormat::Png);
            let picture = decoded(&thumbnail);
            check_pixel(&picture, (0, 0), RED);
            assert_eq!(picture.get_pixel(side - 1, side - 1).0[3], 0);
        }
    }
    let grey = png(&halves([90, 255], [0, 0]), (SIDE, SIDE), ExtendedColorType::La8);
    let thumbnail = make_thumbnail(&grey, 8).unwrap();
    assert_eq!(thumbnail.format, PictureFormat::Png);
    check_pixel(&decoded(&thumbnail), (0, 0), [90, 90, 90, 255]);
}

#[test]
fn opaque_picture_becomes_a_jpeg() {
    for (colour, pixels) in [
        (ExtendedColorType::L8, halves([90], [90])),
        (ExtendedColorType::La8, halves([90, 255], [90, 255])),
        (ExtendedColorType::Rgb8, halves([90; 3], [90; 3])),
        (ExtendedColorType::Rgba8, halves([90, 90, 90, 255], [90, 90, 90, 255])),
    ] {
        for side in [8, 16] {
            let thumbnail = make_thumbnail(&png(&pixels, (SIDE, SIDE), colour), side).unwrap();
            assert_eq!(thumbnail.format, PictureFormat::Jpeg);
            check_pixel(&decoded(&thumbnail), (3, 3), [90, 90, 90, 255]);
        }
    }
}

#[test]
fn transparent_colour_does_not_bleed() {
    // Half of each pixel of the copy is red, and the other half a green that cannot be seen.
    let columns = [RED, CLEAR].concat().repeat(SIDE as usize / 2).repeat(SIDE as usize);
    let thumbnail = make_thumbnail(&png(&columns, (SIDE, SIDE), ExtendedColorType::Rgba8), 4).unwrap();
    for Rgba([red, green, _, alpha]) in decoded(&thumbnail).pixels() {
        assert!(*red > 250 && *green == 0 && alpha.abs_diff(128) < 30, "{red} {green} {alpha}");
    }
}

#[test]
fn frame_lies_at_its_place_on_a_transparent_canvas() {
    for data in [gif((40, 20), 10, 2), bytes(WEBP_ANIMATED_PART)] {
        let thumbnail = make_thumbnail(&data, 40).unwrap();
        assert_eq!((thumbnail.format, thumbnail.width, thumbnail.height), (PictureFormat::Png, 40, 20));
        let picture = decoded(&thumbnail);
        for ((x, y), colour) in [((10, 2), RED), ((17, 17), RED), ((18, 2), BLUE), ((25, 17), BLUE)] {
            assert_eq!(picture.get_pixel(x, y).0, colour);
        }
        for (x, y) in [(9, 2), (26, 17), (10, 1), (10, 18), (0, 0), (39, 19)] {
            assert_eq!(picture.get_pixel(x, y).0, [0; 4]);
        }
    }
}

#[test]
fn first_frame_may_be_transparent() {
    let thumbnail = make_thumbnail(&bytes(WEBP_ANIMATED_ALPHA), SIDE).unwrap();
    assert_eq!(thumbnail.format, PictureFormat::Png);
    let picture = decoded(&thumbnail);
    check_pixel(&picture, (0, 15), RED);
    assert_eq!(picture.get_pixel(15, 15).0[3], 0);
}

#[test]
fn picture_is_turned_as_its_metadata_says() {
    // Where red lies then: at the left, right, right, left, top, top, bottom, bottom.
    let corners = [(0, 0), (15, 0), (15, 15), (0, 15), (0, 0), (15, 0), (15, 15), (0, 15)];
    for (orientation, red) in (1..=8).zip(corners) {
        let blue = if orientation < 5 { (15 - red.0, red.1) } else { (red.0, 15 - red.1) };
        for data in [jpeg_with_orientation(orientation), png_with_orientation(orientation)] {
            let thumbnail = make_thumbnail(&data, SIDE).unwrap();
            let picture = decoded(&thumbnail);
            check_pixel(&picture, red, RED);
            check_pixel(&picture, blue, BLUE);
            assert!(!thumbnail.data.windows(4).any(|bytes| bytes == b"Exif" || bytes == b"eXIf"));
        }
    }
}

#[test]
fn size_is_that_of_the_upright_picture() {
    let pixels = vec![9; 20 * 10];
    let mut data = Vec::new();
    image::codecs::jpeg::JpegEncoder::new(&mut data).encode(&pixels, 20, 10, ExtendedColorType::L8).unwrap();
    let turned = jpeg_with_orientation(6);
    let segment = turned[2..turned.len() - jpeg().len() + 2].to_vec();
    data.splice(2..2, segment);
    assert_eq!(inspect(&data), Ok(PictureInfo { format: PictureFormat::Jpeg, width: 10, height: 20 }));
    let thumbnail = make_thumbnail(&data, 10).unwrap();
    assert_eq!(decoded(&thumbnail).dimensions(), (5, 10));
}

#[test]
fn malformed_picture_has_a_reason() {
    let mut data = jpeg();
    data.truncate(30);
    let Err(PictureError::Malformed(reason)) = inspect(&data) else { panic!("{:?}", inspect(&data)) };
    assert!(!reason.is_empty() && reason.len() <= 200, "{reason}");
}
