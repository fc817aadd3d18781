//! Documents that are read whole: each file is read where its size allows, or refused as too large.
//!
//! Owns: the choice of the [`Cost`] by the size of an open file. Each service sets the sizes of
//! its documents, and [`ServiceError::from_read_error`] has the words of the refusal.
//! Never: reads more than its cost allows: a file that grew meanwhile continues as work of a higher cost.

use std::time::SystemTime;

use wardroom_appdir::{AppDirError, FileContent, OpenFile};

use super::{Cost, ServiceError, Step, Work};

/// The largest size of a document at each [`Cost`], in bytes.
#[derive(Debug, Clone, Copy)]
pub struct DocumentLimits {
    pub inline: u64,
    pub worker: u64,
    /// The largest size of all.
    pub large: u64,
}

impl DocumentLimits {
    /// Returns the cost of reading a file of this size.
    #[must_use]
    pub fn cost(self, len: u64) -> Cost {
        match len {
            len if len <= self.inline => Cost::Inline,
            len if len <= self.worker => Cost::Worker,
            _ => Cost::Large,
        }
    }

    /// Returns the work that reads an open file and converts its content. `uri` names it in errors.
    pub fn read<T: 'static>(
        self,
        file: OpenFile,
        uri: &str,
        convert: impl FnOnce(FileContent) -> Result<T, ServiceError> + Send + 'static,
    ) -> Work<T> {
        let (cost, uri) = (self.cost(file.stat().len), uri.to_owned());
        Work::in_steps(cost, move |_| {
            let failed = |error| ServiceError::from_read_error(&uri, error);
            if cost == Cost::Large {
                return convert(file.read(self.large).map_err(failed)?).map(Step::Done);
            }
            match file.read_within(self.limit(cost)).map_err(failed)? {
                Ok(content) => convert(content).map(Step::Done),
                // The file grew since it was opened.
                Err(file) => Ok(Step::Next(self.read(file, &uri, convert))),
            }
        })
    }

    /// Returns the work that reads an open file as text.
    pub fn read_text<T: 'static>(
        self,
        file: OpenFile,
        uri: &str,
        convert: impl FnOnce(String, Option<SystemTime>) -> Result<T, ServiceError> + Send + 'static,
    ) -> Work<T> {
        let owned = uri.to_owned();
        self.read(file, uri, move |FileContent { bytes, stat }| {
            let not_text = |_| ServiceError::from_read_error(&owned, AppDirError::NotUtf8(owned.clone()));
            convert(String::from_utf8(bytes).map_err(not_text)?, stat.modified)
        })
    }

    /// Returns the largest size at this cost.
    #[must_use]
    pub fn limit(self, cost: Cost) -> u64 {
        match cost {
            Cost::Inline => self.inline,
            Cost::Worker => self.worker,
            Cost::Large => self.large,
        }
    }
}
