//! `[alc] enumerate`: lists stored documents, in an order that is stable across pages while documents come and go.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::num::NonZeroU32;
use std::os::unix::fs::symlink;
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use proptest::prelude::*;
use rustix::fs::{CWD, Mode, mkfifoat};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use wardroom_alc::limits::{MAX_CARD_RECHECKS_PER_QUERY, MAX_LISTED_RECENT_PER_KIND};
use wardroom_config::{AlcConfig, ListedTools};
use wardroom_service::limits::{LIST_PAGE_SIZE, MAX_CURSOR_BYTES};

use wardroom_test_support::{TestAlcService, TestDir, protocol_error_text};

pub(super) const ENUMERATE: AlcConfig = AlcConfig {
    v2: false,
    enumerate: true,
    sampling: false,
    run_cpu_s: None,
    tools: ListedTools::Core,
    max_records: None,
};

const FIXED: [&str; 2] = ["alc://types/alc.d.lua", "alc://types/alc_shapes.d.lua"];

fn time(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000 + seconds)
}

/// Writes a file with a modification time, in seconds after a fixed start.
pub(super) fn write_file_at(dir: &TestDir, name: &str, seconds: u64) {
    let path = dir.write_file(name, "not parsed");
    File::options().write(true).open(path).unwrap().set_modified(time(seconds)).unwrap();
}

/// Checks everything that is listed after the fixed resources.
#[track_caller]
pub(super) fn check_listed(dir: &TestDir, expected: &[&str]) {
    let listed: Vec<String> =
        TestAlcService::with_config(dir, ENUMERATE).list_all().into_iter().map(|e| e.uri).collect();
    assert_eq!(listed, [&FIXED, expected].concat());
}

#[test]
fn packages_sort_by_name_and_others_newest_first() {
    let dir = TestDir::new();
    for name in ["panel", "cot", "a-b"] {
        dir.write_package(name, "not Lua");
    }
    for (name, seconds) in [
        ("cards/cot/cot_1.toml", 10),
        ("cards/panel/panel_1.toml", 30),
        ("cards/cot/cot_2.toml", 20),
        ("cards/cot/cot_0.toml", 20),
        ("evals/quick_vote_2.json", 1),
        ("evals/cot_1.json", 2),
        ("logs/s-1.json", 5),
        ("logs/s-2.json", 6),
    ] {
        write_file_at(&dir, name, seconds);
    }
    check_listed(
        &dir,
        &[
            "alc://packages/a-b/meta",
            "alc://packages/cot/meta",
            "alc://packages/panel/meta",
            "alc://cards/panel_1",
            "alc://cards/cot_0",
            "alc://cards/cot_2",
            "alc://cards/cot_1",
            "alc://eval/cot_1",
            "alc://eval/quick-vote_2",
            "alc://logs/s-2",
            "alc://logs/s-1",
        ],
    );
    let listed = TestAlcService::with_config(&dir, ENUMERATE).list_all();
    let [package, card] = ["alc://packages/cot/meta", "alc://cards/panel_1"]
        .map(|uri| listed.iter().find(|entry| entry.uri == uri).unwrap());
    assert_eq!((&*package.name, package.title.as_deref().unwrap(), package.modified), ("cot", "cot", None));
    assert_eq!((&*package.description, &*package.mime_type), ("Package metadata (M.meta table)", "application/json"));
    assert_eq!((&*card.name, card.title.as_deref().unwrap(), card.modified), ("panel_1", "panel_1", Some(time(30))));
    assert_eq!((&*card.description, &*card.mime_type, card.size), ("Full Card JSON", "application/json", None));
}

#[test]
fn packages_come_and_go_while_their_names_are_remembered() {
    let dir = TestDir::new();
    dir.write_package("cot", "");
    dir.write_package("panel", "");
    let alc = TestAlcService::with_config(&dir, ENUMERATE);
    let listed = || -> Vec<String> { alc.list_all().into_iter().skip(FIXED.len()).map(|entry| entry.uri).collect() };
    let uris =
        |names: &[&str]| -> Vec<String> { names.iter().map(|name| format!("alc://packages/{name}/meta")).collect() };
    // After this, the names of a folder that does not change are remembered.
    sleep(Duration::from_millis(2100));
    for _ in 0..2 {
        assert_eq!(listed(), uris(&["cot", "panel"]));
    }
    dir.write_package("arena", "");
    assert_eq!(listed(), uris(&["arena", "cot", "panel"]));
    std::fs::remove_dir_all(dir.app_path().join("packages/cot")).unwrap();
    assert_eq!(listed(), uris(&["arena", "panel"]));
    std::fs::create_dir(dir.app_path().join("packages/_shared")).unwrap();
    sleep(Duration::from_millis(2100));
    assert_eq!(listed(), uris(&["arena", "panel"]));
    // The folder of packages does not change when a folder in it becomes a package.
    dir.write_package("_shared", "");
    assert_eq!(listed(), uris(&["_shared", "arena", "panel"]));
    std::fs::rename(dir.app_path().join("packages"), dir.app_path().join("elsewhere")).unwrap();
    assert_eq!(listed(), uris(&[]));
    dir.write_package("panel", "");
    assert_eq!(listed(), uris(&["panel"]));
}

#[test]
fn files_with_invalid_ids_or_unreadable_are_not_listed() {
    let dir = TestDir::new();
    dir.write_file("packages/README.md", "");
    dir.write_file("packages/bad name/init.lua", "");
    for name in ["cards/_aliases.toml", "cards/p/.x.toml.0123.tmp", "cards/p/p_1.samples.jsonl", "cards/p/b d.toml"] {
        dir.write_file(name, "");
    }
    for name in ["evals/cot_1.meta.json", "evals/nothing.json", "logs/s.meta.json", "logs/tracing.log.2026-01-01"] {
        dir.write_file(name, "");
    }
    std::fs::create_dir(dir.app_path().join("logs/folder.json")).unwrap();
    let fifo = dir.app_path().join("logs/fifo.json");
    mkfifoat(CWD, &fifo, Mode::RWXU).unwrap();
    std::fs::write(dir.root().join("secret.json"), "{}").unwrap();
    symlink(dir.root().join("secret.json"), dir.app_path().join("logs/away.json")).unwrap();
    symlink("nothing", dir.app_path().join("logs/dangling.json")).unwrap();
    check_listed(&dir, &[]);
    symlink("s.meta.json", dir.app_path().join("logs/near.json")).unwrap();
    check_listed(&dir, &["alc://logs/near"]);
}

#[test]
fn duplicate_id_is_listed_once_at_newest_position() {
    let dir = TestDir::new();
    for (name, seconds) in [
        ("cards/a/x_1.toml", 1),
        ("cards/b/x_1.toml", 9),
        ("cards/a/x_2.toml", 5),
        ("evals/q_v_1.json", 1),
        ("evals/q-v_1.json", 9),
        ("evals/z_1.json", 5),
    ] {
        write_file_at(&dir, name, seconds);
    }
    symlink("a", dir.app_path().join("cards/again")).unwrap();
    check_listed(&dir, &["alc://cards/x_1", "alc://cards/x_2", "alc://eval/q-v_1", "alc://eval/z_1"]);
}

#[test]
fn unlistable_folder_does_not_affect_others() {
    let dir = TestDir::new();
    dir.write_package("cot", "");
    write_file_at(&dir, "logs/s.json", 1);
    std::fs::create_dir(dir.root().join("elsewhere")).unwrap();
    symlink(dir.root().join("elsewhere"), dir.app_path().join("cards")).unwrap();
    dir.write_file("evals", "not a folder");
    check_listed(&dir, &["alc://packages/cot/meta", "alc://logs/s"]);
}

pub(super) fn set_modified(dir: &TestDir, name: &str, seconds: u64) {
    let file = File::options().write(true).open(dir.app_path().join(name)).unwrap();
    file.set_modified(time(seconds)).unwrap();
}

pub(super) fn listed_after_fixed(service: &TestAlcService) -> Vec<String> {
    service.list_all().into_iter().skip(FIXED.len()).map(|entry| entry.uri).collect()
}

/// A server that listed the documents before sees every change of them, also where the names of their folders did not change for a
/// long time.
#[test]
fn changes_between_two_lists_are_seen() {
    let dir = TestDir::new();
    for (name, seconds) in
        [("cards/a/x_1.toml", 1), ("cards/a/x_2.toml", 2), ("cards/b/y_1.toml", 3), ("logs/s.json", 1)]
    {
        write_file_at(&dir, name, seconds);
    }
    write_file_at(&dir, "cards/b/target", 4);
    symlink("target", dir.app_path().join("cards/b/y_2.toml")).unwrap();
    // From then on the folders count as settled.
    sleep(Duration::from_millis(2100));
    let service = TestAlcService::with_config(&dir, ENUMERATE);
    let check = |cards: &[&str], what: &str| {
        let expected: Vec<String> = cards.iter().map(|card| format!("alc://cards/{card}")).collect();
        assert_eq!(listed_after_fixed(&service), [expected, vec!["alc://logs/s".to_owned()]].concat(), "{what}");
    };
    check(&["y_2", "y_1", "x_2", "x_1"], "at first");
    check(&["y_2", "y_1", "x_2", "x_1"], "again");
    set_modified(&dir, "cards/a/x_1.toml", 9);
    check(&["x_1", "y_2", "y_1", "x_2"], "changed in place");
    set_modified(&dir, "cards/b/target", 0);
    check(&["x_1", "y_1", "x_2", "y_2"], "the target of a link was changed");
    std::fs::remove_file(dir.app_path().join("cards/b/target")).unwrap();
    check(&["x_1", "y_1", "x_2"], "the target of a link is gone");
    write_file_at(&dir, "cards/b/target", 5);
    check(&["x_1", "y_2", "y_1", "x_2"], "the target of a link is back");
    std::fs::remove_file(dir.app_path().join("cards/b/y_1.toml")).unwrap();
    check(&["x_1", "y_2", "x_2"], "removed");
    write_file_at(&dir, "cards/0/z_1.toml", 7);
    check(&["x_1", "z_1", "y_2", "x_2"], "in a new folder");
    std::fs::rename(dir.app_path().join("cards/a"), dir.app_path().join("cards/c")).unwrap();
    check(&["x_1", "z_1", "y_2", "x_2"], "their folder has another name");
    std::fs::remove_dir_all(dir.app_path().join("cards/c")).unwrap();
    check(&["z_1", "y_2"], "their folder is gone");
    std::fs::remove_dir_all(dir.app_path().join("cards")).unwrap();
    check(&[], "all are gone");
    write_file_at(&dir, "cards/a/x_1.toml", 1);
    check(&["x_1"], "one is back");
}

/// There may be more folders of cards than a process can have open.
#[test]
fn more_folders_than_open_files_are_listed() {
    let dir = TestDir::new();
    // Enough for all tests of this process.
    let most = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX).min(4096);
    setrlimit(Resource::Nofile, Rlimit { current: Some(most), ..getrlimit(Resource::Nofile) }).unwrap();
    for n in 0..most + 200 {
        dir.write_file(&format!("cards/p{n:05}/p{n:05}_1.toml"), "");
    }
    let newest = format!("cards/p{:05}/p{:05}_1.toml", most + 199, most + 199);
    set_modified(&dir, &newest, 1_000_000_000);
    let service = TestAlcService::with_config(&dir, ENUMERATE);
    for _ in 0..2 {
        let first = listed_after_fixed(&service).first().cloned();
        assert_eq!(first, Some(format!("alc://cards/p{:05}_1", most + 199)));
    }
}

/// With more documents than a page looks at, a change in place is seen some pages later, wherever the file is.
#[test]
fn change_in_place_among_many_is_seen_some_lists_later() {
    let dir = TestDir::new();
    let total = 2 * MAX_CARD_RECHECKS_PER_QUERY + 10;
    for n in 0..total {
        write_file_at(&dir, &format!("evals/e_{n}.json"), n as u64);
    }
    sleep(Duration::from_millis(2100));
    let service = TestAlcService::with_config(&dir, ENUMERATE);
    let newest = |service: &TestAlcService| listed_after_fixed(service).first().cloned();
    assert_eq!(newest(&service), Some(format!("alc://eval/e_{}", total - 1)));
    for n in [0, total / 2, total - 2] {
        set_modified(&dir, &format!("evals/e_{n}.json"), (2 * total + n) as u64);
        let wanted = Some(format!("alc://eval/e_{n}"));
        assert!((0..200).any(|_| newest(&service) == wanted), "{n}");
    }
}

/// The setting bounds the documents that a list knows of, in all folders of a kind together and whatever else lies in them.
#[test]
fn list_knows_as_many_documents_as_the_setting_says() {
    let dir = TestDir::new();
    let listed_with = |max: u32| {
        let config = AlcConfig { max_records: NonZeroU32::new(max), ..ENUMERATE };
        let service = TestAlcService::with_config(&dir, config);
        let listed = listed_after_fixed(&service);
        assert_eq!(listed_after_fixed(&service), listed, "{max}");
        listed.len()
    };
    for n in 0..10 {
        write_file_at(&dir, &format!("cards/a/a_{n}.toml"), n);
        write_file_at(&dir, &format!("cards/b/b_{n}.toml"), n);
        write_file_at(&dir, &format!("cards/b/b_{n}.samples.jsonl"), n);
    }
    for _ in 0..2 {
        assert_eq!([1, 9, 10, 11, 19, 20, 21].map(listed_with), [1, 9, 10, 11, 19, 20, 20]);
        // From then on the folders count as settled.
        dir.wait_until_settled("cards/a");
        dir.wait_until_settled("cards/b");
    }
    // A folder that grows takes the room of those behind it.
    let config = AlcConfig { max_records: NonZeroU32::new(20), ..ENUMERATE };
    let service = TestAlcService::with_config(&dir, config);
    assert_eq!(listed_after_fixed(&service).len(), 20);
    write_file_at(&dir, "cards/a/a_10.toml", 50);
    let listed = listed_after_fixed(&service);
    assert_eq!((listed.len(), &*listed[0]), (20, "alc://cards/a_10"));
}

#[test]
fn light_tier_refuses_enumeration() {
    let dir = TestDir::new();
    let light = TestAlcService::with_config(&dir, ENUMERATE).list_page_inline(None);
    assert!(light.is_none(), "{light:?}");
}

#[test]
fn cancelled_call_lists_nothing() {
    let service = TestAlcService::with_config(&TestDir::new(), ENUMERATE);
    service.cancel();
    assert!(service.list_page(None).is_err());
}

/// Lists the newest 100 of a kind, fixed when its section begins: documents that are newer do not displace them.
#[test]
fn newer_documents_between_pages_displace_none_of_the_listed() {
    let dir = TestDir::new();
    let card = |n: usize| format!("c_{n:03}");
    let total = MAX_LISTED_RECENT_PER_KIND + 50;
    for n in 0..total {
        write_file_at(&dir, &format!("cards/c/{}.toml", card(n)), n as u64);
    }
    write_file_at(&dir, "logs/s.json", 1);
    dir.write_package("p", "");
    let service = TestAlcService::with_config(&dir, ENUMERATE);
    let first = service.list_page(None).unwrap();
    assert_eq!(first.items.len(), LIST_PAGE_SIZE);
    for n in total..total + 30 {
        write_file_at(&dir, &format!("cards/c/{}.toml", card(n)), n as u64);
    }
    let rest = service.list_page(first.next_cursor.as_deref()).unwrap();
    assert_eq!(rest.next_cursor, None);
    let uris: Vec<String> = first.items.into_iter().chain(rest.items).skip(3).map(|entry| entry.uri).collect();
    let newest = (total - MAX_LISTED_RECENT_PER_KIND..total).rev().map(|n| format!("alc://cards/{}", card(n)));
    assert_eq!(uris, newest.chain(["alc://logs/s".to_owned()]).collect::<Vec<_>>());
}

#[test]
fn exactly_full_page_has_no_cursor() {
    let dir = TestDir::new();
    for n in 0..LIST_PAGE_SIZE - FIXED.len() {
        dir.write_package(&format!("p{n:03}"), "");
    }
    let service = TestAlcService::with_config(&dir, ENUMERATE);
    let page = service.list_page(None).unwrap();
    assert_eq!((page.items.len(), page.next_cursor), (LIST_PAGE_SIZE, None));
    write_file_at(&dir, "logs/s.json", 1);
    let page = service.list_page(None).unwrap();
    assert_eq!(page.items.len(), LIST_PAGE_SIZE);
    let rest = service.list_page(page.next_cursor.as_deref()).unwrap();
    assert_eq!(rest.items.iter().map(|entry| entry.uri.as_str()).collect::<Vec<_>>(), ["alc://logs/s"]);
}

#[test]
fn unknown_cursor_is_refused() {
    let dir = TestDir::new();
    let service = TestAlcService::with_config(&dir, ENUMERATE);
    let longest = format!("alc:packages:0:0:{}", "a".repeat(200));
    assert!(service.list_page(Some(&longest)).is_ok());
    let too_long = format!("alc:packages:0:0:{}", "a".repeat(MAX_CURSOR_BYTES));
    for cursor in [
        "",
        "x",
        "alc",
        "from-2",
        "resources:",
        "alc:x",
        "alc:cards",
        "alc:cards:1:0",
        "alc:cards:1:0:",
        "alc:cards:1:zz:a",
        "alc:cards:1:0F:a",
        "alc:cards:+1:0:a",
        "alc:cards:01:0:a",
        "alc:cards:101:0:a",
        "alc:cards:-1:0:a",
        "alc:cards:1:0:../a",
        "alc:cards:1:0:a:b",
        "alc:cards:1:ffffffffffffffffff:a",
        "alc:fixed:0:0:nothing",
        "alc:fixed:0:0:hub-index",
        "alc:Cards:1:0:a",
        " alc:cards:1:0:a",
        &too_long,
    ] {
        let refused = service.list_page(Some(cursor)).unwrap_err();
        assert_eq!(protocol_error_text(&refused), "-32602 unknown cursor: start again without one", "{cursor}");
    }
    for cursor in ["alc:packages:0:0:a", "alc:cards:1:0:a", "from-2"] {
        let refused = TestAlcService::new(&dir).list_page(Some(cursor)).unwrap_err();
        assert_eq!(protocol_error_text(&refused), "-32602 unknown cursor: start again without one", "{cursor}");
    }
}

/// A document of some kind, and when it was last modified.
#[derive(Debug, Clone)]
struct Document {
    kind: usize,
    number: usize,
    seconds: u64,
}

impl Document {
    fn uri(&self) -> String {
        let Self { kind, number, .. } = self;
        match kind {
            0 => format!("alc://packages/p{number:02}/meta"),
            1 => format!("alc://cards/c_{number:02}"),
            2 => format!("alc://eval/e_{number:02}"),
            _ => format!("alc://logs/s-{number:02}"),
        }
    }

    fn file(&self) -> String {
        let Self { kind, number, .. } = self;
        match kind {
            0 => format!("packages/p{number:02}/init.lua"),
            1 => format!("cards/c{}/c_{number:02}.toml", number % 3),
            2 => format!("evals/e_{number:02}.json"),
            _ => format!("logs/s-{number:02}.json"),
        }
    }

    fn add(&self, dir: &TestDir) {
        write_file_at(dir, &self.file(), self.seconds);
    }

    fn remove(&self, dir: &TestDir) {
        let path = dir.app_path().join(self.file());
        std::fs::remove_file(&path).unwrap();
        if self.kind == 0 {
            std::fs::remove_dir(path.parent().unwrap()).unwrap();
        }
    }
}

fn any_document() -> impl Strategy<Value = Document> {
    // Few times, so that many documents share one.
    (0..4usize, 0..90usize, 0..6u64).prop_map(|(kind, number, seconds)| Document { kind, number, seconds })
}

/// The changes between two pages: documents to add, and indices into the sorted list of those to remove.
type PageChanges = (Vec<Document>, Vec<prop::sample::Index>);

fn any_page_changes() -> impl Strategy<Value = PageChanges> {
    (prop::collection::vec(any_document(), 0..12), prop::collection::vec(any::<prop::sample::Index>(), 0..12))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pages_list_every_lasting_document_exactly_once(
        first in prop::collection::vec(any_document(), 100..320),
        between in prop::collection::vec(any_page_changes(), 4),
    ) {
        let dir = TestDir::new();
        let mut known = BTreeSet::new();
        let mut present = BTreeMap::new();
        for document in first {
            if known.insert(document.uri()) {
                document.add(&dir);
                present.insert(document.uri(), document);
            }
        }
        let mut lasting: BTreeSet<String> = present.keys().cloned().collect();
        let service = TestAlcService::with_config(&dir, ENUMERATE);
        let mut between = between.into_iter();
        let mut page = service.list_page(None).unwrap();
        let mut listed: Vec<String> = page.items.into_iter().map(|entry| entry.uri).collect();
        while let Some(cursor) = page.next_cursor {
            let (added, removed) = between.next().unwrap_or_default();
            for index in removed {
                let uri = present.keys().nth(index.index(present.len().max(1))).cloned();
                if let Some(document) = uri.and_then(|uri| present.remove(&uri)) {
                    document.remove(&dir);
                    lasting.remove(&document.uri());
                }
            }
            // The entry that the cursor names is removed too.
            if let Some(document) = listed.last().and_then(|uri| present.remove(uri)) {
                document.remove(&dir);
                lasting.remove(&document.uri());
            }
            for document in added {
                if known.insert(document.uri()) {
                    document.add(&dir);
                    present.insert(document.uri(), document);
                }
            }
            page = service.list_page(Some(&cursor)).unwrap();
            prop_assert!(page.items.len() <= LIST_PAGE_SIZE);
            listed.extend(page.items.into_iter().map(|entry| entry.uri));
        }
        let once: BTreeSet<String> = listed.iter().cloned().collect();
        prop_assert_eq!(once.len(), listed.len(), "something is listed twice");
        let missed: Vec<_> = lasting.difference(&once).collect();
        prop_assert!(missed.is_empty(), "{:?}", missed);
        prop_assert!(once.iter().all(|uri| known.contains(uri) || FIXED.contains(&uri.as_str())));
    }
}
