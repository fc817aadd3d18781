//! Decisions while other processes and machines decide or write at the same moment: one decision holds, and no text of a person is
//! lost.

#![expect(clippy::disallowed_methods, reason = "tests set up real folders")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::sync::{Arc, Mutex};
use std::{fs, io, thread};

use super::decide::{DecisionRequest, Outcome, accept, discard, sweep};
use super::plan::digest_of;
use super::store::{ProposalStore, StoreError};
use super::test_cases::{
    CASES, DRAFT, Ending, ID, NO_TRAIL, NOW, POST, assert_decided, blog_of, copy, proposal_in, public_files, request,
    source,
};
use super::{Decided, Decision};
use wardroom_appdir::{AppDirError, with_failpoints};
use wardroom_service::audit::AuditSource;
use wardroom_service::proposal::ProposalStatus;

#[test]
fn decision_of_another_machine_holds() {
    // The lock is of one machine. Another one, which knows nothing of it, decides at any step.
    for theirs in [Ending::Discard, Ending::Expire] {
        let whole = blog_of(&CASES[0]);
        let by = AuditSource::command_line();
        let other = copy(whole.path());
        theirs.apply(&source(other.path()), &request(&by)).unwrap();
        let name = format!(".wardroom/decided/{}/{ID}.json", &ID[..6]);
        let decision = fs::read(other.path().join(&name)).unwrap();
        let mut n_lost = 0;
        for at in 0.. {
            let blog = copy(whole.path());
            let (place, decision) = (blog.path().join(&name), decision.clone());
            let reached = Arc::new(Mutex::new(0));
            let counter = Arc::clone(&reached);
            let decide_meanwhile = move |_: &'static str| {
                *counter.lock().unwrap() += 1;
                if *counter.lock().unwrap() == at + 1 && !place.exists() {
                    fs::create_dir_all(place.parent().unwrap())?;
                    fs::write(&place, &decision)?;
                }
                Ok(())
            };
            let ours = with_failpoints(decide_meanwhile, || accept(&source(blog.path()), &request(&by))).unwrap();
            let found = ProposalStore::new(&source(blog.path()).folder).find(ID, NOW).unwrap().unwrap();
            let status = found.decision.unwrap().status;
            let is_ours = matches!(ours, Outcome::Done { .. });
            assert_eq!(is_ours, status == ProposalStatus::Accepted, "step {at}: {ours:?}");
            let text = fs::read_to_string(blog.path().join(POST)).unwrap();
            assert_eq!(text.contains("title: New"), is_ours, "step {at}: {text}");
            n_lost += usize::from(!is_ours);
            if *reached.lock().unwrap() <= at {
                break;
            }
        }
        assert!(n_lost > 1, "{theirs:?}: {n_lost}");
    }
}

#[test]
fn one_of_many_decisions_is_recorded_without_a_lock() {
    for _ in 0..20 {
        let blog = blog_of(&CASES[0]);
        let made: usize = thread::scope(|threads| {
            let decide = |number: usize| {
                let blog = blog.path();
                threads.spawn(move || {
                    let decision = Decision {
                        status: if number.is_multiple_of(2) {
                            ProposalStatus::Discarded
                        } else {
                            ProposalStatus::Expired
                        },
                        at: NOW,
                        who: format!("token {number}"),
                        through: "http".to_owned(),
                        digest: digest_of(""),
                        reason: None,
                    };
                    let decided = Decided::new(proposal_in(blog), decision, Vec::new());
                    match ProposalStore::new(&source(blog).folder).decide(&decided) {
                        Ok(()) => 1,
                        Err(StoreError::Files(AppDirError::AlreadyExists(_))) => 0,
                        Err(error) => panic!("{error}"),
                    }
                })
            };
            let running: Vec<_> = (0..8).map(decide).collect();
            running.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(made, 1);
    }
}

#[test]
fn one_of_many_decisions_holds() {
    for round in 0..20 {
        let case = &CASES[round % 2];
        let blog = blog_of(case);
        let before = public_files(blog.path());
        let done: Vec<Option<ProposalStatus>> = thread::scope(|threads| {
            let decide = |number: usize| {
                let blog = blog.path();
                threads.spawn(move || {
                    let by = AuditSource::command_line();
                    let (source, request) = (source(blog), request(&by));
                    let decided = match number % 3 {
                        0 => accept(&source, &request),
                        1 => discard(&source, &request),
                        _ => {
                            let late = DecisionRequest { now: NOW + 2_000, ..request };
                            sweep(&source, (&by, &NO_TRAIL), late.now).unwrap();
                            accept(&source, &late)
                        }
                    };
                    match decided.unwrap() {
                        Outcome::Done { decided, .. } => Some(decided.decision.status),
                        Outcome::Already(_) => None,
                    }
                })
            };
            let running: Vec<_> = (0..9).map(decide).collect();
            running.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let done: Vec<ProposalStatus> = done.into_iter().flatten().collect();
        let state = ProposalStore::new(&source(blog.path()).folder).find(ID, NOW).unwrap().unwrap();
        let status = state.decision.unwrap().status;
        // Whatever expired was swept, which no thread counts as its own decision.
        let expected = if status == ProposalStatus::Expired { vec![] } else { vec![status] };
        assert_eq!(done, expected, "round {round}");
        assert_decided(&public_files(blog.path()), &before, case, status == ProposalStatus::Accepted, "raced");
    }
}

#[test]
fn file_that_changed_at_the_same_moment_stays() {
    let blog = blog_of(&CASES[0]);
    let (source, by) = (source(blog.path()), AuditSource::command_line());
    // The decision is recorded, and a person writes the post before it is carried out.
    let path = blog.path().join(POST);
    let write_meanwhile = move |step: &'static str| {
        if step == "rename" {
            fs::write(&path, "---\nid: a\ntitle: Theirs\n---\nOther\n")?;
            return Err(io::ErrorKind::Interrupted.into());
        }
        Ok(())
    };
    with_failpoints(write_meanwhile, || accept(&source, &request(&by))).unwrap_err();
    sweep(&source, (&by, &NO_TRAIL), NOW).unwrap();
    let text = fs::read_to_string(blog.path().join(POST)).unwrap();
    assert_eq!(text, "---\nid: a\ntitle: Theirs\n---\nOther\n");
}

#[test]
fn draft_stays_where_its_post_could_not_be_written() {
    let blog = blog_of(&CASES[1]);
    let (source, by) = (source(blog.path()), AuditSource::command_line());
    // Another program takes the place of the post after the comparison.
    let path = blog.path().join(POST);
    let take_place = move |step: &'static str| {
        if step == "create folders" && !path.exists() {
            fs::write(&path, "---\nid: b\n---\nTheirs\n")?;
        }
        Ok(())
    };
    let decided = with_failpoints(take_place, || accept(&source, &request(&by)));
    if let Ok(Outcome::Done { applied, .. }) = decided {
        assert_eq!(applied.left_alone, [POST, DRAFT]);
    }
    assert!(fs::read_to_string(blog.path().join(POST)).unwrap().ends_with("Theirs\n"));
    assert!(blog.path().join(DRAFT).exists());
}
