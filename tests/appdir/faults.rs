//! A crash, and an I/O error, at every step of every change: afterwards the state is the old one or the new one, and
//! the next attempt succeeds.

use std::cell::{Cell, RefCell};
use std::fs;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{ExitCode, ExitStatus};
use std::rc::Rc;
use std::time::{Duration, SystemTime};

use clap::Parser as _;
use rustix::io::Errno;
use rustix::process::{Signal, getpid, kill_process};
use wardroom::cli::args::Args;
use wardroom_appdir::limits::LINE_INDEX_FILE_MIN_BYTES;
use wardroom_appdir::{Access, LineIndexCache, Privacy, RowPageRequest, ambient, with_failpoints};

use super::changes::{CHANGES, Change, LINK, NEW, OLD, State, WRITE, is_temporary, state};
use super::containment::kind;
use super::roles;
use wardroom_test_support::{TestDir, run_command};

#[test]
fn every_step_has_failpoint() {
    for change in &CHANGES {
        let dir = change.prepare();
        let seen = Rc::new(RefCell::new(Vec::new()));
        let see = Rc::clone(&seen);
        let hook = move |_, step| {
            see.borrow_mut().push(step);
            Ok(())
        };
        change.make_with(&dir.open_app(), hook).unwrap();
        assert_eq!(*seen.borrow(), change.steps, "{}", change.name);
        assert_eq!(state(&dir.app_path()), change.state_after(), "{}", change.name);
    }
}

/// The role of a process that is killed: at which step of which change.
pub(super) fn die(when: &str, folder: &Path) {
    let (at, what) = when.split_once(' ').unwrap();
    let (at, mut number) = (at.parse::<usize>().unwrap(), 0);
    let die = move || {
        if number == at {
            kill_process(getpid(), Signal::KILL).unwrap();
        }
        number += 1;
        Ok(())
    };
    match what {
        "index" => with_failpoints(hook(die), || index(&folder.join("app"), Some("cache"))),
        "mount" => command(&["mount", "add", "new", "app"], hook(die)),
        "install" => command(&["--appdir", "app", "pkg", "install", "--force", "./source/tree"], hook(die)),
        "init" => command(&["--appdir", "app", "init", "--demo"], hook(die)),
        change => {
            let folder = ambient::open_folder(&folder.join("app"), Access::ReadWrite).unwrap();
            let mut die = die;
            Change::of(change).make_with(&folder, move |_, _| die()).unwrap();
        }
    }
}

/// Returns a hook that ignores the failpoint's name.
fn hook(mut at: impl FnMut() -> io::Result<()>) -> impl FnMut(&'static str) -> io::Result<()> {
    move |_| at()
}

/// Runs a command within this process.
fn command(args: &[&str], hook: impl FnMut(&'static str) -> io::Result<()> + 'static) {
    let args = Args::parse_from([&["wardroom"], args].concat());
    let code = with_failpoints(hook, || wardroom::cli::run(args));
    assert_eq!(code, ExitCode::SUCCESS);
}

/// Lets a child make a change and die at a step of it; returns whether the child reached that step.
#[track_caller]
fn died(dir: &TestDir, at: usize, what: &str) -> bool {
    let mut child = roles::command(&format!("die {at} {what}"), dir.root());
    let status: ExitStatus = child
        .current_dir(dir.root())
        .env("HOME", dir.root())
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("ALC_PROJECT_ROOT")
        .status()
        .unwrap();
    assert!(status.success() || status.signal() == Some(9), "{what} {at}: {status}");
    !status.success()
}

#[test]
fn crash_at_any_step_leaves_old_or_new_state() {
    for change in &CHANGES {
        for at in 0.. {
            let dir = change.prepare();
            let when = format!("killed at step {at}");
            let died = died(&dir, at, change.name);
            assert_eq!(died, at < change.steps.len(), "{} {when}", change.name);
            change.assert_old_or_new(&state(&dir.app_path()), &when);
            // The next attempt succeeds at once, and stale files are swept then.
            let folder = dir.open_app();
            if change.name != "remove" || dir.app_path().join("file").exists() {
                (change.make)(&folder).unwrap();
            }
            for below in [".", "sub"].iter().filter_map(|name| folder.open_folder(name).ok()) {
                below.sweep_temp_files(Duration::ZERO).unwrap();
            }
            assert_eq!(state(&dir.app_path()), change.state_after(), "{} after it was {when}", change.name);
            if !died {
                break;
            }
        }
    }
}

#[test]
fn io_error_at_any_step_leaves_old_state_without_temp_files() {
    let refusals = [
        (Errno::NOSPC, "DiskFull"),
        (Errno::DQUOT, "DiskFull"),
        (Errno::MFILE, "TooManyOpenFiles"),
        (Errno::NFILE, "TooManyOpenFiles"),
        (Errno::ROFS, "ReadOnlyDisk"),
        (Errno::IO, "Io"),
    ];
    for change in &CHANGES {
        for (at, step) in change.steps.iter().enumerate() {
            for (errno, expected) in refusals {
                let dir = change.prepare();
                let folder = dir.open_app();
                let refuse = move |number, _| if number == at { Err(errno.into()) } else { Ok(()) };
                let made = change.make_with(&folder, refuse).map_err(|error| kind(&error));
                let what = format!("{}, {step}, {errno}", change.name);
                let found = state(&dir.app_path());
                match *step {
                    // The file already has its name.
                    "unlink" => {
                        assert_eq!(made, Ok(()), "{what}");
                        assert_eq!(folder.sweep_temp_files(Duration::ZERO).unwrap(), 1, "{what}");
                        assert_eq!(state(&dir.app_path()), change.state_after(), "{what}");
                    }
                    // The change was made, but may be lost in a power failure.
                    "flush names" | "open folder" => {
                        assert_eq!(made, Err(expected), "{what}");
                        assert_eq!(found, change.state_after(), "{what}");
                    }
                    // The lock file stays: it is empty and not part of the state.
                    _ if change.name.contains("lock") => {
                        assert_eq!(made, Err(expected), "{what}");
                        change.assert_old_or_new(&found, &what);
                        assert_eq!(found.get("file"), change.state_before().get("file"), "{what}");
                    }
                    "remove" if at > 0 => assert_eq!(made, Err(expected), "{what}"),
                    _ => {
                        assert_eq!(made, Err(expected), "{what}");
                        assert_eq!(found, change.state_before(), "{what}");
                    }
                }
                assert!(
                    change.name == "sweep" || !state(&dir.app_path()).keys().any(|name| is_temporary(name)),
                    "{what}"
                );
            }
        }
    }
}

#[test]
fn create_uses_link_when_noreplace_is_unsupported() {
    for errno in [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP] {
        let dir = TestDir::new();
        dir.write_file("there", OLD);
        let folder = dir.open_app();
        let linked = Rc::new(Cell::new(0));
        let count = Rc::clone(&linked);
        let hook = move |step| match step {
            "rename to a free name" => Err(errno.into()),
            "link" => {
                count.set(count.get() + 1);
                Ok(())
            }
            _ => Ok(()),
        };
        let results = with_failpoints(hook, || {
            ["there", "new", "new"]
                .map(|name| folder.create_file(name, NEW, Privacy::Owner).map_err(|error| kind(&error)))
        });
        assert_eq!(results, [Err("AlreadyExists"), Ok(()), Err("AlreadyExists")]);
        assert_eq!(linked.get(), 3);
        let expected = [("new", NEW), ("there", OLD)];
        assert_eq!(state(&dir.app_path()), expected.map(|(name, content)| (name.to_owned(), content.to_vec())).into());
    }
}

const ROWS: &str = "{\"row\":1}\n";

/// Reads a page of a file that is large enough for a saved index.
fn index(app: &Path, cache: Option<&str>) {
    let folder = ambient::open_folder(app, Access::ReadWrite).unwrap();
    let cache = cache.map(|cache| folder.open_folder(cache).unwrap());
    let rows = LINE_INDEX_FILE_MIN_BYTES;
    let wanted = RowPageRequest { offset: rows / 10, limit: 1, max_bytes: 100 };
    let page = LineIndexCache::new(cache).read_page(&folder, "rows", wanted, &|| false).unwrap();
    assert_eq!((page.rows, page.total_rows), (vec![ROWS.trim_end().as_bytes().to_vec()], rows));
}

#[test]
fn crash_while_saving_line_index_leaves_none_or_whole_one() {
    let prepare = || {
        let dir = TestDir::new();
        fs::create_dir(dir.app_path().join("cache")).unwrap();
        dir.write_file("rows", ROWS.repeat(usize::try_from(LINE_INDEX_FILE_MIN_BYTES).unwrap()));
        dir
    };
    for at in 0.. {
        let dir = prepare();
        let died = died(&dir, at, "index");
        let kept = |dir: &TestDir| -> State {
            let mut kept = state(&dir.app_path().join("cache"));
            kept.retain(|name, _| name != "/" && !is_temporary(name));
            kept
        };
        let before = kept(&dir);
        // The next process reads the page, and saves an index that does not reuse a partial one.
        index(&dir.app_path(), Some("cache"));
        let after = kept(&dir);
        assert_eq!(after.len(), 1, "killed at {at}");
        assert!(before.is_empty() || before == after, "killed at {at}");
        dir.open_app().open_folder("cache").unwrap().sweep_temp_files(Duration::ZERO).unwrap();
        assert_eq!(state(&dir.app_path().join("cache")), after);
        if !died {
            assert_eq!(at, WRITE.len());
            return;
        }
    }
}

#[test]
fn failed_index_save_does_not_fail_read() {
    for (at, _) in WRITE.iter().enumerate() {
        let dir = TestDir::new();
        fs::create_dir(dir.app_path().join("cache")).unwrap();
        dir.write_file("rows", ROWS.repeat(usize::try_from(LINE_INDEX_FILE_MIN_BYTES).unwrap()));
        let mut number = 0;
        let hook = move |_| {
            number += 1;
            if number == at + 1 { Err(Errno::NOSPC.into()) } else { Ok(()) }
        };
        with_failpoints(hook, || index(&dir.app_path(), Some("cache")));
        assert!(!state(&dir.app_path().join("cache")).keys().any(|name| is_temporary(name)), "refused at {at}");
    }
}

#[test]
fn crash_while_adding_mount_leaves_old_or_new_config() {
    const CONFIG: &str = ".config/wardroom/config.toml";
    const BEFORE: &str = "# Mine.\n[server]\nname = \"mess\"\n";
    for at in 0.. {
        let dir = TestDir::new();
        let config = dir.root().join(CONFIG);
        fs::create_dir_all(config.parent().unwrap()).unwrap();
        fs::write(&config, BEFORE).unwrap();
        let died = died(&dir, at, "mount");
        let found = fs::read_to_string(&config).unwrap();
        let is_new =
            found.starts_with(BEFORE) && found.contains("[mounts.new]") && found.ends_with("as = \"packages\"\n");
        assert!(found == BEFORE || is_new, "killed at {at}: {found}");
        // The lock was released with its holder, and the next process finds a whole configuration.
        let next =
            run_command(wardroom_test_support::wardroom_command(dir.root()).args(["mount", "add", "next", "app"]));
        assert_eq!(next.status, 0, "killed at {at}: {next:?}");
        assert!(fs::read_to_string(&config).unwrap().contains("[mounts.next]"));
        if !died {
            assert!(is_new && at >= 2 + WRITE.len(), "{at} steps");
            return;
        }
    }
}

#[test]
fn crash_during_init_leaves_whole_files_and_retry_completes() {
    let whole = TestDir::new_demo();
    let whole = state(&whole.app_path());
    let mut steps = 0;
    for at in 0.. {
        let dir = TestDir::new();
        let died = died(&dir, at, "init");
        for (name, content) in state(&dir.app_path()) {
            let is_part = is_temporary(&name) || name.ends_with('/') || whole.get(&name) == Some(&content);
            assert!(is_part, "killed at {at}: {name}");
        }
        // A retry takes as long as a whole attempt, so only every 16th crash is followed by one.
        if at % 16 == 0 || !died {
            run_command(
                wardroom_test_support::wardroom_command(dir.root()).args(["--appdir", "app", "init", "--demo"]),
            )
            .expect_success();
            let mut found = state(&dir.app_path());
            found.retain(|name, _| !is_temporary(name));
            assert_eq!(found, whole, "killed at {at}");
        }
        steps = at;
        if !died {
            break;
        }
    }
    assert!(steps > 100, "{steps} steps");
}

#[test]
fn crash_during_install_leaves_old_or_new_tree() {
    const NEW_TREE: [(&str, &str); 3] = [("init.lua", "return {}"), ("m.lua", "return 2"), ("sub/m.lua", "return 2")];
    const OLD_TREE: [(&str, &str); 2] = [("init.lua", "return { }"), ("gone.lua", "return 1")];
    let lay = |at: &Path, tree: &[(&str, &str)]| {
        for (name, content) in tree {
            fs::create_dir_all(at.join(name).parent().unwrap()).unwrap();
            fs::write(at.join(name), content).unwrap();
        }
    };
    let is = |at: &Path, tree: &[(&str, &str)]| {
        let mut files = state(at);
        files.retain(|name, _| !name.ends_with('/'));
        files == tree.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect()
    };
    for replaces in [false, true] {
        let mut steps = 0;
        for at in 0.. {
            let dir = TestDir::new();
            lay(&dir.root().join("source/tree"), &NEW_TREE);
            let package = dir.app_path().join("packages/tree");
            if replaces {
                lay(&package, &OLD_TREE);
            }
            let died = died(&dir, at, "install");
            let is_old = if replaces { is(&package, &OLD_TREE) } else { !package.exists() };
            assert!(is_old || is(&package, &NEW_TREE), "killed at {at}: {:?}", state(&dir.app_path()));
            let manifest = fs::read_to_string(dir.app_path().join("packages/installed.json")).unwrap_or_default();
            assert!(manifest.is_empty() || !is_old && manifest.ends_with("}\n"), "killed at {at}: {manifest}");
            if at % 8 == 0 || !died {
                let next = ["--appdir", "app", "pkg", "install", "--force", "./source/tree"];
                run_command(wardroom_test_support::wardroom_command(dir.root()).args(next)).expect_success();
                let packages = dir.open_app().open_folder("packages").unwrap();
                packages.sweep_staged_trees(Duration::ZERO).unwrap();
                packages.sweep_temp_files(Duration::ZERO).unwrap();
                let mut found: Vec<String> = fs::read_dir(dir.app_path().join("packages"))
                    .unwrap()
                    .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                    .collect();
                found.sort();
                assert_eq!(found, ["installed.json", "installed.json.lock", "tree"], "killed at {at}");
                assert!(is(&package, &NEW_TREE), "killed at {at}");
            }
            steps = at;
            if !died {
                break;
            }
        }
        assert!(steps > 20, "{steps} steps");
    }
}

#[test]
fn temp_file_of_killed_creator_is_swept_once_stale() {
    let change = Change::of("create by link");
    let dir = change.prepare();
    // Between the link and the removal of the other name.
    let at = LINK.iter().position(|step| *step == "unlink").unwrap();
    assert!(died(&dir, at, change.name));
    let left: Vec<String> = state(&dir.app_path()).into_keys().filter(|name| is_temporary(name)).collect();
    let [left] = &left[..] else { panic!("{left:?}") };
    assert_eq!(dir.open_app().sweep_temp_files(Duration::from_secs(3600)).unwrap(), 0);
    fs::File::open(dir.app_path().join(left))
        .unwrap()
        .set_modified(SystemTime::now() - Duration::from_secs(7200))
        .unwrap();
    assert_eq!(dir.open_app().sweep_temp_files(Duration::from_secs(3600)).unwrap(), 1);
    assert_eq!(state(&dir.app_path()), change.state_after());
}
