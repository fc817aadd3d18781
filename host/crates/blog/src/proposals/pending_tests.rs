//! Many pending proposals: each is read once, lists are read page by page, and one caller leaves room for others.

#![expect(clippy::disallowed_methods, reason = "tests set up real folders")]
#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;

use super::decide::sweep;
use super::pending_cache::PendingCache;
use super::store::{ProposalStore, StoreError};
use super::test_cases::{CASES, ID, NO_TRAIL, NOW, blog_of, proposal_in, source};
use super::view::proposals_with;
use super::{Proposal, Proposer};
use wardroom_appdir::{FileId, Stat};
use wardroom_service::audit::AuditSource;
use wardroom_service::proposal::ProposalStatus;

fn id(number: usize) -> String {
    format!("{}{number:012x}", &ID[..24])
}

/// Writes the proposal of a blog under other ids, as `change` makes it.
fn add_copies(blog: &Path, n_copies: usize, change: impl Fn(&mut Value)) {
    let file = |id: &str| blog.join(format!(".wardroom/proposals/{id}.json"));
    let stored = fs::read_to_string(file(ID)).unwrap();
    for number in 0..n_copies {
        let mut copy: Value = serde_json::from_str(&stored.replace(ID, &id(number))).unwrap();
        change(&mut copy);
        fs::write(file(&id(number)), copy.to_string()).unwrap();
    }
}

#[test]
fn file_that_did_not_change_is_read_once() {
    let blog = blog_of(&CASES[0]);
    let (cache, proposal) = (PendingCache::default(), proposal_in(blog.path()));
    let old = SystemTime::now() - Duration::from_secs(60);
    let stat = |len, changed| {
        let file_id = FileId { device: 1, inode: 1 };
        Stat { len, modified: Some(old), changed: Some(changed), file_id, link_count: 1 }
    };
    let reads = |stat| {
        let mut n_reads = 0;
        let read = |_: &str| {
            n_reads += 1;
            Ok(Some(proposal.clone()))
        };
        let entries = cache.entries(vec![(ID.to_owned(), stat)], read);
        assert!(entries.iter().all(|entry| entry.is_pending(NOW) && entry.is_expired(proposal.expires_at)));
        n_reads
    };
    assert_eq!([reads(stat(1, old)), reads(stat(1, old)), reads(stat(2, old)), reads(stat(2, old))], [1, 0, 1, 0]);
    // A file that changed just now may change again unnoticed.
    let now = SystemTime::now();
    assert_eq!([reads(stat(3, now)), reads(stat(3, now))], [1, 1]);
    // One that cannot be read is not tried again either, and counts as nothing.
    for n_expected in [1, 0] {
        let mut n_reads = 0;
        let read = |id: &str| {
            n_reads += 1;
            Err(StoreError::Invalid(id.to_owned(), "forged"))
        };
        let entries = cache.entries(vec![(ID.to_owned(), stat(4, old))], read);
        assert_eq!((n_reads, entries.len()), (n_expected, 1));
        assert!(entries.iter().all(|entry| !entry.is_pending(NOW) && !entry.is_due(i64::MAX)));
    }
}

#[test]
fn caller_leaves_bytes_for_others() {
    let blog = blog_of(&CASES[0]);
    let source = source(blog.path());
    let store = ProposalStore::new(&source.folder);
    let made = proposal_in(blog.path());
    add_copies(blog.path(), 8, |_| {});
    // As long as proposals get: the rest of each file is white space.
    for number in 0..8 {
        let path = blog.path().join(format!(".wardroom/proposals/{}.json", id(number)));
        let mut text = fs::read_to_string(&path).unwrap();
        text.push_str(&" ".repeat(8 * 1024 * 1024 - text.len()));
        fs::write(&path, text).unwrap();
    }
    let next = Proposal { id: id(100), ..made.clone() };
    assert!(matches!(store.create(&source.pending, &next), Err(StoreError::OwnLarge)));
    let proposer = Proposer { who: "token b".to_owned(), ..made.proposer };
    store.create(&source.pending, &Proposal { proposer, ..next.clone() }).unwrap();
    fs::remove_file(blog.path().join(format!(".wardroom/proposals/{}.json", id(0)))).unwrap();
    store.create(&source.pending, &Proposal { id: id(101), ..next }).unwrap();
}

#[test]
fn expired_proposals_are_listed_page_by_page() {
    let blog = blog_of(&CASES[0]);
    add_copies(blog.path(), 120, |copy| copy["expires_at"] = (NOW - 1).into());
    let source = source(blog.path());
    let (mut cursor, mut listed, mut n_pages) = (None::<String>, Vec::new(), 0);
    loop {
        let (page, next) = proposals_with(&source, ProposalStatus::Expired, cursor.as_deref(), 50, NOW).unwrap();
        assert!(page.len() <= 50);
        listed.extend(page.into_iter().map(|item| item.id));
        n_pages += 1;
        cursor = next;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!((listed, n_pages), ((0..120).rev().map(id).collect::<Vec<_>>(), 3));
    // Swept or not, each is listed once.
    assert_eq!(sweep(&source, (&AuditSource::command_line(), &NO_TRAIL), NOW).unwrap(), 120);
    let (page, next) = proposals_with(&source, ProposalStatus::Expired, None, 50, NOW).unwrap();
    assert_eq!((page.len(), next), (50, Some(id(70))));
}

#[test]
fn page_ends_after_so_many_bytes() {
    let blog = blog_of(&CASES[0]);
    let text = "x".repeat(3 * 1024 * 1024);
    add_copies(blog.path(), 12, |copy| copy["change"]["base"] = text.as_str().into());
    let (page, next) = proposals_with(&source(blog.path()), ProposalStatus::Pending, None, 50, NOW).unwrap();
    assert!(page.len() < 12 && next.is_some(), "{} of 12", page.len());
}

#[test]
fn sweep_needs_the_lock_for_what_is_due_alone() {
    let blog = blog_of(&CASES[0]);
    add_copies(blog.path(), 20, |_| {});
    let source = source(blog.path());
    let store = ProposalStore::new(&source.folder);
    let by = AuditSource::command_line();
    let lock = store.lock().unwrap();
    let began = Instant::now();
    assert_eq!(sweep(&source, (&by, &NO_TRAIL), NOW).unwrap(), 0);
    assert!(began.elapsed() < Duration::from_secs(5));
    drop(lock);
    assert_eq!(store.count_pending(&source.pending, NOW).unwrap(), 21);
    assert_eq!(sweep(&source, (&by, &NO_TRAIL), NOW + 2_000).unwrap(), 21);
    assert_eq!(store.count_pending(&source.pending, NOW).unwrap(), 0);
}
