//! `wardroom proposals` with a terminal and without one, and a blog whose proposals have no place.

use serde_json::Value;
use wardroom_test_support::{TestDir, run_wardroom};

use crate::terminal::run_at_terminal;

const COLORS: &[(&str, &str)] = &[("TERM", "xterm")];
const NO_COLORS: &[(&str, &str)] = &[("TERM", "xterm"), ("NO_COLOR", "1")];

/// Proposes another title for a post, and returns the id of the proposal.
fn propose_title(dir: &TestDir, post: &str, title: &str) -> String {
    let app = dir.app_path().display().to_string();
    let arguments = serde_json::json!({"postId": post, "title": title}).to_string();
    let args = ["call", "propose_post_metadata", &arguments, "--json", "--appdir", &app];
    let made: Value = serde_json::from_str(&run_wardroom(dir.root(), &args).expect_success()).unwrap();
    made["structuredContent"]["proposalId"].as_str().unwrap().to_owned()
}

#[test]
fn person_at_a_terminal_sees_the_difference_and_is_asked() {
    let dir = TestDir::new();
    let name = |post: &str| format!("blog/posts/2024/03/{post}.md");
    for post in ["a", "b"] {
        dir.write_file(&name(post), format!("---\nid: {post}\ntitle: A\nslug: {post}\nstatus: published\n---\nText\n"));
    }
    let text = |post: &str| std::fs::read_to_string(dir.app_path().join(name(post))).unwrap();
    let (one, other) = (propose_title(&dir, "a", "B"), propose_title(&dir, "b", "C"));
    // Everything but a yes is a no: also the key that is pressed by mistake.
    for answer in ["n\n", "\n", "Yes, but later\n"] {
        let Some((status, shown)) = run_at_terminal(&dir, COLORS, &format!("proposals accept {one}"), answer) else {
            return;
        };
        assert_eq!(status, 1, "{shown}");
        assert!(shown.contains("\u{1b}[31m-title: A\u{1b}[0m\n\u{1b}[32m+title: B\u{1b}[0m\n"), "{shown:?}");
        assert!(shown.contains("\u{1b}[36m@@ "), "{shown:?}");
        assert!(shown.contains("Make it public? [y/N]") && shown.contains("nothing was accepted"), "{shown}");
        assert!(text("a").contains("title: A\n"));
    }
    let (status, shown) = run_at_terminal(&dir, COLORS, &format!("proposals accept {one} {other}"), "n\n").unwrap();
    assert!(status == 1 && shown.contains("Make these 2 public? [y/N]") && shown.contains("+title: C"), "{shown}");
    let (status, shown) = run_at_terminal(&dir, NO_COLORS, &format!("proposals accept {one}"), "y\n").unwrap();
    assert_eq!(status, 0, "{shown}");
    assert!(shown.contains("\n-title: A\n+title: B\n") && !shown.contains('\u{1b}'), "{shown:?}");
    assert!(shown.ends_with(&format!("accepted {one}\n")) && text("a").contains("title: B\n"), "{shown}");
    // Showing is no question, and a digest is the answer to one.
    let (status, shown) = run_at_terminal(&dir, COLORS, &format!("proposals show {other}"), "").unwrap();
    assert!(status == 0 && shown.contains("\u{1b}[32m+title: C") && !shown.contains("[y/N]"), "{shown}");
    assert!(text("b").contains("title: A\n"));
}

/// A decision whose process ended before it wrote.
#[test]
fn proposal_is_shown_with_what_its_decision_did_not_write() {
    let dir = TestDir::new();
    dir.write_file("blog/posts/2024/03/a.md", "---\nid: a\ntitle: A\nslug: a\nstatus: published\n---\nText\n");
    let id = propose_title(&dir, "a", "B");
    let app = dir.app_path().display().to_string();
    let run = |args: &[&str]| run_wardroom(dir.root(), &[args, &["--appdir", &app]].concat()).expect_success();
    let shown: Value = serde_json::from_str(&run(&["proposals", "show", &id, "--json"])).unwrap();
    run(&["proposals", "accept", &id, "--digest", shown["digest"].as_str().unwrap()]);
    let is_shown = || run(&["proposals", "show", &id]).contains("\nits files are not written yet: ");
    assert!(!is_shown());
    let decided = dir.app_path().join("blog/.wardroom/decided");
    let folder = std::fs::read_dir(&decided).unwrap().next().unwrap().unwrap().path();
    let file = folder.join(format!("{id}.json"));
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("\"is_carried_out\":true"), "{text}");
    std::fs::write(&file, text.replace("\"is_carried_out\":true", "\"is_carried_out\":false")).unwrap();
    assert!(is_shown());
}

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
        "error: nothing was accepted: a person has to look at it\nhint: run it at a terminal, or name what you saw: wardroom --appdir \
         '{app}' proposals show {id} --json has a digest\n"
    );
    assert_eq!((refused.status, refused.stderr.as_str()), (1, expected.as_str()));
    let refused = run(&["proposals", "accept", id, "--digest", "0"]);
    let expected = format!(
        "error: nothing was accepted: this is not what was shown under that digest\nhint: look at it again: wardroom --appdir \
         '{app}' proposals show {id} --json\n"
    );
    assert_eq!((refused.status, refused.stderr.as_str()), (1, expected.as_str()));
}

#[test]
fn several_are_accepted_together_or_none() {
    let dir = TestDir::new();
    for post in ["a", "b"] {
        let text = format!("---\nid: {post}\ntitle: A\nslug: {post}\nstatus: published\n---\nText\n");
        dir.write_file(&format!("blog/posts/2024/03/{post}.md"), text);
    }
    let app = dir.app_path().display().to_string();
    let run = |args: &[&str]| run_wardroom(dir.root(), &[args, &["--appdir", &app]].concat());
    let (one, other) = (propose_title(&dir, "a", "B"), propose_title(&dir, "b", "C"));
    let refused = run(&["proposals", "accept", &one, &other, "--digest", "0"]);
    let expected = "error: nothing was accepted: there are 2 IDs and 1 digests\nhint: name a --digest for each ID, in the same \
                    order\n";
    assert_eq!((refused.status, refused.stderr.as_str()), (1, expected));
    run(&["proposals", "discard", &one]).expect_success();
    let refused = run(&["proposals", "discard", &other, &one]);
    let expected = format!(
        "error: nothing was decided: {one}: Proposal {one} was discarded before.\nhint: look at each again, as with wardroom --appdir \
         '{app}' proposals show {one}; the others are still pending\n"
    );
    assert_eq!((refused.status, refused.stderr), (1, expected));
    assert!(run(&["proposals", "list"]).expect_success().starts_with(&other));
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
