//! Journals: of one that was torn or garbled every whole line before the damage is read, nothing else is, and the next
//! line stands behind them.
#![no_main]

#[expect(dead_code, reason = "the crate uses the rest")]
#[path = "../../host/crates/alc/src/limits.rs"]
mod limits;
#[path = "journal/logs.rs"]
mod logs;
#[path = "journal/runs.rs"]
mod runs;
#[expect(dead_code, reason = "the crate uses the rest")]
#[path = "../../host/crates/alc/src/truncate.rs"]
mod truncate;

mod evals {
    /// What a journal names of evals.
    pub struct EvalTarget {
        pub id: String,
        pub digest: String,
    }
}

use std::cell::RefCell;
use std::fs;
use std::path::PathBuf;

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;
use wardroom_appdir::{Access, Folder, Privacy, ambient};

use runs::{Line, parse, write};

#[derive(Arbitrary, Debug)]
enum Input {
    /// A journal whose writer ended within a line.
    Torn { package: Option<String>, seed: u64, lines: Vec<Line>, at: u16 },
    /// A journal with other bytes in it.
    Garbled { seed: u64, lines: Vec<Line>, at: u16, bytes: Vec<u8> },
    /// Any file.
    Other(Vec<u8>),
}

struct Fixture {
    _dir: TempDir,
    path: PathBuf,
    folder: Folder,
}

impl Fixture {
    const NAME: &str = "run.jsonl";

    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().canonicalize().expect("a path");
        let folder = ambient::open_folder(&path, Access::ReadWrite).expect("it can be opened");
        Self { _dir: dir, path, folder }
    }

    /// Opens a file as a journal, appends a line, and returns the whole lines that it had.
    fn reopen(&self, bytes: &[u8]) -> Vec<u8> {
        const ADDED: &[u8] = b"{\"t\":\"paused\"}\n";
        let file = self.path.join(Self::NAME);
        fs::write(&file, bytes).expect("the file is written");
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let mut journal = self.folder.open_journal(Self::NAME).expect("it can be opened");
        let lines = journal.read(u64::MAX).expect("it can be read");
        assert_eq!(lines, &bytes[..whole]);
        assert_eq!((journal.len(), journal.is_empty()), (whole as u64, whole == 0));
        assert_eq!(fs::read(&file).expect("it is there"), bytes, "reading changes nothing");
        journal.append(b"no line").expect_err("a line ends with its newline");
        journal.append(ADDED).expect("a line is appended");
        let expected = [&bytes[..whole], ADDED].concat();
        assert_eq!(journal.read(u64::MAX).expect("it can be read"), expected);
        assert_eq!(fs::read(&file).expect("it is there"), expected);
        drop(journal);
        fs::remove_file(&file).expect("it is removed");
        lines
    }
}

/// Checks that an error is about the first line that is none.
fn check_prefix(bytes: &[u8]) {
    let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
    match parse(bytes) {
        Ok(_) | Err(None) => {}
        Err(Some(number)) => {
            assert!((1..=lines.len()).contains(&number), "line {number} of {}", lines.len());
            if number > 1 {
                parse(&lines[..number - 1].join(&b'\n')).expect("the lines before it can be read");
            }
            assert_eq!(parse(&lines[..number].join(&b'\n')), Err(Some(number)));
        }
    }
}

thread_local! {
    static FIXTURE: RefCell<Option<Fixture>> = const { RefCell::new(None) };
}

fuzz_target!(|input: Input| {
    FIXTURE.with_borrow_mut(|fixture| {
        let fixture = fixture.get_or_insert_with(Fixture::new);
        match input {
            Input::Torn { package, seed, lines, at } => {
                let lines = write(package, seed, lines);
                let bytes = lines.concat();
                let all = parse(&bytes).expect("what was written can be read");
                let torn = &bytes[..usize::from(at) % (bytes.len() + 1)];
                let whole = fixture.reopen(torn);
                let count = whole.iter().filter(|byte| **byte == b'\n').count();
                assert_eq!(whole, lines[..count].concat());
                match parse(&whole) {
                    Ok(found) => {
                        assert!(found.replies == all.replies[..found.replies.len()] && found.pauses <= all.pauses);
                        assert!(found.calls <= count && found.shown <= found.queries);
                        assert!(count < lines.len() || found == all);
                    }
                    Err(line) => assert_eq!((line, count), (None, 0), "every whole line can be read"),
                }
            }
            Input::Garbled { seed, lines, at, bytes } => {
                let lines = write(None, seed, lines);
                let mut journal = lines.concat();
                let at = usize::from(at) % journal.len();
                let end = journal.len().min(at + bytes.len());
                journal.splice(at..end, bytes);
                check_prefix(&journal);
                let (mut len, mut intact) = (0, 0);
                for line in &lines {
                    len += line.len();
                    intact += usize::from(len <= at);
                }
                if intact > 0 {
                    match parse(&journal) {
                        Ok(_) => {}
                        Err(Some(line)) => assert!(line > intact, "line {line} is as it was"),
                        Err(None) => panic!("the header is as it was"),
                    }
                }
                fixture.reopen(&journal);
            }
            Input::Other(bytes) => {
                check_prefix(&bytes);
                fixture.reopen(&bytes);
            }
        }
        // A journal that is there is not created.
        let created = fixture.folder.create_journal(Fixture::NAME, Privacy::Owner).expect("it was removed");
        fixture.folder.create_journal(Fixture::NAME, Privacy::Owner).expect_err("it is there");
        created.remove().expect("it is removed");
    });
});
