//! Indices of packages that are fetched, where the operator allows it, and kept in `hub_cache`.
//!
//! Owns: which sources there are, in the original's order; when one is asked again; and that only what is an index is
//! kept.
//! Never: lets a source that fails hide what was cached of it, or the others.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use super::index::{CACHE, check};
use crate::pkg::Source;
use crate::{Alc, parallel};
use wardroom_appdir::{AppDirError, Folder, Privacy};
use wardroom_base::limits::{
    HUB_FRESH_TIME, HUB_RETRY_TIME, HUB_TIME, MAX_CONFIG_BYTES, MAX_HUB_SOURCE_BYTES, MAX_HUB_SOURCES,
};
use wardroom_base::toml_text;
use wardroom_net::{Http, NetError, Policy, Request};
use wardroom_service::{CallContext, ServiceError, shown};

/// Asked where the AppDir's `config.toml` names no other collection.
const SEED: &str = "https://github.com/ynishi/algocline-bundled-packages";
const FILE: &str = "hub_index.json";

/// What this process knows of sources: when one failed that was asked last, and why.
#[derive(Default)]
pub(crate) struct Remote {
    failed: Mutex<HashMap<String, (Instant, String)>>,
}

impl Remote {
    /// Why a source failed a short while ago.
    fn failure(&self, url: &str) -> Option<String> {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.get(url).filter(|(at, _)| at.elapsed() < HUB_RETRY_TIME).map(|(_, why)| why.clone())
    }

    fn note(&self, url: &str, failure: Option<&str>) {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.retain(|_, (at, _)| at.elapsed() < HUB_RETRY_TIME);
        match failure {
            Some(why) => failed.insert(url.to_owned(), (Instant::now(), why.to_owned())),
            None => failed.remove(url),
        };
    }
}

impl Alc {
    /// Fetches the indices that are missing or old; what there is to tell about it.
    pub(super) fn refresh_indices(&self, context: &CallContext) -> Result<Vec<String>, ServiceError> {
        let off = |why: &str| Ok(vec![format!("{why}: what was cached is searched")]);
        if !self.operator.network.hub {
            return off("remote indices are off ([network] hub = false)");
        }
        let Some(http) = &self.http else {
            return off("remote indices are fetched by a server that may write");
        };
        context.needs_full()?;
        let cache = self.folders.app.create_folder(CACHE);
        let cache = cache.map_err(|error| ServiceError::writing("the cached indices", error))?;
        let (sources, mut warnings) = self.remote_sources();
        let asking = Asking { http, cache, context, deadline: Instant::now() + 2 * HUB_TIME };
        let refreshed = parallel::each(&sources, &context.cancelled, |url| self.refresh(&asking, url));
        for (url, refreshed) in sources.iter().zip(refreshed) {
            match refreshed {
                Some(Ok(())) => {}
                Some(Err(why)) => warnings.push(format!("{}: {why}", shown(url))),
                None => return Err(ServiceError::tool("CANCELLED", "the search was cancelled")),
            }
        }
        Ok(warnings)
    }

    /// Where indices are, each once.
    fn remote_sources(&self) -> (Vec<String>, Vec<String>) {
        let (mut urls, mut warnings) = (Vec::new(), Vec::new());
        let mut sources = Vec::new();
        match self.collection_url() {
            Ok(url) => sources.push(url.unwrap_or_else(|| SEED.to_owned())),
            Err(why) => warnings.push(why),
        }
        match self.registries() {
            Ok(registries) => sources.extend(registries),
            Err(error) => warnings.push(error.to_string()),
        }
        let installed = self.sources().unwrap_or_default();
        sources.extend(installed.into_values().filter_map(|source| match source {
            Source::Git { url, .. } => Some(url),
            Source::Unknown | Source::Installed | Source::Path { .. } | Source::Bundled { .. } => None,
        }));
        for url in sources.iter().filter_map(|source| index_url(source)) {
            if !urls.contains(&url) {
                urls.push(url);
            }
        }
        if urls.len() > MAX_HUB_SOURCES {
            warnings.push(format!("only the first {MAX_HUB_SOURCES} sources of indices are asked"));
            urls.truncate(MAX_HUB_SOURCES);
        }
        (urls, warnings)
    }

    /// What the AppDir's own `config.toml` says, as the original reads it.
    fn collection_url(&self) -> Result<Option<String>, String> {
        const CONFIG: &str = "config.toml";
        let text = match self.folders.app.read_text(CONFIG, MAX_CONFIG_BYTES) {
            Ok((text, _)) => text,
            Err(AppDirError::NotFound(_)) => return Ok(None),
            Err(error) => return Err(ServiceError::reading(CONFIG, error).to_string()),
        };
        let table = toml_text::parse(&text).map_err(|error| format!("{CONFIG}: {}", error.public()))?;
        let url = table.get("hub").and_then(|hub| hub.get("collection_url")).and_then(toml::Value::as_str);
        Ok(url.filter(|url| !url.is_empty()).map(str::to_owned))
    }

    /// Fetches one, unless it is fresh. What was cached stays where that fails.
    fn refresh(&self, asking: &Asking<'_>, url: &str) -> Result<(), String> {
        let cache = &asking.cache;
        let file = cache_file(url);
        let age =
            cache.stat(&file).ok().map(|stat| stat.modified.and_then(|at| SystemTime::now().duration_since(at).ok()));
        if matches!(age, Some(Some(age)) if age < HUB_FRESH_TIME) {
            return Ok(());
        }
        let why = match self.hub.failure(url) {
            Some(why) => why,
            None => match asking.fetch(url) {
                Ok(text) => {
                    self.hub.note(url, None);
                    let written = cache.write(&file, text.as_bytes(), Privacy::Shared);
                    return written.map_err(|error| ServiceError::writing("its index", error).to_string());
                }
                Err(Failure { why, lasts }) => {
                    if lasts {
                        self.hub.note(url, Some(&why));
                    }
                    why
                }
            },
        };
        Err(match age {
            None => why,
            Some(age) => format!("{why}; what was fetched {} is searched", ago(age)),
        })
    }
}

fn ago(age: Option<Duration>) -> String {
    age.map_or_else(|| "earlier".to_owned(), |age| format!("{} minutes ago", age.as_secs() / 60))
}

/// Why a source gave no index.
struct Failure {
    why: String,
    /// Whether it would fail again at once.
    lasts: bool,
}

impl From<NetError> for Failure {
    fn from(error: NetError) -> Self {
        let lasts = !matches!(error, NetError::Busy | NetError::Cancelled);
        Self { why: format!("cannot be fetched: {error}"), lasts }
    }
}

/// What one search asks with.
struct Asking<'a> {
    http: &'a Http,
    cache: Folder,
    context: &'a CallContext,
    /// Of all sources together.
    deadline: Instant,
}

impl Asking<'_> {
    /// The text of an index.
    fn fetch(&self, url: &str) -> Result<String, Failure> {
        let failed = |why: String| Failure { why, lasts: true };
        let time = HUB_TIME.min(self.deadline.saturating_duration_since(Instant::now()));
        if time.is_zero() {
            let why = "was not asked, since other sources took too long: search again".to_owned();
            return Err(Failure { why, lasts: false });
        }
        let most = usize::try_from(MAX_HUB_SOURCE_BYTES).unwrap_or(usize::MAX);
        let request = Request::get(url, Policy::any().and_host_of(url), time, most);
        let response = self.http.request(&request, &|| self.context.cancelled.is_cancelled())?;
        if response.status != 200 {
            return Err(failed(format!("cannot be fetched: the server answers {}", response.status)));
        }
        let text = String::from_utf8(response.body).map_err(|_| failed("is not UTF-8 text".to_owned()))?;
        check(&text).map_err(|error| failed(error.to_string()))?;
        Ok(text)
    }
}

/// Where the index of a source is, as far as that is known.
fn index_url(source: &str) -> Option<String> {
    let rest = source.strip_prefix("https://").unwrap_or(source).trim_end_matches('/');
    // Another scheme, or a folder.
    if rest.contains("://") || rest.starts_with(['/', '.']) || rest.contains('@') {
        return None;
    }
    let repository = rest.strip_prefix("github.com/").map(|name| name.strip_suffix(".git").unwrap_or(name));
    match repository {
        Some(name) if name.split('/').count() == 2 && !name.ends_with(".json") => {
            Some(format!("https://raw.githubusercontent.com/{name}/main/{FILE}"))
        }
        _ if rest.ends_with(".json") => Some(format!("https://{rest}")),
        _ => None,
    }
}

/// The name that the original gives to what it fetched: FNV-1a of the address.
fn cache_file(url: &str) -> String {
    let hash = url
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{hash:016x}.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_has_its_index_where_the_original_looks() {
        let raw = "https://raw.githubusercontent.com/a/b/main/hub_index.json";
        for source in
            ["https://github.com/a/b", "github.com/a/b", "https://github.com/a/b.git", "https://github.com/a/b/"]
        {
            assert_eq!(index_url(source).as_deref(), Some(raw), "{source}");
        }
        let own = "https://example.org:8443/x/hub_index.json";
        assert_eq!(index_url(own).as_deref(), Some(own));
        for none in
            ["http://example.org/i.json", "/x/i.json", "./i.json", "git@github.com:a/b", "https://gitlab.com/a/b", ""]
        {
            assert_eq!(index_url(none), None, "{none}");
        }
    }

    /// The published values of the function.
    #[test]
    fn a_cached_index_has_the_name_that_the_original_gives_it() {
        assert_eq!(cache_file(""), "cbf29ce484222325.json");
        assert_eq!(cache_file("a"), "af63dc4c8601ec8c.json");
        assert_eq!(cache_file("foobar"), "85944171f73967e8.json");
    }
}
