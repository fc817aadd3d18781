//! A crash, and an I/O error, at every step of a decision: afterwards the blog is as before or as after it, never in between
//! for good, and the proposal is decided once.

#![expect(clippy::disallowed_methods, reason = "tests set up real folders")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::{fs, io};

use tempfile::TempDir;

use super::decide::{DecisionRequest, accept, discard, sweep};
use super::edit::{SaveEditError, editable_text, save_edit};
use super::new::write_proposal;
use super::store::ProposalStore;
use super::test_cases::{
    CASES, Case, ENDINGS, Ending, FOLDERS, ID, NO_TRAIL, NOW, assert_decided, blog_of, copy, images_of, proposal_in,
    public_files, request, source,
};
use super::{Proposal, ProposalKind};
use crate::content::layout::DRAFTS_DIR;
use wardroom_appdir::with_failpoints;
use wardroom_service::audit::AuditSource;
use wardroom_service::proposal::{ProposalStatus, proposal_time_ms};

/// Checks what an interruption left, and that the next process ends it.
#[track_caller]
fn assert_ends_well(blog: &Path, before: &BTreeMap<PathBuf, String>, case: &Case, ending: Ending, when: &str) {
    let source = source(blog);
    let by = AuditSource::command_line();
    let sweep = || sweep(&source, (&by, &NO_TRAIL), NOW).unwrap_or_else(|error| panic!("{when}: {error:?}"));
    sweep();
    let state = ProposalStore::new(&source.folder).find(ID, NOW).unwrap().unwrap();
    let files = public_files(blog);
    match state.status(NOW) {
        ProposalStatus::Pending => assert_eq!(files, *before, "{when}: undecided, and something changed"),
        _ => assert_decided(&files, before, case, ending == Ending::Accept, when),
    }
    // Once more, and it is as if nothing had happened.
    ending.apply(&source, &case.request(&by)).unwrap_or_else(|error| panic!("{when}: {error:?}"));
    // What was withdrawn is ended by a process that decides.
    sweep();
    assert_decided(&public_files(blog), before, case, ending == Ending::Accept, when);
    assert_eq!(ProposalStore::new(&source.folder).pending_ids().unwrap(), [""; 0], "{when}");
    let drafts = fs::read_dir(blog.join(DRAFTS_DIR)).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(!drafts.into_iter().any(|name| name.to_string_lossy().ends_with(".removed")), "{when}");
}

#[test]
fn crash_at_any_step_leaves_a_decision_that_is_finished_or_none() {
    for (case, ending) in CASES.iter().flat_map(|case| ENDINGS.map(|ending| (case, ending))) {
        let blog = blog_of(case);
        let before = public_files(blog.path());
        let by = AuditSource::command_line();
        let (source, request) = (source(blog.path()), case.request(&by));
        let images = images_of(blog.path(), || ending.apply(&source, &request).unwrap());
        assert!(images.len() > 3, "{}, {ending:?}: {} steps", case.name, images.len());
        for (number, (step, image)) in images.iter().enumerate() {
            let when = format!("{}, {ending:?}, before step {number} ({step})", case.name);
            assert_ends_well(image.path(), &before, case, ending, &when);
        }
    }
}

/// Does some work again and again, each time with a refusal of another step, or of all from then on.
fn refuse_each_step(mut work: impl FnMut(&str, &dyn Fn(&mut dyn FnMut()))) {
    for is_lasting in [false, true] {
        for at in 0.. {
            let reached = Arc::new(Mutex::new(0));
            let counter = Arc::clone(&reached);
            let refused = move |work: &mut dyn FnMut()| {
                let counter = Arc::clone(&counter);
                let refuse = move |_: &'static str| {
                    let mut reached = counter.lock().unwrap();
                    *reached += 1;
                    let is_refused = *reached == at + 1 || (is_lasting && *reached > at);
                    if is_refused { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
                };
                with_failpoints(refuse, work);
            };
            work(&format!("step {at} fails, and all others: {is_lasting}"), &refused);
            if *reached.lock().unwrap() <= at {
                break;
            }
        }
    }
}

#[test]
fn io_error_at_any_step_loses_nothing() {
    for (case, ending) in CASES.iter().flat_map(|case| ENDINGS.map(|ending| (case, ending))) {
        let whole = blog_of(case);
        let before = public_files(whole.path());
        refuse_each_step(|when, refused| {
            let blog = copy(whole.path());
            let by = AuditSource::command_line();
            let (source, request) = (source(blog.path()), case.request(&by));
            refused(&mut || drop(ending.apply(&source, &request)));
            assert_ends_well(blog.path(), &before, case, ending, &format!("{}, {ending:?}: {when}", case.name));
        });
    }
}

/// Checks that a proposal which is there can be accepted, and that without one there is no draft.
#[track_caller]
fn assert_proposed_or_not(blog: &Path, case: &Case, when: &str) {
    let (source, by) = (source(blog), AuditSource::command_line());
    sweep(&source, (&by, &NO_TRAIL), NOW).unwrap();
    let files = public_files(blog);
    if ProposalStore::new(&source.folder).find(ID, NOW).unwrap().is_none() {
        assert!(files.is_empty(), "{when}: a draft without a proposal: {files:?}");
        return;
    }
    assert!(!files.contains_key(Path::new(case.path)), "{when}: {files:?}");
    let discarded = copy(blog);
    discard(&super::test_cases::source(discarded.path()), &request(&by)).unwrap();
    assert_eq!(public_files(discarded.path()), BTreeMap::new(), "{when}");
    accept(&source, &request(&by)).unwrap_or_else(|error| panic!("{when}: {error:?}"));
    let files = public_files(blog);
    let text = files.get(Path::new(case.path)).unwrap_or_else(|| panic!("{when}: {files:?}"));
    assert!(text.ends_with(case.end) && !text.contains("proposal"), "{when}: {text}");
    assert_eq!(files.len(), 1, "{when}: {files:?}");
}

#[test]
fn crash_or_io_error_at_any_step_of_proposing_leaves_a_whole_proposal_or_none() {
    // The cases that make a draft.
    for case in [&CASES[1], &CASES[4], &CASES[5]] {
        let whole = TempDir::new().unwrap();
        FOLDERS.iter().for_each(|folder| fs::create_dir_all(whole.path().join(folder)).unwrap());
        let made = (case.make)(whole.path());
        let draft = made.change.draft.clone().unwrap().path;
        let text = fs::read_to_string(whole.path().join(&draft)).unwrap();
        fs::remove_file(whole.path().join(&draft)).unwrap();
        let empty = copy(whole.path());
        let propose = |blog: &Path| write_proposal(&source(blog), &made, Some((&draft, &text)));
        let images = images_of(whole.path(), || propose(whole.path()).unwrap());
        assert!(images.len() > 4, "{}: {} steps", case.name, images.len());
        for (number, (step, image)) in images.iter().enumerate() {
            assert_proposed_or_not(image.path(), case, &format!("{}, before step {number} ({step})", case.name));
        }
        refuse_each_step(|when, refused| {
            let blog = copy(empty.path());
            refused(&mut || drop(propose(blog.path())));
            assert_proposed_or_not(blog.path(), case, &format!("{}: {when}", case.name));
        });
    }
}

#[test]
fn failed_edit_leaves_the_text_as_it_was_or_as_it_was_edited() {
    for has_draft in [true, false] {
        let whole = blog_of(&CASES[usize::from(has_draft)]);
        let folder = source(whole.path()).folder;
        let mut proposal = Proposal { expires_at: i64::MAX, ..proposal_in(whole.path()) };
        if !has_draft {
            proposal.kind = ProposalKind::ProposePostEdit;
            proposal.change.fields.clear();
        }
        proposal.change.body = Some("Body\nBody\n".to_owned());
        let store = ProposalStore::new(&folder);
        store.replace(&store.lock().unwrap(), &proposal).unwrap();
        let said = |blog: &Path| editable_text(&source(blog), &proposal_in(blog)).unwrap().unwrap();
        let before = said(whole.path());
        assert_eq!(before.is_draft, has_draft);
        let edited = before.text.replace("Body", "Edited");
        for at in 0.. {
            let blog = copy(whole.path());
            let source = source(blog.path());
            let reached = Arc::new(Mutex::new(0));
            let counter = Arc::clone(&reached);
            let refuse = move |_: &'static str| {
                *counter.lock().unwrap() += 1;
                if *counter.lock().unwrap() == at + 1 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
            };
            let saved = with_failpoints(refuse, || save_edit(&source, ID, &before.digest, &edited)).is_ok();
            let after = said(blog.path()).text;
            assert!(after == edited || (!saved && after == before.text), "step {at}: {after}");
            if *reached.lock().unwrap() <= at {
                break;
            }
        }
        let by = AuditSource::command_line();
        // An edit looks at the clock, by which a decision of `NOW` would be forgotten.
        discard(&source(whole.path()), &DecisionRequest { now: proposal_time_ms(), ..request(&by) }).unwrap();
        let late = save_edit(&source(whole.path()), ID, &before.digest, &edited);
        assert!(matches!(late, Err(SaveEditError::Decided(_))), "{late:?}");
        store.replace(&store.lock().unwrap(), &proposal).unwrap_err();
    }
}
