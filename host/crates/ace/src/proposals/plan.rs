//! What accepting a proposal does to the playbook as it is now.
//!
//! Owns: the digest of what a person sees: the bullets as they are, and what becomes of them.
//! Never: takes counters for a part of it: they move by feedback at any moment.

use sha2::{Digest as _, Sha256};

use super::{BulletChangeKind, BulletProposal, SeenBullet};
use crate::bullet_log::{ArchiveReason, BulletEvent, BulletEventKind};
use crate::playbook::{Bullet, Playbook, PlaybookEdit};
use wardroom_base::hex::encode_hex;

/// A proposal, compared with the playbook.
pub(crate) struct ComparedProposal<'p> {
    /// The bullets that it changes, as they are; several where a bullet has copies.
    pub(crate) bullets: Vec<&'p Bullet>,
    /// Whether one of them is another one than when it was proposed.
    pub(crate) has_changed: bool,
    pub(crate) digest: String,
}

/// Returns a bullet as a proposal sees it.
pub(crate) fn seen(playbook: &Playbook<'_>, bullet: &Bullet) -> SeenBullet {
    // Lines that continue a bullet belong to it.
    let text = playbook.bullet_text(bullet);
    let rest = text.split_once('\n').map_or("", |(_, rest)| rest);
    let content = if rest.is_empty() { bullet.content.clone() } else { format!("{}\n{rest}", bullet.content) };
    SeenBullet { id: bullet.id.clone(), section: bullet.section.clone(), content }
}

/// Compares a proposal with the playbook. Returns the id of a bullet that is not there.
pub(crate) fn compare<'p>(
    playbook: &'p Playbook<'_>,
    proposal: &BulletProposal,
) -> Result<ComparedProposal<'p>, String> {
    let (mut bullets, mut has_changed, mut digest) = (Vec::new(), false, Sha256::new());
    for was in &proposal.bullets {
        let with_id: Vec<&Bullet> = playbook.bullets().iter().filter(|bullet| bullet.id == was.id).collect();
        if with_id.is_empty() {
            return Err(was.id.clone());
        }
        for bullet in with_id {
            let now = seen(playbook, bullet);
            has_changed |= now != *was;
            // No part has a NUL, so that two lists of parts never look like one.
            [&now.id, &now.section, &now.content].iter().for_each(|part| digest.update(format!("{part}\0")));
            bullets.push(bullet);
        }
    }
    digest.update(format!("{}\0{:?}\0{}", proposal.id, proposal.kind, proposal.content));
    Ok(ComparedProposal { bullets, has_changed, digest: encode_hex(&digest.finalize()) })
}

impl ComparedProposal<'_> {
    /// Returns the edit, and what leaves the playbook: bullets, and the texts of those that get another one.
    pub(crate) fn plan(&self, playbook: &Playbook<'_>, proposal: &BulletProposal) -> (PlaybookEdit, Vec<BulletEvent>) {
        let (mut edit, mut events) = (PlaybookEdit::default(), Vec::new());
        let mut log = |kind, bullet: &Bullet, reason| {
            let text = playbook.bullet_text(bullet);
            let event = BulletEvent { reason, ..BulletEvent::new(kind, &bullet.id, &bullet.section, text) };
            // The copies of a bullet are one.
            let is_logged = |known: &BulletEvent| known.bullet_id == event.bullet_id && known.text == event.text;
            if !events.iter().any(is_logged) {
                events.push(event);
            }
        };
        match proposal.kind {
            BulletChangeKind::Update => {
                for bullet in &self.bullets {
                    log(BulletEventKind::Replaced, bullet, None);
                    edit.set_content(bullet, &proposal.content);
                }
            }
            BulletChangeKind::Merge => {
                if let Some((first, others)) = self.bullets.split_first() {
                    let mut counted: Vec<&Bullet> = Vec::new();
                    for bullet in &self.bullets {
                        if counted.iter().all(|known| known.id != bullet.id) {
                            counted.push(bullet);
                        }
                    }
                    let sum = |counter: fn(&Bullet) -> u64| {
                        counted.iter().fold(0, |sum: u64, bullet| sum.saturating_add(counter(bullet)))
                    };
                    log(BulletEventKind::Replaced, first, None);
                    edit.set_content(first, &proposal.content);
                    // Eighteen digits are the most that are read back.
                    let most = 10_u64.pow(18) - 1;
                    edit.set_counters(first, sum(|b| b.helpful).min(most), sum(|b| b.harmful).min(most));
                    for bullet in others {
                        // A copy of the one that stays is not archived.
                        if bullet.id == first.id {
                            log(BulletEventKind::Replaced, bullet, None);
                        } else {
                            log(BulletEventKind::Archived, bullet, Some(ArchiveReason::Merged));
                        }
                        edit.remove_bullet(playbook, bullet);
                    }
                }
            }
            BulletChangeKind::Remove => {
                for bullet in &self.bullets {
                    log(BulletEventKind::Archived, bullet, Some(ArchiveReason::Removed));
                    edit.remove_bullet(playbook, bullet);
                }
            }
        }
        (edit, events)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "## A\n- [Bullet #a, helpful:2, harmful:1] first\n  more\nProse\n\n## B\n[Bullet #b, helpful:3, harmful:0] \
                        second\n[Bullet #c, helpful:0, harmful:0] third\n";

    fn proposal(kind: BulletChangeKind, ids: &[&str]) -> BulletProposal {
        let playbook = Playbook::parse(TEXT);
        let is_chosen = |bullet: &&Bullet| ids.contains(&bullet.id.as_str());
        BulletProposal {
            version: 1,
            id: "p".to_owned(),
            kind,
            bullets: playbook.bullets().iter().filter(is_chosen).map(|bullet| seen(&playbook, bullet)).collect(),
            content: "new".to_owned(),
            reason: String::new(),
            bead_id: String::new(),
            proposed_by: String::new(),
            created_at: 0,
            expires_at: 0,
            decision: None,
        }
    }

    fn accept(text: &str, proposal: &BulletProposal) -> (String, Vec<(String, String)>) {
        let playbook = Playbook::parse(text);
        let compared = compare(&playbook, proposal).unwrap_or_else(|id| panic!("{id} is gone"));
        let (edit, events) = compared.plan(&playbook, proposal);
        (edit.apply(&playbook), events.into_iter().map(|event| (event.bullet_id, event.text)).collect())
    }

    #[test]
    fn accepted_change_leaves_every_other_byte() {
        let (text, archived) = accept(TEXT, &proposal(BulletChangeKind::Update, &["a"]));
        let line = "- [Bullet #a, helpful:2, harmful:1] first\n  more";
        let replaced = vec![("a".to_owned(), line.to_owned())];
        assert_eq!((text, archived), (TEXT.replace("first", "new"), replaced));
        let (text, archived) = accept(TEXT, &proposal(BulletChangeKind::Remove, &["a"]));
        assert_eq!((text, archived), (TEXT.replace(&format!("{line}\n"), ""), vec![("a".to_owned(), line.to_owned())]));
        let (text, archived) = accept(TEXT, &proposal(BulletChangeKind::Merge, &["a", "b", "c"]));
        assert_eq!(text, "## A\n- [Bullet #a, helpful:5, harmful:1] new\n  more\nProse\n\n## B\n");
        let ids: Vec<String> = archived.into_iter().map(|(id, _)| id).collect();
        assert_eq!(ids, ["a", "b", "c"]);
    }

    #[test]
    fn copies_of_a_bullet_count_once() {
        let copied = format!("{TEXT}\n## C\n- [Bullet #a, helpful:2, harmful:1] first\n  more\n");
        let change = proposal(BulletChangeKind::Merge, &["a", "b"]);
        let (text, _) = accept(&copied, &change);
        assert!(text.contains("[Bullet #a, helpful:5, harmful:1] new") && text.matches("#a").count() == 1, "{text}");
        let playbook = Playbook::parse(&copied);
        let (_, events) =
            compare(&playbook, &change).unwrap_or_else(|id| panic!("{id} is gone")).plan(&playbook, &change);
        let is_archived =
            |id: &str| events.iter().any(|event| event.bullet_id == id && event.event == BulletEventKind::Archived);
        assert!(!is_archived("a") && is_archived("b"), "{events:?}");
    }

    #[test]
    fn counters_change_nothing_that_was_seen() {
        let change = proposal(BulletChangeKind::Update, &["a"]);
        let state = |text: &str| {
            let playbook = Playbook::parse(text);
            compare(&playbook, &change).map(|compared| (compared.has_changed, compared.digest))
        };
        let (has_changed, digest) = state(TEXT).unwrap();
        assert!(!has_changed);
        assert_eq!(state(&TEXT.replace("helpful:2", "helpful:9")), Ok((false, digest.clone())));
        for other in [TEXT.replace("first", "First"), TEXT.replace("  more", "  less"), TEXT.replace("## A", "## C")] {
            let (has_changed, other) = state(&other).unwrap();
            assert!(has_changed && other != digest);
        }
        assert_eq!(state("## A\n"), Err("a".to_owned()));
    }

    #[test]
    fn digest_covers_what_becomes_of_the_bullets() {
        let playbook = Playbook::parse(TEXT);
        let digest = |proposal: &BulletProposal| compare(&playbook, proposal).map(|compared| compared.digest).unwrap();
        let update = proposal(BulletChangeKind::Update, &["a"]);
        let other = BulletProposal { content: "other".to_owned(), ..update.clone() };
        assert_ne!(digest(&update), digest(&other));
        assert_ne!(digest(&update), digest(&BulletProposal { kind: BulletChangeKind::Remove, ..update.clone() }));
    }
}
