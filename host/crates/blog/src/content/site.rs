//! The programs that make a site of Markdown files: Jekyll, Hugo and Astro.
//!
//! Owns: which of their folders a file is in, and what each of them reads from the path of a file.
//! Never: opens a file.

use super::language::is_language;
use super::time::parse_time;

/// The program whose folder a Markdown file is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SiteProgram {
    Jekyll,
    Hugo,
    Astro,
}

/// What a program reads from the path of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SiteFileName {
    /// The name that the slug is made of.
    pub(crate) stem: String,
    pub(crate) date: Option<i64>,
    /// The language, in the name of the file or of a folder.
    pub(crate) language: Option<String>,
    /// The path without language and extension, which all translations share.
    pub(crate) group_path: String,
    /// The folders above `_posts`, which are categories.
    pub(crate) sections: Vec<String>,
    /// In a folder `_drafts`.
    pub(crate) is_unpublished: bool,
}

const POSTS_DIR: &str = "_posts";
const UNPUBLISHED_DIR: &str = "_drafts";
const HUGO_DIR: &str = "content";
const ASTRO_DIR: &str = "src/content";

impl SiteProgram {
    /// Returns the program in whose folder of posts a folder is, or which it is.
    pub(crate) fn of_folder(folder: &str) -> Option<Self> {
        if below(folder, HUGO_DIR).is_some() {
            Some(Self::Hugo)
        } else if let Some(rest) = below(folder, ASTRO_DIR) {
            // Astro leaves out what begins so.
            (!rest.split('/').any(|part| part.starts_with('_'))).then_some(Self::Astro)
        } else {
            folder.split('/').any(|part| matches!(part, POSTS_DIR | UNPUBLISHED_DIR)).then_some(Self::Jekyll)
        }
    }

    /// Returns the program that takes a file for a post, by its path.
    pub(crate) fn of_file(path: &str) -> Option<Self> {
        let (folder, file) = path.rsplit_once('/')?;
        Self::of_folder(folder).filter(|program| match program {
            Self::Jekyll => true,
            // The page of a section, which lists posts.
            Self::Hugo => file.split('.').next() != Some("_index"),
            Self::Astro => !file.starts_with('_'),
        })
    }

    pub(crate) fn read_name(self, path: &str) -> SiteFileName {
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        match self {
            Self::Jekyll => read_jekyll_name(folder, stem),
            Self::Hugo | Self::Astro => self.read_page_name(folder, stem),
        }
    }

    /// A translation is `slug.de.md`, or has the folder `content/de` (of Astro: `src/content/blog/de`). `slug/index.md` is a
    /// post with its pictures. A date in the name belongs to the slug.
    fn read_page_name(self, folder: &str, stem: &str) -> SiteFileName {
        let (root, below_root) = match self {
            Self::Astro => {
                let rest = below(folder, ASTRO_DIR).unwrap_or_default();
                let collection = rest.split('/').next().unwrap_or_default();
                folder.split_at_checked(ASTRO_DIR.len() + 1 + collection.len()).unwrap_or((folder, ""))
            }
            Self::Hugo | Self::Jekyll => folder.split_at_checked(HUGO_DIR.len()).unwrap_or((folder, "")),
        };
        let below_root = below_root.trim_start_matches('/');
        let (first, rest) = below_root.split_once('/').unwrap_or((below_root, ""));
        let (folder_language, inner) = if is_suffix_language(first) { (Some(first), rest) } else { (None, below_root) };
        let (stem, language) = match stem.rsplit_once('.').filter(|(_, language)| is_suffix_language(language)) {
            Some((stem, language)) => (stem, Some(language)),
            None => (stem, folder_language),
        };
        let folder = if inner.is_empty() { root.to_owned() } else { format!("{root}/{inner}") };
        let (stem, group_path) = match inner.rsplit('/').next() {
            Some(bundle) if stem == "index" && !bundle.is_empty() => (bundle, folder),
            _ => (stem, format!("{folder}/{stem}")),
        };
        SiteFileName {
            stem: stem.to_owned(),
            date: split_date(stem).map(|(date, _)| date),
            language: language.map(|language| language.to_lowercase().replace('_', "-")),
            group_path,
            sections: Vec::new(),
            is_unpublished: false,
        }
    }
}

/// The name is `2024-03-09-slug.md`, and the date is no part of the slug.
fn read_jekyll_name(folder: &str, stem: &str) -> SiteFileName {
    let mut parts = folder.split('/');
    let sections = parts.by_ref().take_while(|part| !matches!(*part, POSTS_DIR | UNPUBLISHED_DIR));
    let sections = sections.map(str::to_owned).collect();
    let dated = split_date(stem);
    SiteFileName {
        stem: dated.map_or(stem, |(_, rest)| rest).to_owned(),
        date: dated.map(|(date, _)| date),
        language: None,
        group_path: format!("{folder}/{stem}"),
        sections,
        is_unpublished: folder.split('/').any(|part| part == UNPUBLISHED_DIR),
    }
}

/// Splits `2024-03-09-slug`, also with months and days of one digit.
fn split_date(stem: &str) -> Option<(i64, &str)> {
    let mut parts = stem.splitn(4, '-');
    let mut number = |digits: usize| {
        parts.next().filter(|part| part.len() <= digits && !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
    };
    let (year, month, day) = (number(4).filter(|year| year.len() == 4)?, number(2)?, number(2)?);
    let rest = parts.next().filter(|rest| !rest.is_empty())?;
    Some((parse_time(&format!("{year}-{month}-{day}"))?, rest))
}

/// Returns what follows a folder in the path of a folder; nothing for the folder itself.
fn below<'f>(folder: &'f str, dir: &str) -> Option<&'f str> {
    match folder.strip_prefix(dir)? {
        "" => Some(""),
        rest => rest.strip_prefix('/'),
    }
}

/// Whether a part of a path is a language. The ends of `socket.io.md` and `config.ts.md` are in the names of programs far
/// more often than they stand for Ido and Tsonga.
fn is_suffix_language(part: &str) -> bool {
    is_language(part) && !part.eq_ignore_ascii_case("io") && !part.eq_ignore_ascii_case("ts")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn posts_are_those_of_each_program() {
        for (path, program) in [
            ("_posts/2024-01-02-a.md", Some(SiteProgram::Jekyll)),
            ("news/_posts/deep/2024-01-02-a.md", Some(SiteProgram::Jekyll)),
            ("content/posts/_index.md", None),
            ("content/posts/_index.de.md", None),
            ("content/a.md", Some(SiteProgram::Hugo)),
            ("content/_posts/a.md", Some(SiteProgram::Hugo)),
            ("src/content/blog/a.mdx", Some(SiteProgram::Astro)),
            ("src/content/blog/_a.md", None),
            ("src/content/_blog/a.md", None),
            ("contents/a.md", None),
            ("a.md", None),
        ] {
            assert_eq!(SiteProgram::of_file(path), program, "{path}");
        }
    }

    #[test]
    fn names_have_stem_language_and_group() {
        let read = |path: &str| {
            let name = SiteProgram::of_file(path).unwrap().read_name(path);
            let shown = [name.stem, name.language.unwrap_or_default(), name.group_path, name.sections.join("+")];
            (shown.join(" "), name.date.is_some())
        };
        for (path, shown, has_date) in [
            ("_posts/2024-3-9-a.de.md", "a.de  _posts/2024-3-9-a.de ", true),
            ("a/b/_posts/2024-03-09-a.md", "a  a/b/_posts/2024-03-09-a a+b", true),
            ("_posts/2024-13-09-a.md", "2024-13-09-a  _posts/2024-13-09-a ", false),
            ("content/posts/a.de.md", "a de content/posts/a ", false),
            ("content/pt-br/posts/a.md", "a pt-br content/posts/a ", false),
            ("content/de/a.md", "a de content/a ", false),
            ("content/posts/a/index.md", "a  content/posts/a ", false),
            ("content/posts/a/index.de.md", "a de content/posts/a ", false),
            ("content/de/index.md", "index de content/index ", false),
            ("content/posts/socket.io.md", "socket.io  content/posts/socket.io ", false),
            ("content/2024-03-09-a.md", "2024-03-09-a  content/2024-03-09-a ", true),
            ("src/content/blog/de/a.md", "a de src/content/blog/a ", false),
            ("src/content/blog/2024/a/index.mdx", "a  src/content/blog/2024/a ", false),
            ("src/content/a.md", "a  src/content/a ", false),
        ] {
            assert_eq!(read(path), (shown.to_owned(), has_date), "{path}");
        }
    }
}
