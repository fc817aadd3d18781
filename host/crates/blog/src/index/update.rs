//! One update: the files that changed become documents of the index.
//!
//! Owns: which documents a changed file concerns: those that it was and is part of, and those that have or get a slug
//! because of it.
//! Never: decides what a document says, or commits half of what belongs together.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use tantivy::collector::DocSetCollector;
use tantivy::query::TermQuery;
use tantivy::schema::IndexRecordOption;
use tantivy::{IndexWriter, Searcher};

use super::document::{DocumentBuilder, folder_of};
use super::error::IndexError;
use super::group::{Group, group_key};
use super::queue::{DocumentQueue, QueuedDocument};
use super::row::{Row, SlugClaim, StoredRow};
use super::schema::{BlogFields, term};
use super::stored::read_row;
use super::written::WrittenDocuments;
use crate::content::layout::{BlogLayout, DRAFTS_DIR};
use crate::content::read_file::{FileReader, ReadFile, is_unsettled};
use crate::limits::{MAX_FILES_PER_POST, MAX_POST_FILES_BYTES};

/// The state of an update.
pub(crate) struct UpdateSession<'u> {
    reader: FileReader<'u>,
    builder: DocumentBuilder<'u>,
    fields: &'u BlogFields,
    /// The index before the update; `None` if it is empty.
    before: Option<Searcher>,
    written: WrittenDocuments,
    /// Folders with files whose next change might not show.
    unsettled: BTreeSet<String>,
    queue: DocumentQueue,
}

/// A document that claims slugs.
struct Claimant {
    claims: Vec<SlugClaim>,
    /// The one that it has.
    slug: Option<String>,
}

impl<'u> UpdateSession<'u> {
    pub(crate) fn new(reader: FileReader<'u>, builder: DocumentBuilder<'u>, before: Option<Searcher>) -> Self {
        let (written, unsettled, queue) = (WrittenDocuments::default(), BTreeSet::new(), DocumentQueue::default());
        Self { reader, fields: builder.fields, builder, before, written, unsettled, queue }
    }

    /// Takes over some changed files, of which those that are not gone were read.
    pub(crate) fn apply(
        &mut self,
        writer: &IndexWriter<QueuedDocument>,
        paths: &[String],
        read: &HashMap<String, ReadFile>,
    ) -> Result<(), IndexError> {
        let mut touched = BTreeSet::new();
        for path in paths {
            touched.extend(self.keys_of_file(path)?);
        }
        touched.extend(read.values().map(group_key));
        let mut pending: BTreeMap<String, Group> = BTreeMap::new();
        let mut slugs = BTreeSet::new();
        for key in touched {
            let group = self.compose(&key, read)?;
            let claims = self.claims_before(&key)?.into_iter().chain(group.claims.iter().cloned());
            slugs.extend(claims.map(|claim| claim.slug));
            pending.insert(key, group);
        }
        self.settle_slugs(&slugs, read, &mut pending)?;
        for (key, group) in pending {
            self.write(writer, &key, group)?;
        }
        Ok(())
    }

    /// Returns the folders with files whose next change might not show.
    pub(crate) fn unsettled_folders(&self) -> BTreeSet<String> {
        self.unsettled.clone()
    }

    /// Returns the keys of the documents that a file was part of.
    fn keys_of_file(&self, path: &str) -> Result<Vec<String>, IndexError> {
        Ok(self.rows_before(self.fields.file, path)?.into_iter().map(|row| row.key).collect())
    }

    /// Returns the slugs that a document claims before this step.
    fn claims_before(&self, key: &str) -> Result<Vec<SlugClaim>, IndexError> {
        if let Some(written) = self.written.get(key) {
            return Ok(written.claims());
        }
        Ok(self.rows_before(self.fields.key, key)?.pop().map(|row| row.claims).unwrap_or_default())
    }

    /// Puts a document together from the files that it has now.
    fn compose(&self, key: &str, read: &HashMap<String, ReadFile>) -> Result<Group, IndexError> {
        let mut paths: BTreeMap<String, u64> = match self.written.get(key) {
            Some(written) => written.files().map(|path| (path.to_owned(), 0)).collect(),
            None => self.rows_before(self.fields.key, key)?.into_iter().flat_map(|row| row.files).collect(),
        };
        for file in read.values().filter(|file| group_key(file) == key) {
            paths.insert(file.path.clone(), file.stat_hash);
        }
        let (mut files, mut excess) = (Vec::new(), Vec::new());
        let mut bytes = 0;
        for (path, state) in paths {
            if files.len() >= MAX_FILES_PER_POST || bytes >= MAX_POST_FILES_BYTES {
                excess.push((path, state));
                continue;
            }
            let file = match read.get(&path) {
                Some(file) => Some(file.clone()),
                None => self.reader.read(&path)?,
            };
            // It may belong to another document by now.
            if let Some(file) = file.filter(|file| group_key(file) == key) {
                bytes += file.len;
                files.push(file);
            }
        }
        let mut group = Group::compose(key, files, excess, self.builder.main_language);
        if self.reader.layout == BlogLayout::Markdown {
            group.claim_long_slug();
        }
        Ok(group)
    }

    /// Gives each slug to one of the documents that claim it. Those that get none of theirs are left out.
    fn settle_slugs(
        &self,
        slugs: &BTreeSet<String>,
        read: &HashMap<String, ReadFile>,
        pending: &mut BTreeMap<String, Group>,
    ) -> Result<(), IndexError> {
        let mut concerned = BTreeMap::new();
        for slug in slugs {
            concerned.extend(self.claimants(slug, pending)?);
        }
        for (key, claimant) in concerned {
            let (mut settled, mut winner) = (None, String::new());
            for claim in claimant.claims {
                let Some((first, path)) = self.first_claimant(&claim.slug, pending)? else { continue };
                if first == key {
                    settled = Some(claim.slug);
                    break;
                }
                if winner.is_empty() {
                    winner = path;
                }
            }
            if let Some(group) = pending.get_mut(&key) {
                group.settle_slug(settled.as_deref(), &winner);
            } else if claimant.slug != settled {
                let mut group = self.compose(&key, read)?;
                group.settle_slug(settled.as_deref(), &winner);
                pending.insert(key, group);
            }
        }
        Ok(())
    }

    /// Returns the document that gets a slug, with the file that claims it.
    fn first_claimant(
        &self,
        slug: &str,
        pending: &BTreeMap<String, Group>,
    ) -> Result<Option<(String, String)>, IndexError> {
        let claimants = self.claimants(slug, pending)?.into_iter();
        let paths = claimants.filter_map(|(key, claimant)| {
            let claim = claimant.claims.into_iter().find(|claim| claim.slug == slug)?;
            // A draft takes nothing from a published post.
            Some((claim.path.starts_with(DRAFTS_DIR), claim.path, key))
        });
        Ok(paths.min().map(|(_, path, key)| (key, path)))
    }

    /// Returns the documents that claim a slug, by their keys.
    fn claimants(
        &self,
        slug: &str,
        pending: &BTreeMap<String, Group>,
    ) -> Result<BTreeMap<String, Claimant>, IndexError> {
        let mut claimants = BTreeMap::new();
        for row in self.rows_before(self.fields.claimed_slug, slug)? {
            let slug = row.slug().map(str::to_owned);
            claimants.insert(row.key, Claimant { claims: row.claims, slug });
        }
        claimants.retain(|key, _| self.written.get(key).is_none());
        for written in self.written.claiming(slug) {
            let claimant = Claimant { claims: written.claims(), slug: written.slug.map(str::to_owned) };
            claimants.insert(written.key.to_owned(), claimant);
        }
        claimants.retain(|key, _| !pending.contains_key(key));
        for (key, group) in pending.iter().filter(|(_, group)| group.claims.iter().any(|claim| claim.slug == slug)) {
            claimants.insert(key.clone(), Claimant { claims: group.claims.clone(), slug: None });
        }
        Ok(claimants)
    }

    /// Replaces a document. One without files is gone.
    fn write(&mut self, writer: &IndexWriter<QueuedDocument>, key: &str, group: Group) -> Result<(), IndexError> {
        let paths = group.files.iter().map(|(path, _)| path.as_str());
        let slug = match &group.row {
            Row::Post(post) => Some(post.slug.as_str()),
            _ => None,
        };
        let is_rewritten = self.written.insert(key, paths, &group.claims, slug);
        if is_rewritten || self.before.is_some() {
            writer.delete_term(term(self.fields.key, key));
        }
        let unsettled = group.files.iter().filter(|(_, state)| is_unsettled(*state));
        self.unsettled.extend(unsettled.map(|(path, _)| folder_of(path).to_owned()));
        if !group.files.is_empty() {
            let text_bytes = group.texts.iter().map(|text| text.head.len() + text.body.len()).sum();
            let document = self.builder.build(group)?;
            writer.add_document(self.queue.enter(document, text_bytes))?;
        }
        Ok(())
    }

    /// Returns the documents of the index before the update that have a term.
    fn rows_before(&self, field: tantivy::schema::Field, text: &str) -> Result<Vec<StoredRow>, IndexError> {
        let Some(searcher) = &self.before else { return Ok(Vec::new()) };
        let query = TermQuery::new(term(field, text), IndexRecordOption::Basic);
        let found: HashSet<_> = searcher.search(&query, &DocSetCollector)?;
        found.into_iter().map(|address| read_row(searcher, self.fields, address)).collect()
    }
}
