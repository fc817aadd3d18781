//! Tests of the service `blog`, with the program itself: what clients read, find and count in real folders.

#![expect(clippy::disallowed_methods, reason = "tests set up real folders and real processes")]
#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test may")
)]

mod app_pages;
mod batches;
mod changed_files;
mod commands;
mod conflicts;
mod counts;
mod crashes;
mod decided_lists;
mod decisions;
mod exact;
mod files;
mod following;
mod forged;
mod generations;
mod index_files;
mod killed_decisions;
mod layouts;
mod links;
mod markdown_sites;
mod model;
mod pages;
mod principals;
mod proposal_decisions;
mod proposals;
mod random;
mod reads;
mod refused_proposals;
mod searches;
mod serving;
mod site;
mod site_proposals;
mod slugs;
mod stemmers;
mod taken_places;
mod test_blog;
mod wire;
mod words;
