//! The tools of `blog`, assembled from the modules that define them.
//!
//! Owns: their order, and what all of their answers have in common: the mark of content that comes from posts.
//! Never: knows what a tool does, or offers one that changes something where the blog is read-only.

mod check_term;
mod count;
mod decide;
mod draft_post;
pub(crate) mod filters;
mod proposals;
mod propose_metadata;
mod propose_script;
mod propose_text;
pub(crate) mod proposed;
mod read;
mod search;
mod search_media;
mod translations;

use std::sync::{Arc, LazyLock};

use serde_json::Value;

use crate::apps::AppUse;
use crate::apps::review::REVIEW;
use crate::proposals::decide::finish_decisions;
use crate::proposals::review::decide_error;
use crate::{AcceptMode, Blog, BlogState};
use wardroom_base::payload::Payload;
use wardroom_service::schema::{OutputSchema, share_schema};
use wardroom_service::{
    Caller, Cost, EntryExtras, RequestInfo, ResolvedTool, ServiceError, ToolBehavior, ToolEntry, ToolOutput,
    ToolProvider, Work, entries_after,
};

/// The definition of a tool.
struct BlogTool {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    input: fn() -> Payload,
    output: fn() -> Payload,
    behavior: ToolBehavior,
    app: AppUse,
    call: fn(&BlogState, &RequestInfo, Payload) -> Result<Payload, ServiceError>,
}

/// The tools in the order in which they are listed.
const TOOLS: [BlogTool; 19] = [
    check_term::TOOL,
    search::TOOL,
    count::TOOL,
    read::TOOL,
    translations::POST_TOOL,
    translations::MEDIA_TOOL,
    search_media::TOOL,
    proposals::LIST_TOOL,
    proposals::GET_TOOL,
    draft_post::TOOL,
    propose_text::EDIT_TOOL,
    propose_text::TRANSLATION_TOOL,
    propose_metadata::POST_TOOL,
    propose_metadata::MEDIA_TOOL,
    propose_metadata::MEDIA_TRANSLATION_TOOL,
    propose_script::SCRIPT_TOOL,
    propose_script::TEMPLATE_TOOL,
    decide::ACCEPT_TOOL,
    decide::DISCARD_TOOL,
];

/// The entries, whose schemas are built once.
static ENTRIES: LazyLock<Vec<Arc<ToolEntry>>> =
    LazyLock::new(|| TOOLS.iter().map(|tool| Arc::new(tool.to_entry())).collect());

impl BlogTool {
    fn to_entry(&self) -> ToolEntry {
        ToolEntry {
            name: self.name.into(),
            title: Some(self.title.into()),
            description: Some(self.description.into()),
            input_schema: share_schema((self.input)()),
            output_schema: Some(OutputSchema::new((self.output)())),
            annotations: self.behavior.into(),
            extra: EntryExtras { meta: self.app.meta(), ..EntryExtras::default() },
            is_on_demand: false,
        }
    }
}

impl Blog {
    /// Whether a tool is there: one that changes something only where the blog may be written.
    fn offers(&self, changes: bool) -> bool {
        !changes || self.open().is_ok_and(|blog| !blog.index.source().folder.is_read_only())
    }
}

impl ToolProvider for Blog {
    fn list(&self, mark: Option<&str>, limit: usize, _caller: &Caller) -> Vec<Arc<ToolEntry>> {
        let mut entries = ENTRIES.clone();
        entries.retain(|entry| self.offers(entry.annotations.is_read_only != Some(true)));
        entries_after(entries, mark, limit, |entry| &entry.name)
    }

    fn resolve(self: Arc<Self>, name: &str, _caller: &Arc<Caller>) -> Option<Arc<dyn ResolvedTool>> {
        let tool = TOOLS.iter().find(|tool| tool.name == name && self.offers(!tool.behavior.is_read_only))?;
        Some(Arc::new(BlogToolCall { blog: self, tool }))
    }
}

/// A tool whose name was resolved.
struct BlogToolCall {
    blog: Arc<Blog>,
    tool: &'static BlogTool,
}

impl ResolvedTool for BlogToolCall {
    fn name(&self) -> &str {
        self.tool.name
    }

    fn may_change(&self) -> bool {
        !self.tool.behavior.is_read_only
    }

    fn records_itself(&self) -> bool {
        decide::is_decision(self.tool.name)
    }

    fn call(self: Arc<Self>, arguments: Payload) -> Work<ToolOutput> {
        Work::new(Cost::Worker, move |info: &RequestInfo| {
            let _held = info.memory.lease(arguments.value_bytes())?;
            let state = self.blog.state(info)?;
            if !self.tool.behavior.is_read_only && state.options.accept != AcceptMode::HumanStrict {
                // What is proposed is compared with what is decided, carried out or not.
                finish_decisions(&state.source, info.catalogue.audit()).map_err(|error| decide_error("", error))?;
            }
            let value = (self.tool.call)(&state, info, arguments)?;
            let mut fields = state.meta_fields();
            if let (AppUse::Shown(_), Some(id)) = (self.tool.app, proposal_id(&value)) {
                match state.app_review(info, &id) {
                    Ok(review) => fields.extend(review.map(|review| (REVIEW, review))),
                    // The call did what it was to do.
                    Err(error) => tracing::warn!(%error, "a client gets no page of a proposal"),
                }
            }
            let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value.into_value()));
            let meta = Some(Payload::from_value(Value::Object(fields.collect())));
            Ok(ToolOutput { value, meta, ..ToolOutput::default() })
        })
    }
}

/// Returns the id of the proposal that an answer is about.
fn proposal_id(answer: &Payload) -> Option<String> {
    answer.field("proposalId").or_else(|| answer.field("id"))?.into_typed().ok()
}
