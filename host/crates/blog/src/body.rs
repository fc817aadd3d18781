//! The bodies of posts, scripts and templates, from their files.
//!
//! Owns: that a body is what the file says now: where the file changed after the index saw it, the front matter is read
//! again.
//! Never: returns a part of the front matter as the body.

use crate::content::FileProblem;
use crate::content::read_file::stat_hash;
use crate::index::BlogSource;
use crate::limits::MAX_BLOG_DOCUMENT_BYTES;
use wardroom_appdir::AppDirError;
use wardroom_service::ServiceError;

impl BlogSource {
    /// Returns the body of a file, given where it began when the file had that state.
    ///
    /// # Errors
    /// When the file is gone or cannot be read.
    pub(crate) fn read_body(&self, path: &str, body_start: usize, stat: Option<u64>) -> Result<String, ServiceError> {
        let failed = |error| ServiceError::from_read_error(&format!("the file {path} of the blog"), error);
        let file = self.folder.open(path).map_err(failed)?;
        let content = file.read(MAX_BLOG_DOCUMENT_BYTES).map_err(failed)?;
        let (is_same, bytes) = (stat == Some(stat_hash(&content.stat)), content.bytes);
        let body_start = if is_same { body_start } else { self.find_body(path, &bytes)? };
        let text = String::from_utf8(bytes).map_err(|_| failed(AppDirError::NotUtf8(path.to_owned())))?;
        Ok(text.get(body_start..).unwrap_or_default().to_owned())
    }

    fn find_body(&self, path: &str, bytes: &[u8]) -> Result<usize, ServiceError> {
        let unreadable = |problem: FileProblem| {
            let FileProblem { path, line, message, .. } = problem;
            ServiceError::Invalid(format!("{path}, line {line}: {message}"))
        };
        match self.sandbox.read_front_matter(bytes) {
            Ok(Ok(front_matter)) => Ok(front_matter.body_start),
            Ok(Err(refusal)) => Err(unreadable(FileProblem::hiding(path, refusal.line(), refusal.to_string()))),
            Err(error) if error.is_of_document() => Err(unreadable(FileProblem::hiding(path, 1, error.to_string()))),
            Err(error) => Err(ServiceError::internal("the file cannot be read in the sandbox now", error)),
        }
    }
}
