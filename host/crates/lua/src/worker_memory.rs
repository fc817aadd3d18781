//! The memory of all workers together, as the kernel counts it.
//!
//! Owns: the size of each worker when it was last measured, their sum and its limit.
//! Never: trusts a worker: what it says of itself is not asked.

use std::collections::HashMap;
use std::fs::File;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::limits::WORKER_MEASURE_INTERVAL;

/// The memory of all workers.
#[derive(Debug)]
pub struct WorkerMemory {
    limit: usize,
    /// Asked for at the start: a confined process cannot find it out.
    page_bytes: usize,
    workers: Mutex<MeasuredWorkers>,
}

#[derive(Debug, Default)]
struct MeasuredWorkers {
    sizes: HashMap<u64, MeasuredSize>,
    total: usize,
}

#[derive(Debug, Clone, Copy)]
struct MeasuredSize {
    bytes: usize,
    at: Instant,
}

/// One worker, until it ends.
#[derive(Debug)]
pub(super) struct WorkerSize {
    id: u64,
    /// What the kernel shows of the process. `None` where it shows nothing: then only the worker's own limit holds.
    statm: Option<File>,
    measured_at: Option<Instant>,
    memory: Arc<WorkerMemory>,
}

impl WorkerMemory {
    #[must_use]
    pub fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { limit, page_bytes: rustix::param::page_size(), workers: Mutex::default() })
    }

    /// Returns what all workers had when each was last measured.
    #[must_use]
    pub fn used(&self) -> usize {
        self.lock().total
    }

    #[must_use]
    pub const fn limit(&self) -> usize {
        self.limit
    }

    /// Whether more than half of the limit is used.
    #[must_use]
    pub fn is_scarce(&self) -> bool {
        self.used() > self.limit / 2
    }

    fn lock(&self) -> MutexGuard<'_, MeasuredWorkers> {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MeasuredWorkers {
    fn set(&mut self, id: u64, bytes: usize) {
        let before = self.sizes.insert(id, MeasuredSize { bytes, at: Instant::now() });
        self.total = self.total + bytes - before.map_or(0, |size| size.bytes);
    }

    fn remove(&mut self, id: u64) {
        self.total -= self.sizes.remove(&id).map_or(0, |size| size.bytes);
    }

    /// Returns the worker that computes and has the most. One that was not measured for a while waits for its client.
    fn largest_active(&self) -> Option<u64> {
        const ACTIVE: Duration = Duration::from_millis(500);
        let active = self.sizes.iter().filter(|(_, size)| size.at.elapsed() < ACTIVE);
        active.max_by_key(|(id, size)| (size.bytes, **id)).map(|(id, _)| *id)
    }
}

impl WorkerSize {
    pub(super) const fn new(id: u64, statm: Option<File>, memory: Arc<WorkerMemory>) -> Self {
        Self { id, statm, measured_at: None, memory }
    }

    pub(super) fn limit(&self) -> usize {
        self.memory.limit
    }

    /// Measures the worker, unless it was measured just now. Returns whether it has to end: all workers together have
    /// more than they may, and this one has the most of those that compute.
    pub(super) fn is_over_limit(&mut self) -> bool {
        if self.measured_at.is_some_and(|at| at.elapsed() < WORKER_MEASURE_INTERVAL) {
            return false;
        }
        let Some(pages) = self.statm.as_ref().and_then(anonymous_pages) else { return false };
        let bytes = pages * self.memory.page_bytes;
        self.measured_at = Some(Instant::now());
        let mut workers = self.memory.lock();
        workers.set(self.id, bytes);
        workers.total > self.memory.limit && workers.largest_active() == Some(self.id)
    }
}

impl Drop for WorkerSize {
    fn drop(&mut self) {
        self.memory.lock().remove(self.id);
    }
}

/// Reads the resident memory of a process that it shares with no file, in pages; `None` once the process has ended.
fn anonymous_pages(statm: &File) -> Option<usize> {
    let mut text = [0; 128];
    let len = rustix::io::pread(statm, &mut text, 0).ok()?;
    let text = std::str::from_utf8(text.get(..len)?).ok()?;
    let mut pages = text.split(' ').skip(1).map(str::parse::<usize>);
    let (resident, shared) = (pages.next()?.ok()?, pages.next()?.ok()?);
    Some(resident.saturating_sub(shared))
}
