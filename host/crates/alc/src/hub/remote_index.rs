//! Remote indices of packages, fetched where the operator allows it, and cached in `hub_cache`.
//!
//! Owns: the list of sources, in the original's order; the time until a source is fetched again; and the check that
//! only a valid index is cached.
//! Never: lets a source that fails hide its cached index, or the other sources.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use super::HubIndex;
use super::index::{HUB_CACHE_DIR, validate_index};
use crate::error_code as code;
use crate::limits::{
    HUB_CACHE_TTL, HUB_FETCH_TIMEOUT, HUB_RETRY_DELAY, MAX_CONFIG_BYTES, MAX_HUB_SOURCE_BYTES, MAX_HUB_SOURCES,
};
use crate::packages::{PackageOrigin, PackageStore};
use crate::parallel;
use wardroom_appdir::{AppDirError, Folder, Privacy};
use wardroom_base::toml_text;
use wardroom_net::{FetchPolicy, FetchRequest, HttpFetcher, NetError};
use wardroom_service::{RequestInfo, ServiceError, escape_and_truncate};

/// The default source, where the AppDir's `config.toml` names no other collection.
const DEFAULT_COLLECTION_URL: &str = "https://github.com/ynishi/algocline-bundled-packages";
const REMOTE_INDEX_FILE: &str = "hub_index.json";

/// The recent failures of sources in this process, each with its time and reason.
#[derive(Default)]
pub(super) struct FetchFailures {
    recent_failures: Mutex<HashMap<String, (Instant, String)>>,
}

impl FetchFailures {
    /// Returns why a source failed within the last [`HUB_RETRY_DELAY`].
    fn recent(&self, url: &str) -> Option<String> {
        let failed = self.recent_failures.lock().unwrap_or_else(PoisonError::into_inner);
        failed.get(url).filter(|(at, _)| at.elapsed() < HUB_RETRY_DELAY).map(|(_, why)| why.clone())
    }

    fn record_outcome(&self, url: &str, failure: Option<&str>) {
        let mut failed = self.recent_failures.lock().unwrap_or_else(PoisonError::into_inner);
        failed.retain(|_, (at, _)| at.elapsed() < HUB_RETRY_DELAY);
        match failure {
            Some(why) => failed.insert(url.to_owned(), (Instant::now(), why.to_owned())),
            None => failed.remove(url),
        };
    }
}

impl HubIndex {
    /// Fetches the indices at `urls` that are missing or old; returns warnings.
    fn refresh(&self, http: &HttpFetcher, urls: &[String], info: &RequestInfo) -> Result<Vec<String>, ServiceError> {
        let cache = self.app.create_folder(HUB_CACHE_DIR);
        let cache = cache.map_err(|error| ServiceError::from_write_error("the cached indices", error))?;
        let mut warnings = Vec::new();
        let fetcher = IndexFetcher { http, cache, info, deadline: Instant::now() + 2 * HUB_FETCH_TIMEOUT };
        let refreshed = parallel::map_items(urls, &|| info.cancellation.is_cancelled(), |url| {
            self.refresh_remote_index(&fetcher, url)
        });
        for (url, refreshed) in urls.iter().zip(refreshed) {
            match refreshed {
                Some(Ok(())) => {}
                Some(Err(why)) => warnings.push(format!("{}: {why}", escape_and_truncate(url))),
                None => return Err(ServiceError::tool(code::CANCELLED, "the search was cancelled")),
            }
        }
        Ok(warnings)
    }

    /// Reads the URL of the collection from the AppDir's `config.toml`, as the original does.
    fn read_collection_url(&self) -> Result<Option<String>, String> {
        const CONFIG_FILE: &str = "config.toml";
        let text = match self.app.read_text(CONFIG_FILE, MAX_CONFIG_BYTES) {
            Ok((text, _)) => text,
            Err(AppDirError::NotFound(_)) => return Ok(None),
            Err(error) => return Err(ServiceError::from_read_error(CONFIG_FILE, error).to_string()),
        };
        let table = toml_text::parse(&text).map_err(|error| format!("{CONFIG_FILE}: {}", error.public_message()))?;
        let url = table.get("hub").and_then(|hub| hub.get("collection_url")).and_then(toml::Value::as_str);
        Ok(url.filter(|url| !url.is_empty()).map(str::to_owned))
    }

    /// Fetches one index unless the cached one is fresh. After a failure, the cached index stays.
    fn refresh_remote_index(&self, fetcher: &IndexFetcher<'_>, url: &str) -> Result<(), String> {
        let cache = &fetcher.cache;
        let file = cache_file_name(url);
        let age =
            cache.stat(&file).ok().map(|stat| stat.modified.and_then(|at| SystemTime::now().duration_since(at).ok()));
        if matches!(age, Some(Some(age)) if age < HUB_CACHE_TTL) {
            return Ok(());
        }
        let why = match self.failures.recent(url) {
            Some(why) => why,
            None => match fetcher.fetch(url) {
                Ok(text) => {
                    self.failures.record_outcome(url, None);
                    let written = cache.write(&file, text.as_bytes(), Privacy::Shared);
                    return written.map_err(|error| ServiceError::from_write_error("its index", error).to_string());
                }
                Err(IndexFetchError { reason: why, is_persistent }) => {
                    if is_persistent {
                        self.failures.record_outcome(url, Some(&why));
                    }
                    why
                }
            },
        };
        Err(match age {
            None => why,
            Some(age) => format!("{why}; the index that was fetched {} is searched", format_age(age)),
        })
    }
}

/// Fetches the indices that are missing or old; returns warnings.
pub(super) fn refresh_remote_indices(
    hub: &HubIndex,
    packages: &PackageStore,
    info: &RequestInfo,
) -> Result<Vec<String>, ServiceError> {
    let off = |why: &str| Ok(vec![format!("{why}: only cached indices are searched")]);
    if !hub.is_allowed {
        return off("remote indices are off ([network] hub = false)");
    }
    let Some(http) = &hub.http else {
        return off("remote indices are fetched by a server that may write");
    };
    let (urls, mut warnings) = collect_index_urls(hub, packages);
    warnings.extend(hub.refresh(http, &urls, info)?);
    Ok(warnings)
}

/// Returns the URLs of all indices, without duplicates, and warnings.
fn collect_index_urls(hub: &HubIndex, packages: &PackageStore) -> (Vec<String>, Vec<String>) {
    let (mut urls, mut warnings) = (Vec::new(), Vec::new());
    let mut sources = Vec::new();
    match hub.read_collection_url() {
        Ok(url) => sources.push(url.unwrap_or_else(|| DEFAULT_COLLECTION_URL.to_owned())),
        Err(why) => warnings.push(why),
    }
    match packages.list_registries() {
        Ok(registries) => sources.extend(registries),
        Err(error) => warnings.push(error.to_string()),
    }
    let installed = packages.package_origins().unwrap_or_else(|error| {
        warnings.push(error.to_string());
        BTreeMap::new()
    });
    sources.extend(installed.into_values().filter_map(|source| match source {
        PackageOrigin::Git { url, .. } => Some(url),
        PackageOrigin::Unknown
        | PackageOrigin::Installed
        | PackageOrigin::Path { .. }
        | PackageOrigin::Bundled { .. } => None,
    }));
    for url in sources.iter().filter_map(|source| index_url(source)) {
        if !urls.contains(&url) {
            urls.push(url);
        }
    }
    if urls.len() > MAX_HUB_SOURCES {
        warnings.push(format!("only the first {MAX_HUB_SOURCES} sources of indices are fetched"));
        urls.truncate(MAX_HUB_SOURCES);
    }
    (urls, warnings)
}

fn format_age(age: Option<Duration>) -> String {
    age.map_or_else(|| "earlier".to_owned(), |age| format!("{} minutes ago", age.as_secs() / 60))
}

/// A failure to fetch an index.
struct IndexFetchError {
    reason: String,
    /// Whether an immediate retry would fail too, so that the failure is remembered.
    is_persistent: bool,
}

impl From<NetError> for IndexFetchError {
    fn from(error: NetError) -> Self {
        let is_persistent = !matches!(error, NetError::Busy | NetError::Cancelled);
        Self { reason: format!("cannot be fetched: {error}"), is_persistent }
    }
}

/// The context in which one search fetches indices.
struct IndexFetcher<'a> {
    http: &'a HttpFetcher,
    cache: Folder,
    info: &'a RequestInfo,
    /// The deadline of all sources together.
    deadline: Instant,
}

impl IndexFetcher<'_> {
    /// Fetches the text of an index, and validates it.
    fn fetch(&self, url: &str) -> Result<String, IndexFetchError> {
        let failed = |why: String| IndexFetchError { reason: why, is_persistent: true };
        let time = HUB_FETCH_TIMEOUT.min(self.deadline.saturating_duration_since(Instant::now()));
        if time.is_zero() {
            let why = "was not fetched, because other sources took too long: search again".to_owned();
            return Err(IndexFetchError { reason: why, is_persistent: false });
        }
        let most = usize::try_from(MAX_HUB_SOURCE_BYTES).unwrap_or(usize::MAX);
        let caller = self.info.caller.owner.sharing_name();
        let request =
            FetchRequest { caller, ..FetchRequest::get(url, FetchPolicy::any_host().with_host_of(url), time, most) };
        let response = self.http.request(&request, &|| self.info.cancellation.is_cancelled())?;
        if response.status != 200 {
            return Err(failed(format!("cannot be fetched: the server answers {}", response.status)));
        }
        let text = String::from_utf8(response.body).map_err(|_| failed("is not UTF-8 text".to_owned()))?;
        validate_index(&text).map_err(|error| failed(error.to_string()))?;
        Ok(text)
    }
}

/// Returns the URL of a source's index; `None` for a source of an unsupported form.
fn index_url(source: &str) -> Option<String> {
    let rest = source.strip_prefix("https://").unwrap_or(source).trim_end_matches('/');
    // Another scheme, a folder, or an address of SSH.
    if rest.contains("://") || rest.starts_with(['/', '.']) || rest.contains('@') {
        return None;
    }
    let repository = rest.strip_prefix("github.com/").map(|name| name.strip_suffix(".git").unwrap_or(name));
    match repository {
        Some(name) if name.split('/').count() == 2 && !name.ends_with(".json") => {
            Some(format!("https://raw.githubusercontent.com/{name}/main/{REMOTE_INDEX_FILE}"))
        }
        _ if rest.ends_with(".json") => Some(format!("https://{rest}")),
        _ => None,
    }
}

/// Returns the name that the original gives to a cached index: the FNV-1a hash of its URL.
fn cache_file_name(url: &str) -> String {
    let hash = url
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{hash:016x}.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_url_matches_original() {
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

    /// The values are published test vectors of FNV-1a.
    #[test]
    fn cache_file_name_matches_published_fnv_values() {
        assert_eq!(cache_file_name(""), "cbf29ce484222325.json");
        assert_eq!(cache_file_name("a"), "af63dc4c8601ec8c.json");
        assert_eq!(cache_file_name("foobar"), "85944171f73967e8.json");
    }
}
