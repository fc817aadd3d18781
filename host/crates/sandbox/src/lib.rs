//! The sandbox: extracts plain values from untrusted documents in a fresh instance of the guest.
//!
//! Owns: the engine, the instance pool and its permits, the limits of each call, and the only bindings to the guest.
//! Gives: plain values, and [`SandboxError`] for a guest that was stopped.
//! Never: gives a guest anything but its arguments, reuses an instance for a second document, or blocks an async task
//! (callers are worker threads).

mod bindings;
#[cfg(test)]
mod command_test;
mod engine;
mod error;
mod image;
pub mod limits;
mod store;
mod ticker;

use std::sync::OnceLock;

use wasmtime::component::Linker;
use wasmtime::{Engine, InstanceAllocationStrategy, PoolingAllocationConfig, Store};

use self::bindings::exports::wardroom::guest::package_meta as wit;
use self::bindings::exports::wardroom::guest::resource_id::{Kind, Resource};
use self::bindings::{Parsers, ParsersPre};
use self::store::GuestState;
use self::ticker::EpochTicker;
use crate::limits::{
    GUEST_QUEUE_TIMEOUT, GUEST_RESIDENT_BYTES, MAX_GUEST_INSTANCES, MAX_GUEST_MEMORY_BYTES, MAX_GUEST_OUTPUT_BYTES,
    MAX_GUEST_STACK_BYTES, MAX_GUEST_TABLE_ELEMENTS,
};
use wardroom_base::byte_size::ByteSize;
use wardroom_base::payload;
use wardroom_base::permits::ThreadPermits;
use wardroom_base::uri::IdKind;

pub use self::error::SandboxError;
pub use self::image::{GUEST_COMPONENT, GuestImage, WASMTIME_VERSION};

/// The metadata of a package, from its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageMetadata {
    /// The constant fields as a JSON object of checked size and depth.
    pub json: String,
    /// The leading comment block.
    pub doc: Option<String>,
    /// The fields that are not constants, in source order.
    pub unresolved: Vec<UnresolvedMetadata>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnresolvedMetadata {
    pub path: String,
    pub line: u32,
    pub column: u32,
    pub reason: String,
}

/// A resource URI, as the guest reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedUri {
    /// The matching template, or the URI itself for a fixed resource.
    pub template: String,
    pub id: Option<String>,
    /// Names and values, with defaults filled in.
    pub parameters: Vec<(String, u64)>,
}

/// Why the guest refused a document. Its messages may be shown to a client.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExtractRefusal {
    #[error("package name {0}")]
    InvalidId(String),
    #[error("the source is over the limit of {}", ByteSize(u64::from(*.0)))]
    TooLarge(u32),
    #[error("line {line}, column {column}: not UTF-8")]
    NotUtf8 { line: u32, column: u32 },
    #[error("line {line}, column {column}: {message}")]
    Syntax { line: u32, column: u32, message: String },
    #[error("line {line}, column {column}: nested too deeply")]
    TooDeep { line: u32, column: u32 },
    #[error("the metadata is over the limit of {}", ByteSize(u64::from(*.0)))]
    TooMuch(u32),
}

/// The guest, ready to be instantiated for each document. It is set up for the first document.
pub struct Sandbox {
    image: GuestImage,
    loaded: OnceLock<Result<LoadedGuest, String>>,
    permits: ThreadPermits,
}

struct LoadedGuest {
    engine: Engine,
    guest: ParsersPre<GuestState>,
    ticker: EpochTicker,
}

impl Sandbox {
    #[must_use]
    pub fn new(image: GuestImage) -> Self {
        Self { image, loaded: OnceLock::new(), permits: ThreadPermits::new(MAX_GUEST_INSTANCES as usize) }
    }

    /// Loads the image and sets up the pool. Later calls do nothing.
    ///
    /// # Errors
    /// [`SandboxError::Unavailable`] when the image does not fit this binary or memory cannot be reserved.
    pub fn prepare(&self) -> Result<(), SandboxError> {
        self.loaded_guest().map(|_| ())
    }

    /// Extracts the metadata of the package `name` from its source.
    ///
    /// # Errors
    /// The outer error is the sandbox's, the inner one the guest's refusal of this document.
    pub fn extract(&self, name: &str, source: &[u8]) -> Result<Result<PackageMetadata, ExtractRefusal>, SandboxError> {
        let answer =
            self.call_guest(|guest, store| guest.wardroom_guest_package_meta().call_extract(store, name, source))?;
        match answer {
            Ok(metadata) => metadata.validate().map(Ok),
            Err(refusal) => Ok(Err(refusal.into())),
        }
    }

    /// Checks an identifier in the guest. (The host has its own copy of the rules; the guest's copy is the second wall,
    /// and serves other hosts.)
    ///
    /// # Errors
    /// The outer error is the sandbox's, the inner one the broken rule.
    pub fn check_id(&self, kind: IdKind, id: &str) -> Result<Result<(), String>, SandboxError> {
        let kind = match kind {
            IdKind::PackageName => Kind::PackageName,
            IdKind::CardId => Kind::CardId,
            IdKind::ScenarioName => Kind::ScenarioName,
            IdKind::EvalResult => Kind::EvalResult,
            IdKind::SessionId => Kind::SessionId,
        };
        self.call_guest(|guest, store| guest.wardroom_guest_resource_id().call_check(store, kind, id))
    }

    /// Parses a resource URI in the guest.
    ///
    /// # Errors
    /// As [`Self::check_id`].
    pub fn parse_uri(&self, uri: &str) -> Result<Result<ParsedUri, String>, SandboxError> {
        let answer = self.call_guest(|guest, store| guest.wardroom_guest_resource_id().call_parse(store, uri))?;
        Ok(answer.map(|Resource { template, id, parameters }| {
            let parameters = parameters.into_iter().map(|parameter| (parameter.name, parameter.value)).collect();
            ParsedUri { template, id, parameters }
        }))
    }

    /// Calls a fresh instance, which is dropped afterwards.
    fn call_guest<R>(
        &self,
        call: impl FnOnce(&Parsers, &mut Store<GuestState>) -> wasmtime::Result<R>,
    ) -> Result<R, SandboxError> {
        let ready = self.loaded_guest()?;
        let _permit = self.permits.acquire(GUEST_QUEUE_TIMEOUT).ok_or(SandboxError::Busy)?;
        let _running = ready.ticker.keep_ticking();
        let mut store = store::new_store(&ready.engine);
        let answer = ready.guest.instantiate(&mut store).and_then(|guest| call(&guest, &mut store));
        answer.map_err(|error| SandboxError::from_call(&error, store.data().memory_limiter.has_refused_memory))
    }

    fn loaded_guest(&self) -> Result<&LoadedGuest, SandboxError> {
        self.loaded
            .get_or_init(|| LoadedGuest::new(self.image).map_err(|error| format!("{error:#}")))
            .as_ref()
            .map_err(|reason| SandboxError::Unavailable(reason.clone()))
    }
}

impl LoadedGuest {
    fn new(image: GuestImage) -> wasmtime::Result<Self> {
        let mut config = engine::config();
        config.max_wasm_stack(MAX_GUEST_STACK_BYTES);
        config.allocation_strategy(InstanceAllocationStrategy::Pooling(pooling_config()));
        let engine = Engine::new(&config)?;
        let component = image.load_component(&engine)?;
        let mut linker = Linker::new(&engine);
        wasmtime_wasi::p2::add_to_linker_sync(&mut linker)?;
        let guest = ParsersPre::new(linker.instantiate_pre(&component)?)?;
        let ticker = EpochTicker::start(engine.clone())?;
        Ok(Self { engine, guest, ticker })
    }
}

/// Capacity for [`MAX_GUEST_INSTANCES`]. A component of the `wasip2` target is its module and a few small adapters.
fn pooling_config() -> PoolingAllocationConfig {
    const MODULES: u32 = 4;
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(MAX_GUEST_INSTANCES)
        .total_core_instances(MAX_GUEST_INSTANCES * MODULES)
        .max_core_instances_per_component(MODULES)
        .total_memories(MAX_GUEST_INSTANCES)
        .max_memories_per_component(1)
        .max_memory_size(MAX_GUEST_MEMORY_BYTES)
        .total_tables(MAX_GUEST_INSTANCES * MODULES)
        .max_tables_per_component(MODULES)
        .table_elements(MAX_GUEST_TABLE_ELEMENTS)
        .total_stacks(0)
        .linear_memory_keep_resident(GUEST_RESIDENT_BYTES)
        .table_keep_resident(MAX_GUEST_TABLE_ELEMENTS);
    pool
}

impl wit::Metadata {
    fn validate(self) -> Result<PackageMetadata, SandboxError> {
        payload::check_json_text(&self.json, MAX_GUEST_OUTPUT_BYTES)?;
        let unresolved = self.unresolved.into_iter().map(|u| UnresolvedMetadata {
            path: u.path,
            line: u.position.line,
            column: u.position.column,
            reason: u.reason,
        });
        Ok(PackageMetadata { json: self.json, doc: self.doc, unresolved: unresolved.collect() })
    }
}

impl From<wit::ExtractError> for ExtractRefusal {
    fn from(error: wit::ExtractError) -> Self {
        match error {
            wit::ExtractError::InvalidId(reason) => Self::InvalidId(reason),
            wit::ExtractError::TooLarge(limit) => Self::TooLarge(limit),
            wit::ExtractError::NotUtf8(wit::Position { line, column }) => Self::NotUtf8 { line, column },
            wit::ExtractError::Syntax(wit::Diagnostic { position, message }) => {
                Self::Syntax { line: position.line, column: position.column, message }
            }
            wit::ExtractError::TooDeep(wit::Position { line, column }) => Self::TooDeep { line, column },
            wit::ExtractError::TooMuch(limit) => Self::TooMuch(limit),
        }
    }
}
