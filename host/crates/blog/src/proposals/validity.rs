//! Whether the file of a proposal is one that this program wrote.
//!
//! Owns: what each kind of proposal may change, write and remove. A server that may not decide writes these files, so a
//! process that decides trusts none of their fields before this check.
//! Never: opens a file, or repairs one: what fails the check is unreadable.

use super::change::{Change, Draft, is_same_name};
use super::{Decided, Proposal, ProposalKind};
use crate::content::layout::{DRAFTS_DIR, FileKind};
use wardroom_service::proposal::{ProposalStatus, is_proposal_id};

/// Longest reason of a withdrawal, in bytes: the tool takes 5,000 characters.
const MAX_REASON_BYTES: usize = 20_000;

impl ProposalKind {
    /// Returns the kind of the file that changes.
    pub(crate) const fn file_kind(self) -> FileKind {
        match self {
            Self::DraftPost | Self::ProposePostMetadata | Self::ProposePostTranslation | Self::ProposePostEdit => {
                FileKind::Post
            }
            Self::ProposeScript => FileKind::Script,
            Self::ProposeTemplate => FileKind::Template,
            Self::ProposeMediaMetadata | Self::ProposeMediaTranslation => FileKind::MediaSidecar,
        }
    }

    /// Returns the extension of the draft that is made for a new document; `None` for the kinds that make none.
    pub(crate) const fn draft_extension(self) -> Option<&'static str> {
        match self {
            Self::DraftPost => Some("md"),
            Self::ProposeScript => Some("lua"),
            Self::ProposeTemplate => Some("liquid"),
            Self::ProposeMediaMetadata
            | Self::ProposePostMetadata
            | Self::ProposeMediaTranslation
            | Self::ProposePostTranslation
            | Self::ProposePostEdit => None,
        }
    }
}

/// Returns the path of the draft that is made for a new document.
pub(crate) fn own_draft_path(entity_id: &str, extension: &str) -> String {
    format!("{DRAFTS_DIR}/{entity_id}.{extension}")
}

/// Checks a proposal that was read from the file of an id.
///
/// # Errors
/// What is wrong with it.
pub(super) fn check_proposal(id: &str, proposal: &Proposal) -> Result<(), &'static str> {
    if !is_proposal_id(id) || proposal.id != id {
        return Err("its id is not that of its file");
    }
    let reason = proposal.withdrawn.as_ref().and_then(|withdrawn| withdrawn.reason.as_deref());
    if reason.is_some_and(|reason| reason.len() > MAX_REASON_BYTES) {
        return Err("the reason of its withdrawal is too long");
    }
    check_change(proposal.kind, &proposal.entity_id, &proposal.change)
}

/// Checks a decision that was read from the file of an id. What its steps write is compared again with each step.
///
/// # Errors
/// What is wrong with it.
pub(super) fn check_decided(id: &str, decided: &Decided) -> Result<(), &'static str> {
    if decided.decision.status == ProposalStatus::Pending {
        return Err("it decides nothing");
    }
    check_proposal(id, &decided.proposal)
}

fn check_change(kind: ProposalKind, entity_id: &str, change: &Change) -> Result<(), &'static str> {
    let Change { path, draft, replaces, base, fields, body } = change;
    let is_existing_draft = is_draft_path(path) && base.is_some();
    let may_change_draft = matches!(kind, ProposalKind::ProposePostMetadata | ProposalKind::ProposePostEdit);
    if !(is_public_path(path) || may_change_draft && is_existing_draft) || !kind.file_kind().has_extension(path) {
        return Err("the file that it changes is no document of its kind");
    }
    let has_duplicates =
        fields.iter().enumerate().any(|(at, field)| fields.iter().skip(at + 1).any(|other| is_same(field, other)));
    if has_duplicates {
        return Err("it changes a field twice");
    }
    check_draft(kind, entity_id, draft.as_ref())?;
    if replaces.is_some() && draft.as_ref().is_none_or(|draft| draft.digest.is_some()) {
        return Err("it replaces a published file without the draft of a person");
    }
    use ProposalKind as Kind;
    let is_right = match kind {
        Kind::DraftPost | Kind::ProposeScript | Kind::ProposeTemplate => base.is_none() && body.is_some(),
        // A row of a list shows the fields alone.
        Kind::ProposePostMetadata | Kind::ProposeMediaMetadata => base.is_some() && body.is_none(),
        Kind::ProposeMediaTranslation => body.is_none(),
        Kind::ProposePostTranslation => body.is_some(),
        Kind::ProposePostEdit => base.is_some() && body.is_some() && fields.is_empty(),
    };
    if is_right { Ok(()) } else { Err("it changes what its kind does not change") }
}

/// Checks the file that accepting removes.
fn check_draft(kind: ProposalKind, entity_id: &str, draft: Option<&Draft>) -> Result<(), &'static str> {
    let is_right = match (kind.draft_extension(), draft) {
        (Some(extension), Some(Draft { path, digest: Some(_) })) => {
            is_proposal_id(entity_id) && *path == own_draft_path(entity_id, extension)
        }
        // The draft of a person, which gets published.
        (None, Some(Draft { path, digest: None })) => {
            kind == ProposalKind::ProposePostMetadata && is_draft_path(path) && FileKind::Post.has_extension(path)
        }
        (None, None) => true,
        _ => false,
    };
    if is_right { Ok(()) } else { Err("its draft is not the one of what it proposes") }
}

fn is_same(one: &super::change::FieldChange, other: &super::change::FieldChange) -> bool {
    is_same_name(&one.name, &other.name)
}

/// Whether a path is relative and leads through no hidden folder, such as that of proposals and drafts.
fn is_public_path(path: &str) -> bool {
    path.split('/').all(|name| !name.is_empty() && !name.starts_with('.'))
}

/// Whether a path names a file directly in the folder of drafts.
fn is_draft_path(path: &str) -> bool {
    let name = path.strip_prefix(DRAFTS_DIR).and_then(|rest| rest.strip_prefix('/'));
    name.is_some_and(|name| !name.contains('/') && is_public_path(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proposals::change::FieldChange;
    use crate::proposals::{Decision, PROPOSAL_VERSION, Proposer};

    const ID: &str = "0190d1a2-7c3b-7aaa-8bbb-0123456789ab";
    const ENTITY: &str = "0b0d2c5e-8f0d-4f52-9d8e-3a1f6d1f2a10";

    fn proposal(kind: ProposalKind, path: &str) -> Proposal {
        let draft = kind
            .draft_extension()
            .map(|extension| Draft { path: own_draft_path(ENTITY, extension), digest: Some("00".to_owned()) });
        let has_body = !matches!(
            kind,
            ProposalKind::ProposePostMetadata
                | ProposalKind::ProposeMediaMetadata
                | ProposalKind::ProposeMediaTranslation
        );
        Proposal {
            version: PROPOSAL_VERSION,
            id: ID.to_owned(),
            kind,
            entity_id: ENTITY.to_owned(),
            title: "A".to_owned(),
            created_at: 0,
            expires_at: 1,
            proposer: Proposer { who: "operator".to_owned(), owner: None, user: None, through: "stdio".to_owned() },
            change: Change {
                path: path.to_owned(),
                base: draft.is_none().then(|| "---\nid: a\n---\n".to_owned()),
                draft,
                replaces: None,
                fields: Vec::new(),
                body: has_body.then(|| "Text\n".to_owned()),
            },
            withdrawn: None,
        }
    }

    fn all() -> Vec<Proposal> {
        use ProposalKind as Kind;
        [
            (Kind::DraftPost, "posts/2024/03/a.md"),
            (Kind::ProposeScript, "scripts/a.lua"),
            (Kind::ProposeTemplate, "templates/a.liquid"),
            (Kind::ProposeMediaMetadata, "media/2024/03/a.jpg.meta"),
            (Kind::ProposePostMetadata, "posts/2024/03/a.md"),
            (Kind::ProposeMediaTranslation, "media/2024/03/a.jpg.de.meta"),
            (Kind::ProposePostTranslation, "posts/2024/03/a.de.md"),
            (Kind::ProposePostEdit, "posts/2024/03/a.md"),
        ]
        .map(|(kind, path)| proposal(kind, path))
        .into()
    }

    #[track_caller]
    fn assert_refused(proposal: &Proposal, what: &str) {
        assert!(check_proposal(ID, proposal).is_err(), "{:?}: {what}", proposal.kind);
    }

    #[test]
    fn proposals_of_every_kind_pass() {
        for proposal in all() {
            assert_eq!(check_proposal(ID, &proposal), Ok(()), "{:?}", proposal.kind);
        }
        let mut of_draft = proposal(ProposalKind::ProposePostMetadata, "posts/2024/03/a.md");
        of_draft.change.draft = Some(Draft { path: format!("{DRAFTS_DIR}/mine.md"), digest: None });
        of_draft.change.replaces = Some("00".to_owned());
        assert_eq!(check_proposal(ID, &of_draft), Ok(()));
        for kind in [ProposalKind::ProposePostMetadata, ProposalKind::ProposePostEdit] {
            assert_eq!(check_proposal(ID, &proposal(kind, &format!("{DRAFTS_DIR}/mine.md"))), Ok(()));
        }
    }

    #[test]
    fn id_of_another_file_is_refused() {
        for id in ["a/b/../../../../package", "0190d1a2-7c3b-7aaa-8bbb-0123456789ac", "../x", ""] {
            let mut forged = proposal(ProposalKind::DraftPost, "posts/2024/03/a.md");
            forged.id = id.to_owned();
            assert_refused(&forged, id);
            assert!(check_proposal(id, &forged).is_err() || is_proposal_id(id), "{id}");
        }
    }

    #[test]
    fn draft_outside_its_place_is_refused() {
        for known in all() {
            let other = format!("{DRAFTS_DIR}/other.md");
            let elsewhere = format!("{DRAFTS_DIR}/../../posts/a.md");
            for path in ["posts/2024/03/victim.md", "package.json", &*other, &*elsewhere] {
                for digest in [None, Some("00".to_owned())] {
                    let mut forged = known.clone();
                    let is_of_person = digest.is_none() && path == other;
                    forged.change.draft = Some(Draft { path: path.to_owned(), digest });
                    if !(is_of_person && known.kind == ProposalKind::ProposePostMetadata) {
                        assert_refused(&forged, path);
                    }
                }
            }
        }
        for entity in ["../../posts/a", "a/b", "", ".a"] {
            let mut forged = proposal(ProposalKind::DraftPost, "posts/2024/03/a.md");
            forged.entity_id = entity.to_owned();
            forged.change.draft = Some(Draft { path: own_draft_path(entity, "md"), digest: Some("00".to_owned()) });
            assert_refused(&forged, entity);
        }
    }

    #[test]
    fn path_that_is_hidden_or_of_another_kind_is_refused() {
        for known in all() {
            for path in [
                "",
                "/posts/a.md",
                "posts/../a.md",
                "posts//a.md",
                ".git/hooks/a.md",
                ".wardroom/decided/0190d1/a.md",
                ".wardroom/drafts/sub/a.md",
                "posts/.a.md",
                "package.json",
            ] {
                let mut forged = known.clone();
                forged.change.path = path.to_owned();
                assert_refused(&forged, path);
            }
            let other = if known.kind.file_kind() == FileKind::Post { "templates/a.liquid" } else { "posts/a.md" };
            assert_refused(
                &Proposal { change: Change { path: other.to_owned(), ..known.change.clone() }, ..known },
                other,
            );
        }
    }

    #[test]
    fn change_beyond_its_kind_is_refused() {
        for kind in [
            ProposalKind::ProposePostMetadata,
            ProposalKind::ProposeMediaMetadata,
            ProposalKind::ProposeMediaTranslation,
        ] {
            let path = if kind.is_of_media() { "media/a.jpg.meta" } else { "posts/a.md" };
            let mut forged = proposal(kind, path);
            forged.change.body = Some("Not shown\n".to_owned());
            assert_refused(&forged, "a body");
        }
        for known in all() {
            let mut forged = known.clone();
            forged.change.replaces = Some("00".to_owned());
            assert_refused(&forged, "replaces a file");
            let mut forged = known;
            forged.change.fields = vec![FieldChange::new("title", "Shown"), FieldChange::new("Title", "Written")];
            assert_refused(&forged, "a field twice");
        }
        // Another kind than the one that it was made as.
        for kind in [ProposalKind::ProposePostTranslation, ProposalKind::ProposePostEdit, ProposalKind::ProposeScript] {
            assert_refused(&Proposal { kind, ..proposal(ProposalKind::DraftPost, "posts/a.md") }, "kind");
        }
    }

    #[test]
    fn decision_that_decides_nothing_is_refused() {
        let decision = Decision {
            status: ProposalStatus::Pending,
            at: 0,
            who: String::new(),
            through: String::new(),
            digest: String::new(),
            reason: None,
        };
        let decided = Decided::new(proposal(ProposalKind::DraftPost, "posts/a.md"), decision, Vec::new());
        assert!(check_decided(ID, &decided).is_err());
        let mut accepted = decided;
        accepted.decision.status = ProposalStatus::Accepted;
        assert_eq!(check_decided(ID, &accepted), Ok(()));
        assert!(check_decided("0190d1a2-7c3b-7aaa-8bbb-0123456789ac", &accepted).is_err());
    }
}
