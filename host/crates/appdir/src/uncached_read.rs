//! Reads that no cache of this machine answers: of what decides between machines.
//!
//! On GlusterFS, a machine that was cut off reads from its cache what it wrote before, however often it opens the file; a
//! direct read asks the bricks.
//! Never: reads more than one block.

use std::io;

use cap_std::fs::{Dir, File, FileExt as _, OpenOptions};

/// Direct reads are of whole blocks into aligned memory, on any file system.
const BLOCK_BYTES: usize = 4096;

/// Returns the beginning of a file, at most one block, as the file system has it now.
pub(super) fn read_past_caches(dir: &Dir, name: &str) -> io::Result<Vec<u8>> {
    let file = open_direct(dir, name)?;
    let mut memory = vec![0; 2 * BLOCK_BYTES];
    let start = memory.as_ptr().align_offset(BLOCK_BYTES);
    let block = memory.get_mut(start..start + BLOCK_BYTES).ok_or(io::ErrorKind::InvalidInput)?;
    let len = file.read_at(block, 0)?;
    Ok(block.get(..len).unwrap_or_default().to_vec())
}

/// Opens a file past the caches, or as usual where the file system has no such way. A direct read that fails stays an error: it
/// refuses the commit, and `wardroom doctor --shared` the file system.
#[cfg(target_os = "linux")]
fn open_direct(dir: &Dir, name: &str) -> io::Result<File> {
    use cap_std::fs::OpenOptionsExt as _;
    use rustix::fs::OFlags;
    let flags = (OFlags::DIRECT | OFlags::NONBLOCK).bits();
    let opened = dir.open_with(name, OpenOptions::new().read(true).custom_flags(flags.cast_signed()));
    match opened {
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
            dir.open_with(name, OpenOptions::new().read(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed()))
        }
        opened => opened,
    }
}

#[cfg(not(target_os = "linux"))]
fn open_direct(dir: &Dir, name: &str) -> io::Result<File> {
    dir.open(name)
}
