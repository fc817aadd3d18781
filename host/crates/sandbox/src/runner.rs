//! One component, ready to be instantiated for each document: its engine, its pool of instances, and their limits.
//!
//! Owns: the limits that are applied to each call, and the clock of running instances.
//! Never: knows the interfaces of a component, reuses an instance for a second document, or blocks an async task (callers
//! are worker threads).

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use wasmtime::component::InstancePre;
use wasmtime::{Engine, InstanceAllocationStrategy, PoolingAllocationConfig, Store};

use crate::engine;
use crate::error::SandboxError;
use crate::image::GuestImage;
use crate::imports;
use crate::instance_permits::InstancePermits;
use crate::limits::{MAX_GUEST_STACK_BYTES, MAX_GUEST_TABLE_ELEMENTS};
use crate::store::{self, GuestState};
use crate::ticker::EpochTicker;

/// The limits of the instances of a component.
#[derive(Debug, Clone, Copy)]
pub(crate) struct InstanceLimits {
    /// At the same time.
    pub(crate) instances: u32,
    pub(crate) memory_bytes: usize,
    /// The part of the memory that the pool keeps for the next instance.
    pub(crate) resident_bytes: usize,
    pub(crate) call_timeout: Duration,
    pub(crate) output_bytes: usize,
}

/// A component that is loaded for the first document. `P` are its exports, looked up once.
pub(crate) struct ComponentRunner<P> {
    image: GuestImage,
    limits: InstanceLimits,
    look_up_exports: fn(InstancePre<GuestState>) -> wasmtime::Result<P>,
    loaded: OnceLock<LoadedComponent<P>>,
    loading: Mutex<()>,
}

struct LoadedComponent<P> {
    permits: InstancePermits,
    engine: Engine,
    exports: P,
    ticker: EpochTicker,
}

impl<P> ComponentRunner<P> {
    pub(crate) fn new(
        image: GuestImage,
        limits: InstanceLimits,
        look_up_exports: fn(InstancePre<GuestState>) -> wasmtime::Result<P>,
    ) -> Self {
        Self { image, limits, look_up_exports, loaded: OnceLock::new(), loading: Mutex::new(()) }
    }

    /// Loads the image and sets up the pool. Later calls do nothing.
    pub(crate) fn prepare(&self) -> Result<(), SandboxError> {
        self.loaded().map(|_| ())
    }

    /// Calls a fresh instance, which `call` creates in the store, and which is dropped with it.
    pub(crate) fn call<R>(
        &self,
        call: impl FnOnce(&P, &mut Store<GuestState>) -> wasmtime::Result<R>,
    ) -> Result<R, SandboxError> {
        let component = self.loaded()?;
        let _permit = component.permits.acquire().ok_or(SandboxError::Busy)?;
        let _running = component.ticker.keep_ticking();
        let mut store = store::new_store(&component.engine, &self.limits);
        let answer = call(&component.exports, &mut store);
        answer.map_err(|error| {
            SandboxError::from_call(&error, &self.limits, store.data().memory_limiter.has_refused_memory)
        })
    }

    fn loaded(&self) -> Result<&LoadedComponent<P>, SandboxError> {
        if let Some(component) = self.loaded.get() {
            return Ok(component);
        }
        let _loading = self.loading.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(component) = self.loaded.get() {
            return Ok(component);
        }
        // What fails now, such as for want of memory, is tried again.
        let component = self.load().map_err(|error| SandboxError::Unavailable(format!("{error:#}")))?;
        Ok(self.loaded.get_or_init(|| component))
    }

    fn load(&self) -> wasmtime::Result<LoadedComponent<P>> {
        let mut config = engine::config();
        config.max_wasm_stack(MAX_GUEST_STACK_BYTES);
        config.allocation_strategy(InstanceAllocationStrategy::Pooling(pooling_config(&self.limits)));
        let engine = Engine::new(&config)?;
        let component = self.image.load_component(&engine)?;
        let exports = (self.look_up_exports)(imports::linker(&engine)?.instantiate_pre(&component)?)?;
        let ticker = EpochTicker::start(engine.clone())?;
        let permits = InstancePermits::new(self.limits.instances as usize);
        Ok(LoadedComponent { permits, engine, exports, ticker })
    }
}

/// The capacity for all instances. A component of the `wasip2` target is its module and a few small adapters.
fn pooling_config(limits: &InstanceLimits) -> PoolingAllocationConfig {
    const MODULES: u32 = 4;
    let instances = limits.instances;
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(instances)
        .total_core_instances(instances * MODULES)
        .max_core_instances_per_component(MODULES)
        .total_memories(instances)
        .max_memories_per_component(1)
        .max_memory_size(limits.memory_bytes)
        .total_tables(instances * MODULES)
        .max_tables_per_component(MODULES)
        .table_elements(MAX_GUEST_TABLE_ELEMENTS)
        .total_stacks(0)
        .linear_memory_keep_resident(limits.resident_bytes)
        .table_keep_resident(MAX_GUEST_TABLE_ELEMENTS);
    pool
}
