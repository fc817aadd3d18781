//! Documents in which words follow each other.
//!
//! Owns: how positions are compared: without a branch for each of them. Where two common words are looked for, most of the
//! time of a search goes there.
//! Never: allows other words in between; a score is the library's, by how often the phrase occurs.

use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::{Postings as _, SegmentPostings};
use tantivy::query::{Bm25Weight, EmptyScorer, EnableScoring, Explanation, Query, Scorer, Weight};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet, Result, Score, SeekDangerResult, SegmentReader, TERMINATED, TantivyError, Term};

/// Terms of one field that follow each other: at least two, at most 255.
#[derive(Debug, Clone)]
pub(crate) struct ConsecutiveTerms {
    terms: Vec<Term>,
}

struct ConsecutiveTermsWeight {
    terms: Vec<Term>,
    similarity: Option<Bm25Weight>,
}

struct ConsecutiveTermsScorer {
    /// Those of the rarest term lead.
    lead: usize,
    postings: Vec<SegmentPostings>,
    doc: DocId,
    matcher: PositionMatcher,
    /// How often the phrase occurs in the document.
    occurrences: u32,
    similarity: Option<Bm25Weight>,
    norms: FieldNormReader,
}

impl ConsecutiveTerms {
    pub(crate) const fn new(terms: Vec<Term>) -> Self {
        Self { terms }
    }
}

impl Query for ConsecutiveTerms {
    fn weight(&self, scoring: EnableScoring<'_>) -> Result<Box<dyn Weight>> {
        let similarity = match scoring {
            EnableScoring::Enabled { statistics_provider, .. } => {
                Some(Bm25Weight::for_terms(statistics_provider, &self.terms)?)
            }
            EnableScoring::Disabled { .. } => None,
        };
        Ok(Box::new(ConsecutiveTermsWeight { terms: self.terms.clone(), similarity }))
    }

    fn query_terms<'a>(&'a self, visitor: &mut dyn FnMut(&'a Term, bool)) {
        self.terms.iter().for_each(|term| visitor(term, true));
    }
}

impl Weight for ConsecutiveTermsWeight {
    fn scorer(&self, reader: &SegmentReader, boost: Score) -> Result<Box<dyn Scorer>> {
        let mut postings = Vec::with_capacity(self.terms.len());
        for term in &self.terms {
            let inverted = reader.inverted_index(term.field())?;
            match inverted.read_postings(term, IndexRecordOption::WithFreqsAndPositions)? {
                Some(of_term) => postings.push(of_term),
                None => return Ok(Box::new(EmptyScorer)),
            }
        }
        let lead = postings.iter().enumerate().min_by_key(|(_, of_term)| of_term.size_hint()).map(|(at, _)| at);
        let (Some(lead), Some(term)) = (lead, self.terms.first()) else { return Ok(Box::new(EmptyScorer)) };
        let norms = match &self.similarity {
            Some(_) => reader.fieldnorms_readers().get_field(term.field())?,
            None => None,
        };
        let mut scorer = ConsecutiveTermsScorer {
            lead,
            doc: 0,
            matcher: PositionMatcher::default(),
            occurrences: 0,
            similarity: self.similarity.as_ref().map(|similarity| similarity.boost_by(boost)),
            norms: norms.unwrap_or_else(|| FieldNormReader::constant(reader.max_doc(), 1)),
            postings,
        };
        let first = scorer.lead_doc();
        scorer.find_from(first);
        Ok(Box::new(scorer))
    }

    fn explain(&self, _reader: &SegmentReader, _doc: DocId) -> Result<Explanation> {
        Err(TantivyError::InvalidArgument("a phrase is not explained".to_owned()))
    }
}

impl ConsecutiveTermsScorer {
    fn lead_doc(&self) -> DocId {
        self.postings.get(self.lead).map_or(TERMINATED, DocSet::doc)
    }

    /// Goes to the first document from `doc` on, at which the lead is, in which the terms follow each other.
    fn find_from(&mut self, doc: DocId) -> DocId {
        let mut doc = doc;
        while doc != TERMINATED {
            let behind = self.postings.iter_mut().find_map(|postings| {
                let found = if postings.doc() < doc { postings.seek(doc) } else { postings.doc() };
                (found != doc).then_some(found)
            });
            if behind.is_none() {
                self.occurrences = self.matcher.count(&mut self.postings);
                if self.occurrences > 0 {
                    break;
                }
            }
            let Some(lead) = self.postings.get_mut(self.lead) else { break };
            doc = match behind {
                // The lead may be there already, where it is the one that went on.
                Some(target) if target > lead.doc() => lead.seek(target),
                Some(_) => lead.doc(),
                None => lead.advance(),
            };
        }
        self.doc = doc;
        doc
    }
}

impl DocSet for ConsecutiveTermsScorer {
    fn advance(&mut self) -> DocId {
        let next = match self.postings.get_mut(self.lead) {
            Some(lead) if self.doc != TERMINATED => lead.advance(),
            _ => TERMINATED,
        };
        self.find_from(next)
    }

    fn seek(&mut self, target: DocId) -> DocId {
        let next = match self.postings.get_mut(self.lead) {
            Some(lead) if self.doc < target => lead.seek(target),
            _ => return self.doc,
        };
        self.find_from(next)
    }

    /// Looks at one document: what comes after it may cost much, and be left out by another condition.
    fn seek_danger(&mut self, target: DocId) -> SeekDangerResult {
        if target >= TERMINATED {
            return SeekDangerResult::SeekLowerBound(target);
        }
        for postings in &mut self.postings {
            let found = if postings.doc() < target { postings.seek(target) } else { postings.doc() };
            if found != target {
                return SeekDangerResult::SeekLowerBound(found);
            }
        }
        self.occurrences = self.matcher.count(&mut self.postings);
        if self.occurrences == 0 {
            return SeekDangerResult::SeekLowerBound(target + 1);
        }
        self.doc = target;
        SeekDangerResult::Found
    }

    fn doc(&self) -> DocId {
        self.doc
    }

    fn size_hint(&self) -> u32 {
        // A tenth of the documents with all terms, as the library guesses.
        self.postings.get(self.lead).map_or(0, |lead| lead.size_hint() / 10)
    }

    fn cost(&self) -> u64 {
        // Positions are dear: conditions that cost less go first.
        const COST_OF_POSITIONS: u64 = 10;
        self.postings.get(self.lead).map_or(0, |lead| u64::from(lead.size_hint()) * COST_OF_POSITIONS)
    }
}

impl Scorer for ConsecutiveTermsScorer {
    fn score(&mut self) -> Score {
        let norm = self.norms.fieldnorm_id(self.doc);
        self.similarity.as_ref().map_or(1.0, |similarity| similarity.score(norm, self.occurrences))
    }
}

/// Counts how often terms follow each other in a document.
#[derive(Default)]
struct PositionMatcher {
    /// For each position at which the last term may be, how many terms agree. All are 0 between two documents.
    agreeing: Vec<u8>,
    first: Vec<u32>,
    other: Vec<u32>,
}

impl PositionMatcher {
    fn count(&mut self, postings: &mut [SegmentPostings]) -> u32 {
        let Some((first, others)) = postings.split_first_mut() else { return 0 };
        let mut offset = u32::try_from(others.len()).unwrap_or(u32::MAX);
        first.positions_with_offset(offset, &mut self.first);
        let end = self.first.last().map_or(0, |last| *last as usize + 1);
        if self.agreeing.len() < end {
            self.agreeing.resize(end, 0);
        }
        for position in &self.first {
            if let Some(agreeing) = self.agreeing.get_mut(*position as usize) {
                *agreeing = 1;
            }
        }
        let mut occurrences = 0;
        for (of_term, before) in others.iter_mut().zip(1_u8..) {
            offset = offset.saturating_sub(1);
            of_term.positions_with_offset(offset, &mut self.other);
            occurrences = 0;
            for position in &self.other {
                if let Some(agreeing) = self.agreeing.get_mut(*position as usize) {
                    let agrees = u8::from(*agreeing == before);
                    *agreeing += agrees;
                    occurrences += u32::from(agrees);
                }
            }
        }
        for position in &self.first {
            if let Some(agreeing) = self.agreeing.get_mut(*position as usize) {
                *agreeing = 0;
            }
        }
        occurrences
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tantivy::collector::{Count, TopDocs};
    use tantivy::query::{BooleanQuery, Occur, PhraseQuery, TermQuery};
    use tantivy::schema::{Field, Schema, TEXT};
    use tantivy::{Index, IndexWriter, TantivyDocument};

    fn index_of(texts: &[String]) -> (Index, Field) {
        let mut schema = Schema::builder();
        let field = schema.add_text_field("body", TEXT);
        let index = Index::create_in_ram(schema.build());
        let mut writer: IndexWriter = index.writer_with_num_threads(1, 15_000_000).unwrap();
        for (at, text) in texts.iter().enumerate() {
            let mut document = TantivyDocument::new();
            document.add_text(field, text);
            writer.add_document(document).unwrap();
            if at % 40 == 39 {
                writer.commit().unwrap();
            }
        }
        writer.commit().unwrap();
        (index, field)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

        /// The same documents with the same scores as by the library, alone and with a condition.
        #[test]
        fn phrases_match_as_the_library_has_it(
            texts in prop::collection::vec("([abc] ){0,40}", 1..100),
            phrases in prop::collection::vec(prop::collection::vec("[abcd]", 2..5), 1..6),
        ) {
            let (index, field) = index_of(&texts);
            let searcher = index.reader().unwrap().searcher();
            for phrase in phrases {
                let terms: Vec<Term> = phrase.iter().map(|word| Term::from_field_text(field, word)).collect();
                let condition: Box<dyn Query> =
                    Box::new(TermQuery::new(Term::from_field_text(field, "b"), IndexRecordOption::Basic));
                let ours: Box<dyn Query> = Box::new(ConsecutiveTerms::new(terms.clone()));
                let theirs: Box<dyn Query> = Box::new(PhraseQuery::new(terms));
                let with_condition = |query: &dyn Query| -> Box<dyn Query> {
                    Box::new(BooleanQuery::new(vec![
                        (Occur::Must, query.box_clone()),
                        (Occur::Must, condition.box_clone()),
                    ]))
                };
                for (ours, theirs) in
                    [(ours.box_clone(), theirs.box_clone()), (with_condition(&*ours), with_condition(&*theirs))]
                {
                    let found = |query: &dyn Query| {
                        let top = TopDocs::with_limit(1_000).order_by_score();
                        searcher.search(query, &(top, Count)).unwrap()
                    };
                    prop_assert_eq!(found(&*ours), found(&*theirs), "{:?}", phrase);
                    let count = |query: &dyn Query| searcher.search(query, &Count).unwrap();
                    prop_assert_eq!(count(&*ours), count(&*theirs));
                }
            }
        }
    }
}
