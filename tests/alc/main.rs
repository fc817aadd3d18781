//! The service `alc`: its URIs, its resources, its tools and its state.

#![expect(clippy::disallowed_methods, reason = "tests set up real folders and real processes")]
#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test may")
)]

mod cards;
mod confined;
mod dependencies;
mod documents;
mod enumeration;
mod hub_tools;
mod listing;
mod logs;
mod package_fixture;
mod packages;
mod pkg_install;
mod pkg_manage;
mod record_evals;
mod record_logs;
mod record_notes;
mod record_scenarios;
mod record_transcripts;
mod reserved_names;
mod samples;
mod saved_times;
mod state_changes;
mod state_faults;
mod state_store;
mod stores;
mod toml_text;
mod uri_properties;
mod uris;
mod v2;
