//! A crash, an I/O error and a race at every step of one decision on several proposals: what is recorded is carried out, what is not
//! stays pending, and nothing is decided twice.

#![expect(clippy::disallowed_methods, reason = "tests set up real folders")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::{fs, io, thread};

use tempfile::TempDir;

use super::batch::{BatchOutcome, decide_all};
use super::change::{Change, FieldChange};
use super::decide::{DecisionRequest, Outcome, Verdict, sweep};
use super::store::ProposalStore;
use super::test_cases::{CASES, NO_TRAIL, NOW, copy, images_of, make_blog, proposal_in, request, source};
use super::{Proposal, ProposalKind};
use wardroom_appdir::with_failpoints;
use wardroom_service::audit::AuditSource;
use wardroom_service::proposal::ProposalStatus;

const N_PICTURES: usize = 4;

fn id(number: usize) -> String {
    format!("0190d1a2-7c3b-7aaa-8bbb-01234567890{number}")
}

fn sidecar(number: usize) -> String {
    format!("media/2024/03/{number}.jpg.meta")
}

fn text(alt: &str) -> String {
    format!("---\nid: a\nalt: {alt}\n---\n")
}

/// A blog with a pending text for each of its pictures.
fn blog_with_texts() -> TempDir {
    let blog = TempDir::new().unwrap();
    make_blog(blog.path(), &CASES[3]);
    let (source, made) = (source(blog.path()), proposal_in(blog.path()));
    let store = ProposalStore::new(&source.folder);
    store.finish(&made.id).unwrap();
    for number in 0..N_PICTURES {
        fs::write(blog.path().join(sidecar(number)), text("Old")).unwrap();
        let change = Change {
            path: sidecar(number),
            draft: None,
            replaces: None,
            base: Some(text("Old")),
            fields: vec![FieldChange::new("alt", "New")],
            body: None,
        };
        let proposal = Proposal { id: id(number), kind: ProposalKind::ProposeMediaMetadata, change, ..made.clone() };
        store.create(&source.pending, &proposal).unwrap();
    }
    blog
}

/// Decides on all of them. Returns how many of the decisions this call made.
fn decide(blog: &Path, verdict: Verdict) -> usize {
    let by = AuditSource::command_line();
    let ids: Vec<String> = (0..N_PICTURES).map(id).collect();
    let requests: Vec<_> = ids.iter().map(|id| DecisionRequest { id, ..request(&by) }).collect();
    match decide_all(&source(blog), &requests, verdict) {
        Ok(BatchOutcome::Decided(decided)) => {
            decided.iter().filter(|(_, outcome)| matches!(outcome, Ok(Outcome::Done { .. }))).count()
        }
        Ok(BatchOutcome::Refused(_)) | Err(_) => 0,
    }
}

/// Ends what an interruption left, and returns the status of each proposal. Each file has to be what its status says.
#[track_caller]
fn statuses(blog: &Path, when: &str) -> Vec<ProposalStatus> {
    let (source, by) = (source(blog), AuditSource::command_line());
    sweep(&source, (&by, &NO_TRAIL), NOW).unwrap_or_else(|error| panic!("{when}: {error:?}"));
    let store = ProposalStore::new(&source.folder);
    let status = |number: usize| {
        let status = store.find(&id(number), NOW).unwrap().unwrap().status(NOW);
        let expected = text(if status == ProposalStatus::Accepted { "New" } else { "Old" });
        assert_eq!(fs::read_to_string(blog.join(sidecar(number))).unwrap(), expected, "{when}: {number}");
        status
    };
    (0..N_PICTURES).map(status).collect()
}

/// Checks what an interruption left, and that the rest can be decided.
#[track_caller]
fn assert_ends_well(blog: &Path, verdict: Verdict, status: ProposalStatus, when: &str) -> usize {
    let found = statuses(blog, when);
    let n_decided = found.iter().filter(|found| **found == status).count();
    // They are recorded one after the other.
    let expected: Vec<_> =
        (0..N_PICTURES).map(|at| if at < n_decided { status } else { ProposalStatus::Pending }).collect();
    assert_eq!(found, expected, "{when}");
    if n_decided == 0 {
        assert_eq!(decide(blog, verdict), N_PICTURES, "{when}");
        assert_eq!(statuses(blog, when), [status; N_PICTURES], "{when}");
    }
    n_decided
}

const VERDICTS: [(Verdict, ProposalStatus); 2] =
    [(Verdict::Accept, ProposalStatus::Accepted), (Verdict::Discard, ProposalStatus::Discarded)];

#[test]
fn crash_at_any_step_leaves_decisions_that_are_carried_out_and_others_pending() {
    for (verdict, status) in VERDICTS {
        let blog = blog_with_texts();
        let images = images_of(blog.path(), || assert_eq!(decide(blog.path(), verdict), N_PICTURES));
        let mut seen = [false; N_PICTURES + 1];
        for (number, (step, image)) in images.iter().enumerate() {
            let when = format!("{verdict:?}, before step {number} ({step})");
            seen[assert_ends_well(image.path(), verdict, status, &when)] = true;
        }
        assert_eq!(seen, [true; N_PICTURES + 1], "{verdict:?}: a crash after each record");
    }
}

#[test]
fn io_error_at_any_step_loses_no_proposal() {
    for (verdict, status) in VERDICTS {
        let whole = blog_with_texts();
        for at in 0.. {
            let blog = copy(whole.path());
            let reached = Arc::new(Mutex::new(0));
            let counter = Arc::clone(&reached);
            let refuse_from_then_on = move |_: &'static str| {
                *counter.lock().unwrap() += 1;
                if *counter.lock().unwrap() > at { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
            };
            with_failpoints(refuse_from_then_on, || decide(blog.path(), verdict));
            assert_ends_well(blog.path(), verdict, status, &format!("{verdict:?}, full from step {at}"));
            if *reached.lock().unwrap() <= at {
                break;
            }
        }
    }
}

#[test]
fn each_of_several_is_decided_once_by_many_who_decide_on_all() {
    for round in 0..10 {
        let blog = blog_with_texts();
        let path: PathBuf = blog.path().to_owned();
        let n_made: Vec<usize> = thread::scope(|threads| {
            let running: Vec<_> = (0..6)
                .map(|number| {
                    let path = &path;
                    threads.spawn(move || decide(path, VERDICTS[number % 2].0))
                })
                .collect();
            running.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        // The batch is decided by one of them, or refused as a whole.
        assert_eq!(n_made.iter().filter(|made| **made > 0).collect::<Vec<_>>(), [&N_PICTURES], "round {round}");
        let found = statuses(&path, &format!("round {round}"));
        assert!(found.iter().all(|status| *status == found[0] && status.as_str() != "pending"), "{found:?}");
    }
}
