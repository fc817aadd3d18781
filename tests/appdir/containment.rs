//! The directory handle alone, without any check of names above it: no name leads out of a folder, and no open blocks.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use rustix::fs::{CWD, Mode, mkfifoat};
use wardroom_appdir::{AppDirError, EntryKind, Folder, LineIndexCache, Privacy, RowPageRequest};

use wardroom_test_support::{TestAlcService, TestDir};

const SECRET: &str = "outside";

/// A page of one row.
const ROW: RowPageRequest = RowPageRequest { offset: 0, limit: 1, max_bytes: 100 };

/// Creates a folder with files inside, and with files of the same name outside.
pub(super) fn dir_with_outside_files() -> TestDir {
    let dir = TestDir::new();
    dir.write_file("in.txt", "inside");
    dir.write_file("sub/in.txt", "inside");
    for outside in ["out.txt", "out/in.txt", "app-evil/in.txt"] {
        let path = dir.root().join(outside);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, SECRET).unwrap();
    }
    dir
}

/// Returns the variant's name of an error.
pub(super) fn kind(error: &AppDirError) -> &'static str {
    match error {
        AppDirError::NotFound(_) => "NotFound",
        AppDirError::FolderRemoved(_) => "FolderRemoved",
        AppDirError::NotAFolder(_) => "NotAFolder",
        AppDirError::DanglingLink(_) => "DanglingLink",
        AppDirError::OutsideRoot(_) => "OutsideRoot",
        AppDirError::NotRegularFile(_) => "NotRegularFile",
        AppDirError::TooLarge { .. } => "TooLarge",
        AppDirError::NotUtf8(_) => "NotUtf8",
        AppDirError::AlreadyExists(_) => "AlreadyExists",
        AppDirError::PermissionDenied(_) => "PermissionDenied",
        AppDirError::ReadOnly(_) => "ReadOnly",
        AppDirError::ReadOnlyDisk(_) => "ReadOnlyDisk",
        AppDirError::Locked(_) => "Locked",
        AppDirError::DiskFull(_) => "DiskFull",
        AppDirError::TooManyOpenFiles(_) => "TooManyOpenFiles",
        AppDirError::ChangedDuringRead(_) => "ChangedDuringRead",
        AppDirError::Cancelled(_) => "Cancelled",
        AppDirError::Io { .. } => "Io",
    }
}

/// Tries every operation with a name, and returns how each is refused.
fn refusals(folder: &Folder, name: &str) -> [(&'static str, Option<&'static str>); 9] {
    let refused = |result: Result<(), AppDirError>| result.err().map(|error| kind(&error));
    [
        ("read", refused(folder.read(name, 100).map(drop))),
        ("read_text", refused(folder.read_text(name, 100).map(drop))),
        ("stat", refused(folder.stat(name).map(drop))),
        ("page", refused(LineIndexCache::new(None).read_page(folder, name, ROW, &|| false).map(drop))),
        ("folder", refused(folder.open_folder(name).map(drop))),
        ("folder below", refused(folder.open_folder(&format!("{name}/x")).map(drop))),
        ("write below", refused(folder.write(&format!("{name}/new"), b"x", Privacy::Shared))),
        ("create below", refused(folder.create_file(&format!("{name}/new"), b"x", Privacy::Shared))),
        ("create_folder below", refused(folder.create_folder(&format!("{name}/new")).map(drop))),
    ]
}

/// Checks that every operation with a name is refused, and that nothing changed outside.
#[track_caller]
fn check_refused(dir: &TestDir, name: &str, expected: &str) {
    for (action, refused) in refusals(&dir.open_app(), name) {
        assert_eq!(refused, Some(expected), "{action} {name:?}");
    }
    let mut outside: Vec<_> = fs::read_dir(dir.root()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    outside.sort_unstable();
    assert_eq!(outside, ["app", "app-evil", "out", "out.txt"]);
    assert_eq!(fs::read_dir(dir.root().join("out")).unwrap().count(), 1);
    assert_eq!(fs::read_to_string(dir.root().join("out.txt")).unwrap(), SECRET);
}

#[track_caller]
fn check_read(dir: &TestDir, name: &str) {
    assert_eq!(dir.open_app().read_text(name, 100).unwrap().0, "inside", "{name:?}");
}

#[test]
fn name_leading_outside_is_refused() {
    let dir = dir_with_outside_files();
    let absolute = dir.root().join("out.txt");
    for name in [
        "..",
        "../",
        "../.",
        "../out.txt",
        "../out",
        "../app-evil/in.txt",
        "../app/../out.txt",
        "../app/in.txt",
        "sub/../..",
        "sub/../../out.txt",
        "sub/../../app-evil/in.txt",
        "./../out.txt",
        "../../../../../../../../etc/passwd",
        "/etc/passwd",
        "//etc/passwd",
        "/etc/../etc/passwd",
        "/proc/self/root/etc/passwd",
        absolute.to_str().unwrap(),
    ] {
        check_refused(&dir, name, "OutsideRoot");
    }
}

#[test]
fn link_leading_outside_is_refused() {
    let dir = dir_with_outside_files();
    let absolute = |name: &str| dir.root().join(name).display().to_string();
    for (link, target) in [
        ("file", "../out.txt".to_owned()),
        ("folder", "../out".into()),
        ("parent", "..".into()),
        ("sibling", "../app-evil".into()),
        ("dangling", "../nothing".into()),
        ("absolute-file", absolute("out.txt")),
        ("absolute-folder", absolute("out")),
        ("absolute-inside", absolute("app/in.txt")),
        ("there-and-back", "../app/in.txt".into()),
        ("dotted", "sub/../../out.txt".into()),
        ("sub/nested", "../../out.txt".into()),
        ("chain-1", "chain-2".into()),
        ("chain-2", "sub/chain-3".into()),
        ("sub/chain-3", "../../out".into()),
        ("root", "/".into()),
        ("process", "/proc/self/root".into()),
        ("descriptor", "/proc/self/cwd".into()),
        ("slashes", "../out//".into()),
        ("quoted\"", "../out.txt".into()),
        ("spaced ", "../out.txt".into()),
        ("nbsp\u{a0}", "../out".into()),
    ] {
        symlink(target, dir.app_path().join(link)).unwrap();
    }
    for name in [
        "file",
        "file/",
        "folder",
        "folder/",
        "folder//",
        "folder/.",
        "folder/in.txt",
        "folder/../in.txt",
        "parent",
        "parent/",
        "parent/out.txt",
        "parent/app/in.txt",
        "sibling",
        "sibling/in.txt",
        "dangling",
        "absolute-file",
        "absolute-folder/in.txt",
        "absolute-inside",
        "there-and-back",
        "dotted",
        "sub/nested",
        "sub/../sub/nested",
        "chain-1",
        "chain-1/in.txt",
        "chain-2/",
        "sub/chain-3/in.txt",
        "root",
        "root/etc/passwd",
        "process",
        "process/etc/passwd",
        "descriptor/Cargo.toml",
        "slashes",
        "slashes/in.txt",
        "quoted\"",
        "spaced ",
        "nbsp\u{a0}",
        "nbsp\u{a0}/in.txt",
    ] {
        check_refused(&dir, name, "OutsideRoot");
    }
}

#[test]
fn proc_magic_link_is_not_followed() {
    let process =
        wardroom_appdir::ambient::open_folder("/proc/self".as_ref(), wardroom_appdir::Access::ReadOnly).unwrap();
    for name in ["root/etc/passwd", "cwd/Cargo.toml", "exe", "fd/0"] {
        let error = process.read(name, 1024).unwrap_err();
        assert_eq!(kind(&error), "Io", "{name}: {error}");
    }
}

#[test]
fn link_staying_inside_is_followed() {
    let dir = dir_with_outside_files();
    for (link, target) in [
        ("file", "in.txt"),
        ("folder", "sub"),
        ("sub/up", "../in.txt"),
        ("sub/self", "../sub/./in.txt"),
        ("chain-1", "chain-2"),
        ("chain-2", "sub/up"),
        ("here", "."),
    ] {
        symlink(target, dir.app_path().join(link)).unwrap();
    }
    for name in [
        "in.txt",
        "./in.txt",
        "sub/../in.txt",
        "sub//in.txt",
        "file",
        "folder/in.txt",
        "folder/../in.txt",
        "sub/up",
        "sub/self",
        "chain-1",
        "here/here/in.txt",
    ] {
        check_read(&dir, name);
    }
    symlink("turning", dir.app_path().join("turning")).unwrap();
    assert_eq!(kind(&dir.open_app().read("turning", 100).unwrap_err()), "Io");
}

#[test]
fn trailing_slash_is_ignored() {
    let dir = dir_with_outside_files();
    check_read(&dir, "in.txt/");
    check_read(&dir, "sub/in.txt///");
    assert!(dir.open_app().open_folder("sub//").is_ok());
    dir.open_app().write("new/", b"inside", Privacy::Shared).unwrap();
    check_read(&dir, "new");
}

#[test]
fn nonexistent_name_is_not_found() {
    let long = "x".repeat(256);
    for name in [
        "in.txt\0",
        "\0",
        "in.txt\0/../../out.txt",
        "in.txt ",
        " in.txt",
        "in.txt\"",
        "in.txt'",
        "in.txt\u{a0}",
        "in.txt.",
        "IN.TXT",
        "in.txt\\",
        "..\\out.txt",
        "in.txt/x",
        "sub/in.txt/..",
        "nothing",
        "nothing/in.txt",
        "....",
        "..in.txt",
        &long,
        "\u{2024}\u{2024}/out.txt",
    ] {
        for (action, refused) in refusals(&dir_with_outside_files().open_app(), name) {
            if action != "create_folder below" || name.contains('\0') {
                assert_eq!(refused, Some("NotFound"), "{action} {name:?}");
            }
        }
    }
    let dir = dir_with_outside_files();
    for name in ["", "/", "//"] {
        assert_eq!(kind(&dir.open_app().read(name, 100).unwrap_err()), "NotFound", "{name:?}");
        assert_eq!(kind(&dir.open_app().write(name, b"x", Privacy::Shared).unwrap_err()), "NotFound", "{name:?}");
    }
    // A file with such a name is found by it.
    for name in ["in.txt ", "in.txt\"", "in.txt\u{a0}", "in.txt\\", "..\\out.txt"] {
        dir.write_file(name, "inside");
        check_read(&dir, name);
    }
}

/// Runs an operation that might block, with a timeout.
fn in_time<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = channel();
    thread::spawn(move || sender.send(work()));
    receiver.recv_timeout(Duration::from_secs(30)).expect("an answer in time")
}

#[test]
fn special_file_is_refused_without_blocking() {
    let dir = dir_with_outside_files();
    mkfifoat(CWD, dir.app_path().join("pipe"), Mode::RUSR | Mode::WUSR).unwrap();
    let _listener = UnixListener::bind(dir.app_path().join("socket")).unwrap();
    symlink("pipe", dir.app_path().join("link")).unwrap();
    for name in ["pipe", "pipe/", "socket", "sub", "sub/", ".", "sub/..", "link"] {
        let folder = dir.open_app();
        let kinds = in_time(move || {
            let page = LineIndexCache::new(None).read_page(&folder, name, ROW, &|| false).map(drop);
            [folder.read(name, 100).map(drop), folder.read_text(name, 100).map(drop), folder.stat(name).map(drop), page]
                .map(|result| result.map_err(|error| kind(&error)))
        });
        assert_eq!(kinds, [Err("NotRegularFile"); 4], "{name}");
    }
    let kinds: Vec<_> =
        dir.open_app().entries(100).unwrap().into_iter().map(|entry| (entry.name, entry.kind)).collect();
    let expected = [
        ("in.txt", EntryKind::File),
        ("link", EntryKind::Symlink),
        ("pipe", EntryKind::Other),
        ("socket", EntryKind::Other),
        ("sub", EntryKind::Folder),
    ];
    assert_eq!(kinds, expected.map(|(name, kind)| (name.to_owned(), kind)));

    let devices = wardroom_appdir::ambient::open_folder("/dev".as_ref(), wardroom_appdir::Access::ReadOnly).unwrap();
    for name in ["null", "zero", "urandom"] {
        assert_eq!(kind(&devices.read(name, 100).unwrap_err()), "NotRegularFile", "{name}");
    }
}

#[test]
fn log_at_special_file_is_refused_without_blocking() {
    let dir = dir_with_outside_files();
    let at = |name: &str| dir.app_path().join(name);
    mkfifoat(CWD, at("pipe"), Mode::RUSR | Mode::WUSR).unwrap();
    mkfifoat(CWD, at("read-pipe"), Mode::RUSR | Mode::WUSR).unwrap();
    let _listener = UnixListener::bind(at("socket")).unwrap();
    // With both ends open nothing blocks, but it is still not a log.
    let _reader = fs::File::options().read(true).write(true).open(at("read-pipe")).unwrap();
    for name in ["pipe", "read-pipe", "socket", "sub"] {
        let path = at(name);
        let opened = in_time(move || wardroom_appdir::ambient::open_append(&path).map(drop));
        assert_eq!(opened.map_err(|error| kind(&error)), Err("NotRegularFile"), "{name}");
    }
    for path in [at("in.txt"), at("new.log"), "/dev/null".into()] {
        let log = wardroom_appdir::ambient::open_append(&path).unwrap();
        let flags = rustix::fs::fcntl_getfl(log).unwrap();
        assert!(!flags.contains(rustix::fs::OFlags::NONBLOCK), "{}", path.display());
    }
}

/// A user who can create a hard link could have copied the file; a handle cannot distinguish a file's names.
#[test]
fn hard_link_is_treated_as_regular_file() {
    let dir = dir_with_outside_files();
    fs::hard_link(dir.root().join("out.txt"), dir.app_path().join("hard")).unwrap();
    assert_eq!(dir.open_app().read_text("hard", 100).unwrap().0, SECRET);
    // A write replaces the name and leaves the file outside unchanged.
    dir.open_app().write("hard", b"inside", Privacy::Shared).unwrap();
    check_read(&dir, "hard");
    assert_eq!(fs::read_to_string(dir.root().join("out.txt")).unwrap(), SECRET);
}

#[test]
fn write_replaces_link_and_not_its_target() {
    let dir = dir_with_outside_files();
    let folder = dir.open_app();
    for target in ["../out.txt", "../out", "../nothing", "in.txt"] {
        symlink(target, dir.app_path().join("link")).unwrap();
        assert_eq!(kind(&folder.create_file("link", b"x", Privacy::Shared).unwrap_err()), "AlreadyExists", "{target}");
        folder.write("link", b"inside", Privacy::Shared).unwrap();
        check_read(&dir, "link");
        folder.remove_file("link").unwrap();
        symlink(target, dir.app_path().join("link")).unwrap();
        folder.remove_file("link").unwrap();
    }
    check_read(&dir, "in.txt");
    assert_eq!(fs::read_to_string(dir.root().join("out.txt")).unwrap(), SECRET);
    assert!(!dir.root().join("nothing").exists());
    symlink("../nothing", dir.app_path().join("link")).unwrap();
    assert_eq!(kind(&folder.lock("link").unwrap_err()), "OutsideRoot");
    assert_eq!(kind(&folder.create_folder("link").unwrap_err()), "OutsideRoot");
    assert!(!dir.root().join("nothing").exists());
}

#[test]
fn resource_leading_outside_is_refused_without_path() {
    let dir = dir_with_outside_files();
    dir.write_card("cot", "cot_2", &[]);
    for folder in ["types", "scenarios", "evals", "logs", "packages/source"] {
        fs::create_dir_all(dir.app_path().join(folder)).unwrap();
    }
    let out = |name: &str| dir.root().join(name);
    for (link, target) in [
        ("types/alc.d.lua", "out.txt"),
        ("cards/cot/cot_1.toml", "out.txt"),
        ("cards/cot/cot_2.samples.jsonl", "out.txt"),
        ("cards/linked", "out"),
        ("scenarios/x.lua", "out.txt"),
        ("evals/x_1.json", "out.txt"),
        ("logs/x.json", "out.txt"),
        ("packages/folder", "out"),
        ("packages/source/init.lua", "out.txt"),
    ] {
        symlink(out(target), dir.app_path().join(link)).unwrap();
    }
    let service = TestAlcService::new(&dir);
    for uri in [
        "alc://types/alc.d.lua",
        "alc://cards/cot_1",
        "alc://cards/cot_1/samples",
        "alc://cards/cot_2/samples?limit=1",
        "alc://cards/linked_1",
        "alc://scenarios/x",
        "alc://eval/x_1",
        "alc://logs/x",
        "alc://packages/folder/init.lua",
        "alc://packages/folder/meta",
        "alc://packages/source/init.lua",
        "alc://packages/source/meta",
    ] {
        assert_eq!(service.read_refusal(uri), format!("-32603 {uri} leads outside its folder"));
    }
}

#[test]
fn invalid_card_folder_hides_no_other_card() {
    let dir = dir_with_outside_files();
    dir.write_card("z", "x_1", &[]);
    symlink(dir.root().join("out"), dir.app_path().join("cards/a")).unwrap();
    symlink("b", dir.app_path().join("cards/b")).unwrap();
    let service = TestAlcService::new(&dir);
    assert!(service.read_text("alc://cards/x_1").contains("\"card_id\":\"x_1\""));
    assert_eq!(
        service.read_refusal("alc://cards/x_2"),
        "-32602 resource not found: alc://cards/x_2; did you mean alc://cards/x_1?"
    );
}

#[test]
fn visit_files_sees_only_regular_files_within_limit() {
    let dir = dir_with_outside_files();
    for name in ["a.json", "b.json", "c.txt"] {
        dir.write_file(&format!("walk/{name}"), "four");
    }
    dir.write_file("walk/folder.json/x", "");
    symlink("a.json", dir.app_path().join("walk/link.json")).unwrap();
    symlink("../../out.txt", dir.app_path().join("walk/away.json")).unwrap();
    mkfifoat(CWD, dir.app_path().join("walk/fifo.json"), Mode::RWXU).unwrap();
    let folder = dir.open_app().open_folder("walk").unwrap();
    let walk = |left: &mut usize| {
        let mut seen = Vec::new();
        let pick = |name: &str| name.strip_suffix(".json").map(str::to_owned);
        folder.visit_files(left, pick, |name, stat| seen.push((name, stat.len))).unwrap();
        seen.sort_unstable();
        seen
    };
    let left = &mut 10;
    assert_eq!(walk(left), [("a", 4), ("b", 4), ("link", 4)].map(|(name, len)| (name.to_owned(), len)));
    assert_eq!(*left, 3);
    assert!(walk(left).len() <= 3);
    assert_eq!((walk(left), *left), (Vec::new(), 0));
}
