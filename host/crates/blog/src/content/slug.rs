//! Slugs: the names of posts in addresses.
//!
//! Owns: how a slug is made of a title, as the blog's own program does, in ASCII; how Jekyll, Hugo and Astro make one of the
//! name of a file; and which characters a slug may have.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::site::SiteProgram;
use crate::limits::MAX_NEW_SLUG_BYTES;

/// Returns the slug of a title: letters and digits in lower case, everything else `-`. `untitled` where none is left.
pub(crate) fn slugify(title: &str) -> String {
    slug_of_letters(title).unwrap_or_else(|| "untitled".to_owned())
}

/// As [`slugify`]; `None` where nothing is left, as of a title in another script.
pub(crate) fn slug_of_letters(title: &str) -> Option<String> {
    let mut slug = String::new();
    for character in title.nfkd().flat_map(char::to_lowercase) {
        match character {
            'a'..='z' | '0'..='9' => slug.push(character),
            'ß' => slug.push_str("ss"),
            'æ' => slug.push_str("ae"),
            'œ' => slug.push_str("oe"),
            'ø' => slug.push('o'),
            'đ' | 'ð' => slug.push('d'),
            'ł' => slug.push('l'),
            'þ' => slug.push_str("th"),
            '\u{300}'..='\u{36F}' => {}
            _ if slug.ends_with('-') || slug.is_empty() => {}
            _ => slug.push('-'),
        }
    }
    slug.truncate(slug.trim_end_matches('-').len());
    Some(slug).filter(|slug| !slug.is_empty())
}

/// Returns a slug that is short enough for the name of a file, cut between words where it can be.
pub(crate) fn short_slug(slug: &str) -> &str {
    let Some(cut) = slug.get(..slug.floor_char_boundary(MAX_NEW_SLUG_BYTES)).filter(|cut| cut.len() < slug.len())
    else {
        return slug;
    };
    let words = cut.rsplit_once('-').map_or(cut, |(words, _)| words);
    words.trim_end_matches('-')
}

/// Returns the slug that a program makes of the name of a file, or of a `slug` in its front matter. It is empty where no
/// character is left.
pub(crate) fn site_slug(name: &str, program: SiteProgram) -> String {
    match program {
        SiteProgram::Jekyll => jekyll_slug(name),
        SiteProgram::Hugo => hugo_slug(name),
        SiteProgram::Astro => astro_slug(name),
    }
}

/// Whether a slug may have a character: a letter of any script with its marks, a digit, or what the path of an address
/// may have.
pub(crate) fn is_slug_char(c: char) -> bool {
    is_word_char(c) || matches!(c, '-' | '.' | '~' | '#' | '+') || is_jekyll_sign(c)
}

/// As Jekyll's `slugify` with the mode `pretty` does, which keeps the case.
fn jekyll_slug(name: &str) -> String {
    let mut slug = String::new();
    for c in name.chars() {
        if is_word_char(c) || matches!(c, '.' | '~' | '+') || is_jekyll_sign(c) {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.trim_end_matches('-').to_owned()
}

/// As Hugo makes the path of a page: in lower case, spaces are hyphens, and other characters are dropped.
fn hugo_slug(name: &str) -> String {
    let (mut slug, mut is_after_space) = (String::new(), false);
    for c in name.chars().flat_map(char::to_lowercase) {
        if is_word_char(c) || matches!(c, '-' | '.' | '~' | '#' | '+' | '@') {
            if is_after_space && c != '-' && !slug.ends_with('-') {
                slug.push('-');
            }
            is_after_space = false;
            slug.push(c);
        } else if c.is_whitespace() && !slug.is_empty() {
            is_after_space = true;
        }
    }
    slug
}

/// As `github-slugger` does, which Astro uses: in lower case, each space is a hyphen, and all signs but `_` are dropped.
fn astro_slug(name: &str) -> String {
    let hyphen = |c: char| if c == ' ' { '-' } else { c };
    name.chars().flat_map(char::to_lowercase).map(hyphen).filter(|c| is_word_char(*c) || *c == '-').collect()
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || is_combining_mark(c) || c == '_'
}

fn is_jekyll_sign(c: char) -> bool {
    matches!(c, '!' | '$' | '&' | '\'' | '(' | ')' | ',' | ';' | '=' | '@')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_of_files_become_slugs_as_each_program_makes_them() {
        let slugs = |name| [SiteProgram::Jekyll, SiteProgram::Hugo, SiteProgram::Astro].map(|p| site_slug(name, p));
        assert_eq!(slugs("My Post"), ["My-Post", "my-post", "my-post"]);
        assert_eq!(slugs("what's-new"), ["what's-new", "whats-new", "whats-new"]);
        assert_eq!(slugs("c++"), ["c++", "c++", "c"]);
        assert_eq!(slugs("a  -- b"), ["a-b", "a--b", "a-----b"]);
        assert_eq!(slugs("node.js?"), ["node.js", "node.js", "nodejs"]);
        for word in ["हिन्दी", "தமிழ்", "ภาษาไทยที่", "日本語", "café"] {
            assert_eq!(slugs(word), [word, word, word]);
        }
        assert_eq!(slugs("???"), ["", "", ""]);
    }

    #[test]
    fn titles_become_ascii() {
        assert_eq!(slugify("Hello,  World!"), "hello-world");
        assert_eq!(slugify("Über die Straße — Ærø"), "uber-die-strasse-aero");
        assert_eq!(slugify("新しい本"), "untitled");
        assert_eq!(slugify("--a--"), "a");
    }

    proptest! {
        #[test]
        fn slug_is_its_own_slug(title in ".{0,60}") {
            let slug = slugify(&title);
            prop_assert_eq!(&slugify(&slug), &slug);
            let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            prop_assert!(slug.chars().all(is_plain) && !slug.starts_with('-') && !slug.ends_with('-'));
            prop_assert!(!slug.contains("--"));
        }

        #[test]
        fn slug_of_a_file_is_its_own_slug(name in ".{0,60}") {
            for program in [SiteProgram::Jekyll, SiteProgram::Hugo, SiteProgram::Astro] {
                let slug = site_slug(&name, program);
                prop_assert_eq!(&site_slug(&slug, program), &slug);
                prop_assert!(slug.chars().all(is_slug_char), "{}", slug);
            }
        }
    }
}
