//! The service `alc`: what a URI may say, and what each resource answers.

mod cards;
mod documents;
mod enumeration;
mod listing;
mod logs;
mod packages;
mod samples;
mod toml_text;
mod uri_properties;
mod uris;
mod v2;
mod watched;
