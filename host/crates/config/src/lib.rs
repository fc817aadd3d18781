//! The configuration as types: what the operator decided, before anything is opened.
//!
//! Owns: the format of `config.toml`, its defaults, and the words for what is wrong with it.
//! Never: reads a file or the environment (see `cli`), or is changed by a client.

mod http;
pub mod limits;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use self::http::{DEFAULT_ENDPOINT_PATH, EndpointConfig, HEALTH_PATH, HttpConfig, TokenConfig, check_config_name};
use crate::limits::DEFAULT_GRACE_PERIOD;

/// `config.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    pub server: ServerConfig,
    pub services: ServicesConfig,
    pub agents: AgentsConfig,
    pub alc: AlcConfig,
    pub registry: RegistryConfig,
    pub network: NetworkConfig,
    pub sandbox: SandboxConfig,
    pub http: HttpConfig,
    /// Folders beside the AppDir, by name.
    pub mounts: BTreeMap<String, MountConfig>,
}

/// How the server presents itself, and how it ends.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServerConfig {
    pub name: Option<String>,
    pub version: Option<String>,
    pub instructions: Option<String>,
    /// How long requests may go on after the end of input, in milliseconds.
    pub grace_ms: Option<u64>,
    /// How the server learns of changes that clients subscribe to.
    pub watch: WatchMode,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WatchMode {
    /// The system tells. Where it cannot, as [`Self::Poll`].
    #[default]
    Events,
    /// The server looks every two seconds: for network file systems, which do not tell of what others change.
    Poll,
    /// Not at all: clients cannot subscribe.
    Off,
}

/// Which services are offered: all of them when nothing is said.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServicesConfig {
    pub enabled: Option<Vec<String>>,
}

/// Whether clients may have agents connected, which each time a person must agree to: not when nothing is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AgentsConfig {
    pub tools: bool,
}

/// What the service `alc` offers beyond the specification: nothing when nothing is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AlcConfig {
    /// The specification's candidates for its second version.
    pub v2: bool,
    /// Whether what is stored is listed, after the fixed resources.
    pub enumerate: bool,
    /// Whether clients of the older eras that declare sampling are asked for their model while a call waits.
    pub sampling: bool,
}

/// What handlers of declared things may have beside what they declare: nothing when nothing is said.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RegistryConfig {
    /// The variables of the server's environment that they may read.
    pub env: Vec<String>,
    /// The hosts that they may reach, each `host`, `*.host` or `host:port`, by https; `http://` before one allows plain HTTP.
    pub hosts: Vec<String>,
}

/// What may reach beyond this machine: nothing when nothing is said.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NetworkConfig {
    /// Packages from repositories.
    pub git: bool,
    /// Indices of packages.
    pub hub: bool,
    /// Hosts that may be in private networks or on this machine, each `name` or `name:port`.
    pub private: Vec<String>,
}

/// How much the server depends on what the kernel forbids it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SandboxConfig {
    /// Whether it refuses to serve where a wall does not stand whole. Else it says so in the log.
    pub require: bool,
}

/// A folder that the operator grants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MountConfig {
    /// Absolute.
    pub path: PathBuf,
    #[serde(default)]
    pub read_only: bool,
    /// What it holds, which decides the service that gets it.
    #[serde(rename = "as")]
    pub kind: MountKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MountKind {
    /// One package, under the mount's own name.
    Package,
    /// A folder of packages.
    Packages,
    /// Files that handlers of declared things read and write, and tools that are told their paths.
    Files,
    /// A folder in which things are declared.
    Registry,
}

#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("line {line}: {message}")]
    Malformed { line: usize, message: String },
    #[error("mount {name}: the path must be absolute, got {}", path.display())]
    RelativePath { name: String, path: PathBuf },
    #[error("{key}: {}: {reason}", name.escape_debug())]
    Host { key: &'static str, name: String, reason: &'static str },
    #[error("mount {name}: {reason}")]
    MountName { name: String, reason: String },
    #[error("http: {reason}")]
    Http { reason: String },
}

impl ConfigError {
    fn invalid_host(key: &'static str, name: &str) -> impl FnOnce(&'static str) -> Self {
        move |reason| Self::Host { key, name: name.to_owned(), reason }
    }
}

impl Config {
    /// Reads the text of `config.toml`.
    ///
    /// # Errors
    /// With the line, for anything that is not exactly as documented: a misspelt key must not loosen anything.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let config: Self = toml::from_str(text).map_err(|error| ConfigError::Malformed {
            line: error.span().map_or(1, |span| text.bytes().take(span.start).filter(|b| *b == b'\n').count() + 1),
            message: error.message().to_owned(),
        })?;
        for (name, mount) in &config.mounts {
            check_mount(name, mount)?;
        }
        for host in &config.network.private {
            check_host(host).map_err(ConfigError::invalid_host("[network] private", host))?;
        }
        for pattern in &config.registry.hosts {
            check_host_pattern(pattern).map_err(ConfigError::invalid_host("[registry] hosts", pattern))?;
        }
        config.http.check()?;
        Ok(config)
    }

    #[must_use]
    pub fn grace_period(&self) -> Duration {
        self.server.grace_ms.map_or(DEFAULT_GRACE_PERIOD, Duration::from_millis)
    }
}

/// A host is named as an address has it, with a port or without.
fn check_host(host: &str) -> Result<(), &'static str> {
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '[' | ']');
    if host.contains('/') {
        return Err("name a host and no address, such as packages.example.org or packages.example.org:8443");
    }
    if host.contains('*') {
        return Err("each host is named, there are no patterns");
    }
    // The colons of an IPv6 address stand in brackets.
    let behind = host.rsplit_once(']').map_or(host, |(_, behind)| behind);
    if behind.split_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_err()) {
        return Err("its port is no number up to 65535");
    }
    if host.is_empty() || host.starts_with('-') || !host.chars().all(good) {
        return Err("it is no host, such as packages.example.org, 10.0.0.7 or [fd00::7]:8443");
    }
    Ok(())
}

/// A host, all that is below one, or any, by https unless `http://` stands before it.
fn check_host_pattern(pattern: &str) -> Result<(), &'static str> {
    let host = pattern.strip_prefix("http://").unwrap_or(pattern);
    if host.starts_with("https://") {
        return Err("https is what is meant without saying so: leave out https://");
    }
    match host.strip_prefix('*') {
        Some(rest) if rest.is_empty() || rest.starts_with(':') => check_host(&format!("any{rest}")),
        Some(rest) => check_host(rest.strip_prefix('.').ok_or("* stands for all of a name, or before a dot")?),
        None => check_host(host),
    }
}

/// A mount's name is a package's name, and its path says where it is from anywhere.
///
/// # Errors
/// The rule that it breaks.
pub fn check_mount(name: &str, mount: &MountConfig) -> Result<(), ConfigError> {
    wardroom_base::uri::PackageName::parse(name)
        .map_err(|error| ConfigError::MountName { name: name.to_owned(), reason: format!("the name {error}") })?;
    if mount.path.is_absolute() {
        Ok(())
    } else {
        Err(ConfigError::RelativePath { name: name.to_owned(), path: mount.path.clone() })
    }
}
