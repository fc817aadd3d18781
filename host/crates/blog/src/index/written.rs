//! The documents that an update wrote, which no reader sees before its commit.
//!
//! Owns: their keys, files and claims, in little memory: a first index writes every document of a blog.
//! Never: forgets one before the update ends.

use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasher as _, RandomState};
use std::ops::Range;

use super::row::SlugClaim;

/// The documents that an update wrote.
#[derive(Default)]
pub(super) struct WrittenDocuments {
    /// No one who writes posts knows its keys, so that no two names have the same hash on purpose.
    hasher: RandomState,
    /// All keys, paths and slugs, one after the other.
    texts: String,
    by_key: HashMap<u64, WrittenEntry>,
    /// The hashes of a slug and of the key of a document that claims it.
    claims: BTreeSet<(u64, u64)>,
}

/// A document that an update wrote.
pub(super) struct WrittenDocument<'w> {
    pub(super) key: &'w str,
    files: &'w str,
    claims: &'w str,
    /// `None` for a document that is no post, or is left out.
    pub(super) slug: Option<&'w str>,
}

struct WrittenEntry {
    key: Range<usize>,
    /// The paths, each with [`TEXT_END`].
    files: Range<usize>,
    /// The slug and the path of each, each with [`TEXT_END`].
    claims: Range<usize>,
    slug: Option<Range<usize>>,
}

/// No path and no slug has it.
const TEXT_END: char = '\0';

impl WrittenDocument<'_> {
    /// Returns the paths of the files, sorted.
    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        self.files.split_terminator(TEXT_END)
    }

    pub(super) fn claims(&self) -> Vec<SlugClaim> {
        let mut texts = self.claims.split_terminator(TEXT_END).map(str::to_owned);
        std::iter::from_fn(|| Some(SlugClaim { slug: texts.next()?, path: texts.next()? })).collect()
    }
}

impl WrittenDocuments {
    /// Returns the document with a key.
    pub(super) fn get(&self, key: &str) -> Option<WrittenDocument<'_>> {
        self.document(self.hasher.hash_one(key))
    }

    /// Returns the documents that claim a slug.
    pub(super) fn claiming(&self, slug: &str) -> impl Iterator<Item = WrittenDocument<'_>> {
        let slug = self.hasher.hash_one(slug);
        self.claims.range((slug, 0)..=(slug, u64::MAX)).filter_map(|(_, key)| self.document(*key))
    }

    /// Adds a document in place of the one with its key. Returns whether there was one.
    pub(super) fn insert<'p>(
        &mut self,
        key: &str,
        files: impl Iterator<Item = &'p str>,
        claims: &[SlugClaim],
        slug: Option<&str>,
    ) -> bool {
        let hash = self.hasher.hash_one(key);
        let old = self.document(hash).map(|old| old.claims());
        let is_known = old.is_some();
        for claim in old.into_iter().flatten() {
            self.claims.remove(&(self.hasher.hash_one(&claim.slug), hash));
        }
        for claim in claims {
            self.claims.insert((self.hasher.hash_one(&claim.slug), hash));
        }
        let key = self.push([key]);
        let files = self.push(files.flat_map(|path| [path, "\0"]));
        let claims = self.push(claims.iter().flat_map(|claim| [&claim.slug, "\0", &claim.path, "\0"]));
        let slug = slug.map(|slug| self.push([slug]));
        self.by_key.insert(hash, WrittenEntry { key, files, claims, slug });
        is_known
    }

    fn push<'t>(&mut self, parts: impl IntoIterator<Item = &'t str>) -> Range<usize> {
        let start = self.texts.len();
        self.texts.extend(parts);
        start..self.texts.len()
    }

    fn document(&self, hash: u64) -> Option<WrittenDocument<'_>> {
        let entry = self.by_key.get(&hash)?;
        let text = |range: &Range<usize>| self.texts.get(range.clone()).unwrap_or_default();
        Some(WrittenDocument {
            key: text(&entry.key),
            files: text(&entry.files),
            claims: text(&entry.claims),
            slug: entry.slug.as_ref().map(text),
        })
    }
}
