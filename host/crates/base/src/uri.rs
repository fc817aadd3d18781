//! Resource URIs and typed ids, which cannot hold an invalid name.
//!
//! Owns: one newtype for each kind of identifier, with one fallible constructor each. The rules are in the shared crate
//! `wardroom_rules`.
//! Never: holds a path, touches a file, or says whether something exists.

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
            /// The first broken rule.
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
    /// A scenario, without its `.lua` extension.
    ScenarioName, IdKind::ScenarioName);
id_type!(
    /// The result of one evaluation.
    EvalId, IdKind::EvalResult);
id_type!(
    /// A session; its transcript is a log.
    SessionId, IdKind::SessionId);
