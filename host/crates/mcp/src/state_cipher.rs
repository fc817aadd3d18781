//! Encryption of the state that clients carry between two calls, which may contain answers to a handler.
//!
//! Owns: the cipher only. `RequestStateCodec` of rmcp signs the result and binds it to its call.

use chacha20poly1305::aead::{Aead as _, KeyInit as _};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use sha2::{Digest as _, Sha256};

use wardroom_base::random;

const NONCE_BYTES: usize = 24;

pub(super) struct StateCipher(XChaCha20Poly1305);

impl StateCipher {
    /// Derives a key from the key that seals.
    pub(super) fn new(key: &[u8; 32]) -> Self {
        let mut hash = Sha256::new();
        hash.update(b"wardroom: what clients carry");
        hash.update(key);
        Self(XChaCha20Poly1305::new(&<[u8; 32]>::from(hash.finalize()).into()))
    }

    /// Returns `None` where the system has no randomness.
    pub(super) fn encrypt(&self, text: &[u8]) -> Option<Vec<u8>> {
        let mut nonce = [0; NONCE_BYTES];
        random::fill(&mut nonce).ok()?;
        let ciphertext = self.0.encrypt(XNonce::from_slice(&nonce), text).ok()?;
        Some([nonce.as_slice(), &ciphertext].concat())
    }

    /// Returns `None` for bytes that this cipher did not encrypt.
    pub(super) fn decrypt(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let (nonce, ciphertext) = bytes.split_at_checked(NONCE_BYTES)?;
        self.0.decrypt(XNonce::from_slice(nonce), ciphertext).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ciphertext_is_decrypted_by_same_key_only() {
        let cipher = StateCipher::new(&[7; 32]);
        let encrypted = cipher.encrypt(b"a password").unwrap();
        assert_ne!(encrypted, cipher.encrypt(b"a password").unwrap());
        assert!(!encrypted.windows(8).any(|part| part == b"password"));
        assert_eq!(cipher.decrypt(&encrypted).as_deref(), Some(b"a password".as_slice()));
        assert_eq!(StateCipher::new(&[8; 32]).decrypt(&encrypted), None);
        for at in 0..encrypted.len() {
            let mut changed = encrypted.clone();
            changed[at] ^= 1;
            assert_eq!(cipher.decrypt(&changed), None, "{at}");
        }
        assert_eq!(cipher.decrypt(b"short"), None);
    }
}
