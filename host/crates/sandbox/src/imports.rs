//! The interfaces of WASI that a guest may import, which are those that the shipped guests import.
//!
//! Owns: their list. A component that imports another one is not loaded.
//! Never: links an interface of files, sockets, clocks or random numbers. The one seed that guests get is a constant (see `store`).

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
    random::insecure_seed::add_to_linker::<_, WasiRandom>(l, |state| state.ctx().ctx.random())?;
    Ok(linker)
}

/// Names the data that functions of streams take: the table of resources of their instance.
struct Streams;

impl HasData for Streams {
    type Data<'a> = &'a mut ResourceTable;
}

#[cfg(test)]
mod tests {
    use wasmtime_wasi::clocks::{WasiClocks, WasiClocksView as _};
    use wasmtime_wasi::filesystem::{WasiFilesystem, WasiFilesystemView as _};
    use wasmtime_wasi::p2::bindings::sockets::{instance_network, ip_name_lookup, tcp_create_socket};
    use wasmtime_wasi::p2::bindings::sync::{clocks, filesystem, sockets};
    use wasmtime_wasi::sockets::{WasiSockets, WasiSocketsView as _};

    use super::*;

    type Add = fn(&mut Linker<GuestState>) -> wasmtime::Result<()>;

    /// The rest of WASI.
    const NOT_LINKED: &[(&str, Add)] = &[
        ("monotonic-clock", |l| clocks::monotonic_clock::add_to_linker::<_, WasiClocks>(l, GuestState::clocks)),
        ("wall-clock", |l| clocks::wall_clock::add_to_linker::<_, WasiClocks>(l, GuestState::clocks)),
        ("preopens", |l| filesystem::preopens::add_to_linker::<_, WasiFilesystem>(l, GuestState::filesystem)),
        ("types", |l| filesystem::types::add_to_linker::<_, WasiFilesystem>(l, GuestState::filesystem)),
        ("random", |l| random::random::add_to_linker::<_, WasiRandom>(l, |state| state.ctx().ctx.random())),
        ("insecure", |l| random::insecure::add_to_linker::<_, WasiRandom>(l, |state| state.ctx().ctx.random())),
        ("instance-network", |l| instance_network::add_to_linker::<_, WasiSockets>(l, GuestState::sockets)),
        ("network", |l| {
            let options = sockets::network::LinkOptions::default();
            sockets::network::add_to_linker::<_, WasiSockets>(l, &options, GuestState::sockets)
        }),
        ("ip-name-lookup", |l| ip_name_lookup::add_to_linker::<_, WasiSockets>(l, GuestState::sockets)),
        ("tcp", |l| sockets::tcp::add_to_linker::<_, WasiSockets>(l, GuestState::sockets)),
        ("tcp-create-socket", |l| tcp_create_socket::add_to_linker::<_, WasiSockets>(l, GuestState::sockets)),
        ("udp", |l| sockets::udp::add_to_linker::<_, WasiSockets>(l, GuestState::sockets)),
        ("udp-create-socket", |l| sockets::udp_create_socket::add_to_linker::<_, WasiSockets>(l, GuestState::sockets)),
    ];

    /// A linker refuses a function that it has already.
    #[test]
    fn no_interface_of_the_rest_is_linked() {
        let engine = Engine::new(&crate::engine::config()).unwrap();
        let mut linker = linker(&engine).unwrap();
        for (name, add) in NOT_LINKED {
            add(&mut linker).unwrap_or_else(|error| panic!("{name} is linked: {error:#}"));
            assert!(add(&mut linker).is_err(), "{name} could be added twice, so that this test shows nothing");
        }
        let mut whole = Linker::<GuestState>::new(&engine);
        wasmtime_wasi::p2::add_to_linker_sync(&mut whole).unwrap();
        for (name, add) in NOT_LINKED {
            assert!(add(&mut whole).is_err(), "{name} is not of WASI");
        }
    }
}
