//! How fast the page of a proposal is: `make bench` runs this and prints the figures. Nothing here fails for its time.

use std::time::Instant;

use serde_json::json;
use wardroom_test_support::eventually;

use super::proposing::{Proposing, address};
use super::review_server::write_post;
use super::web_driver::{Browser, BrowserSettings};

const TIMES: usize = 40;

/// Returns the median and the 95th of 100, in milliseconds.
fn percentiles(mut times: Vec<f64>) -> (f64, f64) {
    times.sort_by(f64::total_cmp);
    (times[times.len() / 2], times[times.len() * 95 / 100])
}

#[test]
#[ignore = "measures: `make bench` runs it"]
fn measure_page_of_a_long_proposal() {
    let mut blog = Proposing::start();
    let paragraph =
        "The tide rises in the *morning*, and **ships** leave the [harbour](/2024/03/09/harbour) with it.\n\n";
    let body = paragraph.repeat(50 * 1024 / paragraph.len());
    write_post(&blog.dir, "long", "title: Long\nstatus: published\n", &body);
    let edited = body.replacen("morning", "evening", 40);
    let mut id = None;
    eventually("the post is in the index", || {
        let made = blog.call("propose_post_edit", json!({"postId": "long", "content": edited}));
        id = made["structuredContent"]["proposalId"].as_str().map(str::to_owned);
        id.is_some()
    });
    let path = address(&id.unwrap());
    let get = |path: &str| {
        let times = (0..TIMES).map(|_| {
            let start = Instant::now();
            blog.visitor.get(path).expect(200);
            start.elapsed().as_secs_f64() * 1e3
        });
        percentiles(times.collect())
    };
    // A page without a change: what sign-in and layout cost.
    let floor = get("/review/blog/tags");
    let page = get(&path);
    println!("| figure | p50 | p95 | floor, same run |\n| --- | --- | --- | --- |");
    println!(
        "| review page of a 50 KB post with a difference, without a browser | {:.1} ms | {:.1} ms | {:.1} ms (a short page) |",
        page.0, page.1, floor.0
    );
    let Some(browser) = Browser::start(BrowserSettings::default()) else { return };
    let at = |path: &str| format!("http://{}{path}", blog.server.host);
    browser.open(&at("/review"));
    let (name, value) = blog.visitor.cookie.split_once('=').unwrap();
    browser.set_cookie(name, value);
    let load = |path: &str| {
        let times = (0..TIMES).map(|_| {
            browser.open(&at(path));
            let timing = browser.run(
                "const [page] = performance.getEntriesByType('navigation'); \
                 return [page.responseStart - page.requestStart, page.loadEventEnd || page.loadEventStart]",
            );
            (timing[0].as_f64().unwrap(), timing[1].as_f64().unwrap())
        });
        let (first, complete): (Vec<f64>, Vec<f64>) = times.unzip();
        (percentiles(first), percentiles(complete))
    };
    let (_, floor) = load("/review/blog/tags");
    let (first, complete) = load(&path);
    println!("| the same in Chromium: first byte | {:.1} ms | {:.1} ms | |", first.0, first.1);
    println!(
        "| the same in Chromium: complete, with the preview | {:.1} ms | {:.1} ms | {:.1} ms (a short page) |",
        complete.0, complete.1, floor.0
    );
}
