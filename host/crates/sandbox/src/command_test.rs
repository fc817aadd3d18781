//! The component as a command in a plain WASI host: `wasmtime run component.wasm < init.lua`.

use wasmtime::component::Linker;
use wasmtime::{Engine, Store};
use wasmtime_wasi::p2::bindings::sync::Command;
use wasmtime_wasi::p2::pipe::{MemoryInputPipe, MemoryOutputPipe};
use wasmtime_wasi::{ResourceTable, WasiCtx, WasiCtxView, WasiView};

use super::{GuestImage, engine};

struct Host {
    wasi: WasiCtx,
    table: ResourceTable,
}

impl WasiView for Host {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

/// Whether the command succeeded, its standard output and its standard error.
fn run(input: &'static str) -> (bool, String, String) {
    const ROOM: usize = 64 * 1024;
    let engine = Engine::new(&engine::config()).unwrap();
    let mut linker = Linker::<Host>::new(&engine);
    wasmtime_wasi::p2::add_to_linker_sync(&mut linker).unwrap();
    let (output, errors) = (MemoryOutputPipe::new(ROOM), MemoryOutputPipe::new(ROOM));
    let mut wasi = WasiCtx::builder();
    wasi.stdin(MemoryInputPipe::new(input)).stdout(output.clone()).stderr(errors.clone());
    let mut store = Store::new(&engine, Host { wasi: wasi.build(), table: ResourceTable::new() });
    store.set_epoch_deadline(1);
    let component = GuestImage::embedded().load_component(&engine).unwrap();
    let command = Command::instantiate(&mut store, &component, &linker).unwrap();
    let ended = command.wasi_cli_run().call_run(&mut store).unwrap();
    let text = |pipe: MemoryOutputPipe| String::from_utf8(pipe.contents().to_vec()).unwrap();
    (ended.is_ok(), text(output), text(errors))
}

#[test]
fn command_prints_json_for_source_on_stdin() {
    let source = "--- Does a thing.\nlocal M = {}\nM.meta = { name = \"x\", version = f() }\nreturn M\n";
    let (done, output, errors) = run(source);
    assert!(done, "{errors}");
    assert_eq!(
        output,
        "{\"meta\":{\"name\":\"x\",\"version\":null},\"doc\":\"Does a thing.\",\"unresolved\":\
         [{\"path\":\"version\",\"line\":3,\"column\":34,\"reason\":\"calls a function\"}]}\n"
    );
    assert_eq!(errors, "");
}

#[test]
fn command_prints_error_line_for_invalid_source() {
    let (done, output, errors) = run("local M = {\n  meta = \"open\n}\n");
    assert!(!done);
    let said = "error: line 2, column 10: unterminated string\nhint: mend the file there; it is read, and never run\n";
    assert_eq!((output.as_str(), errors.as_str()), ("", said));
}
