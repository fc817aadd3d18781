//! Several proposals that a person accepts or discards as one decision, at the command line.

use serde_json::{Value, json};

use super::decisions::{decisions, digest, post, propose, record, run};
use super::test_blog::{BlogClient, TestBlog, TestPost, id};

const N_MEDIA: u32 = 50;

fn sidecar(n: u32) -> String {
    format!("media/2024/03/{n}.jpg.meta")
}

fn media_text(n: u32, alt: &str) -> String {
    format!("---\nid: {}\noriginalName: \"{n}.jpg\"\nalt: \"{alt}\"\n---\n", id(1_000 + n))
}

/// A blog with pictures, and a proposal for the text of each.
fn blog_with_alt_texts() -> (TestBlog, BlogClient, Vec<String>) {
    let blog = TestBlog::new();
    blog.post(&TestPost { n: 1, title: "Old", fields: "status: published\n", body: "Text" });
    for n in 0..N_MEDIA {
        blog.write(&format!("media/2024/03/{n}.jpg"), "no picture");
        blog.write(&sidecar(n), media_text(n, "old"));
    }
    let mut client = blog.client();
    let mut propose = |n: u32| {
        let made = client.call("propose_media_metadata", json!({"mediaId": id(1_000 + n), "alt": format!("Boat {n}")}));
        made["proposalId"].as_str().unwrap().to_owned()
    };
    let proposals = (0..N_MEDIA).map(&mut propose).collect();
    (blog, client, proposals)
}

/// Accepts proposals under the digests with which they were shown.
fn accept_args<'a>(ids: &'a [String], digests: &'a [String]) -> Vec<&'a str> {
    let digests = digests.iter().flat_map(|digest| ["--digest", digest.as_str()]);
    ["accept"].into_iter().chain(ids.iter().map(String::as_str)).chain(digests).collect()
}

fn changed(blog: &TestBlog) -> usize {
    let is_changed =
        |n: &u32| std::fs::read_to_string(blog.path().join(sidecar(*n))).unwrap().contains(&format!("Boat {n}"));
    (0..N_MEDIA).filter(is_changed).count()
}

#[test]
fn fifty_alt_texts_are_one_decision() {
    let (blog, mut client, proposals) = blog_with_alt_texts();
    let digests: Vec<String> = proposals.iter().map(|id| digest(&blog, id)).collect();
    // One of them changed since it was shown: nothing is accepted, not even those before it.
    blog.write(&sidecar(49), media_text(49, "of a person"));
    let refused = run(&blog, &accept_args(&proposals, &digests));
    assert!(refused.status == 1 && refused.stderr.contains("nothing was decided: "), "{refused:?}");
    assert!(refused.stderr.contains("49.jpg.meta changed since (alt)"), "{refused:?}");
    assert_eq!((changed(&blog), decisions(&blog).len()), (0, 0));
    blog.write(&sidecar(49), media_text(49, "old"));
    // There are as many digests as proposals, and no terminal.
    let refused = run(&blog, &accept_args(&proposals, &digests[1..]));
    assert!(refused.status == 1 && refused.stderr.contains("50 IDs and 49 digests"), "{refused:?}");
    let refused = run(&blog, &accept_args(&proposals, &[]));
    assert!(refused.status == 1 && refused.stderr.contains("a person has to look at it"), "{refused:?}");
    assert_eq!(changed(&blog), 0);

    let mut args = accept_args(&proposals, &digests);
    args.push("--json");
    let accepted: Value = serde_json::from_str(&run(&blog, &args).expect_success()).unwrap();
    let accepted = accepted.as_array().unwrap().iter();
    let accepted: Vec<_> = accepted.map(|one| (one["id"].as_str().unwrap(), &one["status"])).collect();
    let status = json!("accepted");
    assert_eq!(accepted, proposals.iter().map(|id| (id.as_str(), &status)).collect::<Vec<_>>());
    assert_eq!(changed(&blog), 50);
    // Each is a line of its own, with what was shown.
    let lines: Vec<_> = proposals.iter().map(|id| record("proposal_accepted", id)).collect();
    assert_eq!(decisions(&blog), lines);
    assert_eq!(client.read(&format!("bds://media/{}", id(1_049)))["alt"], "Boat 49");
    // Again, and it is refused as a whole.
    let refused = run(&blog, &accept_args(&proposals[..2], &[]));
    assert!(refused.status == 1 && refused.stderr.contains("accepted"), "{refused:?}");
}

#[test]
fn several_are_discarded_together_or_none() {
    let (blog, mut client, proposals) = blog_with_alt_texts();
    run(&blog, &["discard", &proposals[2], "--reason", "first"]).expect_success();
    let args = ["discard", &proposals[1], &proposals[2], &proposals[3], "--reason", "no"];
    let refused = run(&blog, &args);
    assert!(refused.status == 1 && refused.stderr.contains("nothing was decided"), "{refused:?}");
    assert!(refused.stderr.contains("was discarded before"), "{refused:?}");
    assert_eq!(decisions(&blog).len(), 1);
    let discarded = run(&blog, &["discard", &proposals[1], &proposals[3], "--reason", "no"]).expect_success();
    assert_eq!(discarded, format!("discarded {}\ndiscarded {}\n", proposals[1], proposals[3]));
    for id in [&proposals[1], &proposals[3]] {
        assert_eq!(client.call("get_proposal", json!({"proposalId": id}))["reason"], "no");
    }
    assert_eq!(changed(&blog), 0);
}

#[test]
fn changes_of_one_file_are_decided_one_after_the_other() {
    let (blog, mut client, media) = blog_with_alt_texts();
    let (one, other) = (propose(&mut client, "New"), propose(&mut client, "Newer"));
    let ids = [one.clone(), media[0].clone(), other];
    let digests: Vec<String> = ids.iter().map(|id| digest(&blog, id)).collect();
    let refused = run(&blog, &accept_args(&ids, &digests));
    assert!(refused.status == 1 && refused.stderr.contains(&format!("same file as the proposal {one}")), "{refused:?}");
    assert!(post(&blog).contains("title: Old\n") && changed(&blog) == 0 && decisions(&blog).is_empty());
    run(&blog, &accept_args(&ids[..2], &digests[..2])).expect_success();
    assert!(post(&blog).contains("title: New\n") && changed(&blog) == 1);
}
