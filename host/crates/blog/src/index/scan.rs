//! The files of a blog, as the file system lists them.
//!
//! Owns: the walk through the folders of a layout, with a bound on names and depth; and the search for Jekyll's sections.
//! Never: opens a file, or follows a link to a folder: a link can lead in circles.

use std::collections::{BTreeMap, BTreeSet};

use crate::content::BlogLayout;
use crate::content::layout::DRAFTS_DIR;
use crate::content::read_file::{is_settled, stat_hash};
use crate::limits::{MAX_BLOG_DEPTH, MAX_BLOG_FILES};
use wardroom_appdir::{AppDirError, EntryKind, Folder, Stat};

/// A file that was listed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FoundFile {
    pub(crate) path: String,
    /// [`stat_hash`].
    pub(crate) state: u64,
    /// [`is_settled`].
    pub(crate) is_settled: bool,
    /// In bytes.
    pub(crate) len: u64,
}

impl FoundFile {
    fn new(path: String, stat: &Stat) -> Self {
        Self { path, state: stat_hash(stat), is_settled: is_settled(stat), len: stat.len }
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
            scan.walk(blog, layout, dir.path, 0, visit);
        }
        if layout == BlogLayout::Markdown && is_jekyll_site(blog) {
            scan.find_sections(blog, "", 0, visit);
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
            if layout.kind_in(path).is_some() && !scan.folders.contains_key(path) {
                scan.walk(blog, layout, path, path.matches('/').count(), visit);
            }
        }
        scan
    }

    /// Looks for the folders of posts of Jekyll's sections, such as `news/_posts`. Folders that only lead there are not
    /// visited: a site has many more of them, and a new section is found by the next comparison.
    fn find_sections(&mut self, blog: &Folder, path: &str, depth: usize, visit: &mut dyn FnMut(&str, &Folder)) {
        let folder = match path {
            "" => Ok(blog.clone()),
            path => blog.open_folder(path),
        };
        let folder = match folder {
            Ok(folder) => folder,
            // Its posts stay as they are known.
            Err(error) if error.is_transient() => {
                self.failures.push((shown(path).to_owned(), format!("the folder {}", error.predicate())));
                return;
            }
            // What cannot be opened may be anything: only a folder of posts that cannot be is a failure.
            Err(_) => return,
        };
        let mut below = Vec::new();
        let mut left = MAX_BLOG_FILES.saturating_sub(self.n_names);
        let before = left;
        let listed = folder.visit_names(&mut left, |name, _, entry| {
            if entry == EntryKind::Folder {
                below.push(if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") });
            }
        });
        self.n_names += before - left;
        if let Err(error) = listed {
            if error.is_transient() {
                self.failures.push((shown(path).to_owned(), format!("the folder {}", error.predicate())));
            }
            return;
        }
        below.sort_unstable();
        for folder in below {
            if BlogLayout::Markdown.kind_in(&folder).is_some() {
                if !self.folders.contains_key(&folder) {
                    self.walk(blog, BlogLayout::Markdown, &folder, depth + 1, visit);
                }
            } else if depth < MAX_BLOG_DEPTH && is_section(&folder) {
                self.find_sections(blog, &folder, depth + 1, visit);
            }
        }
    }

    fn walk(
        &mut self,
        blog: &Folder,
        layout: BlogLayout,
        path: &str,
        depth: usize,
        visit: &mut dyn FnMut(&str, &Folder),
    ) {
        let Some(kind) = layout.kind_in(path) else { return };
        let folder = match blog.open_folder(path) {
            Ok(folder) => folder,
            Err(AppDirError::NotFound(_)) => return,
            Err(error) => {
                self.failures.push((shown(path).to_owned(), format!("the folder {}", error.predicate())));
                return;
            }
        };
        visit(path, &folder);
        let (mut files, mut below) = (Vec::new(), Vec::new());
        let mut left = MAX_BLOG_FILES.saturating_sub(self.n_names);
        let before = left;
        let listed = folder.visit_names(&mut left, |name, _, entry| match entry {
            EntryKind::Folder if !name.starts_with('.') => below.push(name.to_owned()),
            EntryKind::File | EntryKind::Symlink if kind.has_extension(name) || path == DRAFTS_DIR => {
                let file = format!("{path}/{name}");
                if layout.kind_of(&file).is_none() {
                    return;
                }
                let stat = if entry == EntryKind::Symlink { blog.stat(&file) } else { folder.stat_nofollow(name) };
                match stat {
                    Ok(stat) => files.push(FoundFile::new(file, &stat)),
                    Err(error) if error.is_transient() => {
                        self.failures.push((file, format!("the file {}", error.predicate())));
                    }
                    // It is no document, such as a link to itself, and says nothing of the others.
                    Err(_) => {}
                }
            }
            EntryKind::File | EntryKind::Folder | EntryKind::Symlink | EntryKind::Other => {}
        });
        self.n_names += before - left;
        if let Err(error) = listed {
            self.failures.push((shown(path).to_owned(), format!("the folder {}", error.predicate())));
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
            self.walk(blog, layout, &format!("{path}/{name}"), depth + 1, visit);
        }
    }
}

/// Looks at some files. Returns those that are there and those that are not, without what is no document.
pub(crate) fn look_at(blog: &Folder, layout: BlogLayout, paths: &BTreeSet<String>) -> (Vec<FoundFile>, Vec<String>) {
    let (mut found, mut gone) = (Vec::new(), Vec::new());
    for path in paths.iter().filter(|path| layout.kind_of(path).is_some()) {
        match blog.stat(path) {
            Ok(stat) => found.push(FoundFile::new(path.clone(), &stat)),
            Err(AppDirError::NotFound(_)) => gone.push(path.clone()),
            // The follower looks again.
            Err(_) => {}
        }
    }
    (found, gone)
}

/// Whether a folder is a site of Jekyll.
fn is_jekyll_site(blog: &Folder) -> bool {
    let is_file = |name: &&str| blog.stat(name).is_ok();
    ["_config.yml", "_config.yaml", "_config.toml"].iter().any(is_file) || blog.open_folder("_posts").is_ok()
}

/// What the folder of the blog itself is called in failures.
pub(super) const ROOT: &str = ".";

fn shown(path: &str) -> &str {
    if path.is_empty() { ROOT } else { path }
}

/// Whether Jekyll looks for posts in a folder. By default it leaves out folders of programs, and those whose names begin so.
fn is_section(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    !name.starts_with(['.', '_', '#', '~']) && !name.ends_with('~') && !matches!(name, "node_modules" | "vendor")
}
