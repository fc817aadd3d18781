//! Ambient access: turns a path of the machine into a handle. Each function is called at the start, with a path that
//! the operator chose; no path that a client sends gets here.
//!
//! Owns: every use of the process's own authority over files.
//! Never: is called after the start, except by commands that a person runs, and for the kernel's figures of a worker
//! (`open_process_file`).

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use memchr::memmem::Finder;
#[cfg(unix)]
use rustix::fs::OFlags;

use super::{Access, AppDirError, Folder, MountedVolume, Privacy};

/// Opens a directory by its path on the machine.
///
/// # Errors
/// When it does not exist or is not a directory.
pub fn open_folder(path: &Path, access: Access) -> Result<Folder, AppDirError> {
    let dir = Dir::open_ambient_dir(path, ambient_authority()).map_err(|error| folder_error(path, error))?;
    Ok(Folder::from_dir(dir, access))
}

/// Creates a directory by its path on the machine, with its parents, and opens it.
///
/// # Errors
/// When it cannot be created.
pub fn create_folder(path: &Path) -> Result<Folder, AppDirError> {
    Dir::create_ambient_dir_all(path, ambient_authority()).map_err(|error| folder_error(path, error))?;
    open_folder(path, Access::ReadWrite)
}

/// Creates a directory, with its parents, for its owner alone, and opens it. An existing one keeps its permissions.
///
/// # Errors
/// When it cannot be created.
pub fn create_owner_folder(path: &Path) -> Result<Folder, AppDirError> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(path).map_err(|error| folder_error(path, error))?;
    Ok(open_folder(path, Access::ReadWrite)?.with_owner_only())
}

/// Whether a path is an existing directory.
#[must_use]
pub fn is_dir(path: &Path) -> bool {
    path.is_dir()
}

/// Returns the canonical path, with links resolved.
///
/// # Errors
/// When it does not exist.
pub fn canonicalize(path: &Path) -> Result<PathBuf, AppDirError> {
    path.canonicalize().map_err(|error| path_error(path, error))
}

/// Returns the canonical path of the program at a path; `None` unless it is a file that the system would start.
#[must_use]
pub fn resolve_program(path: &Path) -> Option<PathBuf> {
    let path = path.canonicalize().ok()?;
    let metadata = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
    is_executable(&metadata).then_some(path)
}

#[cfg(unix)]
fn is_executable(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    metadata.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &std::fs::Metadata) -> bool {
    true
}

/// Whether a path is an existing file.
#[must_use]
pub fn is_file(path: &Path) -> bool {
    path.is_file()
}

/// Whether anything has a path.
#[must_use]
pub fn exists(path: &Path) -> bool {
    path.exists()
}

/// Returns when a file changed; `None` if there is none.
#[must_use]
pub fn modified(path: &Path) -> Option<SystemTime> {
    path.metadata().ok()?.modified().ok()
}

/// Finds the nearest directory at or above `start` that is the wanted one.
#[must_use]
pub fn find_ancestor(start: &Path, is_wanted: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    start.ancestors().find(|dir| is_wanted(dir)).map(Path::to_path_buf)
}

/// Opens what Linux shows of a process in a file of this name, anew with each read.
///
/// # Errors
/// When there is no such process, or the system does not show it.
#[expect(clippy::disallowed_methods, reason = "a file of the kernel, by the number of a process that this one started")]
pub fn open_process_file(process: u32, name: &str) -> io::Result<std::fs::File> {
    std::fs::File::open(format!("/proc/{process}/{name}"))
}

/// Returns what is mounted where a folder is; `None` where the system does not say.
#[cfg(target_os = "linux")]
#[must_use]
#[expect(clippy::disallowed_methods, reason = "a file of the kernel")]
pub fn mounted_volume(folder: &Folder) -> Option<MountedVolume> {
    use cap_std::fs::MetadataExt as _;
    let device = folder.dir.dir_metadata().ok()?.dev();
    let device = format!("{}:{}", rustix::fs::major(device), rustix::fs::minor(device));
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
    // Number, parent, device, root, place, options, any more fields, `-`, file system, source: man 5 proc.
    mounts.lines().find_map(|line| {
        let (place, volume) = line.split_once(" - ")?;
        if place.split(' ').nth(2) != Some(&device) {
            return None;
        }
        let mut fields = volume.split(' ');
        Some(MountedVolume { file_system: fields.next()?.to_owned(), source: fields.next()?.to_owned() })
    })
}

#[cfg(not(target_os = "linux"))]
#[must_use]
pub fn mounted_volume(_: &Folder) -> Option<MountedVolume> {
    None
}

/// Returns the path of this process's program.
///
/// # Errors
/// When the system call fails.
pub fn current_exe() -> Result<PathBuf, AppDirError> {
    std::env::current_exe().map_err(|error| path_error(Path::new("the program"), error))
}

/// Returns the working directory of this process.
#[must_use]
pub fn working_dir() -> Option<PathBuf> {
    std::env::current_dir().ok()
}

/// Resolves a path that the operator named, through links of any kind: the operator decides where the path leads. A
/// path at which nothing exists is returned as it is.
///
/// # Errors
/// When it is a dangling link, or leads to something that is not a file.
pub fn resolve_target(path: &Path) -> Result<PathBuf, AppDirError> {
    let name = || path.display().to_string();
    match path.canonicalize() {
        Err(error) if error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => Ok(path.to_path_buf()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(match path.metadata() {
            // An anonymous pipe, which only its link names.
            Ok(_) => AppDirError::NotRegularFile(name()),
            Err(_) => AppDirError::DanglingLink(name()),
        }),
        found => found.map_err(|error| path_error(path, error)),
    }
}

/// Reads one text file that the operator named.
///
/// # Errors
/// As [`resolve_target`] and [`Folder::read_text`].
pub fn read_text(path: &Path, limit: u64) -> Result<String, AppDirError> {
    let path = resolve_target(path)?;
    let (parent, name) = split_path(&path)?;
    Ok(open_folder(parent, Access::ReadOnly)?.read_text(name, limit)?.0)
}

/// Reads one file that the operator named.
///
/// # Errors
/// As [`resolve_target`] and [`Folder::read`].
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, AppDirError> {
    let path = resolve_target(path)?;
    let (parent, name) = split_path(&path)?;
    Ok(open_folder(parent, Access::ReadOnly)?.read(name, limit)?.bytes)
}

/// Writes one file that the operator named, whole or not at all. Its directory must exist, because a typed path may
/// contain a mistake.
///
/// # Errors
/// As [`open_folder`] and [`Folder::write`], and when a link, a device or anything else that is not a regular file has
/// that name, because it would be replaced.
pub fn write(path: &Path, bytes: &[u8], privacy: Privacy) -> Result<(), AppDirError> {
    if path.symlink_metadata().is_ok_and(|found| !found.is_file()) {
        return Err(AppDirError::NotRegularFile(path.display().to_string()));
    }
    let (parent, name) = split_path(path)?;
    open_folder(parent, Access::ReadWrite)?.write(name, bytes, privacy)
}

/// Opens a file of the machine for the kernel's sandbox rules, which take handles.
///
/// # Errors
/// When it does not exist, or may not be opened with that access.
pub fn open_file(path: &Path, access: Access) -> Result<std::fs::File, AppDirError> {
    let mut options = std::fs::File::options();
    options.read(true).write(access == Access::ReadWrite);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.custom_flags((OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed());
    }
    options.open(path).map_err(|error| path_error(path, error))
}

/// Whether a file of the machine contains these bytes; false if it cannot be read.
#[must_use]
pub fn file_contains(path: &Path, bytes: &[u8]) -> bool {
    const CHUNK_BYTES: usize = 1024 * 1024;
    let search = || -> io::Result<bool> {
        let mut file = open_file(path, Access::ReadOnly).map_err(io::Error::other)?;
        if !file.metadata()?.is_file() {
            return Ok(false);
        }
        let (finder, mut piece) = (Finder::new(bytes), Vec::new());
        while (&mut file).take(CHUNK_BYTES as u64).read_to_end(&mut piece)? > 0 {
            if finder.find(&piece).is_some() {
                return Ok(true);
            }
            // A match may span two pieces.
            piece.drain(..piece.len().saturating_sub(bytes.len()));
        }
        Ok(false)
    };
    search().unwrap_or(false)
}

/// Opens a file for appending: the log that the operator named. A new file is for its owner alone.
///
/// # Errors
/// When it cannot be opened, or is neither a regular file nor a character device such as a terminal.
pub fn open_append(path: &Path) -> Result<std::fs::File, AppDirError> {
    let refused = || AppDirError::NotRegularFile(path.display().to_string());
    let mut options = std::fs::File::options();
    options.create(true).append(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
        // A plain `open` of a pipe without a reader would block forever.
        options.custom_flags((OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed());
    }
    let file = options.open(path).map_err(|error| match error.raw_os_error() {
        Some(number) if number == rustix::io::Errno::NXIO.raw_os_error() => refused(),
        _ => path_error(path, error),
    })?;
    let kind = file.metadata().map_err(|error| path_error(path, error))?.file_type();
    if !kind.is_file() && !is_character_device(kind) {
        return Err(refused());
    }
    set_blocking(&file).map_err(|error| path_error(path, error))?;
    Ok(file)
}

/// Binds a Unix socket at a path that the operator named, for the owner alone. A socket on which no process listens any
/// more, as a stopped server leaves one, is replaced.
///
/// # Errors
/// When a process listens there, the path is not a socket, or it cannot be created.
#[cfg(unix)]
pub fn bind_unix_listener(path: &Path) -> Result<std::os::unix::net::UnixListener, AppDirError> {
    use std::os::unix::fs::FileTypeExt as _;
    use std::os::unix::net::UnixListener;

    use rustix::fs::Mode;
    use rustix::process::umask;

    // Of two processes that find a stale socket, the later one would remove that of the earlier one.
    let folder = split_path(path).ok().and_then(|(parent, _)| open_folder(parent, Access::ReadWrite).ok());
    let _lock = folder.and_then(|folder| folder.lock_self().ok().flatten());
    if let Ok(found) = path.symlink_metadata() {
        if !found.file_type().is_socket() || !is_stale_socket(path) {
            return Err(AppDirError::AlreadyExists(path.display().to_string()));
        }
        std::fs::remove_file(path).map_err(|error| path_error(path, error))?;
    }
    // The socket never has more permissions than it keeps. This process has no other thread yet.
    let before = umask(Mode::from_raw_mode(0o177));
    let bound = UnixListener::bind(path);
    umask(before);
    bound.map_err(|error| path_error(path, error))
}

/// Whether no process listens at a socket. Whatever else keeps this process from connecting to it says nothing of that.
#[cfg(unix)]
fn is_stale_socket(path: &Path) -> bool {
    use rustix::io::Errno;
    use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, connect, socket};
    let Ok(address) = SocketAddrUnix::new(path) else { return false };
    // This process has no other thread yet, so no child inherits it.
    let Ok(probe) = socket(AddressFamily::UNIX, SocketType::STREAM, None) else { return false };
    // One whose queue is full would be waited for.
    rustix::io::ioctl_fionbio(&probe, true).is_ok() && connect(&probe, &address) == Err(Errno::CONNREFUSED)
}

#[cfg(unix)]
fn is_character_device(kind: std::fs::FileType) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    kind.is_char_device()
}

/// Without it, a busy terminal would lose lines of the log.
#[cfg(unix)]
fn set_blocking(file: &std::fs::File) -> io::Result<()> {
    let flags = rustix::fs::fcntl_getfl(file)?;
    Ok(rustix::fs::fcntl_setfl(file, flags.difference(OFlags::NONBLOCK))?)
}

#[cfg(not(unix))]
fn is_character_device(_: std::fs::FileType) -> bool {
    false
}

#[cfg(not(unix))]
fn set_blocking(_: &std::fs::File) -> io::Result<()> {
    Ok(())
}

/// Splits a path into the folder that holds the file, and the file's name.
///
/// # Errors
/// When the path has no file name, or one that is not UTF-8.
pub fn split_path(path: &Path) -> Result<(&Path, &str), AppDirError> {
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| AppDirError::NotFound(path.display().to_string()))?;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok((parent, name))
}

fn path_error(path: &Path, error: io::Error) -> AppDirError {
    AppDirError::from_io(&path.display().to_string(), error)
}

fn folder_error(path: &Path, error: io::Error) -> AppDirError {
    AppDirError::from_folder_io(&path.display().to_string(), error)
}
