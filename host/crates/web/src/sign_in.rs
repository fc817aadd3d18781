//! The addresses that sign in: each works once, and for some minutes.
//!
//! Owns: the keys in these addresses, as hashes.
//! Never: writes a key anywhere; the command line prints it.

use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use sha2::{Digest as _, Sha256};

use crate::limits::{MAX_SIGN_IN_KEYS, REVIEW_CLOCK_SKEW, SIGN_IN_KEY_TTL};
use wardroom_base::constant_time::is_equal_constant_time;
use wardroom_base::hex::encode_hex;
use wardroom_base::random;

/// The keys that were not used yet.
#[derive(Default)]
pub(crate) struct SignInKeys(Mutex<Vec<SignInKey>>);

struct SignInKey {
    digest: [u8; 32],
    /// By a clock that goes on while the machine sleeps.
    made: SystemTime,
}

impl SignInKeys {
    /// Makes a key; `None` where the system has no randomness.
    pub(crate) fn create(&self, now: SystemTime) -> Option<String> {
        let mut bytes = [0; 32];
        random::fill(&mut bytes).ok()?;
        let key = encode_hex(&bytes);
        let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if keys.len() >= MAX_SIGN_IN_KEYS {
            keys.remove(0);
        }
        keys.push(SignInKey { digest: Sha256::digest(&key).into(), made: now });
        Some(key)
    }

    /// Uses a key up. Returns whether it was there and still worked.
    pub(crate) fn take(&self, key: &str, now: SystemTime) -> bool {
        let digest: [u8; 32] = Sha256::digest(key).into();
        let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        keys.retain(|known| match now.duration_since(known.made) {
            Ok(age) => age < SIGN_IN_KEY_TTL,
            Err(ahead) => ahead.duration() <= REVIEW_CLOCK_SKEW,
        });
        let before = keys.len();
        keys.retain(|known| !is_equal_constant_time(&known.digest, &digest));
        keys.len() < before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_works_once_and_for_its_time() {
        let (keys, now) = (SignInKeys::default(), SystemTime::now());
        let [first, second, third] = [(); 3].map(|()| keys.create(now).unwrap());
        assert!(!keys.take("", now));
        assert!(keys.take(&first, now));
        assert!(!keys.take(&first, now));
        assert!(keys.take(&second, now + SIGN_IN_KEY_TTL - std::time::Duration::from_secs(1)));
        assert!(!keys.take(&third, now + SIGN_IN_KEY_TTL));
        // The clock was set back.
        let [near, far] = [(); 2].map(|()| keys.create(now).unwrap());
        assert!(keys.take(&near, now - REVIEW_CLOCK_SKEW));
        assert!(!keys.take(&far, now - REVIEW_CLOCK_SKEW - std::time::Duration::from_secs(1)));
    }

    #[test]
    fn oldest_key_is_forgotten_for_another_one() {
        let (keys, now) = (SignInKeys::default(), SystemTime::now());
        let made: Vec<_> = (0..=MAX_SIGN_IN_KEYS).map(|_| keys.create(now).unwrap()).collect();
        assert!(!keys.take(&made[0], now));
        assert!(made[1..].iter().all(|key| keys.take(key, now)));
    }
}
