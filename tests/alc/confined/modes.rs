//! Permissions: folders outside the AppDir keep those of their files, and new files there follow the umask.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use wardroom_test_support::{ClientRevision, RunClient, StdioClient, TestDir, wardroom_binary};

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())).permissions().mode()
        & 0o777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// Asserts that all that was created below a folder follows the umask, and returns how many files and folders there are.
#[track_caller]
fn check_created(folder: &Path) -> usize {
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let expected = if path.is_dir() { 0o775 } else { 0o664 };
        assert_eq!(mode(&path), expected, "{}", path.display());
        count += 1 + if path.is_dir() { check_created(&path) } else { 0 };
    }
    count
}

#[test]
fn folders_outside_the_app_dir_keep_modes_and_follow_the_umask() {
    let dir = TestDir::new();
    let at = |name: &str| fs::canonicalize(dir.root()).unwrap().join(name);
    for folder in ["project", "mount/sink", "mount/made", "source/p", "site/posts"] {
        fs::create_dir_all(at(folder)).unwrap();
    }
    let post = "---\nid: 00000000-0000-4000-8000-000000000001\ntitle: Old\nslug: old\nstatus: published\n\
                createdAt: 2024-03-01\n---\nText\n";
    for (name, text, kept) in [
        ("project/alc.toml", "[packages]\n", 0o640),
        ("source/p/init.lua", "return { meta = { name = 'p', version = '1' } }\n", 0o644),
        ("site/posts/old.md", post, 0o604),
    ] {
        fs::write(at(name), text).unwrap();
        set_mode(&at(name), kept);
    }
    let (site, mount) = (at("site").display().to_string(), at("mount").display().to_string());
    let config = format!(
        "[blog]\nroot = '{site}'\naccept = 'agent'\n[mounts.m]\npath = '{mount}'\nas = 'packages'\n\
         [mounts.source]\npath = '{}'\nas = 'packages'\n",
        at("source").display()
    );
    fs::write(at("config.toml"), config).unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", "umask 002; exec \"$@\"", "sh"]).arg(wardroom_binary()).env_clear().env("HOME", dir.root());
    command.arg("--appdir").arg(dir.app_path()).arg("--config").arg(at("config.toml"));
    command.arg("--project").arg(at("project")).env("ALC_CARD_SINKS", format!("file://{mount}/sink"));
    let mut client = StdioClient::spawn(command, ClientRevision::Legacy);
    client.initialize();
    let mut client = RunClient(client);

    // A mount gets a package, the project a line in a file of its own and a new file, and a sink a card.
    client.call_ok("alc_pkg_scaffold", json!({"name": "made", "target_dir": format!("{mount}/made")}));
    assert!(check_created(&at("mount/made")) >= 2);
    client.call_ok("alc_pkg_install", json!({"url": at("source/p").display().to_string()}));
    assert!(fs::read_to_string(at("project/alc.toml")).unwrap().contains("p = "));
    assert_eq!((mode(&at("project/alc.toml")), mode(&at("project/alc.lock"))), (0o640, 0o664));
    client.run_result("return alc.card.create({card_id = 'c', pkg = {name = 'p'}}).card_id");
    assert!(check_created(&at("mount/sink")) >= 2);

    // A post keeps its own, and a new one follows the umask.
    let accept = |client: &mut RunClient, tool: &str, arguments| {
        let proposal = client.call_ok(tool, arguments)["proposalId"].take();
        client.call_ok("accept_proposal", json!({"proposalId": proposal}));
    };
    let old = json!({"postId": "00000000-0000-4000-8000-000000000001", "title": "New"});
    accept(&mut client, "propose_post_metadata", old);
    assert!(fs::read_to_string(at("site/posts/old.md")).unwrap().contains("title: New"));
    assert_eq!(mode(&at("site/posts/old.md")), 0o604);
    set_mode(&at("site/posts/old.md"), 0o664);
    accept(&mut client, "draft_post", json!({"title": "Another", "content": "Text"}));
    assert!(check_created(&at("site/posts")) >= 3);

    // The AppDir has the same things for its owner alone.
    for (name, expected) in [("cards/p", 0o700), ("cards/p/c.toml", 0o600), ("packages/p/init.lua", 0o600)] {
        assert_eq!(mode(&dir.app_path().join(name)), expected, "{name}");
    }
}
