//! The store of one instance: a WASI context that grants nothing, and the limiter of its memory.
//!
//! A fresh instance has its arguments. It has no environment and no command line, its input is empty, its output is
//! discarded, and the seed of its hash tables is a constant. More than that is not linked (see `imports`).
//! Never: inherits anything from this process.

use wasmtime::{Engine, ResourceLimiter, Store};
use wasmtime_wasi::{ResourceTable, WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};

use crate::limits::{GUEST_EPOCH_INTERVAL, MAX_GUEST_TABLE_ELEMENTS};
use crate::runner::InstanceLimits;

pub(super) struct GuestState {
    wasi: WasiCtx,
    table: ResourceTable,
    pub(super) memory_limiter: MemoryLimiter,
}

/// Refuses growth beyond the limits and records the refusal: the guest's own failure afterwards is a plain trap.
pub(super) struct MemoryLimiter {
    most_bytes: usize,
    pub(super) has_refused_memory: bool,
}

impl WasiView for GuestState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

impl ResourceLimiter for MemoryLimiter {
    fn memory_growing(&mut self, _now: usize, desired: usize, _max: Option<usize>) -> wasmtime::Result<bool> {
        let granted = desired <= self.most_bytes;
        self.has_refused_memory |= !granted;
        Ok(granted)
    }

    fn table_growing(&mut self, _now: usize, desired: usize, _max: Option<usize>) -> wasmtime::Result<bool> {
        Ok(desired <= MAX_GUEST_TABLE_ELEMENTS)
    }
}

/// Creates the store of one call, which is dropped after the call in any case.
pub(super) fn new_store(engine: &Engine, limits: &InstanceLimits) -> Store<GuestState> {
    let mut wasi = WasiCtxBuilder::new();
    wasi.insecure_random_seed(0);
    let memory_limiter = MemoryLimiter { most_bytes: limits.memory_bytes, has_refused_memory: false };
    let mut store = Store::new(engine, GuestState { wasi: wasi.build(), table: ResourceTable::new(), memory_limiter });
    store.limiter(|state| &mut state.memory_limiter);
    store.set_hostcall_fuel(limits.output_bytes);
    store.set_epoch_deadline(epoch_deadline_ticks(limits));
    store.epoch_deadline_trap();
    store
}

/// The ticks of a call's time limit, plus one, since a call may start just before a tick.
fn epoch_deadline_ticks(limits: &InstanceLimits) -> u64 {
    let ticks = limits.call_timeout.as_nanos() / GUEST_EPOCH_INTERVAL.as_nanos();
    u64::try_from(ticks).unwrap_or(u64::MAX).saturating_add(1)
}
