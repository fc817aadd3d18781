//! Who calls: what decides which declared things are there for a caller.
//!
//! Never: says what a caller may do with the AppDir; that is the server's own, whoever calls.

/// A caller, as its transport knows it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Caller {
    /// The endpoint's scope. Things with another one are not there.
    pub scope: Option<String>,
    /// The groups of whoever presented a token. Nothing where nobody did: gated things are not there.
    pub groups: Option<Vec<String>>,
    pub transport: Transport,
}

/// Where a call came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Transport {
    #[default]
    Stdio,
    Http {
        /// Whether the listener can be reached from other machines.
        remote: bool,
    },
    CommandLine,
}
