//! The saved index of cards: whatever became of it, and of the cards since, a process that finds it lists what one lists
//! that reads every card.
#![no_main]

#[path = "saved_index/cards.rs"]
mod cards;
#[expect(dead_code, reason = "the crate uses the rest")]
#[path = "../../host/crates/alc/src/limits.rs"]
mod limits;
#[path = "../../host/crates/alc/src/parallel.rs"]
mod parallel;

use std::cell::RefCell;
use std::fs;
use std::hash::{DefaultHasher, Hasher as _};
use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;
use wardroom_appdir::{Access, Folder, ambient};

use cards::{Row, list};

#[derive(Arbitrary, Debug)]
enum Input {
    /// Other bytes in the file.
    Spoil(Vec<Damage>),
    /// Other bytes, with a checksum that fits. The index may be wrong then: what is in the cache folder is ours. It may not
    /// be a panic.
    Forge(Vec<Damage>),
    /// Any bytes, with or without a checksum that fits.
    Other(Vec<u8>, bool),
    /// Cards change after the index was saved.
    Change(Vec<Change>),
}

#[derive(Arbitrary, Debug)]
enum Damage {
    Byte(u16, u8),
    Number(u16, u64),
    Cut(u16),
    Repeat(u16, u8),
    Append(Vec<u8>),
}

#[derive(Arbitrary, Debug)]
enum Change {
    Write {
        package: u8,
        card: u8,
        content: u8,
    },
    Remove {
        package: u8,
        card: u8,
    },
    RemovePackage(u8),
    /// The index is saved again.
    Save,
}

const PACKAGES: [&str; 3] = ["p", "p_q", "z"];

/// An AppDir with some cards.
struct AppDir {
    _dir: TempDir,
    path: PathBuf,
    folder: Folder,
    /// Counts the changes, so that no two files have one size.
    n_changes: usize,
}

impl AppDir {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().canonicalize().expect("a path");
        let folder = ambient::open_folder(&path, Access::ReadWrite).expect("it can be opened");
        let mut this = Self { _dir: dir, path, folder, n_changes: 0 };
        for card in 0..6 {
            this.write(card, card, card);
        }
        this
    }

    fn index_file(&self) -> PathBuf {
        self.path.join("cache/cards.index")
    }

    fn card(&self, package: u8, card: u8) -> PathBuf {
        let package = PACKAGES[usize::from(package) % PACKAGES.len()];
        self.path.join(format!("cards/{package}/{package}_m_20260101T00000{}_abcdef.toml", card % 10))
    }

    fn write(&mut self, package: u8, card: u8, content: u8) {
        let path = self.card(package, card);
        self.n_changes += 1;
        let text = match content % 5 {
            0 => "broken".to_owned(),
            1 => format!("created_at = \"2026-01-0{}\"\n", 1 + card % 9),
            2 => format!(
                "created_at = \"2026-02-01\"\nlist = [1, 2.5, {{ a = true }}]\n[stats]\npass_rate = 0.{content}\n"
            ),
            3 => format!("text = \"{}\"\n[model]\nid = \"m\"\n", "long ".repeat(usize::from(content))),
            _ => format!("[metadata]\nprior_card_id = \"{content}\"\n"),
        };
        fs::create_dir_all(path.parent().expect("a card is in a folder")).expect("a folder is made");
        // A card is replaced, never written in place.
        let new = self.path.join("new");
        fs::write(&new, format!("{text}#{}\n", "x".repeat(self.n_changes))).expect("a card is written");
        fs::rename(new, path).expect("a card is replaced");
    }

    /// Lists the cards without a saved index, and saves one.
    fn rebuild(&self) -> Vec<Row> {
        let _ = fs::remove_file(self.index_file());
        list(&self.folder)
    }
}

/// Cards that do not change, and their index.
struct Fixture {
    app: AppDir,
    rows: Vec<Row>,
    saved: Vec<u8>,
}

impl Fixture {
    fn new() -> Self {
        let app = AppDir::new();
        // Folders count as unchanged only when they were for a while.
        sleep(Duration::from_millis(2_200));
        let rows = app.rebuild();
        let saved = fs::read(app.index_file()).expect("the index is saved");
        assert_eq!(list(&app.folder), rows, "a saved index is used");
        assert_eq!(fs::read(app.index_file()).expect("it stays"), saved, "an index that is used is not saved again");
        Self { app, rows, saved }
    }

    fn list_with(&self, index: &[u8]) -> Vec<Row> {
        fs::write(self.app.index_file(), index).expect("the index is written");
        list(&self.app.folder)
    }
}

fn damaged(mut bytes: Vec<u8>, damages: Vec<Damage>) -> Vec<u8> {
    let at = |index: u16, bytes: &[u8]| usize::from(index) % bytes.len().max(1);
    for damage in damages.into_iter().take(8) {
        match damage {
            Damage::Byte(index, byte) => {
                let index = at(index, &bytes);
                bytes.get_mut(index).into_iter().for_each(|old| *old = byte);
            }
            Damage::Number(index, number) => {
                let index = at(index, &bytes);
                bytes.iter_mut().skip(index).zip(number.to_le_bytes()).for_each(|(old, new)| *old = new);
            }
            Damage::Cut(index) => bytes.truncate(at(index, &bytes)),
            Damage::Repeat(index, len) => {
                let part: Vec<u8> = bytes.iter().skip(at(index, &bytes)).take(len.into()).copied().collect();
                let index = at(index, &bytes);
                bytes.splice(index..index, part);
            }
            Damage::Append(more) => bytes.extend(more),
        }
    }
    bytes
}

fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
    let mut hasher = DefaultHasher::new();
    hasher.write(&bytes);
    bytes.extend(hasher.finish().to_le_bytes());
    bytes
}

fn change(changes: Vec<Change>) {
    let mut app = AppDir::new();
    app.rebuild();
    for change in changes.into_iter().take(20) {
        match change {
            Change::Write { package, card, content } => app.write(package, card, content),
            Change::Remove { package, card } => {
                let _ = fs::remove_file(app.card(package, card));
            }
            Change::RemovePackage(package) => {
                let package = app.card(package, 0);
                let _ = fs::remove_dir_all(package.parent().expect("a card is in a folder"));
            }
            Change::Save => {
                list(&app.folder);
            }
        }
    }
    let found = list(&app.folder);
    assert_eq!(found, app.rebuild());
}

thread_local! {
    static FIXTURE: RefCell<Option<Fixture>> = const { RefCell::new(None) };
}

fuzz_target!(|input: Input| {
    FIXTURE.with_borrow_mut(|fixture| {
        let fixture = fixture.get_or_insert_with(Fixture::new);
        match input {
            Input::Spoil(damages) => {
                let index = damaged(fixture.saved.clone(), damages);
                assert_eq!(fixture.list_with(&index), fixture.rows);
            }
            Input::Forge(damages) => {
                let (body, _) = fixture.saved.split_at(fixture.saved.len() - 8);
                let index = with_checksum(damaged(body.to_vec(), damages));
                let rows = fixture.list_with(&index);
                assert_eq!(list(&fixture.app.folder), rows, "an index that was used is used again");
            }
            Input::Other(bytes, has_checksum) => {
                let index = if has_checksum { with_checksum(bytes) } else { bytes };
                let is_index = index.get(8..).is_some() && index.starts_with(b"WRCARDS2");
                let rows = fixture.list_with(&index);
                assert!(is_index || rows == fixture.rows);
            }
            Input::Change(changes) => change(changes),
        }
    });
});
