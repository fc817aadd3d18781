//! The token with which a page in an agent's window accepts what it showed.
//!
//! Owns: what a token is bound to: one proposal, the digest of what was shown or that it discards, and the caller. A
//! proposal is decided once, and with it its tokens are spent.
//! Never: stores a token, or shows the key.

use std::sync::OnceLock;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use wardroom_base::hex::{decode_hex, encode_hex};
use wardroom_service::Caller;

/// Returns the key of the `AppDir`, which all servers on it share; `None` where there is none now.
pub type ReviewKeySource = Box<dyn Fn() -> Option<[u8; 32]> + Send + Sync>;

/// What stands for a digest in a token that discards: whatever the proposal changes by then.
pub(crate) const DISCARD: &str = "discard";

/// Makes and checks tokens.
pub(crate) struct ReviewTokens {
    source: ReviewKeySource,
    key: OnceLock<[u8; 32]>,
}

impl ReviewTokens {
    pub(crate) fn new(source: ReviewKeySource) -> Self {
        Self { source, key: OnceLock::new() }
    }

    /// Returns the token for what is shown of a proposal; `None` without a key.
    pub(crate) fn create(&self, id: &str, digest: &str, caller: &Caller) -> Option<String> {
        Some(encode_hex(&self.sign(id, digest, caller)?.finalize().into_bytes()))
    }

    /// Whether a token is the one for this.
    pub(crate) fn is_valid(&self, token: &str, id: &str, digest: &str, caller: &Caller) -> bool {
        let Some(token) = decode_hex::<32>(token) else { return false };
        self.sign(id, digest, caller).is_some_and(|mac| mac.verify_slice(&token).is_ok())
    }

    fn sign(&self, id: &str, digest: &str, caller: &Caller) -> Option<Hmac<Sha256>> {
        let key = match self.key.get() {
            Some(key) => key,
            // Without a key now, the next token tries again.
            None => {
                let key = (self.source)()?;
                self.key.get_or_init(|| key)
            }
        };
        let mut mac = <Hmac<Sha256>>::new_from_slice(key).ok()?;
        for part in [b"wardroom: a proposal as it was shown", id.as_bytes(), digest.as_bytes(), &caller.digest()] {
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part);
        }
        Some(mac)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wardroom_service::Owner;

    #[test]
    fn token_is_of_one_proposal_digest_caller_and_key() {
        let tokens = ReviewTokens::new(Box::new(|| Some([7; 32])));
        let (me, other) = (Caller::default(), Caller { owner: Owner::Named("b".to_owned()), ..Caller::default() });
        let token = tokens.create("p", "d", &me).unwrap();
        assert!(tokens.is_valid(&token, "p", "d", &me));
        for (id, digest, caller) in [("q", "d", &me), ("p", "e", &me), ("p", "d", &other), ("pd", "", &me)] {
            assert!(!tokens.is_valid(&token, id, digest, caller), "{id} {digest}");
        }
        for wrong in ["", "00", &token[1..], &format!("{token}00"), &token.replace(&token[..2], "zz")] {
            assert!(!tokens.is_valid(wrong, "p", "d", &me), "{wrong}");
        }
        assert!(!ReviewTokens::new(Box::new(|| Some([8; 32]))).is_valid(&token, "p", "d", &me));
        // Without a key nothing is valid.
        let none = ReviewTokens::new(Box::new(|| None));
        assert!(none.create("p", "d", &me).is_none() && !none.is_valid(&token, "p", "d", &me));
    }
}
