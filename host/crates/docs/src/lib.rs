//! `wardroom://docs/{page}`: the pages of this program's own documentation, as of its build.
//!
//! Owns: the table of pages, which the command line shows too.
//! Never: reads a file: the pages belong to the version that shows them.

use std::sync::Arc;

use wardroom_rules::uri::{FixedResource, MatchedUri};

use wardroom_base::uri::{Scheme, UriError};
use wardroom_config::DocsListing;
use wardroom_service::limits::MAX_INLINE_READ_BYTES;
use wardroom_service::{
    Caller, Cost, EntryExtras, ListPage, RequestInfo, ResourceContent, ResourceEntry, ResourceProvider, Service,
    ServiceError, VariableCompletion, Work, mime,
};

/// A page of `docs/`.
#[derive(Debug)]
pub struct DocPage {
    /// The name by which the page is requested.
    pub name: &'static str,
    /// The subject of the page in one line.
    pub summary: &'static str,
    /// The content in Markdown.
    pub text: &'static str,
}

/// Defines the pages and their resources from the same rows.
macro_rules! define_pages {
    ($(($name:literal, $file:literal, $about:literal),)*) => {
        /// Every page, sorted by name.
        pub const PAGES: &[DocPage] =
            &[$(DocPage { name: $name, summary: $about, text: include_str!(concat!("../../../../docs/", $file)) },)*];

        static SCHEME: Scheme = Scheme {
            name: "wardroom",
            services: &["docs"],
            fixed: &[$(FixedResource { path: concat!("docs/", $name) },)*],
            templates: &[],
        };
    };
}

define_pages![
    ("ace", "ACE.md", "The learning log: traces, insights, and the bullets of a playbook"),
    ("agents", "AGENTS.md", "Connecting agents: the file of each, and the entry in it"),
    ("architecture", "ARCHITECTURE.md", "The map of the code, and the check of each invariant"),
    ("benchmarks", "BENCHMARKS.md", "Measurements of speed and memory"),
    ("blog", "BLOG.md", "The blog: its folders, resources, search and index"),
    ("caches", "CACHES.md", "The caches: what each holds, and when it is believed"),
    ("cli", "CLI.md", "Every command and flag"),
    ("compatibility", "COMPATIBILITY.md", "Every difference from the servers that this one replaces"),
    ("config", "CONFIG.md", "Every key of the configuration"),
    ("confinement", "CONFINEMENT.md", "What the kernel takes away from each process"),
    ("conformance", "CONFORMANCE.md", "The results of the protocol's official conformance suite"),
    ("errors", "ERRORS.md", "The error codes of tools"),
    ("guest", "GUEST.md", "The WebAssembly component, and how to run it in other hosts"),
    ("handlers", "HANDLERS.md", "How declared handlers run, from YAML to a worker and back"),
    ("http", "HTTP.md", "How a request over HTTP is served, and what ends a connection"),
    ("limits", "LIMITS.md", "Every limit of the server, with its value and its reason"),
    ("mcp", "MCP.md", "The resources, and the tools with their parameters"),
    ("modules", "MODULES.md", "The modules that declared handlers can use"),
    ("registry", "REGISTRY.md", "Declaring tools, prompts and resources"),
    ("releasing", "RELEASING.md", "How a release is built, signed and checked"),
    ("review", "REVIEW.md", "The review page: signing in, what a browser may do, and its keys"),
    ("runs", "RUNS.md", "How runs outlive processes: journal, replay, and what a kill leaves behind"),
    ("scaling", "SCALING.md", "Several machines on one AppDir: what a file system needs, and its check"),
    ("security", "SECURITY.md", "The threat model: what is promised against each attacker"),
    ("strategies", "STRATEGIES.md", "Strategies at the command line: write, run, evaluate and test"),
    ("walls", "WALLS.md", "The two walls of each outside input, and their tests"),
];

/// The template whose variable is completed with the pages' names.
const PAGE_TEMPLATE: &str = "wardroom://docs/{page}";

pub struct DocsService {
    /// Whether `resources/list` names the pages.
    pub listing: DocsListing,
}

/// Returns the page of this name. The name may have the form in which pages link to each other: `CONFIG.md`.
#[must_use]
pub fn find_page(name: &str) -> Option<&'static DocPage> {
    let name = name.to_lowercase();
    let name = name.strip_suffix(".md").unwrap_or(&name);
    PAGES.iter().find(|page| page.name == name)
}

/// Returns the page that a URI names.
fn page_for_uri(uri: &str) -> Result<&'static DocPage, ServiceError> {
    let found = match SCHEME.parse(uri) {
        Ok(MatchedUri::Fixed(at)) => PAGES.get(at),
        Ok(MatchedUri::Template { .. }) => None,
        Err(UriError::NotFound { .. }) => uri.strip_prefix("wardroom://docs/").and_then(find_page),
        Err(error) => return Err(error.into()),
    };
    found.ok_or_else(|| ServiceError::NotFound { uri: uri.to_owned() })
}

impl Service for DocsService {
    fn name(&self) -> &'static str {
        "docs"
    }

    fn instructions(&self) -> &'static str {
        "This server's own documentation is in resources such as wardroom://docs/mcp and wardroom://docs/registry."
    }

    fn resources(self: Arc<Self>) -> Option<Arc<dyn ResourceProvider>> {
        Some(self)
    }
}

/// Without a scheme of its own: the `alc://` specification fixes which scheme an error for other schemes names.
impl ResourceProvider for DocsService {
    fn list(
        &self,
        mark: Option<&str>,
        limit: usize,
        _info: &RequestInfo,
    ) -> Result<ListPage<ResourceEntry>, ServiceError> {
        if self.listing == DocsListing::Unlisted {
            return Ok(ListPage { items: Vec::new(), next_cursor: None });
        }
        let start = match mark {
            None => 0,
            Some(mark) => PAGES.iter().position(|page| page.name == mark).ok_or_else(ServiceError::unknown_cursor)? + 1,
        };
        let rest = PAGES.get(start..).unwrap_or_default();
        let items: Vec<ResourceEntry> = rest.iter().take(limit).map(resource_entry).collect();
        let next = rest.get(limit).and_then(|_| rest.get(limit.checked_sub(1)?)).map(|last| last.name.to_owned());
        Ok(ListPage { items, next_cursor: next })
    }

    fn resolve(
        self: Arc<Self>,
        uri: &str,
        _caller: &Arc<Caller>,
    ) -> Option<Result<Work<ResourceContent>, ServiceError>> {
        SCHEME.matches(uri).then(|| {
            let page = page_for_uri(uri)?;
            let is_small = u64::try_from(page.text.len()).is_ok_and(|len| len <= MAX_INLINE_READ_BYTES);
            let cost = if is_small { Cost::Inline } else { Cost::Worker };
            Ok(Work::new(cost, |_| Ok(ResourceContent::new(mime::MARKDOWN, page.text.to_owned(), None))))
        })
    }

    fn validate(&self, uri: &str, _caller: &Caller) -> Option<Result<(), ServiceError>> {
        SCHEME.matches(uri).then(|| page_for_uri(uri).map(drop))
    }

    /// The pages are listed one by one and their template is not; a client that knows the template gets their names.
    fn complete(
        self: Arc<Self>,
        completing: &VariableCompletion,
        _caller: &Arc<Caller>,
    ) -> Option<Result<Work<Vec<String>>, ServiceError>> {
        (completing.template == PAGE_TEMPLATE && completing.variable == "page").then(|| {
            let names = PAGES.iter().map(|page| page.name).filter(|name| name.starts_with(&completing.prefix));
            Ok(Work::done(names.map(str::to_owned).collect()))
        })
    }
}

fn resource_entry(page: &DocPage) -> ResourceEntry {
    ResourceEntry {
        uri: format!("{}://docs/{}", SCHEME.name, page.name),
        name: format!("docs-{}", page.name).into(),
        title: Some(format!("Documentation: {}", page.name).into()),
        description: page.summary.into(),
        mime_type: mime::MARKDOWN.into(),
        // A size would change every list that is kept for comparison with the length of a page.
        size: None,
        modified: None,
        extra: EntryExtras::default(),
    }
}
