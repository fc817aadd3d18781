//! The service `alc`: what a URI may say, and what each resource answers.

mod documents;
mod enumeration;
mod hub_tools;
mod listing;
mod logs;
mod packages;
mod pkg_house;
mod pkg_install;
mod pkg_manage;
mod samples;
mod toml_text;
mod uri_properties;
mod uris;
mod v2;
mod watched;
