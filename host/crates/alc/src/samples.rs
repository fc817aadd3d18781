//! `alc://cards/{card_id}/samples`: a page of a card's rows as a JSON array, each row with its stored text.

use crate::cards::file_names::samples_file_name;
use serde_json::json;

use super::{Alc, ReadRequest};
use crate::limits::{MAX_INLINE_PAGE_BYTES, MAX_INLINE_ROWS};
use wardroom_appdir::limits::MAX_JSONL_LINE_BYTES;
use wardroom_appdir::{AppDirError, RowPage, RowPageRequest};
use wardroom_base::payload::{self, Payload, PayloadError};
use wardroom_base::uri::CardId;
use wardroom_service::limits::{LARGE_RESPONSE_THRESHOLD_BYTES, MAX_PAGE_BYTES};
use wardroom_service::{ExecutionTier, ResourceContent, ServiceError, mime};

/// The most bytes of a page that does not need the queue of large responses.
#[expect(clippy::cast_possible_truncation, reason = "a constant, which fits")]
const MAX_SHARED_PAGE_BYTES: usize = LARGE_RESPONSE_THRESHOLD_BYTES as usize;

impl Alc {
    pub(super) fn read_samples_page(
        &self,
        card: &CardId,
        offset: usize,
        limit: usize,
        request: &ReadRequest,
    ) -> Result<ResourceContent, ServiceError> {
        let uri = request.uri;
        let folder = self.find_card_folder(card, request)?;
        let name = samples_file_name(card);
        let page_request = |max_bytes| RowPageRequest { offset: offset as u64, limit, max_bytes };
        let stop = || request.context.cancellation.is_cancelled();
        let page = |bytes| self.indexes.read_page(&folder, &name, page_request(bytes), &stop);
        let page = match request.context.tier {
            ExecutionTier::Light if limit > MAX_INLINE_ROWS => return Err(ServiceError::Later),
            ExecutionTier::Light => {
                self.indexes.read_page_if_indexed(&folder, &name, page_request(MAX_INLINE_PAGE_BYTES))
            }
            ExecutionTier::Full => {
                match page(MAX_SHARED_PAGE_BYTES) {
                    // The byte limit ended the page, not the number of rows.
                    Ok(short) if short.next_offset.is_some() && short.rows.len() < limit => {
                        return Err(ServiceError::Later);
                    }
                    page => page,
                }
            }
            ExecutionTier::Large => page(MAX_PAGE_BYTES),
        };
        let mut page = match page {
            Ok(page) => page,
            // A card without a samples file has no samples; it is not missing.
            Err(AppDirError::NotFound(_)) => return Ok(samples_content(String::from("[]"), &RowPage::default())),
            // Only the first row of a page can be too long: before a later one the page ends.
            Err(error @ AppDirError::TooLarge { limit, .. }) if limit == MAX_JSONL_LINE_BYTES as u64 => {
                let public = format!("sample line {offset} of {uri} is longer than {limit} bytes");
                return Err(ServiceError::internal(public, error));
            }
            Err(error) => return Err(ServiceError::from_read_error(uri, error)),
        };
        let torn = drop_torn_row(&mut page, offset as u64);
        let mut text = String::from("[");
        for (at, row) in page.rows.iter().enumerate() {
            let row = validate_row(row, &format!("sample line {}", offset + at))?;
            if at > 0 {
                text.push(',');
            }
            text.push_str(row);
        }
        text.push(']');
        let mut content = samples_content(text, &page);
        content.meta_fields.extend(torn.then(|| ("tornLastRow", Payload::from_value(json!(true)))));
        Ok(content)
    }
}

/// Drops a last row that another process is still writing, and returns whether there was one. Until its line ends, text
/// that is not yet JSON is no row, on this page or a later one.
pub(super) fn drop_torn_row(page: &mut RowPage, offset: u64) -> bool {
    let torn = page.unterminated_row.as_deref().is_some_and(is_malformed_json);
    if torn {
        page.total_rows = page.total_rows.saturating_sub(1);
        page.rows.truncate(usize::try_from(page.total_rows.saturating_sub(offset)).unwrap_or(usize::MAX));
        page.next_offset = page.next_offset.filter(|next| *next < page.total_rows);
    }
    torn
}

/// Returns whether a row is not JSON. JSON beyond the limits is still JSON.
fn is_malformed_json(row: &[u8]) -> bool {
    let text = std::str::from_utf8(row);
    text.map_or(true, |text| {
        matches!(payload::check_json_text(text, MAX_JSONL_LINE_BYTES), Err(PayloadError::Malformed(_)))
    })
}

fn samples_content(text: String, page: &RowPage) -> ResourceContent {
    let mut content = ResourceContent::new(mime::JSON, text, None);
    content.meta_fields = vec![("total", Payload::from_value(json!(page.total_rows)))];
    content.meta_fields.extend(page.next_offset.map(|next| ("nextOffset", Payload::from_value(json!(next)))));
    content
}

/// Returns the row's text if it is one JSON value within the limits.
fn validate_row<'a>(row: &'a [u8], what: &str) -> Result<&'a str, ServiceError> {
    let text = std::str::from_utf8(row)
        .map_err(|error| ServiceError::internal(format!("Failed to parse {what}: not UTF-8"), error))?;
    payload::check_json_text(text, MAX_JSONL_LINE_BYTES)
        .map_err(|error| ServiceError::from_parse_error(what, error))?;
    Ok(text.trim_ascii())
}
