//! Pages of a card's samples: their rows and totals, and changes of the file.

use std::fs;
use std::hash::{DefaultHasher, Hasher as _};
use std::io::Write as _;
use std::path::PathBuf;

use serde_json::{Value, json};
use wardroom_alc::AlcFolders;
use wardroom_appdir::LineIndexCache;
use wardroom_appdir::limits::{LINE_INDEX_FILE_MIN_BYTES, MAX_JSONL_FILE_BYTES, MAX_JSONL_LINE_BYTES};
use wardroom_service::limits::MAX_PAGE_BYTES;

use wardroom_test_support::{TestAlcService, TestDir};

const FILE: &str = "cards/cot/cot_1.samples.jsonl";

/// A card whose samples file holds `content`.
fn card_with(content: impl AsRef<[u8]>) -> (TestDir, TestAlcService) {
    let dir = TestDir::new();
    dir.write_card("cot", "cot_1", &[]);
    dir.write_file(FILE, content);
    let service = TestAlcService::new(&dir);
    (dir, service)
}

fn uri(query: &str) -> String {
    format!("alc://cards/cot_1/samples{query}")
}

/// Checks the rows and the annotations of one page.
#[track_caller]
fn check_page(service: &TestAlcService, query: &str, rows: &str, total: u64, next: Option<u64>) {
    assert_eq!(service.read_text(&uri(query)), rows, "{query}");
    let notes = match next {
        Some(next) => json!({"total": total, "nextOffset": next}),
        None => json!({"total": total}),
    };
    assert_eq!(service.read_meta_fields(&uri(query)), notes, "{query}");
}

#[track_caller]
fn check_refused(service: &TestAlcService, query: &str, sentence: &str) {
    assert_eq!(service.read_refusal(&uri(query)), sentence.replace("{}", &uri(query)));
}

/// Returns rows `{"n":0}`, `{"n":1}`, … in lines of at least `bytes` in total, and their number.
fn many_rows(bytes: u64) -> (String, u64) {
    let (mut text, mut rows) = (String::new(), 0);
    while (text.len() as u64) < bytes {
        text.push_str(&format!("{{\"n\":{rows},\"pad\":\"{}\"}}\n", "x".repeat(rows as usize % 97)));
        rows += 1;
    }
    (text, rows)
}

/// Returns the numbers of the rows on a page.
#[track_caller]
fn numbers(service: &TestAlcService, query: &str) -> Vec<u64> {
    let rows: Vec<Value> = serde_json::from_str(&service.read_text(&uri(query))).unwrap();
    rows.iter().map(|row| row["n"].as_u64().unwrap()).collect()
}

#[test]
fn pages_respect_offset_and_limit_at_the_edges() {
    let (_dir, service) = card_with("0\n1\n2\n3\n4\n");
    check_page(&service, "", "[0,1,2,3,4]", 5, None);
    check_page(&service, "?limit=2", "[0,1]", 5, Some(2));
    check_page(&service, "?offset=2&limit=2", "[2,3]", 5, Some(4));
    check_page(&service, "?offset=3&limit=2", "[3,4]", 5, None);
    check_page(&service, "?offset=4&limit=2", "[4]", 5, None);
    check_page(&service, "?offset=5", "[]", 5, None);
    check_page(&service, "?offset=10000000&limit=10000", "[]", 5, None);
    check_page(&service, "?limit=0", "[]", 5, Some(0));
    check_page(&service, "?offset=5&limit=0", "[]", 5, None);
}

#[test]
fn default_page_has_100_rows() {
    let rows: Vec<String> = (0..250).map(|n| n.to_string()).collect();
    let (_dir, service) = card_with(rows.join("\n"));
    check_page(&service, "", &format!("[{}]", rows[..100].join(",")), 250, Some(100));
    check_page(&service, "?offset=200", &format!("[{}]", rows[200..].join(",")), 250, None);
}

#[test]
fn card_without_samples_returns_an_empty_page() {
    let dir = TestDir::new();
    dir.write_card("cot", "cot_1", &[]);
    let service = TestAlcService::new(&dir);
    check_page(&service, "", "[]", 0, None);
    dir.write_file(FILE, "");
    check_page(&service, "?offset=3", "[]", 0, None);
    dir.write_file(FILE, " \r\n\n\t\n");
    check_page(&service, "", "[]", 0, None);
}

#[test]
fn blank_lines_and_line_ends_are_not_rows() {
    for content in
        ["1\n2\n3\n", "1\n2\n3", "\n\n1\n\n2\n \t\n3\n\n", "1\r\n2\r\n3\r\n", "1\r\n\r\n2\r\n3", " 1 \n\t2\n3 "]
    {
        let (_dir, service) = card_with(content);
        check_page(&service, "", "[1,2,3]", 3, None);
        check_page(&service, "?offset=1&limit=1", "[2]", 3, Some(2));
    }
}

#[test]
fn row_keeps_its_stored_text() {
    let rows = ["{\"b\" : 1, \"a\":2}", "[1.50,  1e2]", "\"é\\u0041\"", "null", "{\"a\":1,\"a\":2}"];
    let (_dir, service) = card_with(rows.join("\n"));
    check_page(&service, "", &format!("[{}]", rows.join(",")), 5, None);
}

#[test]
fn malformed_row_fails_only_the_page_that_holds_it() {
    let bottomless = "[".repeat(101) + &"]".repeat(101);
    for (bad, reason) in [
        (&b"{\"a\":"[..], "not JSON at line 1 column 5"),
        (b"1 2", "not JSON at line 1 column 3"),
        (b"nope", "not JSON at line 1 column 2"),
        (b"\"\xff\"", "not UTF-8"),
        (b"\xef\xbb\xbf1", "not JSON at line 1 column 1"),
        (bottomless.as_bytes(), "JSON is nested deeper than 100 levels"),
    ] {
        let (_dir, service) = card_with([b"0\n\n1\n", bad, b"\n3\n4\n"].concat());
        check_page(&service, "?limit=2", "[0,1]", 5, Some(2));
        check_page(&service, "?offset=3", "[3,4]", 5, None);
        let sentence = format!("-32603 Failed to parse sample line 2: {reason}");
        for query in ["", "?offset=1", "?offset=2&limit=1"] {
            check_refused(&service, query, &sentence);
        }
    }
}

#[test]
fn torn_last_row_is_left_out_until_its_line_ends() {
    for torn in [&b"{\"a\":"[..], b"\"\xc3", b"{\"a\": 1", b"nul", b"1 2", b" [\r"] {
        let (dir, service) = card_with([b"0\n1\n", torn].concat());
        for (query, rows) in [("", "[0,1]"), ("?offset=1", "[1]"), ("?limit=2", "[0,1]"), ("?offset=2&limit=1", "[]")] {
            assert_eq!(service.read_text(&uri(query)), rows, "{query}");
            assert_eq!(service.read_meta_fields(&uri(query)), json!({"total": 2, "tornLastRow": true}), "{query}");
        }
        let mut file = fs::File::options().append(true).open(dir.app_path().join(FILE)).unwrap();
        file.write_all(b"\n").unwrap();
        assert!(service.read_refusal(&uri("")).starts_with("-32603 Failed to parse sample line 2: "));
    }
    // A whole row without its newline, and a row of JSON beyond the limits.
    let (_dir, service) = card_with("0\n[1]");
    check_page(&service, "", "[0,[1]]", 2, None);
    let (_dir, service) = card_with(format!("0\n{}{}", "[".repeat(101), "]".repeat(101)));
    check_refused(&service, "", "-32603 Failed to parse sample line 1: JSON is nested deeper than 100 levels");
}

#[test]
fn page_ends_early_at_the_byte_limit() {
    let row = |n: usize| format!("{{\"n\":{n},\"pad\":\"{}\"}}", "x".repeat(MAX_PAGE_BYTES / 4));
    let rows: Vec<String> = (0..5).map(row).collect();
    let (_dir, service) = card_with(rows.join("\n"));
    check_page(&service, "", &format!("[{}]", rows[..3].join(",")), 5, Some(3));
    check_page(&service, "?offset=3", &format!("[{}]", rows[3..].join(",")), 5, None);
}

#[test]
fn largest_row_gets_its_own_page_and_a_larger_one_is_refused() {
    let row = |len: usize| format!("\"{}\"", "x".repeat(len - 2));
    let (largest, larger) = (row(MAX_JSONL_LINE_BYTES), row(MAX_JSONL_LINE_BYTES + 1));
    let (_dir, service) = card_with(format!("0\n{largest}\n2\n{larger}\n4\n"));
    check_page(&service, "", "[0]", 5, Some(1));
    check_page(&service, "?offset=1", &format!("[{largest}]"), 5, Some(2));
    check_page(&service, "?offset=2", "[2]", 5, Some(3));
    check_refused(&service, "?offset=3", "-32603 sample line 3 of {} is longer than 4 MiB");
    check_page(&service, "?offset=4", "[4]", 5, None);
}

#[test]
fn oversized_file_is_refused_and_cancelled_scan_stops() {
    let (dir, service) = card_with("");
    let file = fs::File::options().write(true).open(dir.app_path().join(FILE)).unwrap();
    file.set_len(1 << 40).unwrap();
    check_refused(&service, "", "-32603 {} has 1 TiB, the limit is 8 GiB");
    file.set_len(MAX_JSONL_FILE_BYTES).unwrap();
    service.cancel();
    check_refused(&service, "", "-32603 reading {} was cancelled");
}

#[test]
fn appended_rows_are_seen() {
    let (text, rows) = many_rows(300 * 1024);
    let (dir, service) = card_with(&text);
    assert_eq!(numbers(&service, &format!("?offset={}", rows - 2)), [rows - 2, rows - 1]);
    let mut file = fs::File::options().append(true).open(dir.app_path().join(FILE)).unwrap();
    let second = rows + 1;
    for (more, added) in [
        (format!("{{\"n\":{rows}}}\n{{\"n\":"), 1),
        (format!("{second}"), 1),
        ("}".to_owned(), 2),
        ("\n".to_owned(), 2),
        ("\n".to_owned(), 2),
    ] {
        file.write_all(more.as_bytes()).unwrap();
        let total = service.read_meta_fields(&uri("?limit=0"))["total"].as_u64().unwrap();
        assert_eq!(total, rows + added);
        assert_eq!(numbers(&service, &format!("?offset={}&limit=3", rows - 2)), [rows - 2, rows - 1, rows]);
    }
    assert_eq!(numbers(&service, &format!("?offset={}", rows + 1)), [rows + 1]);
}

#[test]
fn replaced_file_is_indexed_again() {
    let (text, rows) = many_rows(300 * 1024);
    let (dir, service) = card_with(&text);
    let total = || service.read_meta_fields(&uri("?limit=0"))["total"].as_u64().unwrap();
    assert_eq!(total(), rows);
    // Truncated in place, then rewritten longer than before.
    fs::write(dir.app_path().join(FILE), &text[..text.len() / 2]).unwrap();
    assert_eq!(total(), text[..text.len() / 2].matches('\n').count() as u64);
    fs::write(dir.app_path().join(FILE), "{\"n\":7}\n\n".repeat(100_000)).unwrap();
    assert_eq!(total(), 100_000);
    assert_eq!(numbers(&service, "?offset=99998"), [7, 7]);
    // Replaced by rename.
    let other = dir.write_file("cards/cot/other", "{\"n\":1}\n{\"n\":2}\n");
    fs::rename(other, dir.app_path().join(FILE)).unwrap();
    check_page(&service, "", "[{\"n\":1},{\"n\":2}]", 2, None);
    fs::remove_file(dir.app_path().join(FILE)).unwrap();
    check_page(&service, "", "[]", 0, None);
}

#[test]
fn every_page_omits_and_reports_a_torn_last_row() {
    const TORN: &str = "{\"n\":";
    let (text, rows) = many_rows(300 * 1024);
    let (dir, service) = card_with(format!("{text}{TORN}"));
    let last = rows - 1;
    for (query, next) in [
        ("?limit=0", Some(0)),
        ("?limit=1", Some(1)),
        (&*format!("?offset={last}"), None),
        (&format!("?offset={last}&limit=1"), None),
        (&format!("?offset={rows}"), None),
        (&format!("?offset={rows}&limit=0"), None),
        (&format!("?offset={}", rows + 9), None),
    ] {
        let mut expected = json!({"total": rows, "tornLastRow": true});
        if let Some(next) = next {
            expected["nextOffset"] = json!(next);
        }
        assert_eq!(service.read_meta_fields(&uri(query)), expected, "{query}");
        // Once the full tier has indexed the file, the light tier returns the same.
        let light = service.read_inline(&uri(query)).unwrap();
        assert_eq!(light.meta_fields.len(), expected.as_object().unwrap().len(), "{query}: {light:?}");
    }
    // The line end makes it a row, which fails only the page that holds it.
    fs::write(dir.app_path().join(FILE), format!("{text}{TORN}\n")).unwrap();
    assert_eq!(service.read_meta_fields(&uri("?limit=1")), json!({"total": rows + 1, "nextOffset": 1}));
    check_refused(
        &service,
        &format!("?offset={rows}"),
        &format!("-32603 Failed to parse sample line {rows}: not JSON at line 1 column 5"),
    );
}

#[test]
fn saved_index_records_whether_the_last_row_ended() {
    let (text, rows) = many_rows(LINE_INDEX_FILE_MIN_BYTES);
    let (dir, _) = card_with(format!("{text}{{"));
    for _ in 0..2 {
        let notes = with_cache(&dir).read_meta_fields(&uri("?limit=1"));
        assert_eq!(notes, json!({"total": rows, "nextOffset": 1, "tornLastRow": true}));
    }
}

/// A service that saves line indexes in the AppDir.
fn with_cache(dir: &TestDir) -> TestAlcService {
    let cache = dir.open_app().create_folder("cache/lines").unwrap();
    let folders = AlcFolders { app: dir.open_app(), logs: None, project: None, package_mounts: Vec::new() };
    TestAlcService::with_indexes(folders, LineIndexCache::new(Some(cache)))
}

fn saved(dir: &TestDir) -> Vec<PathBuf> {
    fs::read_dir(dir.app_path().join("cache/lines")).unwrap().map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn index_of_a_large_file_is_saved_and_used() {
    let (text, rows) = many_rows(LINE_INDEX_FILE_MIN_BYTES);
    let (dir, _) = card_with(&text);
    let last = format!("?offset={}", rows - 1);
    assert_eq!(numbers(&with_cache(&dir), &last), [rows - 1]);
    let [index] = &saved(&dir)[..] else { panic!("{:?}", saved(&dir)) };
    // Put a number of rows into the index that the file does not have.
    fs::write(index, with_word(&fs::read(index).unwrap(), ROWS, rows + 7)).unwrap();
    let total = || with_cache(&dir).read_meta_fields(&uri("?limit=0"))["total"].as_u64().unwrap();
    assert_eq!(total(), rows + 7);
    fs::remove_file(index).unwrap();
    assert_eq!(total(), rows);
}

/// The words of a saved index; seconds are followed by nanoseconds.
const MODIFIED: usize = 2;
const CHANGED: usize = 4;
const ROWS: usize = 6;
const UNENDED: usize = 7;

/// Returns a saved index with one word replaced, and a matching checksum.
fn with_word(saved: &[u8], at: usize, word: u64) -> Vec<u8> {
    let mut bytes = saved[..saved.len() - 8].to_vec();
    bytes[at * 8..][..8].copy_from_slice(&word.to_le_bytes());
    let mut hasher = DefaultHasher::new();
    hasher.write(&bytes);
    bytes.extend(hasher.finish().to_le_bytes());
    bytes
}

#[test]
fn edit_keeping_length_and_mtime_is_seen() {
    let (text, rows) = many_rows(LINE_INDEX_FILE_MIN_BYTES);
    let (dir, service) = card_with(&text);
    let total = |service: &TestAlcService| service.read_meta_fields(&uri("?limit=0"))["total"].as_u64().unwrap();
    assert_eq!((total(&service), total(&with_cache(&dir))), (rows, rows));
    dir.edit_preserving_mtime(FILE, text.replacen('\n', " ", 1));
    assert_eq!((total(&service), total(&with_cache(&dir))), (rows - 1, rows - 1));
}

#[test]
fn index_of_a_small_file_is_not_saved() {
    let (dir, _) = card_with(many_rows(LINE_INDEX_FILE_MIN_BYTES - 1000).0);
    numbers(&with_cache(&dir), "?limit=1");
    assert!(saved(&dir).is_empty());
}

#[test]
fn corrupt_index_is_rebuilt() {
    let (text, rows) = many_rows(LINE_INDEX_FILE_MIN_BYTES);
    let (dir, _) = card_with(&text);
    let last = format!("?offset={}", rows - 1);
    assert_eq!(numbers(&with_cache(&dir), &last), [rows - 1]);
    let index = saved(&dir).remove(0);
    let good = fs::read(&index).unwrap();
    let flipped = |at: usize| {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        bytes
    };
    let corrupt =
        [Vec::new(), b"x".to_vec(), vec![0; 64], good[..good.len() - 8].to_vec(), [&good[..], &[0; 16]].concat()];
    let end = good.len() / 8 - 2;
    let impossible = [
        (MODIFIED, u64::MAX),
        (MODIFIED + 1, 1_000_000_000),
        (CHANGED, u64::MAX),
        (CHANGED + 1, u64::from(u32::MAX)),
        (ROWS, u64::MAX),
        (ROWS, text.len() as u64 + 1),
        (UNENDED, 2),
        (end - 1, u64::MAX - 1),
        // In the middle of a line.
        (end, u64::from_le_bytes(good[end * 8..][..8].try_into().unwrap()) + 1),
    ];
    let impossible = impossible.map(|(at, word)| with_word(&good, at, word));
    for bytes in impossible
        .into_iter()
        .chain(corrupt)
        .chain((0..8).map(|word| flipped(word * 8)))
        .chain([flipped(good.len() - 1)])
    {
        fs::write(&index, bytes).unwrap();
        assert_eq!(numbers(&with_cache(&dir), &last), [rows - 1]);
        assert_eq!(fs::read(&index).unwrap(), good, "made anew");
    }
    // A directory, and a link that leads outside.
    fs::remove_file(&index).unwrap();
    fs::create_dir(&index).unwrap();
    assert_eq!(numbers(&with_cache(&dir), &last), [rows - 1]);
    fs::remove_dir(&index).unwrap();
    fs::write(dir.root().join("elsewhere"), "keep").unwrap();
    std::os::unix::fs::symlink(dir.root().join("elsewhere"), &index).unwrap();
    assert_eq!(numbers(&with_cache(&dir), &last), [rows - 1]);
    assert_eq!(fs::read(dir.root().join("elsewhere")).unwrap(), b"keep");
}

#[test]
fn saved_index_grows_with_its_file_between_processes() {
    let (text, rows) = many_rows(LINE_INDEX_FILE_MIN_BYTES);
    let (dir, _) = card_with(&text);
    numbers(&with_cache(&dir), "?limit=1");
    fs::write(dir.app_path().join(FILE), text + &format!("{{\"n\":{rows}}}\n")).unwrap();
    assert_eq!(numbers(&with_cache(&dir), &format!("?offset={}", rows - 1)), [rows - 1, rows]);
}

#[test]
fn samples_come_from_the_folder_of_the_resolved_card() {
    let dir = TestDir::new();
    for (package, rows) in [("a", &["\"a\""][..]), ("cot", &["\"cot\""]), ("cot_1", &[])] {
        dir.write_card(package, "cot_1_x", rows);
    }
    dir.write_file("cards/z/cot_1_x.samples.jsonl", "\"without a card\"\n");
    let service = TestAlcService::new(&dir);
    let uri = "alc://cards/cot_1_x/samples";
    for (package, text) in [("cot_1", "[]"), ("cot", "[\"cot\"]"), ("a", "[\"a\"]")] {
        assert_eq!(service.read_text(uri), text);
        fs::remove_file(dir.app_path().join(format!("cards/{package}/cot_1_x.toml"))).unwrap();
    }
    assert_eq!(service.read_refusal(uri), format!("-32602 resource not found: {uri}"));
}
