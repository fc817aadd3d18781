//! What the workers use, as the kernel counts it: the memory of all together, and the processor time of each.
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
    ticks_per_second: u64,
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

/// What the kernel shows of a worker's process. `None` where it shows nothing: then only the worker's own limits hold.
#[derive(Debug, Default)]
pub(super) struct ProcessFiles {
    /// Its sizes.
    pub(super) statm: Option<File>,
    /// Its times, among others.
    pub(super) stat: Option<File>,
}

/// One worker, until it ends.
#[derive(Debug)]
pub(super) struct WorkerUsage {
    id: u64,
    files: ProcessFiles,
    measured_at: Option<Instant>,
    memory: Arc<WorkerMemory>,
}

impl WorkerMemory {
    #[must_use]
    pub fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            page_bytes: rustix::param::page_size(),
            ticks_per_second: rustix::param::clock_ticks_per_second(),
            workers: Mutex::default(),
        })
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

impl WorkerUsage {
    pub(super) const fn new(id: u64, files: ProcessFiles, memory: Arc<WorkerMemory>) -> Self {
        Self { id, files, measured_at: None, memory }
    }

    /// Returns the processor time of the worker so far.
    pub(super) fn processor_time(&self) -> Duration {
        let ticks = self.files.stat.as_ref().and_then(processor_ticks).unwrap_or_default();
        Duration::from_millis(ticks * 1000 / self.memory.ticks_per_second.max(1))
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
        let Some(pages) = self.files.statm.as_ref().and_then(anonymous_pages) else { return false };
        let bytes = pages * self.memory.page_bytes;
        self.measured_at = Some(Instant::now());
        let mut workers = self.memory.lock();
        workers.set(self.id, bytes);
        workers.total > self.memory.limit && workers.largest_active() == Some(self.id)
    }
}

impl Drop for WorkerUsage {
    fn drop(&mut self) {
        self.memory.lock().remove(self.id);
    }
}

/// Reads the resident memory of a process that it shares with no file, in pages; `None` once the process has ended.
fn anonymous_pages(statm: &File) -> Option<usize> {
    let mut text = [0; 128];
    let text = read_text(statm, &mut text)?;
    let mut pages = text.split(' ').skip(1).map(str::parse::<usize>);
    let (resident, shared) = (pages.next()?.ok()?, pages.next()?.ok()?);
    Some(resident.saturating_sub(shared))
}

/// Reads the processor time of a process in ticks of the clock: its own, and that of the kernel for it.
fn processor_ticks(stat: &File) -> Option<u64> {
    let mut text = [0; 1024];
    // The name of the process, which is in brackets, may contain anything.
    let (_, fields) = read_text(stat, &mut text)?.rsplit_once(')')?;
    let mut times = fields.split_ascii_whitespace().skip(11).map(str::parse::<u64>);
    Some(times.next()?.ok()? + times.next()?.ok()?)
}

fn read_text<'t>(file: &File, text: &'t mut [u8]) -> Option<&'t str> {
    let len = rustix::io::pread(file, &mut *text, 0).ok()?;
    std::str::from_utf8(text.get(..len)?).ok()
}
