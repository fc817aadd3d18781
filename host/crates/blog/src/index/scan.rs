//! The files of a blog, as the file system lists them.
//!
//! Owns: the walk through the folders of a layout, with a bound on names and depth.
//! Never: opens a file, or follows a link to a folder: a link can lead in circles.

use std::collections::{BTreeMap, BTreeSet};

use crate::content::layout::{BlogLayout, FileKind};
use crate::content::read_file::stat_hash;
use crate::limits::{MAX_BLOG_DEPTH, MAX_BLOG_FILES};
use wardroom_appdir::{AppDirError, EntryKind, Folder, Stat};

/// A file that was listed.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FoundFile {
    pub(crate) path: String,
    /// [`stat_hash`].
    pub(crate) state: u64,
    /// In bytes.
    pub(crate) len: u64,
}

impl FoundFile {
    fn new(path: String, stat: &Stat) -> Self {
        Self { path, state: stat_hash(stat), len: stat.len }
    }
}

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// The files of each folder, by its path.
    pub(crate) folders: BTreeMap<String, Vec<FoundFile>>,
    /// Folders that could not be listed, each with the reason. Nothing is known of their files.
    pub(crate) failures: Vec<(String, String)>,
    n_names: usize,
}

impl Scan {
    /// Walks through all folders of a layout. `visit` gets each folder before it is listed.
    pub(crate) fn all(blog: &Folder, layout: BlogLayout, visit: &mut dyn FnMut(&str, &Folder)) -> Self {
        let mut scan = Self::default();
        for dir in layout.dirs() {
            scan.walk(blog, dir.path, dir.kind, 0, visit);
        }
        scan
    }

    /// Walks through some folders of a layout, and what is below them.
    pub(crate) fn folders(
        blog: &Folder,
        layout: BlogLayout,
        paths: &BTreeSet<String>,
        visit: &mut dyn FnMut(&str, &Folder),
    ) -> Self {
        let mut scan = Self::default();
        for path in paths {
            let inside = |dir: &str| path == dir || path.strip_prefix(dir).is_some_and(|rest| rest.starts_with('/'));
            let kind = layout.dirs().iter().find(|dir| inside(dir.path)).map(|dir| dir.kind);
            if let Some(kind) = kind.filter(|_| !scan.folders.contains_key(path)) {
                scan.walk(blog, path, kind, path.matches('/').count(), visit);
            }
        }
        scan
    }

    fn walk(&mut self, blog: &Folder, path: &str, kind: FileKind, depth: usize, visit: &mut dyn FnMut(&str, &Folder)) {
        let folder = match blog.open_folder(path) {
            Ok(folder) => folder,
            Err(AppDirError::NotFound(_)) => return,
            Err(error) => {
                self.failures.push((path.to_owned(), format!("the folder {}", error.predicate())));
                return;
            }
        };
        visit(path, &folder);
        let (mut files, mut below) = (Vec::new(), Vec::new());
        let mut left = MAX_BLOG_FILES.saturating_sub(self.n_names);
        let before = left;
        let listed = folder.visit_names(&mut left, |name, _, entry| match entry {
            EntryKind::Folder if !name.starts_with('.') => below.push(name.to_owned()),
            EntryKind::File if kind.has_extension(name) => {
                let file = format!("{path}/{name}");
                match folder.stat_nofollow(name) {
                    Ok(stat) => files.push(FoundFile::new(file, &stat)),
                    Err(AppDirError::NotFound(_) | AppDirError::NotRegularFile(_)) => {}
                    Err(error) => self.failures.push((file, format!("the file {}", error.predicate()))),
                }
            }
            EntryKind::Symlink if kind.has_extension(name) => {
                let path = format!("{path}/{name}");
                if let Ok(stat) = blog.stat(&path) {
                    files.push(FoundFile::new(path, &stat));
                }
            }
            EntryKind::File | EntryKind::Folder | EntryKind::Symlink | EntryKind::Other => {}
        });
        self.n_names += before - left;
        if let Err(error) = listed {
            self.failures.push((path.to_owned(), format!("the folder {}", error.predicate())));
            return;
        }
        if left == 0 {
            let message = format!("there are more than {MAX_BLOG_FILES} files: the others are left out");
            self.failures.push((path.to_owned(), message));
        }
        files.sort_unstable();
        self.folders.insert(path.to_owned(), files);
        if depth >= MAX_BLOG_DEPTH {
            let deeper = below.first().map(|_| format!("folders below the {MAX_BLOG_DEPTH}th level are left out"));
            self.failures.extend(deeper.map(|message| (path.to_owned(), message)));
            return;
        }
        below.sort_unstable();
        for name in below {
            self.walk(blog, &format!("{path}/{name}"), kind, depth + 1, visit);
        }
    }
}
