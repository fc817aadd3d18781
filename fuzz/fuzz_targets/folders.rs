//! The crate `appdir`: plans of its operations, beside a process that renames, links and removes what they work
//! on. Every operation does what a tree in memory says, and nothing outside the folder is read or changed.
#![no_main]

#[path = "folders/model.rs"]
mod model;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;

use model::{Id, Miss, Model, Node, ROOT};
use wardroom_appdir::{Access, AppDirError, EntryKind, Folder, LineIndexCache, Privacy, RowPageRequest, ambient};

#[derive(Arbitrary, Debug)]
enum Step {
    // Operations through one of the open handles.
    Open(u8, Name),
    Read(u8, Name),
    Stat(u8, Name),
    Page(u8, Name),
    LinkText(u8, Name),
    List(u8),
    Write(u8, Name),
    Create(u8, Name),
    CreateFolder(u8, Name),
    Remove(u8, Name),
    Lock(u8, Name),
    Sweep(u8),
    // What another process does, in one of the folders.
    Symlink(Place, Target),
    HardLink(Place, Place),
    Rename(Place, Place),
    MakeFolder(Place),
    RemoveFolder(Place),
}

/// A name as a client may send it.
#[derive(Arbitrary, Debug)]
struct Name {
    /// The lowest bits: a slash in front, and how many behind.
    slashes: u8,
    parts: Vec<u8>,
}

#[derive(Arbitrary, Debug)]
enum Target {
    Name(Name),
    /// One of those that lead outside.
    Outside(u8),
}

/// A plain name in a real folder.
#[derive(Arbitrary, Debug, Clone, Copy)]
struct Place {
    folder: u8,
    name: u8,
}

const NAMES: [&str; 4] = ["a", "b", "c", "d"];
const PARTS: [&str; 8] = ["a", "b", "c", "d", "..", ".", "", "..."];
const MAX_PARTS: usize = 6;
const MAX_STEPS: usize = 40;
const SECRET: &str = "outside";

impl Name {
    fn text(&self) -> String {
        let parts: Vec<&str> =
            self.parts.iter().take(MAX_PARTS).map(|part| PARTS[usize::from(*part) % PARTS.len()]).collect();
        let before = if self.slashes % 8 == 1 { "/" } else { "" };
        let after = "/".repeat(usize::from(self.slashes >> 3) % 3);
        format!("{before}{}{after}", parts.join("/"))
    }
}

struct FoldersFixture {
    _dir: tempfile::TempDir,
    root: PathBuf,
    folders: [Folder; 2],
    outside: BTreeMap<PathBuf, (u64, u64, i64, i64)>,
}

thread_local! {
    static FIXTURE: RefCell<FoldersFixture> = RefCell::new(fixture());
}

fn fixture() -> FoldersFixture {
    let shared_memory = PathBuf::from("/dev/shm");
    let dir = if shared_memory.is_dir() { tempfile::tempdir_in(shared_memory) } else { tempfile::tempdir() };
    let dir = dir.expect("a folder");
    for file in ["out.txt", "out/a", "out/b/c", "app-evil/a", "a", "b/a"] {
        let path = dir.path().join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, SECRET).expect("written");
    }
    let root = dir.path().join("app");
    let writer = ambient::create_folder(&root).expect("a folder");
    let reader = ambient::open_folder(&root, Access::ReadOnly).expect("a folder");
    let outside = outside(dir.path());
    FoldersFixture { _dir: dir, root, folders: [writer, reader], outside }
}

/// Everything around the folder, with what changes when an operation touches it. A name that is added, or one that goes,
/// changes the folder that it is in.
fn outside(around: &Path) -> BTreeMap<PathBuf, (u64, u64, i64, i64)> {
    let mut seen = BTreeMap::new();
    let mut left = vec![around.to_path_buf()];
    while let Some(path) = left.pop() {
        let metadata = fs::symlink_metadata(&path).expect("still there");
        if metadata.is_dir() && !path.ends_with("app") {
            left.extend(fs::read_dir(&path).expect("a folder").map(|entry| entry.expect("an entry").path()));
        }
        if !path.ends_with("app") {
            seen.insert(path, (metadata.ino(), metadata.len(), metadata.ctime(), metadata.ctime_nsec()));
        }
    }
    seen
}

fn empty(dir: &Path) {
    for entry in fs::read_dir(dir).expect("a folder") {
        let entry = entry.expect("an entry");
        if entry.file_type().expect("a kind").is_dir() {
            fs::remove_dir_all(entry.path()).expect("removed");
        } else {
            fs::remove_file(entry.path()).expect("removed");
        }
    }
}

fuzz_target!(|steps: Vec<Step>| {
    FIXTURE.with_borrow_mut(|fixture| {
        empty(&fixture.root);
        let mut run = Run::new(fixture);
        for (at, step) in steps.iter().take(MAX_STEPS).enumerate() {
            run.step(at, step);
        }
        run.compare(&fixture.root, ROOT);
        assert_eq!(outside(fixture.root.parent().expect("a folder")), fixture.outside, "something outside was changed");
    });
});

struct Run<'h> {
    fixture: &'h FoldersFixture,
    model: Model,
    handles: Vec<Handle>,
}

#[derive(Clone)]
struct Handle {
    folder: Folder,
    id: Id,
    access: Access,
}

impl<'h> Run<'h> {
    fn new(fixture: &'h FoldersFixture) -> Self {
        let [writer, reader] = fixture.folders.clone();
        let handles = vec![
            Handle { folder: writer, id: ROOT, access: Access::ReadWrite },
            Handle { folder: reader, id: ROOT, access: Access::ReadOnly },
        ];
        Self { fixture, model: Model::new(), handles }
    }

    fn handle(&self, at: u8) -> Handle {
        self.handles[usize::from(at) % self.handles.len()].clone()
    }

    fn place(&self, place: Place) -> (Id, PathBuf, &'static str) {
        let dirs = self.model.dirs();
        let (id, path) = &dirs[usize::from(place.folder) % dirs.len()];
        let name = NAMES[usize::from(place.name) % NAMES.len()];
        (*id, self.fixture.root.join(path).join(name), name)
    }

    fn step(&mut self, at: usize, step: &Step) {
        let content = format!("inside {at}").into_bytes();
        match step {
            Step::Open(handle, name) => {
                let (handle, name) = (self.handle(*handle), name.text());
                let opened = handle.folder.open_folder(&name);
                let expected = self.model.folder(handle.id, &name);
                match (opened, expected) {
                    (Ok(folder), Ok(id)) => self.handles.push(Handle { folder, id, access: handle.access }),
                    (opened, expected) => check(step, opened.map(drop), expected.map(drop)),
                }
            }
            Step::Read(handle, name) => {
                let (handle, name) = (self.handle(*handle), name.text());
                let expected = self.model.read(handle.id, &name).map(<[u8]>::to_vec);
                check(step, handle.folder.read(&name, 100).map(|document| document.bytes), expected);
                let text = handle.folder.read_text(&name, 100).map(|(text, _)| text.into_bytes());
                let expected = self.model.read(handle.id, &name).map(<[u8]>::to_vec);
                check(step, text, expected);
            }
            Step::Stat(handle, name) => {
                let (handle, name) = (self.handle(*handle), name.text());
                let expected = self.model.read(handle.id, &name).map(|bytes| bytes.len() as u64);
                check(step, handle.folder.stat(&name).map(|stat| stat.len), expected);
            }
            Step::Page(handle, name) => {
                let (handle, name) = (self.handle(*handle), name.text());
                let wanted = RowPageRequest { offset: 0, limit: 9, max_bytes: 100 };
                let page = LineIndexCache::new(None).read_page(&handle.folder, &name, wanted, &|| false);
                let expected = self.model.read(handle.id, &name).map(<[u8]>::to_vec);
                check(step, page.map(|page| page.rows.concat()), expected);
            }
            Step::LinkText(handle, name) => {
                let (handle, name) = (self.handle(*handle), name.text());
                let expected = self.model.link_text(handle.id, &name).map(PathBuf::from);
                check(step, handle.folder.read_link(&name), expected);
            }
            Step::List(handle) => {
                let handle = self.handle(*handle);
                let entries = self.model.entries(handle.id);
                let expected: Vec<_> =
                    entries.iter().map(|(name, id)| (name.clone(), kind(self.model.node(*id)))).collect();
                // A folder that was removed cannot be listed, or has nothing in it.
                let found = handle.folder.entries(100).unwrap_or_default();
                assert_eq!(found.into_iter().map(|entry| (entry.name, entry.kind)).collect::<Vec<_>>(), expected);
            }
            Step::Write(handle, name) => self.change(step, *handle, name, |folder, model, id, name| {
                let written = folder.write(name, &content, Privacy::Shared);
                (written, model.write(id, name, &content))
            }),
            Step::Create(handle, name) => self.change(step, *handle, name, |folder, model, id, name| {
                let created = folder.create_file(name, &content, Privacy::Owner);
                (created, model.create(id, name, &content))
            }),
            Step::CreateFolder(handle, name) => self.change(step, *handle, name, |folder, model, id, name| {
                (folder.create_folder(name).map(drop), model.create_folder(id, name).map(drop))
            }),
            Step::Remove(handle, name) => self.change(step, *handle, name, |folder, model, id, name| {
                (folder.remove_file(name), model.remove(id, name))
            }),
            Step::Lock(handle, name) => self.change(step, *handle, name, |folder, model, id, name| {
                (folder.lock(name).map(drop), model.lock(id, name))
            }),
            // Nothing is left over by a writer that was not killed.
            Step::Sweep(handle) => {
                assert_eq!(self.handle(*handle).folder.sweep_temp_files(Duration::ZERO).unwrap_or(0), 0)
            }
            Step::Symlink(place, target) => {
                let (dir, path, name) = self.place(*place);
                let target = self.target(target);
                if symlink(&target, path).is_ok() {
                    self.model.add(dir, name, Node::Link(target));
                }
            }
            Step::HardLink(from, to) => {
                let ((from_dir, from, from_name), (to_dir, to, to_name)) = (self.place(*from), self.place(*to));
                if fs::hard_link(from, to).is_ok() {
                    let id = self.model.entries(from_dir)[from_name];
                    self.model.put(to_dir, to_name, id);
                }
            }
            Step::Rename(from, to) => {
                let ((from_dir, from, from_name), (to_dir, to, to_name)) = (self.place(*from), self.place(*to));
                if fs::rename(from, to).is_ok() {
                    let id = self.model.entries(from_dir)[from_name];
                    // Two names of one file both stay.
                    if self.model.entries(to_dir).get(to_name) != Some(&id) {
                        self.model.take(from_dir, from_name);
                        self.model.put(to_dir, to_name, id);
                    }
                }
            }
            Step::MakeFolder(place) => {
                let (dir, path, name) = self.place(*place);
                if fs::create_dir(path).is_ok() {
                    self.model.add(dir, name, Node::Dir(BTreeMap::new()));
                }
            }
            Step::RemoveFolder(place) => {
                let (dir, path, name) = self.place(*place);
                if fs::remove_dir(path).is_ok() {
                    self.model.remove_dir(dir, name);
                }
            }
        }
    }

    fn target(&self, target: &Target) -> String {
        let around = self.fixture.root.parent().expect("a folder").to_str().expect("text");
        match target {
            // The system has no link without a text.
            Target::Name(name) => name.text(),
            Target::Outside(which) => match which % 8 {
                0 => format!("{around}/out"),
                1 => format!("{around}/out.txt"),
                2 => "../out".to_owned(),
                3 => "../out.txt".to_owned(),
                4 => "../app-evil".to_owned(),
                5 => "/proc/self/root".to_owned(),
                6 => "../../../..".to_owned(),
                _ => "../app/a".to_owned(),
            },
        }
    }

    /// Does what changes something, unless the handle is for reading, which then says so.
    fn change(
        &mut self,
        step: &Step,
        handle: u8,
        name: &Name,
        change: impl FnOnce(&Folder, &mut Model, Id, &str) -> (Result<(), AppDirError>, Result<(), Miss>),
    ) {
        let (handle, name) = (self.handle(handle), name.text());
        if handle.access == Access::ReadOnly {
            let mut untouched = Model::new();
            let (done, _) = change(&handle.folder, &mut untouched, ROOT, &name);
            assert!(matches!(done, Err(AppDirError::ReadOnly(_))), "{step:?}: {done:?}");
            return;
        }
        let (done, expected) = change(&handle.folder, &mut self.model, handle.id, &name);
        check(step, done, expected);
    }

    /// What is on disk is what the model has.
    fn compare(&self, path: &Path, dir: Id) {
        let found: BTreeMap<String, PathBuf> = fs::read_dir(path)
            .expect("a folder")
            .map(|entry| entry.expect("an entry"))
            .map(|entry| (entry.file_name().into_string().expect("text"), entry.path()))
            .collect();
        let expected = self.model.entries(dir);
        assert!(found.keys().eq(expected.keys()), "{}: {found:?}, not {expected:?}", path.display());
        for (name, path) in found {
            let is_link = fs::symlink_metadata(&path).expect("there").is_symlink();
            match self.model.node(expected[&name]) {
                Node::Dir(_) => {
                    assert!(!is_link && path.is_dir());
                    self.compare(&path, expected[&name]);
                }
                Node::File(bytes) => {
                    assert!(!is_link);
                    assert_eq!(&fs::read(path).expect("a file"), bytes);
                }
                Node::Link(text) => assert_eq!(fs::read_link(path).expect("a link"), Path::new(text)),
            }
        }
    }
}

fn kind(node: &Node) -> EntryKind {
    match node {
        Node::Dir(_) => EntryKind::Folder,
        Node::File(_) => EntryKind::File,
        Node::Link(_) => EntryKind::Symlink,
    }
}

/// The crate and the model agree on whether it works, on what comes of it, and on what would lead outside: that is not
/// taken for something that is missing.
fn check<T: PartialEq + Debug>(step: &Step, done: Result<T, AppDirError>, expected: Result<T, Miss>) {
    match (done, expected) {
        (Ok(done), Ok(expected)) => assert_eq!(done, expected, "{step:?}"),
        (Err(AppDirError::OutsideRoot(_)), Err(Miss::Outside)) => {}
        (Err(error), Err(miss)) if miss != Miss::Outside => drop(error),
        (done, expected) => panic!("{step:?}: {done:?}, not {expected:?}"),
    }
}
