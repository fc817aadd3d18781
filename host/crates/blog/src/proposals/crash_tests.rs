//! A crash, and an I/O error, at every step of a decision: afterwards the blog is as before or as after it, never in between
//! for good, and the proposal is decided once.

#![expect(clippy::disallowed_methods, reason = "tests set up real folders")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};
use std::{fs, io};

use tempfile::TempDir;

use super::change::{Change, Draft, FieldChange};
use super::decide::{DecideError, DecisionRequest, accept, discard, sweep, withdraw};
use super::decided_cache::DecidedCache;
use super::edit::{SaveEditError, editable_text, save_edit};
use super::new::{now_ms, write_proposal};
use super::pending_cache::PendingCache;
use super::plan::digest_of;
use super::store::ProposalStore;
use super::validity::own_draft_path;
use super::{PROPOSAL_VERSION, Proposal, ProposalKind, ProposalStatus, Proposer};
use crate::content::layout::DRAFTS_DIR;
use crate::index::BlogSource;
use crate::{BlogDefaults, BlogLayout};
use wardroom_appdir::{Access, ambient, with_failpoints};
use wardroom_sandbox::{DocumentSandbox, GuestImage};
use wardroom_service::audit::{AuditSource, AuditTrail};

static SANDBOX: LazyLock<Arc<DocumentSandbox>> =
    LazyLock::new(|| Arc::new(DocumentSandbox::new(GuestImage::documents())));

pub(super) static NO_TRAIL: LazyLock<AuditTrail> = LazyLock::new(AuditTrail::default);

pub(super) const ID: &str = "0190d1a2-7c3b-7aaa-8bbb-0123456789ab";
pub(super) const POST: &str = "posts/2024/03/a.md";
/// The id of what is proposed, by which its draft is named.
const ENTITY: &str = "0190d1a2-7c3b-4aaa-8bbb-0123456789ab";
pub(super) const DRAFT: &str = ".wardroom/drafts/0190d1a2-7c3b-4aaa-8bbb-0123456789ab.md";
const TRANSLATION: &str = "posts/2024/03/a.de.md";
const SIDECAR: &str = "media/2024/03/a.jpg.meta";
const SCRIPT: &str = "scripts/a.lua";
const TEMPLATE: &str = "templates/a.liquid";
/// The folders with what people see, and with drafts.
const FOLDERS: [&str; 5] = ["posts/2024/03", "media/2024/03", "scripts", "templates", DRAFTS_DIR];
pub(super) const NOW: i64 = 1_700_000_000_000;

pub(super) fn source(blog: &Path) -> BlogSource {
    let folder = ambient::open_folder(blog, Access::ReadWrite).unwrap();
    BlogSource {
        folder,
        layout: BlogLayout::Bds,
        defaults: BlogDefaults::default(),
        sandbox: Arc::clone(&SANDBOX),
        decided: DecidedCache::default(),
        pending: PendingCache::default(),
    }
}

fn proposal(kind: ProposalKind, change: Change) -> Proposal {
    Proposal {
        version: PROPOSAL_VERSION,
        id: ID.to_owned(),
        kind,
        entity_id: ENTITY.to_owned(),
        title: "A".to_owned(),
        created_at: NOW,
        expires_at: NOW + 1_000,
        proposer: Proposer { who: "operator".to_owned(), owner: None, user: None, through: "stdio".to_owned() },
        change,
        withdrawn: None,
    }
}

/// A blog with one pending proposal.
pub(super) struct Case {
    pub(super) name: &'static str,
    make: fn(&Path) -> Proposal,
    /// The file that changes.
    path: &'static str,
    /// What it says when the change is accepted, and how it ends then.
    accepted: &'static str,
    end: &'static str,
}

impl Case {
    pub(super) const fn path(&self) -> &'static str {
        self.path
    }

    pub(super) const fn accepted(&self) -> &'static str {
        self.accepted
    }
}

pub(super) const CASES: [Case; 6] = [
    Case { name: "a change of a post", make: change_of_post, path: POST, accepted: "title: New", end: "---\nBody\n" },
    Case { name: "a new post", make: new_post, path: POST, accepted: "status: published", end: "---\nBody\n" },
    Case {
        name: "a translation",
        make: translation,
        path: TRANSLATION,
        accepted: "translationFor: a",
        end: "---\nText\n",
    },
    Case { name: "a text of a picture", make: sidecar, path: SIDECAR, accepted: "alt: New", end: "\n---\n" },
    Case { name: "a script", make: script, path: SCRIPT, accepted: "kind: macro", end: "---\nreturn 1\n" },
    Case { name: "a template", make: template, path: TEMPLATE, accepted: "kind: list", end: "---\n{{ title }}\n" },
];

fn change_of_post(blog: &Path) -> Proposal {
    let base = "---\nid: a\ntitle: Old\nstatus: published\n---\nBody\n";
    let fields = vec![FieldChange::new("title", "New")];
    proposal(ProposalKind::ProposePostMetadata, change_of_file(blog, POST, base, fields))
}

fn sidecar(blog: &Path) -> Proposal {
    let base = "---\nid: a\nalt: Old\n---\n";
    let fields = vec![FieldChange::new("alt", "New")];
    proposal(ProposalKind::ProposeMediaMetadata, change_of_file(blog, SIDECAR, base, fields))
}

fn change_of_file(blog: &Path, path: &str, base: &str, fields: Vec<FieldChange>) -> Change {
    fs::write(blog.join(path), base).unwrap();
    Change { path: path.to_owned(), draft: None, replaces: None, base: Some(base.to_owned()), fields, body: None }
}

fn translation(_: &Path) -> Proposal {
    let fields = vec![FieldChange::new("translationFor", "a"), FieldChange::new("language", "de")];
    let body = Some("Text\n".to_owned());
    let change = Change { path: TRANSLATION.to_owned(), draft: None, replaces: None, base: None, fields, body };
    proposal(ProposalKind::ProposePostTranslation, change)
}

fn new_post(blog: &Path) -> Proposal {
    let fields = vec![FieldChange::new("id", "new"), FieldChange::new("status", "draft")];
    let draft = format!("---\nid: new\ntitle: New\nstatus: draft\nproposal: {ID}\n---\nBody\n");
    proposal(ProposalKind::DraftPost, new_file(blog, POST, (DRAFT, &draft), fields, "Body\n"))
}

fn script(blog: &Path) -> Proposal {
    let fields = vec![FieldChange::new("id", "new"), FieldChange::new("kind", "macro")];
    let text = format!("---\nid: new\nkind: macro\nproposal: {ID}\n---\nreturn 1\n");
    let draft = own_draft_path(ENTITY, "lua");
    proposal(ProposalKind::ProposeScript, new_file(blog, SCRIPT, (&draft, &text), fields, "return 1\n"))
}

fn template(blog: &Path) -> Proposal {
    let fields = vec![FieldChange::new("id", "new"), FieldChange::new("kind", "list")];
    let text = format!("---\nid: new\nkind: list\nproposal: {ID}\n---\n{{{{ title }}}}\n");
    let draft = own_draft_path(ENTITY, "liquid");
    proposal(ProposalKind::ProposeTemplate, new_file(blog, TEMPLATE, (&draft, &text), fields, "{{ title }}\n"))
}

fn new_file(blog: &Path, path: &str, (draft, text): (&str, &str), fields: Vec<FieldChange>, body: &str) -> Change {
    fs::write(blog.join(draft), text).unwrap();
    let draft = Draft { path: draft.to_owned(), digest: Some(digest_of(text)) };
    let body = Some(body.to_owned());
    Change { path: path.to_owned(), draft: Some(draft), replaces: None, base: None, fields, body }
}

/// Makes a blog with the proposal.
pub(super) fn blog_of(case: &Case) -> TempDir {
    let dir = TempDir::new().unwrap();
    make_blog(dir.path(), case);
    dir
}

/// Makes the blog of a case in a folder.
pub(super) fn make_blog(blog: &Path, case: &Case) {
    for folder in FOLDERS {
        fs::create_dir_all(blog.join(folder)).unwrap();
    }
    let proposal = (case.make)(blog);
    let source = source(blog);
    ProposalStore::new(&source.folder).create(&source.pending, &proposal).unwrap();
}

/// The files that people see, by path.
pub(super) fn public_files(blog: &Path) -> BTreeMap<PathBuf, String> {
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
    FOLDERS.iter().for_each(|folder| visit(blog, &blog.join(folder), &mut found));
    found
}

pub(super) fn copy(from: &Path) -> TempDir {
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

pub(super) fn request(by: &AuditSource) -> DecisionRequest<'_> {
    DecisionRequest { id: ID, by, trail: &NO_TRAIL, digest: None, merges: false, reason: None, now: NOW }
}

/// What is done with a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Accept,
    Discard,
    /// By a server that may not decide.
    Withdraw,
    Expire,
}

pub(super) const ENDINGS: [Ending; 4] = [Ending::Accept, Ending::Discard, Ending::Withdraw, Ending::Expire];

impl Ending {
    pub(super) fn apply(self, source: &BlogSource, request: &DecisionRequest<'_>) -> Result<(), DecideError> {
        match self {
            Self::Accept => accept(source, request).map(drop),
            Self::Discard => discard(source, request).map(drop),
            Self::Withdraw => withdraw(source, request).map(drop),
            Self::Expire => sweep(source, (request.by, request.trail), NOW + 2_000).map(drop),
        }
    }
}

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
    ending.apply(&source, &request(&by)).unwrap_or_else(|error| panic!("{when}: {error:?}"));
    // What was withdrawn is ended by a process that decides.
    sweep();
    assert_decided(&public_files(blog), before, case, ending == Ending::Accept, when);
    assert_eq!(ProposalStore::new(&source.folder).pending_ids().unwrap(), [""; 0], "{when}");
    let drafts = fs::read_dir(blog.join(DRAFTS_DIR)).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(!drafts.into_iter().any(|name| name.to_string_lossy().ends_with(".removed")), "{when}");
}

#[track_caller]
pub(super) fn assert_decided(
    files: &BTreeMap<PathBuf, String>,
    before: &BTreeMap<PathBuf, String>,
    case: &Case,
    accepts: bool,
    when: &str,
) {
    assert!(!files.keys().any(|path| path.starts_with(DRAFTS_DIR)), "{when}: {files:?}");
    let path = Path::new(case.path);
    if accepts {
        let text = files.get(path).unwrap_or_else(|| panic!("{when}: {files:?}"));
        assert!(text.contains(case.accepted) && text.ends_with(case.end), "{when}: {text}");
        assert_eq!(files.len(), 1, "{when}");
    } else {
        assert_eq!(files.get(path), before.get(path), "{when}");
    }
}

/// Returns what is on the disk before each step of some work, with the step, and after the last one.
pub(super) fn images_of(dir: &Path, work: impl FnOnce()) -> Vec<(&'static str, TempDir)> {
    let images: Arc<Mutex<Vec<(&'static str, TempDir)>>> = Arc::default();
    let (taken, of_dir) = (Arc::clone(&images), dir.to_owned());
    let take_image = move |step| {
        taken.lock().unwrap().push((step, copy(&of_dir)));
        Ok(())
    };
    with_failpoints(take_image, work);
    let mut images = std::mem::take(&mut *images.lock().unwrap());
    images.push(("the end", copy(dir)));
    images
}

#[test]
fn crash_at_any_step_leaves_a_decision_that_is_finished_or_none() {
    for (case, ending) in CASES.iter().flat_map(|case| ENDINGS.map(|ending| (case, ending))) {
        let blog = blog_of(case);
        let before = public_files(blog.path());
        let by = AuditSource::command_line();
        let (source, request) = (source(blog.path()), request(&by));
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
            let (source, request) = (source(blog.path()), request(&by));
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
    discard(&super::crash_tests::source(discarded.path()), &request(&by)).unwrap();
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
        discard(&source(whole.path()), &DecisionRequest { now: now_ms(), ..request(&by) }).unwrap();
        let late = save_edit(&source(whole.path()), ID, &before.digest, &edited);
        assert!(matches!(late, Err(SaveEditError::Decided(_))), "{late:?}");
        store.replace(&store.lock().unwrap(), &proposal).unwrap_err();
    }
}

pub(super) fn proposal_in(blog: &Path) -> Proposal {
    ProposalStore::new(&source(blog).folder).find(ID, NOW).unwrap().unwrap().proposal
}
