//! Files that are read together.
//!
//! Owns: how much text is in memory, and that one batch is read while the one before is applied.
//! Never: knows what is done with a batch.

use std::collections::HashMap;
use std::thread;

use super::error::IndexError;
use super::scan::FoundFile;
use crate::content::read_file::{FileReader, ReadFile};
use crate::limits::{INDEX_BATCH_BYTES, INDEX_BATCH_FILES};
use wardroom_sandbox::SandboxError;

/// Files of a batch. Tests make several of a few.
const BATCH_FILES: usize = if cfg!(test) { 1 } else { INDEX_BATCH_FILES };

/// Splits files into batches that are in memory at once.
pub(super) fn split_batches(files: Vec<FoundFile>) -> Vec<Vec<String>> {
    let mut batches: Vec<Vec<String>> = Vec::new();
    let mut bytes = 0;
    for file in files {
        bytes += file.len;
        match batches.last_mut() {
            Some(batch) if batch.len() < BATCH_FILES && bytes <= INDEX_BATCH_BYTES => batch.push(file.path),
            _ => {
                bytes = file.len;
                batches.push(vec![file.path]);
            }
        }
    }
    batches
}

/// Reads files in batches, each while the one before is applied.
pub(super) fn read_ahead(
    reader: FileReader<'_>,
    batches: Vec<Vec<String>>,
    mut apply: impl FnMut(&[String], HashMap<String, ReadFile>) -> Result<(), IndexError>,
) -> Result<(), IndexError> {
    thread::scope(|scope| {
        let mut batches = batches.into_iter().map(|batch| {
            scope.spawn(move || {
                let files = reader.read_all(&batch);
                (batch, files)
            })
        });
        let mut next = batches.next();
        while let Some(reading) = next {
            next = batches.next();
            let failed = |_| SandboxError::Unavailable("a thread that reads files failed".to_owned());
            let (batch, files) = reading.join().map_err(failed)?;
            apply(&batch, files?)?;
        }
        Ok(())
    })
}
