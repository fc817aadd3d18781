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
use super::row::{Row, StoredRow};
use super::schema::{BlogFields, term};
use super::stored::read_row;
use super::written::WrittenDocuments;
use crate::content::layout::DRAFTS_DIR;
use crate::content::read_file::{FileReader, ReadFile};
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

/// A document that claims a slug.
struct Claim {
    /// The first file: the one of the claims whose path comes first gets the slug.
    first_file: String,
    is_hidden: bool,
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
            slugs.extend(self.claimed_slug(&key)?);
            let group = self.compose(&key, read)?;
            slugs.extend(group.claimed_slug.clone());
            pending.insert(key, group);
        }
        for slug in slugs {
            self.settle_slug(&slug, read, &mut pending)?;
        }
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

    /// Returns the slug that a document claims before this step.
    fn claimed_slug(&self, key: &str) -> Result<Option<String>, IndexError> {
        if let Some(written) = self.written.get(key) {
            return Ok(written.claimed_slug.map(str::to_owned));
        }
        Ok(self.rows_before(self.fields.key, key)?.pop().and_then(|row| row.claimed_slug))
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
        Ok(Group::compose(key, files, excess, self.builder.main_language))
    }

    /// Gives a slug to the first of the documents that claim it, and hides the others.
    fn settle_slug(
        &self,
        slug: &str,
        read: &HashMap<String, ReadFile>,
        pending: &mut BTreeMap<String, Group>,
    ) -> Result<(), IndexError> {
        let claims = self.claims_of(slug, pending)?;
        // A draft takes nothing from a published post.
        let rank = |claim: &Claim| (claim.first_file.starts_with(DRAFTS_DIR), claim.first_file.clone());
        let first = claims.iter().min_by_key(|(_, claim)| rank(claim));
        let Some((winner, winner_file)) = first.map(|(key, claim)| (key.clone(), claim.first_file.clone())) else {
            return Ok(());
        };
        for (key, claim) in claims {
            let loses = key != winner;
            if let Some(group) = pending.get_mut(&key) {
                if loses {
                    group.hide_for_slug(&winner_file);
                }
            } else if claim.is_hidden != loses {
                let mut group = self.compose(&key, read)?;
                if loses {
                    group.hide_for_slug(&winner_file);
                }
                pending.insert(key, group);
            }
        }
        Ok(())
    }

    /// Returns the documents that claim a slug, by their keys.
    fn claims_of(&self, slug: &str, pending: &BTreeMap<String, Group>) -> Result<BTreeMap<String, Claim>, IndexError> {
        let mut claims = BTreeMap::new();
        for row in self.rows_before(self.fields.claimed_slug, slug)? {
            let claim = Claim {
                first_file: row.files.first().map(|(path, _)| path.clone()).unwrap_or_default(),
                is_hidden: row.row == Row::Hidden,
            };
            claims.insert(row.key, claim);
        }
        claims.retain(|key, _| self.written.get(key).is_none());
        for written in self.written.claiming(slug) {
            let first_file = written.files().next().unwrap_or_default().to_owned();
            claims.insert(written.key.to_owned(), Claim { first_file, is_hidden: written.is_hidden });
        }
        claims.retain(|key, _| !pending.contains_key(key));
        for (key, group) in pending.iter().filter(|(_, group)| group.claimed_slug.as_deref() == Some(slug)) {
            let first_file = group.files.first().map(|(path, _)| path.clone()).unwrap_or_default();
            claims.insert(key.clone(), Claim { first_file, is_hidden: group.row == Row::Hidden });
        }
        Ok(claims)
    }

    /// Replaces a document. One without files is gone.
    fn write(&mut self, writer: &IndexWriter<QueuedDocument>, key: &str, group: Group) -> Result<(), IndexError> {
        let paths = group.files.iter().map(|(path, _)| path.as_str());
        let is_rewritten = self.written.insert(key, paths, group.claimed_slug.as_deref(), group.row == Row::Hidden);
        if is_rewritten || self.before.is_some() {
            writer.delete_term(term(self.fields.key, key));
        }
        let unsettled = group.files.iter().filter(|(_, stat)| *stat == 0);
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
