//! Files of proposals that no tool of this program wrote: a server that may not decide may write every one of them.

#![expect(clippy::disallowed_methods, reason = "tests set up real folders")]
#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::apply::{remove, write};
use super::decide::{DecideError, DecisionRequest, Outcome, accept, discard, show, sweep};
use super::plan::{FileStep, digest_of};
use super::store::{ProposalStore, StoreError};
use super::test_cases::{CASES, ID, NO_TRAIL, NOW, POST, blog_of, proposal_in, request, source};
use super::view::proposals_with;
use super::{Decided, Decision, PROPOSAL_VERSION, ProposalKind};
use wardroom_appdir::{Access, ambient};
use wardroom_service::audit::{AuditAction, AuditSource, AuditTrail, read_records};
use wardroom_service::proposal::ProposalStatus;

const VICTIM: &str = "posts/2024/03/victim.md";
const VICTIM_TEXT: &str = "---\nid: b\n---\nPublic\n";
const OTHER_ID: &str = "0190d1a2-7c3b-7aaa-8bbb-0123456789ff";

fn pending(blog: &Path, id: &str) -> std::path::PathBuf {
    blog.join(format!(".wardroom/proposals/{id}.json"))
}

/// Returns a blog of a case with another post, whose proposal is as `forge` makes it.
fn forged_blog(case: usize, forge: impl FnOnce(&mut Value)) -> TempDir {
    let blog = blog_of(&CASES[case]);
    fs::write(blog.path().join(VICTIM), VICTIM_TEXT).unwrap();
    let path = pending(blog.path(), ID);
    let mut stored: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    forge(&mut stored);
    fs::write(&path, stored.to_string()).unwrap();
    blog
}

/// Lets everything be tried with a proposal, whose file is to be unreadable, and checks that nothing happens.
#[track_caller]
fn assert_nothing_happens(blog: &Path) {
    let (source, by) = (source(blog), AuditSource::command_line());
    let store = ProposalStore::new(&source.folder);
    assert!(matches!(store.find(ID, NOW), Err(StoreError::Invalid(id, _)) if id == ID));
    let public = || [POST, VICTIM].map(|path| fs::read_to_string(blog.join(path)).ok());
    let before = (public(), fs::read(pending(blog, ID)).unwrap());
    sweep(&source, (&by, &NO_TRAIL), NOW).unwrap();
    sweep(&source, (&by, &NO_TRAIL), NOW + 2_000).unwrap();
    for decided in [accept(&source, &request(&by)), discard(&source, &request(&by))] {
        assert!(matches!(decided, Err(DecideError::Store(StoreError::Invalid(..)))), "{decided:?}");
    }
    assert_eq!((public(), fs::read(pending(blog, ID)).unwrap()), before);
    for status in [ProposalStatus::Pending, ProposalStatus::Expired, ProposalStatus::Discarded] {
        assert!(proposals_with(&source, status, None, 50, NOW).unwrap().0.is_empty());
    }
}

#[test]
fn draft_that_is_a_published_post_is_not_removed() {
    let draft = json!({"path": VICTIM, "digest": digest_of(VICTIM_TEXT)});
    for case in [0, 1, 2] {
        for is_over in [true, false] {
            let blog = forged_blog(case, |stored| {
                stored["change"]["draft"] = draft.clone();
                if is_over {
                    stored["expires_at"] = (NOW - 1).into();
                }
            });
            assert_nothing_happens(blog.path());
        }
    }
    // The same as the draft of a person, and withdrawn.
    let blog = forged_blog(0, |stored| stored["change"]["draft"] = json!({"path": VICTIM}));
    assert_nothing_happens(blog.path());
    let blog = forged_blog(1, |stored| {
        stored["change"]["draft"] = draft.clone();
        stored["withdrawn"] = withdrawn("operator", "review");
    });
    assert_nothing_happens(blog.path());
}

#[test]
fn id_that_leads_elsewhere_names_no_file() {
    let names = ["package.json", ".wardroom/package.json"];
    let blog = forged_blog(0, |stored| {
        stored["id"] = "a/b/../../../../package".into();
        stored["expires_at"] = 1.into();
    });
    fs::create_dir_all(blog.path().join(".wardroom/proposals/a/b")).unwrap();
    fs::write(blog.path().join("package.json"), "{}").unwrap();
    assert_nothing_happens(blog.path());
    assert_eq!(names.map(|name| blog.path().join(name).exists()), [true, false]);
}

#[test]
fn body_that_a_list_does_not_show_is_not_written() {
    assert_nothing_happens(forged_blog(0, |stored| stored["change"]["body"] = "Evil\n".into()).path());
}

#[test]
fn unreadable_proposal_hides_and_keeps_no_other_one() {
    let blog = forged_blog(0, |_| {});
    let mut other: Value = serde_json::from_slice(&fs::read(pending(blog.path(), ID)).unwrap()).unwrap();
    other["change"]["path"] = ".git/config.md".into();
    other["id"] = OTHER_ID.into();
    fs::write(pending(blog.path(), OTHER_ID), other.to_string()).unwrap();
    let (source, by) = (source(blog.path()), AuditSource::command_line());
    let listed = proposals_with(&source, ProposalStatus::Pending, None, 50, NOW).unwrap().0;
    assert_eq!(listed.iter().map(|item| item.id.as_str()).collect::<Vec<_>>(), [ID]);
    accept(&source, &request(&by)).unwrap();
    assert!(pending(blog.path(), OTHER_ID).exists());
}

#[test]
fn digest_is_of_all_that_was_shown() {
    let text = "---\nid: a\n---\nOld\n";
    // Valid as it is, and as each of these.
    let changes: [fn(&mut Value); 5] = [
        |stored| stored["kind"] = "propose_post_translation".into(),
        |stored| stored["entity_id"] = "b".into(),
        |stored| stored["title"] = "Another".into(),
        |stored| stored["proposer"]["who"] = "token b".into(),
        |stored| stored["change"]["path"] = "posts/2024/03/b.md".into(),
    ];
    for change in changes {
        let blog = forged_blog(0, |stored| {
            stored["kind"] = "propose_post_edit".into();
            stored["change"]["fields"] = json!([]);
            stored["change"]["base"] = text.into();
            stored["change"]["body"] = "New\n".into();
        });
        for path in [POST, "posts/2024/03/b.md"] {
            fs::write(blog.path().join(path), text).unwrap();
        }
        let (source, by) = (source(blog.path()), AuditSource::command_line());
        let proposal = proposal_in(blog.path());
        assert_eq!(proposal.kind, ProposalKind::ProposePostEdit);
        let digest = show(&source, &proposal, false, NOW).unwrap().1;
        let path = pending(blog.path(), ID);
        let shown = fs::read(&path).unwrap();
        let mut stored: Value = serde_json::from_slice(&shown).unwrap();
        change(&mut stored);
        fs::write(&path, stored.to_string()).unwrap();
        let as_shown = DecisionRequest { digest: Some(&digest), ..request(&by) };
        assert!(matches!(accept(&source, &as_shown), Err(DecideError::Changed)), "{stored:#}");
        fs::write(&path, shown).unwrap();
        accept(&source, &as_shown).unwrap();
    }
}

#[test]
fn what_accepting_removes_is_shown() {
    let blog = blog_of(&CASES[1]);
    let proposal = proposal_in(blog.path());
    let shown = show(&source(blog.path()), &proposal, false, NOW).unwrap().0;
    assert_eq!(shown.removes, proposal.change.draft.map(|draft| draft.path));
    let blog = blog_of(&CASES[0]);
    assert_eq!(show(&source(blog.path()), &proposal_in(blog.path()), false, NOW).unwrap().0.removes, None);
}

fn withdrawn(who: &str, through: &str) -> Value {
    json!({"status": "accepted", "at": NOW * 2, "who": who, "through": through, "digest": "00", "reason": "a better one"})
}

#[test]
fn withdrawal_is_that_of_the_proposer() {
    for (through, recorded) in
        [("http", "http"), ("stdio", "stdio"), ("review", "withdrawal"), ("command", "withdrawal")]
    {
        let blog = forged_blog(0, |stored| {
            stored["proposer"] = json!({"who": "token a", "through": through});
            stored["withdrawn"] = withdrawn("operator", "review");
        });
        let app = TempDir::new().unwrap();
        let folder = ambient::open_folder(app.path(), Access::ReadWrite).unwrap();
        let (source, trail) = (source(blog.path()), AuditTrail::new(&folder));
        trail.prepare();
        let store = ProposalStore::new(&source.folder);
        let expected = ("token a", recorded, ProposalStatus::Discarded, NOW);
        let assert_withdrawn = || {
            let decision = store.find(ID, NOW).unwrap().unwrap().decision.unwrap();
            assert_eq!((&*decision.who, &*decision.through, decision.status, decision.at), expected);
            assert_eq!((decision.digest.len(), decision.reason.as_deref()), (64, Some("a better one")));
        };
        assert_withdrawn();
        sweep(&source, (&AuditSource::command_line(), &trail), NOW).unwrap();
        assert_withdrawn();
        assert!(store.read_decided(ID).unwrap().is_some());
        let lines: Vec<_> = read_records(&folder).unwrap().into_iter().filter(|line| line.subject == ID).collect();
        let [line] = lines.as_slice() else { panic!("{lines:#?}") };
        assert_eq!((line.action, &*line.who, &*line.through), (AuditAction::ProposalDiscarded, "token a", recorded));
    }
}

#[test]
fn unknown_fields_of_newer_files_are_refused_by_version() {
    let blog = blog_of(&CASES[0]);
    let path = blog.path().join(format!(".wardroom/proposals/{ID}.json"));
    let mut stored: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    stored["version"] = (PROPOSAL_VERSION + 1).into();
    fs::write(&path, stored.to_string()).unwrap();
    let found = ProposalStore::new(&source(blog.path()).folder).find(ID, NOW);
    assert!(found.unwrap_err().to_string().contains("newer version"));
}

/// Paths that no plan has: the handle of the blog holds alone.
#[cfg(unix)]
#[test]
fn paths_that_lead_out_of_the_blog_change_nothing() {
    let outside = TempDir::new().unwrap();
    fs::write(outside.path().join("secret.md"), "secret").unwrap();
    let blog = blog_of(&CASES[0]);
    std::os::unix::fs::symlink(outside.path(), blog.path().join("posts/link")).unwrap();
    let source = source(blog.path());
    let name = outside.path().file_name().unwrap().to_string_lossy().into_owned();
    for folder in [
        format!("../{name}"),
        format!("posts/../../{name}"),
        "posts/link".to_owned(),
        outside.path().display().to_string(),
    ] {
        let (new, secret) = (format!("{folder}/new.md"), format!("{folder}/secret.md"));
        let _ = write(&source, &new, None, "x");
        let _ = write(&source, &secret, Some(&digest_of("secret")), "x");
        let _ = remove(&source, &secret, &digest_of("secret"));
        let left: Vec<_> = fs::read_dir(outside.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["secret.md"], "{folder}");
        assert_eq!(fs::read_to_string(outside.path().join("secret.md")).unwrap(), "secret", "{folder}");
    }
}

#[test]
fn forged_decision_changes_no_other_file() {
    let blog = blog_of(&CASES[0]);
    fs::create_dir(blog.path().join("meta")).unwrap();
    fs::write(blog.path().join("meta/project.json"), "{}").unwrap();
    fs::write(blog.path().join("posts/2024/03/b.md"), "other").unwrap();
    let (source, by) = (source(blog.path()), AuditSource::command_line());
    let store = ProposalStore::new(&source.folder);
    let proposal = store.find(ID, NOW).unwrap().unwrap().proposal;
    let decision = Decision {
        status: ProposalStatus::Accepted,
        at: NOW,
        who: "operator".to_owned(),
        through: "command".to_owned(),
        digest: digest_of(""),
        reason: None,
    };
    let step = |path: &str, before: &str| FileStep::Write {
        path: path.to_owned(),
        before: Some(digest_of(before)),
        text: "forged".to_owned(),
    };
    let steps = vec![step("meta/project.json", "{}"), step("posts/2024/03/b.md", "other")];
    store.decide(&Decided::new(proposal, decision, steps)).unwrap();
    sweep(&source, (&by, &NO_TRAIL), NOW).unwrap();
    assert_eq!(fs::read_to_string(blog.path().join("meta/project.json")).unwrap(), "{}");
    assert_eq!(fs::read_to_string(blog.path().join("posts/2024/03/b.md")).unwrap(), "other");
    assert_eq!(store.find(ID, NOW).unwrap().unwrap().left_alone.len(), 2);
}

#[test]
fn proposal_that_cannot_be_read_keeps_no_other_one() {
    let blog = blog_of(&CASES[0]);
    let (source, by) = (source(blog.path()), AuditSource::command_line());
    let other = "0190d1a2-7c3b-7aaa-8bbb-0123456789ff";
    fs::write(blog.path().join(format!(".wardroom/proposals/{other}.json")), "{").unwrap();
    sweep(&source, (&by, &NO_TRAIL), NOW).unwrap();
    let listed = proposals_with(&source, ProposalStatus::Pending, None, 50, NOW).unwrap().0;
    assert_eq!(listed.iter().map(|item| item.id.as_str()).collect::<Vec<_>>(), [ID]);
    assert!(matches!(accept(&source, &request(&by)), Ok(Outcome::Done { .. })));
}
