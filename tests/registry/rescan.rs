//! Repeated scans of a registry: what stays valid of an earlier scan, and what is not repeated.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::time::Instant;

use rustix::thread::{CapabilitySet, capabilities, set_capabilities};
use wardroom_service::{Caller, Service as _, ToolProvider};

use super::changes::wait_until_equal;
use super::totals::{data, index, problems, registry, tools};
use super::{HEAD, declare, handler, tool};
use wardroom_test_support::TestDir;

/// Runs without the superuser's right to read everything.
fn unprivileged(run: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        let run = scope.spawn(|| {
            let mut sets = capabilities(None).unwrap();
            sets.effective.remove(CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH);
            set_capabilities(None, sets).unwrap();
            run();
        });
        run.join().unwrap();
    });
}

#[test]
fn unreadable_folder_keeps_known_entries() {
    let dir = TestDir::new();
    let locked = dir.app_path().join("registry/locked");
    dir.write_file("registry/locked/in/x.lua", handler("call", "return 1"));
    dir.write_file("registry/locked/in/_index.yaml", index("in", &tool(&dir, "x", "", "return 1")));
    declare(&dir, &tool(&dir, "t", "", "return 1"));
    let rights = |mode| fs::set_permissions(&locked, fs::Permissions::from_mode(mode)).unwrap();
    let check = || {
        let registry = registry(&dir);
        assert_eq!((tools(&registry), problems(&registry)), (vec!["t".to_owned(), "x".to_owned()], vec![]));
        rights(0o000);
        registry.reload();
        assert_eq!(tools(&registry), ["t", "x"]);
        let expected = "registry/locked: warning: may not be read by this server: its last known entries stay";
        assert_eq!(problems(&registry), [expected]);
        // A registry without an earlier scan has nothing to keep.
        let other = self::registry(&dir);
        assert_eq!((tools(&other), problems(&other)), (vec!["t".to_owned()], vec![expected.to_owned()]));
        rights(0o700);
        fs::remove_dir_all(&locked).unwrap();
        registry.reload();
        assert_eq!((tools(&registry), problems(&registry)), (vec!["t".to_owned()], vec![]));
    };
    unprivileged(check);
}

#[test]
fn dangling_index_link_is_reported_and_keeps_entries_for_a_while() {
    let dir = TestDir::new();
    dir.write_file("registry/none/x", "");
    symlink("nowhere", dir.app_path().join("registry/none/_index.yaml")).unwrap();
    declare(&dir, &tool(&dir, "t", "", "return 1"));
    let registry = registry(&dir);
    let none = "registry/none/_index.yaml: error: is a link to a missing file";
    assert_eq!((tools(&registry), problems(&registry)), (vec!["t".to_owned()], vec![none.to_owned()]));
    fs::remove_file(dir.app_path().join("registry/app/_index.yaml")).unwrap();
    symlink("nowhere", dir.app_path().join("registry/app/_index.yaml")).unwrap();
    // The file may reappear in a moment, but not for ever.
    registry.reload();
    assert_eq!(tools(&registry), ["t"]);
    wait_until_equal(&Vec::<String>::new(), || {
        registry.reload();
        tools(&registry)
    });
    assert_eq!(problems(&registry).len(), 2);
}

#[test]
fn refresh_since_earlier_scan_does_not_rescan() {
    let dir = TestDir::new();
    declare(&dir, &tool(&dir, "one", "", "return 1"));
    let registry = registry(&dir);
    let since = Instant::now();
    registry.refresh(since);
    assert_eq!(tools(&registry), ["one"]);
    dir.write_file("registry/more/_index.yaml", format!("{HEAD}{}", data("x")));
    declare(&dir, &tool(&dir, "two", "", "return 2"));
    registry.refresh(since);
    assert_eq!(tools(&registry), ["one"]);
    registry.refresh(Instant::now());
    assert_eq!(tools(&registry), ["two"]);
}

#[test]
fn refused_entry_has_no_offer_in_overview() {
    let dir = TestDir::new();
    let resource = |name: &str, uri: &str| {
        format!(
            "  - name: {name}\n    kind: registry.entry\n    meta: {{ mcp.resource.uri: \"{uri}\", mcp.resource.text: x }}\n"
        )
    };
    let entries =
        [resource("a", "taken://x"), resource("b", "free://x"), resource("c", "twice://x"), resource("d", "twice://x")];
    declare(&dir, &[entries.concat(), tool(&dir, "taken", "", "return 1"), tool(&dir, "t", "", "return 1")].concat());
    let rows = registry(&dir).overview().rows;
    let offers: Vec<_> = rows.iter().map(|row| (row.id.as_str(), row.offers.join(" "))).collect();
    let row = |id: &'static str, offer: &str| (id, offer.to_owned());
    assert_eq!(
        offers,
        [
            row("app:a", ""),
            row("app:b", "resource free://x"),
            row("app:c", ""),
            row("app:d", ""),
            row("app:t", "tool t"),
            row("app:taken", "")
        ]
    );
}

#[test]
fn page_starts_after_mark() {
    let dir = TestDir::new();
    declare(&dir, &["a", "b", "c", "d"].map(|name| tool(&dir, name, "", "return 1")).concat());
    let registry = registry(&dir);
    let caller = std::sync::Arc::new(Caller::default());
    let page = |mark: Option<&str>, limit: usize| -> String {
        let tools = ToolProvider::list(&registry, mark, limit, &caller);
        tools.iter().map(|tool| tool.name.clone()).collect()
    };
    assert_eq!([page(None, 2), page(Some("b"), 9), page(Some("bb"), 1), page(Some("d"), 1)], ["ab", "cd", "c", ""]);
    let registry = std::sync::Arc::new(registry);
    let has = |name| ToolProvider::resolve(std::sync::Arc::clone(&registry), name, &caller).is_some();
    assert!(has("c") && !has("e"));
}
