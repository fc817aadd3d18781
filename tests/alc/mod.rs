//! The service `alc`: what a URI may say, and what each resource answers.

mod listing;
mod uris;
