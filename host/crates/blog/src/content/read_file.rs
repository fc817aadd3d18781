//! One file of a blog, read and parsed in the sandbox.
//!
//! Owns: which parser a file gets, and the problem of a file that cannot be read.
//! Never: parses anything in this process.

use std::collections::HashMap;
use std::num::NonZero;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sha2::{Digest as _, Sha256};

use super::layout::{BlogLayout, FileKind};
use super::media::MediaFile;
use super::post::{FileFacts, PostFile};
use super::problem::FileProblem;
use super::script::ScriptFile;
use crate::limits::MAX_BLOG_DOCUMENT_BYTES;
use wardroom_appdir::{AppDirError, Folder, Stat};
use wardroom_sandbox::{DocumentPosition, DocumentProblem, DocumentRefusal, DocumentSandbox, SandboxError};

/// A file, and what it says.
#[derive(Debug, Clone)]
pub(crate) struct ReadFile {
    pub(crate) path: String,
    /// [`stat_hash`] of the file as it was read; [`unsettled`] if it may have changed without a trace since.
    pub(crate) stat_hash: u64,
    /// In bytes.
    pub(crate) len: u64,
    /// `None` for a file that is left out.
    pub(crate) content: Option<DocumentContent>,
    pub(crate) problems: Vec<FileProblem>,
}

#[derive(Debug, Clone)]
pub(crate) enum DocumentContent {
    Post(Box<PostFile>),
    Media(Box<MediaFile>),
    Script(Box<ScriptFile>),
    Template(Box<ScriptFile>),
}

/// The reader of a blog's files.
#[derive(Clone, Copy)]
pub(crate) struct FileReader<'b> {
    pub(crate) blog: &'b Folder,
    pub(crate) layout: BlogLayout,
    pub(crate) sandbox: &'b DocumentSandbox,
    pub(crate) public_url: Option<&'b str>,
}

impl FileReader<'_> {
    /// Reads files, on several threads: most of the time is the sandbox's.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub(crate) fn read_all(&self, paths: &[String]) -> Result<HashMap<String, ReadFile>, SandboxError> {
        let threads = thread::available_parallelism().map_or(1, NonZero::get).min(MAX_READING_THREADS);
        let read_share = |share: &[String]| -> Result<Vec<ReadFile>, SandboxError> {
            let read = share.iter().map(|path| self.read(path));
            Ok(read.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
        };
        let share = paths.len().div_ceil(threads).max(1);
        let shares: Vec<_> = thread::scope(|scope| {
            let running: Vec<_> = paths.chunks(share).map(|share| scope.spawn(move || read_share(share))).collect();
            let panicked = |_| Err(SandboxError::Unavailable("a thread that reads files failed".to_owned()));
            running.into_iter().map(|thread| thread.join().unwrap_or_else(panicked)).collect()
        });
        let mut files = HashMap::new();
        for share in shares {
            files.extend(share?.into_iter().map(|file| (file.path.clone(), file)));
        }
        Ok(files)
    }

    /// Reads a file; `None` if it does not exist or is none of the blog's.
    ///
    /// # Errors
    /// When the sandbox does not work: that says nothing about the file.
    pub(crate) fn read(&self, path: &str) -> Result<Option<ReadFile>, SandboxError> {
        let Some(kind) = self.layout.kind_of(path) else { return Ok(None) };
        let read = self.blog.open(path).and_then(|file| file.read(MAX_BLOG_DOCUMENT_BYTES));
        let (stat, bytes) = match read {
            Ok(read) => (read.stat, read.bytes),
            Err(AppDirError::NotFound(_)) => return Ok(None),
            Err(error) => {
                let problem = FileProblem::hiding(path, 1, format!("the file {}", error.predicate()));
                // What may pass by itself is read again with the next comparison.
                let stat = self.blog.stat(path).ok().filter(|_| !error.is_transient());
                let stat_hash = stat.map_or(UNKNOWN_STATE, |stat| stat_hash(&stat));
                let path = path.to_owned();
                return Ok(Some(ReadFile { path, stat_hash, len: 0, content: None, problems: vec![problem] }));
            }
        };
        let stat_hash = if is_settled(&stat) { stat_hash(&stat) } else { unsettled(stat_hash(&stat)) };
        let facts = FileFacts { path, modified: unix_ms(stat.modified), layout: self.layout };
        let read = |stat_hash, content, problems| {
            Ok(Some(ReadFile { path: path.to_owned(), stat_hash, len: stat.len, content, problems }))
        };
        match self.parse(kind, &facts, &bytes) {
            Ok((content, problems)) => read(stat_hash, Some(content), problems),
            Err(ParseFailure::Problem(problem)) => read(stat_hash, None, vec![problem]),
            Err(ParseFailure::Stopped(error)) => {
                let problem = FileProblem::hiding(path, 1, format!("{error}: make the file simpler"));
                read(state_after(&error, stat_hash), None, vec![problem])
            }
            Err(ParseFailure::Sandbox(error)) => Err(error),
        }
    }

    fn parse(&self, kind: FileKind, facts: &FileFacts, bytes: &[u8]) -> Result<ParsedDocument, ParseFailure> {
        let script = |is_template| -> Result<(Box<ScriptFile>, Vec<FileProblem>), ParseFailure> {
            let parsed = parsed(facts, self.sandbox.read_front_matter(bytes))?;
            let mistakes = self.check_source(kind, facts, bytes, parsed.body_start);
            let (script, mut problems) = ScriptFile::new(facts, parsed.fields, parsed.body_start, is_template)?;
            problems.extend(mistakes.map_err(ParseFailure::Sandbox)?);
            Ok((Box::new(script), problems))
        };
        match kind {
            FileKind::Post => {
                let mut post = PostFile::new(facts, parsed(facts, self.sandbox.read_post(bytes, self.public_url))?)?;
                let problems = std::mem::take(&mut post.problems);
                Ok((DocumentContent::Post(Box::new(post)), problems))
            }
            FileKind::MediaSidecar => {
                let mut media = MediaFile::new(facts, parsed(facts, self.sandbox.read_sidecar(bytes))?)?;
                let problems = std::mem::take(&mut media.problems);
                Ok((DocumentContent::Media(Box::new(media)), problems))
            }
            FileKind::Script => script(false).map(|(script, problems)| (DocumentContent::Script(script), problems)),
            FileKind::Template => script(true).map(|(script, problems)| (DocumentContent::Template(script), problems)),
        }
    }

    /// Checks the syntax of a Lua script or a template after its front matter. What is wrong does not hide the file, which
    /// is shown as source.
    fn check_source(
        &self,
        kind: FileKind,
        facts: &FileFacts,
        bytes: &[u8],
        body_start: usize,
    ) -> Result<Vec<FileProblem>, SandboxError> {
        let (front_matter, source) = bytes.split_at_checked(body_start).unwrap_or((bytes, &[]));
        let (what, checked) = match kind {
            FileKind::Script if facts.path.ends_with(".lua") => ("script", self.sandbox.check_script(source)),
            FileKind::Template => ("template", self.sandbox.check_template(source)),
            FileKind::Script | FileKind::Post | FileKind::MediaSidecar => return Ok(Vec::new()),
        };
        let found = match checked {
            Ok(found) => found,
            Err(error) if error.is_of_document() => {
                return Ok(vec![FileProblem::minor(facts.path, 1, format!("{error}: make the {what} simpler"))]);
            }
            Err(error) => return Err(error),
        };
        let lines_before = front_matter.iter().filter(|byte| **byte == b'\n').count();
        let lines_before = u32::try_from(lines_before).unwrap_or(u32::MAX);
        let problem = |DocumentProblem { position: DocumentPosition { line, column }, message }| {
            let message = format!("column {column}: {message}: correct the {what} there");
            FileProblem::minor(facts.path, lines_before.saturating_add(line), message)
        };
        Ok(found.into_iter().map(problem).collect())
    }
}

type ParsedDocument = (DocumentContent, Vec<FileProblem>);

/// Why a file has no content.
enum ParseFailure {
    Problem(FileProblem),
    /// The sandbox stopped the document.
    Stopped(SandboxError),
    /// The sandbox does not work, which says nothing of the file.
    Sandbox(SandboxError),
}

impl From<FileProblem> for ParseFailure {
    fn from(problem: FileProblem) -> Self {
        Self::Problem(problem)
    }
}

/// Separates the reasons for which a document was not parsed.
fn parsed<T>(facts: &FileFacts, parsed: Result<Result<T, DocumentRefusal>, SandboxError>) -> Result<T, ParseFailure> {
    match parsed {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(refusal)) => {
            Err(ParseFailure::Problem(FileProblem::hiding(facts.path, refusal.line(), remedy(&refusal))))
        }
        Err(error) if error.is_of_document() => Err(ParseFailure::Stopped(error)),
        Err(error) => Err(ParseFailure::Sandbox(error)),
    }
}

/// Returns the state of a file whose document was stopped. A machine that is busy or asleep takes time as well, so that a
/// timeout may not come again.
const fn state_after(error: &SandboxError, stat_hash: u64) -> u64 {
    match error {
        SandboxError::Timeout(_) => UNKNOWN_STATE,
        _ => stat_hash,
    }
}

fn remedy(refusal: &DocumentRefusal) -> String {
    let what = match refusal {
        DocumentRefusal::TooLarge(_) | DocumentRefusal::TooMuch(_) => "split the file",
        DocumentRefusal::NotUtf8(_) => "save the file as UTF-8",
        DocumentRefusal::Malformed(..) => "correct the front matter there",
        DocumentRefusal::TooDeep(_) => "write the front matter with fewer levels",
    };
    format!("{refusal}: {what}")
}

/// The state of a file that could not be read: it is read again with the next comparison.
const UNKNOWN_STATE: u64 = 0;
/// In the state of a file that may have changed without a trace since it was read: it is read again once it is settled.
const UNSETTLED: u64 = 1;
const MAX_READING_THREADS: usize = 4;

/// Whether the last change is so long ago that a further one shows. A time to come is that of another clock.
pub(crate) fn is_settled(stat: &Stat) -> bool {
    const SETTLE_TIME: Duration = Duration::from_secs(2);
    stat.changed.and_then(|changed| changed.elapsed().ok()).is_none_or(|age| age >= SETTLE_TIME)
}

/// Returns the state of a file that was read before it was settled.
pub(crate) const fn unsettled(stat_hash: u64) -> u64 {
    stat_hash | UNSETTLED
}

/// Whether the state is one of a file that was read before it was settled.
pub(crate) const fn is_unsettled(state: u64) -> bool {
    state & UNSETTLED == UNSETTLED
}

/// Returns a hash of what tells two states of a file apart, for a settled file. It is the same on every machine.
pub(crate) fn stat_hash(stat: &Stat) -> u64 {
    let mut bytes = Vec::with_capacity(32);
    bytes.extend(stat.len.to_le_bytes());
    bytes.extend(unix_nanos(stat.modified).to_le_bytes());
    bytes.extend(unix_nanos(stat.changed).to_le_bytes());
    bytes.extend(stat.file_id.inode.to_le_bytes());
    (hash64(&bytes) & !UNSETTLED).max(UNKNOWN_STATE + 2)
}

/// Returns the first 64 bits of the SHA-256 of some bytes.
pub(crate) fn hash64(bytes: &[u8]) -> u64 {
    let digest: [u8; 32] = Sha256::digest(bytes).into();
    let (first, _) = digest.split_first_chunk().unwrap_or((&[0; 8], &[]));
    u64::from_le_bytes(*first)
}

fn unix_nanos(time: Option<SystemTime>) -> u128 {
    time.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default().as_nanos()
}

fn unix_ms(time: Option<SystemTime>) -> i64 {
    i64::try_from(unix_nanos(time) / 1_000_000).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_that_timed_out_is_read_again() {
        let read = 12_345;
        assert_eq!(state_after(&SandboxError::Timeout(Duration::from_secs(1)), read), UNKNOWN_STATE);
        assert_eq!(state_after(&SandboxError::MemoryLimit(1), read), read);
    }
}
