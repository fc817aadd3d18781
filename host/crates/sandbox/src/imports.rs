//! What a guest can call: the interfaces of WASI that the shipped guests import.
//!
//! Owns: the list of these interfaces. A component that imports another one is not loaded.
//! Never: links an interface of files, sockets, clocks or random numbers: their functions are not in the program.

use wasmtime::Engine;
use wasmtime::component::{HasData, Linker, ResourceTable};
use wasmtime_wasi::WasiView as _;
use wasmtime_wasi::cli::{WasiCli, WasiCliView as _};
use wasmtime_wasi::p2::bindings::sync::{cli, io, random};
use wasmtime_wasi::random::WasiRandom;

use crate::store::GuestState;

pub(crate) fn linker(engine: &Engine) -> wasmtime::Result<Linker<GuestState>> {
    let mut linker = Linker::new(engine);
    let l = &mut linker;
    cli::environment::add_to_linker::<_, WasiCli>(l, GuestState::cli)?;
    cli::exit::add_to_linker::<_, WasiCli>(l, GuestState::cli)?;
    cli::stdin::add_to_linker::<_, WasiCli>(l, GuestState::cli)?;
    cli::stdout::add_to_linker::<_, WasiCli>(l, GuestState::cli)?;
    cli::stderr::add_to_linker::<_, WasiCli>(l, GuestState::cli)?;
    cli::terminal_input::add_to_linker::<_, WasiCli>(l, GuestState::cli)?;
    cli::terminal_output::add_to_linker::<_, WasiCli>(l, GuestState::cli)?;
    cli::terminal_stdin::add_to_linker::<_, WasiCli>(l, GuestState::cli)?;
    cli::terminal_stdout::add_to_linker::<_, WasiCli>(l, GuestState::cli)?;
    cli::terminal_stderr::add_to_linker::<_, WasiCli>(l, GuestState::cli)?;
    io::error::add_to_linker::<_, Streams>(l, |state| state.ctx().table)?;
    io::poll::add_to_linker::<_, Streams>(l, |state| state.ctx().table)?;
    io::streams::add_to_linker::<_, Streams>(l, |state| state.ctx().table)?;
    // A constant: see `store`.
    random::insecure_seed::add_to_linker::<_, WasiRandom>(l, |state| state.ctx().ctx.random())?;
    Ok(linker)
}

/// The tables of the streams of instances.
struct Streams;

impl HasData for Streams {
    type Data<'a> = &'a mut ResourceTable;
}
