//! The figures of stdio, one function per group.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, anyhow};
use wardroom_sandbox::{GuestImage, Sandbox};

use crate::data::{BIG, BenchData, CARDS, PACKAGES, ROWS, card, package};
use crate::peer::{INITIALIZE, Peer, Revision, elapsed, median, medians_by_turns, memory_of_all, read};
use crate::table::{Table, micros};

const FIXED: &str = "alc://types/alc.d.lua";
const WINDOW: usize = 32;

pub(crate) fn server(wardroom: &Path, app_dir: &Path) -> Command {
    let mut command = Command::new(wardroom);
    command.arg("--appdir").arg(app_dir).env_remove("RUST_LOG");
    command
}

pub(crate) fn ready(command: &mut Command) -> Result<Peer> {
    let mut peer = Peer::spawn(command)?;
    peer.initialize()?;
    Ok(peer)
}

/// Measures the time from the start of the process to the answer of `initialize`.
pub(crate) fn start(table: &mut Table, wardroom: &Path, bin: &Path, data: &BenchData) -> Result<()> {
    let once = |command: &mut Command| {
        let start = Instant::now();
        let mut peer = Peer::spawn(command)?;
        peer.request(INITIALIZE)?;
        Ok(start.elapsed().as_secs_f64() * 1e6)
    };
    let ours = || once(&mut server(wardroom, &data.packages));
    let theirs = || once(&mut Command::new(bin.join("floor_rmcp")));
    let by_turns = medians_by_turns(200, ours, theirs)?;
    let in_rows = (median(200, |_| ours())?, median(200, |_| theirs())?);
    for (how, (ours, theirs)) in [("by turns", by_turns), ("each 200 times in a row", in_rows)] {
        table.row(
            &format!("spawn to the answer of `initialize`, 134 packages, {how}"),
            micros(ours),
            format!("{} (minimal rmcp server)", micros(theirs)),
            Some(ours / theirs),
        );
    }
    Ok(())
}

/// Measures reads of a fixed resource of 1 KiB, sequential and pipelined.
pub(crate) fn fixed(table: &mut Table, wardroom: &Path, bin: &Path, data: &BenchData) -> Result<()> {
    let mut echo = Peer::spawn(&mut Command::new("cat"))?;
    let mut bare_loop = ready(&mut Command::new(bin.join("floor_loop")))?;
    let mut minimal = ready(&mut Command::new(bin.join("floor_rmcp")))?;
    let mut ours = ready(&mut server(wardroom, &data.packages))?;
    // What a server prepares after its first answer is a part of it.
    std::thread::sleep(std::time::Duration::from_millis(500));
    let all = memory_of_all(ours.id())?;
    table.row("memory of all processes, idle", format!("{all:.1} MB"), "", None);
    table.row("resident, idle", format!("{:.1} MB", ours.resident()?), format!("{:.1} MB", minimal.resident()?), None);

    let bare = median(20_000, |at| echo.timed(&read(at + 1, FIXED, Revision::Legacy)))?;
    let library = median(20_000, |at| minimal.timed(&read(at + 1, FIXED, Revision::Legacy)))?;
    let time = median(20_000, |at| ours.timed(&read(at + 1, FIXED, Revision::Legacy)))?;
    let beside = format!("{} (pipe echo), {} (minimal rmcp server)", micros(bare), micros(library));
    table.row("sequential read of a 1 KiB fixed resource", micros(time), beside, Some(time / bare));

    for (name, revision) in [("legacy revision", Revision::Legacy), ("2026-07-28", Revision::Modern)] {
        let requests = 200_000;
        let bare = bare_loop.pipelined(requests, WINDOW, |at| read(at + 1, FIXED, revision))?;
        let library = minimal.pipelined(requests, WINDOW, |at| read(at + 1, FIXED, revision))?;
        let rate = ours.pipelined(requests, WINDOW, |at| read(at + 1, FIXED, revision))?;
        let what = format!("pipelined ({WINDOW}) reads of it, {name}");
        let beside = format!("{bare:.0}/s (bare loop), {library:.0}/s (minimal rmcp server)");
        table.row(&what, format!("{rate:.0}/s"), beside, Some(rate / bare));
    }
    Ok(())
}

/// Measures extraction in a fresh instance, beside a native parser on the same file.
pub(crate) fn extraction(table: &mut Table) -> Result<()> {
    let source = package(1);
    let sandbox = Sandbox::new(GuestImage::embedded());
    let once = || sandbox.extract("pkg_1", source.as_bytes())?.map_err(|refusal| anyhow!("{refusal}"));
    once()?;
    let time = |work: &dyn Fn() -> Result<()>| {
        median(500, |_| {
            let start = Instant::now();
            work()?;
            Ok(start.elapsed().as_secs_f64() * 1e6)
        })
    };
    let ours = time(&|| once().map(|_| ()))?;
    let native = time(&|| full_moon::parse(&source).map(|_| ()).map_err(|errors| anyhow!("{errors:?}")))?;
    let what = format!("extraction in a fresh instance, {} bytes", source.len());
    table.row(&what, micros(ours), format!("{} (full_moon, native)", micros(native)), Some(ours / native));
    Ok(())
}

/// Measures metadata of 134 packages over the protocol: the first read of each, then repeated reads of one.
pub(crate) fn packages(table: &mut Table, wardroom: &Path, data: &BenchData) -> Result<()> {
    let mut peer = ready(&mut server(wardroom, &data.packages))?;
    let uri = |number: usize| format!("alc://packages/pkg_{number}/meta");
    // Fills the page cache, so that the figure measures the server and not the disk.
    for number in 0..PACKAGES {
        std::fs::read(data.packages.join(format!("packages/pkg_{number}/init.lua")))?;
    }
    // The sandbox starts in the background after the first answer.
    std::thread::sleep(std::time::Duration::from_millis(200));
    let mut first =
        (0..PACKAGES).map(|n| peer.timed(&read(n + 1, &uri(n), Revision::Legacy))).collect::<Result<Vec<_>>>()?;
    first.sort_by(f64::total_cmp);
    table.row(
        "metadata over the protocol, first read of each of 134",
        micros(first.get(PACKAGES / 2).copied().context("a time")?),
        "",
        None,
    );
    let again = median(5_000, |at| peer.timed(&read(at + 1, &uri(7), Revision::Legacy)))?;
    table.row("metadata over the protocol, again", micros(again), "", None);
    Ok(())
}

/// Measures the time from the replacement of a file to the notification, and a page of the list of stored resources.
pub(crate) fn changes(table: &mut Table, wardroom: &Path, data: &BenchData) -> Result<()> {
    let mut peer = ready(&mut server(wardroom, &data.packages))?;
    peer.request(
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/subscribe\",\"params\":{\"uri\":\"alc://packages/pkg_7/meta\"}}\n",
    )?;
    let (file, new) = (data.packages.join("packages/pkg_7/init.lua"), data.packages.join("packages/pkg_7/new"));
    let notified = median(20, |_| {
        std::fs::copy(&file, &new)?;
        let start = Instant::now();
        std::fs::rename(&new, &file)?;
        peer.request(b"")?;
        Ok(start.elapsed().as_secs_f64() * 1e6)
    })?;
    table.row(
        "from a file's replacement to the notification",
        micros(notified),
        "40 ms (the wait for the end of a burst)",
        None,
    );

    let mut peer = enumerating(wardroom, data)?;
    let page = median(10, |_| peer.timed(RESOURCES))?;
    let once = || -> Result<usize> {
        let mut files = 0;
        for package in std::fs::read_dir(data.records.join("cards"))? {
            for card in std::fs::read_dir(package?.path())? {
                card?.metadata()?;
                files += 1;
            }
        }
        Ok(files)
    };
    let floor = median(10, |_| Ok(elapsed(|| once().map(|_| ()))?.as_secs_f64() * 1e6))?;
    let beside = format!("{} (`stat` of every card)", micros(floor));
    table.row(
        "page of `resources/list` with `[alc] enumerate`, 100,000 cards",
        micros(page),
        beside,
        Some(page / floor),
    );
    Ok(())
}

/// Measures what is slow the first time with 100,000 cards, on all processors.
pub(crate) fn first_lists(table: &mut Table, wardroom: &Path, data: &BenchData) -> Result<()> {
    // Fills the page cache, so that the figures measure the server and not the disk.
    for package in std::fs::read_dir(data.records.join("cards"))? {
        for file in std::fs::read_dir(package?.path())? {
            let file = file?.path();
            if file.extension().is_some_and(|extension| extension == "toml") {
                std::fs::read(file)?;
            }
        }
    }
    let list = call("alc_card_list", "{\"limit\":100}");
    let _ = std::fs::remove_file(data.records.join("cache/cards.index"));
    let cold = ready(&mut server(wardroom, &data.records))?.timed(list.as_bytes())?;
    let saved = ready(&mut server(wardroom, &data.records))?.timed(list.as_bytes())?;
    let firsts = format!("{}, {}", micros(cold), micros(saved));
    table.row("first list of 100,000 cards, without an index and with a saved one, two processors", firsts, "", None);
    let first_page = || enumerating(wardroom, data)?.timed(RESOURCES);
    let _ = std::fs::remove_file(data.records.join("cache/recent-cards.index"));
    let (cold, saved) = (first_page()?, first_page()?);
    let what = "first page of `resources/list` with `[alc] enumerate`, 100,000 cards, without saved times and with them, two processors";
    table.row(what, format!("{}, {}", micros(cold), micros(saved)), "", None);
    Ok(())
}

const RESOURCES: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/list\",\"params\":{}}\n";

/// Starts a server that lists what is stored.
fn enumerating(wardroom: &Path, data: &BenchData) -> Result<Peer> {
    let config = data.records.join("enumerate.toml");
    std::fs::write(&config, "[alc]\nenumerate = true\n")?;
    ready(server(wardroom, &data.records).arg("--config").arg(&config))
}

fn call(tool: &str, arguments: &str) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"{tool}\",\"arguments\":{arguments}}}}}\n"
    )
}

/// Measures lists and searches of 100,000 cards, beside a read of all their names.
pub(crate) fn cards(table: &mut Table, wardroom: &Path, data: &BenchData) -> Result<()> {
    let list = call("alc_card_list", "{\"limit\":100}");
    let find = call(
        "alc_card_find",
        "{\"where\":{\"stats\":{\"pass_rate\":{\"gte\":0.9}},\"model\":{\"id\":\"model\"}},\"order_by\":\"-card_id\",\"limit\":100}",
    );
    let mut peer = ready(&mut server(wardroom, &data.records))?;
    let names = || -> Result<()> {
        for package in std::fs::read_dir(data.records.join("cards"))? {
            for card in std::fs::read_dir(package?.path())? {
                card?;
            }
        }
        Ok(())
    };
    let floor = median(10, |_| Ok(elapsed(names)?.as_secs_f64() * 1e6))?;
    let beside = format!("{} (reading the names of all)", micros(floor));
    for (what, line) in [("list", &list), ("search with two conditions and an order", &find)] {
        let time = median(50, |_| peer.timed(line.as_bytes()))?;
        table.row(&format!("{what} of 100,000 cards, 100 rows"), micros(time), beside.clone(), Some(time / floor));
    }
    table.row("resident, with the index of 100,000 cards", format!("{:.1} MB", peer.resident()?), "", None);
    Ok(())
}

/// Measures pages of a card with 10 million samples, and one card among 100,000.
pub(crate) fn records(table: &mut Table, wardroom: &Path, data: &BenchData) -> Result<()> {
    let _ = std::fs::remove_dir_all(data.records.join("cache"));
    let mut peer = ready(&mut server(wardroom, &data.records))?;
    let page =
        |offset: usize| read(1, &format!("alc://cards/{BIG}/samples?offset={offset}&limit=20"), Revision::Legacy);
    let index = elapsed(|| peer.timed(&page(0)).map(|_| ()))?;
    let file = data.records.join(format!("cards/big/{BIG}.samples.jsonl"));
    let bytes = std::fs::metadata(&file)?.len();
    let reading = elapsed(|| Ok(std::io::copy(&mut std::fs::File::open(&file)?, &mut std::io::sink()).map(|_| ())?))?;
    let what = format!("first index of {:.2} GB, {ROWS} rows", bytes as f64 / 1e9);
    table.row(
        &what,
        format!("{:.2} s", index.as_secs_f64()),
        format!("{:.2} s (reading it)", reading.as_secs_f64()),
        None,
    );
    let front = median(3_000, |_| peer.timed(&page(0)))?;
    let back = median(3_000, |_| peer.timed(&page(ROWS - 1_000)))?;
    table.row(
        "page of 20 samples at 0, and at 9,999,000",
        format!("{}, {}", micros(front), micros(back)),
        "",
        Some(back / front),
    );
    // 500 cards repeatedly, so that the figure measures the server and not the disk.
    let one = median(5_000, |at| {
        let (_, id) = card(at % 500 * 199 % CARDS);
        peer.timed(&read(at + 1, &format!("alc://cards/{id}"), Revision::Legacy))
    })?;
    table.row("card among 100,000", micros(one), "", None);
    for number in 0..2 {
        peer.timed(&page(number * 5_000_000))?;
    }
    table.row("resident, server of the three rows above", format!("{:.1} MB", peer.resident()?), "", None);
    Ok(())
}
