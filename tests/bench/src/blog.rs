//! The blog at 100,000 posts: pages, searches, counts, its index, and what a change takes.
//!
//! Owns: the generated blog: words by Zipf's law in English and German, characters by it in Japanese, a long tail of lengths,
//! 40 tags and 200,000 links.
//! Never: measures with other figures' processor alone: an index is made by several threads.

use std::collections::HashMap;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::peer::{Peer, Revision, read};
use super::proposals::proposals;
use super::table::{Table, micros};

/// Posts of the blog, unless the variable `BLOG_POSTS` says how many.
const POSTS: usize = 100_000;
/// The version of the generated files: those of another one are written again.
const GENERATOR: &str = "2";
/// The longest body in bytes. Of 100,000 posts some ten have it, and the mean of all files is 3.2 KB.
const MAX_BODY_BYTES: f64 = 100_000.0;
/// Posts for each media item.
const POSTS_PER_MEDIA: usize = 20;

/// Measures everything, and leaves the generated blog for the next time.
pub(crate) fn blog(table: &mut Table, wardroom: &Path, root: &Path) -> Result<()> {
    let posts = env::var("BLOG_POSTS").map_or(Ok(POSTS), |posts| posts.parse())?;
    let folder = root.join(format!("blog-{posts}"));
    let blog = Blog { folder: &folder, posts, words: Words::new() };
    let complete = folder.join("complete");
    if fs::read_to_string(&complete).ok().as_deref() != Some(GENERATOR) {
        let _ = fs::remove_dir_all(&folder);
        blog.write()?;
        fs::write(&complete, GENERATOR)?;
    }
    let app = root.join("blog-app");
    let _ = fs::remove_dir_all(app.join("cache"));
    fs::create_dir_all(&app)?;
    first_index(table, wardroom, &app, &blog)?;
    let start = Instant::now();
    let mut peer = serve(wardroom, &app, &folder)?;
    let floor = start.elapsed().as_secs_f64() * 1e6;
    peer.timed(&read(1, "bds://posts", Revision::Legacy))?;
    let took = start.elapsed().as_secs_f64() * 1e6;
    let beside = format!("{} (start to `initialize`)", micros(floor));
    table.row("blog: start with an index to the first answer", micros(took), beside, Some(took / floor));
    // The server compares all files meanwhile.
    sleep(Duration::from_secs(10.max(posts as u64 / 10_000)));
    let idle = peer.resident()?;
    pages(table, &mut peer, &blog)?;
    searches(table, &mut peer, &blog)?;
    changes(table, &mut peer, &folder)?;
    let mut other = serve(wardroom, &app, &folder)?;
    proposals(table, &mut peer, &mut other, &folder, posts)?;
    drop(other);
    let beside = format!("{idle:.1} MB (before the first search)");
    table.row("blog: resident after all of it", format!("{:.1} MB", peer.resident()?), beside, None);
    Ok(())
}

/// The generated blog.
struct Blog<'b> {
    folder: &'b Path,
    posts: usize,
    words: Words,
}

fn serve(wardroom: &Path, app: &Path, blog: &Path) -> Result<Peer> {
    let mut command = Command::new(wardroom);
    let config = app.join("bench.toml");
    fs::write(&config, "[blog]\naccept = \"agent\"\n")?;
    command.arg("--appdir").arg(app).arg("--blog").arg(blog).args(["--service", "blog", "--config"]).arg(config);
    let mut peer = Peer::spawn(&mut command)?;
    peer.initialize()?;
    Ok(peer)
}

fn first_index(table: &mut Table, wardroom: &Path, app: &Path, blog: &Blog<'_>) -> Result<()> {
    let floor = Instant::now();
    let mut bytes = 0;
    for file in files(&blog.folder.join("posts"))? {
        bytes += fs::read(file)?.len();
    }
    let floor = floor.elapsed().as_secs_f64();
    let start = Instant::now();
    let mut command = Command::new(wardroom);
    command.args(["blog", "index", "--appdir"]).arg(app).arg("--blog").arg(blog.folder);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let mut peak = 0.0_f64;
    while child.try_wait()?.is_none() {
        peak = peak.max(peak_resident(child.id()).unwrap_or(0.0));
        sleep(Duration::from_millis(50));
    }
    let took = start.elapsed().as_secs_f64();
    table.row(
        &format!("blog: first index of {} posts, and its peak memory", blog.posts),
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

fn pages(table: &mut Table, peer: &mut Peer, blog: &Blog<'_>) -> Result<()> {
    let mut random = Random(3);
    let some = files(&blog.folder.join("posts/2010/06"))?;
    let floor = p95(50, |_| {
        let start = Instant::now();
        for file in some.iter().take(50) {
            fs::read(file)?;
        }
        Ok(start.elapsed().as_secs_f64() * 1e6)
    })?;
    let beside = format!("{} (reading 50 posts)", micros(floor));
    for (kind, items) in [("posts", blog.posts), ("media", blog.posts / POSTS_PER_MEDIA)] {
        let page = p95(200, |_| {
            let offset = base64(random.below(items).to_string().as_bytes());
            peer.timed(&read(1, &format!("bds://{kind}?cursor={offset}"), Revision::Legacy))
        })?;
        let name = format!("blog, p95: any page of {kind}");
        table.row(&name, micros(page), beside.clone(), Some(page / floor));
    }
    let ping = p95(200, |_| peer.timed(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"))?;
    let beside = format!("{} (a ping)", micros(ping));
    let slug = p95(200, |_| {
        let arguments = format!("{{\"slug\":\"post-{}\"}}", random.below(blog.posts));
        peer.timed(&call("read_post_by_slug", &arguments))
    })?;
    table.row("blog, p95: a post by its slug", micros(slug), beside.clone(), Some(slug / ping));
    let count = p95(50, |_| peer.timed(&call("count_posts", "{\"groupBy\":[\"year\",\"tag\"]}")))?;
    table.row("blog, p95: count by year and tag", micros(count), beside, Some(count / ping));
    Ok(())
}

fn searches(table: &mut Table, peer: &mut Peer, blog: &Blog<'_>) -> Result<()> {
    let word = |rank: usize| blog.words.latin.first().and_then(|words| words.get(rank)).cloned().unwrap_or_default();
    let query = |text: &str| format!("\"query\":\"{}\"", text.replace('"', "\\\""));
    let filters = |at: usize| format!(",\"language\":\"en\",\"year\":{},\"tags\":[\"tag{}\"]", 2005 + at % 20, at % 40);
    // Short words stand at several ranks.
    let latin = blog.words.latin.first().map(Vec::as_slice).unwrap_or_default();
    let mut ranks: HashMap<&str, usize> = HashMap::new();
    latin.iter().for_each(|word| *ranks.entry(word).or_default() += 1);
    let single = |from: usize| {
        let rest = latin.iter().skip(from).filter(|word| ranks.get(word.as_str()) == Some(&1));
        rest.take(100).cloned().collect::<Vec<String>>()
    };
    let (seldom, rarely) = (single(3_000), single(20_000));
    let rare = |at: usize| rarely.get(at).cloned().unwrap_or_default();
    let common = |at: usize| word(at % 5);
    let phrase = |at: usize| format!("\"{} {}\"", word(at % 5), seldom.get(at).cloned().unwrap_or_default());
    let commonest = |_: usize| format!("\"{} {}\"", word(0), word(1));
    let prefix = |at: usize| format!("{}*", word(100 + at));
    type Text<'t> = &'t dyn Fn(usize) -> String;
    let searches: [(&str, usize, Text<'_>, Option<Text<'_>>); 6] = [
        ("a rare word", 100, &rare, None),
        ("a common word", 50, &common, None),
        ("a common word with three filters", 50, &common, Some(&filters)),
        ("a phrase with a word of few posts", 50, &phrase, None),
        ("a phrase of the two commonest words", 30, &commonest, None),
        ("words with a beginning", 30, &prefix, None),
    ];
    let floors = sqlite(blog.folder, &searches.map(|(_, times, text, _)| text(times / 2)))?;
    for (at, (name, times, text, filters)) in searches.into_iter().enumerate() {
        let took = p95(times, |at| {
            let filters = filters.map(|filters| filters(at)).unwrap_or_default();
            peer.timed(&call("search_posts", &format!("{{{}{filters}}}", query(&text(at)))))
        })?;
        let floor = floors.as_ref().and_then(|floors| floors.get(at)).copied().filter(|_| filters.is_none());
        let beside = match (floor, filters) {
            (Some(floor), _) => format!("{} (SQLite FTS5)", micros(floor)),
            (None, Some(_)) => String::new(),
            (None, None) => "(no Python with SQLite)".to_owned(),
        };
        table.row(&format!("blog, p95: search for {name}"), micros(took), beside, floor.map(|floor| took / floor));
    }
    Ok(())
}

/// Returns the times of searches in SQLite, with its full-text index over the same bodies.
fn sqlite(blog: &Path, queries: &[String]) -> Result<Option<Vec<f64>>> {
    const SCRIPT: &str = "
import sqlite3, sys, time, os
blog, queries = sys.argv[1], sys.argv[2:]
db = sqlite3.connect(':memory:')
db.execute('create virtual table posts using fts5(title, body)')
for folder, _, names in os.walk(blog + '/posts'):
    for name in names:
        text = open(os.path.join(folder, name), encoding='utf-8').read().split('---', 2)[2]
        db.execute('insert into posts values (?, ?)', (name, text))
for query in queries:
    times = []
    for _ in range(20):
        start = time.perf_counter()
        rows = db.execute('select rowid, snippet(posts, 1, ?, ?, ?, 20) from posts where posts match ? order by bm25(posts) limit 50',
            ('<', '>', '', query)).fetchall()
        db.execute('select count(*) from posts where posts match ?', (query,)).fetchone()
        times.append(time.perf_counter() - start)
    print(sorted(times)[18] * 1e6)
";
    let output = Command::new("python3").arg("-c").arg(SCRIPT).arg(blog).args(queries).output();
    let Some(output) = output.ok().filter(|output| output.status.success()) else { return Ok(None) };
    let times: Result<Vec<f64>, _> = String::from_utf8(output.stdout)?.lines().map(str::parse).collect();
    Ok(Some(times?))
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

pub(crate) fn call(tool: &str, arguments: &str) -> Vec<u8> {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"{tool}\",\"arguments\":{arguments}}}}}\n"
    )
    .into_bytes()
}

/// Returns the time that 95 of 100 calls do not exceed.
pub(crate) fn p95(times: usize, mut once: impl FnMut(usize) -> Result<f64>) -> Result<f64> {
    let mut all = (0..times).map(&mut once).collect::<Result<Vec<_>>>()?;
    all.sort_by(f64::total_cmp);
    all.get(all.len() * 95 / 100).copied().context("at least one time")
}

/// Returns the peak resident memory in MB.
pub(crate) fn peak_resident(process: u32) -> Option<f64> {
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

impl Blog<'_> {
    fn write(&self) -> Result<()> {
        let (root, words) = (self.folder, &self.words);
        let mut random = Random(7);
        fs::create_dir_all(root.join("meta"))?;
        fs::write(root.join("meta/project.json"), "{\"name\":\"Bench\",\"mainLanguage\":\"en\"}")?;
        for year in 2005..2025 {
            for month in 1..=12 {
                for kind in ["posts", "media"] {
                    fs::create_dir_all(root.join(format!("{kind}/{year}/{month:02}")))?;
                }
            }
        }
        for number in 0..self.posts {
            let language = ["en", "en", "de", "ja"].get(number % 4).copied().unwrap_or("en");
            let year = 2005 + number * 20 / self.posts;
            let (month, day) = (1 + random.below(12), 1 + random.below(28));
            let spread = (random.unit() + random.unit() + random.unit()) * 2.0 - 3.0;
            let len = ((spread * 1.8).exp() * 611.0 + 200.0).min(MAX_BODY_BYTES) as usize;
            let (title, mut body) = (text(words, language, 40, &mut random), text(words, language, len, &mut random));
            for _ in 0..2 {
                // A third of the links lead to a thousand posts.
                let near = if random.below(3) == 0 { self.posts } else { 1_000 };
                let _ = write!(body, "\n\nSee [another](/posts/post-{}).", random.below(near));
            }
            let status = if random.below(20) == 0 { "draft" } else { "published" };
            let tags: Vec<String> = (0..3).map(|_| format!("  - tag{}\n", random.below(40))).collect();
            let (high, low) = (random.next(), random.next());
            let id = format!(
                "{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}",
                high >> 32,
                high >> 16 & 0xffff,
                high & 0xfff,
                low >> 52,
                low & 0xffff_ffff_ffff
            );
            if number % POSTS_PER_MEDIA == 0 {
                let media = format!(
                    "id: media-{number}\noriginalName: {number}.jpg\nmimeType: image/jpeg\ntitle: Picture {number}\nlinkedPostIds:\n  - {id}\n"
                );
                fs::write(root.join(format!("media/{year}/{month:02}/{number}.jpg.meta")), media)?;
            }
            let post = format!(
                "---\nid: {id}\ntitle: \"{}\"\nslug: post-{number}\nstatus: {status}\nlanguage: {language}\n\
             createdAt: '{year}-{month:02}-{day:02}T{:02}:{:02}:00.000Z'\ntags:\n{}categories:\n  - article\n---\n{body}\n",
                title.trim(),
                random.below(24),
                random.below(60),
                tags.concat(),
            );
            fs::write(root.join(format!("posts/{year}/{month:02}/post-{number}.md")), post)?;
        }
        Ok(())
    }
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
