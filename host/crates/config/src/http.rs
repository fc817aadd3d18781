//! The configuration of HTTP: hosts, origins, tokens, endpoints and session limits.

use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroUsize};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ConfigError, schema, seconds};
use crate::limits::{DEFAULT_MAX_SESSIONS, DEFAULT_SESSION_IDLE_TIMEOUT, DEFAULT_SESSION_LIFETIME};
use wardroom_base::hex::decode_hex;

/// The section `[http]`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct HttpConfig {
    /// Host names of this server, besides those of this machine.
    pub hosts: Vec<String>,
    /// Origins of web pages that may send requests; those of this machine by default.
    pub origins: Option<Vec<String>>,
    /// Sessions of legacy revisions at one endpoint at the same time.
    #[schemars(extend("default" = DEFAULT_MAX_SESSIONS))]
    pub max_sessions: Option<NonZeroUsize>,
    /// Seconds that a session lasts without a request and without an open stream.
    #[schemars(extend("default" = DEFAULT_SESSION_IDLE_TIMEOUT.as_secs()))]
    pub session_idle_s: Option<NonZeroU32>,
    /// Seconds that a session lasts at most.
    #[schemars(extend("default" = DEFAULT_SESSION_LIFETIME.as_secs()))]
    pub session_life_s: Option<NonZeroU32>,
    /// Whether every caller sees the runs and logs of all; by default those of its own token.
    pub shared_runs: bool,
    /// Bearer tokens by name; `wardroom token new NAME` makes one.
    #[schemars(extend("propertyNames" = {"pattern": schema::CONFIG_NAME_PATTERN}))]
    pub tokens: BTreeMap<String, TokenConfig>,
    /// Endpoints by name. `/mcp` offers everything unless an endpoint has this path.
    #[schemars(extend("propertyNames" = {"pattern": schema::CONFIG_NAME_PATTERN}))]
    pub endpoints: BTreeMap<String, EndpointConfig>,
}

/// A bearer token, of which only the hash is configured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct TokenConfig {
    /// The SHA-256 hash in hexadecimal digits.
    #[schemars(regex(pattern = "^[0-9A-Fa-f]{64}$"))]
    pub sha256: String,
    /// The groups of the token's bearer.
    #[serde(default)]
    pub groups: Vec<String>,
}

/// A path, and the services and rights behind it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct EndpointConfig {
    /// The path of the endpoint, compared byte by byte.
    #[schemars(regex(pattern = "^(/[A-Za-z0-9_.-]+)+$"))]
    pub path: String,
    /// The scope of the endpoint: entries that are declared for it are visible here.
    #[serde(default)]
    pub scope: Option<String>,
    /// Groups of every caller at this endpoint.
    #[serde(default)]
    pub groups: Option<Vec<String>>,
    /// A selection of the server's services; all by default.
    #[serde(default)]
    pub services: Option<Vec<String>>,
    /// Names of the accepted tokens, or `[]` for anonymous access. By default the tokens that no endpoint names.
    #[serde(default)]
    pub tokens: Option<Vec<String>>,
    /// Without sessions: every request is independent.
    #[serde(default)]
    pub stateless: bool,
}

/// The path of the default endpoint.
pub const DEFAULT_ENDPOINT_PATH: &str = "/mcp";
/// The path of the health check.
pub const HEALTH_PATH: &str = "/healthz";
/// The path of the review page, which is served beside the endpoints.
pub const REVIEW_PATH: &str = "/review";

impl HttpConfig {
    /// Checks names, paths and tokens.
    ///
    /// # Errors
    /// The first invalid setting.
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        for (name, token) in &self.tokens {
            check_config_name("token", name)?;
            if token.digest().is_none() {
                return Err(http_config_error(format!("token {name}: sha256 must be 64 hexadecimal digits")));
            }
            // A request with it would be that of either.
            let same = self.tokens.iter().find(|(other, known)| *other != name && known.digest() == token.digest());
            if let Some((other, _)) = same {
                return Err(http_config_error(format!(
                    "tokens {name} and {other} have the same sha256: remove one of them"
                )));
            }
        }
        for (name, endpoint) in &self.endpoints {
            check_config_name("endpoint", name)?;
            check_endpoint_path(&endpoint.path)
                .map_err(|reason| http_config_error(format!("endpoint {name}: the path {reason}")))?;
            if let Some(unknown) = endpoint.tokens.iter().flatten().find(|token| !self.tokens.contains_key(*token)) {
                return Err(http_config_error(format!(
                    "endpoint {name}: no token is called {unknown}: take it out of the endpoint, create it with wardroom token new {unknown}, and put it back"
                )));
            }
            if let Some((other, _)) =
                self.endpoints.iter().find(|(other, known)| *other != name && known.path == endpoint.path)
            {
                return Err(http_config_error(format!("endpoints {name} and {other} have the same path")));
            }
        }
        Ok(())
    }

    /// The endpoints by path, with a default endpoint that offers everything unless its path is configured.
    #[must_use]
    pub fn endpoints(&self) -> Vec<EndpointConfig> {
        let mut endpoints: Vec<EndpointConfig> = self.endpoints.values().cloned().collect();
        if endpoints.iter().all(|endpoint| endpoint.path != DEFAULT_ENDPOINT_PATH) {
            endpoints.push(EndpointConfig { path: DEFAULT_ENDPOINT_PATH.to_owned(), ..EndpointConfig::default() });
        }
        endpoints.sort_by(|one, other| one.path.cmp(&other.path));
        endpoints
    }

    /// Names of the tokens that an endpoint accepts. A token that one endpoint names is accepted nowhere by default.
    #[must_use]
    pub fn tokens_for<'c>(&'c self, endpoint: &'c EndpointConfig) -> Vec<&'c str> {
        if let Some(named) = &endpoint.tokens {
            return named.iter().map(String::as_str).collect();
        }
        let named = self.endpoints.values().flat_map(|endpoint| endpoint.tokens.iter().flatten());
        self.tokens.keys().filter(|token| !named.clone().any(|name| name == *token)).map(String::as_str).collect()
    }

    /// The path of an endpoint that sets no tokens and gets none by default, although tokens exist. An operator with
    /// tokens expects closed endpoints, so an open one must be explicit.
    #[must_use]
    pub fn unprotected_endpoint(&self) -> Option<String> {
        let mut defaulted = self.endpoints().into_iter().filter(|endpoint| endpoint.tokens.is_none());
        let unprotected = defaulted.find(|endpoint| !self.tokens.is_empty() && self.tokens_for(endpoint).is_empty());
        unprotected.map(|endpoint| endpoint.path)
    }

    #[must_use]
    pub fn max_sessions(&self) -> usize {
        self.max_sessions.map_or(DEFAULT_MAX_SESSIONS, NonZeroUsize::get)
    }

    #[must_use]
    pub fn session_idle_timeout(&self) -> Duration {
        self.session_idle_s.map_or(DEFAULT_SESSION_IDLE_TIMEOUT, seconds)
    }

    #[must_use]
    pub fn session_lifetime(&self) -> Duration {
        self.session_life_s.map_or(DEFAULT_SESSION_LIFETIME, seconds)
    }
}

impl TokenConfig {
    /// The hash as bytes.
    #[must_use]
    pub fn digest(&self) -> Option<[u8; 32]> {
        decode_hex(&self.sha256)
    }
}

/// Checks that the name of a token or an endpoint is a bare key of TOML.
///
/// # Errors
/// The broken rule.
pub fn check_config_name(kind: &str, name: &str) -> Result<(), ConfigError> {
    const MAX_NAME_BYTES: usize = 64;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if !name.is_empty() && name.len() <= MAX_NAME_BYTES && name.bytes().all(is_plain) {
        return Ok(());
    }
    Err(http_config_error(format!("{kind} {name:?}: a name has 1 to {MAX_NAME_BYTES} letters, digits, _ and -")))
}

/// Checks an endpoint's path, which must have a single spelling: requested paths are compared byte by byte.
fn check_endpoint_path(path: &str) -> Result<(), String> {
    const MAX_PATH_BYTES: usize = 200;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let Some(rest) = path.strip_prefix('/') else { return Err("must begin with /".to_owned()) };
    if path == HEALTH_PATH {
        return Err(format!("must not be {HEALTH_PATH}"));
    }
    if path.strip_prefix(REVIEW_PATH).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) {
        return Err(format!("must not be {REVIEW_PATH} or below it"));
    }
    if path.len() > MAX_PATH_BYTES {
        return Err(format!("is {} bytes long, the limit is {MAX_PATH_BYTES}", path.len()));
    }
    let is_part = |part: &str| !matches!(part, "" | "." | "..") && part.bytes().all(is_plain);
    if !rest.split('/').all(is_part) {
        return Err("must have a name after each /, of letters, digits, _, - and ., other than . and ..".to_owned());
    }
    Ok(())
}

fn http_config_error(reason: String) -> ConfigError {
    ConfigError::Http { reason }
}

#[cfg(test)]
mod tests {
    use crate::Config;

    #[test]
    fn limit_that_lets_nothing_through_is_refused() {
        for wrong in ["max_sessions = 0", "session_idle_s = 0", "session_life_s = 0", "session_life_s = 5000000000"] {
            assert!(Config::parse(&format!("[http]\n{wrong}\n")).is_err(), "{wrong}");
        }
        let config = Config::parse("[http]\nmax_sessions = 2\nsession_life_s = 60\n").unwrap().http;
        assert_eq!((config.max_sessions(), config.session_lifetime().as_secs()), (2, 60));
    }
}
