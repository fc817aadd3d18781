//! A crash, and an I/O error, at every step of a decision: afterwards the blog is as before or as after it, never in between
//! for good, and the proposal is decided once.

#![expect(clippy::disallowed_methods, reason = "tests set up real folders")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};
use std::{fs, io, thread};

use serde_json::Value;
use tempfile::TempDir;

use super::apply::{remove, write};
use super::change::{Change, Draft, FieldChange};
use super::decide::{DecisionRequest, Outcome, accept, discard, sweep};
use super::edit::{SaveEditError, editable_text, save_edit};
use super::plan::{FileStep, digest_of};
use super::store::ProposalStore;
use super::view::proposals_with;
use super::{Decided, Decision, PROPOSAL_VERSION, Proposal, ProposalKind, ProposalStatus, Proposer};
use crate::index::BlogSource;
use crate::{BlogDefaults, BlogLayout};
use wardroom_appdir::{Access, ambient, with_failpoints};
use wardroom_sandbox::{DocumentSandbox, GuestImage};
use wardroom_service::audit::{AuditSource, AuditTrail};

static SANDBOX: LazyLock<Arc<DocumentSandbox>> =
    LazyLock::new(|| Arc::new(DocumentSandbox::new(GuestImage::documents())));

static NO_TRAIL: LazyLock<AuditTrail> = LazyLock::new(AuditTrail::default);

const ID: &str = "0190d1a2-7c3b-7aaa-8bbb-0123456789ab";
const POST: &str = "posts/2024/03/a.md";
const DRAFT: &str = ".wardroom/drafts/new.md";
const NOW: i64 = 1_700_000_000_000;

fn source(blog: &Path) -> BlogSource {
    let folder = ambient::open_folder(blog, Access::ReadWrite).unwrap();
    BlogSource { folder, layout: BlogLayout::Bds, defaults: BlogDefaults::default(), sandbox: Arc::clone(&SANDBOX) }
}

fn proposal(kind: ProposalKind, change: Change) -> Proposal {
    Proposal {
        version: PROPOSAL_VERSION,
        id: ID.to_owned(),
        kind,
        entity_id: "a".to_owned(),
        title: "A".to_owned(),
        created_at: NOW,
        expires_at: NOW + 1_000,
        proposer: Proposer { who: "operator".to_owned(), owner: None, through: "stdio".to_owned() },
        change,
        withdrawn: None,
    }
}

/// A blog with one pending proposal.
struct Case {
    name: &'static str,
    make: fn(&Path) -> Proposal,
    /// What the post says when it is accepted.
    accepted: &'static str,
}

const CASES: [Case; 2] = [
    Case { name: "a change of a post", make: change_of_post, accepted: "title: New" },
    Case { name: "a new post", make: new_post, accepted: "status: published" },
];

fn change_of_post(blog: &Path) -> Proposal {
    let base = "---\nid: a\ntitle: Old\nstatus: published\n---\nBody\n";
    fs::write(blog.join(POST), base).unwrap();
    let change = Change {
        path: POST.to_owned(),
        draft: None,
        replaces: None,
        base: Some(base.to_owned()),
        fields: vec![FieldChange::new("title", "New")],
        body: None,
    };
    proposal(ProposalKind::ProposePostMetadata, change)
}

fn new_post(blog: &Path) -> Proposal {
    let draft = format!("---\nid: new\ntitle: New\nstatus: draft\nproposal: {ID}\n---\nBody\n");
    fs::write(blog.join(DRAFT), &draft).unwrap();
    let change = Change {
        path: POST.to_owned(),
        draft: Some(Draft { path: DRAFT.to_owned(), digest: Some(digest_of(&draft)) }),
        replaces: None,
        base: None,
        fields: vec![FieldChange::new("id", "new"), FieldChange::new("status", "draft")],
        body: Some("Body\n".to_owned()),
    };
    proposal(ProposalKind::DraftPost, change)
}

/// Makes a blog with the proposal.
fn blog_of(case: &Case) -> TempDir {
    let dir = TempDir::new().unwrap();
    for folder in ["posts/2024/03", ".wardroom/drafts"] {
        fs::create_dir_all(dir.path().join(folder)).unwrap();
    }
    let proposal = (case.make)(dir.path());
    ProposalStore::new(&source(dir.path()).folder).create(&proposal).unwrap();
    dir
}

/// The files that people see, by path.
fn public_files(blog: &Path) -> BTreeMap<PathBuf, String> {
    fn visit(root: &Path, folder: &Path, found: &mut BTreeMap<PathBuf, String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                visit(root, &path, found);
            } else {
                let name = path.strip_prefix(root).unwrap().to_owned();
                let is_temporary = name.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
                if !is_temporary {
                    found.insert(name, fs::read_to_string(&path).unwrap());
                }
            }
        }
    }
    let mut found = BTreeMap::new();
    visit(blog, &blog.join("posts"), &mut found);
    visit(blog, &blog.join(".wardroom/drafts"), &mut found);
    found
}

fn copy(from: &Path) -> TempDir {
    fn visit(from: &Path, to: &Path) {
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            let to = to.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                fs::create_dir(&to).unwrap();
                visit(&entry.path(), &to);
            } else {
                fs::copy(entry.path(), to).unwrap();
            }
        }
    }
    let copy = TempDir::new().unwrap();
    visit(from, copy.path());
    copy
}

fn request(by: &AuditSource) -> DecisionRequest<'_> {
    DecisionRequest { id: ID, by, trail: &NO_TRAIL, digest: None, merges: false, reason: None, now: NOW }
}

/// Checks what an interruption left, and that the next process ends it.
#[track_caller]
fn assert_ends_well(blog: &Path, before: &BTreeMap<PathBuf, String>, case: &Case, accepts: bool, when: &str) {
    let source = source(blog);
    let by = AuditSource::command_line();
    sweep(&source, (&by, &NO_TRAIL), NOW).unwrap_or_else(|error| panic!("{when}: {error:?}"));
    let state = ProposalStore::new(&source.folder).find(ID).unwrap().unwrap();
    let files = public_files(blog);
    match state.status(NOW) {
        ProposalStatus::Pending => assert_eq!(files, *before, "{when}: undecided, and something changed"),
        _ => assert_decided(&files, before, case, accepts, when),
    }
    // Once more, and it is as if nothing had happened.
    let again = if accepts { accept(&source, &request(&by)) } else { discard(&source, &request(&by)) };
    again.unwrap_or_else(|error| panic!("{when}: {error:?}"));
    assert_decided(&public_files(blog), before, case, accepts, when);
    assert_eq!(ProposalStore::new(&source.folder).pending_ids().unwrap(), [""; 0], "{when}");
}

#[track_caller]
fn assert_decided(
    files: &BTreeMap<PathBuf, String>,
    before: &BTreeMap<PathBuf, String>,
    case: &Case,
    accepts: bool,
    when: &str,
) {
    assert!(!files.contains_key(Path::new(DRAFT)), "{when}: {files:?}");
    if accepts {
        let post = files.get(Path::new(POST)).unwrap_or_else(|| panic!("{when}: {files:?}"));
        assert!(post.contains(case.accepted) && post.ends_with("---\nBody\n"), "{when}: {post}");
        assert_eq!(files.len(), 1, "{when}");
    } else {
        assert_eq!(files.get(Path::new(POST)), before.get(Path::new(POST)), "{when}");
    }
}

#[test]
fn crash_at_any_step_leaves_a_decision_that_is_finished_or_none() {
    for (case, accepts) in CASES.iter().flat_map(|case| [(case, true), (case, false)]) {
        let blog = blog_of(case);
        let before = public_files(blog.path());
        let images: Arc<Mutex<Vec<(&'static str, TempDir)>>> = Arc::default();
        let (taken, of_blog) = (Arc::clone(&images), blog.path().to_owned());
        let take_image = move |step| {
            taken.lock().unwrap().push((step, copy(&of_blog)));
            Ok(())
        };
        let by = AuditSource::command_line();
        let (source, request) = (source(blog.path()), request(&by));
        let decided =
            with_failpoints(
                take_image,
                || if accepts { accept(&source, &request) } else { discard(&source, &request) },
            );
        assert!(matches!(decided.unwrap(), Outcome::Done { .. }));
        let images = std::mem::take(&mut *images.lock().unwrap());
        assert!(images.len() > 5, "{}: {} steps", case.name, images.len());
        for (number, (step, image)) in images.iter().enumerate() {
            let when = format!("{}, accepted {accepts}, before step {number} ({step})", case.name);
            assert_ends_well(image.path(), &before, case, accepts, &when);
        }
    }
}

#[test]
fn io_error_at_any_step_loses_nothing() {
    for (case, accepts) in CASES.iter().flat_map(|case| [(case, true), (case, false)]) {
        let whole = blog_of(case);
        let before = public_files(whole.path());
        for is_lasting in [false, true] {
            for at in 0.. {
                let blog = copy(whole.path());
                let mut reached = 0;
                let by = AuditSource::command_line();
                let (source, request) = (source(blog.path()), request(&by));
                let counted = Arc::new(Mutex::new(0));
                let counter = Arc::clone(&counted);
                let refuse = move |_: &'static str| {
                    reached += 1;
                    *counter.lock().unwrap() = reached;
                    let is_refused = reached == at + 1 || (is_lasting && reached > at);
                    if is_refused { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
                };
                let _ = with_failpoints(refuse, || {
                    if accepts { accept(&source, &request) } else { discard(&source, &request) }
                });
                let when = format!("{}, accepted {accepts}, step {at} fails, and all others: {is_lasting}", case.name);
                assert_ends_well(blog.path(), &before, case, accepts, &when);
                if *counted.lock().unwrap() <= at {
                    break;
                }
            }
        }
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
        let state = ProposalStore::new(&source(blog.path()).folder).find(ID).unwrap().unwrap();
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
fn failed_edit_leaves_the_text_as_it_was_or_as_it_was_edited() {
    for has_draft in [true, false] {
        let whole = blog_of(&CASES[usize::from(has_draft)]);
        let folder = source(whole.path()).folder;
        let mut proposal = Proposal { expires_at: i64::MAX, ..proposal_in(whole.path()) };
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
        discard(&source(whole.path()), &request(&by)).unwrap();
        let late = save_edit(&source(whole.path()), ID, &before.digest, &edited);
        assert!(matches!(late, Err(SaveEditError::Decided(_))), "{late:?}");
        store.replace(&store.lock().unwrap(), &proposal).unwrap_err();
    }
}

fn proposal_in(blog: &Path) -> Proposal {
    ProposalStore::new(&source(blog).folder).find(ID).unwrap().unwrap().proposal
}

#[test]
fn unknown_fields_of_newer_files_are_refused_by_version() {
    let blog = blog_of(&CASES[0]);
    let path = blog.path().join(format!(".wardroom/proposals/{ID}.json"));
    let mut stored: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    stored["version"] = (PROPOSAL_VERSION + 1).into();
    fs::write(&path, stored.to_string()).unwrap();
    let found = ProposalStore::new(&source(blog.path()).folder).find(ID);
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
    let proposal = store.find(ID).unwrap().unwrap().proposal;
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
    store.decide(&Decided { version: PROPOSAL_VERSION, proposal, decision, steps, left_alone: Vec::new() }).unwrap();
    sweep(&source, (&by, &NO_TRAIL), NOW).unwrap();
    assert_eq!(fs::read_to_string(blog.path().join("meta/project.json")).unwrap(), "{}");
    assert_eq!(fs::read_to_string(blog.path().join("posts/2024/03/b.md")).unwrap(), "other");
    assert_eq!(store.find(ID).unwrap().unwrap().left_alone.len(), 2);
}

#[test]
fn proposal_that_cannot_be_read_keeps_no_other_one() {
    let blog = blog_of(&CASES[0]);
    let (source, by) = (source(blog.path()), AuditSource::command_line());
    let other = "0190d1a2-7c3b-7aaa-8bbb-0123456789ff";
    fs::write(blog.path().join(format!(".wardroom/proposals/{other}.json")), "{").unwrap();
    sweep(&source, (&by, &NO_TRAIL), NOW).unwrap();
    let listed = proposals_with(&source.folder, ProposalStatus::Pending, None, 50, NOW).unwrap().0;
    assert_eq!(listed.iter().map(|item| item.id.as_str()).collect::<Vec<_>>(), [ID]);
    assert!(matches!(accept(&source, &request(&by)), Ok(Outcome::Done { .. })));
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
