//! The sessions of people: a signed cookie, and the sign-out.
//!
//! Owns: the format and the attributes of the cookie.
//! Never: stores a session: each process that has the key can check one.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use http::HeaderMap;
use http::header::COOKIE;

use crate::limits::{MAX_SIGNED_OUT_SESSIONS, REVIEW_CLOCK_SKEW, REVIEW_SESSION_LIFETIME};
use crate::site_key::{Purpose, SiteKey};
use wardroom_base::hex::encode_hex;
use wardroom_base::random;
use wardroom_base::unix_time;

const COOKIE_NAME: &str = "wardroom-review";
const COOKIE_ATTRIBUTES: &str = "Path=/review; HttpOnly; SameSite=Strict";

/// A session whose cookie was signed with the key of the pages, and is still valid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReviewSession {
    /// 128 random bits, as hexadecimal digits.
    id: String,
    /// In seconds since 1970.
    began: u64,
}

impl ReviewSession {
    /// Begins a session; `None` where the system has no randomness.
    pub(crate) fn begin(now: SystemTime) -> Option<Self> {
        let mut id = [0; 16];
        random::fill(&mut id).ok()?;
        Some(Self { id: encode_hex(&id), began: unix_time::to_seconds(now) })
    }

    /// Returns the value of `Set-Cookie` that begins the session in a browser.
    pub(crate) fn set_cookie(&self, key: &SiteKey) -> String {
        let Self { id, began } = self;
        let signature = key.sign(Purpose::Cookie, &format!("{id}.{began}"));
        let age = REVIEW_SESSION_LIFETIME.as_secs();
        format!("{COOKIE_NAME}={id}.{began}.{signature}; {COOKIE_ATTRIBUTES}; Max-Age={age}")
    }

    /// Returns the session of a request.
    pub(crate) fn find(headers: &HeaderMap, key: &SiteKey, now: SystemTime) -> Option<Self> {
        let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.filter(|(name, _)| *name == COOKIE_NAME).find_map(|(_, value)| Self::parse(value, key, now))
    }

    fn parse(value: &str, key: &SiteKey, now: SystemTime) -> Option<Self> {
        let (signed, signature) = value.rsplit_once('.')?;
        if !key.is_signature(Purpose::Cookie, signed, signature) {
            return None;
        }
        let (id, began) = signed.split_once('.')?;
        let (began, now) = (began.parse::<u64>().ok()?, unix_time::to_seconds(now));
        let is_valid = began <= now.saturating_add(REVIEW_CLOCK_SKEW.as_secs())
            && now < began.saturating_add(REVIEW_SESSION_LIFETIME.as_secs());
        is_valid.then(|| Self { id: id.to_owned(), began })
    }

    /// Returns the token in the forms of the session.
    pub(crate) fn form_token(&self, key: &SiteKey) -> String {
        key.sign(Purpose::FormToken, &self.id)
    }

    pub(crate) fn has_form_token(&self, key: &SiteKey, token: &str) -> bool {
        key.is_signature(Purpose::FormToken, &self.id, token)
    }

    /// Returns a name for the audit trail, which signs in nowhere.
    pub(crate) fn display_name(&self) -> String {
        format!("review {}", self.id.get(..8).unwrap_or_default())
    }
}

/// Returns the value of `Set-Cookie` that removes the cookie.
pub(crate) fn removed_cookie() -> String {
    format!("{COOKIE_NAME}=; {COOKIE_ATTRIBUTES}; Max-Age=0")
}

/// The sessions that were signed out in this process.
#[derive(Default)]
pub(crate) struct SignedOutSessions(Mutex<VecDeque<String>>);

impl SignedOutSessions {
    pub(crate) fn add(&self, session: &ReviewSession) {
        let mut ids = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if ids.len() >= MAX_SIGNED_OUT_SESSIONS {
            ids.pop_front();
        }
        ids.push_back(session.id.clone());
    }

    pub(crate) fn contains(&self, session: &ReviewSession) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(&session.id)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    fn headers(cookie: &str) -> HeaderMap {
        HeaderMap::from_iter([(COOKIE, cookie.parse().unwrap())])
    }

    #[test]
    fn cookie_is_valid_for_its_key_and_time_only() {
        let (key, now) = (SiteKey::new(&[7; 32]), UNIX_EPOCH + Duration::from_secs(1_000_000));
        let session = ReviewSession::begin(now).unwrap();
        let cookie = session.set_cookie(&key);
        let (pair, attributes) = cookie.split_once("; ").unwrap();
        assert_eq!(attributes, "Path=/review; HttpOnly; SameSite=Strict; Max-Age=43200");
        let found = |key: &SiteKey, cookie: &str, at| ReviewSession::find(&headers(cookie), key, at);
        assert_eq!(found(&key, pair, now), Some(session.clone()));
        assert_eq!(found(&key, &format!("other=1; {pair}"), now), Some(session));
        assert_eq!(found(&SiteKey::new(&[8; 32]), pair, now), None);
        let last = now + REVIEW_SESSION_LIFETIME - Duration::from_secs(1);
        assert!(found(&key, pair, last).is_some());
        assert_eq!(found(&key, pair, now + REVIEW_SESSION_LIFETIME), None);
        assert_eq!(found(&key, pair, now - Duration::from_secs(61)), None);
        // Any other byte of the value.
        for at in COOKIE_NAME.len() + 1..pair.len() {
            let mut forged = pair.as_bytes().to_vec();
            forged[at] = if forged[at] == b'1' { b'2' } else { b'1' };
            assert_eq!(found(&key, std::str::from_utf8(&forged).unwrap(), now), None, "{at}");
        }
    }

    #[test]
    fn form_token_is_of_its_session() {
        let key = SiteKey::new(&[7; 32]);
        let [one, other] = [(); 2].map(|()| ReviewSession::begin(UNIX_EPOCH).unwrap());
        assert!(one.has_form_token(&key, &one.form_token(&key)));
        assert!(!one.has_form_token(&key, &other.form_token(&key)));
        assert!(!one.has_form_token(&key, ""));
    }

    #[test]
    fn signed_out_session_is_remembered_up_to_a_number() {
        let sessions = SignedOutSessions::default();
        let session = |n: usize| ReviewSession { id: n.to_string(), began: 0 };
        (0..=MAX_SIGNED_OUT_SESSIONS).for_each(|n| sessions.add(&session(n)));
        assert!(!sessions.contains(&session(0)));
        assert!(sessions.contains(&session(1)) && sessions.contains(&session(MAX_SIGNED_OUT_SESSIONS)));
    }
}
