//! Pages of JSON Lines files compared with a naive model, for files that grow between reads.

use std::cell::Cell;
use std::fs;
use std::io::Write as _;
use std::time::{Duration, SystemTime};

use proptest::prelude::*;
use wardroom_appdir::limits::{
    MAX_CACHED_LINE_INDEXES, MAX_INLINE_SCAN_BYTES, MAX_JSONL_FILE_BYTES, MAX_JSONL_LINE_BYTES, MAX_SAVED_LINE_INDEXES,
};
use wardroom_appdir::{AppDirError, Folder, LineIndexCache, RowPage, RowPageRequest};

use wardroom_test_support::TestDir;

const CHUNK: usize = 64 * 1024;

/// A page of at most one byte, and so of one row.
const ONE: RowPageRequest = RowPageRequest { offset: 0, limit: 1, max_bytes: 1 };

/// Reads a page without cancelling.
#[track_caller]
fn page(indexes: &LineIndexCache, folder: &Folder, offset: u64, limit: usize, max_bytes: usize) -> RowPage {
    indexes.read_page(folder, "rows", RowPageRequest { offset, limit, max_bytes }, &|| false).unwrap()
}

/// Returns the expected page, from the whole file.
fn model(content: &[u8], offset: u64, limit: usize, max_bytes: usize) -> RowPage {
    let is_row = |line: &&[u8]| line.iter().any(|byte| !b" \t\r\n".contains(byte));
    let all: Vec<Vec<u8>> = content
        .split(|byte| *byte == b'\n')
        .filter(is_row)
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line).to_vec())
        .collect();
    let (mut rows, mut bytes) = (Vec::new(), 0);
    for row in all.iter().skip(usize::try_from(offset).unwrap()).take(limit) {
        bytes += row.len();
        if bytes > max_bytes && !rows.is_empty() {
            break;
        }
        rows.push(row.clone());
    }
    let (total, next) = (all.len() as u64, offset + rows.len() as u64);
    let last_line = content.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let unended = all.last().filter(|_| is_row(&last_line)).cloned();
    RowPage { rows, total_rows: total, next_offset: (next < total).then_some(next), unterminated_row: unended }
}

#[track_caller]
fn check(content: &[u8], offset: u64, limit: usize, max_bytes: usize) {
    let dir = TestDir::new();
    dir.write_file("rows", content);
    let page = page(&LineIndexCache::new(None), &dir.open_app(), offset, limit, max_bytes);
    assert!(
        page == model(content, offset, limit, max_bytes),
        "{} bytes, {offset}, {limit}, {max_bytes}",
        content.len()
    );
}

/// One line with its newline, as a writer may leave it.
fn any_line() -> impl Strategy<Value = Vec<u8>> {
    let text = prop_oneof![
        6 => "[a-z{}\", ]{0,20}".prop_map(String::into_bytes),
        2 => "[ \t\r]{0,3}".prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>().prop_filter("a line end", |byte| *byte != b'\n'), 0..10),
        1 => (CHUNK - 40..CHUNK + 40).prop_map(|len| vec![b'x'; len]),
        1 => (1..3 * CHUNK).prop_map(|len| vec![b' '; len]),
        1 => (1000..30_000usize).prop_map(|len| vec![b'y'; len]),
    ];
    (text, prop::sample::select(vec!["\n", "\n", "\r\n", "\n\n"]))
        .prop_map(|(text, end)| [&text, end.as_bytes()].concat())
}

/// The initial content and later appends; each may end in the middle of a line.
fn any_growth() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let piece = (prop::collection::vec(any_line(), 0..30), 0..3usize).prop_map(|(lines, cut)| {
        let mut bytes = lines.concat();
        bytes.truncate(bytes.len().saturating_sub(cut));
        bytes
    });
    prop::collection::vec(piece, 1..5)
}

fn any_request() -> impl Strategy<Value = (u64, usize, usize)> {
    (0..130u64, 0..60usize, prop_oneof![Just(usize::MAX), 0..200_000usize])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pages_of_growing_file_match_model(
        pieces in any_growth(),
        requests in prop::collection::vec(any_request(), 4),
    ) {
        let dir = TestDir::new();
        let folder = dir.open_app();
        let path = dir.write_file("rows", b"");
        let indexes = LineIndexCache::new(None);
        let mut content = Vec::new();
        for piece in pieces {
            fs::File::options().append(true).open(&path).unwrap().write_all(&piece).unwrap();
            content.extend(piece);
            for (offset, limit, max_bytes) in &requests {
                let expected = model(&content, *offset, *limit, *max_bytes);
                // Twice, so that the second page uses the index of the first.
                for _ in 0..2 {
                    let page = page(&indexes, &folder, *offset, *limit, *max_bytes);
                    prop_assert!(page == expected, "{offset} {limit} {max_bytes} of {} bytes", content.len());
                }
            }
            // Following `next_offset` visits every row once.
            let (mut at, mut rows) = (Some(0), Vec::new());
            while let Some(offset) = at {
                let page = page(&indexes, &folder, offset, 7, 50_000);
                at = page.next_offset;
                rows.extend(page.rows);
            }
            prop_assert!(rows == model(&content, 0, usize::MAX, usize::MAX).rows);
        }
    }

    #[test]
    fn pages_from_saved_index_match_model(pieces in any_growth(), (offset, limit, max_bytes) in any_request()) {
        let dir = TestDir::new();
        let folder = dir.open_app();
        let cache = folder.create_folder("cache").unwrap();
        // Large enough for a saved index.
        let mut content = b"{\"row\": 1}\n".repeat(100_000);
        let path = dir.write_file("rows", &content);
        let offset = offset + 99_950;
        for piece in pieces {
            fs::File::options().append(true).open(&path).unwrap().write_all(&piece).unwrap();
            content.extend(piece);
            let page = page(&LineIndexCache::new(Some(cache.clone())), &folder, offset, limit, max_bytes);
            prop_assert!(page == model(&content, offset, limit, max_bytes));
        }
    }
}

#[test]
fn lines_ending_at_chunk_boundary_are_whole() {
    for len in CHUNK - 3..CHUNK + 3 {
        for end in ["\n", "\r\n"] {
            let mut content = vec![b'x'; len];
            content.extend(end.as_bytes());
            content.extend(b"1");
            content.extend(end.as_bytes());
            content.extend(vec![b' '; CHUNK]);
            content.extend(b"2");
            for (offset, limit) in [(0, 9), (0, 1), (1, 1), (2, 1), (2, 9), (3, 9)] {
                check(&content, offset, limit, usize::MAX);
            }
        }
    }
}

#[test]
fn page_has_one_row_or_stays_within_byte_limit() {
    let content = b"22\n4444\n\n22\n333\r\n";
    for max_bytes in 0..12 {
        for offset in 0..5 {
            check(content, offset, 9, max_bytes);
        }
    }
}

#[test]
fn offset_beyond_end_gives_empty_page() {
    for offset in [3, 4, 1 << 32, u64::MAX / 2] {
        check(b"1\n2\n3\n", offset, usize::MAX, usize::MAX);
    }
    let dir = TestDir::new();
    dir.write_file("rows", "1\n");
    let page = page(&LineIndexCache::new(None), &dir.open_app(), u64::MAX, usize::MAX, 1);
    assert_eq!(page, RowPage { total_rows: 1, ..RowPage::default() });
}

#[test]
fn files_over_index_cache_limit_are_all_read() {
    const FIRST: RowPageRequest = RowPageRequest { offset: 0, limit: 5, max_bytes: usize::MAX };
    let dir = TestDir::new();
    let (folder, indexes) = (dir.open_app(), LineIndexCache::new(None));
    for _ in 0..2 {
        for at in 0..MAX_CACHED_LINE_INDEXES + 6 {
            let content = format!("{at}\n").repeat(at);
            dir.write_file(&format!("rows-{at}"), &content);
            let page = indexes.read_page(&folder, &format!("rows-{at}"), FIRST, &|| false).unwrap();
            assert_eq!(page, model(content.as_bytes(), 0, 5, usize::MAX));
        }
    }
}

#[test]
fn saved_indexes_are_limited() {
    let dir = TestDir::new();
    let (folder, cache) = (dir.open_app(), dir.open_app().create_folder("cache").unwrap());
    let saved = || fs::read_dir(dir.app_path().join("cache")).unwrap().map(|entry| entry.unwrap().file_name());
    let long_ago = SystemTime::now() - Duration::from_secs(3600);
    for at in 0..MAX_SAVED_LINE_INDEXES + 20 {
        let path = dir.write_file(&format!("cache/{at:04}.lines"), "");
        let time = long_ago + Duration::from_secs(at as u64);
        fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    }
    dir.write_file("cache/other", "");
    dir.write_file("rows", "{}\n".repeat(400_000));
    page(&LineIndexCache::new(Some(cache)), &folder, 0, 1, 1);
    let mut left: Vec<_> = saved().map(|name| name.into_string().unwrap()).collect();
    left.sort();
    assert_eq!(left.len(), MAX_SAVED_LINE_INDEXES + 1);
    assert!(left.contains(&"0021.lines".to_owned()) && !left.contains(&"0020.lines".to_owned()), "{left:?}");
    assert!(left.contains(&"other".to_owned()));
}

/// Creates a sparse file without data.
fn sparse(dir: &TestDir, bytes: u64) {
    fs::File::options().write(true).open(dir.write_file("rows", "")).unwrap().set_len(bytes).unwrap();
}

#[test]
fn oversized_file_is_refused_before_reading() {
    let dir = TestDir::new();
    sparse(&dir, MAX_JSONL_FILE_BYTES + 1);
    let (folder, indexes) = (dir.open_app(), LineIndexCache::new(None));
    let unread = || panic!("nothing is read");
    for refused in [
        indexes.read_page(&folder, "rows", ONE, &unread),
        indexes.read_page_if_indexed(&folder, "rows", ONE).map(Option::unwrap),
    ] {
        assert!(
            matches!(refused, Err(AppDirError::TooLarge { len, limit, .. }) if (len, limit) == (MAX_JSONL_FILE_BYTES + 1, MAX_JSONL_FILE_BYTES))
        );
    }
}

#[test]
fn cancelled_scan_stops() {
    const POLLS: usize = 5;
    let dir = TestDir::new();
    sparse(&dir, MAX_JSONL_FILE_BYTES);
    let polls = Cell::new(0);
    let stop = || {
        polls.set(polls.get() + 1);
        polls.get() == POLLS
    };
    let stopped = LineIndexCache::new(None).read_page(&dir.open_app(), "rows", ONE, &stop);
    assert!(matches!(stopped, Err(AppDirError::Cancelled(_))), "{stopped:?}");
    assert_eq!(polls.get(), POLLS);
}

#[test]
fn long_blank_line_is_not_a_row() {
    let blank = " ".repeat(MAX_JSONL_LINE_BYTES + CHUNK + 7);
    let content = format!("1\n{blank}\n2\n{blank}");
    for (offset, limit) in [(0, 9), (0, 2), (1, 1), (2, 1)] {
        check(content.as_bytes(), offset, limit, usize::MAX);
    }
    // Content after the blanks on the same line makes it a row, which is too long.
    let (dir, indexes) = (TestDir::new(), LineIndexCache::new(None));
    dir.write_file("rows", format!("1\n{blank}2\n3\n"));
    let wanted = |offset| RowPageRequest { offset, limit: 9, max_bytes: usize::MAX };
    let first = indexes.read_page(&dir.open_app(), "rows", wanted(0), &|| false).unwrap();
    assert_eq!((first.rows, first.total_rows, first.next_offset), (vec![b"1".to_vec()], 3, Some(1)));
    let second = indexes.read_page(&dir.open_app(), "rows", wanted(1), &|| false);
    assert!(matches!(second, Err(AppDirError::TooLarge { .. })), "{second:?}");
    let third = indexes.read_page(&dir.open_app(), "rows", wanted(2), &|| false).unwrap();
    assert_eq!((third.rows, third.total_rows, third.next_offset), (vec![b"3".to_vec()], 3, None));
}

#[test]
fn large_or_distant_unterminated_row_counts_as_not_indexed() {
    let (dir, indexes) = (TestDir::new(), LineIndexCache::new(None));
    let blank = "\n".repeat(usize::try_from(MAX_INLINE_SCAN_BYTES).unwrap() + CHUNK);
    for (last, is_light) in
        [("3", true), (&"x".repeat(100), true), (&"x".repeat(101), false), (&format!("{blank}3"), true)]
    {
        let content = format!("1\n2\n{last}");
        dir.write_file("rows", &content);
        page(&indexes, &dir.open_app(), 0, 1, 100);
        let light = indexes.read_page_if_indexed(
            &dir.open_app(),
            "rows",
            RowPageRequest { offset: 0, limit: 1, max_bytes: 100 },
        );
        assert_eq!(light.as_ref().unwrap().is_some(), is_light, "{} bytes: {light:?}", content.len());
    }
    // One row longer than the limit of bytes between two checkpoints.
    dir.write_file("rows", format!("1\n2\n{}", "x".repeat(usize::try_from(MAX_INLINE_SCAN_BYTES).unwrap() + CHUNK)));
    let wanted = RowPageRequest { offset: 0, limit: 1, max_bytes: usize::MAX };
    page(&indexes, &dir.open_app(), 0, 1, 100);
    let light = indexes.read_page_if_indexed(&dir.open_app(), "rows", wanted);
    assert!(matches!(light, Ok(None)), "{light:?}");
}

#[test]
fn distant_rows_count_as_not_indexed() {
    let dir = TestDir::new();
    let blank = "\n \r\n".repeat(usize::try_from(MAX_INLINE_SCAN_BYTES).unwrap());
    let content = format!("1\n2\n{blank}3\n{blank}4\n5");
    dir.write_file("rows", &content);
    let (folder, indexes) = (dir.open_app(), LineIndexCache::new(None));
    for (offset, limit, is_light) in
        [(0, 1, true), (0, 2, true), (0, 3, false), (2, 1, true), (2, 2, false), (3, 2, true)]
    {
        let page = page(&indexes, &folder, offset, limit, 100);
        assert_eq!(page, model(content.as_bytes(), offset, limit, 100));
        let light = indexes.read_page_if_indexed(&folder, "rows", RowPageRequest { offset, limit, max_bytes: 100 });
        assert_eq!(light.as_ref().unwrap().is_some(), is_light, "{offset} {limit}: {light:?}");
    }
}

#[test]
fn reader_beside_writer_sees_whole_rows_in_order() {
    let dir = TestDir::new();
    let path = dir.write_file("rows", "");
    let row = |n: u64| format!("{{\"n\":{n},\"pad\":\"{}\"}}", "x".repeat(usize::try_from(n % 50).unwrap()));
    const ROWS: u64 = 4000;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut file = fs::File::options().append(true).open(&path).unwrap();
            for n in 0..ROWS {
                file.write_all(format!("{}\n", row(n)).as_bytes()).unwrap();
            }
        });
        let (folder, indexes, mut at) = (dir.open_app(), LineIndexCache::new(None), 0);
        while at < ROWS {
            let page = page(&indexes, &folder, at, 100, usize::MAX);
            let last = page.rows.len().checked_sub(1).filter(|_| page.next_offset.is_none());
            for (nth, bytes) in page.rows.into_iter().enumerate() {
                let (text, whole) = (String::from_utf8(bytes).unwrap(), row(at));
                if text == whole {
                    at += 1;
                } else {
                    // The system may show a part of the line that is being written. It is the last row then.
                    assert!(Some(nth) == last && whole.starts_with(&text), "{text}");
                }
            }
        }
    });
}
