//! Where the files of a blog are.
//!
//! Owns: the folders and extensions of each layout.
//! Never: opens a file.

use super::site::SiteProgram;

/// The folder of what only this program reads and writes.
pub(crate) const OWN_DIR: &str = ".wardroom";
/// The folder of drafts that take the place of published files.
pub(crate) const DRAFTS_DIR: &str = ".wardroom/drafts";

/// How a blog's folder is organised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BlogLayout {
    /// Posts with ids, media with sidecars, scripts and templates, each in a folder of its own.
    #[default]
    Bds,
    /// The Markdown files of Jekyll, Hugo or Astro.
    Markdown,
}

/// The kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileKind {
    Post,
    MediaSidecar,
    Script,
    Template,
}

/// A folder of a layout, with the kind of its files.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ContentDir {
    pub(crate) path: &'static str,
    pub(crate) kind: FileKind,
}

const fn dir(path: &'static str, kind: FileKind) -> ContentDir {
    ContentDir { path, kind }
}

const BDS_DIRS: [ContentDir; 5] = [
    dir("posts", FileKind::Post),
    dir("media", FileKind::MediaSidecar),
    dir("scripts", FileKind::Script),
    dir("templates", FileKind::Template),
    dir(DRAFTS_DIR, FileKind::Post),
];
/// Jekyll's, Hugo's and Astro's. Jekyll's may be in other folders too, which are looked for.
const MARKDOWN_DIRS: [ContentDir; 5] = [
    dir("_posts", FileKind::Post),
    dir("_drafts", FileKind::Post),
    dir("content", FileKind::Post),
    dir("src/content", FileKind::Post),
    dir(DRAFTS_DIR, FileKind::Post),
];

impl BlogLayout {
    pub(crate) const fn dirs(self) -> &'static [ContentDir] {
        match self {
            Self::Bds => &BDS_DIRS,
            Self::Markdown => &MARKDOWN_DIRS,
        }
    }

    /// Returns the kind of the documents in a folder; `None` for a folder that has none.
    pub(crate) fn kind_in(self, folder: &str) -> Option<FileKind> {
        // Drafts are in no folders below it.
        if folder == DRAFTS_DIR {
            return Some(FileKind::Post);
        }
        match self {
            Self::Bds => {
                let is_in = |dir: &&ContentDir| {
                    folder.strip_prefix(dir.path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                };
                BDS_DIRS.iter().find(is_in).map(|dir| dir.kind).filter(|_| !folder.starts_with(DRAFTS_DIR))
            }
            Self::Markdown => SiteProgram::of_folder(folder).map(|_| FileKind::Post),
        }
    }

    /// Returns the kind of the file at a path; `None` for one that is no document of the blog.
    pub(crate) fn kind_of(self, path: &str) -> Option<FileKind> {
        let (folder, _) = path.rsplit_once('/')?;
        let kind = match self {
            // Drafts of all kinds are in one folder.
            Self::Bds if folder == DRAFTS_DIR => {
                [FileKind::Post, FileKind::Script, FileKind::Template].into_iter().find(|kind| kind.has_extension(path))
            }
            Self::Bds | Self::Markdown => self.kind_in(folder).filter(|kind| kind.has_extension(path)),
        }?;
        let is_document = match self {
            Self::Markdown if folder != DRAFTS_DIR => SiteProgram::of_file(path).is_some(),
            Self::Bds | Self::Markdown => true,
        };
        is_document.then_some(kind)
    }
}

impl FileKind {
    /// Whether a file with this name can be of the kind.
    pub(crate) fn has_extension(self, name: &str) -> bool {
        let extensions: &[&str] = match self {
            Self::Post => &[".md", ".markdown", ".mdx"],
            Self::MediaSidecar => &[".meta"],
            Self::Script => &[".lua", ".py"],
            Self::Template => &[".liquid"],
        };
        !name.rsplit('/').next().unwrap_or_default().starts_with('.')
            && extensions.iter().any(|end| name.ends_with(end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_the_kind_of_their_folder() {
        let kind = |layout: BlogLayout, path| layout.kind_of(path);
        assert_eq!(kind(BlogLayout::Bds, "posts/2024/03/a.md"), Some(FileKind::Post));
        assert_eq!(kind(BlogLayout::Bds, "media/2024/03/a.jpg.meta"), Some(FileKind::MediaSidecar));
        assert_eq!(kind(BlogLayout::Bds, ".wardroom/drafts/a.md"), Some(FileKind::Post));
        assert_eq!(kind(BlogLayout::Bds, ".wardroom/drafts/a.lua"), Some(FileKind::Script));
        assert_eq!(kind(BlogLayout::Bds, ".wardroom/drafts/a.liquid"), Some(FileKind::Template));
        for other in [
            "posts/a.txt",
            "postsx/a.md",
            "media/a.jpg",
            "content/a.md",
            "posts/.a.md",
            "a.md",
            ".wardroom/drafts/sub/a.md",
        ] {
            assert_eq!(kind(BlogLayout::Bds, other), None, "{other}");
        }
        for post in ["src/content/blog/a.mdx", "_posts/a.md", "news/_posts/a.md", ".wardroom/drafts/a.md"] {
            assert_eq!(kind(BlogLayout::Markdown, post), Some(FileKind::Post), "{post}");
        }
        for other in ["content/_index.md", "news/a.md", "src/content/_a.md", "content/a.txt", ".wardroom/drafts/s/a.md"]
        {
            assert_eq!(kind(BlogLayout::Markdown, other), None, "{other}");
        }
    }
}
