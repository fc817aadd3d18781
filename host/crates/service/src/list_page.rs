//! The pages of lists, and their cursors.
//!
//! Owns: the form of both kinds of cursor: a service's name with a mark of that service, and a position.
//! Never: knows what is listed.

use std::sync::Arc;

use super::ServiceError;
use crate::limits::{LIST_PAGE_SIZE, MAX_CURSOR_BYTES};

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListPage<T> {
    pub items: Vec<T>,
    /// The cursor of the next page; `None` on the last page.
    pub next_cursor: Option<String>,
}

impl<T> ListPage<T> {
    /// Returns the page of `all` at which `cursor` points.
    ///
    /// # Errors
    /// For a cursor that this server did not issue.
    pub fn paginate(all: Vec<T>, cursor: Option<&str>) -> Result<Self, ServiceError> {
        let start = cursor.map_or(Ok(0), parse_cursor)?;
        if start > all.len() {
            return Err(ServiceError::unknown_cursor());
        }
        let end = all.len().min(start + LIST_PAGE_SIZE);
        let next = (end < all.len()).then(|| format!("from-{end}"));
        Ok(Self { items: all.into_iter().take(end).skip(start).collect(), next_cursor: next })
    }
}

fn parse_cursor(cursor: &str) -> Result<usize, ServiceError> {
    let number = cursor.strip_prefix("from-").filter(|_| cursor.len() <= MAX_CURSOR_BYTES);
    number.and_then(|number| number.parse().ok()).ok_or_else(ServiceError::unknown_cursor)
}

/// Splits a cursor into the service's name and that service's mark.
pub(super) fn split_cursor(cursor: &str) -> Result<(&str, &str), ServiceError> {
    let parts = cursor.split_once(':').filter(|_| cursor.len() <= MAX_CURSOR_BYTES);
    parts.ok_or_else(ServiceError::unknown_cursor)
}

/// Returns the entries after the one that `mark` names. In a sorted list that entry may be gone.
pub fn entries_after<T>(
    entries: Vec<Arc<T>>,
    mark: Option<&str>,
    limit: usize,
    name: impl Fn(&T) -> &str,
) -> Vec<Arc<T>> {
    let start = mark.map_or(0, |mark| {
        let listed = entries.iter().position(|entry| name(entry) == mark);
        listed.map_or_else(|| entries.partition_point(|entry| name(entry) <= mark), |at| at + 1)
    });
    entries.into_iter().skip(start).take(limit).collect()
}
