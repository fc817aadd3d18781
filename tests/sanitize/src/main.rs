//! The spawner and the workers of Lua, without the rest of the server: built with AddressSanitizer and with checks for
//! undefined behaviour in C, they run the tests of `tests/lua`.
//!
//! Owns: which of the hidden commands exist.
//! Never: confines a process. The sanitizers reserve more memory than a worker may have.

use std::process::ExitCode;

use wardroom_lua::processes::{self, LivingWorker, SpawnerWalls};

/// Read by AddressSanitizer at the start: workers have no environment. Their ends are forced, so that what they leave
/// is no leak.
#[unsafe(no_mangle)]
pub extern "C" fn __asan_default_options() -> *const u8 {
    c"detect_leaks=0:abort_on_error=1:allocator_may_return_null=1".as_ptr().cast()
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let walls = SpawnerWalls { confine_spawner: || Ok(()), confine_worker: || Ok(()) };
    let living = |argument: &String| LivingWorker::parse_all(argument.strip_prefix(LivingWorker::ARGUMENT)?);
    let ended = match arguments.as_slice() {
        [name] if name == "spawner" => processes::spawner(walls, &[]),
        [name, argument] if name == "spawner" => match living(argument) {
            Some(workers) => processes::spawner(walls, &workers),
            None => Err(std::io::ErrorKind::InvalidInput.into()),
        },
        _ => Err(std::io::Error::other("this program has the processes of Lua only")),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
