//! Proposals of the blog at its full size: making one, deciding on it, and listing among many.
//!
//! Owns: the decided proposals that are there before.
//! Never: measures without the flushes that a proposal is safe after.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::blog::{call, p95};
use super::peer::Peer;
use super::table::{Table, micros};

/// Decided proposals among which the pending ones are listed.
const DECIDED: usize = 10_000;
const TIMES: usize = 60;
/// Time after a decision in which another one could leave the same time stamp, so that names are read again; and in which the servers
/// put off what may wait, such as a second look at the files that were accepted.
const SETTLE_TIME: Duration = Duration::from_secs(8);

pub(crate) fn proposals(table: &mut Table, peer: &mut Peer, other: &mut Peer, blog: &Path, posts: usize) -> Result<()> {
    let flush = flush_floor(blog)?;
    // A word that no run before this one left in a post.
    let word = |at: usize| format!("bench{}x{at}", process::id());
    let mut made = Vec::new();
    let proposed = p95(TIMES, |at| {
        let slug = format!("post-{}", at * posts / TIMES);
        let line = call("propose_post_metadata", &format!("{{\"postId\":\"{slug}\",\"excerpt\":\"{}\"}}", word(at)));
        let start = Instant::now();
        let answer = peer.request(&line)?;
        let took = start.elapsed().as_secs_f64() * 1e6;
        made.push(field(&answer, "proposalId")?);
        Ok(took)
    })?;
    let beside = format!("{} (two flushes)", micros(flush));
    table.row("blog, p95: propose", micros(proposed), beside, Some(proposed / flush));
    let mut elsewhere = Vec::new();
    let accepted = p95(TIMES, |at| {
        let id = made.get(at).context("as many proposals")?;
        let line = call("accept_proposal", &format!("{{\"proposalId\":\"{id}\"}}"));
        let start = Instant::now();
        let answer = peer.request(&line)?;
        let took = start.elapsed().as_secs_f64() * 1e6;
        if field(&answer, "status")? != "accepted" {
            bail!("not accepted: {}", String::from_utf8_lossy(&answer));
        }
        let search = call("search_posts", &format!("{{\"query\":\"{}\"}}", word(at)));
        if !found(&peer.request(&search)?) {
            bail!("an accepted change is not found at once");
        }
        while !found(&other.request(&search)?) {
            if start.elapsed() > Duration::from_secs(30) {
                bail!("an accepted change is not found by another server");
            }
        }
        elsewhere.push(start.elapsed().as_secs_f64() * 1e6);
        Ok(took)
    })?;
    table.row("blog, p95: accept, durable and searchable", micros(accepted), "".to_owned(), None);
    elsewhere.sort_by(f64::total_cmp);
    let elsewhere = elsewhere.get(elsewhere.len() * 95 / 100).copied().context("some times")?;
    table.row("blog, p95: accept, until another server finds it", micros(elsewhere), "".to_owned(), None);
    add_decided(blog)?;
    let ping = p95(200, |_| peer.timed(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"))?;
    for (when, pause) in [(", just decided", Duration::ZERO), ("", SETTLE_TIME)] {
        std::thread::sleep(pause);
        for name in ["pending", "accepted", "discarded"] {
            // Of the discarded ones there is none: the list looks at all others.
            let arguments = &format!("{{\"status\":\"{name}\"}}");
            let listed = p95(100, |_| peer.timed(&call("list_proposals", arguments)))?;
            let name = format!("blog, p95: list {name} proposals among {DECIDED} decided{when}");
            table.row(&name, micros(listed), format!("{} (a ping)", micros(ping)), Some(listed / ping));
        }
    }
    Ok(())
}

/// Returns the time of writing and flushing a small file and its folder twice, in microseconds.
fn flush_floor(blog: &Path) -> Result<f64> {
    // Beside the blog: the servers look at what comes into its folder.
    let path = blog.with_file_name("flushed");
    let folder = blog.parent().context("a folder of the blog")?;
    p95(TIMES, |_| {
        let start = Instant::now();
        for _ in 0..2 {
            let mut file = fs::File::create(&path)?;
            file.write_all(&[b'x'; 4096])?;
            file.sync_all()?;
            fs::File::open(folder)?.sync_all()?;
        }
        fs::remove_file(&path)?;
        Ok(start.elapsed().as_secs_f64() * 1e6)
    })
}

/// Copies a decided proposal under as many ids.
fn add_decided(blog: &Path) -> Result<()> {
    let decided = blog.join(".wardroom/decided");
    let folder = fs::read_dir(&decided)?.next().context("a decided proposal")??.path();
    let file = fs::read_dir(&folder)?.next().context("a decided proposal")??.path();
    let text = fs::read_to_string(&file)?;
    let id = file.file_stem().and_then(|name| name.to_str()).context("an id")?.to_owned();
    for number in 0..DECIDED {
        let (start, _) = id.split_at(id.len() - 12);
        let other = format!("{start}{number:012x}");
        let path = folder.join(format!("{other}.json"));
        if !path.exists() {
            fs::write(path, text.replace(&id, &other))?;
        }
    }
    Ok(())
}

fn field(answer: &[u8], name: &str) -> Result<String> {
    let answer: Value = serde_json::from_slice(answer)?;
    let value = answer.pointer(&format!("/result/structuredContent/{name}")).and_then(Value::as_str);
    value.map(str::to_owned).with_context(|| format!("no {name}: {answer}"))
}

fn found(answer: &[u8]) -> bool {
    answer.windows(9).any(|window| window == b"\"total\":1")
}
