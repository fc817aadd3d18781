//! `wardroom verify`: signatures that `minisign` made, and what becomes of each forgery.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use insta::assert_snapshot;

use wardroom_test_support::{CommandOutput, TestDir, run_wardroom, workspace_root};

const ARCHIVE: &str = "wardroom-0.0.0-test.tar.gz";
/// Past the largest list, signature or key that is read.
const TOO_LARGE: usize = 64 * 1024 + 1;

/// A folder `release` with what `fixtures/release` holds.
struct Release {
    dir: TestDir,
}

impl Release {
    fn new() -> Self {
        let dir = TestDir::new();
        fs::create_dir(dir.root().join("release")).unwrap();
        for file in fs::read_dir(workspace_root().join("tests/cli/fixtures/release")).unwrap() {
            let file = file.unwrap();
            fs::copy(file.path(), dir.root().join("release").join(file.file_name())).unwrap();
        }
        Self { dir }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.root().join("release").join(name)
    }

    /// Replaces a part of a file, which must be there.
    fn edit(&self, name: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.path(name)).unwrap();
        assert!(text.contains(from), "{name} has no {from}");
        fs::write(self.path(name), text.replacen(from, to, 1)).unwrap();
    }

    fn verify(&self, archive: &str, key: &str) -> CommandOutput {
        run_wardroom(self.dir.root(), &["verify", &format!("release/{archive}"), "--key", &format!("release/{key}")])
    }
}

#[test]
fn signed_archive_is_accepted() {
    let release = Release::new();
    let said = "wardroom-0.0.0-test.tar.gz is the file that was signed for wardroom 0.0.0\n";
    assert_eq!(release.verify(ARCHIVE, "wardroom.pub").expect_success(), said);
    // Wherever the command runs, and without an AppDir.
    let inside = run_wardroom(&release.path(""), &["verify", ARCHIVE, "--key", "wardroom.pub"]);
    assert_eq!(inside.expect_success(), said);
    symlink(release.path(""), release.dir.root().join("link")).unwrap();
    let linked = format!("link/{ARCHIVE}");
    let linked = run_wardroom(release.dir.root(), &["verify", &linked, "--key", "link/wardroom.pub"]);
    assert_eq!(linked.expect_success(), said);
    assert!(!release.dir.root().join(".local").exists());
    // What minisign does not sign may be anything: the first line of a signature and of a key.
    release.edit("SHA256SUMS.minisig", "signature from minisign secret key", "\u{1b}[31mtrust me");
    assert_eq!(release.verify(ARCHIVE, "wardroom.pub").expect_success(), said);
}

#[test]
fn each_kind_of_forgery_is_refused() {
    type Forge = fn(&Release);
    let rows: [(&str, &str, &str, Forge); 16] = [
        ("another archive", ARCHIVE, "wardroom.pub", |release| release.edit(ARCHIVE, "bytes", "Bytes")),
        ("a longer archive", ARCHIVE, "wardroom.pub", |release| release.edit(ARCHIVE, "archive.\n", "archive.\n\n")),
        ("the archive under another name", "wardroom-0.0.1-test.tar.gz", "wardroom.pub", |release| {
            fs::rename(release.path(ARCHIVE), release.path("wardroom-0.0.1-test.tar.gz")).unwrap();
        }),
        ("a list with another digest", ARCHIVE, "wardroom.pub", |release| release.edit("SHA256SUMS", "a60a", "a60b")),
        ("a list with one more line", ARCHIVE, "wardroom.pub", |release| {
            release.edit("SHA256SUMS", "\n", "\n0  another\n");
        }),
        ("a signature for another release", ARCHIVE, "wardroom.pub", |release| {
            release.edit("SHA256SUMS.minisig", "wardroom 0.0.0", "wardroom 0.0.1");
        }),
        ("another signature", ARCHIVE, "wardroom.pub", |release| release.edit("SHA256SUMS.minisig", "j6G8", "j6G9")),
        ("the older form of a signature", ARCHIVE, "wardroom.pub", |release| {
            fs::rename(release.path("older-form.minisig"), release.path("SHA256SUMS.minisig")).unwrap();
        }),
        ("half a signature", ARCHIVE, "wardroom.pub", |release| {
            let text = fs::read_to_string(release.path("SHA256SUMS.minisig")).unwrap();
            fs::write(release.path("SHA256SUMS.minisig"), &text[..text.len() / 2]).unwrap();
        }),
        ("another key", ARCHIVE, "other.pub", |_| ()),
        ("the secret key", ARCHIVE, "throw-away.key", |_| ()),
        ("no key", ARCHIVE, "none.pub", |_| ()),
        ("no signature", ARCHIVE, "wardroom.pub", |release| {
            fs::remove_file(release.path("SHA256SUMS.minisig")).unwrap();
        }),
        ("a list without end", ARCHIVE, "wardroom.pub", |release| {
            fs::write(release.path("SHA256SUMS"), "x".repeat(TOO_LARGE)).unwrap();
        }),
        ("no archive", ARCHIVE, "wardroom.pub", |release| fs::remove_file(release.path(ARCHIVE)).unwrap()),
        ("a folder as archive", ARCHIVE, "wardroom.pub", |release| {
            fs::remove_file(release.path(ARCHIVE)).unwrap();
            fs::create_dir(release.path(ARCHIVE)).unwrap();
        }),
    ];
    let mut sheet = String::new();
    for (what, archive, key, forge) in rows {
        let release = Release::new();
        forge(&release);
        let refused = release.verify(archive, key);
        assert!(refused.status == 1 && refused.stdout.is_empty(), "{what}: {refused:?}");
        sheet += &format!("# {what}\n{}\n", refused.stderr);
    }
    assert_snapshot!("forgeries", sheet);
}

/// A list of the largest size is read: its signature is what is wrong with it.
#[test]
fn list_of_the_largest_size_is_read() {
    let release = Release::new();
    fs::write(release.path("SHA256SUMS"), "x".repeat(TOO_LARGE - 1)).unwrap();
    let refused = release.verify(ARCHIVE, "wardroom.pub");
    assert!(refused.stderr.starts_with("error: the signature of SHA256SUMS is wrong\n"), "{refused:?}");
}

/// The key of releases is built in if `dist/wardroom.pub` exists; the fixture is signed with another one.
#[test]
fn key_is_built_in_or_named() {
    let release = Release::new();
    let refused = run_wardroom(release.dir.root(), &["verify", &format!("release/{ARCHIVE}")]);
    let expected = if workspace_root().join("dist/wardroom.pub").exists() {
        "error: SHA256SUMS is signed with another key\n"
    } else {
        "error: this program was built without a key of releases\n"
    };
    assert!(refused.status == 1 && refused.stderr.starts_with(expected), "{refused:?}");
    assert!(refused.stderr.contains("\nhint: "), "{refused:?}");
}
