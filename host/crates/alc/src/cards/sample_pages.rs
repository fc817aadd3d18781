//! `alc://cards/{card_id}/samples`: a page of a card's rows as a JSON array, each row with its stored text.

use std::sync::Arc;

use serde_json::json;

use super::CardStore;
use super::file_names::samples_file_name;
use crate::limits::{MAX_INLINE_PAGE_BYTES, MAX_INLINE_ROWS};
use wardroom_appdir::limits::MAX_JSONL_LINE_BYTES;
use wardroom_appdir::{AppDirError, Folder, RowPage, RowPageRequest};
use wardroom_base::byte_size::ByteSize;
use wardroom_base::payload::{self, Payload, PayloadError};
use wardroom_base::uri::CardId;
use wardroom_service::limits::{LARGE_RESPONSE_THRESHOLD_BYTES, MAX_PAGE_BYTES};
use wardroom_service::{Cost, RequestInfo, ResourceContent, ServiceError, Step, Work, mime};

/// The most bytes of a page that does not need the queue of large responses.
#[expect(clippy::cast_possible_truncation, reason = "a constant, which fits")]
const MAX_SHARED_PAGE_BYTES: usize = LARGE_RESPONSE_THRESHOLD_BYTES as usize;

/// A page of the samples of one card.
struct SamplesPage {
    store: Arc<CardStore>,
    folder: Folder,
    name: String,
    offset: usize,
    limit: usize,
    uri: String,
}

impl CardStore {
    /// Resolves the read of a page of samples: where the index of lines knows the page, it is read at once; else a worker
    /// scans the file; and a long page takes a large-response permit.
    pub(crate) fn resolve_samples(
        self: &Arc<Self>,
        card: &CardId,
        offset: usize,
        limit: usize,
        uri: &str,
    ) -> Result<Work<ResourceContent>, ServiceError> {
        let name = samples_file_name(card);
        let page = move |store, folder, uri| SamplesPage { store, folder, name, offset, limit, uri };
        if let Some(folder) = self.find_folder_by_prefix(card, uri)? {
            let page = page(Arc::clone(self), folder, uri.to_owned());
            return Ok(if limit > MAX_INLINE_ROWS { page.read_on_worker() } else { page.read_if_indexed() });
        }
        let (store, card, uri) = (Arc::clone(self), card.clone(), uri.to_owned());
        Ok(Work::in_steps(Cost::Worker, move |info| {
            let folder = store.find_folder_by_scan(&card, &uri, &|| info.cancellation.is_cancelled())?;
            Ok(Step::Next(page(store, folder, uri).read_on_worker()))
        }))
    }
}

impl SamplesPage {
    fn read_if_indexed(self) -> Work<ResourceContent> {
        Work::in_steps(Cost::Inline, move |_| {
            let request = self.request(MAX_INLINE_PAGE_BYTES);
            match self.store.indexes.read_page_if_indexed(&self.folder, &self.name, request).transpose() {
                Some(page) => self.render(page).map(Step::Done),
                None => Ok(Step::Next(self.read_on_worker())),
            }
        })
    }

    fn read_on_worker(self) -> Work<ResourceContent> {
        Work::in_steps(Cost::Worker, move |info| {
            let page = self.read(MAX_SHARED_PAGE_BYTES, info);
            // The byte limit ended the page, not the number of rows.
            if page.as_ref().is_ok_and(|page| page.next_offset.is_some() && page.rows.len() < self.limit) {
                return Ok(Step::Next(Work::new(Cost::Large, move |info| {
                    self.render(self.read(MAX_PAGE_BYTES, info))
                })));
            }
            self.render(page).map(Step::Done)
        })
    }

    fn read(&self, max_bytes: usize, info: &RequestInfo) -> Result<RowPage, AppDirError> {
        let stop = || info.cancellation.is_cancelled();
        self.store.indexes.read_page(&self.folder, &self.name, self.request(max_bytes), &stop)
    }

    fn request(&self, max_bytes: usize) -> RowPageRequest {
        RowPageRequest { offset: self.offset as u64, limit: self.limit, max_bytes }
    }

    fn render(&self, page: Result<RowPage, AppDirError>) -> Result<ResourceContent, ServiceError> {
        let mut page = match page {
            Ok(page) => page,
            // A card without a samples file has no samples; it is not missing.
            Err(AppDirError::NotFound(_)) => return Ok(samples_content(String::from("[]"), &RowPage::default())),
            // Only the first row of a page can be too long: before a later one the page ends.
            Err(error @ AppDirError::TooLarge { limit, .. }) if limit == MAX_JSONL_LINE_BYTES as u64 => {
                let public = format!("sample line {} of {} is longer than {}", self.offset, self.uri, ByteSize(limit));
                return Err(ServiceError::internal(public, error));
            }
            Err(error) => return Err(ServiceError::from_read_error(&self.uri, error)),
        };
        let torn = drop_torn_row(&mut page, self.offset as u64);
        let mut text = String::from("[");
        for (at, row) in page.rows.iter().enumerate() {
            let row = validate_row(row, &format!("sample line {}", self.offset + at))?;
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
