//! Samples of a card that match a condition, page by page.
//!
//! Owns: the paging: offset and limit count matching rows. Without a condition, only the page is read. With a
//! condition, all rows up to the last one of the page are read, one chunk of the file at a time.

use crate::cards::file_names::samples_file_name;
use serde_json::Value;

use super::query::Predicate;
use super::sample_pages::drop_torn_row;
use super::{CancelCheck, card_not_found};
use crate::cards::CardStore;
use crate::error_code as code;
use crate::limits::MAX_SAMPLES_FILTERED;
use crate::storage_error::access_error;
use wardroom_appdir::limits::MAX_JSONL_LINE_BYTES;
use wardroom_appdir::{AppDirError, RowPageRequest};
use wardroom_base::payload::Payload;
use wardroom_base::uri::CardId;
use wardroom_service::ServiceError;

/// A query for rows.
pub(super) struct SampleQuery<'q> {
    pub(super) condition: &'q Predicate,
    pub(super) offset: u64,
    pub(super) limit: usize,
    /// Most bytes of rows in one page.
    pub(super) max_bytes: usize,
}

pub(super) struct SamplePage {
    pub(super) rows: Vec<Value>,
    /// The offset of the next page, if there are more rows.
    pub(super) next_offset: Option<u64>,
    /// The number of all rows of the card, where the query has no condition.
    pub(super) total: Option<u64>,
}

/// Rows and bytes of one chunk.
const MAX_ROWS_PER_READ: usize = 4096;
const MAX_BYTES_PER_READ: usize = 1024 * 1024;

impl CardStore {
    pub(super) fn read_samples(
        &self,
        card: &CardId,
        query: &SampleQuery,
        stop: CancelCheck,
    ) -> Result<SamplePage, ServiceError> {
        let folder = self.locate_card(card, stop)?.ok_or_else(|| card_not_found(card))?.folder;
        let name = samples_file_name(card);
        let is_filtered = !query.condition.is_empty();
        let mut page = SamplePage { rows: Vec::new(), next_offset: None, total: None };
        // Rows of the file that were passed, and those of them that match.
        let mut at = if is_filtered { 0 } else { query.offset };
        let (mut matching, mut bytes) = (at, 0);
        loop {
            let room = query.limit - page.rows.len();
            let limit = if is_filtered { MAX_ROWS_PER_READ } else { room.min(MAX_ROWS_PER_READ) };
            let step = RowPageRequest { offset: at, limit, max_bytes: MAX_BYTES_PER_READ };
            let mut read = match self.indexes.read_page(&folder, &name, step, stop) {
                Ok(read) => read,
                // A card without a file of samples has no rows.
                Err(AppDirError::NotFound(_)) => {
                    page.total = Some(0).filter(|_| !is_filtered);
                    return Ok(page);
                }
                Err(error) => return Err(access_error(&format!("the samples of card '{card}'"), error)),
            };
            drop_torn_row(&mut read, at);
            page.total = Some(read.total_rows).filter(|_| !is_filtered);
            for row in &read.rows {
                let value = parse_sample(row, at)?;
                at += 1;
                if !query.condition.matches(&value) {
                    continue;
                }
                matching += 1;
                if matching <= query.offset {
                    continue;
                }
                let is_full = page.rows.len() >= query.limit;
                if is_full || bytes + row.len() > query.max_bytes && !page.rows.is_empty() {
                    page.next_offset = Some(matching - 1);
                    return Ok(page);
                }
                bytes += row.len();
                page.rows.push(value);
            }
            if read.next_offset.is_none() {
                return Ok(page);
            }
            if !is_filtered && page.rows.len() >= query.limit {
                page.next_offset = Some(at);
                return Ok(page);
            }
            if is_filtered && at >= MAX_SAMPLES_FILTERED {
                let message = format!(
                    "card '{card}' has more than {MAX_SAMPLES_FILTERED} samples to filter: read them in pages, without \
                     where"
                );
                return Err(ServiceError::tool(code::TOO_MANY_SAMPLES, message));
            }
        }
    }
}

fn parse_sample(row: &[u8], at: u64) -> Result<Value, ServiceError> {
    let what = format!("sample line {at}");
    let text = std::str::from_utf8(row)
        .map_err(|error| ServiceError::internal(format!("Failed to parse {what}: not UTF-8"), error))?;
    Payload::parse(text, MAX_JSONL_LINE_BYTES)
        .map(Payload::into_value)
        .map_err(|error| ServiceError::from_parse_error(&what, error))
}
