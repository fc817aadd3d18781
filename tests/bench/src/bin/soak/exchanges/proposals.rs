//! Proposals: nothing is public before a person decides, each decision is made once, and a decided post is found.
//!
//! Owns: the posts that proposals made; the oldest are removed, as their author would.

use std::collections::VecDeque;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::caller::{Caller, command, describe, run_command};
use super::searches::{count_found, word};
use super::{Exchange, Soak, loses_server};
use crate::growth::Usage;
use crate::requests::Rng;

/// Posts of earlier rounds that stay.
const KEPT_POSTS: usize = 20;

pub(super) struct Proposals<'s> {
    soak: &'s Soak<'s>,
    lasting: Caller<'s>,
    rng: Rng,
    /// The path of each published post below the blog, with a word that it has.
    published: VecDeque<(String, String)>,
}

/// A proposal that waits, and the digest of what a person saw of it.
struct Pending {
    id: String,
    digest: String,
}

impl<'s> Proposals<'s> {
    pub(super) fn start(soak: &'s Soak<'s>) -> Result<Self> {
        Ok(Self { soak, lasting: Caller::legacy(soak)?, rng: Rng::new(505), published: VecDeque::new() })
    }

    /// Proposes a post; its server may be killed after the answer.
    fn draft(&mut self, round: usize) -> Result<Pending> {
        let post = json!({"title": format!("Proposal {round}"), "content": format!("It says {}.\n", word("draft", round)),
            "tags": ["proposed"]});
        let made = if loses_server(round) {
            let mut lost = Caller::legacy(self.soak)?;
            let made = lost.call_tool("draft_post", &post)?;
            lost.kill()?;
            made
        } else {
            self.lasting.call_tool("draft_post", &post)?
        };
        self.show(&made)
    }

    fn show(&self, made: &Value) -> Result<Pending> {
        let id = made["proposalId"].as_str().with_context(|| made.to_string())?.to_owned();
        let shown: Value = serde_json::from_str(&run_command(self.soak, &["proposals", "show", &id, "--json"])?)?;
        let digest = shown["digest"].as_str().with_context(|| shown.to_string())?.to_owned();
        Ok(Pending { id, digest })
    }

    /// Accepts as a person at the command line does.
    fn accept(&self, pending: &Pending) -> Result<()> {
        let Pending { id, digest } = pending;
        let said = run_command(self.soak, &["proposals", "accept", id, "--digest", digest])?;
        ensure!(said == format!("accepted {id}\n"), "{said}");
        Ok(())
    }

    /// Accepts and discards at the same time: one of both is done.
    fn decide_twice(&self, pending: &Pending) -> Result<bool> {
        let Pending { id, digest } = pending;
        let accept = command(self.soak, &["proposals", "accept", id, "--digest", digest]).spawn()?;
        let discard = command(self.soak, &["proposals", "discard", id]).spawn()?;
        let (accept, discard) = (accept.wait_with_output()?, discard.wait_with_output()?);
        let is_accepted = accept.status.success();
        let decisions = format!("{}; {}", describe(&accept), describe(&discard));
        ensure!(is_accepted != discard.status.success(), "not one decision: {decisions}");
        let refused = if is_accepted { &discard } else { &accept };
        let reason = String::from_utf8_lossy(&refused.stderr);
        ensure!(reason.contains(if is_accepted { "accepted" } else { "discarded" }), "{decisions}");
        Ok(is_accepted)
    }

    /// Kills the command that accepts; what it decided is finished by the next one, or decided by it.
    fn lose_decision(&mut self, pending: &Pending) -> Result<()> {
        let Pending { id, digest } = pending;
        let mut accept = command(self.soak, &["proposals", "accept", id, "--digest", digest]).spawn()?;
        std::thread::sleep(std::time::Duration::from_millis(self.rng.below(150) as u64));
        accept.kill()?;
        accept.wait()?;
        self.soak.count_kill();
        let again = command(self.soak, &["proposals", "accept", id, "--digest", digest]).output()?;
        let is_decided = again.status.success() || String::from_utf8_lossy(&again.stderr).contains("it is accepted");
        ensure!(is_decided, "{}", describe(&again));
        Ok(())
    }

    /// Changes a published post by a proposal.
    fn edit(&mut self, post: &Value, old: &str, new: &str) -> Result<()> {
        let edit = json!({"postId": post, "edits": [{"find": old, "replace": new}]});
        let made = self.propose_edit(&edit)?;
        ensure!(count_found(&mut self.lasting, old)? == 1, "an edit is public before its decision");
        self.accept(&self.show(&made)?)?;
        let found = (count_found(&mut self.lasting, old)?, count_found(&mut self.lasting, new)?);
        ensure!(found == (0, 1), "{found:?} posts say what was edited, and what it is now");
        Ok(())
    }

    /// Proposes an edit. For a moment the index of a server may have the draft whose file became the post; the server says so.
    fn propose_edit(&mut self, edit: &Value) -> Result<Value> {
        const ATTEMPTS: usize = 100;
        for _ in 0..ATTEMPTS {
            match self.lasting.call_tool("propose_post_edit", edit) {
                Err(error) if format!("{error:#}").contains("TARGET_GONE") => {
                    std::thread::sleep(std::time::Duration::from_millis(50));
                }
                made => return made,
            }
        }
        self.lasting.call_tool("propose_post_edit", edit)
    }

    /// Removes the oldest posts, as their author would.
    fn remove_old(&mut self) -> Result<()> {
        while self.published.len() > KEPT_POSTS {
            let (path, word) = self.published.pop_front().context("a post")?;
            std::fs::remove_file(self.soak.app().join("blog").join(path))?;
            ensure!(count_found(&mut self.lasting, &word)? == 0, "a post that is gone is found");
        }
        Ok(())
    }
}

impl Exchange for Proposals<'_> {
    fn hold(&mut self, round: usize) -> Result<()> {
        let said = word("draft", round);
        let pending = self.draft(round)?;
        ensure!(count_found(&mut self.lasting, &said)? == 0, "a draft is public before its decision");
        let is_accepted = match round % 3 {
            0 => self.decide_twice(&pending)?,
            1 => {
                self.lose_decision(&pending)?;
                true
            }
            _ => {
                self.accept(&pending)?;
                true
            }
        };
        let decided = self.lasting.call_tool("get_proposal", &json!({"proposalId": pending.id}))?;
        ensure!(decided["status"] == if is_accepted { "accepted" } else { "discarded" }, "{decided}");
        ensure!(count_found(&mut self.lasting, &said)? == u64::from(is_accepted), "not what was decided");
        if is_accepted {
            let edited = word("edited", round);
            self.edit(&decided["entity_id"], &said, &edited)?;
            let path = decided["draft_post"]["path"].as_str().with_context(|| decided.to_string())?;
            self.published.push_back((path.to_owned(), edited));
        }
        self.remove_old()
    }

    fn finish(&mut self) -> Result<()> {
        let pending = self.lasting.call_tool("list_proposals", &json!({}))?;
        ensure!(pending["proposals"] == json!([]), "proposals still wait: {pending}");
        let counts = self.lasting.call_tool("count_posts", &json!({"groupBy": ["tag"]}))?;
        let groups = counts["groups"].as_array().map_or(&[][..], Vec::as_slice);
        let proposed =
            groups.iter().find(|group| group["tag"] == "proposed").map_or(json!(0), |group| group["count"].clone());
        ensure!(proposed == self.published.len(), "not {} posts of proposals: {counts}", self.published.len());
        Ok(())
    }

    fn usage(&self) -> Result<Usage> {
        self.lasting.usage()
    }
}
