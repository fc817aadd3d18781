//! Queries and filters as queries of the index.
//!
//! Owns: what counts as a match, and how much a match in a title weighs.
//! Never: looks at documents.

use tantivy::query::{
    BooleanQuery, BoostQuery, ConstScoreQuery, DisjunctionMaxQuery, FuzzyTermQuery, Occur, Query, TermQuery,
};
use tantivy::schema::{Field, IndexRecordOption};

use super::phrase::ConsecutiveTerms;
use super::query::{Exactness, QueryPart};
use super::words::{Stemmers, Word, fold_name};
use crate::content::PostStatus;
use crate::index::schema::{BlogFields, DocKind, TRANSLATABLE, term};

/// How much more a word in a title, a tag, a category or a slug weighs than one in the body.
const HEAD_WEIGHT: f32 = 4.0;

/// Conditions on posts. All of them hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PostFilters {
    pub(crate) category: Option<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) language: Option<String>,
    pub(crate) missing_translation: Option<String>,
    pub(crate) year: Option<i32>,
    /// Only with a year.
    pub(crate) month: Option<u32>,
    pub(crate) status: Option<PostStatus>,
}

type Clause = (Occur, Box<dyn Query>);

fn term_query(field: Field, text: &str) -> Box<dyn Query> {
    Box::new(TermQuery::new(term(field, text), IndexRecordOption::Basic))
}

/// A condition that does not change the score.
fn must(field: Field, text: &str) -> Clause {
    (Occur::Must, Box::new(ConstScoreQuery::new(term_query(field, text), 0.0)))
}

/// Returns the query for all documents of a kind that meet the conditions.
pub(crate) fn filter_query(fields: &BlogFields, kind: DocKind, filters: &PostFilters) -> Box<dyn Query> {
    Box::new(BooleanQuery::new(filter_clauses(fields, kind, filters)))
}

fn filter_clauses(fields: &BlogFields, kind: DocKind, filters: &PostFilters) -> Vec<Clause> {
    // Who asks for drafts sees those of proposals too.
    let proposed = kind.proposed().filter(|_| filters.status == Some(PostStatus::Draft));
    let of_kind: Box<dyn Query> = match proposed {
        Some(proposed) => {
            let kinds = [kind, proposed].map(|kind| (Occur::Should, term_query(fields.kind, kind.as_str())));
            Box::new(BooleanQuery::new(kinds.into()))
        }
        None => term_query(fields.kind, kind.as_str()),
    };
    let mut clauses: Vec<Clause> = vec![(Occur::Must, Box::new(ConstScoreQuery::new(of_kind, 0.0)))];
    clauses.extend(filters.category.iter().map(|name| must(fields.category, &fold_name(name))));
    clauses.extend(filters.tags.iter().map(|name| must(fields.tag, &fold_name(name))));
    clauses.extend(filters.language.iter().map(|language| must(fields.language, language)));
    if let Some(language) = &filters.missing_translation {
        clauses.push(must(fields.flag, TRANSLATABLE));
        clauses.push((Occur::MustNot, term_query(fields.language, language)));
    }
    clauses.extend(filters.status.map(|status| must(fields.status, status.as_str())));
    clauses.extend(filters.year.map(|year| match filters.month {
        Some(month) => must(fields.month, &format!("{year:04}-{month:02}")),
        None => must(fields.month, &format!("{year:04}")),
    }));
    clauses
}

/// Returns the query for the documents that match all parts and meet the conditions. `languages` are those by whose rules
/// words are stemmed.
pub(crate) fn search_query(
    fields: &BlogFields,
    kind: DocKind,
    parts: &[QueryPart],
    filters: &PostFilters,
    languages: &[String],
    exactness: Exactness,
) -> Box<dyn Query> {
    let mut clauses = filter_clauses(fields, kind, filters);
    let mut stemmers = Stemmers::default();
    for part in parts {
        match part {
            QueryPart::Word(word) => {
                let forms = word_forms(word, languages, &mut stemmers);
                let matches = |field| match exactness {
                    Exactness::Exact => any_of(field, &forms),
                    Exactness::OneLetterOff => one_letter_off(field, word),
                };
                clauses.push((Occur::Must, matches(fields.body)));
                clauses.push((Occur::Should, Box::new(BoostQuery::new(matches(fields.head), HEAD_WEIGHT))));
            }
            QueryPart::Prefix(word) => {
                let begins = |field| FuzzyTermQuery::new_prefix(term(field, &word.folded), 0, true);
                clauses.push((Occur::Must, Box::new(begins(fields.body))));
                clauses.push((Occur::Should, Box::new(BoostQuery::new(Box::new(begins(fields.head)), HEAD_WEIGHT))));
            }
            QueryPart::Phrase(words) => {
                let phrase =
                    |field| ConsecutiveTerms::new(words.iter().map(|word| term(field, &word.folded)).collect());
                clauses.push((Occur::Must, Box::new(phrase(fields.body))));
                clauses.push((Occur::Should, Box::new(BoostQuery::new(Box::new(phrase(fields.head)), HEAD_WEIGHT))));
            }
        }
    }
    Box::new(BooleanQuery::new(clauses))
}

/// Returns the forms of a word that the index has for it: its own, and its stems.
fn word_forms(word: &Word, languages: &[String], stemmers: &mut Stemmers) -> Vec<String> {
    let mut forms = vec![word.folded.clone()];
    for language in languages {
        let stem = stemmers.of(language).and_then(|stemmer| stemmer.stem(word.as_visited()).map(str::to_owned));
        forms.extend(stem.filter(|stem| !forms.contains(stem)));
    }
    forms
}

fn any_of(field: Field, forms: &[String]) -> Box<dyn Query> {
    let with_freqs =
        |form: &String| -> Box<dyn Query> { Box::new(TermQuery::new(term(field, form), IndexRecordOption::WithFreqs)) };
    match forms {
        [form] => with_freqs(form),
        forms => Box::new(DisjunctionMaxQuery::new(forms.iter().map(with_freqs).collect())),
    }
}

fn one_letter_off(field: Field, word: &Word) -> Box<dyn Query> {
    // A letter of a short word is too much of it.
    const MIN_LETTERS: usize = 4;
    if word.is_pair || word.folded.chars().count() < MIN_LETTERS {
        return any_of(field, std::slice::from_ref(&word.folded));
    }
    Box::new(FuzzyTermQuery::new(term(field, &word.folded), 1, true))
}

/// The query for the documents with one term.
pub(crate) fn with_term(field: Field, text: &str) -> Box<dyn Query> {
    term_query(field, text)
}
