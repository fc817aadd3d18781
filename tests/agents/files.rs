//! The files: which one is selected, what is shown, and the result of a write.

use std::fs;
use std::io::Error;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use tempfile::TempDir;
use wardroom_agents::{
    AgentError, AgentFile, EntryChange, PathEnvironment, PlannedEdit, Platform, edit_entry, locate_files, plan_edit,
    select_targets,
};
use wardroom_appdir::{Access, AppDirError, ambient, with_failpoints};

use super::{known, launch, with};

/// A home folder.
struct Home {
    dir: TempDir,
}

impl Home {
    fn new() -> Self {
        let home = Self { dir: TempDir::new().unwrap() };
        fs::create_dir(home.path("home")).unwrap();
        home
    }

    fn path(&self, below: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(below)
    }

    fn file(&self, below: &str) -> PathBuf {
        self.path("home").join(below)
    }

    fn write(&self, below: &str, text: &str) -> PathBuf {
        let path = self.file(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn locate(&self, id: &str) -> Vec<AgentFile> {
        let home = self.path("home").display().to_string();
        locate_files(known(id), &PathEnvironment { platform: Platform::Linux, home, variables: Default::default() })
    }

    fn ready(&self, id: &str, change: EntryChange<'_>, create: bool) -> Result<Option<PlannedEdit>, AgentError> {
        let file = &self.locate(id)[0];
        with(file.target, false, |wanted| plan_edit(file, wanted, change, create))
    }

    fn install(&self, id: &str) -> Result<Option<PathBuf>, AgentError> {
        self.ready(id, EntryChange::Install(&launch(&[])), false)?.unwrap().apply()
    }

    /// Returns the names in a file's folder, where a change must not leave others.
    fn sibling_names(&self, below: &str) -> Vec<String> {
        let entries = fs::read_dir(self.file(below)).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort_unstable();
        names
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn existing_file_is_selected_before_installed_candidate() {
    let home = Home::new();
    let chosen = |id: &str| {
        let file = home.locate(id).remove(0);
        let below = file.path.strip_prefix(home.path("home")).unwrap().display().to_string();
        (below, file.exists, file.is_installed)
    };
    assert_eq!(chosen("opencode"), (".config/opencode/opencode.json".to_owned(), false, false));
    fs::create_dir_all(home.file(".config/opencode")).unwrap();
    assert_eq!(chosen("opencode"), (".config/opencode/opencode.json".to_owned(), false, true));
    home.write(".config/opencode/opencode.json", "{}");
    assert_eq!(chosen("opencode"), (".config/opencode/opencode.json".to_owned(), true, true));
    home.write(".config/opencode/opencode.jsonc", "{}");
    assert_eq!(chosen("opencode"), (".config/opencode/opencode.jsonc".to_owned(), true, true));
    // Cline's newer path takes precedence if it exists.
    let old = ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json";
    home.write(old, "{}");
    assert_eq!(chosen("cline"), (old.to_owned(), true, true));
    home.write(".cline/data/settings/cline_mcp_settings.json", "{}");
    assert_eq!(chosen("cline"), (".cline/data/settings/cline_mcp_settings.json".to_owned(), true, true));
}

#[test]
fn existing_legacy_file_of_claude_code_is_selected() {
    let home = Home::new();
    let chosen = || home.locate("claude_code").remove(0).path;
    home.write(".claude.json", "{}");
    assert_eq!(chosen(), home.file(".claude.json"));
    home.write(".claude/.config.json", "{}");
    assert_eq!(chosen(), home.file(".claude/.config.json"));
}

/// An existing entry is edited where it is; a new one goes into the file with the highest precedence.
#[test]
fn jointly_read_files_select_the_one_with_entry() {
    let home = Home::new();
    let own = "{\"mcp\": {\"wardroom\": {\"type\": \"local\", \"command\": [\"/opt/bin/wardroom\"]}}}";
    for name in ["opencode.jsonc", "opencode.json", "config.json"] {
        home.write(&format!(".config/opencode/{name}"), "{}");
    }
    let names = |change: EntryChange<'_>| -> Vec<String> {
        let files = home.locate("opencode");
        let has = |file: &AgentFile| with(file.target, false, |wanted| file.has_entry(wanted));
        let meant = select_targets(files, change, has);
        meant.iter().map(|file| file.path.file_name().unwrap().to_str().unwrap().to_owned()).collect()
    };
    let install = launch(&[]);
    assert_eq!(names(EntryChange::Install(&install)), ["opencode.jsonc"]);
    home.write(".config/opencode/opencode.json", own);
    assert_eq!(names(EntryChange::Install(&install)), ["opencode.json"]);
    home.write(".config/opencode/config.json", own);
    assert_eq!(names(EntryChange::Install(&install)), ["opencode.json", "config.json"]);
    assert_eq!(names(EntryChange::Uninstall), ["opencode.jsonc", "opencode.json", "config.json"]);
}

/// Other existing files do not matter.
#[test]
fn variable_selects_file() {
    let home = Home::new();
    home.write(".config/amp/settings.jsonc", "{}");
    home.write(".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json", "{}");
    let folder = home.path("home").display().to_string();
    for (id, variable) in [("amp", "AMP_SETTINGS_FILE"), ("cline", "CLINE_MCP_SETTINGS_PATH")] {
        let set = [(variable.to_owned(), format!("{folder}/set.json"))].into();
        let files = locate_files(
            known(id),
            &PathEnvironment { platform: Platform::Linux, home: folder.clone(), variables: set },
        );
        let files: Vec<_> = files.iter().map(|file| (file.path.clone(), file.exists)).collect();
        assert_eq!(files, [(home.file("set.json"), false)], "{id}");
    }
}

#[test]
fn missing_file_is_created_only_if_installed_or_requested() {
    let home = Home::new();
    let install = launch(&[]);
    let refused = home.ready("zed", EntryChange::Install(&install), false).unwrap_err();
    assert!(matches!(refused, AgentError::NotInstalled { .. }), "{refused}");
    assert!(home.ready("zed", EntryChange::Uninstall, false).unwrap().is_none());
    assert_eq!(home.sibling_names(""), [""; 0]);

    home.ready("zed", EntryChange::Install(&install), true).unwrap().unwrap().apply().unwrap();
    let zed = home.file(".config/zed/settings.json");
    assert!(fs::read_to_string(&zed).unwrap().contains("context_servers"));
    assert_eq!(mode(&zed), 0o600);

    fs::create_dir_all(home.file(".cursor")).unwrap();
    assert_eq!(home.install("cursor").unwrap(), None);
    assert_eq!(home.sibling_names(".cursor"), ["mcp.json"]);
}

#[test]
fn change_keeps_mode_and_leaves_owner_only_backup() {
    let home = Home::new();
    let before = "{\n  \"token\": \"secret\"\n}\n";
    for bits in [0o600, 0o644, 0o640, 0o400] {
        let path = home.write(".cursor/mcp.json", before);
        fs::set_permissions(&path, fs::Permissions::from_mode(bits)).unwrap();
        let copy = home.install("cursor").unwrap().unwrap();
        assert_eq!(mode(&path), bits);
        assert_eq!(fs::read_to_string(&copy).unwrap(), before);
        assert_eq!(mode(&copy), 0o600);
        let name = copy.file_name().unwrap().to_str().unwrap();
        assert!(name.starts_with("mcp.json.20") && name.ends_with(".bak"), "{name}");
        assert_eq!(home.sibling_names(".cursor"), ["mcp.json", name]);
        fs::remove_dir_all(home.file(".cursor")).unwrap();
    }
}

#[test]
fn backups_of_same_second_have_distinct_names() {
    let home = Home::new();
    let copies: std::collections::BTreeSet<_> = (0..5)
        .map(|number| {
            home.write(".cursor/mcp.json", &format!("{{\"a\": {number}}}"));
            home.install("cursor").unwrap().unwrap()
        })
        .collect();
    assert_eq!(copies.len(), 5);
    // The newest three are kept.
    let mut texts: Vec<_> = copies.iter().filter_map(|copy| fs::read_to_string(copy).ok()).collect();
    texts.sort_unstable();
    assert_eq!(texts, (2..5).map(|number| format!("{{\"a\": {number}}}")).collect::<Vec<_>>());
}

#[test]
fn link_target_is_changed_and_link_stays() {
    let home = Home::new();
    let real = home.write("dotfiles/codex.toml", "model = \"x\"\n");
    fs::create_dir(home.file(".codex")).unwrap();
    symlink("../dotfiles/codex.toml", home.file(".codex/config.toml")).unwrap();
    let copy = home.install("openai_codex").unwrap().unwrap();
    assert!(fs::symlink_metadata(home.file(".codex/config.toml")).unwrap().is_symlink());
    assert!(fs::read_to_string(&real).unwrap().starts_with("model = \"x\"\n\n[mcp_servers.wardroom]\n"));
    assert_eq!(copy.parent().unwrap(), home.file("dotfiles"));
    // A dangling link does not count as a missing file.
    fs::remove_file(&real).unwrap();
    let refused = home.ready("openai_codex", EntryChange::Install(&launch(&[])), true).unwrap_err();
    assert!(refused.to_string().contains("dangling link"), "{refused}");
    assert!(!real.exists());
}

#[test]
fn concurrent_change_is_not_overwritten() {
    let home = Home::new();
    let path = home.write(".cursor/mcp.json", "{}");
    let install = launch(&[]);
    let ready = home.ready("cursor", EntryChange::Install(&install), false).unwrap().unwrap();
    for now in ["{\"longer\": true}", "{ }", ""] {
        fs::write(&path, now).unwrap();
        let refused = ready.apply().unwrap_err();
        assert!(matches!(refused, AgentError::ConcurrentlyModified { .. }), "{refused}");
        assert_eq!(fs::read_to_string(&path).unwrap(), now);
    }
    fs::remove_file(&path).unwrap();
    assert!(matches!(ready.apply(), Err(AgentError::ConcurrentlyModified { .. })));
    assert_eq!(home.sibling_names(".cursor"), [""; 0]);
    // The reverse: the file was created in the meantime.
    let ready = home.ready("cursor", EntryChange::Install(&install), false).unwrap().unwrap();
    fs::write(&path, "{}").unwrap();
    assert!(matches!(ready.apply(), Err(AgentError::ConcurrentlyModified { .. })));
    assert_eq!(fs::read_to_string(&path).unwrap(), "{}");
}

#[test]
fn replace_requires_unchanged_content() {
    let home = Home::new();
    home.write("x.json", "before");
    let folder = ambient::open_folder(&home.path("home"), Access::ReadWrite).unwrap();
    assert!(!folder.replace_if_unchanged("x.json", b"after", b"other!").unwrap());
    assert!(!folder.replace_if_unchanged("x.json", b"after", b"short").unwrap());
    assert_eq!(home.sibling_names(""), ["x.json"]);
    assert!(folder.replace_if_unchanged("x.json", b"after", b"before").unwrap());
    assert_eq!(fs::read_to_string(home.file("x.json")).unwrap(), "after");
    assert_eq!(home.sibling_names(""), ["x.json"]);
    let read_only = ambient::open_folder(&home.path("home"), Access::ReadOnly).unwrap();
    assert!(matches!(read_only.replace_if_unchanged("x.json", b"", b"after"), Err(AppDirError::ReadOnly(_))));
}

/// After the last check, and before the rename of the new file.
#[test]
fn file_replaced_at_last_moment_is_put_back() {
    for comes in ["{\"theirs\": 1}", ""] {
        let home = Home::new();
        let path = home.write(".cursor/mcp.json", "{}");
        let ready = home.ready("cursor", EntryChange::Install(&launch(&[])), false).unwrap().unwrap();
        let (theirs, name) = (home.write("theirs", comes), path.clone());
        let come = move |point: &'static str| {
            if point == "exchange" { fs::rename(&theirs, &name) } else { Ok(()) }
        };
        let refused = with_failpoints(come, || ready.apply()).unwrap_err();
        assert!(matches!(refused, AgentError::ConcurrentlyModified { .. }), "{refused}");
        assert_eq!(fs::read_to_string(&path).unwrap(), comes);
        assert_eq!(home.sibling_names(".cursor"), ["mcp.json"]);
    }
    // Or the file is removed.
    let home = Home::new();
    let path = home.write(".cursor/mcp.json", "{}");
    let ready = home.ready("cursor", EntryChange::Install(&launch(&[])), false).unwrap().unwrap();
    let go = move |point: &'static str| if point == "exchange" { fs::remove_file(&path) } else { Ok(()) };
    assert!(matches!(with_failpoints(go, || ready.apply()), Err(AgentError::ConcurrentlyModified { .. })));
    assert_eq!(home.sibling_names(".cursor"), [""; 0]);
}

#[test]
fn second_editor_waits_for_lock() {
    let home = Home::new();
    home.write(".cursor/mcp.json", "{}");
    let ready = home.ready("cursor", EntryChange::Install(&launch(&[])), false).unwrap().unwrap();
    let folder = ambient::open_folder(&home.file(".cursor"), Access::ReadWrite).unwrap();
    let held = folder.lock_self().unwrap().unwrap();
    let (comes, came) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let come = move |point: &'static str| {
            if point == "open lock" { comes.send(()).map_err(Error::other) } else { Ok(()) }
        };
        let applied = scope.spawn(|| with_failpoints(come, || ready.apply()));
        came.recv().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert!(!applied.is_finished());
        assert_eq!(home.sibling_names(".cursor"), ["mcp.json"]);
        drop(held);
        applied.join().unwrap().unwrap();
    });
}

/// A living writer holds the lock of the folder: without it a temporary file is stale.
#[test]
fn stale_temp_file_is_removed_by_next_change() {
    let home = Home::new();
    home.write(".cursor/mcp.json", "{}");
    home.write(".cursor/.mcp.json.0123456789abcdef.tmp", "{\"half");
    for others in [".other.json.0123456789abcdef.tmp", ".mcp.json.tmp"] {
        home.write(&format!(".cursor/{others}"), "");
    }
    let copy = home.install("cursor").unwrap().unwrap();
    let copy = copy.file_name().unwrap().to_str().unwrap();
    assert_eq!(home.sibling_names(".cursor"), [".mcp.json.tmp", ".other.json.0123456789abcdef.tmp", "mcp.json", copy]);
    // Also for a file that was to be created.
    fs::create_dir(home.file(".vibe")).unwrap();
    home.write(".vibe/.config.toml.0123456789abcdef.tmp", "");
    home.install("mistral_vibe").unwrap();
    assert_eq!(home.sibling_names(".vibe"), ["config.toml"]);
}

/// Metadata of a file that a change keeps.
#[test]
fn change_keeps_owner_and_xattrs() {
    use rustix::fs::{XattrFlags, getxattr, setxattr};
    use std::os::unix::fs::MetadataExt as _;
    let home = Home::new();
    let path = home.write(".cursor/mcp.json", "{}");
    setxattr(&path, "user.note", b"mine", XattrFlags::empty()).unwrap();
    // Root may change owners; other users keep their own.
    let owner = if rustix::process::geteuid().is_root() { 4321 } else { rustix::process::geteuid().as_raw() };
    std::os::unix::fs::chown(&path, Some(owner), None).unwrap();
    let copy = home.install("cursor").unwrap().unwrap();
    let mut note = [0; 8];
    let length = getxattr(&path, "user.note", &mut note).unwrap();
    assert_eq!(note.get(..length).unwrap(), b"mine");
    for file in [&path, &copy] {
        assert_eq!(fs::metadata(file).unwrap().uid(), owner, "{}", file.display());
    }
    assert_eq!(mode(&copy), 0o600);
}

/// A program that writes in place truncates the file first.
#[test]
fn recently_truncated_file_is_not_changed() {
    let home = Home::new();
    let path = home.write(".cursor/mcp.json", "");
    let install = launch(&[]);
    let ready = home.ready("cursor", EntryChange::Install(&install), false).unwrap().unwrap();
    assert!(matches!(ready.apply(), Err(AgentError::ConcurrentlyModified { .. })));
    assert_eq!(fs::read_to_string(&path).unwrap(), "");
    let past = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    fs::File::options().write(true).open(&path).unwrap().set_modified(past).unwrap();
    ready.apply().unwrap();
    assert!(fs::read_to_string(&path).unwrap().contains("wardroom"));
}

#[test]
fn binary_or_oversized_file_is_refused() {
    let home = Home::new();
    let refused = || home.ready("cursor", EntryChange::Install(&launch(&[])), true).unwrap_err().to_string();
    let path = home.write(".cursor/mcp.json", "");
    fs::write(&path, b"{\"a\": \"\xff\"}").unwrap();
    assert!(refused().contains("not UTF-8"), "{}", refused());
    fs::File::create(&path).unwrap().set_len(16 * 1024 * 1024 + 1).unwrap();
    assert!(refused().contains("is over the limit of 16 MiB"), "{}", refused());
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(refused().contains("not a regular file"), "{}", refused());
}

#[test]
fn diff_has_context_lines() {
    let home = Home::new();
    home.write(".codex/config.toml", "one = 1\ntwo = 2\nthree = 3\nfour = 4\n");
    let install = launch(&["--service", "alc"]);
    let ready = home.ready("openai_codex", EntryChange::Install(&install), false).unwrap().unwrap();
    let shown = ready.diff().replace(&home.path("home").display().to_string(), "$HOME");
    assert_eq!(
        shown,
        "--- $HOME/.codex/config.toml\n+++ $HOME/.codex/config.toml\n@@ -2,3 +2,7 @@\n two = 2\n three = 3\n four = 4\n+\n+[mcp_servers.wardroom]\n+command = \"/opt/bin/wardroom\"\n+args = [\"--service\", \"alc\"]\n"
    );
    fs::create_dir(home.file(".vibe")).unwrap();
    let ready = home.ready("mistral_vibe", EntryChange::Install(&install), false).unwrap().unwrap();
    assert!(ready.diff().starts_with("--- /dev/null\n+++ "), "{}", ready.diff());
}

#[test]
fn diff_splits_long_lines() {
    let home = Home::new();
    let (long, install) = ("x".repeat(100_000), launch(&["--service", "alc"]));
    let servers = "{\"wardroom\":{\"type\":\"stdio\",\"command\":\"/opt/bin/wardroom\",\"args\":[]}}";
    home.write(".claude.json", &format!("{{\"a\":\"{long}\",\"mcpServers\":{servers},\"c\":\"{long}\"}}"));
    let shown = home.ready("claude_code", EntryChange::Install(&install), false).unwrap().unwrap().diff();
    assert!(shown.len() < 4000, "{shown}");
    let changed: Vec<_> =
        shown.lines().filter(|line| line.starts_with(['+', '-']) && !line.ends_with(".json")).collect();
    assert_eq!(changed, ["-]", "+\"--service\",", "+ \"alc\"]"], "{shown}");
    // Each of several changes is shown.
    let (one, other) = ("\"command\":\"/old/wardroom\"", format!("\"between\":\"{long}\",\"args\":[\"old\"]"));
    home.write(".claude.json", &format!("{{\"mcpServers\":{{\"wardroom\":{{\"type\":\"stdio\",{one},{other}}}}}}}"));
    let shown = home.ready("claude_code", EntryChange::Install(&install), false).unwrap().unwrap().diff();
    for part in [
        "-\"command\":\"/old/wardroom\",",
        "+\"command\":\"/opt/bin/wardroom\",",
        "-\"old\"]",
        "+\"--service\",",
        "+ \"alc\"]",
    ] {
        assert!(shown.lines().any(|line| line == part), "{part}\n{shown}");
    }
}

#[test]
fn io_error_at_any_step_leaves_whole_file() {
    let before = "{\n  \"a\": 1\n}\n";
    let mut steps = 0;
    for refused in 0.. {
        let home = Home::new();
        let path = home.write(".cursor/mcp.json", before);
        let ready = home.ready("cursor", EntryChange::Install(&launch(&[])), false).unwrap().unwrap();
        let seen = AtomicUsize::new(0);
        let refuse = move |_: &'static str| {
            if seen.fetch_add(1, Ordering::Relaxed) == refused { Err(Error::other("refused")) } else { Ok(()) }
        };
        let done = with_failpoints(refuse, || ready.apply());
        let now = fs::read_to_string(&path).unwrap();
        let rest: Vec<_> = home.sibling_names(".cursor").into_iter().filter(|name| !name.ends_with(".bak")).collect();
        assert_eq!(rest, ["mcp.json"], "step {refused}");
        match done {
            Ok(_) => {
                steps = refused;
                assert_eq!(now, ready_text(before));
                break;
            }
            // The last flush may fail after the rename.
            Err(_) => assert!(now == before || now == ready_text(before), "step {refused}: {now}"),
        }
    }
    assert!(steps >= 10, "{steps} steps were refused");
}

fn ready_text(before: &str) -> String {
    with(known("cursor").targets.first().unwrap(), false, |wanted| {
        edit_entry(before, wanted, EntryChange::Install(&launch(&[]))).unwrap().unwrap()
    })
}

/// A folder may give each new file an access list; this file had none.
#[test]
fn default_acl_of_folder_is_not_inherited() {
    use rustix::fs::{XattrFlags, getxattr, setxattr};
    use rustix::io::Errno;
    let home = Home::new();
    let path = home.write(".cursor/mcp.json", "{}");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    // The owner and the mask get all permissions, a user gets read and write, group and others get none.
    let entries: [(u16, u16, u32); 5] =
        [(0x01, 7, u32::MAX), (0x02, 6, 65534), (0x04, 0, u32::MAX), (0x10, 7, u32::MAX), (0x20, 0, u32::MAX)];
    let entry = |(tag, rights, id): (u16, u16, u32)| {
        [tag.to_le_bytes().as_slice(), &rights.to_le_bytes(), &id.to_le_bytes()].concat()
    };
    let list = [2_u32.to_le_bytes().to_vec(), entries.map(entry).concat()].concat();
    match setxattr(home.file(".cursor"), "system.posix_acl_default", &list, XattrFlags::empty()) {
        // The file system does not support access lists.
        Err(Errno::NOTSUP) => return,
        set => set.unwrap(),
    }
    home.install("cursor").unwrap().unwrap();
    assert_eq!(getxattr(&path, "system.posix_acl_access", &mut [0; 256]), Err(Errno::NODATA));
    assert_eq!(mode(&path), 0o640);
}
