//! What the workers use, as the kernel counts it: the memory of all together, and the processor time of each.
//!
//! Owns: the size of each worker when it was last measured, their sum and its limit.
//! Never: trusts a worker: what it says of itself is not asked.

use std::cell::Cell;
use std::collections::HashMap;
use std::fs::File;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::limits::{MAX_IDLE_WORKER_BYTES, WORKER_MEASURE_INTERVAL};
use wardroom_appdir::ambient;

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
    /// Whose run or call it is: the key of a caller's share of memory.
    caller: usize,
    at: Instant,
}

/// What the kernel shows of a worker's process. `None` where it shows nothing: then only the worker's own limits hold.
#[derive(Debug, Default)]
pub(super) struct ProcessFiles {
    /// Its sizes.
    pub(super) statm: Option<File>,
    /// Its processor time: `schedstat`, in nanoseconds, or `stat`, in ticks of the clock ([`times_file`]).
    pub(super) times: Option<File>,
}

impl ProcessFiles {
    pub(super) const fn are_complete(&self) -> bool {
        self.statm.is_some() && self.times.is_some()
    }
}

/// One worker, until it ends.
#[derive(Debug)]
pub(super) struct WorkerUsage {
    id: u64,
    files: ProcessFiles,
    /// When the worker was last measured, or taken by its first run.
    measured_at: Option<Instant>,
    /// What it had then.
    bytes: usize,
    caller: usize,
    /// The last reading: there is none once the process has ended.
    processor_time: Cell<Duration>,
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

    /// Returns how many workers have memory that counts.
    #[must_use]
    pub fn active_workers(&self) -> usize {
        self.lock().sizes.len()
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
    fn set(&mut self, id: u64, bytes: usize, caller: usize) {
        let before = self.sizes.insert(id, MeasuredSize { bytes, caller, at: Instant::now() });
        self.total = self.total + bytes - before.map_or(0, |size| size.bytes);
    }

    fn remove(&mut self, id: u64) {
        self.total -= self.sizes.remove(&id).map_or(0, |size| size.bytes);
    }

    /// Returns the worker to end: of those that compute, the largest one of the caller whose workers have the most. One
    /// that was not measured for a while waits for its client.
    fn largest_active(&self) -> Option<u64> {
        const ACTIVE: Duration = Duration::from_millis(500);
        let mut by_caller = HashMap::<usize, usize>::new();
        self.sizes.values().for_each(|size| *by_caller.entry(size.caller).or_default() += size.bytes);
        let active = self.sizes.iter().filter(|(_, size)| size.at.elapsed() < ACTIVE);
        let weight = |size: &MeasuredSize| by_caller.get(&size.caller).copied().unwrap_or_default();
        active.max_by_key(|(id, size)| (weight(size), size.caller, size.bytes, **id)).map(|(id, _)| *id)
    }
}

impl WorkerUsage {
    pub(super) const fn new(id: u64, files: ProcessFiles, memory: Arc<WorkerMemory>) -> Self {
        Self { id, files, measured_at: None, bytes: 0, caller: 0, processor_time: Cell::new(Duration::ZERO), memory }
    }

    /// Returns the processor time of the worker so far, or when it was last read.
    pub(super) fn processor_time(&self) -> Duration {
        let read = self.files.times.as_ref().and_then(|times| read_processor_time(times, self.memory.ticks_per_second));
        if let Some(time) = read {
            self.processor_time.set(time);
        }
        self.processor_time.get()
    }

    /// Notes that a run or a call of a caller takes the worker. A new one has little, and is measured an interval later.
    pub(super) fn begin_run(&mut self, caller: usize) {
        self.caller = caller;
        self.measured_at.get_or_insert_with(Instant::now);
    }

    /// Whether the worker had more when it was last measured than one may keep that waits for another call, or its end.
    pub(super) const fn is_large(&self) -> bool {
        self.bytes > MAX_IDLE_WORKER_BYTES
    }

    /// Measures a worker whose call has ended, and returns whether it may be kept. Until its next call its memory does
    /// not count: no run could be ended to get it back.
    pub(super) fn end_call(&mut self) -> bool {
        self.measure_if_due();
        self.memory.lock().remove(self.id);
        !self.is_large()
    }

    pub(super) fn limit(&self) -> usize {
        self.memory.limit
    }

    /// Measures the worker, unless it was measured just now. Returns whether it has to end: all workers together have
    /// more than they may, and this one has the most of those that compute.
    pub(super) fn is_over_limit(&mut self) -> bool {
        if !self.measure_if_due() {
            return false;
        }
        let mut workers = self.memory.lock();
        workers.set(self.id, self.bytes, self.caller);
        workers.total > self.memory.limit && workers.largest_active() == Some(self.id)
    }

    /// Measures the worker, unless it was measured just now. Returns whether it was.
    fn measure_if_due(&mut self) -> bool {
        if self.measured_at.is_some_and(|at| at.elapsed() < WORKER_MEASURE_INTERVAL) {
            return false;
        }
        let Some(pages) = self.files.statm.as_ref().and_then(anonymous_pages) else { return false };
        (self.bytes, self.measured_at) = (pages * self.memory.page_bytes, Some(Instant::now()));
        true
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

/// Returns the name of the file that shows the processor time of a process: `schedstat`, unless the kernel counts nothing there, not
/// even for `running`, a process that has run.
pub(super) fn times_file(running: u32) -> &'static str {
    let shown = ambient::open_process_file(running, "schedstat").ok().and_then(|file| read_processor_time(&file, 1));
    if shown.is_some_and(|time| !time.is_zero()) { "schedstat" } else { "stat" }
}

/// Reads the processor time of a process, which has one thread: its own, and that of the kernel for it.
fn read_processor_time(times: &File, ticks_per_second: u64) -> Option<Duration> {
    let mut text = [0; 1024];
    parse_processor_time(read_text(times, &mut text)?, ticks_per_second)
}

fn parse_processor_time(text: &str, ticks_per_second: u64) -> Option<Duration> {
    // The name of the process, which is in brackets and in `stat` alone, may contain anything.
    let Some((_, fields)) = text.rsplit_once(')') else {
        return Some(Duration::from_nanos(text.split_ascii_whitespace().next()?.parse().ok()?));
    };
    let mut times = fields.split_ascii_whitespace().skip(11).map(str::parse::<u64>);
    let ticks = times.next()?.ok()? + times.next()?.ok()?;
    Some(Duration::from_millis(ticks * 1000 / ticks_per_second.max(1)))
}

fn read_text<'t>(file: &File, text: &'t mut [u8]) -> Option<&'t str> {
    let len = rustix::io::pread(file, &mut *text, 0).ok()?;
    std::str::from_utf8(text.get(..len)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worker_between_calls_counts_no_memory() {
        let memory = WorkerMemory::new(usize::MAX);
        let mut usage = WorkerUsage::new(1, ProcessFiles::default(), Arc::clone(&memory));
        for (bytes, is_kept) in [(MAX_IDLE_WORKER_BYTES, true), (MAX_IDLE_WORKER_BYTES + 1, false)] {
            usage.begin_run(0);
            usage.bytes = bytes;
            memory.lock().set(1, bytes, 0);
            assert_eq!(memory.used(), bytes);
            assert_eq!(usage.end_call(), is_kept);
            assert_eq!(memory.used(), 0);
        }
    }

    #[test]
    fn caller_whose_workers_have_the_most_loses_one() {
        let memory = WorkerMemory::new(usize::MAX);
        let mut workers = memory.lock();
        workers.set(1, 80, 7);
        workers.set(2, 50, 8);
        workers.set(3, 60, 8);
        assert_eq!(workers.largest_active(), Some(3));
        workers.remove(3);
        assert_eq!(workers.largest_active(), Some(1));
    }

    #[test]
    fn processor_time_is_read_in_both_forms() {
        let parse = |text| parse_processor_time(text, 100);
        assert_eq!(parse("1234567890 51 7\n"), Some(Duration::from_nanos(1_234_567_890)));
        let stat = "30805 (a) 9 (b) S 1 1 1 0 -1 4194368 112 0 0 0 250 17 0 0 20 0 1 0";
        assert_eq!(parse(stat), Some(Duration::from_millis(2670)));
        for unreadable in ["", "x 1 2", "7 (a) S 1"] {
            assert_eq!(parse(unreadable), None, "{unreadable}");
        }
    }

    #[test]
    fn processor_time_outlasts_process() {
        let memory = WorkerMemory::new(usize::MAX);
        let usage = WorkerUsage::new(1, ProcessFiles::default(), memory);
        usage.processor_time.set(Duration::from_secs(3));
        assert_eq!(usage.processor_time(), Duration::from_secs(3));
    }
}
