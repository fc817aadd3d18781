//! File descriptors passed between our own processes.
//!
//! Owns: sockets and pipes that are close-on-exec, and messages that carry descriptors besides their bytes.
//! Never: opens anything by name.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, SocketFlags, SocketType,
};

/// Descriptors that one message can carry.
const MAX_FDS: usize = 3;

/// Creates a socket pair whose ends are both close-on-exec, so that started programs do not inherit them.
///
/// # Errors
/// The system's error.
pub fn socket_pair() -> io::Result<(OwnedFd, OwnedFd)> {
    #[cfg(not(target_vendor = "apple"))]
    let pair = rustix::net::socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    #[cfg(target_vendor = "apple")]
    let pair = {
        let pair = rustix::net::socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::empty(), None)?;
        for end in [&pair.0, &pair.1] {
            rustix::io::fcntl_setfd(end, rustix::io::FdFlags::CLOEXEC)?;
        }
        pair
    };
    Ok(pair)
}

/// Sends a short message in one piece.
///
/// # Errors
/// The system's error, and an error for more descriptors than a message can carry.
pub fn send_with_fds(socket: impl AsFd, bytes: &[u8], handles: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FDS))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !handles.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(handles)) {
        return Err(io::ErrorKind::OutOfMemory.into());
    }
    let sent = rustix::io::retry_on_intr(|| {
        rustix::net::sendmsg(&socket, &[IoSlice::new(bytes)], &mut ancillary, SendFlags::empty())
    })?;
    if sent == bytes.len() { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
}

/// Receives a message that fills `bytes`. Returns its length, which is shorter only at the end of the stream, and its
/// descriptors.
///
/// # Errors
/// The system's error.
pub fn recv_with_fds(socket: impl AsFd, bytes: &mut [u8]) -> io::Result<(usize, Vec<OwnedFd>)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FDS))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    #[cfg(target_os = "linux")]
    let flags = RecvFlags::WAITALL | RecvFlags::CMSG_CLOEXEC;
    #[cfg(not(target_os = "linux"))]
    let flags = RecvFlags::WAITALL;
    let received = rustix::io::retry_on_intr(|| {
        rustix::net::recvmsg(&socket, &mut [IoSliceMut::new(bytes)], &mut ancillary, flags)
    })?;
    let mut handles = Vec::new();
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(sent) = message {
            handles.extend(sent);
        }
    }
    #[cfg(not(target_os = "linux"))]
    for handle in &handles {
        rustix::io::fcntl_setfd(handle, rustix::io::FdFlags::CLOEXEC)?;
    }
    Ok((received.bytes, handles))
}
