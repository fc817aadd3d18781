//! Names of the stores' own files and folders of the services: no package, script or tool can take one of them.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::time::{Duration, SystemTime};

use serde_json::json;
use wardroom_alc::{Protection, find_name_conflicts, is_private_dir};
use wardroom_appdir::{Access, ambient};
use wardroom_base::payload::Payload;
use wardroom_service::{RequestInfo, Service as _};

use super::package_fixture::{PackageFixture, names};
use wardroom_test_support::{ClientRevision, RunClient, StdioClient, TestDir, wardroom_command};

/// The stores' files below `packages/`, in several cases.
const RESERVED: [&str; 6] =
    ["links.toml", "installed.json", "Installed.JSON", "installed.json.lock", "hub_registries.json", "hub_index.json"];

/// Names that a package cannot take, because its cards would be in a folder of that name, or because it is a folder of
/// documentation.
const OTHERS: [&str; 3] = ["_aliases.toml", "_Aliases.TOML", "_docs"];

#[test]
fn package_cannot_take_the_name_of_a_stores_file() {
    for name in RESERVED {
        let fixture = PackageFixture::new();
        fixture.package(&format!("granted/many/{name}"), "1");
        fixture.package("granted/many/cot", "1");
        let done = fixture.install("granted/many");
        assert_eq!(names(&done["installed"]), ["cot"], "{done}");
        assert_eq!(
            (&done["failures"][0]["name"], &done["failures"][0]["code"]),
            (&json!(name), &json!("INVALID_NAME"))
        );
        let single = json!({"url": fixture.path_text("granted/many/cot"), "name": name});
        assert_eq!(fixture.refused("alc_pkg_install", single).0, "INVALID_NAME");
        let linked = json!({"path": fixture.path_text("granted/many/cot"), "name": name});
        assert_eq!(fixture.refused("alc_pkg_link", linked).0, "INVALID_NAME");
        assert!(!fixture.path(&format!("app/packages/{name}")).is_dir(), "{name}");
        // The stores go on.
        fixture.call("alc_pkg_link", json!({"path": fixture.path_text("granted/many/cot"), "name": "other"}));
        fixture.call("alc_hub_reindex", json!({}));
    }
}

#[test]
fn card_cannot_take_the_name_of_a_stores_file() {
    let fixture = PackageFixture::new();
    fixture.package("granted/src/cot", "1");
    fixture.file("granted/src/cot/cards/cot_1.toml", "schema_version = \"card/v0\"\n");
    for name in OTHERS {
        let single = json!({"url": fixture.path_text("granted/src/cot"), "name": name});
        assert_eq!(fixture.refused("alc_pkg_install", single).0, "INVALID_NAME", "{name}");
        assert!(!fixture.has(&format!("app/cards/{name}")) && !fixture.has(&format!("app/packages/{name}")), "{name}");
    }
    fixture.install("granted/src/cot");
    fixture.call("alc_card_alias_set", json!({"name": "best", "card_id": "cot_1"}));
}

/// The skeleton's folder is the one that a client names freely.
#[test]
fn skeleton_is_created_in_packages_alone() {
    let fixture = PackageFixture::new();
    for target in [
        "",
        "packages/.links.toml",
        "packages/installed.json",
        "packages/x",
        "cards/_aliases.toml",
        "cards/.locks",
        "scenarios",
        "hub_cache",
        "registry",
        "server",
    ] {
        let target = fixture.path_text(&format!("app/{target}"));
        let (code, message) = fixture.refused("alc_pkg_scaffold", json!({"name": "made", "target_dir": target}));
        assert_eq!(code, "PROTECTED", "{target}: {message}");
    }
    assert_eq!(fs::read_dir(fixture.path("app")).unwrap().count(), 0);
    let target = fixture.path_text("app/packages");
    fixture.call("alc_pkg_scaffold", json!({"name": "made", "target_dir": target}));
    assert!(fixture.has("app/packages/made/init.lua"));
}

#[test]
fn store_goes_on_beside_a_folder_with_a_reserved_name() {
    for name in RESERVED {
        let fixture = PackageFixture::new();
        fixture.package("granted/src/cot", "1");
        fixture.package(&format!("app/packages/{name}"), "1");
        fixture.package("app/packages/there", "1");
        let path = format!("packages/{name}");
        let app = ambient::open_folder(&fixture.path("app"), Access::ReadOnly).unwrap();
        assert_eq!(find_name_conflicts(&app), [path.as_str()]);
        let report = fixture.call("alc_pkg_doctor", json!({}));
        assert!(report["warnings"].to_string().contains(&path), "{report}");
        assert!(names(&report["healthy"]).contains(&"there"), "{report}");
        fixture.call("alc_pkg_list", json!({}));
        fixture.call("alc_pkg_link", json!({"path": fixture.path_text("granted/src/cot"), "name": "linked"}));
        fixture.call("alc_pkg_unlink", json!({"name": "linked"}));

        // The command `pkg remove` reads neither links nor records.
        fixture.alc().package_installer().uninstall(name, false).unwrap();
        assert!(!fixture.path(&format!("app/{path}")).is_dir());
        assert!(find_name_conflicts(&app).is_empty());
        fixture.install("granted/src/cot");
        fixture.call("alc_hub_reindex", json!({}));
        // Now the name is that of our own file, which is no package.
        assert!(fixture.alc().package_installer().uninstall(name, false).is_err());
    }
}

#[test]
fn links_are_read_at_their_old_place_until_they_change() {
    let fixture = PackageFixture::new();
    fixture.package("granted/src/cot", "1");
    fixture.package("granted/src/other", "1");
    let link =
        |name: &str| format!("{name} = {{ path = \"{}\" }}\n", fixture.path_text(&format!("granted/src/{name}")));
    fixture.file("app/packages/links.toml", format!("# mine\n[packages]\n{}", link("cot")));
    let listed = |name: &str| fixture.call("alc_pkg_list", json!({})).to_string().contains(&format!("\"{name}\""));
    assert!(listed("cot") && !fixture.has("app/packages/.links.toml"));
    fixture.call("alc_pkg_link", json!({"path": fixture.path_text("granted/src/other")}));
    let moved = fixture.read("app/packages/.links.toml");
    assert!(moved.starts_with("# mine\n") && moved.contains("cot = ") && moved.contains("other = "), "{moved}");
    assert!(!fixture.has("app/packages/links.toml") && listed("cot") && listed("other"));
    // A process that was killed after the first write left both: the new file counts.
    let left = fs::File::open(fixture.file("app/packages/links.toml", "[packages]\n")).unwrap();
    left.set_modified(SystemTime::now() - Duration::from_secs(60)).unwrap();
    assert!(listed("cot"));
    fixture.call("alc_pkg_unlink", json!({"name": "cot"}));
    assert!(!fixture.has("app/packages/links.toml") && !fixture.read("app/packages/.links.toml").contains("cot = "));
}

#[test]
fn folders_of_services_are_neither_source_nor_target() {
    let fixture = PackageFixture::new();
    fixture.package("app/packages/there", "1");
    let private =
        ["ace", "registry", "blog", "cache", "Cache", "evals", "logs", "runs", "server", "state", "store", "tasks"];
    for folder in private {
        assert!(is_private_dir(folder), "{folder}");
        fixture.package(&format!("app/{folder}/git/p"), "1");
        let path = |below: &str| fixture.path_text(&format!("app/{folder}/{below}"));
        let refused = |tool: &str, arguments| assert_eq!(fixture.refused(tool, arguments).0, "PROTECTED", "{tool}");
        refused("alc_pkg_install", json!({"url": path("git/p")}));
        refused("alc_pkg_install", json!({"url": format!("{}/packages/../{folder}/git", fixture.path_text("app"))}));
        refused("alc_pkg_link", json!({"path": path("git/p")}));
        refused("alc_pkg_scaffold", json!({"name": "made", "target_dir": path("git")}));
        refused("alc_hub_reindex", json!({"source_dir": path("git")}));
        refused("alc_hub_reindex", json!({"output_path": path("hub_index.json")}));
        refused("alc_card_install", json!({"url": path("git")}));
        assert!(!fixture.has(&format!("app/{folder}/git/made")));
        fs::remove_dir_all(fixture.path(&format!("app/{folder}"))).unwrap();
    }
    // The same folder by a link.
    fixture.package("app/state/p", "1");
    symlink("../state", fixture.path("app/packages/st")).unwrap();
    symlink("../state/p", fixture.path("app/packages/deep")).unwrap();
    for linked in ["app/packages/st/p", "app/packages/deep", "app/packages/deep/none"] {
        let linked = json!({"url": fixture.path_text(linked)});
        assert_eq!(fixture.refused("alc_pkg_install", linked).0, "PROTECTED");
    }
    let (code, _) = fixture.refused("alc_init", json!({"project_root": fixture.path_text("app")}));
    assert_eq!(code, "PROTECTED");
    // Whatever the service writes is classified.
    let shared = ["cards", "hub_cache", "packages", "scenarios", "types"];
    for folder in fixture.alc().writable_dirs() {
        assert!(is_private_dir(folder) != shared.contains(folder), "{folder}");
    }
}

/// What not every caller may see is no source, also where a project or a link leads there.
#[test]
fn declared_entries_outside_the_app_dir_are_neither_source_nor_target() {
    let mut fixture = PackageFixture::new();
    fixture.file("project/declared/app/payroll.lua", "local KEY = 'secret'\nreturn {}");
    fixture.package("project/declared/p", "1");
    fixture.package("project/own/p", "1");
    symlink("../declared/app", fixture.path("project/own/link")).unwrap();
    fixture.file("project/scenarios/mine.lua", "return {}");
    symlink("../declared/app/payroll.lua", fixture.path("project/scenarios/payroll.lua")).unwrap();
    fixture.protected = vec![("project/declared", Protection::Declarations)];
    for url in ["./declared/app", "./own/link", "./declared"] {
        assert_eq!(fixture.refused("alc_scenario_install", json!({"url": url})).0, "PROTECTED", "{url}");
    }
    assert_eq!(fixture.refused("alc_pkg_install", json!({"url": "./declared/p"})).0, "PROTECTED");
    // Around them.
    let (code, message) = fixture.refused("alc_pkg_install", json!({"url": "."}));
    assert_eq!(code, "PROTECTED", "{message}");
    assert!(message.contains("contains data of this server"), "{message}");
    fixture.call("alc_scenario_install", json!({"url": "./scenarios"}));
    assert!(fixture.has("app/scenarios/mine.lua") && !fixture.has("app/scenarios/payroll.lua"));
    fixture.call("alc_pkg_install", json!({"url": "./own/p"}));
    assert_eq!(fixture.refused("alc_pkg_scaffold", json!({"name": "made", "target_dir": "./declared"})).0, "PROTECTED");
}

/// A link makes a package of a folder, and a package's modules are its files.
#[test]
fn declared_entries_are_no_modules_of_a_package_around_them() {
    let mut fixture = PackageFixture::new();
    fixture.package("project/around", "1");
    fixture.file("project/around/declared/app/payroll.lua", "return { key = 'secret' }");
    fixture.file("granted/declared/app/payroll.lua", "return { key = 'secret' }");
    fixture.protected =
        vec![("project/around/declared", Protection::Declarations), ("granted/declared", Protection::Declarations)];
    let link = json!({"path": "./around", "scope": "variant"});
    assert_eq!(fixture.refused("alc_pkg_link", link).0, "PROTECTED");
    // As a person may have written it.
    fixture.file("project/alc.local.toml", "[packages.around]\npath = \"around\"\n");
    let catalogue = fixture.catalogue();
    let info = RequestInfo::new(&catalogue);
    for module in ["around.declared.app.payroll", "declared.app.payroll"] {
        let arguments = Payload::from_value(json!({"module": module}));
        let required = catalogue.handle_script_call("require", &arguments, &info).unwrap();
        assert!(required.as_ref().is_err_and(|error| !error.contains("secret")), "{module}: {required:?}");
    }
    let own = catalogue.handle_script_call("require", &Payload::from_value(json!({"module": "around"})), &info);
    assert!(own.unwrap().is_ok());
}

/// The AppDir has no declared entries when it is made, and may get them while a server runs.
#[test]
fn entries_that_are_declared_later_are_no_modules() {
    let fixture = PackageFixture { mounts_all: true, ..PackageFixture::new() };
    let catalogue = fixture.catalogue();
    let info = RequestInfo::new(&catalogue);
    let required = |module: &str| {
        let arguments = Payload::from_value(json!({ "module": module }));
        catalogue.handle_script_call("require", &arguments, &info).unwrap()
    };
    for _ in 0..2 {
        fixture.file("app/registry/ns/t.lua", "return { secret = 'secret' }");
        let leaked = required("app.registry.ns.t");
        assert!(leaked.as_ref().is_err_and(|error| !error.contains("secret")), "{leaked:?}");
        fs::rename(fixture.path("app/registry"), fixture.path("elsewhere/registry")).unwrap();
        fs::remove_dir_all(fixture.path("elsewhere/registry")).unwrap();
    }
    fixture.file("app/other/t.lua", "return { public = true }");
    assert!(required("app.other.t").is_ok());
}

/// What is in the AppDir is copied and replaced as little as what is elsewhere.
#[test]
fn package_around_declared_entries_is_neither_copied_nor_replaced() {
    let mut fixture = PackageFixture::new();
    fixture.package("app/packages/around", "1");
    fixture.file("app/packages/around/reg/init.lua", "return { key = 'secret' }");
    fixture.package("granted/around", "2");
    fixture.file("granted/reg/init.lua", "return { key = 'secret' }");
    fixture.package("granted/site", "1");
    fixture.file("app/packages/site/posts/a.md", "mine");
    fixture.protected = vec![
        ("app/packages/around/reg", Protection::Declarations),
        ("granted/reg", Protection::Declarations),
        ("app/packages/site", Protection::Posts),
    ];
    let copied = json!({"url": fixture.path_text("app/packages/around"), "name": "copy"});
    assert_eq!(fixture.refused("alc_pkg_install", copied).0, "PROTECTED");
    for name in ["around", "site"] {
        let replaced = json!({"url": fixture.path_text(&format!("granted/{name}"))});
        assert_eq!(fixture.refused("alc_pkg_install", replaced).0, "PROTECTED", "{name}");
        let linked = json!({"path": fixture.path_text("granted/around"), "name": name, "force": true});
        assert_eq!(fixture.refused("alc_pkg_link", linked).0, "PROTECTED", "{name}");
        assert!(fixture.alc().package_installer().uninstall(name, true).is_err(), "{name}");
    }
    assert_eq!(fixture.read("app/packages/site/posts/a.md"), "mine");
    assert!(fixture.has("app/packages/around/reg/init.lua") && !fixture.has("app/packages/.links.toml"));
    // A folder of declared entries is no package of the folder around it.
    let catalogue = fixture.catalogue();
    let info = RequestInfo::new(&catalogue);
    assert!(catalogue.read_blocking("alc://packages/reg/init.lua", &info).is_err());
    let required = Payload::from_value(json!({"module": "reg"}));
    assert!(catalogue.handle_script_call("require", &required, &info).unwrap().is_err());
    let listed = fixture.call("alc_pkg_list", json!({}));
    assert!(!listed.to_string().contains("\"reg\"") && listed.to_string().contains("\"around\""), "{listed}");
    let described =
        fixture.call("alc_hub_reindex", json!({"source_dir": fixture.path_text("granted"), "output_path": "./i.json"}));
    assert!(!fixture.read("project/i.json").contains("\"reg\""), "{described}");
}

/// What is around a granted folder is not on the way to a file in it.
#[test]
fn project_within_declared_entries_is_no_source() {
    let mut fixture = PackageFixture::new();
    fixture.file("project/payroll.lua", "return { key = 'secret' }");
    fixture.protected = vec![("", Protection::Declarations)];
    assert_eq!(fixture.refused("alc_scenario_install", json!({"url": "."})).0, "PROTECTED");
}

/// A post becomes public by a decision alone.
#[test]
fn nothing_is_written_into_the_folder_of_a_blog() {
    let mut fixture = PackageFixture::new();
    fixture.package("project/site/content/p", "1");
    symlink("site/content", fixture.path("project/link")).unwrap();
    fixture.protected = vec![("project/site", Protection::Posts)];
    // Also where the folder of the blog is what the tool makes.
    assert_eq!(fixture.refused("alc_pkg_scaffold", json!({"name": "site", "target_dir": "."})).0, "PROTECTED");
    for target in ["./site/content", "./link", "./site"] {
        let (code, message) = fixture.refused("alc_pkg_scaffold", json!({"name": "made", "target_dir": target}));
        assert!(code == "PROTECTED" && message.contains("the folder of the blog"), "{target}: {message}");
        let pages = json!({"source_dir": "./site/content", "out_dir": format!("{target}/posts")});
        assert_eq!(fixture.refused("alc_hub_gendoc", pages).0, "PROTECTED", "{target}");
    }
    // It may be read.
    fixture.call("alc_pkg_install", json!({"url": "./site/content/p"}));
    fixture.protected = vec![("project/hub", Protection::Posts)];
    fs::create_dir(fixture.path("project/hub")).unwrap();
    let pages = json!({"source_dir": "./site/content", "out_dir": "."});
    assert_eq!(fixture.refused("alc_hub_gendoc", pages).0, "PROTECTED");
    // A project that is the blog is a project nevertheless.
    fixture.protected = vec![("project", Protection::Posts)];
    let listed = json!({"project_root": fixture.path_text("project")});
    assert!(fixture.call("alc_pkg_list", listed)["packages"].is_array());
}

#[test]
fn hidden_and_strange_names_are_no_target() {
    let fixture = PackageFixture::new();
    fixture.file("project/.git/config", "");
    let deep = "a/".repeat(40);
    for (target, expected) in [
        ("./.git/hooks", "PROTECTED"),
        ("./made/.github", "PROTECTED"),
        ("./a\nb", "INVALID_PATH"),
        (deep.as_str(), "INVALID_PATH"),
    ] {
        let made = json!({"name": "made", "target_dir": target});
        assert_eq!(fixture.refused("alc_pkg_scaffold", made).0, expected, "{target:?}");
    }
    assert!(!fixture.has("project/.git/hooks") && !fixture.has("project/a"));
}

/// A server whose project is the AppDir gets the AppDir by another handle.
#[test]
fn project_that_is_the_app_dir_opens_no_private_folder() {
    let dir = TestDir::new();
    dir.write_package("cot", "return {}");
    dir.write_file("state/p/init.lua", "return {}");
    let mut command = wardroom_command(dir.root());
    command.arg("--appdir").arg(dir.app_path()).arg("--project").arg(dir.app_path());
    let mut client = StdioClient::spawn(command, ClientRevision::Legacy);
    client.initialize();
    let mut client = RunClient(client);
    let path = |below: &str| dir.app_path().join(below).display().to_string();
    for (tool, arguments) in [
        ("alc_pkg_install", json!({"url": path("state/p")})),
        ("alc_pkg_install", json!({"url": "./state/p"})),
        ("alc_pkg_scaffold", json!({"name": "made", "target_dir": path("server")})),
        ("alc_hub_reindex", json!({"output_path": path("server/x.json")})),
    ] {
        let (answer, failed) = client.call_tool(tool, arguments.clone());
        assert!(failed && answer["error"]["code"] == "PROTECTED", "{tool} {arguments}: {answer}");
    }
    symlink("state/p/init.lua", dir.app_path().join("leak.lua")).unwrap();
    let (answer, _) = client.call_tool("alc_scenario_install", json!({"url": path("")}));
    assert_eq!((&answer["installed"], &answer["failures"].as_array().unwrap().len()), (&json!([]), &1), "{answer}");
    client.call_tool("alc_hub_reindex", json!({"output_path": path("packages/hub_index.json")}));
    let written = fs::metadata(dir.app_path().join("packages/hub_index.json")).unwrap();
    assert_eq!(written.permissions().mode() & 0o077, 0);
}

/// A mount of files around the AppDir, whose links lead into it.
#[test]
fn package_beside_the_app_dir_brings_nothing_of_its_private_folders() {
    let dir = TestDir::new();
    dir.write_file("state/q/leak.lua", "return {}");
    let root = dir.root().canonicalize().unwrap();
    let app = dir.app_path().canonicalize().unwrap();
    let inside = app.strip_prefix(&root).unwrap();
    fs::create_dir(root.join("p")).unwrap();
    for folder in [&root, &root.join("p")] {
        fs::write(folder.join("init.lua"), "return { meta = { name = 'p' }, run = function() end }").unwrap();
    }
    symlink(std::path::Path::new("..").join(inside).join("state/q"), root.join("p/scenarios")).unwrap();
    let mount = format!("[mounts.m]\npath = {:?}\nas = \"files\"\nread_only = true\n", root.display().to_string());
    fs::write(root.join("around.toml"), mount).unwrap();
    let mut command = wardroom_command(&root);
    command.arg("--appdir").arg(&app).arg("--config").arg(root.join("around.toml"));
    let mut client = StdioClient::spawn(command, ClientRevision::Legacy);
    client.initialize();
    let mut client = RunClient(client);
    let (answer, failed) = client.call_tool("alc_pkg_install", json!({"url": root.display().to_string()}));
    assert!(failed && answer["error"]["code"] == "PROTECTED", "{answer}");
    let (answer, failed) = client.call_tool("alc_pkg_install", json!({"url": root.join("p").display().to_string()}));
    assert!(failed && answer["error"]["code"] == "LEAVES_TREE", "{answer}");
    assert!(!app.join("scenarios/leak.lua").exists(), "{answer}");
}

/// Links that an older server writes after the move are neither lost nor read.
#[test]
fn links_of_an_older_server_are_kept() {
    let fixture = PackageFixture::new();
    fixture.package("granted/src/cot", "1");
    fixture.call("alc_pkg_link", json!({"path": fixture.path_text("granted/src/cot"), "name": "one"}));
    let moved = fs::File::open(fixture.path("app/packages/.links.toml")).unwrap();
    moved.set_modified(SystemTime::now() - Duration::from_secs(60)).unwrap();
    fixture.file("app/packages/links.toml", "[packages]\n");
    fixture.call("alc_pkg_link", json!({"path": fixture.path_text("granted/src/cot"), "name": "two"}));
    assert!(fixture.has("app/packages/links.toml"));
}
