//! Editors that save a file at the very moment at which a decision writes or removes it: what they wrote stays.

#![expect(clippy::disallowed_methods, reason = "tests set up real folders")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::cell::Cell;
use std::path::PathBuf;
use std::rc::Rc;
use std::{fs, io};

use super::Proposal;
use super::decide::{DecideError, Outcome, accept, sweep};
use super::edit::{SaveEditError, editable_text, save_edit};
use super::review::decide_error;
use super::store::ProposalStore;
use super::test_cases::{CASES, DRAFT, ENDINGS, ID, NO_TRAIL, NOW, POST, blog_of, copy, proposal_in, request, source};
use wardroom_appdir::with_failpoints;
use wardroom_service::audit::AuditSource;
use wardroom_service::proposal::ProposalStatus;

/// Lets an editor replace a file, or write in it, at the last moment before one of ours takes its place or it goes.
fn interfering(
    path: PathBuf,
    at: &'static str,
    replaces: bool,
    is_done: Rc<Cell<bool>>,
) -> impl FnMut(&'static str) -> io::Result<()> {
    move |step| {
        if step == at && path.exists() && !is_done.replace(true) {
            if replaces {
                let new = path.with_extension("new");
                fs::write(&new, THEIRS)?;
                fs::rename(&new, &path)?;
            } else {
                fs::write(&path, THEIRS)?;
            }
        }
        Ok(())
    }
}

const THEIRS: &str = "---\nid: a\ntitle: Theirs\n---\nOther\n";

#[test]
fn save_of_an_editor_during_a_decision_is_not_lost() {
    for replaces in [true, false] {
        let blog = blog_of(&CASES[0]);
        let (source, by) = (source(blog.path()), AuditSource::command_line());
        let path = blog.path().join(POST);
        let interfere = interfering(path.clone(), "exchange", replaces, Rc::default());
        let outcome = with_failpoints(interfere, || accept(&source, &request(&by))).unwrap();
        let Outcome::Done { applied, .. } = outcome else { panic!("{outcome:?}") };
        assert_eq!(applied.left_alone, [POST]);
        assert_eq!(fs::read_to_string(&path).unwrap(), THEIRS);
        let found = ProposalStore::new(&source.folder).find(ID, NOW).unwrap().unwrap();
        assert_eq!(found.left_alone, [POST]);
    }
}

#[test]
fn draft_that_is_saved_while_it_is_removed_is_not_lost() {
    for ending in ENDINGS {
        let whole = blog_of(&CASES[1]);
        let mut n_saved = 0;
        // At each file that gets a free name, one of which is the draft that is moved aside.
        for (at, replaces) in (0..6).flat_map(|at| [(at, true), (at, false)]) {
            let blog = copy(whole.path());
            let (source, by) = (source(blog.path()), AuditSource::command_line());
            let draft = blog.path().join(DRAFT);
            let is_saved = Rc::new(Cell::new(false));
            let mut interfere = interfering(draft.clone(), "rename to a free name", replaces, Rc::clone(&is_saved));
            let mut n_reached = 0;
            let interfere_once = move |step: &'static str| {
                n_reached += usize::from(step == "rename to a free name");
                if n_reached == at + 1 { interfere(step) } else { Ok(()) }
            };
            with_failpoints(interfere_once, || ending.apply(&source, &request(&by))).unwrap();
            if is_saved.get() {
                n_saved += 1;
                assert_eq!(fs::read_to_string(&draft).unwrap(), THEIRS, "{ending:?}, {at}");
            } else {
                assert!(!draft.exists(), "{ending:?}, {at}");
            }
        }
        assert!(n_saved >= 2, "{ending:?}: {n_saved}");
    }
}

#[test]
fn edit_of_a_draft_that_an_editor_saves_is_refused() {
    let blog = blog_of(&CASES[1]);
    let source = source(blog.path());
    let proposal = Proposal { expires_at: i64::MAX, ..proposal_in(blog.path()) };
    let store = ProposalStore::new(&source.folder);
    store.replace(&store.lock().unwrap(), &proposal).unwrap();
    let shown = editable_text(&source, &proposal).unwrap().unwrap();
    let interfere = interfering(blog.path().join(DRAFT), "exchange", true, Rc::default());
    let saved =
        with_failpoints(interfere, || save_edit(&source, ID, &shown.digest, &shown.text.replace("Body", "Edited")));
    assert!(matches!(saved, Err(SaveEditError::Changed)), "{saved:?}");
    assert_eq!(fs::read_to_string(blog.path().join(DRAFT)).unwrap(), THEIRS);
}

#[test]
fn decision_whose_files_cannot_be_written_is_reported_as_made() {
    let blog = blog_of(&CASES[0]);
    let (source, by) = (source(blog.path()), AuditSource::command_line());
    let refuse = |step: &'static str| if step == "exchange" { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) };
    let error = with_failpoints(refuse, || accept(&source, &request(&by))).unwrap_err();
    assert!(matches!(error, DecideError::NotWritten { status: ProposalStatus::Accepted, .. }), "{error:?}");
    let message = decide_error(ID, error).to_string();
    assert!(message.contains("is accepted, and its files are not written yet"), "{message}");
    let unwritten = || ProposalStore::new(&source.folder).find(ID, NOW).unwrap().unwrap().unwritten();
    assert!(unwritten().is_some_and(|reason| reason.contains("not written yet")));
    assert!(fs::read_to_string(blog.path().join(POST)).unwrap().contains("title: Old"));
    sweep(&source, (&by, &NO_TRAIL), NOW).unwrap();
    assert_eq!(unwritten(), None);
    assert!(fs::read_to_string(blog.path().join(POST)).unwrap().contains("title: New"));
}
