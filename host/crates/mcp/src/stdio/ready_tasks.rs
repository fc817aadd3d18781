//! The turn of other tasks.
//!
//! Owns: whether the runtime polls its I/O driver as well, which takes a system call.
//! Never: waits for anything: a task that is not ready is not waited for.

use std::future::poll_fn;
use std::task::Poll;

/// Lets each task that is ready run before this one goes on. The runtime polls its I/O driver after some sixty tasks only: until
/// then, a stream that was drained counts as drained, whatever has arrived.
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

/// As [`after_ready_tasks`], and the runtime polls its I/O driver, unless another task wakes this one before it does.
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

    /// How many of a hundred bytes are seen that arrive while a stream counts as drained, after `turn`. In a task of its own, as the
    /// transport is: for the future of `block_on`, the runtime polls its I/O driver in any case.
    #[cfg(unix)]
    fn bytes_seen_after<F: Future<Output = ()> + Send>(turn: impl Fn() -> F + Send + 'static) -> usize {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        use tokio::net::unix::pipe;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
        let reading = runtime.spawn(async move {
            let mut seen = 0;
            for _ in 0..100 {
                let (mut writer, mut reader) = pipe::pipe().unwrap();
                let mut found = [0; 8];
                writer.write_all(b"1").await.unwrap();
                // A read of less than there is room for: the stream counts as drained from now on.
                assert_eq!(reader.read(&mut found).await.unwrap(), 1);
                assert_eq!(reader.try_read(&mut found).unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
                writer.write_all(b"2").await.unwrap();
                turn().await;
                seen += usize::from(reader.try_read(&mut found).is_ok());
            }
            seen
        });
        runtime.block_on(reading).unwrap()
    }

    #[cfg(unix)]
    #[test]
    fn driver_is_polled_where_it_is_asked_for() {
        assert_eq!(bytes_seen_after(after_ready_tasks_and_events), 100);
        assert!(
            bytes_seen_after(after_ready_tasks) < 50,
            "tokio polls its driver each time: one of the two functions is enough"
        );
    }
}
