//! Blogs with one pending proposal of each kind, for the tests of decisions, and what a decision leaves in them.

#![expect(clippy::disallowed_methods, reason = "tests set up real folders")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};

use tempfile::TempDir;

use super::change::{Change, Draft, FieldChange};
use super::decide::{DecideError, DecisionRequest, accept, discard, sweep, withdraw};
use super::decided_cache::DecidedCache;
use super::pending_cache::PendingCache;
use super::plan::digest_of;
use super::store::ProposalStore;
use super::validity::own_draft_path;
use super::{PROPOSAL_VERSION, Proposal, ProposalKind, Proposer};
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
/// The draft of a post, which a person made.
const PERSONS_DRAFT: &str = ".wardroom/drafts/a.md";
const TRANSLATION: &str = "posts/2024/03/a.de.md";
const SIDECAR: &str = "media/2024/03/a.jpg.meta";
const SCRIPT: &str = "scripts/a.lua";
const TEMPLATE: &str = "templates/a.liquid";
/// The folders with what people see, and with drafts.
pub(super) const FOLDERS: [&str; 5] = ["posts/2024/03", "media/2024/03", "scripts", "templates", DRAFTS_DIR];
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
    pub(super) make: fn(&Path) -> Proposal,
    /// The file that changes.
    pub(super) path: &'static str,
    /// What it says when the change is accepted, and how it ends then.
    pub(super) accepted: &'static str,
    pub(super) end: &'static str,
}

/// The case in which others changed the file since.
const MERGE: &str = "a merge";

impl Case {
    /// A decision on the proposal of this case.
    pub(super) fn request<'r>(&self, by: &'r AuditSource) -> DecisionRequest<'r> {
        DecisionRequest { merges: self.name == MERGE, ..request(by) }
    }
}

pub(super) const CASES: [Case; 9] = [
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
    Case { name: "a body", make: body, path: POST, accepted: "title: Old", end: "---\nOther\n" },
    Case { name: MERGE, make: merge, path: POST, accepted: "title: Theirs", end: "---\nOne\ntwo\nTHREE\n" },
    Case {
        name: "a draft of a person in the place of its post",
        make: replacement,
        path: POST,
        accepted: "status: published",
        end: "---\nDraft\n",
    },
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

fn body(blog: &Path) -> Proposal {
    edit_of_body(blog, "---\nid: a\ntitle: Old\n---\nBody\n", "Other\n")
}

/// Others changed another line of the body, and the title.
fn merge(blog: &Path) -> Proposal {
    let made = edit_of_body(blog, "---\nid: a\ntitle: Old\n---\none\ntwo\nthree\n", "One\ntwo\nthree\n");
    fs::write(blog.join(POST), "---\nid: a\ntitle: Theirs\n---\none\ntwo\nTHREE\n").unwrap();
    made
}

fn edit_of_body(blog: &Path, base: &str, body: &str) -> Proposal {
    let change = Change { body: Some(body.to_owned()), ..change_of_file(blog, POST, base, Vec::new()) };
    proposal(ProposalKind::ProposePostEdit, change)
}

fn replacement(blog: &Path) -> Proposal {
    let published = "---\nid: a\ntitle: Old\nstatus: published\n---\nBody\n";
    fs::write(blog.join(POST), published).unwrap();
    let base = "---\nid: a\ntitle: Old\nstatus: draft\n---\nDraft\n";
    let change = change_of_file(blog, PERSONS_DRAFT, base, vec![FieldChange::new("status", "published")]);
    let draft = Some(Draft { path: PERSONS_DRAFT.to_owned(), digest: None });
    let change = Change { path: POST.to_owned(), draft, replaces: Some(digest_of(published)), ..change };
    proposal(ProposalKind::ProposePostMetadata, change)
}

fn translation(_: &Path) -> Proposal {
    let fields = vec![FieldChange::new("translationFor", "a"), FieldChange::new("language", "de")];
    let body = Some("Text\n".to_owned());
    let change = Change { path: TRANSLATION.to_owned(), draft: None, replaces: None, base: None, fields, body };
    proposal(ProposalKind::ProposePostTranslation, change)
}

fn new_post(blog: &Path) -> Proposal {
    let fields =
        [("id", ENTITY), ("slug", "a"), ("status", "draft")].map(|(name, value)| FieldChange::new(name, value));
    let draft = format!("---\nid: {ENTITY}\ntitle: New\nslug: a\nstatus: draft\nproposal: {ID}\n---\nBody\n");
    let fields = fields.to_vec();
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

#[track_caller]
pub(super) fn assert_decided(
    files: &BTreeMap<PathBuf, String>,
    before: &BTreeMap<PathBuf, String>,
    case: &Case,
    accepts: bool,
    when: &str,
) {
    // A draft of a person is there until it is published.
    let drafts = || files.keys().filter(|path| path.starts_with(DRAFTS_DIR));
    let is_kept =
        |draft: &PathBuf| !accepts && draft == Path::new(PERSONS_DRAFT) && before.get(draft) == files.get(draft);
    assert!(drafts().all(is_kept), "{when}: {files:?}");
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

pub(super) fn proposal_in(blog: &Path) -> Proposal {
    ProposalStore::new(&source(blog).folder).find(ID, NOW).unwrap().unwrap().proposal
}
