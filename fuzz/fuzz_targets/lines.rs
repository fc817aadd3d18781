//! The line index: whatever is written to a file between two reads, and whatever a saved index has become, every page is
//! that of a reader who reads the whole file.
#![no_main]

use std::cell::RefCell;
use std::fs;
use std::hash::{DefaultHasher, Hasher as _};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;

use wardroom_appdir::limits::MAX_JSONL_LINE_BYTES;
use wardroom_appdir::{AppDirError, Folder, LineIndexCache, RowPage, RowPageRequest, ambient};

/// So short that the bytes which an index compares before it grows are all of them.
const MAX_FILE_BYTES: usize = 4096;

#[derive(Arbitrary, Debug)]
enum Step {
    Append(Vec<Piece>),
    Cut(u16),
    /// Another byte somewhere, in place.
    Overwrite(u16, u8),
    /// Another file under the same name.
    Replace(Vec<Piece>),
    Page {
        offset: u8,
        limit: u8,
        max_bytes: u8,
    },
    /// Another process, which knows only what was saved.
    Restart,
    /// Another byte somewhere in the saved index.
    Spoil(u16, u8),
    /// Other numbers in the saved index, with a checksum that fits, and a page by it. It may be wrong: what is in the
    /// cache folder is ours. It may not be a panic.
    Forge(Vec<(u8, Number)>, u8),
    Forget,
}

#[derive(Arbitrary, Debug)]
enum Number {
    Exactly(u64),
    MoreBy(i8),
}

#[derive(Arbitrary, Debug)]
enum Piece {
    Bytes(Vec<u8>),
    Run(u8, u8),
    Blank(u8),
    End,
    CarriageEnd,
}

struct LinesFixture {
    _dir: tempfile::TempDir,
    rows: PathBuf,
    saved: PathBuf,
    folder: Folder,
    cache: Folder,
    clock: SystemTime,
}

thread_local! {
    static FIXTURE: RefCell<LinesFixture> = RefCell::new(fixture());
}

fn fixture() -> LinesFixture {
    let shared_memory = PathBuf::from("/dev/shm");
    let dir = if shared_memory.is_dir() { tempfile::tempdir_in(shared_memory) } else { tempfile::tempdir() };
    let dir = dir.expect("a folder");
    let folder = ambient::create_folder(&dir.path().join("app")).expect("a folder");
    let cache = folder.create_folder("cache").expect("a folder");
    let (rows, saved) = (dir.path().join("app/rows"), dir.path().join("app/cache"));
    LinesFixture { _dir: dir, rows, saved, folder, cache, clock: SystemTime::UNIX_EPOCH }
}

impl LinesFixture {
    fn indexes(&self) -> LineIndexCache {
        LineIndexCache::new(Some(self.cache.clone()))
    }

    fn saved(&self) -> Vec<PathBuf> {
        fs::read_dir(&self.saved).expect("a folder").map(|entry| entry.expect("an entry").path()).collect()
    }

    fn forget(&self) {
        for path in self.saved() {
            fs::remove_file(path).expect("removed");
        }
    }

    /// Changes the file, at a time of its own: two changes within one tick of the system's clock could not be told apart.
    fn change(&mut self, change: impl FnOnce(&mut fs::File)) {
        let mut file = fs::File::options().read(true).write(true).open(&self.rows).expect("the file");
        change(&mut file);
        self.clock += Duration::from_secs(1);
        file.set_modified(self.clock).expect("a time");
    }
}

fn bytes_of(pieces: &[Piece]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Bytes(piece) => bytes.extend(piece),
            Piece::Run(byte, len) => bytes.extend(std::iter::repeat_n(byte, usize::from(*len))),
            Piece::Blank(len) => bytes.extend(std::iter::repeat_n(b' ', usize::from(*len))),
            Piece::End => bytes.push(b'\n'),
            Piece::CarriageEnd => bytes.extend(b"\r\n"),
        }
    }
    bytes
}

/// What a page should be, from the whole file; nothing when its first row is longer than any may be.
fn model(content: &[u8], wanted: RowPageRequest) -> Option<RowPage> {
    let is_row = |line: &&[u8]| line.iter().any(|byte| !b" \t\r\n".contains(byte));
    let all: Vec<&[u8]> = content.split(|byte| *byte == b'\n').filter(is_row).collect();
    let total = all.len() as u64;
    let (mut rows, mut bytes) = (Vec::new(), 0);
    for line in all.iter().skip(usize::try_from(wanted.offset).expect("small")).take(wanted.limit) {
        if line.len() > MAX_JSONL_LINE_BYTES {
            if rows.is_empty() {
                return None;
            }
            break;
        }
        let row = whole(line);
        bytes += row.len();
        if bytes > wanted.max_bytes && !rows.is_empty() {
            break;
        }
        rows.push(row);
    }
    let next = wanted.offset + rows.len() as u64;
    let last_line = content.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let unended = (is_row(&last_line) && last_line.len() <= MAX_JSONL_LINE_BYTES).then(|| whole(last_line));
    Some(RowPage { rows, total_rows: total, next_offset: (next < total).then_some(next), unterminated_row: unended })
}

fn forged(saved: &[u8], numbers: &[(u8, Number)]) -> Vec<u8> {
    let mut words: Vec<u64> = saved.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
    words.pop();
    for (at, number) in numbers {
        let Some(at) = usize::from(*at).checked_rem(words.len()) else { continue };
        words[at] = match number {
            Number::Exactly(number) => *number,
            Number::MoreBy(more) => words[at].wrapping_add_signed(i64::from(*more)),
        };
    }
    let mut bytes: Vec<u8> = words.into_iter().flat_map(u64::to_le_bytes).collect();
    let mut hasher = DefaultHasher::new();
    hasher.write(&bytes);
    bytes.extend(hasher.finish().to_le_bytes());
    bytes
}

fn whole(line: &[u8]) -> Vec<u8> {
    line.strip_suffix(b"\r").unwrap_or(line).to_vec()
}

fuzz_target!(|steps: Vec<Step>| {
    FIXTURE.with_borrow_mut(|fixture| run(fixture, &steps));
});

fn run(fixture: &mut LinesFixture, steps: &[Step]) {
    let mut content = Vec::new();
    fixture.forget();
    fs::write(&fixture.rows, "").expect("written");
    let mut indexes = fixture.indexes();
    for step in steps {
        match step {
            Step::Append(pieces) => {
                let mut bytes = bytes_of(pieces);
                bytes.truncate(MAX_FILE_BYTES - content.len());
                fixture.change(|file| {
                    file.seek(SeekFrom::End(0)).expect("the end");
                    file.write_all(&bytes).expect("written");
                });
                content.extend(bytes);
            }
            Step::Cut(len) => {
                content.truncate(usize::from(*len));
                fixture.change(|file| file.set_len(content.len() as u64).expect("cut"));
            }
            Step::Overwrite(at, byte) => {
                let Some(at) = usize::from(*at).checked_rem(content.len()) else { continue };
                content[at] = *byte;
                fixture.change(|file| {
                    file.seek(SeekFrom::Start(at as u64)).expect("a place");
                    file.write_all(&[*byte]).expect("written");
                });
            }
            Step::Replace(pieces) => {
                content = bytes_of(pieces);
                content.truncate(MAX_FILE_BYTES);
                let beside = fixture.rows.with_extension("new");
                fs::write(&beside, &content).expect("written");
                fs::rename(beside, &fixture.rows).expect("renamed");
                fixture.change(|_| {});
            }
            Step::Page { offset, limit, max_bytes } => {
                let wanted = RowPageRequest {
                    offset: u64::from(*offset),
                    limit: usize::from(*limit),
                    max_bytes: if *max_bytes == u8::MAX { usize::MAX } else { usize::from(*max_bytes) },
                };
                let expected = model(&content, wanted);
                // A read without building the index has the whole answer or none.
                if let Ok(Some(page)) = indexes.read_page_if_indexed(&fixture.folder, "rows", wanted) {
                    assert_eq!(Some(page), expected, "if indexed, {wanted:?}");
                }
                match indexes.read_page(&fixture.folder, "rows", wanted, &|| false) {
                    Ok(page) => assert_eq!(Some(page), expected, "{wanted:?}"),
                    Err(AppDirError::TooLarge { .. }) => assert_eq!(None, expected, "{wanted:?}"),
                    Err(other) => panic!("{wanted:?}: {other}"),
                }
            }
            Step::Restart => indexes = fixture.indexes(),
            Step::Spoil(at, with) => {
                for path in fixture.saved() {
                    let mut bytes = fs::read(&path).expect("read");
                    let at = usize::from(*at) % bytes.len();
                    bytes[at] ^= with;
                    fs::write(path, bytes).expect("written");
                }
                indexes = fixture.indexes();
            }
            Step::Forge(numbers, offset) => {
                for path in fixture.saved() {
                    let forged = forged(&fs::read(&path).expect("read"), numbers);
                    fs::write(path, forged).expect("written");
                }
                indexes = fixture.indexes();
                let wanted = RowPageRequest { offset: u64::from(*offset), limit: 5, max_bytes: usize::MAX };
                let _ = indexes.read_page(&fixture.folder, "rows", wanted, &|| false);
                let _ = indexes.read_page_if_indexed(&fixture.folder, "rows", wanted);
                fixture.forget();
                indexes = fixture.indexes();
            }
            Step::Forget => fixture.forget(),
        }
    }
}
