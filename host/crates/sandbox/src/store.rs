//! The store of one instance: a WASI context that grants nothing, and the limiter of its memory.
//!
//! A fresh instance has its arguments, and, if it imports them, a clock and randomness (the shipped guest does not). It
//! has no directories, no environment, no command line, no network and no name lookup. Its input is empty and its
//! output is discarded.
//! Never: inherits anything from this process.

use wasmtime::{Engine, ResourceLimiter, Store};
use wasmtime_wasi::{ResourceTable, WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};

use crate::limits::{
    GUEST_CALL_TIMEOUT, GUEST_EPOCH_INTERVAL, MAX_GUEST_MEMORY_BYTES, MAX_GUEST_OUTPUT_BYTES, MAX_GUEST_TABLE_ELEMENTS,
};

pub(super) struct GuestState {
    wasi: WasiCtx,
    table: ResourceTable,
    pub(super) memory_limiter: MemoryLimiter,
}

/// Refuses growth beyond the limits and records the refusal: the guest's own failure afterwards is a plain trap.
#[derive(Default)]
pub(super) struct MemoryLimiter {
    pub(super) has_refused_memory: bool,
}

impl WasiView for GuestState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

impl ResourceLimiter for MemoryLimiter {
    fn memory_growing(&mut self, _now: usize, desired: usize, _max: Option<usize>) -> wasmtime::Result<bool> {
        let granted = desired <= MAX_GUEST_MEMORY_BYTES;
        self.has_refused_memory |= !granted;
        Ok(granted)
    }

    fn table_growing(&mut self, _now: usize, desired: usize, _max: Option<usize>) -> wasmtime::Result<bool> {
        Ok(desired <= MAX_GUEST_TABLE_ELEMENTS)
    }
}

/// Creates the store of one call, which is dropped after the call in any case.
pub(super) fn new_store(engine: &Engine) -> Store<GuestState> {
    let wasi = WasiCtxBuilder::new().allow_tcp(false).allow_udp(false).allow_ip_name_lookup(false).build();
    let mut store =
        Store::new(engine, GuestState { wasi, table: ResourceTable::new(), memory_limiter: MemoryLimiter::default() });
    store.limiter(|state| &mut state.memory_limiter);
    store.set_hostcall_fuel(MAX_GUEST_OUTPUT_BYTES);
    store.set_epoch_deadline(epoch_deadline_ticks());
    store.epoch_deadline_trap();
    store
}

/// The ticks of a call's time limit, plus one, since a call may start just before a tick.
fn epoch_deadline_ticks() -> u64 {
    u64::try_from(GUEST_CALL_TIMEOUT.as_nanos() / GUEST_EPOCH_INTERVAL.as_nanos()).unwrap_or(u64::MAX).saturating_add(1)
}
