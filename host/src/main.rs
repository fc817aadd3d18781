//! The binary: parse, run, exit code.

use std::process::ExitCode;

/// Returns large blocks to the system when they are freed: the allocator would keep up to 32 MiB of each thread, and memory
/// that is not used any more would still count as the server's.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn limit_kept_memory() {
    /// Blocks from this size on are mapped on their own.
    const MMAP_THRESHOLD_BYTES: i32 = 256 * 1024;
    const MAX_ARENAS: i32 = 2;
    #[expect(unsafe_code, reason = "the allocator's own settings, before there is a second thread")]
    // SAFETY: `mallopt` takes plain numbers, and no other thread allocates.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, MMAP_THRESHOLD_BYTES);
        libc::mallopt(libc::M_ARENA_MAX, MAX_ARENAS);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
const fn limit_kept_memory() {}

fn main() -> ExitCode {
    limit_kept_memory();
    wardroom::cli::main()
}
