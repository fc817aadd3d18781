//! Every kind of change that the crate makes: the state before and after, and its steps.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::io::Errno;
use wardroom_appdir::{AppDirError, Folder, Privacy, with_failpoints};

use wardroom_test_support::TestDir;

pub(super) const OLD: &[u8] = b"old";
pub(super) const NEW: &[u8] = b"the new content";
/// The order of the steps of a write.
pub(super) const WRITE: [&str; 5] = ["create temporary", "write", "flush", "rename", "flush names"];
#[cfg(target_os = "linux")]
const CREATE: &[&str] = &["create temporary", "write", "flush", "rename to a free name", "flush names"];
#[cfg(target_os = "linux")]
pub(super) const LINK: &[&str] =
    &["create temporary", "write", "flush", "rename to a free name", "link", "unlink", "flush names"];
/// Other systems have only links for this.
#[cfg(not(target_os = "linux"))]
const CREATE: &[&str] = LINK;
#[cfg(not(target_os = "linux"))]
pub(super) const LINK: &[&str] = &["create temporary", "write", "flush", "link", "unlink", "flush names"];

/// The contents of a folder's files.
pub(super) type State = BTreeMap<String, Vec<u8>>;

/// One change of files.
pub(super) struct Change {
    pub(super) name: &'static str,
    pub(super) steps: &'static [&'static str],
    before: &'static [(&'static str, &'static [u8])],
    after: &'static [(&'static str, &'static [u8])],
    pub(super) make: fn(&Folder) -> Result<(), AppDirError>,
    /// Whether the rename that replaces nothing is unsupported, as on systems other than Linux.
    by_link: bool,
}

pub(super) const CHANGES: [Change; 9] = [
    Change {
        name: "replace",
        steps: &WRITE,
        before: &[("file", OLD)],
        after: &[("file", NEW)],
        make: |folder| folder.write("file", NEW, Privacy::Shared),
        by_link: false,
    },
    Change {
        name: "write",
        steps: &WRITE,
        before: &[("sub/other", OLD)],
        after: &[("sub/other", OLD), ("sub/file", NEW)],
        make: |folder| folder.write("sub/file", NEW, Privacy::Owner),
        by_link: false,
    },
    Change {
        name: "create",
        steps: CREATE,
        before: &[],
        after: &[("file", NEW)],
        make: |folder| allow_existing(folder.create_file("file", NEW, Privacy::Shared)),
        by_link: false,
    },
    Change {
        name: "create by link",
        steps: LINK,
        before: &[],
        after: &[("file", NEW)],
        make: |folder| allow_existing(folder.create_file("file", NEW, Privacy::Shared)),
        by_link: true,
    },
    Change {
        name: "create folder",
        steps: &["create folders", "open folder"],
        before: &[],
        after: &[("a/", b""), ("a/b/", b""), ("a/b/c/", b"")],
        make: |folder| folder.create_folder("a/b/c").map(drop),
        by_link: false,
    },
    Change {
        name: "remove",
        steps: &["remove"],
        before: &[("file", OLD), ("other", OLD)],
        after: &[("other", OLD)],
        make: |folder| folder.remove_file("file"),
        by_link: false,
    },
    Change {
        name: "sweep",
        steps: &["remove", "remove"],
        before: &[(".a.0123456789abcdef.tmp", OLD), (".b.0123456789abcdef.tmp", OLD), ("file", OLD)],
        after: &[("file", OLD)],
        make: |folder| folder.sweep_temp_files(Duration::ZERO).map(drop),
        by_link: false,
    },
    Change {
        name: "lock",
        steps: &["open lock", "lock"],
        before: &[],
        after: &[("the.lock", b"")],
        make: |folder| folder.lock("the.lock").map(drop),
        by_link: false,
    },
    Change {
        name: "update under a lock",
        steps: &["open lock", "lock", "create temporary", "write", "flush", "rename", "flush names"],
        before: &[("file", OLD), ("the.lock", b"")],
        after: &[("file", NEW), ("the.lock", b"")],
        make: |folder| {
            let _lock = folder.lock("the.lock")?;
            folder.write("file", NEW, Privacy::Shared)
        },
        by_link: false,
    },
];

/// A retry after a crash may find the file.
fn allow_existing(created: Result<(), AppDirError>) -> Result<(), AppDirError> {
    match created {
        Err(AppDirError::AlreadyExists(_)) => Ok(()),
        created => created,
    }
}

impl Change {
    pub(super) fn of(name: &str) -> &'static Self {
        CHANGES.iter().find(|change| change.name == name).unwrap()
    }

    pub(super) fn prepare(&self) -> TestDir {
        let dir = TestDir::new();
        for (name, content) in self.before {
            dir.write_file(name, content);
        }
        dir
    }

    /// Makes the change with `at` called at each step, with its number and name.
    pub(super) fn make_with(
        &self,
        folder: &Folder,
        mut at: impl FnMut(usize, &'static str) -> io::Result<()> + 'static,
    ) -> Result<(), AppDirError> {
        let (by_link, mut number) = (self.by_link, 0);
        let hook = move |step| {
            number += 1;
            at(number - 1, step)?;
            if by_link && step == "rename to a free name" { Err(Errno::INVAL.into()) } else { Ok(()) }
        };
        with_failpoints(hook, || (self.make)(folder))
    }

    pub(super) fn state_before(&self) -> State {
        self.before.iter().map(|(name, content)| ((*name).to_owned(), content.to_vec())).collect()
    }

    pub(super) fn state_after(&self) -> State {
        self.after.iter().map(|(name, content)| ((*name).to_owned(), content.to_vec())).collect()
    }

    /// Asserts that a state is one that readers may see. Temporary files are ignored, since a sweep makes one change
    /// for each.
    #[track_caller]
    pub(super) fn assert_old_or_new(&self, state: &State, when: &str) {
        let without_temporaries = |mut state: State| {
            state.retain(|name, _| !is_temporary(name));
            state
        };
        let seen = without_temporaries(state.clone());
        let allowed = [self.state_before(), self.state_after()].map(without_temporaries);
        assert!(allowed.contains(&seen), "{} {when}: {seen:?}", self.name);
    }
}

pub(super) fn is_temporary(name: &str) -> bool {
    let base = name.rsplit('/').next().unwrap();
    base.starts_with('.') && base.ends_with(".tmp")
}

/// Reads everything below a folder.
pub(super) fn state(folder: &Path) -> State {
    let (mut state, mut left) = (State::new(), vec![PathBuf::new()]);
    while let Some(below) = left.pop() {
        for entry in fs::read_dir(folder.join(&below)).unwrap() {
            let path = below.join(entry.unwrap().file_name());
            let name = path.to_str().unwrap().to_owned();
            if folder.join(&path).is_dir() {
                left.push(path);
                if fs::read_dir(folder.join(&name)).unwrap().all(|entry| entry.unwrap().path().is_dir()) {
                    state.insert(name + "/", Vec::new());
                }
            } else {
                state.insert(name, fs::read(folder.join(&path)).unwrap());
            }
        }
    }
    state
}
