//! The audit trail after a crash at every step of a decision: one line for each decision, and none for what was not decided.
//! And decisions that are not carried out again.

#![expect(clippy::disallowed_methods, reason = "tests set up real folders")]
#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::Decided;
use super::apply::carry_out;
use super::decide::{DecisionRequest, accept, finish_decisions, sweep};
use super::store::ProposalStore;
use super::test_cases::{CASES, Ending, ID, NOW, blog_of, copy, images_of, make_blog, source};
use wardroom_appdir::{Access, Folder, ambient};
use wardroom_service::audit::{AuditAction, AuditChannel, AuditRecord, AuditSource, AuditTrail, read_records};
use wardroom_service::proposal::ProposalStatus;

fn app(dir: &Path) -> Folder {
    ambient::open_folder(&dir.join("app"), Access::ReadWrite).unwrap()
}

/// Returns the lines that the trail has of the proposal.
fn lines(dir: &Path) -> Vec<AuditRecord> {
    read_records(&app(dir)).unwrap().into_iter().filter(|record| record.subject == ID).collect()
}

/// Ends what others left, as a server does in the background or a tool before it compares something.
fn end(dir: &Path, sweeps: bool) {
    let (source, trail) = (source(&dir.join("blog")), AuditTrail::new(&app(dir)));
    let by = AuditSource { who: "expiry".to_owned(), through: AuditChannel::Server };
    if sweeps {
        sweep(&source, (&by, &trail), NOW).unwrap();
    } else {
        finish_decisions(&source, &trail).unwrap();
    }
}

#[test]
fn crash_at_any_step_leaves_one_line_of_a_decision_or_none() {
    let endings = [Ending::Accept, Ending::Discard, Ending::Withdraw];
    for (case, ending) in CASES.iter().flat_map(|case| endings.map(|ending| (case, ending))) {
        let dir = TempDir::new().unwrap();
        fs::create_dir_all(dir.path().join("app")).unwrap();
        make_blog(&dir.path().join("blog"), case);
        let (source, trail) = (source(&dir.path().join("blog")), AuditTrail::new(&app(dir.path())));
        trail.prepare();
        // A proposal is withdrawn by its proposer, whom the trail names.
        let by = match ending {
            Ending::Withdraw => AuditSource { who: "operator".to_owned(), through: AuditChannel::Stdio },
            _ => AuditSource { who: "token a".to_owned(), through: AuditChannel::Http },
        };
        let request = DecisionRequest { trail: &trail, ..case.request(&by) };
        let images = images_of(dir.path(), || ending.apply(&source, &request).unwrap());
        let mut n_recovered = 0;
        for (number, (_, image)) in images.iter().enumerate() {
            for sweeps in [true, false] {
                let image = copy(image.path());
                let when = format!("{}, {ending:?}, before step {number}, in the background: {sweeps}", case.name);
                let was_written = !lines(image.path()).is_empty();
                // What was withdrawn is decided by a sweep.
                end(image.path(), sweeps || ending == Ending::Withdraw);
                end(image.path(), true);
                let store_of = super::test_cases::source(&image.path().join("blog"));
                let state = ProposalStore::new(&store_of.folder).find(ID, NOW).unwrap().unwrap();
                let lines = lines(image.path());
                if state.status(NOW) == ProposalStatus::Pending {
                    assert_eq!(lines, [], "{when}");
                    continue;
                }
                let decision = state.decision.unwrap();
                let action = match decision.status {
                    ProposalStatus::Accepted => AuditAction::ProposalAccepted,
                    _ => AuditAction::ProposalDiscarded,
                };
                let [line] = lines.as_slice() else { panic!("{when}: {lines:#?}") };
                assert_eq!(
                    (line.action, &*line.who, &*line.through),
                    (action, &*by.who, by.through.as_str()),
                    "{when}"
                );
                assert_eq!(line.digest, Some(decision.digest), "{when}");
                n_recovered += usize::from(!was_written);
            }
        }
        assert!(n_recovered > 0, "{}, {ending:?}: no crash lost a line", case.name);
    }
}

/// Reads the decision of a blog.
fn decided_in(blog: &Path) -> Decided {
    ProposalStore::new(&source(blog).folder).read_decided(ID).unwrap().unwrap()
}

/// Puts the file of a proposal back, as a program that synchronises folders does.
fn put_back(blog: &Path, proposal: &[u8]) {
    fs::write(pending(blog), proposal).unwrap();
}

fn pending(blog: &Path) -> std::path::PathBuf {
    blog.join(format!(".wardroom/proposals/{ID}.json"))
}

#[test]
fn decision_that_was_carried_out_is_not_repeated() {
    for case in &CASES {
        let blog = blog_of(case);
        let proposal = fs::read(pending(blog.path())).unwrap();
        let path = blog.path().join(case.path);
        let before = fs::read(&path).ok();
        let (before_source, by) = (source(blog.path()), AuditSource::command_line());
        accept(&before_source, &case.request(&by)).unwrap();
        assert_eq!(decided_in(blog.path()).is_carried_out, Some(true), "{}", case.name);
        // A person takes the change back by hand.
        match &before {
            Some(text) => fs::write(&path, text).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        let trail = AuditTrail::default();
        for sweeps in [true, false] {
            put_back(blog.path(), &proposal);
            let source = source(blog.path());
            if sweeps {
                sweep(&source, (&by, &trail), NOW).unwrap();
            } else {
                finish_decisions(&source, &trail).unwrap();
            }
            assert_eq!(fs::read(&path).ok(), before, "{}", case.name);
            assert!(!pending(blog.path()).exists(), "{}", case.name);
            assert_eq!(decided_in(blog.path()).left_alone, [""; 0]);
        }
    }
}

#[test]
fn decision_of_an_earlier_program_is_ended_and_changes_nothing() {
    for case in &CASES {
        for was_carried_out in [true, false] {
            let blog = blog_of(case);
            let proposal = fs::read(pending(blog.path())).unwrap();
            let before = source(blog.path());
            let by = AuditSource::command_line();
            accept(&before, &case.request(&by)).unwrap();
            let path = blog.path().join(case.path);
            if !was_carried_out {
                fs::write(&path, "Theirs\n").unwrap();
            }
            let written = fs::read(&path).unwrap();
            put_back(blog.path(), &proposal);
            ProposalStore::new(&before.folder)
                .amend(&Decided { is_carried_out: None, ..decided_in(blog.path()) })
                .unwrap();
            finish_decisions(&source(blog.path()), &AuditTrail::default()).unwrap();
            let decided = decided_in(blog.path());
            let expected = if was_carried_out { vec![] } else { vec![case.path.to_owned()] };
            assert_eq!((decided.left_alone, decided.is_carried_out), (expected, Some(true)), "{}", case.name);
            assert_eq!(fs::read(&path).unwrap(), written, "{}", case.name);
            assert!(!pending(blog.path()).exists());
        }
    }
}

#[test]
fn decision_is_carried_out_once_whatever_a_crash_leaves() {
    for case in &CASES {
        let blog = blog_of(case);
        let (whole, by) = (source(blog.path()), AuditSource::command_line());
        let images = images_of(blog.path(), || drop(accept(&whole, &case.request(&by)).unwrap()));
        for (number, (step, image)) in images.iter().enumerate() {
            let when = format!("{}, before step {number} ({step})", case.name);
            let Ok(Some(decided)) = ProposalStore::new(&source(image.path()).folder).read_decided(ID) else { continue };
            // The mark is there before the file of the proposal goes, and says no more than what is true.
            assert!(decided.is_carried_out == Some(true) || pending(image.path()).exists(), "{when}");
            if decided.is_carried_out == Some(true) {
                let text = fs::read_to_string(image.path().join(case.path)).unwrap();
                assert!(text.contains(case.accepted), "{when}: {text}");
            }
            let applied = carry_out(&source(image.path()), &decided).unwrap();
            assert_eq!(applied.left_alone, [""; 0], "{when}");
        }
    }
}
