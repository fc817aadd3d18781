//! Searches: of cards and of posts that change, each found by what it says now, and by nothing that it said before.
//!
//! Owns: the blog of the soak, whose constant posts are counted.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::caller::{Caller, tool_params};
use super::{Exchange, Soak, loses_server};
use crate::app_dir::{CARDS, SoakAppDir};
use crate::growth::Usage;
use crate::requests::Rng;

const CONSTANT_POSTS: usize = 60;
const CHANGING_POSTS: usize = 8;
const CHANGING_CARDS: usize = 8;

pub(super) fn write_blog(app_dir: &SoakAppDir) -> Result<()> {
    app_dir.file("blog/meta/project.json", "{\"name\": \"Soak\", \"mainLanguage\": \"en\"}")?;
    for number in 0..CONSTANT_POSTS {
        write_post(app_dir, number, "constant", "steady")?;
    }
    for number in 0..CHANGING_POSTS {
        write_post(app_dir, CONSTANT_POSTS + number, "changing", &word("soak", number))?;
        write_card(app_dir, number, number)?;
    }
    Ok(())
}

fn write_post(app_dir: &SoakAppDir, number: usize, tag: &str, word: &str) -> Result<()> {
    let text = format!(
        "---\nid: 00000000-0000-4000-8000-{number:012}\ntitle: Number {number}\nslug: post-{number}\nstatus: published\n\
         createdAt: '2024-03-01T00:{:02}:00.000Z'\ntags: [{tag}]\n---\nThis post says {word}.\n",
        number % 60
    );
    app_dir.replace(&format!("blog/posts/2024/03/post-{number}.md"), &text)
}

fn write_card(app_dir: &SoakAppDir, number: usize, round: usize) -> Result<()> {
    let card = format!("found_model_20261121T000000_{number:06x}");
    app_dir.replace(&format!("cards/found/{card}.toml"), &format!("round = {round}\n[stats]\npass_rate = 0.5\n"))
}

/// Returns a word that differs in many letters from that of any other number.
pub(super) fn word(prefix: &str, number: usize) -> String {
    let digits = (number as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    format!("{prefix}{digits:016x}")
}

/// Each search waits for the other process.
const MAX_REPEATED_SEARCHES: usize = 5;

/// Returns how many posts have all of these words.
pub(super) fn count_found(caller: &mut Caller<'_>, words: &str) -> Result<u64> {
    let search = |caller: &mut Caller<'_>| caller.call_tool("search_posts", &json!({"query": words}));
    let mut found = search(caller)?;
    // Another process compares the files, which the answer says: then it is asked for again.
    for _ in 0..MAX_REPEATED_SEARCHES {
        if found["hints"].as_array().is_none_or(Vec::is_empty) {
            break;
        }
        found = search(caller)?;
    }
    ensure!(found["approximate"] == false && found["hints"] == json!([]), "{found}");
    found["total"].as_u64().ok_or_else(|| anyhow::anyhow!("{found}"))
}

pub(super) struct Searches<'s> {
    soak: &'s Soak<'s>,
    lasting: Caller<'s>,
    rng: Rng,
}

impl<'s> Searches<'s> {
    pub(super) fn start(soak: &'s Soak<'s>) -> Result<Self> {
        Ok(Self { soak, lasting: Caller::legacy(soak)?, rng: Rng::new(404) })
    }

    fn count_cards(&mut self, package: &str, condition: &Value) -> Result<u64> {
        let found =
            self.lasting.call_tool("alc_card_find", &json!({"pkg": package, "where": condition, "limit": 1000}))?;
        let rows = found["cards"].as_array().map_or(0, Vec::len);
        ensure!(found["total"] == rows, "{rows} rows of {}", found["total"]);
        Ok(rows as u64)
    }

    fn search_cards(&mut self, round: usize) -> Result<()> {
        let least = self.rng.below(CARDS);
        let found = self.count_cards("pkg", &json!({"n": {"gte": least}}))?;
        ensure!(found == (CARDS - least) as u64, "{found} cards from {least}");
        let number = CHANGING_CARDS + round;
        write_card(self.soak.app_dir, number % CHANGING_CARDS, number)?;
        let found = self.count_cards("found", &json!({"round": number}))?;
        ensure!(found == 1, "{found} cards of round {number}");
        let found = self.count_cards("found", &json!({"round": {"lte": number - CHANGING_CARDS}}))?;
        ensure!(found == 0, "{found} cards say what they said before");
        Ok(())
    }

    fn search_posts(&mut self, round: usize) -> Result<()> {
        let number = CHANGING_POSTS + round;
        let (old, new) = (word("soak", number - CHANGING_POSTS), word("soak", number));
        write_post(self.soak.app_dir, CONSTANT_POSTS + number % CHANGING_POSTS, "changing", &new)?;
        if loses_server(round) {
            let mut lost = Caller::legacy(self.soak)?;
            lost.send("tools/call", tool_params("search_posts", &json!({"query": new})))?;
            if let Some(answer) = lost.kill_soon(&mut self.rng)? {
                ensure!(answer["result"]["structuredContent"]["total"] == 1, "{answer}");
            }
        }
        for (words, expected) in [(&*new, 1), (&*old, 0), ("steady post", CONSTANT_POSTS as u64)] {
            let found = count_found(&mut self.lasting, words)?;
            ensure!(found == expected, "{found} posts say {words}");
        }
        let counts = self.lasting.call_tool("count_posts", &json!({"groupBy": ["tag"]}))?;
        let groups = counts["groups"].as_array().map_or(&[][..], Vec::as_slice);
        for (tag, expected) in [("constant", CONSTANT_POSTS), ("changing", CHANGING_POSTS)] {
            let is_exact = groups.iter().any(|group| group["tag"] == tag && group["count"] == expected);
            ensure!(is_exact, "not {expected} posts with the tag {tag}: {counts}");
        }
        Ok(())
    }
}

impl Exchange for Searches<'_> {
    fn hold(&mut self, round: usize) -> Result<()> {
        self.search_cards(round)?;
        self.search_posts(round)
    }

    fn usage(&self) -> Result<Usage> {
        self.lasting.usage()
    }
}
