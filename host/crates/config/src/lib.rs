//! The configuration as types: the operator's decisions, before anything is opened.
//!
//! Owns: the format of `config.toml`, its defaults, its error messages, and its JSON Schema, whose descriptions are the
//! comments of the fields.
//! Never: reads a file or the environment (the server's `assemble/settings.rs` does), or is changed by a client.

mod ace;
mod http;
pub mod limits;
mod schema;

use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::ace::{AceConfig, ConfidenceThreshold, RouteConfig};
pub use self::http::{
    DEFAULT_ENDPOINT_PATH, EndpointConfig, HEALTH_PATH, HttpConfig, REVIEW_PATH, TokenConfig, check_config_name,
};
pub use self::schema::json_schema;
use crate::limits::{
    DEFAULT_GRACE_PERIOD, DEFAULT_MAX_RECORDS, DEFAULT_RUN_PROCESSOR_TIME, DEFAULT_WORKER_MEMORY_BYTES,
};
use wardroom_base::limits::DEFAULT_MEMORY_BYTES;
use wardroom_ranking::closest_field;

/// `config.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
#[schemars(title = "config.toml of wardroom")]
pub struct Config {
    /// The server's name, its shutdown, and how it detects changes.
    pub server: ServerConfig,
    /// How far the file system of the AppDir is trusted.
    pub appdir: AppDirConfig,
    /// Where what can be made again is kept.
    pub cache: CacheConfig,
    /// The offered services; all by default.
    pub services: ServicesConfig,
    /// Whether clients may have agents connected, each time with a person's consent; off by default.
    pub agents: AgentsConfig,
    /// Extensions of the service `alc` beyond the specification; all off by default.
    pub alc: AlcConfig,
    /// The blog.
    pub blog: BlogConfig,
    /// The learning log.
    pub ace: AceConfig,
    /// What handlers of declared entries may access besides their declarations; nothing by default.
    pub registry: RegistryConfig,
    /// Network access of the server; none by default.
    pub network: NetworkConfig,
    /// How far the server depends on the confinement by the kernel.
    pub sandbox: SandboxConfig,
    /// Hosts, origins, tokens, endpoints and sessions of `wardroom serve --http` and `wardroom serve --unix`.
    pub http: HttpConfig,
    /// Mounted folders besides the AppDir, by name.
    #[schemars(extend("propertyNames" = {"pattern": schema::ID_PATTERN}))]
    pub mounts: BTreeMap<String, MountConfig>,
}

/// The server's name, its shutdown, and how it detects changes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct ServerConfig {
    /// The name of the server in `serverInfo`; `wardroom` by default.
    pub name: Option<String>,
    /// The version of the server in `serverInfo`; that of the program by default.
    pub version: Option<String>,
    /// The text that tells the model about this server; made from the services by default.
    pub instructions: Option<String>,
    /// Time that running requests have after the end of input, in milliseconds.
    #[schemars(extend("default" = DEFAULT_GRACE_PERIOD.as_millis() as u64))]
    pub grace_ms: Option<u64>,
    /// What the server holds because of what was sent to it, in MiB.
    #[schemars(extend("default" = DEFAULT_MEMORY_BYTES / MEBIBYTE))]
    pub memory: Option<NonZeroUsize>,
    /// What the processes of all scripts hold together, in MiB.
    #[schemars(extend("default" = DEFAULT_WORKER_MEMORY_BYTES / MEBIBYTE))]
    pub worker_memory: Option<NonZeroUsize>,
    /// How the server detects changes that clients subscribe to.
    pub watch: WatchMode,
    /// Whether lists of tools have the schemas of their answers; they have by default.
    #[schemars(extend("default" = true))]
    pub output_schemas: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WatchMode {
    /// By notifications of the system; where it has none, by polling.
    #[default]
    Events,
    /// By polling every two seconds: for network file systems, which do not notify of changes by other machines.
    Poll,
    /// Not at all; clients cannot subscribe.
    Off,
}

/// How far the file system of the AppDir is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct AppDirConfig {
    /// Whether a network or FUSE file system is written to that `wardroom doctor --shared` did not check; it is not by default.
    pub trust_filesystem: bool,
}

/// Where what can be made again is kept.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct CacheConfig {
    /// The folder of all caches, an absolute path; `cache` in the AppDir by default.
    #[schemars(regex(pattern = schema::ABSOLUTE_PATTERN))]
    pub dir: Option<PathBuf>,
}

/// The offered services; all by default.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct ServicesConfig {
    /// The services that the server offers; all by default.
    pub enabled: Option<Vec<String>>,
    /// Whether the pages of the documentation are listed as resources.
    pub docs: DocsListing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DocsListing {
    /// Each can be read by its URI.
    #[default]
    Unlisted,
    /// `resources/list` has them.
    Listed,
}

/// Whether clients may have agents connected, each time with a person's consent; off by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct AgentsConfig {
    /// Whether the agent that starts the server over stdio gets two tools that connect agents, with its user's consent.
    pub tools: bool,
}

/// Extensions of the service `alc` beyond the specification; all off by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct AlcConfig {
    /// The candidates for the specification's second version.
    pub v2: bool,
    /// Whether resource lists contain the stored items, after the fixed resources.
    pub enumerate: bool,
    /// Whether clients of legacy revisions that declare sampling get model requests while a call waits.
    pub sampling: bool,
    /// The processor time of a run in all, in seconds.
    #[schemars(extend("default" = DEFAULT_RUN_PROCESSOR_TIME.as_secs()))]
    pub run_cpu_s: Option<NonZeroU32>,
    /// Which tools are listed where all services are offered.
    pub tools: ListedTools,
    /// How many cards, evals and logs lists know of, of each kind, and how many packages of a folder.
    #[schemars(extend("default" = DEFAULT_MAX_RECORDS))]
    pub max_records: Option<NonZeroU32>,
}

/// Which tools of a service are listed. The others can be found and called as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ListedTools {
    /// Those that most tasks need.
    #[default]
    Core,
    /// Every one.
    All,
}

impl AlcConfig {
    /// Returns how many cards, evals and logs lists know of, of each kind.
    #[must_use]
    pub fn max_records(&self) -> usize {
        self.max_records.map_or(DEFAULT_MAX_RECORDS, |max| max.get() as usize)
    }

    /// Returns the processor time of a run in all.
    #[must_use]
    pub fn run_processor_time(&self) -> Duration {
        self.run_cpu_s.map_or(DEFAULT_RUN_PROCESSOR_TIME, seconds)
    }
}

/// The blog.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct BlogConfig {
    /// The folder of the blog, an absolute path; `blog` in the AppDir by default.
    #[schemars(regex(pattern = schema::ABSOLUTE_PATTERN))]
    pub root: Option<PathBuf>,
    /// How the folder is organised.
    pub layout: BlogLayoutName,
    /// The language of posts that do not say theirs, where `meta/project.json` names none.
    #[schemars(extend("examples" = ["en", "pt-BR"]))]
    pub language: Option<String>,
    /// The address of the blog, where `meta/project.json` names none.
    #[schemars(regex(pattern = "^https?://"))]
    pub public_url: Option<String>,
    /// Whether other machines may reach a server that offers the blog; it needs tokens then.
    pub remote: bool,
    /// Whether proposals may be made; without them the folder is granted for reading alone.
    #[schemars(extend("default" = true))]
    pub proposals: Option<bool>,
    /// Who may accept a proposal through a tool.
    pub accept: BlogAcceptMode,
    /// Minutes for which a proposal over HTTP is pending.
    #[schemars(extend("default" = 30))]
    pub proposal_ttl_app: Option<u64>,
    /// Minutes for which a proposal over stdio and at the command line is pending.
    #[schemars(extend("default" = 480))]
    pub proposal_ttl_cli: Option<u64>,
}

/// Who may accept a proposal through a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BlogAcceptMode {
    /// The person behind the client, whom the client asks.
    #[default]
    Human,
    /// No client: a person accepts at the command line or on the review page.
    HumanStrict,
    /// The agent that calls the tool.
    Agent,
}

/// The layouts of a blog's folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BlogLayoutName {
    /// Posts with ids, media with sidecars, scripts and templates, each in a folder of its own.
    #[default]
    Bds,
    /// The Markdown files of Jekyll, Hugo or Astro.
    Markdown,
}

/// What handlers of user-defined tools may access besides their declarations; nothing by default.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct RegistryConfig {
    /// Variables of the server's environment that handlers may read.
    pub env: Vec<String>,
    /// Hosts that handlers may reach over https, each `host`, `*.host` or `host:port`; a leading `http://` allows plain
    /// HTTP.
    pub hosts: Vec<String>,
}

/// Network access of the server; none by default.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct NetworkConfig {
    /// Fetching packages from git repositories.
    pub git: bool,
    /// Fetching package indices.
    pub hub: bool,
    /// Hosts that may have addresses in private networks or of this machine, each `name` or `name:port`.
    pub private: Vec<String>,
}

/// How far the server depends on the confinement by the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct SandboxConfig {
    /// Whether the server refuses to start unless every wall is fully enforced. Otherwise it logs which one is not.
    pub require: bool,
}

/// A folder that the operator grants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct MountConfig {
    /// An absolute path.
    #[schemars(regex(pattern = schema::ABSOLUTE_PATTERN))]
    pub path: PathBuf,
    /// Whether the server may only read the folder.
    #[serde(default)]
    pub read_only: bool,
    /// The content of the folder, which decides the service that gets it.
    #[serde(rename = "as")]
    pub kind: MountKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MountKind {
    /// One package, which has the mount's name.
    Package,
    /// A folder of packages.
    Packages,
    /// Files that handlers of user-defined tools read and write, and that tools take by path.
    Files,
    /// A registry of user-defined tools, prompts and resources.
    Registry,
}

#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("line {line}: {message}")]
    Malformed { line: usize, message: String },
    #[error("mount {name}: the path must be absolute, got {}", path.display())]
    RelativePath { name: String, path: PathBuf },
    #[error("[cache] dir: the path must be absolute, got {}", .0.display())]
    RelativeCache(PathBuf),
    #[error("[blog] root: the path must be absolute, got {}", .0.display())]
    RelativeBlog(PathBuf),
    #[error("[ace] root: the path must be absolute, got {}", .0.display())]
    RelativeLearningLog(PathBuf),
    #[error("[ace] max_deltas: expected a number of 1 to 100, got {0}")]
    MaxDeltas(usize),
    #[error("[ace] {name} = {given}: expected 1 to {most}")]
    BulletBudget { name: &'static str, given: usize, most: usize },
    #[error("[ace] routes: each needs at least one tag, and a section on one line")]
    LearningRoute,
    #[error("[blog] language: expected a language such as \"en\" or \"pt-BR\", got {}", .0.escape_debug())]
    BlogLanguage(String),
    #[error(
        "[blog] public_url: expected an address such as \"https://example.org/blog\" without a query, got {}",
        .0.escape_debug()
    )]
    BlogUrl(String),
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
    /// The line of anything that is not exactly as documented: a misspelt key must not relax a rule.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let config: Self = toml::from_str(text).map_err(|error| ConfigError::Malformed {
            line: error.span().map_or(1, |span| text.bytes().take(span.start).filter(|b| *b == b'\n').count() + 1),
            message: with_meant_key(error.message()),
        })?;
        for (name, mount) in &config.mounts {
            check_mount(name, mount)?;
        }
        if let Some(dir) = config.cache.dir.as_ref().filter(|dir| !dir.is_absolute()) {
            return Err(ConfigError::RelativeCache(dir.clone()));
        }
        if let Some(root) = config.blog.root.as_ref().filter(|root| !root.is_absolute()) {
            return Err(ConfigError::RelativeBlog(root.clone()));
        }
        config.ace.check()?;
        if let Some(language) = config.blog.language.as_ref().filter(|language| !is_language(language)) {
            return Err(ConfigError::BlogLanguage(language.clone()));
        }
        if let Some(url) = config.blog.public_url.as_ref().filter(|url| !is_site_url(url)) {
            return Err(ConfigError::BlogUrl(url.clone()));
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

    /// Returns what the server may count as held, in bytes: two thirds of its memory. The allocator keeps some of what
    /// was held before, and the rest is for that.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.server.memory.map_or(DEFAULT_MEMORY_BYTES, mebibytes) / 3 * 2
    }

    /// Returns what the processes of all scripts may hold together, in bytes.
    #[must_use]
    pub fn worker_memory_bytes(&self) -> usize {
        self.server.worker_memory.map_or(DEFAULT_WORKER_MEMORY_BYTES, mebibytes)
    }

    /// Whether lists of tools have the schemas of their answers.
    #[must_use]
    pub fn lists_output_schemas(&self) -> bool {
        self.server.output_schemas.unwrap_or(true)
    }

    #[must_use]
    pub fn grace_period(&self) -> Duration {
        self.server.grace_ms.map_or(DEFAULT_GRACE_PERIOD, Duration::from_millis)
    }
}

/// Adds to the message of the parser the key that an unknown one may stand for.
fn with_meant_key(message: &str) -> String {
    closest_field(message).map_or_else(|| message.to_owned(), |meant| format!("{message}; did you mean `{meant}`?"))
}

const MEBIBYTE: usize = 1024 * 1024;

const fn mebibytes(number: NonZeroUsize) -> usize {
    number.get().saturating_mul(MEBIBYTE)
}

fn seconds(number: NonZeroU32) -> Duration {
    Duration::from_secs(number.get().into())
}

/// Whether a text is a language, perhaps with a script or a region.
fn is_language(text: &str) -> bool {
    let mut parts = text.split(['-', '_']);
    let is_first = |part: &str| matches!(part.len(), 2..=3) && part.bytes().all(|b| b.is_ascii_alphabetic());
    let is_other = |part: &str| matches!(part.len(), 2..=8) && part.bytes().all(|b| b.is_ascii_alphanumeric());
    text.len() <= 20 && parts.next().is_some_and(is_first) && parts.all(is_other)
}

/// Whether a text is the address of a site: a host, and perhaps a path.
fn is_site_url(url: &str) -> bool {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")).unwrap_or_default();
    let host = rest.split('/').next().unwrap_or_default();
    let is_plain = |c: char| !c.is_whitespace() && !c.is_control() && !matches!(c, '?' | '#');
    !host.is_empty() && check_host(host).is_ok() && rest.chars().all(is_plain)
}

/// Checks a host as a URL has it, with or without a port.
fn check_host(host: &str) -> Result<(), &'static str> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '[' | ']');
    if host.contains('/') {
        return Err("name the host alone, such as packages.example.org or packages.example.org:8443");
    }
    if host.contains('*') {
        return Err("name each host in full: no * is allowed there");
    }
    // The colons of an IPv6 address are inside brackets.
    let after_bracket = host.rsplit_once(']').map_or(host, |(_, rest)| rest);
    if after_bracket.split_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_err()) {
        return Err("the port must be a number up to 65535");
    }
    if host.is_empty() || host.starts_with('-') || !host.chars().all(is_allowed) {
        return Err("not a host, such as packages.example.org, 10.0.0.7 or [fd00::7]:8443");
    }
    Ok(())
}

/// Checks a host pattern: a host, `*.` and a host, or `*`; over https unless `http://` precedes it.
fn check_host_pattern(pattern: &str) -> Result<(), &'static str> {
    let host = pattern.strip_prefix("http://").unwrap_or(pattern);
    if host.starts_with("https://") {
        return Err("leave out https://, which is the default");
    }
    match host.strip_prefix('*') {
        Some(rest) if rest.is_empty() || rest.starts_with(':') => check_host(&format!("any{rest}")),
        Some(rest) => check_host(
            rest.strip_prefix('.').ok_or("a * stands for a whole name, or for the part before the first dot")?,
        ),
        None => check_host(host),
    }
}

/// Checks that a mount's name is a valid package name, and its path absolute.
///
/// # Errors
/// The broken rule.
pub fn check_mount(name: &str, mount: &MountConfig) -> Result<(), ConfigError> {
    wardroom_base::uri::PackageName::parse(name)
        .map_err(|error| ConfigError::MountName { name: name.to_owned(), reason: format!("the name {error}") })?;
    if mount.path.is_absolute() {
        Ok(())
    } else {
        Err(ConfigError::RelativePath { name: name.to_owned(), path: mount.path.clone() })
    }
}
