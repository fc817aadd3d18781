//! Tests of the review page: the server itself, asked by a plain client and by a real browser.

#![expect(clippy::disallowed_methods, reason = "tests set up real folders and real processes")]
#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test may")
)]

mod app_pages;
mod at_once;
mod blog_pages;
mod browser;
mod commands;
mod deciding;
mod hostile_posts;
mod learning_pages;
mod live_updates;
mod measuring;
mod pictures;
mod proposal_browser;
mod proposals;
mod proposing;
mod record_pages;
mod requests;
mod review_server;
mod run_pages;
mod signing_in;
mod web_driver;
