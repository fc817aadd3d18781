//! Failpoints: points within a change of files at which a test may end the process, or inject an I/O error.
//!
//! Owns: the hook, which belongs to one thread and is set only while a test's own closure runs.
//! Never: is hooked by the server (`tests/tidy/disallowed_methods.rs`); an unhooked failpoint only reads one variable.

use std::cell::RefCell;
use std::io;

/// A test's hook, called with the name of each point.
type FailpointHook = Box<dyn FnMut(&'static str) -> io::Result<()>>;

thread_local! {
    static HOOK: RefCell<Option<FailpointHook>> = const { RefCell::new(None) };
}

/// Marks the next step of a change, before it is made. The hook's error stands for one of the system.
///
/// # Errors
/// That of the hook.
pub fn hit(name: &'static str) -> io::Result<()> {
    HOOK.with_borrow_mut(|hook| hook.as_mut().map_or(Ok(()), |hook| hook(name)))
}

/// Runs `work`, with `hook` called at every point that this thread reaches.
#[doc(hidden)]
pub fn with_failpoints<T>(hook: impl FnMut(&'static str) -> io::Result<()> + 'static, work: impl FnOnce() -> T) -> T {
    /// Removes the hook even if the work panics.
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
