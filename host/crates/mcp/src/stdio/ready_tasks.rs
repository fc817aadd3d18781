//! The turn of other tasks.
//!
//! Owns: one function.
//! Never: waits for anything: a task that is not ready is not waited for.

use std::future::poll_fn;
use std::task::Poll;

/// Lets each task that is ready run before this one goes on. [`tokio::task::yield_now`] also looks for events of the system each
/// time, with a system call; the runtime does so anyway after some tasks.
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
}
