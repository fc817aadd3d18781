//! The resources of every service as two tools, for clients that support only tools.
//!
//! Owns: `list_resources` and `read_resource`.
//! Never: reads anything itself: both tools call the catalogue, so a tool can read exactly what a client can.

mod args;
pub mod error_code;

use self::args::{
    ListResourcesArguments, ListResourcesOutput, ListedResource, ListedTemplate, ReadResourceArguments,
    ReadResourceOutput,
};
use crate::error_code as code;
use std::sync::{Arc, LazyLock};

use wardroom_base::byte_size::ByteSize;
use wardroom_base::payload::Payload;
use wardroom_service::ToolErrorCode;
use wardroom_service::limits::MAX_PAGE_BYTES;
use wardroom_service::schema::OutputSchema;
use wardroom_service::{
    BuiltInTool, Caller, Cost, Encoding, EntryExtras, ListPage, RequestInfo, ResolvedTool, ResourceContent, Service,
    ServiceError, Step, ToolBehavior, ToolEntry, ToolOutput, ToolProvider, Work, entries_after, has_scheme,
};

pub struct ResourcesService;

impl Service for ResourcesService {
    fn name(&self) -> &'static str {
        "resources"
    }

    fn instructions(&self) -> &'static str {
        "Without support for resources, use the tools list_resources and read_resource."
    }

    fn tools(self: Arc<Self>) -> Option<Arc<dyn ToolProvider>> {
        Some(self)
    }
}

impl ResourcesService {
    fn tool_entries() -> Vec<Arc<ToolEntry>> {
        static ENTRIES: LazyLock<Vec<Arc<ToolEntry>>> = LazyLock::new(|| {
            let tool = |name: &'static str, title: &'static str, description: &'static str, input, output| {
                Arc::new(ToolEntry {
                    name: name.into(),
                    title: Some(title.into()),
                    description: Some(description.into()),
                    input_schema: args::share_schema(input),
                    output_schema: Some(OutputSchema::new(output)),
                    annotations: ToolBehavior::READ_ONLY.into(),
                    extra: EntryExtras::default(),
                    is_on_demand: false,
                })
            };
            vec![
                tool(
                    "list_resources",
                    "List resources",
                    "Lists what can be read by URI: resources and resource templates (a `{variable}` stands for an id). For \
                     clients without resource support.",
                    args::input_schema::<ListResourcesArguments>(),
                    args::output_schema::<ListResourcesOutput>(),
                ),
                tool(
                    "read_resource",
                    "Read a resource",
                    "Reads one resource by its URI, such as alc://packages/cot/meta.",
                    args::input_schema::<ReadResourceArguments>(),
                    args::output_schema::<ReadResourceOutput>(),
                ),
            ]
        });
        ENTRIES.clone()
    }
}

impl ToolProvider for ResourcesService {
    fn list(&self, mark: Option<&str>, limit: usize, _caller: &Caller) -> Vec<Arc<ToolEntry>> {
        entries_after(Self::tool_entries(), mark, limit, |entry| &entry.name)
    }

    fn resolve(self: Arc<Self>, name: &str, _caller: &Arc<Caller>) -> Option<Arc<dyn ResolvedTool>> {
        let call: fn(Payload) -> Work<ToolOutput> = match name {
            "list_resources" => |arguments| {
                Work::in_steps(Cost::Worker, |info| list_resources(&args::parse_arguments(arguments)?, info))
            },
            "read_resource" => {
                |arguments| Work::in_steps(Cost::Worker, |info| read_resource(args::parse_arguments(arguments)?, info))
            }
            _ => return None,
        };
        let entry = Self::tool_entries().into_iter().find(|entry| entry.name == name)?;
        Some(BuiltInTool::new(entry, call))
    }
}

/// The prefix of cursors into the templates, which follow the last page of resources.
const TEMPLATE_CURSOR_PREFIX: &str = "templates:";

fn list_resources(request: &ListResourcesArguments, info: &RequestInfo) -> Result<Step<ToolOutput>, ServiceError> {
    let scheme = request.scheme.as_deref().map(|scheme| scheme.trim_end_matches("://").to_owned());
    let cursor = request.cursor.as_deref();
    if let Some(of_templates) = cursor.and_then(|cursor| cursor.strip_prefix(TEMPLATE_CURSOR_PREFIX)) {
        let of_templates = Some(of_templates.to_owned());
        return Ok(Step::Next(list_templates(ListResourcesOutput::default(), scheme, of_templates, info)));
    }
    let page = info.catalogue.resources(scheme.as_deref(), cursor).at_least(Cost::Worker).map_error(into_cursor_error);
    Ok(Step::Next(page.and_continue(|page, info| {
        let listed = ListResourcesOutput {
            resources: page.items.into_iter().map(ListedResource::from).collect(),
            resource_templates: Vec::new(),
            next_cursor: page.next_cursor,
        };
        if listed.next_cursor.is_some() {
            return args::serialize_output(&listed).map(ToolOutput::from).map(Step::Done);
        }
        Ok(Step::Next(list_templates(listed, scheme, None, info)))
    })))
}

/// Lists the templates, which follow the last page of resources.
fn list_templates(
    mut listed: ListResourcesOutput,
    scheme: Option<String>,
    cursor: Option<String>,
    info: &RequestInfo,
) -> Work<ToolOutput> {
    info.catalogue.templates().at_least(Cost::Worker).and_then(move |templates| {
        let has_requested_scheme = |pattern: &str| scheme.as_ref().is_none_or(|scheme| has_scheme(pattern, scheme));
        let templates = templates.into_iter().filter(|entry| has_requested_scheme(&entry.pattern)).collect();
        let page = ListPage::paginate(templates, cursor.as_deref()).map_err(into_cursor_error)?;
        listed.resource_templates =
            page.items.into_iter().map(Arc::unwrap_or_clone).map(ListedTemplate::from).collect();
        listed.next_cursor = page.next_cursor.map(|next| format!("{TEMPLATE_CURSOR_PREFIX}{next}"));
        args::serialize_output(&listed).map(ToolOutput::from)
    })
}

fn into_cursor_error(error: ServiceError) -> ServiceError {
    match error {
        ServiceError::Invalid(_) => tool_error(code::INVALID_CURSOR, &error),
        other => other,
    }
}

fn read_resource(request: ReadResourceArguments, info: &RequestInfo) -> Result<Step<ToolOutput>, ServiceError> {
    let read = info.catalogue.resource(&request.uri, &info.caller).map_err(into_tool_error)?;
    Ok(Step::Next(
        read.at_least(Cost::Worker).map_error(into_tool_error).and_then(|content| render_content(request, content)),
    ))
}

fn render_content(request: ReadResourceArguments, content: ResourceContent) -> Result<ToolOutput, ServiceError> {
    if content.text.len() > MAX_PAGE_BYTES {
        return Err(ServiceError::tool(code::TOO_LARGE, too_large_message(&request.uri, &content)));
    }
    let meta = content.meta_fields.into_iter().map(|(name, note)| (name.to_owned(), note.into_value())).collect();
    let (text, blob) = match content.encoding {
        Encoding::Text => (Some(content.text), None),
        Encoding::Base64 => (None, Some(content.text)),
    };
    args::serialize_output(&ReadResourceOutput {
        uri: request.uri,
        mime_type: content.mime_type.into(),
        text,
        blob,
        meta,
    })
    .map(ToolOutput::from)
}

fn too_large_message(uri: &str, content: &ResourceContent) -> String {
    format!(
        "{uri} has {}, the limit for the answer of a tool is {}: read less of it, if its URI takes parameters, or read \
         it with resources/read",
        ByteSize(content.text.len() as u64),
        ByteSize(MAX_PAGE_BYTES as u64)
    )
}

/// Turns an error of the protocol into one of the tool, so that the model sees its message.
fn into_tool_error(error: ServiceError) -> ServiceError {
    match &error {
        ServiceError::NotFound { .. } | ServiceError::NotFoundSimilar { .. } => tool_error(code::NOT_FOUND, &error),
        ServiceError::Invalid(_) => tool_error(code::INVALID_URI, &error),
        ServiceError::UnknownTool(_)
        | ServiceError::UnknownPrompt(_)
        | ServiceError::InputRequired(_)
        | ServiceError::MissingCapability(_)
        | ServiceError::Protocol { .. }
        | ServiceError::Tool { .. }
        | ServiceError::TooLarge { .. }
        | ServiceError::Internal { .. } => error,
    }
}

fn tool_error(code: ToolErrorCode, error: &ServiceError) -> ServiceError {
    ServiceError::tool(code, error.to_string())
}
