//! The turn of other tasks.
//!
//! Owns: when the runtime looks for events of the system, too, which takes a system call.
//! Never: waits for anything: a task that is not ready is not waited for.

use std::future::poll_fn;
use std::task::Poll;

/// Lets each task that is ready run before this one goes on. The runtime looks for events after some sixty tasks only: streams that
/// have become ready in between are not seen yet.
pub(super) async fn after_ready_tasks() {
    let mut is_last = false;
    poll_fn(|context| {
        if std::mem::replace(&mut is_last, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// As [`after_ready_tasks`], and streams that have become ready are seen.
pub(super) async fn after_ready_tasks_and_events() {
    tokio::task::yield_now().await;
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn ready_tasks_come_first() {
        let order = RefCell::new(Vec::new());
        let first = async {
            after_ready_tasks().await;
            order.borrow_mut().push("the one that lets others run");
        };
        let second = async { order.borrow_mut().push("another") };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async { tokio::join!(first, second) });
        assert_eq!(*order.borrow(), ["another", "the one that lets others run"]);
    }

    #[cfg(unix)]
    #[test]
    fn events_show_what_was_written_since() {
        use std::io;
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        use tokio::net::unix::pipe;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
        runtime.block_on(async {
            let (mut writer, mut reader) = pipe::pipe().unwrap();
            let mut found = [0; 8];
            let would_block =
                |read: io::Result<usize>| matches!(read, Err(error) if error.kind() == io::ErrorKind::WouldBlock);
            for _ in 0..100 {
                writer.write_all(b"1").await.unwrap();
                reader.readable().await.unwrap();
                // A read of less than there is room for: the stream counts as drained from now on.
                assert_eq!(reader.read(&mut found).await.unwrap(), 1);
                assert!(would_block(reader.try_read(&mut found)));
                writer.write_all(b"2").await.unwrap();
                after_ready_tasks_and_events().await;
                assert_eq!(reader.try_read(&mut found).unwrap(), 1);
            }
        });
    }
}
