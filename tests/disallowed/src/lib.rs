//! One violation of every entry in `clippy.toml`. This crate must not pass clippy, and `tests/tidy/disallowed_methods.rs` asserts that.
//!
//! Never: is built into anything.

pub fn files() {
    let _ = std::fs::read::<&str>;
    let _ = std::fs::read_to_string::<&str>;
    let _ = std::fs::write::<&str, &str>;
    let _ = std::fs::File::open::<&str>;
    let _ = std::fs::File::create::<&str>;
    let _ = std::fs::File::create_new::<&str>;
    let _ = std::fs::File::options;
    let _ = std::fs::OpenOptions::new;
    let _ = std::fs::OpenOptions::open::<&str>;
    let _ = std::fs::create_dir::<&str>;
    let _ = std::fs::create_dir_all::<&str>;
    let _ = std::fs::remove_file::<&str>;
    let _ = std::fs::remove_dir::<&str>;
    let _ = std::fs::remove_dir_all::<&str>;
    let _ = std::fs::rename::<&str, &str>;
    let _ = std::fs::copy::<&str, &str>;
    let _ = std::fs::hard_link::<&str, &str>;
    let _ = std::fs::metadata::<&str>;
    let _ = std::fs::symlink_metadata::<&str>;
    let _ = std::fs::canonicalize::<&str>;
    let _ = std::fs::read_dir::<&str>;
    let _ = std::fs::read_link::<&str>;
    let _ = std::fs::exists::<&str>;
    let _ = std::fs::set_permissions::<&str>;
}

pub fn paths(path: &std::path::PathBuf) {
    // As methods, through a type that derefs to `FieldPath`.
    let _ = path.exists();
    let _ = path.try_exists();
    let _ = path.is_file();
    let _ = path.is_dir();
    let _ = path.is_symlink();
    let _ = path.metadata();
    let _ = path.symlink_metadata();
    let _ = path.canonicalize();
    let _ = path.read_dir();
    let _ = path.read_link();
}

pub fn ambient() {
    let _ = std::env::current_dir;
    let _ = std::env::set_current_dir::<&str>;
    let _ = std::env::temp_dir;
    let _ = rustix::fs::open::<&str>;
    let _ = rustix::fs::stat::<&str>;
    let _ = rustix::fs::unlink::<&str>;
    let _ = rustix::fs::rename::<&str, &str>;
    let _ = rustix::fs::mkdir::<&str>;
    let _ = cap_std::fs::Dir::open_ambient_dir::<&str>;
    let _ = cap_std::fs::Dir::create_ambient_dir_all::<&str>;
    let _ = cap_std::fs::File::open_ambient::<&str>;
    let _ = std::env::var::<&str>;
    let _ = std::env::var_os::<&str>;
    let _ = std::env::vars;
    let _ = std::env::vars_os;
}

pub fn below_the_working_directory() {
    use rustix::fs::{AtFlags, CWD, Mode, OFlags, RenameFlags, ResolveFlags};
    let _ = rustix::fs::openat(CWD, "", OFlags::empty(), Mode::empty());
    let _ = rustix::fs::openat2(CWD, "", OFlags::empty(), Mode::empty(), ResolveFlags::empty());
    let _ = rustix::fs::statat(CWD, "", AtFlags::empty());
    let _ = rustix::fs::unlinkat(CWD, "", AtFlags::empty());
    let _ = rustix::fs::renameat(CWD, "", CWD, "");
    let _ = rustix::fs::renameat_with(CWD, "", CWD, "", RenameFlags::empty());
    let _ = rustix::fs::linkat(CWD, "", CWD, "", AtFlags::empty());
    let _ = rustix::fs::mkdirat(CWD, "", Mode::empty());
}

pub fn images(engine: &wasmtime::Engine) {
    // SAFETY: never called; this crate is only ever linted.
    #[expect(unsafe_code, reason = "the entry is an unsafe function")]
    unsafe {
        let _ = wasmtime::component::Component::deserialize(engine, b"");
        let _ = wasmtime::component::Component::deserialize_file(engine, "");
    }
}

pub fn guests(guest: &mut wasmtime_wasi::WasiCtxBuilder, perms: wasmtime_wasi::FsPerms) {
    let _ = guest.preopened_dir("", "", perms);
    guest.inherit_stdio().inherit_stdin().inherit_stdout().inherit_stderr();
    guest.inherit_env().inherit_args().inherit_network();
}

pub fn work() {
    drop(tokio::spawn(std::future::ready(())));
    let _ = std::process::Command::new("");
    std::process::exit(0)
}
