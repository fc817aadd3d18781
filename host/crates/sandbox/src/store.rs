//! What one instance is given: a WASI context that grants nothing, and the meters of its limits.
//!
//! A fresh instance has: its arguments, and where it imports them, a clock and randomness (the shipped guest does not).
//! It has no directories, no environment, no arguments of a process, no network and no name lookup; its input is at its
//! end, its output goes nowhere.
//! Never: inherits anything from this process.

use wasmtime::{Engine, ResourceLimiter, Store};
use wasmtime_wasi::{ResourceTable, WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};

use wardroom_base::limits::{
    GUEST_MEMORY_BYTES, GUEST_OUTPUT_BYTES, GUEST_TABLE_ELEMENTS, GUEST_TICK, GUEST_WALL_TIME,
};

pub(super) struct State {
    wasi: WasiCtx,
    table: ResourceTable,
    pub(super) meter: Meter,
}

/// Refuses growth past the limits, and remembers that it did: the guest's own failure afterwards is a plain trap.
#[derive(Default)]
pub(super) struct Meter {
    pub(super) memory_refused: bool,
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

impl ResourceLimiter for Meter {
    fn memory_growing(&mut self, _now: usize, desired: usize, _max: Option<usize>) -> wasmtime::Result<bool> {
        let granted = desired <= GUEST_MEMORY_BYTES;
        self.memory_refused |= !granted;
        Ok(granted)
    }

    fn table_growing(&mut self, _now: usize, desired: usize, _max: Option<usize>) -> wasmtime::Result<bool> {
        Ok(desired <= GUEST_TABLE_ELEMENTS)
    }
}

/// A store for one call. It is dropped after it, whatever happened.
pub(super) fn fresh(engine: &Engine) -> Store<State> {
    let wasi = WasiCtxBuilder::new().allow_tcp(false).allow_udp(false).allow_ip_name_lookup(false).build();
    let mut store = Store::new(engine, State { wasi, table: ResourceTable::new(), meter: Meter::default() });
    store.limiter(|state| &mut state.meter);
    store.set_hostcall_fuel(GUEST_OUTPUT_BYTES);
    store.set_epoch_deadline(ticks());
    store.epoch_deadline_trap();
    store
}

/// One more than the quotient: a call may begin just before a tick.
fn ticks() -> u64 {
    u64::try_from(GUEST_WALL_TIME.as_nanos() / GUEST_TICK.as_nanos()).unwrap_or(u64::MAX).saturating_add(1)
}
