//! `alc://eval/{result_id}`: the result of one evaluation, as it was stored.

use super::Alc;
use crate::appdir::AppDirError;
use crate::limits::MAX_DOCUMENT_BYTES;
use crate::payload;
use crate::services::{Content, ServiceError, mime};
use crate::uri::EvalId;

impl Alc {
    /// The pattern of eval ids has no `_` in the strategy, while most strategies have one in their name: an id with
    /// `-` finds those too, after the exact name.
    pub(super) fn eval(&self, eval: &EvalId, uri: &str) -> Result<Content, ServiceError> {
        let failed = |error| ServiceError::reading(uri, error);
        let app = &self.folders.app;
        let read = |id: &str| app.read_text(&format!("evals/{id}.json"), MAX_DOCUMENT_BYTES);
        let (text, modified) = match read(eval.as_str()) {
            Err(AppDirError::NotFound(_)) => read(&eval.as_str().replace('-', "_")).map_err(failed)?,
            found => found.map_err(failed)?,
        };
        let check = payload::check_text(&text, text.len());
        check.map_err(|error| ServiceError::internal(format!("{uri} is not valid JSON"), error))?;
        Ok(Content::new(mime::JSON, text, modified))
    }
}
