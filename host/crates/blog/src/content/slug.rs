//! Slugs: the names of posts in addresses.
//!
//! Owns: how a slug is made of a title: as the blog's own program does, in ASCII.

use unicode_normalization::UnicodeNormalization as _;

/// Returns the slug of a title: letters and digits in lower case, everything else `-`. `untitled` where none is left.
pub(crate) fn slugify(title: &str) -> String {
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
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "untitled".to_owned() } else { slug.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
    }
}
