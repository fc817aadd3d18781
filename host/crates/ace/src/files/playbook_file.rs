//! The file of the playbook, which people and other programs edit as well.
//!
//! Owns: the file behind links, and the replacement of exactly the text that was read.
//! Never: decides what is changed, or follows a link out of the folder or to a file that is no Markdown.

use super::place::FilePlace;
use crate::limits::MAX_PLAYBOOK_BYTES;
use wardroom_appdir::AppDirError;
use wardroom_appdir::limits::STALE_TEMP_FILE_AGE;

/// Links that are followed to the file that is replaced.
const MAX_LINKS: usize = 8;

impl FilePlace {
    /// Reads the playbook.
    ///
    /// # Errors
    /// As [`wardroom_appdir::Folder::read_text`].
    pub(super) fn read_playbook(&self) -> Result<String, AppDirError> {
        Ok(self.folder.read_text(&self.name, MAX_PLAYBOOK_BYTES)?.0)
    }

    /// Replaces the playbook if it still is `before` and, as asked at the last moment, `is_wanted`; returns whether it did. A link to
    /// the file stays a link.
    ///
    /// # Errors
    /// When a link leads elsewhere, the text is too large, or a system call fails; the file stays as it is.
    pub(super) fn replace_playbook(
        &self,
        before: &str,
        after: &str,
        is_wanted: &dyn Fn() -> bool,
    ) -> Result<bool, AppDirError> {
        if after.len() as u64 > MAX_PLAYBOOK_BYTES {
            let len = after.len() as u64;
            return Err(AppDirError::TooLarge { name: self.name.clone(), len, limit: MAX_PLAYBOOK_BYTES });
        }
        let target = self.link_target()?;
        let is_written = self.folder.write_if_wanted(&target, after.as_bytes(), before.as_bytes(), is_wanted)?;
        self.sweep(&target);
        Ok(is_written)
    }

    /// Removes what writers of the file left that were killed long ago: it lies in a project, where a person sees it.
    fn sweep(&self, target: &str) {
        let (folder, name) = match target.rsplit_once('/') {
            Some((parent, name)) => (self.folder.open_folder(parent), name),
            None => (Ok(self.folder.clone()), target),
        };
        if let Err(error) = folder.and_then(|folder| folder.sweep_temp_files_of(name, STALE_TEMP_FILE_AGE)) {
            tracing::debug!(%error, "cannot remove temporary files of the playbook");
        }
    }

    /// Returns the file that is replaced: the playbook, or what it is a link to.
    fn link_target(&self) -> Result<String, AppDirError> {
        let mut name = self.name.clone();
        for _ in 0..MAX_LINKS {
            let Ok(link) = self.folder.read_link(&name) else { return Ok(name) };
            // A project from elsewhere may have links to what its tools run.
            let is_markdown = |link: &&str| !link.starts_with('/') && link.ends_with(".md");
            let Some(link) = link.to_str().filter(is_markdown) else { return Err(AppDirError::OutsideRoot(name)) };
            name = match name.rsplit_once('/') {
                Some((parent, _)) => format!("{parent}/{link}"),
                None => link.to_owned(),
            };
        }
        Err(AppDirError::OutsideRoot(name))
    }
}
