//! The guest in a Rust host: `wardroom-guest-host COMPONENT CORPUS` prints the SHA-256 of all answers (docs/GUEST.md).

mod canonical;

use std::time::Duration;
use std::{env, fs, thread};

use canonical::Case;
use wasmtime::component::{Component, Linker};
use wasmtime::{Config, Engine, Result, Store, StoreLimits, StoreLimitsBuilder};

// What this host was written for. It runs every later guest of 0.1.
wasmtime::component::bindgen!({ path: "wit-0.1.0", world: "parsers" });

/// The component, compiled once. No import of it does anything: one that is called ends the call.
fn load(path: &str) -> Result<ParsersPre<StoreLimits>> {
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
fn fresh(guest: &ParsersPre<StoreLimits>) -> Result<(Parsers, Store<StoreLimits>)> {
    let limits = StoreLimitsBuilder::new().memory_size(32 << 20).table_elements(10_000).build();
    let mut store = Store::new(guest.engine(), limits);
    store.limiter(|limits| limits);
    store.set_epoch_deadline(100);
    store.set_hostcall_fuel(1 << 20);
    Ok((guest.instantiate(&mut store)?, store))
}

fn main() -> Result<()> {
    let guest = load(&env::args().nth(1).unwrap_or_default())?;
    canonical::run(|case| {
        let (instance, mut store) = fresh(&guest)?;
        let (metadata, ids) = (instance.wardroom_guest_package_meta(), instance.wardroom_guest_resource_id());
        Ok(match case {
            Case::Extract(name, source) => canonical::extracted(metadata.call_extract(&mut store, name, source)?),
            Case::Check(kind, id) => canonical::checked(ids.call_check(&mut store, *kind, id)?),
            Case::Parse(uri) => canonical::parsed(ids.call_parse(&mut store, uri)?),
        })
    })
}
