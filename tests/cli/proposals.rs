//! `wardroom proposals` without a terminal, and a blog whose proposals have no place.

use serde_json::Value;
use wardroom_test_support::{TestDir, run_wardroom};

#[test]
fn nothing_is_accepted_that_no_person_saw() {
    let dir = TestDir::new();
    dir.write_file("blog/posts/2024/03/a.md", "---\nid: a\ntitle: A\nslug: a\nstatus: published\n---\nText\n");
    let app = dir.app_path().display().to_string();
    let run = |args: &[&str]| run_wardroom(dir.root(), &[args, &["--appdir", &app]].concat());
    let made = run(&["call", "propose_post_metadata", r#"{"postId": "a", "title": "B"}"#, "--json"]).expect_success();
    let made: Value = serde_json::from_str(&made).unwrap();
    let id = made["structuredContent"]["proposalId"].as_str().unwrap();
    let refused = run(&["proposals", "accept", id]);
    let expected = format!(
        "error: nothing was accepted: a person has to look at it\nhint: run it at a terminal, or name what you saw: wardroom \
         proposals show {id} --json has a digest\n"
    );
    assert_eq!((refused.status, refused.stderr.as_str()), (1, expected.as_str()));
    let refused = run(&["proposals", "accept", id, "--digest", "0"]);
    let expected = format!(
        "error: nothing was accepted: this is not what was shown under that digest\nhint: look at it again: wardroom \
         proposals show {id} --json\n"
    );
    assert_eq!((refused.status, refused.stderr.as_str()), (1, expected.as_str()));
}

#[test]
fn strict_server_needs_a_place_for_proposals() {
    let dir = TestDir::new();
    dir.write_file("blog/.wardroom", "a file");
    let config = dir.write_file("config.toml", "[blog]\naccept = \"human-strict\"\n").display().to_string();
    let app = dir.app_path().display().to_string();
    let refused = run_wardroom(dir.root(), &["ls", "bds", "--config", &config, "--appdir", &app]);
    assert_eq!(refused.status, 1);
    assert!(refused.stderr.contains("cannot make the folders of proposals"), "{}", refused.stderr);
    assert!(refused.stderr.contains("hint: "), "{}", refused.stderr);
}
