//! The tokens of a server over HTTP while it runs: what the configuration says of them now.
//!
//! Owns: what a changed configuration means for the endpoints of a server that started with another one.
//! Never: opens an endpoint that required a token, takes up anything but tokens, or logs a token.

use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use super::follow_config::{ConfigFollower, ConfigReading};
use crate::assemble::settings::Settings;
use wardroom_config::{Config, EndpointConfig, HttpConfig};
use wardroom_mcp::http::{HttpService, TokenHash};

/// The tokens of a server, and the configuration that they are from.
pub(super) struct LiveTokens {
    service: Arc<HttpService>,
    file: PathBuf,
    /// The last configuration that was valid.
    config: HttpConfig,
}

impl LiveTokens {
    pub(super) fn new(settings: &Settings, service: &Arc<HttpService>) -> Self {
        Self { service: Arc::clone(service), file: settings.config_file.clone(), config: settings.config.http.clone() }
    }

    /// Starts the thread that takes up the tokens of each reading.
    pub(super) fn follow(mut self, mut follower: ConfigFollower) {
        let follow = move || {
            loop {
                match follower.next_reading() {
                    Ok(reading) => self.take_up(&reading),
                    Err(error) => {
                        let file = self.file.display();
                        return tracing::warn!(%error, "{file} is no longer read: new tokens need a restart");
                    }
                }
            }
        };
        if let Err(error) = thread::Builder::new().name("tokens".to_owned()).spawn(follow) {
            tracing::warn!(%error, "no thread reads the configuration: new tokens need a restart");
        }
    }

    fn take_up(&mut self, reading: &ConfigReading) {
        const STAYS: &str = "the tokens of this server stay as they are";
        let file = self.file.display();
        match reading {
            ConfigReading::Text(text) => match Config::parse(text) {
                Ok(config) => self.apply(config.http),
                Err(error) => tracing::warn!("{STAYS}: invalid configuration {file}: {error}"),
            },
            ConfigReading::Missing if self.config.tokens.is_empty() => {}
            ConfigReading::Missing => tracing::warn!("{STAYS}: there is no {file} any more"),
            ConfigReading::Unreadable(error) => tracing::warn!("{STAYS}: cannot read {file}: {error}"),
        }
    }

    fn apply(&mut self, config: HttpConfig) {
        if config.tokens == self.config.tokens && config.endpoints == self.config.endpoints {
            return;
        }
        let configured = config.endpoints();
        for path in self.service.paths() {
            let endpoint = configured.iter().find(|endpoint| endpoint.path == path);
            let tokens = endpoint.map(|endpoint| endpoint_tokens(&config, endpoint)).unwrap_or_default();
            // An operator with tokens expects closed endpoints.
            let is_open = endpoint
                .is_none_or(|endpoint| endpoint.tokens.as_ref().map_or(config.tokens.is_empty(), Vec::is_empty));
            self.service.replace_tokens(path, tokens, is_open);
        }
        tracing::info!("the configuration has {} tokens now", config.tokens.len());
        if config.tokens.is_empty() {
            let file = self.file.display();
            tracing::warn!("{file} has no token any more: endpoints that required one refuse every request");
        }
        self.config = config;
    }
}

/// The hashes of the tokens that an endpoint accepts.
pub(super) fn endpoint_tokens(config: &HttpConfig, endpoint: &EndpointConfig) -> Vec<TokenHash> {
    let key = |name: &str| {
        let token = config.tokens.get(name)?;
        Some(TokenHash { name: name.to_owned(), digest: token.digest()?, groups: token.groups.clone() })
    };
    config.tokens_for(endpoint).into_iter().filter_map(key).collect()
}
