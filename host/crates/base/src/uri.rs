//! Resource URIs and typed ids: text in, types that cannot hold a bad name out.
//!
//! Owns: one newtype for each kind of identifier, with one fallible door each; the rules themselves are the shared
//! crate `wardroom_rules`.
//! Never: knows a path, touches a file, or says whether a thing exists.

use std::fmt;

use wardroom_rules::id::{self, IdError};

pub use wardroom_rules::id::IdKind;
pub use wardroom_rules::uri::{MatchedUri, Scheme, SchemeTemplate, UriError};

macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident, $kind:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            /// Checks `text` against the rules of its kind.
            ///
            /// # Errors
            /// The first rule that it breaks.
            pub fn parse(text: &str) -> Result<Self, IdError> {
                id::check($kind, text).map(|()| Self(text.to_owned()))
            }

            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id_type!(
    /// A Lua package.
    PackageName, IdKind::PackageName);
id_type!(
    /// A card: the record of one run.
    CardId, IdKind::CardId);
id_type!(
    /// A scenario, without its `.lua`.
    ScenarioName, IdKind::ScenarioName);
id_type!(
    /// The result of one evaluation.
    EvalId, IdKind::EvalResult);
id_type!(
    /// A session, whose transcript is a log.
    SessionId, IdKind::SessionId);
