//! A crash, and an I/O error, at every step of an update: afterwards the index is as before or as after it, and the next
//! update brings it up to date.
//!
//! The library of the index changes files in threads of its own. [`StepHook`] reaches the failpoints of each of them.

#![expect(clippy::disallowed_methods, reason = "tests set up real folders")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::{fmt, fs, io};

use tantivy::query::AllQuery;
use tempfile::TempDir;

use super::row::Row;
use super::{BlogIndex, BlogSource, IndexError, UpdateScope};
use crate::proposals::decided_cache::DecidedCache;
use crate::proposals::pending_cache::PendingCache;
use crate::{BlogDefaults, BlogLayout};
use wardroom_appdir::{Access, CacheDir, ambient, with_failpoints};
use wardroom_sandbox::{DocumentSandbox, GuestImage};

type Hook = Box<dyn FnMut(&'static str) -> io::Result<()> + Send>;

thread_local! {
    static CURRENT: RefCell<Option<Arc<HookedSteps>>> = const { RefCell::new(None) };
}

/// The hook of the thread that opened the directory, for the failpoints that any thread reaches in it.
#[derive(Clone)]
pub(super) struct StepHook(Option<Arc<HookedSteps>>);

struct HookedSteps {
    /// One thread changes files at a time, so that a hook sees a state that a crash could leave.
    turn: Mutex<()>,
    hook: Mutex<Hook>,
}

impl fmt::Debug for StepHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StepHook")
    }
}

impl StepHook {
    /// Returns the hook that this thread has now.
    pub(super) fn of_thread() -> Self {
        Self(CURRENT.with_borrow(Clone::clone))
    }

    pub(super) fn run<T>(&self, change: impl FnOnce() -> T) -> T {
        let Some(steps) = &self.0 else { return change() };
        let _turn = steps.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let of_change = Arc::clone(steps);
        let hook = move |name| (of_change.hook.lock().unwrap_or_else(PoisonError::into_inner))(name);
        with_failpoints(hook, change)
    }
}

/// Runs `work`, with `hook` called at each step of the directories that it opens.
fn with_step_hook<T>(hook: impl FnMut(&'static str) -> io::Result<()> + Send + 'static, work: impl FnOnce() -> T) -> T {
    let steps = HookedSteps { turn: Mutex::default(), hook: Mutex::new(Box::new(hook)) };
    CURRENT.set(Some(Arc::new(steps)));
    let done = work();
    CURRENT.set(None);
    done
}

static SANDBOX: LazyLock<Arc<DocumentSandbox>> =
    LazyLock::new(|| Arc::new(DocumentSandbox::new(GuestImage::documents())));

/// A blog, whose index is below `app`.
pub(super) struct ScratchBlog {
    pub(super) dir: TempDir,
}

impl ScratchBlog {
    pub(super) fn new() -> Self {
        let dir = TempDir::new().unwrap();
        fs::create_dir_all(dir.path().join("blog/posts")).unwrap();
        fs::create_dir_all(dir.path().join("app")).unwrap();
        Self { dir }
    }

    /// Writes a post, whose id and slug are the first word of its title.
    pub(super) fn write_post(&self, folder: &str, title: &str) {
        let folder = self.dir.path().join("blog/posts").join(folder);
        fs::create_dir_all(&folder).unwrap();
        let id = title.split(' ').next().unwrap();
        let fields = format!("id: {id}\nslug: {id}\ntitle: {title}\ntags: [a, b]\ncreatedAt: 2024-03-01\n");
        fs::write(folder.join(format!("{id}.md")), format!("---\n{fields}---\nThe text of [{title}](/two).\n"))
            .unwrap();
    }

    fn remove_post(&self, path: &str) {
        fs::remove_file(self.dir.path().join("blog/posts").join(path)).unwrap();
    }

    pub(super) fn source(&self) -> BlogSource {
        let folder = ambient::open_folder(&self.dir.path().join("blog"), Access::ReadOnly).unwrap();
        BlogSource {
            folder,
            layout: BlogLayout::Bds,
            defaults: BlogDefaults::default(),
            sandbox: Arc::clone(&SANDBOX),
            decided: DecidedCache::default(),
            pending: PendingCache::default(),
        }
    }

    /// The index of the blog below an AppDir, as a process that starts sees it.
    pub(super) fn index(&self, app: &Path) -> BlogIndex {
        BlogIndex::new(
            Arc::new(self.source()),
            CacheDir::in_app(&ambient::open_folder(app, Access::ReadWrite).unwrap()),
            "blog",
        )
    }

    pub(super) fn app(&self) -> PathBuf {
        self.dir.path().join("app")
    }

    pub(super) fn update(&self, scope: &UpdateScope) {
        self.index(&self.app()).update(scope, &mut |_, _| {}).unwrap();
    }

    /// A copy of the AppDir.
    pub(super) fn copy_app(&self) -> TempDir {
        let copy = TempDir::new().unwrap();
        copy_files(&self.app(), copy.path());
        copy
    }
}

fn copy_files(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir(&to).unwrap();
            copy_files(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

fn folder(name: &str) -> UpdateScope {
    UpdateScope::Folders(BTreeSet::from([name.to_owned()]))
}

/// An update to be interrupted.
struct Interruption {
    name: &'static str,
    prepare: fn(&ScratchBlog),
    change: fn(&ScratchBlog),
    scope: fn() -> UpdateScope,
    /// Steps that the update must reach, or it is not what it is here for.
    reaches: &'static [&'static str],
}

const NEW_FILES: &[&str] = &["create", "write", "create temporary", "rename"];

const INTERRUPTIONS: &[Interruption] = &[
    Interruption {
        name: "a first index",
        prepare: |_| {},
        change: write_three,
        scope: || UpdateScope::Everything,
        reaches: NEW_FILES,
    },
    Interruption {
        name: "posts that are new, changed and removed",
        prepare: |blog| {
            write_three(blog);
            blog.update(&UpdateScope::Everything);
        },
        change: |blog| {
            blog.write_post("one", "two with other words");
            blog.write_post("other", "four");
            blog.remove_post("one/three.md");
        },
        scope: || UpdateScope::Everything,
        reaches: &["create", "write", "create temporary", "rename", "remove"],
    },
    Interruption {
        name: "an index that is made anew",
        prepare: |blog| {
            write_three(blog);
            blog.update(&UpdateScope::Everything);
        },
        change: |blog| blog.write_post("one", "one with other words"),
        scope: || UpdateScope::Rebuild,
        reaches: &["create", "write", "create temporary", "rename", "remove"],
    },
    Interruption {
        name: "a merge",
        // The first index has three segments, each update adds one, and twelve are merged while it is in use.
        prepare: |blog| {
            write_three(blog);
            blog.update(&UpdateScope::Everything);
            for number in 1..9 {
                let name = format!("folder{number}");
                blog.write_post(&name, &name);
                blog.update(&folder(&format!("posts/{name}")));
            }
        },
        change: |blog| blog.write_post("last", "last"),
        scope: || folder("posts/last"),
        reaches: &["create", "write", "create temporary", "rename", "remove"],
    },
];

fn write_three(blog: &ScratchBlog) {
    for title in ["one", "two", "three"] {
        blog.write_post("one", title);
    }
}

/// What the index says of each document; `None` where there is no index.
type Contents = Option<Vec<(String, Row)>>;

/// The contents of an index that is whole.
#[track_caller]
fn contents(index: &BlogIndex, when: &str) -> Contents {
    let (contents, is_complete) = contents_so_far(index, when);
    assert!(is_complete, "{when}: {contents:?}");
    contents
}

/// The contents, and whether the index says that it is whole.
#[track_caller]
fn contents_so_far(index: &BlogIndex, when: &str) -> (Contents, bool) {
    let (stored, is_complete) = match index.stored() {
        Ok(stored) => stored,
        Err(IndexError::Missing) => return (None, true),
        Err(error) => panic!("{when}: {error}"),
    };
    let rows = stored.all(&AllQuery).unwrap_or_else(|error| panic!("{when}: {error}"));
    let mut rows: Vec<_> = rows.into_iter().map(|stored| (stored.key, stored.row)).collect();
    rows.sort_by(|a, b| a.0.cmp(&b.0));
    (Some(rows), is_complete)
}

/// Checks the index that an interruption left, and that the next update completes it.
#[track_caller]
fn assert_old_or_new(index: &BlogIndex, before: &Contents, after: &Contents, when: &str) {
    let (found, is_complete) = contents_so_far(index, when);
    if is_complete {
        assert!(found == *before || found == *after, "{when}: {found:?}");
    } else {
        // A first index is read while it grows, and says so.
        assert!(before.is_none() && is_part(&found, after), "{when}: {found:?}");
        // Nor does a look at some files complete it.
        let some = UpdateScope::Files(["posts/none.md".to_owned()].into());
        index.update(&some, &mut |_, _| {}).unwrap_or_else(|error| panic!("{when}: {error}"));
        assert!(!contents_so_far(index, when).1, "{when}");
    }
    assert!(!index.remove_if_damaged().unwrap(), "{when}: damaged");
    index.update(&UpdateScope::Everything, &mut |_, _| {}).unwrap_or_else(|error| panic!("{when}: {error}"));
    assert_eq!(contents(index, when), *after, "{when}, after the next update");
}

fn is_part(part: &Contents, whole: &Contents) -> bool {
    let (Some(part), Some(whole)) = (part, whole) else { return false };
    part.iter().all(|row| whole.contains(row))
}

#[test]
fn crash_at_any_step_leaves_old_or_new_index() {
    for interruption in INTERRUPTIONS {
        let blog = ScratchBlog::new();
        (interruption.prepare)(&blog);
        let app = blog.app();
        let before = contents(&blog.index(&app), interruption.name);
        (interruption.change)(&blog);
        let images: Arc<Mutex<Vec<(&'static str, TempDir)>>> = Arc::default();
        let (taken, of_update) = (Arc::clone(&images), app.clone());
        let take_image = move |step| {
            let image = TempDir::new()?;
            copy_files(&of_update, image.path());
            taken.lock().unwrap().push((step, image));
            Ok(())
        };
        let index = blog.index(&app);
        with_step_hook(take_image, || index.update(&(interruption.scope)(), &mut |_, _| {})).unwrap();
        let after = contents(&index, interruption.name);
        assert_ne!(before, after, "{}", interruption.name);
        drop(index);
        let images = std::mem::take(&mut *images.lock().unwrap());
        for step in interruption.reaches {
            assert!(images.iter().any(|(reached, _)| reached == step), "{}: no step {step}", interruption.name);
        }
        let mut n_partial = 0;
        for (number, (step, image)) in images.iter().enumerate() {
            let when = format!("{}, before step {number} ({step}) of {}", interruption.name, images.len());
            let index = blog.index(image.path());
            n_partial += usize::from(!contents_so_far(&index, &when).1);
            assert_old_or_new(&index, &before, &after, &when);
        }
        // Two of the three commits of a first index are of a part.
        assert_eq!(n_partial > 1, before.is_none(), "{}", interruption.name);
    }
}

#[test]
fn io_error_at_any_step_leaves_old_or_new_index() {
    for interruption in INTERRUPTIONS {
        let blog = ScratchBlog::new();
        (interruption.prepare)(&blog);
        let before = contents(&blog.index(&blog.app()), interruption.name);
        (interruption.change)(&blog);
        let undisturbed = blog.copy_app();
        let index = blog.index(undisturbed.path());
        index.update(&(interruption.scope)(), &mut |_, _| {}).unwrap();
        let after = contents(&index, interruption.name);
        // The disk fails once, or is full from then on.
        for is_lasting in [false, true] {
            for at in 0.. {
                let app = blog.copy_app();
                let index = blog.index(app.path());
                let reached = Arc::new(Mutex::new(0_usize));
                let counter = Arc::clone(&reached);
                let refuse = move |_| {
                    let mut reached = counter.lock().unwrap();
                    *reached += 1;
                    let is_refused = *reached == at + 1 || (is_lasting && *reached > at);
                    if is_refused { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
                };
                let updated = with_step_hook(refuse, || index.update(&(interruption.scope)(), &mut |_, _| {}));
                let when = format!("{}, step {at} fails, and all others: {is_lasting}", interruption.name);
                if updated.is_ok() {
                    assert_eq!(contents(&index, &when), after, "{when}, which no one was told");
                }
                let (found, is_complete) = contents_so_far(&index, &when);
                let is_known = found == before || found == after || (!is_complete && is_part(&found, &after));
                assert!(is_known, "{when}, in this process: {found:?}");
                assert_old_or_new(&blog.index(app.path()), &before, &after, &when);
                if *reached.lock().unwrap() <= at {
                    assert!(at > 10, "{when}: the update has steps");
                    break;
                }
            }
        }
    }
}

/// A damaged index is removed file by file, before it is made again.
#[test]
fn interrupted_repair_is_completed_by_next_update() {
    let blog = ScratchBlog::new();
    write_three(&blog);
    blog.update(&UpdateScope::Everything);
    let whole = contents(&blog.index(&blog.app()), "whole");
    for at in 0.. {
        let app = blog.copy_app();
        damage_index(app.path());
        let mut reached = 0;
        let refuse = move |step| {
            reached += usize::from(step == "remove");
            if reached > at { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
        };
        let removed = with_failpoints(refuse, || blog.index(app.path()).remove_if_damaged());
        let index = blog.index(app.path());
        match index.stored() {
            Err(IndexError::Missing | IndexError::Damaged(_) | IndexError::Failed(_)) => {}
            Err(error) => panic!("after {at} files: {error}"),
            // What a reader does not look at may still be there.
            Ok(_) => assert_eq!(contents(&index, "damaged"), whole),
        }
        index.remove_if_damaged().unwrap();
        index.update(&UpdateScope::Everything, &mut |_, _| {}).unwrap();
        assert_eq!(contents(&index, "repaired"), whole, "after {at} files");
        if removed.is_ok() {
            assert!(at > 5, "{at} files were removed");
            return;
        }
    }
}

/// An unreachable file system fails to read the settings. The update must not take them for missing, nor the posts for removed.
#[test]
fn index_stays_while_the_settings_cannot_be_read() {
    let blog = ScratchBlog::new();
    write_three(&blog);
    let settings = blog.dir.path().join("blog/meta/project.json");
    fs::create_dir(settings.parent().unwrap()).unwrap();
    fs::write(&settings, r#"{"mainLanguage": "de"}"#).unwrap();
    blog.update(&UpdateScope::Everything);
    let whole = contents(&blog.index(&blog.app()), "before");
    fs::rename(blog.dir.path().join("blog/posts"), blog.dir.path().join("posts")).unwrap();
    let unreachable = |step| if step == "read settings" { Err(io::Error::other("out of reach")) } else { Ok(()) };
    let refused =
        with_failpoints(unreachable, || blog.index(&blog.app()).update(&UpdateScope::Everything, &mut |_, _| {}));
    assert!(matches!(refused, Err(IndexError::Settings(_))), "{refused:?}");
    assert_eq!(contents(&blog.index(&blog.app()), "out of reach"), whole);
}

/// Changes a byte in the middle of each file with positions, which no answer of these tests reads.
fn damage_index(app: &Path) {
    let positions = index_files(app).into_iter().filter(|path| path.extension().is_some_and(|end| end == "pos"));
    let mut n_damaged = 0;
    for path in positions {
        let mut bytes = fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0xff;
        fs::write(&path, bytes).unwrap();
        n_damaged += 1;
    }
    assert!(n_damaged > 0);
}

/// The files of all indexes below an AppDir.
pub(super) fn index_files(app: &Path) -> Vec<PathBuf> {
    let indexes = fs::read_dir(app.join("cache/blog")).unwrap();
    let files = indexes.flat_map(|index| fs::read_dir(index.unwrap().path()).unwrap());
    let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    files
}
