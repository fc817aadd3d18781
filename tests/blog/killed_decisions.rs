//! Commands and servers that are killed while they decide on proposals of each kind: a decision is whole or none, and has one line in
//! the audit trail.

use std::collections::BTreeMap;
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

use super::decisions::{decisions, digest, start};
use super::proposals::{agent, exists, files, text};
use super::random::Random;
use super::test_blog::{BlogClient, TestBlog, TestPost, id};

const N_ROUNDS: u32 = 60;
const POST: &str = "posts/2024/03/post-1.md";

/// What is decided on in a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Metadata,
    Draft,
    Script,
}

struct Pending {
    kind: Kind,
    proposal: String,
    entity: String,
    round: u32,
}

impl Pending {
    fn propose(client: &mut BlogClient, kind: Kind, round: u32) -> Self {
        let name = format!("Round {round}");
        let (tool, arguments) = match kind {
            Kind::Metadata => ("propose_post_metadata", json!({"postId": id(1), "title": name})),
            Kind::Draft => ("draft_post", json!({"title": name, "content": "Text"})),
            Kind::Script => ("propose_script", json!({"title": name, "kind": "utility", "content": "return 1"})),
        };
        let made = client.call(tool, arguments);
        let proposal = made["proposalId"].as_str().unwrap().to_owned();
        let found = client.call("get_proposal", json!({"proposalId": proposal}));
        Self { kind, proposal, entity: found["entity_id"].as_str().unwrap().to_owned(), round }
    }

    /// Checks that the files are as the status says.
    #[track_caller]
    fn check(&self, blog: &TestBlog, status: &str) {
        let is_accepted = status == "accepted";
        let name = format!("round-{}", self.round);
        let draft = |extension: &str| exists(blog, &format!(".wardroom/drafts/{}.{extension}", self.entity));
        match self.kind {
            Kind::Metadata => {
                assert_eq!(
                    text(blog, POST).contains(&format!("title: Round {}\n", self.round)),
                    is_accepted,
                    "{status}"
                );
            }
            Kind::Draft => {
                let is_public = files(blog, "posts").iter().any(|file| file.ends_with(&format!("/{name}.md")));
                assert_eq!((is_public, draft("md")), (is_accepted, status == "pending"), "{status}");
            }
            Kind::Script => {
                let is_public = files(blog, "scripts").contains(&format!("{name}.lua"));
                assert_eq!((is_public, draft("lua")), (is_accepted, status == "pending"), "{status}");
            }
        }
    }
}

/// Lets a process decide, and kills it at a random moment.
fn decide_and_kill(blog: &TestBlog, random: &mut Random, pending: &Pending, verdict: &str) {
    let wait = |random: &mut Random| sleep(Duration::from_millis(random.below(60).into()));
    if random.below(2) == 0 {
        let shown = digest(blog, &pending.proposal);
        let args = [verdict, &pending.proposal, "--digest", &shown];
        let mut child = start(blog, if verdict == "accept" { &args } else { &args[..2] });
        wait(random);
        child.kill().unwrap();
        child.wait().unwrap();
    } else {
        // The server is killed (SIGKILL) when its client is dropped.
        let mut server = agent(blog);
        let params = json!({"name": format!("{verdict}_proposal"), "arguments": {"proposalId": pending.proposal}});
        server.0.0.send_request("tools/call", params);
        sleep(Duration::from_millis(u64::from(random.below(30))));
    }
}

#[test]
fn killed_decisions_are_whole_or_none() {
    let blog = TestBlog::new();
    blog.post(&TestPost { n: 1, title: "Old", fields: "status: published\n", body: "Text" });
    let mut client = agent(&blog);
    let mut random = Random::new();
    let mut decided = BTreeMap::new();
    let mut n_pending = 0;
    for round in 0..N_ROUNDS {
        let kind = [Kind::Metadata, Kind::Draft, Kind::Script][random.below(3) as usize];
        let pending = Pending::propose(&mut client, kind, round);
        let verdict = ["accept", "discard"][random.below(2) as usize];
        decide_and_kill(&blog, &mut random, &pending, verdict);
        // What is proposed next ends what was left.
        let next = Pending::propose(&mut client, Kind::Draft, 1_000 + round);
        let found = client.call("get_proposal", json!({"proposalId": pending.proposal}));
        let status = found["status"].as_str().unwrap();
        pending.check(&blog, status);
        if status == "pending" {
            n_pending += 1;
            let arguments = json!({"proposalId": pending.proposal});
            client.call("discard_proposal", arguments);
            pending.check(&blog, "discarded");
        }
        let line = if status == "accepted" { "proposal_accepted" } else { "proposal_discarded" };
        decided.insert(pending.proposal, line);
        client.call("discard_proposal", json!({"proposalId": next.proposal}));
        decided.insert(next.proposal, "proposal_discarded");
    }
    // Some were killed before their decision, and some after it.
    assert!(n_pending > 0 && n_pending < N_ROUNDS, "{n_pending}");
    blog.run(&["audit", "verify"]).expect_success();
    // Each decision has one line, whichever process wrote it.
    let mut found: Vec<[String; 2]> =
        decisions(&blog).into_iter().map(|[_, _, action, subject]| [subject, action]).collect();
    found.sort();
    let expected: Vec<[String; 2]> = decided.iter().map(|(id, line)| [id.clone(), (*line).to_owned()]).collect();
    assert_eq!(found, expected);
    let left = client.call("list_proposals", json!({}));
    assert_eq!(left["proposals"], Value::Array(Vec::new()));
}
