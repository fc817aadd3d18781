//! Who asks: what an endpoint and a token say about the other side of a call.
//!
//! Owns: the plain type for that. Whoever decides by it fails closed: no scope is not every scope, and no groups are none.
//! Never: says anything that the other side claims about itself.

/// The other side of a call, as the server knows it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Caller {
    /// The scope of the endpoint that it asked, where that has one.
    pub scope: Option<String>,
    /// The groups that it is in; nothing where nobody in particular asks.
    pub groups: Option<Vec<String>>,
    pub transport: Transport,
    /// Which endpoint it asked, and with which token, as a digest: what is one caller's is not another one's. The same at each
    /// server that is configured so.
    pub identity_digest: Option<[u8; 32]>,
}

/// How a call came here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Transport {
    /// From the agent that started this process.
    #[default]
    Stdio,
    Http {
        /// By a listener that other machines reach.
        is_remote: bool,
    },
    /// A person typed it.
    CommandLine,
}
