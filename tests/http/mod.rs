//! The protocol over HTTP, as a client with a socket of its own sees it.

mod bounds;
mod endpoints;
mod ends;
mod names;
mod newer;
mod older;
mod replicas;
mod slow;
mod streams;
mod told;
