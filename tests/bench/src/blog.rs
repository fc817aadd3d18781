//! The blog at 100,000 posts: pages, searches, counts, its index, and what a change takes.
//!
//! Owns: the generated blog: words by Zipf's law in English and German, characters by it in Japanese, a long tail of lengths,
//! 40 tags and 200,000 links.
//! Never: measures with other figures' processor alone: an index is made by several threads.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::peer::{Peer, Revision, read};
use super::table::{Table, micros};

const POSTS: usize = 100_000;

/// Measures everything, and leaves the generated blog for the next time.
pub(crate) fn blog(table: &mut Table, wardroom: &Path, root: &Path) -> Result<()> {
    let blog = root.join(format!("blog-{POSTS}"));
    let words = Words::new();
    if !blog.join("complete").exists() {
        write_blog(&blog, &words)?;
        fs::write(blog.join("complete"), "")?;
    }
    let app = root.join("blog-app");
    let _ = fs::remove_dir_all(app.join("cache"));
    fs::create_dir_all(&app)?;
    first_index(table, wardroom, &app, &blog)?;
    let start = Instant::now();
    let mut peer = serve(wardroom, &app, &blog)?;
    peer.timed(&read(1, "bds://posts", Revision::Legacy))?;
    let took = start.elapsed().as_secs_f64() * 1e6;
    table.row("blog: start with an index to the first answer", micros(took), "", None);
    // The server compares all files meanwhile.
    sleep(Duration::from_secs(10));
    pages(table, &mut peer, &blog)?;
    searches(table, &mut peer, &blog, &words)?;
    changes(table, &mut peer, &blog)?;
    table.row("blog: resident while serving", format!("{:.1} MB", peer.resident()?), "", None);
    Ok(())
}

fn serve(wardroom: &Path, app: &Path, blog: &Path) -> Result<Peer> {
    let mut command = Command::new(wardroom);
    command.arg("--appdir").arg(app).arg("--blog").arg(blog).args(["--service", "blog"]);
    let mut peer = Peer::spawn(&mut command)?;
    peer.initialize()?;
    Ok(peer)
}

fn first_index(table: &mut Table, wardroom: &Path, app: &Path, blog: &Path) -> Result<()> {
    let floor = Instant::now();
    let mut bytes = 0;
    for file in files(&blog.join("posts"))? {
        bytes += fs::read(file)?.len();
    }
    let floor = floor.elapsed().as_secs_f64();
    let start = Instant::now();
    let mut command = Command::new(wardroom);
    command.args(["blog", "index", "--appdir"]).arg(app).arg("--blog").arg(blog);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let mut peak = 0.0_f64;
    while child.try_wait()?.is_none() {
        peak = peak.max(peak_resident(child.id()).unwrap_or(0.0));
        sleep(Duration::from_millis(50));
    }
    let took = start.elapsed().as_secs_f64();
    table.row(
        &format!("blog: first index of {POSTS} posts, and its peak memory"),
        format!("{took:.0} s, {peak:.0} MB"),
        format!("{floor:.1} s (reading the files)"),
        Some(took / floor),
    );
    let index: u64 = files(&app.join("cache"))?.iter().filter_map(|file| Some(fs::metadata(file).ok()?.len())).sum();
    let (index, posts) = (index as f64 / 1e6, bytes as f64 / 1e6);
    table.row(
        "blog: size of the index",
        format!("{index:.0} MB"),
        format!("{posts:.0} MB (the posts)"),
        Some(index / posts),
    );
    Ok(())
}

fn pages(table: &mut Table, peer: &mut Peer, blog: &Path) -> Result<()> {
    let mut random = Random(3);
    let some = files(&blog.join("posts/2010/06"))?;
    let floor = p95(50, |_| {
        let start = Instant::now();
        for file in some.iter().take(50) {
            fs::read(file)?;
        }
        Ok(start.elapsed().as_secs_f64() * 1e6)
    })?;
    let page = p95(200, |_| {
        let offset = base64(random.below(POSTS).to_string().as_bytes());
        peer.timed(&read(1, &format!("bds://posts?cursor={offset}"), Revision::Legacy))
    })?;
    let beside = format!("{} (reading 50 posts)", micros(floor));
    table.row("blog, p95: any page of posts, with links", micros(page), beside, Some(page / floor));
    let slug = p95(200, |_| {
        let arguments = format!("{{\"slug\":\"post-{}\"}}", random.below(POSTS));
        peer.timed(&call("read_post_by_slug", &arguments))
    })?;
    table.row("blog, p95: a post by its slug", micros(slug), "", None);
    let count = p95(50, |_| peer.timed(&call("count_posts", "{\"groupBy\":[\"year\",\"tag\"]}")))?;
    table.row("blog, p95: count by year and tag", micros(count), "", None);
    Ok(())
}

fn searches(table: &mut Table, peer: &mut Peer, blog: &Path, words: &Words) -> Result<()> {
    let word = |rank: usize| words.latin.first().and_then(|words| words.get(rank)).cloned().unwrap_or_default();
    let mut search = |times: usize, arguments: &dyn Fn(usize) -> String| {
        p95(times, |at| peer.timed(&call("search_posts", &arguments(at))))
    };
    let rare = search(100, &|at| format!("{{\"query\":\"{}\"}}", word(20_000 + at * 37)))?;
    let common = search(50, &|at| format!("{{\"query\":\"{}\"}}", word(at % 5)))?;
    let filtered = search(50, &|at| {
        let (year, tag) = (2005 + at % 20, at % 40);
        format!("{{\"query\":\"{}\",\"language\":\"en\",\"year\":{year},\"tags\":[\"tag{tag}\"]}}", word(at % 5))
    })?;
    let phrase = search(50, &|at| format!("{{\"query\":\"\\\"{} {}\\\"\"}}", word(at % 5), word(300 + at)))?;
    let commonest = search(30, &|_| format!("{{\"query\":\"\\\"{} {}\\\"\"}}", word(0), word(1)))?;
    let prefix = search(30, &|at| format!("{{\"query\":\"{}*\"}}", word(100 + at)))?;
    table.row("blog, p95: search for a rare word", micros(rare), "", None);
    let fts5 = sqlite(blog, &word(0))?;
    let beside =
        fts5.map_or_else(|| "(no Python with SQLite)".to_owned(), |time| format!("{} (SQLite FTS5)", micros(time)));
    table.row("blog, p95: search for a common word", micros(common), beside, fts5.map(|time| common / time));
    table.row("blog, p95: a common word with three filters", micros(filtered), "", None);
    table.row("blog, p95: a phrase with a word of few posts", micros(phrase), "", None);
    table.row("blog, p95: a phrase of the two commonest words", micros(commonest), "", None);
    table.row("blog, p95: words with a beginning", micros(prefix), "", None);
    Ok(())
}

/// Returns the time of the same search in SQLite, with its full-text index over the same bodies.
fn sqlite(blog: &Path, word: &str) -> Result<Option<f64>> {
    const SCRIPT: &str = "
import sqlite3, sys, time, os
blog, word = sys.argv[1:]
db = sqlite3.connect(':memory:')
db.execute('create virtual table posts using fts5(title, body)')
for folder, _, names in os.walk(blog + '/posts'):
    for name in names:
        text = open(os.path.join(folder, name), encoding='utf-8').read().split('---', 2)[2]
        db.execute('insert into posts values (?, ?)', (name, text))
times = []
for _ in range(30):
    start = time.perf_counter()
    rows = db.execute('select rowid, snippet(posts, 1, ?, ?, ?, 20) from posts where posts match ? order by bm25(posts) limit 50',
        ('<', '>', '', word)).fetchall()
    db.execute('select count(*) from posts where posts match ?', (word,)).fetchone()
    times.append(time.perf_counter() - start)
assert rows
print(sorted(times)[28] * 1e6)
";
    let output = Command::new("python3").arg("-c").arg(SCRIPT).arg(blog).arg(word).output();
    let Some(output) = output.ok().filter(|output| output.status.success()) else { return Ok(None) };
    Ok(Some(String::from_utf8(output.stdout)?.trim().parse()?))
}

fn changes(table: &mut Table, peer: &mut Peer, blog: &Path) -> Result<()> {
    let path = blog.join("posts/2010/06/changed.md");
    let mut times = Vec::new();
    for turn in 0..10 {
        let text = format!(
            "---\nid: changed\nslug: changed\ntitle: Changed\ncreatedAt: '2010-06-01T00:00:00.000Z'\n---\nzanzibar turn{turn}\n"
        );
        let start = Instant::now();
        fs::write(&path, text)?;
        let line = call("search_posts", &format!("{{\"query\":\"\\\"zanzibar turn{turn}\\\"\"}}"));
        loop {
            let answer = peer.request(&line)?;
            if answer.windows(9).any(|window| window == b"\"total\":1") {
                break;
            }
            if start.elapsed() > Duration::from_secs(30) {
                bail!("the changed post is not found");
            }
            sleep(Duration::from_millis(2));
        }
        times.push(start.elapsed().as_secs_f64() * 1e6);
        sleep(Duration::from_millis(2_500));
    }
    fs::remove_file(path)?;
    times.sort_by(f64::total_cmp);
    let median = times.get(times.len() / 2).copied().context("ten times")?;
    let beside = "40 ms (the wait for the end of a burst)";
    table.row("blog: from a changed post to its search", micros(median), beside, None);
    Ok(())
}

fn call(tool: &str, arguments: &str) -> Vec<u8> {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"{tool}\",\"arguments\":{arguments}}}}}\n"
    )
    .into_bytes()
}

/// Returns the time that 95 of 100 calls do not exceed.
fn p95(times: usize, mut once: impl FnMut(usize) -> Result<f64>) -> Result<f64> {
    let mut all = (0..times).map(&mut once).collect::<Result<Vec<_>>>()?;
    all.sort_by(f64::total_cmp);
    all.get(all.len() * 95 / 100).copied().context("at least one time")
}

/// Returns the peak resident memory in MB.
fn peak_resident(process: u32) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kib / 1024.0)
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            found.extend(files(&entry.path())?);
        } else {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let number = chunk.iter().fold(0_u32, |number, byte| number << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for digit in 0..=chunk.len() {
            let at = number >> (18 - 6 * digit) & 63;
            text.extend(DIGITS.get(at as usize).map(|digit| char::from(*digit)));
        }
    }
    text
}

// ---- The generated blog --------------------------------------------------------------------------------------------

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// The words of two languages and the characters of a third, the commonest first.
struct Words {
    latin: Vec<Vec<String>>,
    characters: Vec<char>,
    /// How likely a rank is at most some rank.
    word_ranks: Vec<f64>,
    character_ranks: Vec<f64>,
}

impl Words {
    fn new() -> Self {
        const SYLLABLES: [&str; 2] = [
            "ing ter ra con pre lo mi sta ble ment er on the qua shi ver den pol cu nal",
            "schaft ung ver ge lich keit haus stra ße mü ler bür ger wal der zeit ent auf ein mach",
        ];
        let mut random = Random(11);
        let latin: Vec<Vec<String>> = SYLLABLES
            .iter()
            .map(|syllables| {
                let syllables: Vec<&str> = syllables.split(' ').collect();
                let mut word = || {
                    let count = 1 + random.below(4);
                    (0..count).filter_map(|_| syllables.get(random.below(syllables.len()))).copied().collect::<String>()
                };
                (0..40_000).map(|_| word()).collect()
            })
            .collect();
        let kana = 0x3041..0x3094;
        let characters: Vec<char> = kana.chain(0x4e00..0x4e00 + 2_000).filter_map(char::from_u32).collect();
        let character_ranks = zipf(characters.len());
        Self { latin, characters, word_ranks: zipf(40_000), character_ranks }
    }
}

fn zipf(count: usize) -> Vec<f64> {
    let mut total = 0.0;
    let mut ranks: Vec<f64> = (1..=count)
        .map(|rank| {
            total += 1.0 / rank as f64;
            total
        })
        .collect();
    ranks.iter_mut().for_each(|rank| *rank /= total);
    ranks
}

fn draw(ranks: &[f64], random: &mut Random) -> usize {
    let at = random.unit();
    ranks.partition_point(|rank| *rank < at).min(ranks.len() - 1)
}

fn write_blog(root: &Path, words: &Words) -> Result<()> {
    let mut random = Random(7);
    fs::create_dir_all(root.join("meta"))?;
    fs::write(root.join("meta/project.json"), "{\"name\":\"Bench\",\"mainLanguage\":\"en\"}")?;
    for year in 2005..2025 {
        for month in 1..=12 {
            fs::create_dir_all(root.join(format!("posts/{year}/{month:02}")))?;
        }
    }
    for number in 0..POSTS {
        let language = ["en", "en", "de", "ja"].get(number % 4).copied().unwrap_or("en");
        let year = 2005 + number * 20 / POSTS;
        let (month, day) = (1 + random.below(12), 1 + random.below(28));
        let spread = (random.unit() + random.unit() + random.unit()) * 2.0 - 3.0;
        let len = ((spread * 1.2).exp() * 2_000.0 + 200.0).min(100_000.0) as usize;
        let (title, mut body) = (text(words, language, 40, &mut random), text(words, language, len, &mut random));
        for _ in 0..2 {
            // A third of the links lead to a thousand posts.
            let near = if random.below(3) == 0 { POSTS } else { 1_000 };
            let _ = write!(body, "\n\nSee [another](/posts/post-{}).", random.below(near));
        }
        let status = if random.below(20) == 0 { "draft" } else { "published" };
        let tags: Vec<String> = (0..3).map(|_| format!("  - tag{}\n", random.below(40))).collect();
        let (high, low) = (random.next(), random.next());
        let post = format!(
            "---\nid: {:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}\ntitle: \"{}\"\nslug: post-{number}\nstatus: {status}\nlanguage: {language}\n\
             createdAt: '{year}-{month:02}-{day:02}T{:02}:{:02}:00.000Z'\ntags:\n{}categories:\n  - article\n---\n{body}\n",
            high >> 32,
            high >> 16 & 0xffff,
            high & 0xfff,
            low >> 52,
            low & 0xffff_ffff_ffff,
            title.trim(),
            random.below(24),
            random.below(60),
            tags.concat(),
        );
        fs::write(root.join(format!("posts/{year}/{month:02}/post-{number}.md")), post)?;
    }
    Ok(())
}

fn text(words: &Words, language: &str, len: usize, random: &mut Random) -> String {
    let mut text = String::new();
    let vocabulary = words.latin.get(usize::from(language == "de"));
    while text.len() < len {
        if language == "ja" {
            text.extend(words.characters.get(draw(&words.character_ranks, random)));
            if random.below(30) == 0 {
                text.push('。');
            }
        } else {
            let rank = draw(&words.word_ranks, random);
            let word = vocabulary.and_then(|words| words.get(rank));
            text.push_str(word.map_or("", String::as_str));
            text.push_str(if len > 40 && random.below(60) == 0 { ".\n\n" } else { " " });
        }
    }
    text
}
