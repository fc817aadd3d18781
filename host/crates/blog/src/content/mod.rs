//! What the files of a blog say: posts, media, scripts and templates, read in the sandbox and interpreted here.
//!
//! Owns: the meaning of each file alone. The index puts the files of one post together.
//! Never: writes, or parses a document in this process.

mod fields;
pub(crate) mod language;
pub(crate) mod layout;
pub(crate) mod media;
pub(crate) mod post;
mod problem;
pub(crate) mod project;
pub(crate) mod read_file;
pub(crate) mod script;
pub(crate) mod site;
pub(crate) mod slug;
pub(crate) mod time;

pub use self::layout::BlogLayout;
pub(crate) use self::post::PostStatus;
pub use self::problem::FileProblem;
pub use self::project::BlogDefaults;
