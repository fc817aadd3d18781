//! Searches: queries, filters and snippets.
//!
//! Owns: what a query means.
//! Never: fails for the text of a query.

pub(crate) mod matching;
pub(crate) mod phrase;
pub(crate) mod query;
pub(crate) mod snippet;
pub(crate) mod words;
