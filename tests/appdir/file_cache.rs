//! The cache of what files contained: which entries are valid, and which are evicted.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use wardroom_appdir::{FileCache, FileCacheLimits, FileId, Stat};

fn cache(max_entries: usize, max_bytes: usize, max_age: Duration) -> FileCache<u32> {
    FileCache::new(FileCacheLimits { max_entries, max_bytes, max_age })
}

/// The metadata of a file that changed this long ago.
fn stat(inode: u64, age: Duration) -> Stat {
    let changed = SystemTime::now().checked_sub(age);
    Stat { len: 1, modified: changed, changed, file_id: FileId { device: 1, inode }, link_count: 1 }
}

const SETTLED: Duration = Duration::from_secs(60);

#[test]
fn entry_is_valid_for_the_same_metadata_only() {
    let cache = cache(9, 9, Duration::MAX);
    let old = stat(1, SETTLED);
    cache.insert(old, &Arc::new(7), 1, Instant::now());
    assert_eq!(cache.get(&old).as_deref(), Some(&7));
    assert_eq!(cache.get(&Stat { len: 2, ..old }), None);
    assert_eq!(cache.get(&stat(2, SETTLED)), None);
    // A file that changed a moment ago may change again without a sign.
    let fresh = stat(3, Duration::ZERO);
    cache.insert(fresh, &Arc::new(8), 1, Instant::now());
    assert_eq!(cache.get(&fresh), None);
}

#[test]
fn aged_entry_is_not_used() {
    let cache = cache(9, 9, Duration::from_secs(1));
    let of = |age| {
        let stat = stat(1, SETTLED);
        cache.insert(stat, &Arc::new(7), 1, Instant::now().checked_sub(age).unwrap());
        cache.get(&stat).is_some()
    };
    assert!(of(Duration::ZERO) && !of(Duration::from_secs(1)));
}

#[test]
fn full_cache_is_cleared() {
    for cache in [cache(2, 99, Duration::MAX), cache(99, 2, Duration::MAX)] {
        let files = [1, 2, 3].map(|inode| stat(inode, SETTLED));
        for file in &files[..2] {
            cache.insert(*file, &Arc::new(0), 1, Instant::now());
        }
        assert_eq!(files.map(|file| cache.get(&file).is_some()), [true, true, false]);
        // A newer value of the same file takes the place of the older one.
        cache.insert(files[1], &Arc::new(1), 1, Instant::now());
        assert_eq!(files.map(|file| cache.get(&file).is_some()), [true, true, false]);
        cache.insert(files[2], &Arc::new(0), 1, Instant::now());
        assert_eq!(files.map(|file| cache.get(&file).is_some()), [false, false, true]);
        // More than the whole cache holds.
        cache.insert(files[1], &Arc::new(0), 100, Instant::now());
        assert_eq!(files.map(|file| cache.get(&file).is_some()), [false, false, true]);
    }
}
