//! The documents that wait for the thread that indexes.
//!
//! Owns: how much text may wait. The library's own queue takes ten thousand documents.
//! Never: drops a document, or waits for a thread that has ended: what waits too long is sent all the same, and the send
//! fails then.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use tantivy::TantivyDocument;
use tantivy::schema::Document;

use crate::limits::MAX_QUEUED_TEXT_BYTES;

/// The documents that wait.
#[derive(Debug, Clone, Default)]
pub(super) struct DocumentQueue(Arc<(Mutex<usize>, Condvar)>);

/// A document that waits, with its place.
#[derive(Debug)]
pub(super) struct QueuedDocument {
    document: TantivyDocument,
    _place: QueuePlace,
}

#[derive(Debug)]
struct QueuePlace {
    queue: DocumentQueue,
    text_bytes: usize,
}

/// A flush of the thread that indexes takes less.
const MAX_WAIT: Duration = Duration::from_secs(5);

impl DocumentQueue {
    /// Waits for a place, and gives it to a document with this much text.
    pub(super) fn enter(&self, document: TantivyDocument, text_bytes: usize) -> QueuedDocument {
        let (waiting, changed) = &*self.0;
        let waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = changed.wait_timeout_while(waiting, MAX_WAIT, |waiting| *waiting >= MAX_QUEUED_TEXT_BYTES);
        *waited.unwrap_or_else(PoisonError::into_inner).0 += text_bytes;
        QueuedDocument { document, _place: QueuePlace { queue: self.clone(), text_bytes } }
    }
}

impl Drop for QueuePlace {
    fn drop(&mut self) {
        let (waiting, changed) = &*self.queue.0;
        *waiting.lock().unwrap_or_else(PoisonError::into_inner) -= self.text_bytes;
        changed.notify_one();
    }
}

impl Document for QueuedDocument {
    type Value<'a> = <TantivyDocument as Document>::Value<'a>;
    type FieldsValuesIter<'a> = <TantivyDocument as Document>::FieldsValuesIter<'a>;

    fn iter_fields_and_values(&self) -> Self::FieldsValuesIter<'_> {
        self.document.iter_fields_and_values()
    }

    /// Leaves the queue.
    fn into_tantivy_document(self) -> TantivyDocument {
        self.document
    }
}
