//! What the command line does with a blog: make one, check it, and bring its index up to date.
//!
//! Owns: the files of a new blog.
//! Never: changes a file that exists.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::content::FileProblem;
use crate::content::project::BlogSettings;
use crate::error_code as code;
use crate::index::{BlogIndex, IndexError, UpdateScope};
use crate::{BlogInputs, Review, service_error};
use wardroom_appdir::{AppDirError, Folder, Privacy};
use wardroom_service::ServiceError;
use wardroom_service::audit::AuditTrail;

/// A blog with its index, for a command.
pub struct IndexedBlog(Arc<BlogIndex>);

/// What a check or an update found.
#[derive(Debug)]
pub struct BlogCheck {
    pub n_files: usize,
    /// Files that were read, since they were new or changed.
    pub n_read: usize,
    pub problems: Vec<FileProblem>,
}

impl IndexedBlog {
    #[must_use]
    pub fn new(inputs: BlogInputs) -> Self {
        Self(Arc::new(inputs.open().0))
    }

    /// Returns the proposals, on which a person decides.
    #[must_use]
    pub fn review(&self, trail: AuditTrail) -> Review {
        Review::new(Arc::clone(&self.0), trail)
    }

    /// Brings the index up to date, from all files where `rebuild` says so. `progress` gets how many files are read and how many there are to read, now and then.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn update(&self, rebuild: bool, progress: &mut dyn FnMut(usize, usize)) -> Result<BlogCheck, ServiceError> {
        let failed = |error| command_error(&self.0, error);
        self.0.remove_if_damaged().map_err(failed)?;
        let scope = if rebuild { UpdateScope::Rebuild } else { UpdateScope::Everything };
        const INTERVAL: Duration = Duration::from_millis(100);
        let (is_over, waiting) = (AtomicBool::new(false), thread::current());
        let updated = thread::scope(|threads| {
            let running = threads.spawn(|| {
                let updated = self.0.update(&scope, &mut |_, _| {});
                is_over.store(true, Ordering::Release);
                waiting.unpark();
                updated
            });
            while !is_over.load(Ordering::Acquire) && !running.is_finished() {
                thread::park_timeout(INTERVAL);
                let (done, total) = self.0.progress().counts();
                progress(done, total);
            }
            running.join().unwrap_or_else(|_| Err(IndexError::Damaged("the update failed".to_owned())))
        });
        let summary = updated.map_err(failed)?;
        let mut problems = self.0.problems().map_err(failed)?;
        let source = self.0.source();
        problems.extend(BlogSettings::read(&source.folder, &source.defaults).problems);
        problems.extend(summary.failures.iter().map(|(path, message)| FileProblem {
            path: path.clone(),
            line: 1,
            message: message.clone(),
            hides_file: true,
        }));
        Ok(BlogCheck { n_files: summary.n_files, n_read: summary.n_changed, problems })
    }
}

/// Converts an error for a person, who may know what the files are called.
fn command_error(index: &BlogIndex, error: IndexError) -> ServiceError {
    match error {
        IndexError::Store(error) => {
            let folder = index.describe_indexes();
            ServiceError::tool(code::NO_INDEX, format!("the folder {folder} {}", error.predicate()))
        }
        other => service_error(other),
    }
}

/// Makes the files of an empty blog in a folder. Those that exist stay as they are.
///
/// # Errors
/// When the folder cannot be written.
pub fn init_blog(folder: &Folder, name: &str) -> Result<Vec<&'static str>, AppDirError> {
    let project = serde_json::json!({"name": name, "description": "", "mainLanguage": "en", "blogLanguages": []});
    let files = [
        ("meta/project.json", format!("{project:#}\n")),
        ("meta/tags.json", "[]\n".to_owned()),
        ("meta/categories.json", "[\n  \"article\",\n  \"aside\",\n  \"page\",\n  \"picture\"\n]\n".to_owned()),
        // Drafts and proposals do not belong in the history of the blog.
        (".wardroom/.gitignore", "*\n".to_owned()),
    ];
    for dir in ["posts", "media", "scripts", "templates", "meta", ".wardroom/drafts"] {
        folder.create_folder(dir)?;
    }
    let mut written = Vec::new();
    for (path, text) in files {
        match folder.create_file(path, text.as_bytes(), Privacy::Shared) {
            Ok(()) => written.push(path),
            Err(AppDirError::AlreadyExists(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(written)
}
