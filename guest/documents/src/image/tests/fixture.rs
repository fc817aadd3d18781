//! Small pictures, encoded here, or by another program where there is no encoder in Rust.
//!
//! Unless it says otherwise, each has 16 pixels a side, its left half red and its right half blue.

use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder};

pub(super) const SIDE: u32 = 16;

/// Returns pixels in rows, of `left` and `right`.
pub(super) fn halves<const N: usize>(left: [u8; N], right: [u8; N]) -> Vec<u8> {
    let half = SIDE as usize / 2;
    let row = [left.repeat(half), right.repeat(half)].concat();
    row.repeat(SIDE as usize)
}

pub(super) fn png(pixels: &[u8], (width, height): (u32, u32), colour: ExtendedColorType) -> Vec<u8> {
    let mut data = Vec::new();
    PngEncoder::new(&mut data).write_image(pixels, width, height, colour).unwrap();
    data
}

pub(super) fn rgba_png(left: [u8; 4], right: [u8; 4]) -> Vec<u8> {
    png(&halves(left, right), (SIDE, SIDE), ExtendedColorType::Rgba8)
}

pub(super) fn jpeg() -> Vec<u8> {
    let mut data = Vec::new();
    let pixels = halves([255, 0, 0], [0, 0, 255]);
    JpegEncoder::new_with_quality(&mut data, 90).encode(&pixels, SIDE, SIDE, ExtendedColorType::Rgb8).unwrap();
    data
}

/// A TIFF structure with one entry, the orientation.
fn exif(orientation: u8) -> Vec<u8> {
    let mut exif = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0".to_vec();
    exif.extend([orientation, 0, 0, 0, 0, 0, 0, 0]);
    exif
}

pub(super) fn jpeg_with_orientation(orientation: u8) -> Vec<u8> {
    let mut segment = vec![0xff, 0xe1, 0, 0];
    segment.extend(b"Exif\0\0");
    segment.extend(exif(orientation));
    segment[3] = u8::try_from(segment.len() - 2).unwrap();
    let mut data = jpeg();
    data.splice(2..2, segment);
    data
}

pub(super) fn png_with_orientation(orientation: u8) -> Vec<u8> {
    let mut data = Vec::new();
    let mut info = ::png::Info::with_size(SIDE, SIDE);
    info.color_type = ::png::ColorType::Rgb;
    info.exif_metadata = Some(exif(orientation).into());
    let mut writer = ::png::Encoder::with_info(&mut data, info).unwrap().write_header().unwrap();
    writer.write_image_data(&halves([255, 0, 0], [0, 0, 255])).unwrap();
    drop(writer);
    data
}

/// A GIF whose first frame covers a part of its canvas, and whose second one is green.
pub(super) fn gif(canvas: (u16, u16), left: u16, top: u16) -> Vec<u8> {
    let mut data = Vec::new();
    let palette = [255, 0, 0, 0, 0, 255, 0, 255, 0, 9, 9, 9];
    let mut encoder = gif::Encoder::new(&mut data, canvas.0, canvas.1, &palette).unwrap();
    let side = u16::try_from(SIDE).unwrap();
    let frame = |indices: Vec<u8>, transparent| gif::Frame {
        left,
        top,
        transparent,
        ..gif::Frame::from_indexed_pixels(side, side, indices, None)
    };
    encoder.write_frame(&frame(halves([0], [1]), Some(3))).unwrap();
    encoder.write_frame(&frame(halves([2], [2]), None)).unwrap();
    drop(encoder);
    data
}

pub(super) fn webp_lossless(left: [u8; 4], right: [u8; 4]) -> Vec<u8> {
    let mut data = Vec::new();
    let encoder = image_webp::WebPEncoder::new(&mut data);
    encoder.encode(&halves(left, right), SIDE, SIDE, image_webp::ColorType::Rgba8).unwrap();
    data
}

/// Returns the bytes of hexadecimal digits.
pub(super) fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u32> = hex.chars().filter_map(|digit| digit.to_digit(16)).collect();
    digits.chunks_exact(2).map(|pair| u8::try_from(pair[0] * 16 + pair[1]).unwrap()).collect()
}

/// A progressive JPEG.
pub(super) const JPEG_PROGRESSIVE: &str = "\
    ffd8ffe000104a46494600010100000100010000ffdb0043001b12141714111b1716171e1c1b2028422b28252528513a3d304260556564
    5f555d5b6a7899816a7190735b5d85b586909ea3abadab6780bcc9baa6c799a8aba4ffdb0043011c1e1e2823284e2b2b4ea46e5d6ea4a4
    a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4ffc20011080010
    001003012200021101031101ffc4001500010100000000000000000000000000000304ffc4001401010000000000000000000000000000
    0003ffda000c030100021003100000019c1c19ff00ffc40014100100000000000000000000000000000020ffda00080101000105021fff
    c400161100030000000000000000000000000000000441ffda0008010301013f01661fffc4001611000300000000000000000000000000
    00000441ffda0008010201013f01569fffc40014100100000000000000000000000000000020ffda0008010100063f021fffc400141001
    00000000000000000000000000000020ffda0008010100013f211fffda000c03010002000300000010f7ffc40015110101000000000000
    0000000000000000c100ffda0008010301013f1042ffc400151101010000000000000000000000000000c100ffda0008010201013f1036
    ffc40014100100000000000000000000000000000020ffda0008010100013f101fffd9
";

/// A JPEG in CMYK.
pub(super) const JPEG_CMYK: &str = "\
    ffd8ffee000e41646f626500640000000000ffdb0043001b12141714111b1716171e1c1b2028422b28252528513a3d3042605565645f55
    5d5b6a7899816a7190735b5d85b586909ea3abadab6780bcc9baa6c799a8aba4ffc000140800100010044311004d11005911004b1100ff
    c400160001010100000000000000000000000000000706ffc40014100100000000000000000000000000000000ffda000e0443004d0059
    004b00003f00d3332ccb4c998a60a60998998a60ffd9
";

/// A lossy WebP.
pub(super) const WEBP_LOSSY: &str = "\
    524946463c0000005745425056503820300000007001009d012a1000100002c04c25a0027401400000fef0cb3ffe8fbffeb6fffd687fad
    bfadb7ff6d0f4dfffeb4134000
";

/// A lossy WebP whose right half is transparent.
pub(super) const WEBP_LOSSY_ALPHA: &str = "\
    524946466600000057454250565038580a000000100000000f00000f0000414c50480f00000001101210fe9f9664352226c0247f010056
    503820300000007001009d012a1000100002c04c25a0027401400000fef0cb3ffe8fbffeb6fffd687fadbfadb7ff6d0f4dfffeb4134000
";

/// A lossless WebP with two frames. The second one is turned.
pub(super) const WEBP_ANIMATED: &str = "\
    524946469e00000057454250565038580a000000120000000f00000f0000414e494d06000000000000000000414e4d4632000000000000
    0000000f00000f0000640000025650384c190000002f0fc003000f10f3bffff31f0ec482c9fca5bb3388e87f640200414e4d4638000000
    0000000000000f00000f0000640000005650384c200000002f0fc003101710f32f2028f27fb4f90ff84020409834e9d44144ff43e141ad
    00
";

/// A lossy WebP with two frames. The lower right quarter of the first one is transparent.
pub(super) const WEBP_ANIMATED_ALPHA: &str = "\
    52494646da00000057454250565038580a000000120000000f00000f0000414e494d06000000000000000000414e4d4660000000000000
    0000000f00000f000064000002414c5048110000000120d2b6997fd343833f8e8809f046720f00565038202e0000007001009d012a1000
    100003805a25a0027401400000feefea7fe018fc6ffff9c07e6f7debfffae037f7ffe6fdf800414e4d46460000000000000000000f0000
    0f000064000000565038202e000000d401009d012a1000100000005a25a00274ba01f80003b000fed8eeffe6095f906ed43ffa30fe187f
    0c3fc3d80000
";

/// A WebP whose first frame lies at 10, 2 on a canvas of 40 by 20 pixels.
pub(super) const WEBP_ANIMATED_PART: &str = "\
    524946469800000057454250565038580a00000002000000270000130000414e494d06000000000000000000414e4d4632000000050000
    0100000f00000f0000640000035650384c190000002f0fc003000f10f3bffff31f0ec482c9fca5bb3388e87fe40200414e4d4632000000
    0700000100000f00000f0000640000005650384c190000002f0fc003000f10f3bffff31f0ec482c9fca5bb3388e87fe80200
";
