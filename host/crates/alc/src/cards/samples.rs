//! Samples that fit a condition, page by page.
//!
//! Owns: what offset and limit count: the rows that fit. A page of all rows costs the page; with a condition, the rows up to
//! the last one of the page are read, a piece of the file at a time.

use serde_json::Value;

use super::query::Predicate;
use super::store::samples_file_name;
use super::{CancelCheck, card_not_found, storage_error, tool_error};
use crate::limits::MAX_SAMPLES_FILTERED;
use crate::{Alc, samples};
use wardroom_appdir::limits::MAX_JSONL_LINE_BYTES;
use wardroom_appdir::{AppDirError, RowPageRequest};
use wardroom_base::payload::Payload;
use wardroom_base::uri::CardId;
use wardroom_service::ServiceError;

/// Which rows are wanted.
pub(super) struct SampleQuery<'q> {
    pub(super) condition: &'q Predicate,
    pub(super) offset: u64,
    pub(super) limit: usize,
    /// Bytes of rows in one answer.
    pub(super) max_bytes: usize,
}

pub(super) struct SamplePage {
    pub(super) rows: Vec<Value>,
    /// The offset of the next page, when this one ended before the rows did.
    pub(super) next_offset: Option<u64>,
    /// The rows of the card, where no condition was asked for.
    pub(super) total: Option<u64>,
}

/// Rows that are read at a time.
const MAX_ROWS_PER_READ: usize = 4096;
const MAX_BYTES_PER_READ: usize = 1024 * 1024;

impl Alc {
    pub(super) fn read_samples(
        &self,
        card: &CardId,
        wanted: &SampleQuery,
        stop: CancelCheck,
    ) -> Result<SamplePage, ServiceError> {
        let folder = self.locate_card(card, stop)?.ok_or_else(|| card_not_found(card))?.folder;
        let name = samples_file_name(card);
        let is_filtered = !wanted.condition.is_empty();
        let mut page = SamplePage { rows: Vec::new(), next_offset: None, total: None };
        // Rows of the file that were looked at, and those of them that fit.
        let mut at = if is_filtered { 0 } else { wanted.offset };
        let (mut fitting, mut bytes) = (at, 0);
        loop {
            let room = wanted.limit - page.rows.len();
            let limit = if is_filtered { MAX_ROWS_PER_READ } else { room.min(MAX_ROWS_PER_READ) };
            let step = RowPageRequest { offset: at, limit, max_bytes: MAX_BYTES_PER_READ };
            let mut read = match self.indexes.read_page(&folder, &name, step, stop) {
                Ok(read) => read,
                // A card without samples has none.
                Err(AppDirError::NotFound(_)) => {
                    page.total = Some(0).filter(|_| !is_filtered);
                    return Ok(page);
                }
                Err(error) => return Err(storage_error(&format!("the samples of card '{card}'"), error)),
            };
            samples::drop_torn_row(&mut read, at);
            page.total = Some(read.total_rows).filter(|_| !is_filtered);
            for row in &read.rows {
                let value = parse_sample(row, at)?;
                at += 1;
                if !wanted.condition.matches(&value) {
                    continue;
                }
                fitting += 1;
                if fitting <= wanted.offset {
                    continue;
                }
                let is_full = page.rows.len() >= wanted.limit;
                if is_full || bytes + row.len() > wanted.max_bytes && !page.rows.is_empty() {
                    page.next_offset = Some(fitting - 1);
                    return Ok(page);
                }
                bytes += row.len();
                page.rows.push(value);
            }
            if read.next_offset.is_none() {
                return Ok(page);
            }
            if !is_filtered && page.rows.len() >= wanted.limit {
                page.next_offset = Some(at);
                return Ok(page);
            }
            if is_filtered && at >= MAX_SAMPLES_FILTERED {
                let message = format!(
                    "card '{card}' has more than {MAX_SAMPLES_FILTERED} samples to look through: read them in pages, without where"
                );
                return Err(tool_error("TOO_MANY_SAMPLES", message));
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
