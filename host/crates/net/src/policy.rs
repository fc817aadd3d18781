//! The hosts that a request may go to, redirects included.
//!
//! Owns: the syntax of a pattern: `host`, `*.host` (its subdomains) or `*`, each with or without `:port`, whose default
//! is the scheme's own port; a leading `http://` allows plain HTTP, which is refused otherwise.

use serde::{Deserialize, Serialize};
use url::Url;

use super::NetError;

/// An allow-list. An empty one allows nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FetchPolicy(Vec<String>);

impl FetchPolicy {
    #[must_use]
    pub fn new(patterns: impl IntoIterator<Item = String>) -> Self {
        Self(patterns.into_iter().map(|pattern| pattern.to_ascii_lowercase()).collect())
    }

    /// Allows any host, over https and at its default port.
    #[must_use]
    pub fn any_host() -> Self {
        Self::new(["*".to_owned()])
    }

    /// Also allows the host of a URL at the URL's port.
    #[must_use]
    pub fn with_host_of(mut self, url: &str) -> Self {
        if let Ok(url) = Url::parse(url)
            && let (Some(host), Some(port)) = (url.host_str(), url.port())
        {
            self.0.push(format!("{host}:{port}"));
        }
        self
    }

    /// # Errors
    /// The reason why a request to the URL is refused.
    pub(super) fn check_url(&self, url: &Url) -> Result<(), NetError> {
        let refused = |why: String| Err(NetError::Refused(why));
        let plain = match url.scheme() {
            "https" => false,
            "http" => true,
            _ => return refused("only https:// URLs are fetched".to_owned()),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return refused("a URL must not contain a user or a password".to_owned());
        }
        let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
            return refused("the URL names no host".to_owned());
        };
        // A pattern stands for URLs of one scheme.
        let allows = |plain: bool, port: u16| {
            let fits = |pattern: &String| {
                let (is_plain, rest) =
                    pattern.strip_prefix("http://").map_or((false, pattern.as_str()), |rest| (true, rest));
                let Some((host_pattern, at)) = split_port(rest) else { return false };
                let usual = if plain { 80 } else { 443 };
                is_plain == plain && at.unwrap_or(usual) == port && matches_host(host_pattern, host)
            };
            self.0.iter().any(fits)
        };
        if allows(plain, port) {
            return Ok(());
        }
        let other_port = url.port().unwrap_or(if plain { 443 } else { 80 });
        if allows(!plain, other_port) {
            let other = if plain { "https" } else { "http" };
            return refused(format!("only {other}:// URLs of {host}:{other_port} are fetched"));
        }
        Err(NetError::HostNotAllowed { host: format!("{host}:{port}"), is_redirect: false })
    }
}

/// Splits a pattern into its host and its port; `None` if the port is invalid.
fn split_port(pattern: &str) -> Option<(&str, Option<u16>)> {
    match pattern.rsplit_once(':') {
        // This excludes the colons of an IPv6 address, which is in brackets.
        Some((host, port)) if !port.contains(']') => Some((host, Some(port.parse().ok()?))),
        _ => Some((pattern, None)),
    }
}

fn matches_host(pattern: &str, host: &str) -> bool {
    match pattern.strip_prefix("*.") {
        _ if pattern == "*" => true,
        Some(above) => host.strip_suffix(above).is_some_and(|below| below.len() > 1 && below.ends_with('.')),
        None => pattern == host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(patterns: &[&str], url: &str) -> bool {
        FetchPolicy::new(patterns.iter().map(|pattern| (*pattern).to_owned()))
            .check_url(&Url::parse(url).unwrap())
            .is_ok()
    }

    #[test]
    fn pattern_allows_only_matching_urls() {
        for (patterns, url) in [
            (&["example.org"][..], "https://example.org/a"),
            (&["example.org"], "https://EXAMPLE.org:443/"),
            (&["EXAMPLE.org:8443"], "https://example.org:8443/"),
            (&["*.example.org"], "https://a.b.example.org/"),
            (&["*"], "https://example.org/"),
            (&["http://example.org"], "http://example.org/"),
            (&["http://localhost:80"], "http://localhost/"),
            (&["[::1]:8443"], "https://[::1]:8443/"),
            (&["nothing", "example.org"], "https://example.org/"),
        ] {
            assert!(allows(patterns, url), "{patterns:?} {url}");
        }
        for (patterns, url) in [
            (&[][..], "https://example.org/"),
            (&["example.org"], "https://example.org:8443/"),
            (&["example.org"], "http://example.org/"),
            (&["example.org"], "https://a.example.org/"),
            (&["example.org"], "https://example.org.evil.example/"),
            (&["example.org"], "https://notexample.org/"),
            (&["example.org"], "https://user@example.org/"),
            (&["example.org"], "https://example.org@evil.example/"),
            (&["example.org"], "ftp://example.org/"),
            (&["example.org:no"], "https://example.org/"),
            (&["*.example.org"], "https://example.org/"),
            (&["*.example.org"], "https://badexample.org/"),
            (&["*"], "https://example.org:22/"),
            (&["*"], "http://example.org/"),
            (&["http://example.org"], "https://example.org/"),
            (&["*"], "file:///etc/passwd"),
        ] {
            assert!(!allows(patterns, url), "{patterns:?} {url}");
        }
    }
}
