//! Lua: the library that scripts see.

mod library_ask;
mod library_eval;
mod library_json;
mod library_kept;
mod library_lists;
mod library_math;
mod library_packages;
mod library_stubs;
mod library_text;
mod library_world;
