//! Installing: whole trees and nothing else, from where it is allowed, and never a half of one.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};
use wardroom_appdir::Access;
use wardroom_net::limits::{MAX_INSTALL_BYTES, MAX_INSTALL_DEPTH, MAX_INSTALL_ENTRIES};
use wardroom_service::CallContext;

use super::pkg_house::{House, names};

#[test]
fn a_package_is_installed_whole_with_its_modules_cards_and_scenarios() {
    let house = House::new();
    house.package("granted/shapes", "0.25.1");
    house.file("granted/shapes/t.lua", "return {}");
    house.file("granted/shapes/deep/er/m.lua", "return 1");
    house.file("granted/shapes/.git/config", "secret");
    house.file("granted/shapes/cards/shapes_x_20260101T000000_abcdef.toml", "schema_version = \"card/v0\"\n");
    house.file("granted/shapes/cards/shapes_x_20260101T000000_abcdef.samples.jsonl", "{\"i\":1}\n");
    house.file("granted/shapes/cards/other.toml", "schema_version = \"card/v9\"\n");
    house.file("granted/shapes/scenarios/adds.lua", "return {}");
    let done = house.install("granted/shapes");
    assert_eq!(done["mode"], "local_single");
    assert_eq!(names(&done["installed"]), ["shapes"]);
    assert_eq!(names(&done["cards_installed"]), ["shapes_x_20260101T000000_abcdef"]);
    assert_eq!(names(&done["scenarios_installed"]), ["adds"]);
    for file in ["init.lua", "t.lua", "deep/er/m.lua"] {
        assert_eq!(house.read(&format!("app/packages/shapes/{file}")), house.read(&format!("granted/shapes/{file}")));
    }
    assert!(!house.has("app/packages/shapes/.git"));
    assert_eq!(house.read("app/cards/shapes/shapes_x_20260101T000000_abcdef.samples.jsonl"), "{\"i\":1}\n");
    assert!(!house.has("app/cards/shapes/other.toml"));
    assert_eq!(house.read("app/scenarios/adds.lua"), "return {}");
    assert!(done.get("types_path").is_none(), "{done}");
    house.file("app/types/alc.d.lua", "");
    let again = house.install("granted/shapes");
    assert_eq!(
        (&again["types_path"], again.get("alc_shapes_types_path")),
        (&json!(house.text_of("app/types/alc.d.lua")), None)
    );
    let manifest: Value = serde_json::from_str(&house.read("app/packages/installed.json")).unwrap();
    let entry = &manifest["packages"]["shapes"];
    assert_eq!(entry["version"], "0.25.1");
    assert_eq!(entry["source"], json!({"type": "path", "path": house.text_of("granted/shapes")}));
    house.assert_no_leftovers();
}

#[test]
fn an_installed_tree_takes_the_place_of_the_old_one_and_what_was_imported_stays() {
    let house = House::new();
    house.package("granted/p", "0.1.0");
    house.file("granted/p/old.lua", "return 0");
    house.file("granted/p/scenarios/s.lua", "return 1");
    house.install("granted/p");
    house.file("app/scenarios/s.lua", "edited");
    fs::remove_file(house.path("granted/p/old.lua")).unwrap();
    house.package("granted/p", "0.2.0");
    let done = house.install("granted/p");
    assert_eq!((names(&done["installed"]).len(), names(&done["updated"])), (0, vec!["p"]));
    assert!(!house.has("app/packages/p/old.lua"));
    assert!(house.read("app/packages/p/init.lua").contains("0.2.0"));
    assert_eq!(house.read("app/scenarios/s.lua"), "edited");
    house.assert_no_leftovers();
}

#[test]
fn a_folder_of_packages_is_installed_each_by_itself() {
    let house = House::new();
    for name in ["a", "b", "c", "_private", ".hidden"] {
        house.package(&format!("elsewhere/x/{name}"), "0.1.0");
    }
    fs::create_dir_all(house.path("granted/many")).unwrap();
    fs::rename(house.path("elsewhere/x"), house.path("granted/many/x")).unwrap();
    symlink("/etc/passwd", house.path("granted/many/x/b/out.lua")).unwrap();
    symlink("a", house.path("granted/many/x/linked")).unwrap();
    house.file("granted/many/x/scenarios/all.lua", "return {}");
    let done = house.install("granted/many/x");
    assert_eq!(done["mode"], "local_collection");
    assert_eq!(names(&done["installed"]), ["a", "c"]);
    assert_eq!(names(&done["skipped_symlinks"]), ["linked"]);
    assert_eq!(names(&done["scenarios_installed"]), ["all"]);
    assert_eq!(done["failures"][0]["name"], "b");
    assert_eq!(done["failures"][0]["code"], "LEAVES_TREE");
    assert!(!house.has("app/packages/b"));
    house.assert_no_leftovers();
}

#[test]
fn a_path_that_nobody_granted_is_refused_with_the_command_that_grants_it() {
    let house = House::new();
    house.package("elsewhere/p q", "0.1.0");
    let path = house.text_of("elsewhere/p q");
    let (code, message) = house.refused("alc_pkg_install", json!({"url": path}));
    assert_eq!(code, "NOT_MOUNTED");
    assert!(message.contains(&format!("`wardroom mount add p-q '{path}' --as files --read-only`")), "{message}");
    for path in ["/etc", "/", "../elsewhere/p q", "./../../etc"] {
        assert_eq!(house.refused("alc_pkg_install", json!({"url": path})).0, "NOT_MOUNTED", "{path}");
    }
    // A link in a granted folder is no grant.
    symlink(house.path("elsewhere"), house.path("granted/out")).unwrap();
    let through = house.text_of("granted/out/p q");
    assert_eq!(house.refused("alc_pkg_install", json!({"url": through})).0, "NOT_MOUNTED");
    assert!(!house.has("app/packages"));
}

#[test]
fn the_project_and_the_app_dir_need_no_mount() {
    let house = House::new();
    house.package("project/src/own", "0.1.0");
    house.package("app/drafts/draft", "0.1.0");
    let done = house.call("alc_pkg_install", json!({"url": "./src/own"}));
    assert_eq!(names(&done["installed"]), ["own"]);
    house.install("app/drafts/draft");
    assert!(house.has("app/packages/draft/init.lua"));
    let named = house.call("alc_pkg_install", json!({"url": "./src/own", "name": "other"}));
    assert_eq!(names(&named["installed"]), ["other"]);
    for name in ["../x", ".x", "a b", "", "."] {
        let (code, _) = house.refused("alc_pkg_install", json!({"url": "./src/own", "name": name}));
        assert_eq!(code, "INVALID_NAME", "{name:?}");
    }
}

#[test]
fn a_repository_needs_the_network_and_a_person() {
    let mut house = House::new();
    for url in ["https://example.org/a/b", "github.com/a/b", "git@example.org:a/b", "file:///etc", "~/x"] {
        let (code, message) = house.refused("alc_pkg_install", json!({"url": url}));
        assert_eq!(code, "NETWORK_OFF", "{url}");
        assert!(message.contains("[network] git"), "{message}");
    }
    house.network.git = true;
    assert_eq!(house.refused("alc_pkg_install", json!({"url": "https://example.org/a"})).0, "GIT_UNAVAILABLE");
}

#[test]
fn hostile_trees_are_refused_and_leave_nothing() {
    type Make<'m> = &'m dyn Fn(&House);
    let at = |house: &House, name: &str| house.path(&format!("granted/p/{name}"));
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
        let house = House::new();
        house.package("granted/p", "0.1.0");
        make(&house);
        let (found, message) = house.refused("alc_pkg_install", json!({"url": house.text_of("granted/p")}));
        assert_eq!(found, code, "{what}: {message}");
        assert!(!house.has("app/packages/p"), "{what}");
        assert!(!house.has("app/packages/installed.json"), "{what}");
        house.assert_no_leftovers();
    }
}

#[test]
fn in_place_of_links_that_stay_inside_there_is_what_they_lead_to() {
    let house = House::new();
    house.package("granted/p", "0.1.0");
    house.file("granted/p/real/m.lua", "return 7");
    symlink("real", house.path("granted/p/alias")).unwrap();
    symlink("../real/m.lua", house.path("granted/p/real/again.lua")).unwrap();
    symlink("nothing", house.path("granted/p/lost")).unwrap();
    house.install("granted/p");
    assert_eq!(house.read("app/packages/p/alias/m.lua"), "return 7");
    assert_eq!(house.read("app/packages/p/real/again.lua"), "return 7");
    assert_eq!(house.read("app/packages/p/alias/again.lua"), "return 7");
    let kind = |name: &str| fs::symlink_metadata(house.path(name)).map(|metadata| metadata.file_type());
    assert!(kind("app/packages/p/alias").unwrap().is_dir() && kind("app/packages/p/real/again.lua").unwrap().is_file());
    assert!(kind("app/packages/p/lost").is_err());
    symlink("..", house.path("granted/p/real/round")).unwrap();
    let (code, message) = house.refused("alc_pkg_install", json!({"url": house.text_of("granted/p")}));
    assert_eq!((code.as_str(), message.contains("alias/round")), ("REFUSED", true), "{message}");
    assert!(house.has("app/packages/p/init.lua"));
}

#[test]
fn names_that_differ_in_case_are_not_installed_beside_each_other() {
    let house = House::new();
    house.package("granted/one/Panel", "0.1.0");
    house.package("granted/two/panel", "0.1.0");
    house.install("granted/one/Panel");
    let (code, _) = house.refused("alc_pkg_install", json!({"url": house.text_of("granted/two/panel")}));
    assert_eq!(code, "SAME_NAME");
}

#[test]
fn a_tree_around_its_destination_is_not_copied_for_ever() {
    let house = House::new();
    house.package("app", "0.1.0");
    house.install("app");
    assert!(house.has("app/packages/app/init.lua"));
    assert!(!house.has("app/packages/app/packages/app"));
    house.install("app/packages/app");
    house.assert_no_leftovers();
}

#[test]
fn a_project_notes_what_was_installed_and_keeps_its_comments() {
    let house = House::new();
    house.file("project/alc.toml", "# mine\n[packages] # all of them\nold = \"0.1.0\" # pinned\n");
    house.package("granted/fresh", "0.1.0");
    house.package("granted/old", "0.2.0");
    house.install("granted/fresh");
    house.install("granted/old");
    let expected = "# mine\n[packages] # all of them\nold = \"0.1.0\" # pinned\nfresh = \"*\"\n";
    assert_eq!(house.read("project/alc.toml"), expected);
    // What is pinned is what it was.
    let lock = |version: &str| {
        format!(
            "version = 1\n\n[[package]]\nname = \"fresh\"\nversion = \"{version}\"\n\n[package.source]\ntype = \"installed\"\n"
        )
    };
    assert_eq!(house.read("project/alc.lock"), lock("0.1.0"));
    house.package("granted/fresh", "0.3.0");
    house.install("granted/fresh");
    assert_eq!(house.read("project/alc.lock"), lock("0.3.0"));
    house.file("project/alc.lock", "version = 3\n");
    let done = house.install("granted/fresh");
    assert!(names(&done["project_files_warnings"])[0].contains("unsupported alc.lock version 3"), "{done:#}");
    house.file("project/alc.toml", "[packages\n");
    let done = house.install("granted/fresh");
    assert_eq!(names(&done["project_files_warnings"]).len(), 1);
}

#[test]
fn the_originals_manifest_is_read_and_taken_over() {
    let house = House::new();
    let old = r#"{"packages":{"kept":{"version":null,"source":"https://example.org/kept","installed_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z","extra":1}}}"#;
    house.file("app/installed.json", old);
    house.package("granted/p", "0.1.0");
    house.install("granted/p");
    assert_eq!(house.read("app/installed.json"), old);
    let manifest: Value = serde_json::from_str(&house.read("app/packages/installed.json")).unwrap();
    let kept = &manifest["packages"]["kept"];
    assert_eq!(kept["source"], json!({"type": "git", "url": "https://example.org/kept", "rev": null}));
    assert_eq!((&kept["installed_at"], &kept["extra"]), (&json!("2026-01-01T00:00:00Z"), &json!(1)));
    assert!(manifest["packages"]["p"].is_object());
    // What a newer one wrote is left alone, and so is what is not understood.
    for (text, code) in [(r#"{"version":2,"packages":{}}"#, "NEWER_FORMAT"), ("{", "MANIFEST_UNREADABLE")] {
        house.file("app/packages/installed.json", text);
        assert_eq!(house.refused("alc_pkg_install", json!({"url": house.text_of("granted/p")})).0, code);
        assert_eq!(house.read("app/packages/installed.json"), text);
    }
}

#[test]
fn readers_see_the_old_tree_or_the_new_one_while_two_install() {
    let house = House::new();
    for version in ["one", "two"] {
        let source = format!("return {{ meta = {{ name = \"p\", version = \"{version}\" }} }}");
        house.file(&format!("granted/{version}/p/init.lua"), &source);
        for n in 0..20 {
            house.file(&format!("granted/{version}/p/m{n}.lua"), version);
        }
    }
    house.install("granted/one/p");
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let installer = |from: &'static str| {
            let house = &house;
            move || (0..15).for_each(|_| drop(house.install(from)))
        };
        let both = [scope.spawn(installer("granted/one/p")), scope.spawn(installer("granted/two/p"))];
        let reader = scope.spawn(|| {
            let mut seen = 0;
            while !done.load(Ordering::Relaxed) || seen < 10 {
                // Through one handle, as the server reads: all of it is of one version.
                let folder = house.alc_folder("app/packages/p");
                // What is exchanged meanwhile goes away under its reader, and is never mixed.
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
    house.assert_no_leftovers();
    let manifest: Value = serde_json::from_str(&house.read("app/packages/installed.json")).unwrap();
    assert!(manifest["packages"]["p"]["source"]["path"].as_str().unwrap().contains("granted/"));
}

#[test]
fn an_installation_that_nobody_wants_any_more_leaves_nothing() {
    let house = House::new();
    house.package("granted/many/p", "0.1.0");
    house.cancelled.cancel();
    for from in ["granted/many/p", "granted/many"] {
        let refused = house.try_call("alc_pkg_install", json!({"url": house.text_of(from)})).unwrap_err();
        assert!(refused.to_string().contains("cancelled"), "{refused}");
    }
    assert!(!house.has("app/packages/p") && !house.has("app/packages/installed.json"));
    house.assert_no_leftovers();
    for (tool, arguments) in [
        ("alc_hub_reindex", json!({"source_dir": house.text_of("granted/many")})),
        ("alc_hub_gendoc", json!({"source_dir": house.text_of("granted/many")})),
        ("alc_hub_search", json!({})),
    ] {
        house.package("app/packages/p", "0.1.0");
        assert_eq!(house.refused(tool, arguments).0, "CANCELLED", "{tool}");
    }
    assert!(!house.has("granted/many/hub_index.json") && !house.has("granted/many/docs"));
}

#[test]
fn nothing_is_written_where_nothing_may_be() {
    let mut house = House::new();
    house.package("granted/p", "0.1.0");
    house.access = Access::ReadOnly;
    let catalogue = house.catalogue();
    let listed = catalogue.tools(None, &CallContext::unbounded(&catalogue)).unwrap().items;
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
        assert_eq!(house.refused(tool, json!({})).0, "READ_ONLY", "{tool}");
    }
    for tool in ["alc_pkg_list", "alc_pkg_doctor", "alc_hub_search", "alc_hub_info"] {
        assert!(listed.contains(&tool), "{tool}");
    }
    assert_eq!(house.call("alc_pkg_list", json!({}))["total"], 1);
}

impl House {
    fn alc_folder(&self, name: &str) -> wardroom_appdir::Folder {
        wardroom_appdir::ambient::open_folder(&self.path(name), Access::ReadOnly).unwrap()
    }
}
