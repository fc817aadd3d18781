//! Reads of one state of the index.
//!
//! Owns: lookups, pages in the order of time, searches and counts, each over all documents that match.
//! Never: changes between two calls: a state is what it was when it was opened.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::num::NonZero;
use std::sync::{Arc, LazyLock, OnceLock};
use std::thread;

use serde::de::DeserializeOwned;
use tantivy::collector::{Collector, Count, DocSetCollector, SegmentCollector, TopDocs};
use tantivy::columnar::ColumnValues;
use tantivy::postings::SegmentPostings;
use tantivy::query::{EnableScoring, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption, Value as _};
use tantivy::{
    DocAddress, DocId, DocSet as _, Executor, Order, Score, Searcher, SegmentOrdinal, SegmentReader, TERMINATED,
    TantivyDocument,
};

use super::counts::{GroupCollector, GroupColumn, GroupCounts};
use super::error::IndexError;
use super::post_names::PostNames;
use super::row::{LinkedPost, NamedRow, Row, StoredRow};
use super::schema::{BlogFields, DocKind, column, term};
use crate::limits::{MAX_SEARCH_THREADS, SHARED_SEARCH_DOCUMENTS};

/// The threads that search a large index, from the first such search on.
static SEARCH_THREADS: LazyLock<Executor> = LazyLock::new(|| {
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(MAX_SEARCH_THREADS);
    Executor::multi_thread(threads, "blog-search").unwrap_or_else(|_| Executor::single_thread())
});

/// The states of files, by the hashes of their paths, each with the document that it is part of.
pub(crate) type FileStates = HashMap<u64, (u64, DocAddress)>;

/// One state of the index.
#[derive(Clone)]
pub(crate) struct StoredBlog {
    pub(crate) searcher: Searcher,
    pub(crate) fields: BlogFields,
    /// The places of all documents in time, by segment.
    places: Arc<Vec<SegmentPlaces>>,
    /// All posts and all media, the newest first: sorted for the first page of each state.
    posts: Arc<OnceLock<Vec<(TimeOrder, DocAddress)>>>,
    media: Arc<OnceLock<Vec<(TimeOrder, DocAddress)>>>,
    names: Arc<PostNames>,
}

#[derive(Clone)]
struct SegmentPlaces {
    created: Arc<dyn ColumnValues<i64>>,
    tie: Arc<dyn ColumnValues<u64>>,
}

impl SegmentPlaces {
    fn get(&self, doc: DocId) -> TimeOrder {
        TimeOrder { created: self.created.get_val(doc), tie: self.tie.get_val(doc) }
    }
}

/// A place in the order of time, the newest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TimeOrder {
    /// In milliseconds since 1970.
    pub(crate) created: i64,
    pub(crate) tie: u64,
}

/// A page of documents.
pub(crate) struct StoredPage {
    pub(crate) rows: Vec<(TimeOrder, StoredRow)>,
    /// All documents that match, also those before the page.
    pub(crate) total: usize,
    /// Those before the page.
    pub(crate) n_before: usize,
}

/// Where a page begins.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PageStart {
    Offset(usize),
    After(TimeOrder),
}

/// Reads a stored document.
pub(crate) fn read_row(searcher: &Searcher, fields: &BlogFields, at: DocAddress) -> Result<StoredRow, IndexError> {
    read_row_as(searcher, fields, at)
}

/// Reads a part of a stored document.
fn read_row_as<T: DeserializeOwned>(searcher: &Searcher, fields: &BlogFields, at: DocAddress) -> Result<T, IndexError> {
    let document: TantivyDocument = searcher.doc(at)?;
    let bytes = document.get_first(fields.row).and_then(|value| value.as_bytes());
    Ok(serde_json::from_slice(bytes.unwrap_or_default())?)
}

/// Whether one of some documents is not deleted.
fn has_live_document(segment: &SegmentReader, mut postings: SegmentPostings) -> bool {
    let Some(alive) = segment.alive_bitset() else { return true };
    while postings.doc() != TERMINATED && !alive.is_alive(postings.doc()) {
        postings.advance();
    }
    postings.doc() != TERMINATED
}

impl StoredBlog {
    /// Reads a state of the index.
    pub(crate) fn new(searcher: Searcher, fields: BlogFields) -> Result<Self, IndexError> {
        let mut places = Vec::new();
        for segment in searcher.segment_readers() {
            let columns = segment.fast_fields();
            places.push(SegmentPlaces {
                created: columns.column_first_or_default(column::CREATED)?,
                tie: columns.column_first_or_default(column::TIE)?,
            });
        }
        let (posts, media, names) = (Arc::default(), Arc::default(), Arc::default());
        Ok(Self { searcher, fields, places: Arc::new(places), posts, media, names })
    }

    pub(crate) fn n_segments(&self) -> usize {
        self.searcher.segment_readers().len()
    }

    /// Reads a document.
    pub(crate) fn row(&self, at: DocAddress) -> Result<StoredRow, IndexError> {
        read_row(&self.searcher, &self.fields, at)
    }

    /// Returns a document with a term, if there is one.
    pub(crate) fn find(&self, field: Field, text: &str) -> Result<Option<StoredRow>, IndexError> {
        let found = self.documents_with_term(field, text, 1)?;
        found.first().map(|at| read_row(&self.searcher, &self.fields, *at)).transpose()
    }

    /// Returns documents with a term, up to a number.
    fn documents_with_term(&self, field: Field, text: &str, most: usize) -> Result<Vec<DocAddress>, IndexError> {
        let term = term(field, text);
        let mut found = Vec::new();
        for (ordinal, segment) in (0..).zip(self.searcher.segment_readers()) {
            let inverted = segment.inverted_index(field)?;
            let Some(mut postings) = inverted.read_postings(&term, IndexRecordOption::Basic)? else { continue };
            let mut doc = postings.doc();
            while doc != TERMINATED && found.len() < most {
                if segment.alive_bitset().is_none_or(|alive| alive.is_alive(doc)) {
                    found.push(DocAddress::new(ordinal, doc));
                }
                doc = postings.advance();
            }
        }
        Ok(found)
    }

    /// Returns the newest documents with a term, and how many there are.
    pub(crate) fn newest_with_term(
        &self,
        field: Field,
        text: &str,
        limit: usize,
    ) -> Result<(Vec<Row>, usize), IndexError> {
        let (newest, total) = self.newest_places(field, text, limit)?;
        let rows = newest.into_iter().map(|at| Ok(read_row(&self.searcher, &self.fields, at)?.row));
        Ok((rows.collect::<Result<_, IndexError>>()?, total))
    }

    /// Returns the newest posts with a term, by name, and how many documents have it.
    pub(crate) fn newest_names_with_term(
        &self,
        field: Field,
        text: &str,
        limit: usize,
    ) -> Result<(Vec<LinkedPost>, usize), IndexError> {
        let (newest, total) = self.newest_places(field, text, limit)?;
        let names = newest.into_iter().filter_map(|at| self.post_name(at).transpose());
        Ok((names.collect::<Result<_, IndexError>>()?, total))
    }

    /// Returns the name of the post with a slug.
    pub(crate) fn post_name_by_slug(&self, slug: &str) -> Result<Option<LinkedPost>, IndexError> {
        self.find_slug(slug)?.map_or(Ok(None), |at| self.post_name(at))
    }

    /// Returns the name of the post with a key.
    pub(crate) fn post_name_by_key(&self, key: &str) -> Result<Option<LinkedPost>, IndexError> {
        let found = self.documents_with_term(self.fields.key, key, 1)?;
        found.first().map_or(Ok(None), |at| self.post_name(*at))
    }

    /// Whether a post has a slug.
    pub(crate) fn has_slug(&self, slug: &str) -> Result<bool, IndexError> {
        Ok(self.find_slug(slug)?.is_some())
    }

    fn find_slug(&self, slug: &str) -> Result<Option<DocAddress>, IndexError> {
        let find = |slug: &String| Ok(self.documents_with_term(self.fields.slug, slug, 1)?.pop());
        self.names.by_slug.get_or_find(slug.to_owned(), find)
    }

    fn post_name(&self, at: DocAddress) -> Result<Option<LinkedPost>, IndexError> {
        let read = |at: &DocAddress| Ok(read_row_as::<NamedRow>(&self.searcher, &self.fields, *at)?.into_post());
        self.names.by_document.get_or_find(at, read)
    }

    /// Returns where the newest documents with a term are, and how many there are.
    fn newest_places(&self, field: Field, text: &str, limit: usize) -> Result<(Vec<DocAddress>, usize), IndexError> {
        let found = self.documents_with_term(field, text, usize::MAX)?;
        let total = found.len();
        let mut placed: Vec<(TimeOrder, DocAddress)> =
            found.into_iter().filter_map(|at| Some((self.place(at)?, at))).collect();
        if placed.len() > limit {
            placed.select_nth_unstable_by(limit, |a, b| b.cmp(a));
            placed.truncate(limit);
        }
        placed.sort_unstable_by(|a, b| b.cmp(a));
        Ok((placed.into_iter().map(|(_, at)| at).collect(), total))
    }

    fn place(&self, at: DocAddress) -> Option<TimeOrder> {
        Some(self.places.get(usize::try_from(at.segment_ord).ok()?)?.get(at.doc_id))
    }

    /// Returns a page of all posts, or of all media, the newest first.
    pub(crate) fn page_of(&self, kind: DocKind, start: PageStart, limit: usize) -> Result<StoredPage, IndexError> {
        let sorted = if kind == DocKind::Media { &self.media } else { &self.posts };
        let sorted = match sorted.get() {
            Some(sorted) => sorted,
            None => {
                let found = self.documents_with_term(self.fields.kind, kind.as_str(), usize::MAX)?;
                let mut placed: Vec<_> = found.into_iter().filter_map(|at| Some((self.place(at)?, at))).collect();
                placed.sort_unstable_by(|a, b| b.cmp(a));
                sorted.get_or_init(|| placed)
            }
        };
        let first = match start {
            PageStart::Offset(offset) => offset.min(sorted.len()),
            PageStart::After(place) => sorted.partition_point(|(other, _)| *other >= place),
        };
        let rows = sorted.iter().skip(first).take(limit).map(|(place, at)| {
            let stored = read_row(&self.searcher, &self.fields, *at)?;
            Ok((*place, stored))
        });
        Ok(StoredPage { rows: rows.collect::<Result<_, IndexError>>()?, total: sorted.len(), n_before: first })
    }

    /// Returns the document with a key.
    pub(crate) fn find_key(&self, key: &str) -> Result<Option<Row>, IndexError> {
        Ok(self.find_document(key)?.map(|stored| stored.row))
    }

    /// Returns the document with a key, and its files.
    pub(crate) fn find_document(&self, key: &str) -> Result<Option<StoredRow>, IndexError> {
        self.find(self.fields.key, key)
    }

    /// Runs a query. A large index is searched by several threads, one for each segment.
    fn search<C: Collector>(&self, query: &dyn Query, collector: &C) -> Result<C::Fruit, IndexError> {
        if self.searcher.num_docs() < SHARED_SEARCH_DOCUMENTS {
            return Ok(self.searcher.search(query, collector)?);
        }
        let scoring = if collector.requires_scoring() {
            EnableScoring::enabled_from_searcher(&self.searcher)
        } else {
            EnableScoring::disabled_from_searcher(&self.searcher)
        };
        Ok(self.searcher.search_with_executor(query, collector, &SEARCH_THREADS, scoring)?)
    }

    /// Counts the documents that match.
    pub(crate) fn count(&self, query: &dyn Query) -> Result<usize, IndexError> {
        self.search(query, &Count)
    }

    /// Returns all documents that match, in no order.
    pub(crate) fn all(&self, query: &dyn Query) -> Result<Vec<StoredRow>, IndexError> {
        let found: HashSet<DocAddress> = self.search(query, &DocSetCollector)?;
        found.into_iter().map(|at| read_row(&self.searcher, &self.fields, at)).collect()
    }

    /// Returns the newest documents that match, after the first `offset`, and how many match.
    pub(crate) fn newest(
        &self,
        query: &dyn Query,
        offset: usize,
        limit: usize,
    ) -> Result<(Vec<StoredRow>, usize), IndexError> {
        let mut found = self.search(query, &PlaceCollector { places: Arc::clone(&self.places) })?;
        let total = found.len();
        let end = offset.saturating_add(limit).min(total);
        if end < total {
            found.select_nth_unstable_by(end, |a, b| b.cmp(a));
            found.truncate(end);
        }
        found.sort_unstable_by(|a, b| b.cmp(a));
        let rows = found.into_iter().skip(offset).map(|(_, at)| read_row(&self.searcher, &self.fields, at));
        Ok((rows.collect::<Result<_, IndexError>>()?, total))
    }

    /// Returns the best matches after the first `offset`, each with its score, and how many there are.
    pub(crate) fn best(
        &self,
        query: &dyn Query,
        offset: usize,
        limit: usize,
    ) -> Result<(Vec<(Score, StoredRow)>, usize), IndexError> {
        // The library reserves memory for all that are skipped.
        let n_documents = usize::try_from(self.searcher.num_docs()).unwrap_or(usize::MAX);
        let top = TopDocs::with_limit(limit).and_offset(offset.min(n_documents)).order_by_score();
        let (found, total) = self.search(query, &(top, Count))?;
        let rows = found.into_iter().map(|(score, at)| Ok((score, read_row(&self.searcher, &self.fields, at)?)));
        Ok((rows.collect::<Result<_, IndexError>>()?, total))
    }

    /// Counts the documents that match, by the values of some columns.
    pub(crate) fn count_by(&self, query: &dyn Query, by: &[GroupColumn]) -> Result<GroupCounts, IndexError> {
        let counts = self.search(query, &GroupCollector { by: by.to_vec() })?;
        if counts.is_too_large { Err(IndexError::TooManyGroups) } else { Ok(counts) }
    }

    /// Returns the times of the oldest and the newest of the documents that match.
    pub(crate) fn time_bounds(&self, query: &dyn Query) -> Result<Option<(i64, i64)>, IndexError> {
        let oldest = TopDocs::with_limit(1).order_by_fast_field::<i64>(column::CREATED, Order::Asc);
        let newest = TopDocs::with_limit(1).order_by_fast_field::<i64>(column::CREATED, Order::Desc);
        let (oldest, newest) = self.search(query, &(oldest, newest))?;
        let time = |found: &[(Option<i64>, DocAddress)]| found.first().and_then(|(time, _)| *time);
        Ok(time(&oldest).zip(time(&newest)))
    }

    /// Returns all languages of posts and translations.
    pub(crate) fn languages(&self) -> Result<Vec<String>, IndexError> {
        self.terms_with_prefix(self.fields.language, "", usize::MAX)
    }

    /// Returns the first terms of a field that begin with a text, sorted. A document has each.
    pub(crate) fn terms_with_prefix(
        &self,
        field: Field,
        prefix: &str,
        limit: usize,
    ) -> Result<Vec<String>, IndexError> {
        let mut found = BTreeSet::new();
        for segment in self.searcher.segment_readers() {
            let inverted = segment.inverted_index(field)?;
            let mut terms = inverted.terms().range().ge(prefix.as_bytes()).into_stream()?;
            let mut of_segment = 0;
            while of_segment < limit && terms.advance() {
                let Some(text) = std::str::from_utf8(terms.key()).ok().filter(|text| text.starts_with(prefix)) else {
                    break;
                };
                let postings = inverted.read_postings_from_terminfo(terms.value(), IndexRecordOption::Basic)?;
                if has_live_document(segment, postings) {
                    found.insert(text.to_owned());
                    of_segment += 1;
                }
            }
        }
        Ok(found.into_iter().take(limit).collect())
    }

    /// Returns the documents with files in some folders, or below them.
    pub(crate) fn documents_in_folders(&self, folders: &BTreeSet<String>) -> Result<HashSet<DocAddress>, IndexError> {
        let mut names = BTreeSet::new();
        for folder in folders {
            names.insert(folder.clone());
            names.extend(self.terms_with_prefix(self.fields.folder, &format!("{folder}/"), usize::MAX)?);
        }
        let mut found = HashSet::new();
        for name in names {
            let query = TermQuery::new(term(self.fields.folder, &name), IndexRecordOption::Basic);
            found.extend(self.search(&query, &DocSetCollector)?);
        }
        Ok(found)
    }

    /// Returns the state of each file, by the hash of its path: of some documents, or of all.
    pub(crate) fn file_states(&self, documents: Option<&HashSet<DocAddress>>) -> Result<FileStates, IndexError> {
        let mut states = HashMap::new();
        let mut by_segment: HashMap<SegmentOrdinal, Vec<DocId>> = HashMap::new();
        for at in documents.into_iter().flatten() {
            by_segment.entry(at.segment_ord).or_default().push(at.doc_id);
        }
        for (ordinal, segment) in (0..).zip(self.searcher.segment_readers()) {
            let (paths, stats) =
                (segment.fast_fields().u64(column::FILE_HASH)?, segment.fast_fields().u64(column::FILE_STAT)?);
            let mut add = |doc| {
                let at = DocAddress::new(ordinal, doc);
                let of_doc = paths.values_for_doc(doc).zip(stats.values_for_doc(doc));
                states.extend(of_doc.map(|(path, stat)| (path, (stat, at))));
            };
            match documents {
                Some(_) => by_segment.remove(&ordinal).into_iter().flatten().for_each(add),
                None => segment.doc_ids_alive().for_each(&mut add),
            }
        }
        Ok(states)
    }
}

struct PlaceCollector {
    places: Arc<Vec<SegmentPlaces>>,
}

struct SegmentPlaceCollector {
    /// `None` for a segment that is not there, which has no documents.
    places: Option<SegmentPlaces>,
    segment: SegmentOrdinal,
    found: Vec<(TimeOrder, DocAddress)>,
}

impl Collector for PlaceCollector {
    type Fruit = Vec<(TimeOrder, DocAddress)>;
    type Child = SegmentPlaceCollector;

    fn for_segment(&self, segment: SegmentOrdinal, _: &SegmentReader) -> tantivy::Result<SegmentPlaceCollector> {
        let places = usize::try_from(segment).ok().and_then(|segment| self.places.get(segment)).cloned();
        Ok(SegmentPlaceCollector { places, segment, found: Vec::new() })
    }

    fn requires_scoring(&self) -> bool {
        false
    }

    fn merge_fruits(&self, segments: Vec<Self::Fruit>) -> tantivy::Result<Self::Fruit> {
        Ok(segments.concat())
    }
}

impl SegmentCollector for SegmentPlaceCollector {
    type Fruit = Vec<(TimeOrder, DocAddress)>;

    fn collect(&mut self, doc: DocId, _: Score) {
        let place = self.places.as_ref().map(|places| places.get(doc));
        self.found.extend(place.map(|place| (place, DocAddress::new(self.segment, doc))));
    }

    fn harvest(self) -> Self::Fruit {
        self.found
    }
}
