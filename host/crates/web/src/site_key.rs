//! The key of the pages, derived from the key of the `AppDir` or from one of this process.
//!
//! Owns: every signature, each for one purpose, so that none can stand for another.
//! Never: shows the key, or tells by the time of a comparison how much was right.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use wardroom_base::constant_time::is_equal_constant_time;
use wardroom_base::hex::encode_hex;

/// A key that only processes on the `AppDir` know, or this process alone.
pub(crate) struct SiteKey([u8; 32]);

/// What a signature is for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Purpose {
    /// The host name of the pages, which cannot be guessed, and which agents are not told.
    HostName,
    /// The cookie of a session.
    Cookie,
    /// The token in the forms of a session.
    FormToken,
}

impl Purpose {
    const fn label(self) -> &'static [u8] {
        match self {
            Self::HostName => b"host name\0",
            Self::Cookie => b"cookie\0",
            Self::FormToken => b"form token\0",
        }
    }
}

impl SiteKey {
    /// Derives the key from the one that seals.
    pub(crate) fn new(seal_key: &[u8; 32]) -> Self {
        Self(authenticate(seal_key, &[b"wardroom: pages for people"]))
    }

    /// Returns the signature of a text, as hexadecimal digits.
    pub(crate) fn sign(&self, purpose: Purpose, text: &str) -> String {
        encode_hex(&authenticate(&self.0, &[purpose.label(), text.as_bytes()]))
    }

    /// Whether `signature` is that of the text.
    pub(crate) fn is_signature(&self, purpose: Purpose, text: &str, signature: &str) -> bool {
        is_equal_constant_time(self.sign(purpose, text).as_bytes(), signature.as_bytes())
    }
}

fn authenticate(key: &[u8; 32], parts: &[&[u8]]) -> [u8; 32] {
    // A key is padded with zeros to a block of the hash.
    let block: [u8; 64] = std::array::from_fn(|at| key.get(at).copied().unwrap_or_default());
    let mut mac = <Hmac<Sha256>>::new(&block.into());
    parts.iter().for_each(|part| mac.update(part));
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signature_is_of_one_key_purpose_and_text() {
        let key = SiteKey::new(&[7; 32]);
        let signature = key.sign(Purpose::Cookie, "a");
        assert!(key.is_signature(Purpose::Cookie, "a", &signature));
        assert!(!key.is_signature(Purpose::Cookie, "b", &signature));
        assert!(!key.is_signature(Purpose::FormToken, "a", &signature));
        assert!(!SiteKey::new(&[8; 32]).is_signature(Purpose::Cookie, "a", &signature));
        for wrong in ["", "0", &signature[1..], &format!("{signature}0")] {
            assert!(!key.is_signature(Purpose::Cookie, "a", wrong), "{wrong}");
        }
    }
}
