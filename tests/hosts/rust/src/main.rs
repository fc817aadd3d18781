//! The guest in a Rust host: `wardroom-guest-host COMPONENT CORPUS` prints the SHA-256 of all answers (docs/GUEST.md).

mod canonical;

use std::time::{Duration, Instant};
use std::{env, fs, thread};

use serde_json::Value;
use sha2::{Digest, Sha256};
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

fn extract(guest: &ParsersPre<StoreLimits>, name: &str, source: &[u8]) -> Result<Value> {
    let (instance, mut store) = fresh(guest)?;
    let answer = instance.wardroom_guest_package_meta().call_extract(&mut store, name, source)?;
    Ok(canonical::answer(answer, canonical::metadata, canonical::refusal))
}

fn main() -> Result<()> {
    let guest = load(&env::args().nth(1).unwrap_or_default())?;
    let corpus = canonical::Corpus::load()?;
    let mut digest = Sha256::new();
    for (name, source) in corpus.sources()? {
        digest.update(format!("{}\n", extract(&guest, &name, &source)?));
    }
    for (kind, id) in corpus.ids() {
        let (instance, mut store) = fresh(&guest)?;
        let answer = instance.wardroom_guest_resource_id().call_check(&mut store, kind, &id)?;
        digest.update(format!("{}\n", canonical::answer(answer, |()| Value::Null, Value::from)));
    }
    for uri in corpus.uris() {
        let (instance, mut store) = fresh(&guest)?;
        let answer = instance.wardroom_guest_resource_id().call_parse(&mut store, &uri)?;
        digest.update(format!("{}\n", canonical::answer(answer, canonical::resource, Value::from)));
    }
    println!("{}", digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect::<String>());

    let (name, source) = corpus.sources()?.swap_remove(0);
    let mut times = Vec::new();
    for _ in 0..200 {
        let begun = Instant::now();
        extract(&guest, &name, &source)?;
        times.push(begun.elapsed());
    }
    times.sort();
    eprintln!("{name}: {} µs", times[100].as_micros());
    Ok(())
}
