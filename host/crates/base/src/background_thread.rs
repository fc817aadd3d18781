//! A thread that a service runs beside its calls.
//!
//! Owns: that it is started once, by the first caller for whom the system has a thread.
//! Never: waits for the thread, or ends it.

use std::io;
use std::sync::{Mutex, PoisonError};
use std::thread;

#[derive(Debug, Default)]
pub struct BackgroundThread {
    has_started: Mutex<bool>,
}

impl BackgroundThread {
    /// Starts the thread, unless it was started.
    ///
    /// # Errors
    /// When the system has no thread. The next call tries again.
    pub fn start(&self, name: &str, body: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let mut has_started = self.has_started.lock().unwrap_or_else(PoisonError::into_inner);
        if !*has_started {
            thread::Builder::new().name(name.to_owned()).spawn(body)?;
            *has_started = true;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn thread_starts_once_and_again_after_a_failure() {
        let (sender, started) = mpsc::channel();
        let send = |number: u32| {
            let sender = sender.clone();
            move || sender.send(number).unwrap()
        };
        let thread = BackgroundThread::default();
        // No system has a name with a zero byte, for which `Builder::spawn` panics and starts nothing.
        let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| thread.start("a\0b", send(0))));
        assert!(failed.is_err());
        for number in 1..4 {
            thread.start("test", send(number)).unwrap();
        }
        drop(sender);
        assert_eq!(started.iter().collect::<Vec<_>>(), [1]);
    }
}
