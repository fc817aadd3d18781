//! Addresses of posts of the same blog.
//!
//! Owns: which addresses are such, and the slug and the language in them:
//! - Paths as in the interface's documentation, also without the leading `/` and after `./` and `../`, and paths in which
//!   `index.html`, `index.md` or `_index.md` follows the slug.
//! - Paths with other folders before the slug, after `posts` or `blog` (Astro's), or where the name ends in `.html` or
//!   `.htm` (Jekyll's categories). Without either, `/a/b` may be any page.
//! - Markdown files: `../2024-03-09-slug.md`, `notes/slug.de.md`. A date before the slug is dropped, a language after it kept.
//! - Template expressions of Jekyll (`post_url`, `link`, a path after `{{ site.baseurl }}`) and Hugo (`ref`, `relref`).
//!
//! A language is two or three letters, perhaps with a region (`pt-br`), before something else; folders that only look so
//! (`/tag/x`, `/img/x`) are none.
//! Never: knows which posts there are.

use crate::limits::MAX_SLUG_BYTES;

/// First parts of paths that are neither languages nor parts of permalinks, of three letters or fewer.
const FOLDERS: &[&str] = &[
    "api", "app", "bin", "cat", "cgi", "css", "dev", "doc", "faq", "gif", "img", "js", "lib", "log", "map", "pdf",
    "pic", "png", "pub", "rss", "src", "svg", "tag", "top", "vid", "web", "wp", "xml",
];

/// Folders whose pages list posts or are no text.
const LISTS: &[&str] = &[
    "archive",
    "archives",
    "assets",
    "author",
    "authors",
    "categories",
    "category",
    "images",
    "media",
    "page",
    "pages",
    "series",
    "static",
    "tag",
    "tags",
    "topic",
    "topics",
];
/// Parts of a path: more folders than Jekyll has categories in an address.
const MAX_PARTS: usize = 16;
const PAGE_EXTENSIONS: &[&str] = &["html", "htm"];
const SOURCE_EXTENSIONS: &[&str] = &["md", "markdown", "mdx"];

/// The post that an address names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PostAddress {
    pub(crate) slug: String,
    pub(crate) language: Option<String>,
}

/// The blog whose posts are looked for.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Blog {
    /// The public URL from its host on, without a slash at its end.
    site: Option<String>,
}

impl Blog {
    pub(crate) fn new(public_url: Option<&str>) -> Self {
        let site = public_url.and_then(|url| Some(url.trim().split_once("://")?.1.trim_end_matches('/').to_owned()));
        Self { site: site.filter(|site| !site.is_empty()) }
    }

    /// Returns the post that an address names, if it looks like one.
    pub(crate) fn find_post(&self, address: &str) -> Option<PostAddress> {
        let address = address.trim();
        let escape = |text: &str| text.bytes().take(2).all(|byte| byte.is_ascii_hexdigit());
        if address.starts_with('{') || address.strip_prefix('%').is_some_and(|rest| !escape(rest)) {
            return template_post(address);
        }
        let path = self.path(address)?;
        let path = path.split(['?', '#']).next().unwrap_or_default();
        path_post(path)
    }

    /// Returns the path of an address within the blog, with its query and fragment.
    fn path<'a>(&self, address: &'a str) -> Option<&'a str> {
        let is_end = |rest: &str| rest.is_empty() || rest.starts_with(['/', '?', '#']);
        let schemeless = ["https://", "http://", "//"].iter().find_map(|scheme| strip_ignoring_case(address, scheme));
        if let Some(rest) = schemeless {
            return strip_ignoring_case(rest, self.site.as_deref()?).filter(|rest| is_end(rest));
        }
        let colon = address.find([':', '/', '?', '#']);
        if colon.and_then(|at| address.get(at..)).is_some_and(|rest| rest.starts_with(':')) {
            return None;
        }
        // A blog in a folder of its host has that folder in its links.
        let base = self.site.as_deref().and_then(|site| site.find('/').and_then(|at| site.get(at..)));
        Some(base.and_then(|base| address.strip_prefix(base)).filter(|rest| is_end(rest)).unwrap_or(address))
    }
}

fn strip_ignoring_case<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let (start, rest) = text.split_at_checked(prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then_some(rest)
}

/// Reads a path without query and fragment.
fn path_post(path: &str) -> Option<PostAddress> {
    let mut path = path;
    while let Some(rest) = path.strip_prefix("./").or_else(|| path.strip_prefix("../")) {
        path = rest;
    }
    let path = path.strip_prefix('/').unwrap_or(path);
    let path = path.strip_suffix('/').unwrap_or(path);
    // Language, `posts`, folders, year, month, day, slug, `index.html`.
    let parts: Vec<&str> = path.splitn(MAX_PARTS, '/').collect();
    let mut parts = parts.as_slice();
    if let [before @ .., last] = parts
        && !before.is_empty()
        && is_index(last)
    {
        parts = before;
    }
    let mut language = None;
    if let [first, rest @ ..] = parts
        && !rest.is_empty()
        && is_language(first)
    {
        (language, parts) = (Some(*first), rest);
    }
    let mut is_collection = false;
    if let ["posts" | "blog", rest @ ..] = parts
        && !rest.is_empty()
    {
        (is_collection, parts) = (true, rest);
        // Astro has the folders of a collection in its addresses, and so a language there.
        if let [first, rest @ ..] = parts
            && !rest.is_empty()
            && language.is_none()
            && is_language(first)
        {
            (language, parts) = (Some(*first), rest);
        }
    }
    let is_month = |year, month| is_number(year, 4, 1..=9999) && is_number(month, 2, 1..=12);
    let is_day = |day| is_number(day, 2, 1..=31);
    match parts {
        [slug] => file_post(slug, language),
        [.., year, month, day, slug] if is_month(year, month) && is_day(day) => file_post(slug, language),
        // The archive of a day is no post, and pictures are in folders of months too.
        [year, month, slug] if is_month(year, month) && !is_day(slug) => file_post(slug, language),
        // The archive of a month or a day, and the second page of a list, are no posts.
        [folders @ .., name]
            if (is_collection || has_page_or_source_extension(name))
                && !is_number(name.split('.').next().unwrap_or_default(), 2, 1..=99)
                && !folders.iter().any(|folder| LISTS.contains(&&*folder.to_ascii_lowercase())) =>
        {
            file_post(name, language)
        }
        _ => None,
    }
}

/// Reads the last part of a path.
fn file_post(name: &str, language: Option<&str>) -> Option<PostAddress> {
    let name = percent_decode(name)?;
    let (stem, extension) = match name.rsplit_once('.') {
        Some((stem, extension)) => (stem, extension.to_ascii_lowercase()),
        None => (&*name, String::new()),
    };
    if SOURCE_EXTENSIONS.contains(&&*extension) {
        return source_post(stem, language);
    }
    let slug = if PAGE_EXTENSIONS.contains(&&*extension) {
        stem
    } else if looks_like_extension(&extension) {
        return None;
    } else {
        &name
    };
    to_post(slug, language)
}

/// Reads the name of a Markdown file without its extension.
fn source_post(stem: &str, language: Option<&str>) -> Option<PostAddress> {
    let (stem, language) = match stem.rsplit_once('.') {
        Some((slug, suffix)) if is_language(suffix) => (slug, Some(suffix)),
        _ => (stem, language),
    };
    to_post(without_date(stem), language)
}

/// Drops the date that Jekyll puts before a slug.
fn without_date(stem: &str) -> &str {
    let parts: Vec<&str> = stem.splitn(4, '-').collect();
    match parts.as_slice() {
        [year, month, day, slug]
            if is_number(year, 4, 1..=9999) && is_number(month, 2, 1..=12) && is_number(day, 2, 1..=31) =>
        {
            slug
        }
        _ => stem,
    }
}

/// Reads a template expression, of which the parser may have taken the first and last character.
fn template_post(address: &str) -> Option<PostAddress> {
    let words: Vec<&str> = address
        .split(|char: char| char.is_whitespace() || matches!(char, '{' | '}' | '%' | '<' | '>' | '"' | '\'' | '`'))
        .filter(|word| !word.is_empty())
        .take(16)
        .collect();
    let keyword = words.iter().position(|word| matches!(*word, "post_url" | "link" | "ref" | "relref"));
    let Some(keyword) = keyword else {
        let path = words.iter().find(|word| word.starts_with('/'))?;
        return path_post(path.split(['?', '#']).next().unwrap_or_default());
    };
    let file = words.get(keyword + 1)?.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let mut parts = file.rsplit('/');
    let last = parts.next().filter(|name| !is_index(name)).or_else(|| parts.next())?;
    match last.rsplit_once('.') {
        Some((stem, extension)) if SOURCE_EXTENSIONS.contains(&extension) => source_post(stem, None),
        Some((_, extension)) if looks_like_extension(extension) => None,
        _ => to_post(without_date(last), None),
    }
}

fn to_post(slug: &str, language: Option<&str>) -> Option<PostAddress> {
    let is_foreign =
        |char: char| char.is_control() || char.is_whitespace() || matches!(char, '/' | '\\' | '{' | '}' | ':');
    if slug.is_empty() || slug.len() > MAX_SLUG_BYTES || slug.starts_with('.') || slug.contains(is_foreign) {
        return None;
    }
    Some(PostAddress { slug: slug.to_owned(), language: language.map(str::to_owned) })
}

fn is_index(name: &str) -> bool {
    let name = name.strip_prefix('_').unwrap_or(name);
    name.split_once('.').is_some_and(|(stem, extension)| {
        stem == "index" && (PAGE_EXTENSIONS.contains(&extension) || SOURCE_EXTENSIONS.contains(&extension))
    })
}

fn is_language(part: &str) -> bool {
    let (language, region) =
        part.split_once(['-', '_']).map_or((part, None), |(language, region)| (language, Some(region)));
    matches!(language.len(), 2 | 3)
        && language.bytes().all(|byte| byte.is_ascii_alphabetic())
        && !FOLDERS.contains(&&*language.to_ascii_lowercase())
        && region.is_none_or(|region| {
            (2..=4).contains(&region.len()) && region.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
}

fn is_number(part: &str, digits: usize, range: std::ops::RangeInclusive<u16>) -> bool {
    let is_digits = part.bytes().all(|byte| byte.is_ascii_digit());
    let has_length = part.len() == digits || digits == 2 && part.len() == 1;
    is_digits && has_length && part.parse().is_ok_and(|number| range.contains(&number))
}

/// Whether a name says that it is one of a page or of a Markdown file.
fn has_page_or_source_extension(name: &str) -> bool {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    extension
        .is_some_and(|extension| PAGE_EXTENSIONS.contains(&&*extension) || SOURCE_EXTENSIONS.contains(&&*extension))
}

/// Whether a file of this extension is no post. `1.2` at the end of a slug is none.
fn looks_like_extension(extension: &str) -> bool {
    (1..=5).contains(&extension.len())
        && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && extension.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Decodes `%C3%BC`; `None` where the result would be no text.
fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let escaped = (*first == b'%').then(|| tail.get(..2)).flatten();
        let decoded = escaped.filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let decoded = decoded.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        bytes.push(decoded.unwrap_or(*first));
        rest = if decoded.is_some() { tail.get(2..).unwrap_or_default() } else { tail };
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests;
