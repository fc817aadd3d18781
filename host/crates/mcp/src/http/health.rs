//! The answer of `/healthz`: whether the server runs, and reaches its files.
//!
//! Owns: one look at the files at a time, however many ask, and how long it may take.
//! Never: waits for a file system that hangs: the server counts as unfit meanwhile.

use std::sync::Arc;

use hyper::{Method, Response, StatusCode};
use tokio::sync::Mutex;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::timeout;

use super::response::{HttpError, ResponseBody, json_response};
use crate::http::limits::HEALTH_PROBE_TIMEOUT;

/// Looks whether the files can be reached. It may block for as long as a file system hangs.
pub type HealthProbe = Arc<dyn Fn() -> bool + Send + Sync>;

/// The state of `/healthz`.
#[derive(Default)]
pub(super) struct Health {
    probe: Option<HealthProbe>,
    /// The look that has not ended.
    running: Mutex<Option<JoinHandle<bool>>>,
}

impl Health {
    pub(super) fn new(probe: Option<HealthProbe>) -> Self {
        Self { probe, running: Mutex::default() }
    }

    /// Answers whether this server can be given work. Without a token a client learns nothing else.
    pub(super) async fn respond(&self, method: &Method) -> Response<ResponseBody> {
        if !matches!(*method, Method::GET | Method::HEAD) {
            return HttpError::method_not_allowed("GET, HEAD").into_response();
        }
        // Who asks while another one's look hangs waits no longer than that one.
        if timeout(HEALTH_PROBE_TIMEOUT, self.reaches_files()).await.unwrap_or(false) {
            json_response(StatusCode::OK, br#"{"status":"ok"}"#.to_vec(), None)
        } else {
            json_response(StatusCode::SERVICE_UNAVAILABLE, br#"{"status":"unreachable"}"#.to_vec(), None)
        }
    }

    async fn reaches_files(&self) -> bool {
        let Some(probe) = &self.probe else { return true };
        let mut running = self.running.lock().await;
        // The files may have changed since a look that ended without a request.
        if running.as_ref().is_some_and(JoinHandle::is_finished) {
            *running = None;
        }
        let look = running.get_or_insert_with(|| {
            let probe = Arc::clone(probe);
            spawn_blocking(move || probe())
        });
        let reached = look.await.unwrap_or(false);
        *running = None;
        reached
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    use super::*;

    fn status(runtime: &tokio::runtime::Runtime, health: &Health) -> u16 {
        runtime.block_on(health.respond(&Method::GET)).status().as_u16()
    }

    #[test]
    fn look_that_hangs_is_waited_for_a_moment_and_taken_over() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let (release, released) = mpsc::channel();
        let (released, looks) = (std::sync::Mutex::new(released), Arc::new(AtomicUsize::new(0)));
        let counted = Arc::clone(&looks);
        let health = Health::new(Some(Arc::new(move || {
            counted.fetch_add(1, Ordering::Relaxed);
            released.lock().unwrap().recv().unwrap()
        })));
        assert_eq!([status(&runtime, &health), status(&runtime, &health)], [503, 503]);
        let ends = async { release.send(true).unwrap() };
        let (reply, ()) = runtime.block_on(async { tokio::join!(health.respond(&Method::GET), ends) });
        assert_eq!((reply.status().as_u16(), looks.load(Ordering::Relaxed)), (200, 1));
        release.send(false).unwrap();
        assert_eq!((status(&runtime, &health), looks.load(Ordering::Relaxed)), (503, 2));
        // A look that ended without a request is not the answer to a later one.
        assert_eq!(status(&runtime, &health), 503);
        release.send(true).unwrap();
        while !runtime.block_on(health.running.lock()).as_ref().unwrap().is_finished() {
            std::thread::yield_now();
        }
        release.send(false).unwrap();
        assert_eq!((status(&runtime, &health), looks.load(Ordering::Relaxed)), (503, 4));
        assert_eq!(status(&runtime, &Health::default()), 200);
    }
}
