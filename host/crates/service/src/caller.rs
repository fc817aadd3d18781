//! The caller: what an endpoint and a token say about the other side of a call.
//!
//! Owns: the plain type for that. Decisions by it fail closed: no scope is not every scope, and no groups are none.
//! Never: holds a claim that the other side makes about itself.

use sha2::{Digest as _, Sha256};

use super::Owner;

/// The other side of a call, as the server knows it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Caller {
    /// The scope of the endpoint that received the call, if the endpoint has one.
    pub scope: Option<String>,
    /// The groups of the caller; `None` for an anonymous caller.
    pub groups: Option<Vec<String>>,
    pub transport: Transport,
    /// Separates one caller's runs, logs and tasks from another's, on every server with the same configuration.
    pub owner: Owner,
    /// Whether the operator lets all callers see each other's runs and logs.
    pub shares_runs: bool,
}

/// How a call arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Transport {
    /// From the agent that started this process.
    #[default]
    Stdio,
    Http {
        /// Whether other machines can reach the listener.
        is_remote: bool,
    },
    /// From a person at the command line.
    CommandLine,
}

impl Caller {
    /// Whether this caller sees runs and logs with this tag.
    #[must_use]
    pub fn sees_run(&self, tag: Option<&str>) -> bool {
        self.shares_runs || self.owner.sees(tag)
    }

    /// Returns the digest of the caller's scope, groups and owner: SHA-256 of the three fields in this order. A field is
    /// 0, or 1 and its value; a text is its length in bytes (8 bytes, little-endian) and its UTF-8; a list is its length
    /// and its texts; an owner without a name is 0 for the operator and 2 for the others.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        let text = |hash: &mut Sha256, text: &[u8]| {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        };
        hash.update([u8::from(self.scope.is_some())]);
        self.scope.iter().for_each(|scope| text(&mut hash, scope.as_bytes()));
        hash.update([u8::from(self.groups.is_some())]);
        if let Some(groups) = &self.groups {
            hash.update((groups.len() as u64).to_le_bytes());
            groups.iter().for_each(|group| text(&mut hash, group.as_bytes()));
        }
        match &self.owner {
            Owner::Operator => hash.update([0]),
            Owner::Named(name) => {
                hash.update([1]);
                text(&mut hash, name.as_bytes());
            }
            Owner::Anonymous => hash.update([2]),
        }
        hash.finalize().into()
    }
}
