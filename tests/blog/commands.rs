//! `wardroom blog check` on the demo, and the component that reads the documents of a blog.

use serde_json::json;
use wardroom_test_support::{TestDir, run_wardroom};

use super::test_blog::{TestBlog, TestPost, run_on};

const NOTE: &str = "drafts that exist only in the database of another program are not in files, and are not seen here";

#[test]
fn check_says_that_drafts_of_a_database_are_invisible() {
    let blog = TestBlog::new();
    blog.post(&TestPost { n: 1, title: "One", fields: "status: published\n", body: "" });
    let checked = blog.run(&["blog", "check"]);
    assert_eq!((checked.status, checked.stdout.as_str()), (0, "files: 1, none left out\n"));
    assert_eq!(checked.stderr.lines().filter(|line| line.contains(NOTE)).count(), 1, "{}", checked.stderr);
    // It is there beside problems too.
    blog.write("posts/2024/03/no-id.md", "---\ntitle: x\n---\n");
    let checked = blog.run(&["blog", "check"]);
    assert_eq!(checked.status, 1);
    assert!(checked.stderr.contains(NOTE) && checked.stderr.contains("1 file is left out"), "{}", checked.stderr);
}

#[test]
fn check_of_the_demo_leaves_nothing_out() {
    let dir = TestDir::new_demo();
    let checked = run_on(&dir.app_path(), dir.root(), &["blog", "check"]);
    // 12 posts with 8 translations, 3 media items with 3 translations, 2 scripts and 2 templates.
    assert_eq!((checked.status, checked.stdout.as_str()), (0, "files: 29, none left out\n"), "{checked:?}");
    let checked = run_on(&dir.app_path(), dir.root(), &["blog", "check", "--json"]).expect_success();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&checked).unwrap(), json!([]));
}

#[test]
fn component_of_documents_is_written() {
    let dir = TestDir::new();
    let write = |component: &str, file: &str| {
        let args = ["guest", "--component", component, "-o", file];
        assert_eq!(run_wardroom(dir.root(), &args).expect_success(), "");
        std::fs::read(dir.root().join(file)).unwrap()
    };
    let (documents, packages) = (write("documents", "documents.wasm"), write("packages", "packages.wasm"));
    // A component, and no core module: layer 1 in the fourth pair of bytes.
    for component in [&documents, &packages] {
        assert_eq!(component[..8], [0, b'a', b's', b'm', 0x0d, 0, 1, 0]);
    }
    let has = |component: &[u8], name: &str| component.windows(name.len()).any(|bytes| bytes == name.as_bytes());
    for (name, in_documents, in_packages) in [
        ("document", true, false),
        ("template-check", true, false),
        ("script-check", true, false),
        ("image", true, false),
    ] {
        let name = format!("wardroom:documents/{name}@");
        assert_eq!((has(&documents, &name), has(&packages, &name)), (in_documents, in_packages), "{name}");
    }
    let refused = run_wardroom(dir.root(), &["guest", "--component", "pictures", "-o", "x.wasm"]);
    assert_eq!(refused.status, 2);
    assert!(refused.stderr.contains("documents") && refused.stderr.contains("packages"), "{}", refused.stderr);
    assert!(!dir.root().join("x.wasm").exists());
}
