//! The ledger of memory: the bytes that this process holds because of what outsiders sent.
//!
//! Owns: the sum, its limit, and the shares of runs and callers within it.
//! Never: allocates for others, or waits for bytes: who cannot have them now tries again later, or fails.

use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Arc, Condvar, Mutex, PoisonError};

use crate::byte_size::ByteSize;

/// A limit of bytes, and how many are taken. A share is within another one, up to the whole budget of the process.
#[derive(Debug, Clone)]
pub struct MemoryShare(Arc<ShareInner>);

#[derive(Debug)]
struct ShareInner {
    holder: MemoryHolder,
    limit: usize,
    used: AtomicUsize,
    peak: AtomicUsize,
    outer: Option<MemoryShare>,
    changes: Changes,
}

/// How often the sum went into another step of [`CHANGE_STEP_BYTES`].
#[derive(Debug, Default)]
struct Changes {
    count: Mutex<u64>,
    changed: Condvar,
}

/// Smaller changes of the sum are not reported.
const CHANGE_STEP_BYTES: usize = 1024 * 1024;

/// Whose bytes a share counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryHolder {
    /// The process, for all callers together.
    Server,
    Caller,
    Run,
}

/// More bytes than a share has left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} would hold {}, and the limit is {}: {}", holder.subject(), ByteSize(*needed as u64), ByteSize(*limit as u64),
    holder.remedy()
)]
pub struct OutOfMemory {
    pub holder: MemoryHolder,
    /// What the holder would have with the bytes.
    pub needed: usize,
    pub limit: usize,
}

/// Bytes of a share, until this is dropped.
#[derive(Debug)]
pub struct MemoryLease {
    share: MemoryShare,
    bytes: usize,
}

impl MemoryHolder {
    const fn subject(self) -> &'static str {
        match self {
            Self::Server => "the server",
            Self::Caller => "this caller",
            Self::Run => "the run",
        }
    }

    const fn remedy(self) -> &'static str {
        match self {
            Self::Server => "try again later, or raise [server] memory",
            Self::Caller => "try again when other calls have ended",
            Self::Run => "return less, or store it in parts",
        }
    }
}

impl MemoryShare {
    /// Creates the budget of a process.
    #[must_use]
    pub fn budget(limit: usize) -> Self {
        Self::new(MemoryHolder::Server, limit, None)
    }

    fn new(holder: MemoryHolder, limit: usize, outer: Option<Self>) -> Self {
        Self(Arc::new(ShareInner {
            holder,
            limit,
            used: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
            outer,
            changes: Changes::default(),
        }))
    }

    /// Creates a share within this one.
    #[must_use]
    pub fn share(&self, holder: MemoryHolder, limit: usize) -> Self {
        Self::new(holder, limit.min(self.0.limit), Some(self.clone()))
    }

    /// Takes bytes.
    ///
    /// # Errors
    /// When this share or one around it has fewer left.
    pub fn lease(&self, bytes: usize) -> Result<MemoryLease, OutOfMemory> {
        let mut lease = self.lease_none();
        lease.resize(bytes)?;
        Ok(lease)
    }

    /// Takes bytes that are held already, even above the limit.
    #[must_use]
    pub fn lease_held(&self, bytes: usize) -> MemoryLease {
        self.add(bytes);
        MemoryLease { share: self.clone(), bytes }
    }

    /// Creates a lease of no bytes, which can grow.
    #[must_use]
    pub fn lease_none(&self) -> MemoryLease {
        MemoryLease { share: self.clone(), bytes: 0 }
    }

    #[must_use]
    pub fn limit(&self) -> usize {
        self.0.limit
    }

    #[must_use]
    pub fn used(&self) -> usize {
        self.0.used.load(Ordering::Relaxed)
    }

    /// Identifies the caller's share that this one is within, among those that exist.
    #[must_use]
    pub fn caller_key(&self) -> usize {
        let caller = self.around().find(|inner| inner.holder != MemoryHolder::Run);
        caller.map_or(0, |inner| std::ptr::from_ref(inner).addr())
    }

    /// Whether more than half of this share is taken.
    #[must_use]
    pub fn is_scarce(&self) -> bool {
        self.0.is_scarce()
    }

    /// Whether more than half of the whole budget is taken.
    #[must_use]
    pub fn is_budget_scarce(&self) -> bool {
        self.around().last().is_some_and(ShareInner::is_scarce)
    }

    /// Returns the most bytes that were taken at a time.
    #[must_use]
    pub fn peak(&self) -> usize {
        self.0.peak.load(Ordering::Relaxed)
    }

    /// Waits until this share has changed by some MiB since the change of that number, and returns the last one's.
    #[must_use]
    pub fn wait_for_change(&self, last: u64) -> u64 {
        let changes = &self.0.changes;
        let count = changes.count.lock().unwrap_or_else(PoisonError::into_inner);
        *changes.changed.wait_while(count, |count| *count == last).unwrap_or_else(PoisonError::into_inner)
    }

    fn around(&self) -> impl Iterator<Item = &ShareInner> {
        std::iter::successors(Some(&*self.0), |inner| inner.outer.as_ref().map(|outer| &*outer.0))
    }

    fn add(&self, bytes: usize) {
        for inner in self.around() {
            let used = inner.add(bytes);
            inner.peak.fetch_max(used, Ordering::Relaxed);
        }
    }

    fn subtract(&self, bytes: usize) {
        self.around().for_each(|inner| inner.subtract(bytes));
    }

    /// Adds bytes to this share and all around it, or to none.
    fn try_add(&self, bytes: usize) -> Result<(), OutOfMemory> {
        for (at, inner) in self.around().enumerate() {
            if let Err(needed) = inner.try_add(bytes) {
                self.around().take(at).for_each(|inner| inner.subtract(bytes));
                return Err(OutOfMemory { holder: inner.holder, needed, limit: inner.limit });
            }
        }
        Ok(())
    }
}

impl ShareInner {
    fn is_scarce(&self) -> bool {
        self.used.load(Ordering::Relaxed) > self.limit / 2
    }

    /// Adds bytes, and returns the sum.
    fn add(&self, bytes: usize) -> usize {
        let before = self.used.fetch_add(bytes, Ordering::Relaxed);
        let used = before.saturating_add(bytes);
        self.report_change(before, used);
        used
    }

    /// Adds bytes unless they exceed the limit; the error is the sum that they would make. The counter never shows a
    /// refused sum, so that a concurrent lease is not refused because of it.
    fn try_add(&self, bytes: usize) -> Result<(), usize> {
        let sum = |used: usize| used.checked_add(bytes).filter(|sum| *sum <= self.limit);
        match self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, sum) {
            Ok(before) => {
                self.peak.fetch_max(before + bytes, Ordering::Relaxed);
                self.report_change(before, before + bytes);
                Ok(())
            }
            Err(used) => Err(used.saturating_add(bytes)),
        }
    }

    fn subtract(&self, bytes: usize) {
        let before = self.used.fetch_sub(bytes, Ordering::Relaxed);
        self.report_change(before, before - bytes);
    }

    fn report_change(&self, before: usize, after: usize) {
        if before / CHANGE_STEP_BYTES != after / CHANGE_STEP_BYTES {
            *self.changes.count.lock().unwrap_or_else(PoisonError::into_inner) += 1;
            self.changes.changed.notify_all();
        }
    }
}

impl MemoryLease {
    /// Changes the lease to as many bytes.
    ///
    /// # Errors
    /// When it would grow by more than its share has left. It keeps its size then.
    pub fn resize(&mut self, bytes: usize) -> Result<(), OutOfMemory> {
        match bytes.checked_sub(self.bytes) {
            // Also above the limit: nothing is taken.
            Some(0) => {}
            Some(more) => self.share.try_add(more)?,
            None => self.share.subtract(self.bytes - bytes),
        }
        self.bytes = bytes;
        Ok(())
    }

    /// Changes the lease to as many bytes, which are held already, even above the limit.
    pub fn resize_held(&mut self, bytes: usize) {
        match bytes.checked_sub(self.bytes) {
            Some(0) => {}
            Some(more) => self.share.add(more),
            None => self.share.subtract(self.bytes - bytes),
        }
        self.bytes = bytes;
    }

    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    #[must_use]
    pub const fn share(&self) -> &MemoryShare {
        &self.share
    }
}

impl Drop for MemoryLease {
    fn drop(&mut self) {
        if self.bytes > 0 {
            self.share.subtract(self.bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_given_above_limit_and_no_lease_is_needed_for_nothing() {
        let budget = MemoryShare::budget(100);
        let share = budget.share(MemoryHolder::Run, 60);
        let held = budget.lease_held(120);
        assert!(share.lease(0).is_ok());
        assert_eq!(share.lease(1).unwrap_err(), OutOfMemory { holder: MemoryHolder::Server, needed: 121, limit: 100 });
        assert_eq!((share.used(), budget.used()), (0, 120));
        drop(held);
        let mut lease = share.lease(60).unwrap();
        assert_eq!(lease.resize(61).unwrap_err().holder, MemoryHolder::Run);
        assert_eq!((lease.bytes(), share.used(), budget.used()), (60, 60, 60));
        drop(lease);
        assert_eq!((share.used(), budget.used(), budget.peak()), (0, 0, 120));
    }
}
