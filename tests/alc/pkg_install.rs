//! Installations: whole trees only, from allowed folders, and never a part of a tree.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};
use wardroom_alc::{ImportMode, PackageInstallRequest, PackageOrigin};
use wardroom_appdir::{Access, ambient, with_failpoints};
use wardroom_net::limits::{MAX_INSTALL_BYTES, MAX_INSTALL_DEPTH, MAX_INSTALL_ENTRIES};
use wardroom_service::RequestInfo;

use super::package_fixture::{PackageFixture, names};

#[test]
fn install_copies_modules_cards_and_scenarios() {
    let fixture = PackageFixture::new();
    fixture.package("granted/shapes", "0.25.1");
    fixture.file("granted/shapes/t.lua", "return {}");
    fixture.file("granted/shapes/deep/er/m.lua", "return 1");
    fixture.file("granted/shapes/.git/config", "secret");
    fixture.file("granted/shapes/deep/.GIT/config", "secret");
    fixture.file("granted/shapes/cards/shapes_x_20260101T000000_abcdef.toml", "schema_version = \"card/v0\"\n");
    fixture.file("granted/shapes/cards/shapes_x_20260101T000000_abcdef.samples.jsonl", "{\"i\":1}\n");
    fixture.file("granted/shapes/cards/other.toml", "schema_version = \"card/v9\"\n");
    fixture.file("granted/shapes/scenarios/adds.lua", "return {}");
    let done = fixture.install("granted/shapes");
    assert_eq!(done["mode"], "local_single");
    assert_eq!(names(&done["installed"]), ["shapes"]);
    assert_eq!(names(&done["cards_installed"]), ["shapes_x_20260101T000000_abcdef"]);
    assert_eq!(names(&done["scenarios_installed"]), ["adds"]);
    for file in ["init.lua", "t.lua", "deep/er/m.lua"] {
        assert_eq!(
            fixture.read(&format!("app/packages/shapes/{file}")),
            fixture.read(&format!("granted/shapes/{file}"))
        );
    }
    assert!(!fixture.has("app/packages/shapes/.git") && !fixture.has("app/packages/shapes/deep/.GIT"));
    assert_eq!(fixture.read("app/cards/shapes/shapes_x_20260101T000000_abcdef.samples.jsonl"), "{\"i\":1}\n");
    assert!(!fixture.has("app/cards/shapes/other.toml"));
    assert_eq!(fixture.read("app/scenarios/adds.lua"), "return {}");
    assert!(done.get("types_path").is_none(), "{done}");
    fixture.file("app/types/alc.d.lua", "");
    let again = fixture.install("granted/shapes");
    assert_eq!(
        (&again["types_path"], again.get("alc_shapes_types_path")),
        (&json!(fixture.path_text("app/types/alc.d.lua")), None)
    );
    let manifest: Value = serde_json::from_str(&fixture.read("app/packages/installed.json")).unwrap();
    let entry = &manifest["packages"]["shapes"];
    assert_eq!(entry["version"], "0.25.1");
    assert_eq!(entry["source"], json!({"type": "path", "path": fixture.path_text("granted/shapes")}));
    fixture.assert_no_leftovers();
}

#[test]
fn reinstall_replaces_the_tree_and_keeps_imported_scenarios() {
    let fixture = PackageFixture::new();
    fixture.package("granted/p", "0.1.0");
    fixture.file("granted/p/old.lua", "return 0");
    fixture.file("granted/p/scenarios/s.lua", "return 1");
    fixture.install("granted/p");
    fixture.file("app/scenarios/s.lua", "edited");
    fs::remove_file(fixture.path("granted/p/old.lua")).unwrap();
    fixture.package("granted/p", "0.2.0");
    let done = fixture.install("granted/p");
    assert_eq!((names(&done["installed"]).len(), names(&done["updated"])), (0, vec!["p"]));
    assert!(!fixture.has("app/packages/p/old.lua"));
    assert!(fixture.read("app/packages/p/init.lua").contains("0.2.0"));
    assert_eq!(fixture.read("app/scenarios/s.lua"), "edited");
    fixture.assert_no_leftovers();
}

#[test]
fn collection_installs_each_package_independently() {
    let fixture = PackageFixture::new();
    for name in ["a", "b", "c", "_private", ".hidden"] {
        fixture.package(&format!("elsewhere/x/{name}"), "0.1.0");
    }
    fs::create_dir_all(fixture.path("granted/many")).unwrap();
    fs::rename(fixture.path("elsewhere/x"), fixture.path("granted/many/x")).unwrap();
    symlink("/etc/passwd", fixture.path("granted/many/x/b/out.lua")).unwrap();
    symlink("a", fixture.path("granted/many/x/linked")).unwrap();
    fixture.file("granted/many/x/scenarios/all.lua", "return {}");
    let done = fixture.install("granted/many/x");
    assert_eq!(done["mode"], "local_collection");
    assert_eq!(names(&done["installed"]), ["a", "c"]);
    assert_eq!(names(&done["skipped_symlinks"]), ["linked"]);
    assert_eq!(names(&done["scenarios_installed"]), ["all"]);
    assert_eq!(done["failures"][0]["name"], "b");
    assert_eq!(done["failures"][0]["code"], "LEAVES_TREE");
    assert!(!fixture.has("app/packages/b"));
    fixture.assert_no_leftovers();
}

#[test]
fn packages_are_recorded_although_their_scenarios_find_a_full_disk() {
    let mut was_refused = false;
    for n_writes in 0.. {
        let fixture = PackageFixture::new();
        for name in ["a", "b"] {
            fixture.package(&format!("granted/many/{name}"), "0.1.0");
        }
        fixture.file("granted/many/scenarios/all.lua", "return {}");
        let mut number = 0;
        let full = move |step| {
            number += usize::from(step == "write");
            if number > n_writes { Err(rustix::io::Errno::NOSPC.into()) } else { Ok(()) }
        };
        let install = || fixture.try_call("alc_pkg_install", json!({"url": fixture.path_text("granted/many")}));
        let Err(error) = with_failpoints(full, install) else { break };
        let message = error.to_string();
        if message.contains("all.lua") {
            was_refused = true;
            assert!(message.contains("2 packages were installed before that"), "{message}");
        }
    }
    assert!(was_refused);
}

/// A process that was killed after it published a package leaves no record of it.
#[test]
fn repeated_installation_of_a_repository_records_what_an_interrupted_one_left() {
    let fixture = PackageFixture::new();
    for name in ["a", "b"] {
        fixture.package(&format!("granted/many/{name}"), "0.1.0");
    }
    let folder = ambient::open_folder(&fixture.path("granted/many"), Access::ReadOnly).unwrap();
    let alc = fixture.alc();
    let install = || {
        let source = PackageOrigin::Git { url: "https://example.org/many".to_owned(), rev: None };
        let request = PackageInstallRequest { from: &folder, name: "many", source, mode: ImportMode::New };
        let catalogue = fixture.catalogue();
        alc.package_installer().install_folder(&request, &RequestInfo::new(&catalogue)).unwrap().into_value()
    };
    assert_eq!(names(&install()["installed"]), ["a", "b"]);
    // What has a record is not replaced, nor is what differs.
    assert_eq!(names(&install()["skipped"]), ["a", "b"]);
    fs::remove_file(fixture.path("app/packages/installed.json")).unwrap();
    fixture.file("app/packages/b/own.lua", "return 1");
    let again = install();
    assert_eq!((names(&again["updated"]), names(&again["skipped"])), (vec!["a"], vec!["b"]));
    let manifest: Value = serde_json::from_str(&fixture.read("app/packages/installed.json")).unwrap();
    assert_eq!(manifest["packages"]["a"]["source"]["url"], "https://example.org/many");
    assert!(manifest["packages"].get("b").is_none() && fixture.has("app/packages/b/own.lua"));
    fixture.assert_no_leftovers();
}

#[test]
fn ungranted_path_is_refused_with_the_command_to_grant_it() {
    let fixture = PackageFixture::new();
    fixture.package("elsewhere/p q", "0.1.0");
    let path = fixture.path_text("elsewhere/p q");
    let (code, message) = fixture.refused("alc_pkg_install", json!({"url": path}));
    assert_eq!(code, "NOT_MOUNTED");
    assert!(message.contains(&format!("`wardroom mount add p-q '{path}' --as files --read-only`")), "{message}");
    for path in ["/etc", "/", "../elsewhere/p q", "./../../etc"] {
        assert_eq!(fixture.refused("alc_pkg_install", json!({"url": path})).0, "NOT_MOUNTED", "{path}");
    }
    // A link in a granted folder grants nothing.
    symlink(fixture.path("elsewhere"), fixture.path("granted/out")).unwrap();
    let through = fixture.path_text("granted/out/p q");
    assert_eq!(fixture.refused("alc_pkg_install", json!({"url": through})).0, "NOT_MOUNTED");
    assert!(!fixture.has("app/packages"));
}

#[test]
fn project_and_app_dir_need_no_mount() {
    let fixture = PackageFixture::new();
    fixture.package("project/src/own", "0.1.0");
    fixture.package("app/drafts/draft", "0.1.0");
    let done = fixture.call("alc_pkg_install", json!({"url": "./src/own"}));
    assert_eq!(names(&done["installed"]), ["own"]);
    fixture.install("app/drafts/draft");
    assert!(fixture.has("app/packages/draft/init.lua"));
    let named = fixture.call("alc_pkg_install", json!({"url": "./src/own", "name": "other"}));
    assert_eq!(names(&named["installed"]), ["other"]);
    for name in ["../x", ".x", "a b", "", "."] {
        let (code, _) = fixture.refused("alc_pkg_install", json!({"url": "./src/own", "name": name}));
        assert_eq!(code, "INVALID_NAME", "{name:?}");
    }
}

#[test]
fn repository_install_is_refused_without_git_access() {
    let mut fixture = PackageFixture::new();
    for url in ["https://example.org/a/b", "github.com/a/b", "git@example.org:a/b", "file:///etc", "~/x"] {
        let (code, message) = fixture.refused("alc_pkg_install", json!({"url": url}));
        assert_eq!(code, "NETWORK_OFF", "{url}");
        assert!(message.contains("[network] git"), "{message}");
    }
    fixture.network.git = true;
    assert_eq!(fixture.refused("alc_pkg_install", json!({"url": "https://example.org/a"})).0, "GIT_UNAVAILABLE");
}

#[test]
fn hostile_trees_are_refused_and_leave_nothing() {
    type Make<'m> = &'m dyn Fn(&PackageFixture);
    let at = |fixture: &PackageFixture, name: &str| fixture.path(&format!("granted/p/{name}"));
    let rows: [(&str, &str, Make<'_>); 12] = [
        ("an absolute link", "LEAVES_TREE", &|h| symlink("/etc/passwd", at(h, "x")).unwrap()),
        ("a link out", "LEAVES_TREE", &|h| symlink("../../elsewhere", at(h, "x")).unwrap()),
        ("a link out through a folder", "LEAVES_TREE", &|h| {
            fs::create_dir(at(h, "d")).unwrap();
            symlink("d/../../q", at(h, "x")).unwrap();
        }),
        ("a link to its own absolute place", "LEAVES_TREE", &|h| symlink(at(h, "init.lua"), at(h, "x")).unwrap()),
        ("a pipe", "REFUSED", &|h| {
            mknodat(CWD, at(h, "pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        }),
        ("a link to a pipe", "REFUSED", &|h| {
            fs::create_dir(at(h, "a")).unwrap();
            mknodat(CWD, at(h, "zpipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
            symlink("../zpipe", at(h, "a/x")).unwrap();
        }),
        ("a socket", "REFUSED", &|h| drop(UnixListener::bind(at(h, "s")).unwrap())),
        ("a sparse file", "TOO_LARGE", &|h| {
            fs::File::create(at(h, "big")).unwrap().set_len(MAX_INSTALL_BYTES + 1).unwrap();
        }),
        ("many files", "TOO_LARGE", &|h| {
            for n in 0..=MAX_INSTALL_ENTRIES {
                fs::File::create(at(h, &format!("f{n}"))).unwrap();
            }
        }),
        ("deep folders", "TOO_LARGE", &|h| fs::create_dir_all(at(h, &"d/".repeat(MAX_INSTALL_DEPTH + 1))).unwrap()),
        ("a name that is not UTF-8", "REFUSED", &|h| {
            fs::write(h.path("granted/p").join(OsStr::from_bytes(b"\xff.lua")), "").unwrap();
        }),
        ("names that differ in case", "REFUSED", &|h| {
            h.file("granted/p/T.lua", "");
            h.file("granted/p/t.lua", "");
        }),
    ];
    for (what, code, make) in rows {
        let fixture = PackageFixture::new();
        fixture.package("granted/p", "0.1.0");
        make(&fixture);
        let (found, message) = fixture.refused("alc_pkg_install", json!({"url": fixture.path_text("granted/p")}));
        assert_eq!(found, code, "{what}: {message}");
        assert!(!fixture.has("app/packages/p"), "{what}");
        assert!(!fixture.has("app/packages/installed.json"), "{what}");
        fixture.assert_no_leftovers();
    }
}

#[test]
fn internal_links_are_replaced_by_their_targets() {
    let fixture = PackageFixture::new();
    fixture.package("granted/p", "0.1.0");
    fixture.file("granted/p/real/m.lua", "return 7");
    symlink("real", fixture.path("granted/p/alias")).unwrap();
    symlink("../real/m.lua", fixture.path("granted/p/real/again.lua")).unwrap();
    symlink("nothing", fixture.path("granted/p/lost")).unwrap();
    fixture.install("granted/p");
    assert_eq!(fixture.read("app/packages/p/alias/m.lua"), "return 7");
    assert_eq!(fixture.read("app/packages/p/real/again.lua"), "return 7");
    assert_eq!(fixture.read("app/packages/p/alias/again.lua"), "return 7");
    let kind = |name: &str| fs::symlink_metadata(fixture.path(name)).map(|metadata| metadata.file_type());
    assert!(kind("app/packages/p/alias").unwrap().is_dir() && kind("app/packages/p/real/again.lua").unwrap().is_file());
    assert!(kind("app/packages/p/lost").is_err());
    symlink("..", fixture.path("granted/p/real/round")).unwrap();
    let (code, message) = fixture.refused("alc_pkg_install", json!({"url": fixture.path_text("granted/p")}));
    assert_eq!((code.as_str(), message.contains("alias/round")), ("REFUSED", true), "{message}");
    assert!(fixture.has("app/packages/p/init.lua"));
}

#[test]
fn package_name_differing_only_in_case_is_refused() {
    let fixture = PackageFixture::new();
    fixture.package("granted/one/Panel", "0.1.0");
    fixture.package("granted/two/panel", "0.1.0");
    fixture.install("granted/one/Panel");
    let (code, _) = fixture.refused("alc_pkg_install", json!({"url": fixture.path_text("granted/two/panel")}));
    assert_eq!(code, "SAME_NAME");
}

#[test]
fn tree_containing_its_destination_is_copied_once() {
    let fixture = PackageFixture::new();
    fixture.package("app", "0.1.0");
    fixture.install("app");
    assert!(fixture.has("app/packages/app/init.lua"));
    assert!(!fixture.has("app/packages/app/packages/app"));
    fixture.install("app/packages/app");
    fixture.assert_no_leftovers();
}

#[test]
fn install_updates_project_files_and_keeps_comments() {
    let fixture = PackageFixture::new();
    fixture.file("project/alc.toml", "# mine\n[packages] # all of them\nold = \"0.1.0\" # pinned\n");
    fixture.package("granted/fresh", "0.1.0");
    fixture.package("granted/old", "0.2.0");
    fixture.install("granted/fresh");
    fixture.install("granted/old");
    let expected = "# mine\n[packages] # all of them\nold = \"0.1.0\" # pinned\nfresh = \"*\"\n";
    assert_eq!(fixture.read("project/alc.toml"), expected);
    // A pinned package is unchanged.
    let lock = |version: &str| {
        format!(
            "version = 1\n\n[[package]]\nname = \"fresh\"\nversion = \"{version}\"\n\n[package.source]\ntype = \"installed\"\n"
        )
    };
    assert_eq!(fixture.read("project/alc.lock"), lock("0.1.0"));
    fixture.package("granted/fresh", "0.3.0");
    fixture.install("granted/fresh");
    assert_eq!(fixture.read("project/alc.lock"), lock("0.3.0"));
    fixture.file("project/alc.lock", "version = 3\n");
    let done = fixture.install("granted/fresh");
    assert!(names(&done["project_files_warnings"])[0].contains("unsupported alc.lock version 3"), "{done:#}");
    fixture.file("project/alc.toml", "[packages\n");
    let done = fixture.install("granted/fresh");
    assert_eq!(names(&done["project_files_warnings"]).len(), 1);
}

#[test]
fn project_file_that_is_a_link_stays_one() {
    let fixture = PackageFixture::new();
    fixture.file("project/conf/alc.toml", "[packages]\n");
    symlink("conf/alc.toml", fixture.path("project/alc.toml")).unwrap();
    fixture.package("granted/fresh", "0.1.0");
    fixture.install("granted/fresh");
    assert!(fixture.path("project/alc.toml").is_symlink());
    assert_eq!(fixture.read("project/conf/alc.toml"), "[packages]\nfresh = \"*\"\n");
}

#[test]
fn original_manifest_is_read_and_migrated() {
    let fixture = PackageFixture::new();
    let old = r#"{"packages":{"kept":{"version":null,"source":"https://example.org/kept","installed_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z","extra":1}}}"#;
    fixture.file("app/installed.json", old);
    fixture.package("granted/p", "0.1.0");
    fixture.install("granted/p");
    assert_eq!(fixture.read("app/installed.json"), old);
    let manifest: Value = serde_json::from_str(&fixture.read("app/packages/installed.json")).unwrap();
    let kept = &manifest["packages"]["kept"];
    assert_eq!(kept["source"], json!({"type": "git", "url": "https://example.org/kept", "rev": null}));
    assert_eq!((&kept["installed_at"], &kept["extra"]), (&json!("2026-01-01T00:00:00Z"), &json!(1)));
    assert!(manifest["packages"]["p"].is_object());
    // A manifest of a newer version, or a malformed one, is left unchanged.
    for (text, code) in [(r#"{"version":2,"packages":{}}"#, "NEWER_FORMAT"), ("{", "MANIFEST_UNREADABLE")] {
        fixture.file("app/packages/installed.json", text);
        assert_eq!(fixture.refused("alc_pkg_install", json!({"url": fixture.path_text("granted/p")})).0, code);
        assert_eq!(fixture.read("app/packages/installed.json"), text);
    }
}

#[test]
fn readers_see_one_whole_tree_during_concurrent_installs() {
    let fixture = PackageFixture::new();
    for version in ["one", "two"] {
        let source = format!("return {{ meta = {{ name = \"p\", version = \"{version}\" }} }}");
        fixture.file(&format!("granted/{version}/p/init.lua"), &source);
        for n in 0..20 {
            fixture.file(&format!("granted/{version}/p/m{n}.lua"), version);
        }
    }
    fixture.install("granted/one/p");
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let installer = |from: &'static str| {
            let fixture = &fixture;
            move || (0..15).for_each(|_| drop(fixture.install(from)))
        };
        let both = [scope.spawn(installer("granted/one/p")), scope.spawn(installer("granted/two/p"))];
        let reader = scope.spawn(|| {
            let mut seen = 0;
            while !done.load(Ordering::Relaxed) || seen < 10 {
                // Read through one handle, as the server does: all files are of one version.
                let folder = fixture.alc_folder("app/packages/p");
                // A tree that is replaced meanwhile disappears under its reader, but is never mixed.
                let Ok((first, _)) = folder.read_text("m0.lua", 100) else { continue };
                let rest = (0..20).filter_map(|n| folder.read_text(&format!("m{n}.lua"), 100).ok());
                let rest: Vec<String> = rest.map(|(text, _)| text).collect();
                assert!(rest.iter().all(|text| *text == first), "{first}: {rest:?}");
                seen += 1;
            }
        });
        for installer in both {
            installer.join().unwrap();
        }
        done.store(true, Ordering::Relaxed);
        reader.join().unwrap();
    });
    fixture.assert_no_leftovers();
    let manifest: Value = serde_json::from_str(&fixture.read("app/packages/installed.json")).unwrap();
    assert!(manifest["packages"]["p"]["source"]["path"].as_str().unwrap().contains("granted/"));
}

#[test]
fn cancelled_installation_leaves_nothing() {
    let fixture = PackageFixture::new();
    fixture.package("granted/many/p", "0.1.0");
    fixture.cancelled.cancel();
    for from in ["granted/many/p", "granted/many"] {
        let refused = fixture.try_call("alc_pkg_install", json!({"url": fixture.path_text(from)})).unwrap_err();
        assert!(refused.to_string().contains("cancelled"), "{refused}");
    }
    assert!(!fixture.has("app/packages/p") && !fixture.has("app/packages/installed.json"));
    fixture.assert_no_leftovers();
    for (tool, arguments) in [
        ("alc_hub_reindex", json!({"source_dir": fixture.path_text("granted/many")})),
        ("alc_hub_gendoc", json!({"source_dir": fixture.path_text("granted/many")})),
        ("alc_hub_search", json!({})),
    ] {
        fixture.package("app/packages/p", "0.1.0");
        assert_eq!(fixture.refused(tool, arguments).0, "CANCELLED", "{tool}");
    }
    assert!(!fixture.has("granted/many/hub_index.json") && !fixture.has("granted/many/docs"));
}

#[test]
fn read_only_server_hides_and_refuses_writing_tools() {
    let mut fixture = PackageFixture::new();
    fixture.package("granted/p", "0.1.0");
    fixture.access = Access::ReadOnly;
    let catalogue = fixture.catalogue();
    let listed = catalogue.tools(None).finish(&RequestInfo::new(&catalogue)).unwrap().items;
    let listed: Vec<&str> = listed.iter().map(|tool| &*tool.name).collect();
    let writers = [
        "alc_pkg_install",
        "alc_pkg_link",
        "alc_pkg_unlink",
        "alc_pkg_remove",
        "alc_pkg_repair",
        "alc_pkg_scaffold",
        "alc_init",
        "alc_update",
        "alc_migrate",
        "alc_hub_reindex",
        "alc_hub_gendoc",
        "alc_hub_dist",
    ];
    for tool in writers {
        assert!(!listed.contains(&tool), "{tool}");
        assert_eq!(fixture.refused(tool, json!({})).0, "READ_ONLY", "{tool}");
    }
    for tool in ["alc_pkg_list", "alc_pkg_doctor", "alc_hub_search", "alc_hub_info"] {
        assert!(listed.contains(&tool), "{tool}");
    }
    assert_eq!(fixture.call("alc_pkg_list", json!({}))["total"], 1);
}

impl PackageFixture {
    fn alc_folder(&self, name: &str) -> wardroom_appdir::Folder {
        ambient::open_folder(&self.path(name), Access::ReadOnly).unwrap()
    }
}
