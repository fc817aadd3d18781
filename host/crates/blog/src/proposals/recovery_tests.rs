//! The audit trail after a crash at every step of a decision: one line for each decision, and none for what was not decided.

#![expect(clippy::disallowed_methods, reason = "tests set up real folders")]
#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::ProposalStatus;
use super::crash_tests::{CASES, Ending, ID, NOW, copy, images_of, make_blog, source};
use super::decide::{DecisionRequest, finish_decisions, sweep};
use super::store::ProposalStore;
use wardroom_appdir::{Access, Folder, ambient};
use wardroom_service::audit::{AuditAction, AuditRecord, AuditSource, AuditTrail, read_records};

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
    let by = AuditSource { who: "expiry".to_owned(), through: "server" };
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
        // Whoever withdraws a proposal made it, and the trail names its proposer.
        let by = match ending {
            Ending::Withdraw => AuditSource { who: "operator".to_owned(), through: "stdio" },
            _ => AuditSource { who: "token a".to_owned(), through: "http" },
        };
        let request =
            DecisionRequest { id: ID, by: &by, trail: &trail, digest: None, merges: false, reason: None, now: NOW };
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
                let store_of = super::crash_tests::source(&image.path().join("blog"));
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
                assert_eq!((line.action, &*line.who, &*line.through), (action, &*by.who, by.through), "{when}");
                assert_eq!(line.digest, Some(decision.digest), "{when}");
                n_recovered += usize::from(!was_written);
            }
        }
        assert!(n_recovered > 0, "{}, {ending:?}: no crash lost a line", case.name);
    }
}
