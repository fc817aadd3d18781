//! Pictures, natively: no data makes the decoders fail, and a thumbnail is a picture that fits.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wardroom_documents_guest::image::{PictureFormat, inspect, make_thumbnail};

/// Larger pictures take longer, and nothing else.
const MAX_PIXELS: u64 = 1 << 18;

fuzz_target!(|data: &[u8]| {
    let info = match inspect(data) {
        Ok(info) => info,
        Err(error) => {
            assert_eq!(make_thumbnail(data, 8), Err(error), "a picture without a header has no thumbnail");
            return;
        }
    };
    if u64::from(info.width) * u64::from(info.height) > MAX_PIXELS {
        return;
    }
    for side in [1, 5, 2048] {
        let Ok(thumbnail) = make_thumbnail(data, side) else { continue };
        assert!(matches!(thumbnail.format, PictureFormat::Jpeg | PictureFormat::Png));
        assert!(thumbnail.width <= side.min(info.width) && thumbnail.height <= side.min(info.height), "{info:?}");
        let shown = inspect(&thumbnail.data).expect("a thumbnail is a picture");
        let (format, size) = (thumbnail.format, (thumbnail.width, thumbnail.height));
        assert_eq!((shown.format, (shown.width, shown.height)), (format, size));
        assert_eq!(make_thumbnail(data, side).as_ref(), Ok(&thumbnail), "the same picture gives the same thumbnail");
    }
});
