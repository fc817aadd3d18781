//! How fast the page of a proposal is, in the blog that `make bench` generated: it runs this and prints the figures. Nothing
//! here fails for its time.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Instant;

use serde_json::json;
use wardroom_test_support::{TestDir, eventually, wardroom_command};

use super::proposing::{Proposing, address};
use super::review_server::post_text;
use super::web_driver::{Browser, BrowserSettings};

const TIMES: usize = 40;
/// The post whose proposal is measured.
const LONG: &str = "posts/2024/03/long.md";
/// Names the folder of a generated blog.
const BLOG: &str = "MEASURED_BLOG";

/// The blog that `make bench` generated, which gets a post for as long as this is measured.
struct LargeBlog(PathBuf);

impl LargeBlog {
    /// Returns the blog; `None` where a small one is measured.
    fn of_environment() -> Option<Self> {
        let path = PathBuf::from(std::env::var_os(BLOG)?);
        assert!(path.join("complete").exists(), "{BLOG}: {} is no generated blog", path.display());
        Some(Self(path))
    }

    fn long_post(&self) -> PathBuf {
        self.0.join(LONG)
    }

    /// Makes the index, which takes a while, and starts the servers.
    fn start(&self) -> Proposing {
        let (dir, blog) = (TestDir::new(), self.0.display().to_string());
        std::fs::create_dir_all(dir.app_path()).unwrap();
        let mut index = wardroom_command(dir.root());
        index.args(["blog", "index", "--blog", &blog, "--appdir"]).arg(dir.app_path());
        assert!(index.stdout(Stdio::null()).status().unwrap().success());
        Proposing::of_folder(dir, &blog)
    }
}

impl Drop for LargeBlog {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(self.long_post());
        let _ = std::fs::remove_dir_all(self.0.join(".wardroom/proposals"));
    }
}

/// Returns the median and the 95th of 100, in milliseconds.
fn percentiles(mut times: Vec<f64>) -> (f64, f64) {
    times.sort_by(f64::total_cmp);
    (times[times.len() / 2], times[times.len() * 95 / 100])
}

#[test]
#[ignore = "measures: `make bench` runs it"]
fn measure_page_of_a_long_proposal() {
    let large = LargeBlog::of_environment();
    let mut blog = large.as_ref().map_or_else(Proposing::start, LargeBlog::start);
    let paragraph =
        "The tide rises in the *morning*, and **ships** leave the [harbour](/2024/03/09/harbour) with it.\n\n";
    let body = paragraph.repeat(50 * 1024 / paragraph.len());
    let text = post_text("long", "title: Long\nstatus: published\n", &body);
    std::fs::write(
        large.as_ref().map_or_else(|| blog.dir.app_path().join("blog").join(LONG), LargeBlog::long_post),
        text,
    )
    .unwrap();
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
