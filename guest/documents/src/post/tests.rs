//! The time that a post takes. Posts themselves are read in `fixture_tests`.

use super::*;

/// Prints how long a post takes: `cargo test --release -- --ignored --nocapture duration`.
#[test]
#[ignore = "measures, and asserts nothing"]
fn duration_of_a_post_of_three_kilobytes() {
    let mut source = String::from(
        "---\nid: 0b0d2c5e-8f0d-4f52-9d8e-3a1f6d1f2a10\ntitle: Hello World\nslug: hello-world\nstatus: published\n\
         createdAt: '2025-03-04T09:10:11.000Z'\nupdatedAt: '2025-03-05T09:10:11.000Z'\ntags:\n  - rust\n  - mcp\ncategories: []\n---\n",
    );
    while source.len() < 3_000 {
        source.push_str("## A heading\n\nSome *text* with a [link](/2024/03/09/other) and `code`, over\ntwo lines & more.\n\n- one\n- two\n\n");
    }
    let runs = 2_000;
    let start = std::time::Instant::now();
    for _ in 0..runs {
        assert!(read(std::hint::black_box(source.as_bytes()), Some("https://example.com")).is_ok());
    }
    println!("{} bytes: {:?}", source.len(), start.elapsed() / runs);
}
