//! `alc://cards/{card_id}/samples`: a page of a card's rows as a JSON array, each row as it stands in the file.

use serde_json::json;

use super::{Alc, Ask};
use wardroom_appdir::{AppDirError, Page, Wanted};
use wardroom_base::limits::{LARGE_BYTES, LIGHT_PAGE_BYTES, LIGHT_ROWS, MAX_PAGE_BYTES, MAX_ROW_BYTES};
use wardroom_base::payload::{self, Payload, PayloadError};
use wardroom_base::uri::CardId;
use wardroom_service::{Content, Effort, ServiceError, mime};

/// Text of a page that needs no turn among the large ones.
#[expect(clippy::cast_possible_truncation, reason = "a constant, which fits")]
const SHARED_BYTES: usize = LARGE_BYTES as usize;

impl Alc {
    pub(super) fn samples(
        &self,
        card: &CardId,
        offset: usize,
        limit: usize,
        ask: &Ask,
    ) -> Result<Content, ServiceError> {
        let uri = ask.uri;
        let folder = self.card_folder(card, ask)?;
        let name = file_name(card);
        let wanted = |max_bytes| Wanted { offset: offset as u64, limit, max_bytes };
        let stop = || ask.context.cancelled.is_cancelled();
        let page = |bytes| self.indexes.page(&folder, &name, wanted(bytes), &stop);
        let page = match ask.context.effort {
            Effort::Light if limit > LIGHT_ROWS => return Err(ServiceError::Later),
            Effort::Light => self.indexes.page_if_known(&folder, &name, wanted(LIGHT_PAGE_BYTES)),
            Effort::Full => {
                match page(SHARED_BYTES) {
                    // Its bytes ended it, and not the number of rows.
                    Ok(short) if short.next.is_some() && short.rows.len() < limit => return Err(ServiceError::Later),
                    page => page,
                }
            }
            Effort::Large => page(MAX_PAGE_BYTES),
        };
        let mut page = match page {
            Ok(page) => page,
            // A card without samples has none; it is not missing.
            Err(AppDirError::NotFound(_)) => return Ok(content(String::from("[]"), &Page::default())),
            // Only the first row of a page can be too long: before a later one the page ends.
            Err(error @ AppDirError::TooLarge { limit, .. }) if limit == MAX_ROW_BYTES as u64 => {
                let public = format!("sample line {offset} of {uri} is longer than {limit} bytes");
                return Err(ServiceError::internal(public, error));
            }
            Err(error) => return Err(ServiceError::reading(uri, error)),
        };
        let torn = leave_out_torn(&mut page, offset as u64);
        let mut text = String::from("[");
        for (at, row) in page.rows.iter().enumerate() {
            let row = checked(row, &format!("sample line {}", offset + at))?;
            if at > 0 {
                text.push(',');
            }
            text.push_str(row);
        }
        text.push(']');
        let mut content = content(text, &page);
        content.notes.extend(torn.then(|| ("tornLastRow", Payload::from_value(json!(true)))));
        Ok(content)
    }
}

pub(super) fn file_name(card: &CardId) -> String {
    format!("{card}.samples.jsonl")
}

/// Another process may be writing the last row. Until its line ends, what is not JSON yet is no row, on this page or after
/// it; whether there is such a one.
pub(super) fn leave_out_torn(page: &mut Page, offset: u64) -> bool {
    let torn = page.unended.as_deref().is_some_and(is_no_json);
    if torn {
        page.total = page.total.saturating_sub(1);
        page.rows.truncate(usize::try_from(page.total.saturating_sub(offset)).unwrap_or(usize::MAX));
        page.next = page.next.filter(|next| *next < page.total);
    }
    torn
}

/// JSON that is beyond the bounds is no less JSON.
fn is_no_json(row: &[u8]) -> bool {
    let text = std::str::from_utf8(row);
    text.map_or(true, |text| matches!(payload::check_text(text, MAX_ROW_BYTES), Err(PayloadError::Malformed(_))))
}

fn content(text: String, page: &Page) -> Content {
    let mut content = Content::new(mime::JSON, text, None);
    content.notes = vec![("total", Payload::from_value(json!(page.total)))];
    content.notes.extend(page.next.map(|next| ("nextOffset", Payload::from_value(json!(next)))));
    content
}

/// The row's own text, when it is one JSON value within the bounds.
fn checked<'a>(row: &'a [u8], what: &str) -> Result<&'a str, ServiceError> {
    let text = std::str::from_utf8(row)
        .map_err(|error| ServiceError::internal(format!("Failed to parse {what}: not UTF-8"), error))?;
    payload::check_text(text, MAX_ROW_BYTES).map_err(|error| ServiceError::parsing(what, error))?;
    Ok(text.trim_ascii())
}
