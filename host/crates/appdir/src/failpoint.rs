//! Points in the middle of a change of files where a test may end the process, or have the system refuse.
//!
//! Owns: the hook, which belongs to one thread and only for as long as a test's own closure runs.
//! Never: is hooked by the server (`tests/tidy/fence.rs`), or does anything where it is not: one look at a variable.

use std::cell::RefCell;
use std::io;

/// What is to happen at a point, by the point's name.
type FailpointHook = Box<dyn FnMut(&'static str) -> io::Result<()>>;

thread_local! {
    static HOOK: RefCell<Option<FailpointHook>> = const { RefCell::new(None) };
}

/// The next step of a change, about to be made. The error of a hook stands for one of the system.
pub(super) fn hit(name: &'static str) -> io::Result<()> {
    HOOK.with_borrow_mut(|hook| hook.as_mut().map_or(Ok(()), |hook| hook(name)))
}

/// Does `work`, with `hook` called at every point that this thread gets to.
#[doc(hidden)]
pub fn with_failpoints<T>(hook: impl FnMut(&'static str) -> io::Result<()> + 'static, work: impl FnOnce() -> T) -> T {
    /// Unhooks when the work panics, too.
    struct HookGuard;

    impl Drop for HookGuard {
        fn drop(&mut self) {
            HOOK.set(None);
        }
    }

    HOOK.set(Some(Box::new(hook)));
    let _unhook = HookGuard;
    work()
}
