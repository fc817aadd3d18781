//! Descriptors that pass between our own processes.
//!
//! Owns: sockets and pipes that close with their process, and messages that carry descriptors beside their bytes.
//! Never: opens anything by a name.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, SocketFlags, SocketType,
};

/// The most that one message carries.
const MAX_FDS: usize = 3;

/// Both ends close with their process and are not passed on to programs that it starts.
///
/// # Errors
/// As the system says.
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

/// Sends a short message, all of it at once.
///
/// # Errors
/// As the system says, and for more descriptors than a message carries.
pub fn send_with_fds(socket: impl AsFd, bytes: &[u8], handles: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FDS))];
    let mut beside = SendAncillaryBuffer::new(&mut space);
    if !handles.is_empty() && !beside.push(SendAncillaryMessage::ScmRights(handles)) {
        return Err(io::ErrorKind::OutOfMemory.into());
    }
    let sent = rustix::io::retry_on_intr(|| {
        rustix::net::sendmsg(&socket, &[IoSlice::new(bytes)], &mut beside, SendFlags::empty())
    })?;
    if sent == bytes.len() { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
}

/// Receives a message that fills `bytes`; how much of it came, which is less at the end only, and what came beside it.
///
/// # Errors
/// As the system says.
pub fn recv_with_fds(socket: impl AsFd, bytes: &mut [u8]) -> io::Result<(usize, Vec<OwnedFd>)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FDS))];
    let mut beside = RecvAncillaryBuffer::new(&mut space);
    #[cfg(target_os = "linux")]
    let flags = RecvFlags::WAITALL | RecvFlags::CMSG_CLOEXEC;
    #[cfg(not(target_os = "linux"))]
    let flags = RecvFlags::WAITALL;
    let received =
        rustix::io::retry_on_intr(|| rustix::net::recvmsg(&socket, &mut [IoSliceMut::new(bytes)], &mut beside, flags))?;
    let mut handles = Vec::new();
    for message in beside.drain() {
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
