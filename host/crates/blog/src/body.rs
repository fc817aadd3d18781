//! The bodies of posts, scripts and templates, from their files.
//!
//! Owns: that a body is what the file says now: where the file changed after the index saw it, the front matter is read
//! again.
//! Never: returns a part of the front matter as the body.

use crate::content::FileProblem;
use crate::content::read_file::stat_hash;
use crate::index::BlogSource;
use crate::limits::MAX_BLOG_DOCUMENT_BYTES;
use wardroom_appdir::{AppDirError, FileContent};
use wardroom_sandbox::{DocumentRefusal, SandboxError};
use wardroom_service::ServiceError;

impl BlogSource {
    /// Returns the body of a file, given where it began when the file had that state.
    ///
    /// # Errors
    /// When the file is gone or cannot be read.
    pub(crate) fn read_body(&self, path: &str, body_start: usize, stat: Option<u64>) -> Result<String, ServiceError> {
        let content = self.read_document(path)?;
        let (is_same, bytes) = (stat == Some(stat_hash(&content.stat)), content.bytes);
        let body_start = if is_same { body_start } else { self.find_body(path, &bytes)? };
        let text = String::from_utf8(bytes).map_err(|_| read_error(path, AppDirError::NotUtf8(path.to_owned())))?;
        Ok(text.get(body_start..).unwrap_or_default().to_owned())
    }

    /// Returns the body of a post, as the guest renders it: HTML without scripts, styles and forms.
    ///
    /// # Errors
    /// When the file is gone, cannot be read, or is no post.
    pub(crate) fn render_preview(&self, path: &str) -> Result<String, ServiceError> {
        let content = self.read_document(path)?;
        accepted(path, self.sandbox.preview(&content.bytes))
    }

    /// Returns the body of a text that is in no file, as [`Self::render_preview`] does.
    ///
    /// # Errors
    /// When the text cannot be read.
    pub(crate) fn preview_text(&self, path: &str, text: &str) -> Result<String, ServiceError> {
        accepted(path, self.sandbox.preview(text.as_bytes()))
    }

    fn read_document(&self, path: &str) -> Result<FileContent, ServiceError> {
        let file = self.folder.open(path).map_err(|error| read_error(path, error))?;
        file.read(MAX_BLOG_DOCUMENT_BYTES).map_err(|error| read_error(path, error))
    }

    fn find_body(&self, path: &str, bytes: &[u8]) -> Result<usize, ServiceError> {
        Ok(accepted(path, self.sandbox.read_front_matter(bytes))?.body_start)
    }
}

fn read_error(path: &str, error: AppDirError) -> ServiceError {
    ServiceError::from_read_error(&format!("the file {path} of the blog"), error)
}

/// Returns what the guest made of a file, or names the line that it refused.
fn accepted<T>(path: &str, answer: Result<Result<T, DocumentRefusal>, SandboxError>) -> Result<T, ServiceError> {
    let unreadable = |problem: FileProblem| {
        let FileProblem { path, line, message, .. } = problem;
        ServiceError::Invalid(format!("{path}, line {line}: {message}"))
    };
    match answer {
        Ok(Ok(made)) => Ok(made),
        Ok(Err(refusal)) => Err(unreadable(FileProblem::hiding(path, refusal.line(), refusal.to_string()))),
        Err(error) if error.is_of_document() => Err(unreadable(FileProblem::hiding(path, 1, error.to_string()))),
        Err(error) => Err(ServiceError::internal("the file cannot be read in the sandbox now", error)),
    }
}
