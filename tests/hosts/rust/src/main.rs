//! The guest in a Rust host: `wardroom-guest-host COMPONENT` prints the metadata of a small package (docs/GUEST.md).

use std::time::Duration;
use std::{env, fs, thread};

use exports::wardroom::guest::package_meta::{ExtractError, Metadata};
use wasmtime::component::{Component, Linker};
use wasmtime::{Config, Engine, Result, Store, StoreLimits, StoreLimitsBuilder, ensure};

// What this host was written for. It runs every later guest of 0.1.
wasmtime::component::bindgen!({ path: "wit-0.1.0", world: "parsers" });

/// Beyond what the guest reads, so that its own answer says that something is too large, unless it is larger still.
const MOST_BYTES: usize = 2 << 20;

/// The component, compiled once. No import of it does anything: one that is called ends the call.
pub fn load(path: &str) -> Result<ParsersPre<StoreLimits>> {
    let mut config = Config::new();
    config.epoch_interruption(true).max_wasm_stack(512 * 1024);
    let engine = Engine::new(&config)?;
    let component = Component::new(&engine, fs::read(path)?)?;
    let mut linker = Linker::new(&engine);
    linker.define_unknown_imports_as_traps(&component)?;
    // The clock that the deadlines of `fresh` are counted in.
    thread::spawn(move || {
        loop {
            thread::sleep(Duration::from_millis(10));
            engine.increment_epoch();
        }
    });
    ParsersPre::new(linker.instantiate_pre(&component)?)
}

/// An instance for one call: 32 MiB of memory, a second, and a mebibyte that comes back.
pub fn fresh(guest: &ParsersPre<StoreLimits>) -> Result<(Parsers, Store<StoreLimits>)> {
    let limits = StoreLimitsBuilder::new().memory_size(32 << 20).table_elements(10_000).build();
    let mut store = Store::new(guest.engine(), limits);
    store.limiter(|limits| limits);
    store.set_epoch_deadline(100);
    store.set_hostcall_fuel(1 << 20);
    Ok((guest.instantiate(&mut store)?, store))
}

type Extracted = Result<Metadata, ExtractError>;

pub fn extract(guest: &ParsersPre<StoreLimits>, name: &str, source: &[u8]) -> Result<Extracted> {
    ensure!(name.len() + source.len() <= MOST_BYTES, "more than {MOST_BYTES} bytes");
    let (instance, mut store) = fresh(guest)?;
    instance.wardroom_guest_package_meta().call_extract(&mut store, name, source)
}

fn main() -> Result<()> {
    let guest = load(&env::args().nth(1).unwrap_or_default())?;
    let source = "local M = {}\nM.meta = { name = \"x\", version = f() }\nreturn M\n";
    println!("{:#?}", extract(&guest, "x", source.as_bytes())?);
    Ok(())
}
