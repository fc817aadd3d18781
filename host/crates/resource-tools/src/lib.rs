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

use wardroom_base::payload::Payload;
use wardroom_service::ToolErrorCode;
use wardroom_service::limits::MAX_PAGE_BYTES;
use wardroom_service::{
    CallContext, Encoding, EntryExtras, ListPage, ResourceContent, Service, ServiceError, ToolBehavior, ToolEntry,
    ToolOutput, has_scheme,
};

pub struct ResourcesService;

impl Service for ResourcesService {
    fn name(&self) -> &'static str {
        "resources"
    }

    fn instructions(&self) -> &'static str {
        "Without support for resources, use the tools list_resources and read_resource."
    }

    fn tools(&self, _context: &CallContext) -> Result<Vec<Arc<ToolEntry>>, ServiceError> {
        static ENTRIES: LazyLock<Vec<Arc<ToolEntry>>> = LazyLock::new(|| {
            let tool = |name: &'static str, title: &'static str, description: &'static str, input, output| {
                Arc::new(ToolEntry {
                    name: name.into(),
                    title: Some(title.into()),
                    description: Some(description.into()),
                    input_schema: args::share_schema(input),
                    output_schema: Some(args::share_schema(output)),
                    annotations: ToolBehavior::READ_ONLY.into(),
                    extra: EntryExtras::default(),
                })
            };
            vec![
                tool(
                    "list_resources",
                    "List resources",
                    "Lists the resources and resource templates of this server, as `resources/list` and \
                     `resources/templates/list` do. A template's `{variable}` stands for an id.",
                    args::input_schema::<ListResourcesArguments>(),
                    args::output_schema::<ListResourcesOutput>(),
                ),
                tool(
                    "read_resource",
                    "Read a resource",
                    "Reads one resource by its URI, as `resources/read` does.",
                    args::input_schema::<ReadResourceArguments>(),
                    args::output_schema::<ReadResourceOutput>(),
                ),
            ]
        });
        Ok(ENTRIES.clone())
    }

    fn has_tool(&self, name: &str, _context: &CallContext) -> bool {
        matches!(name, "list_resources" | "read_resource")
    }

    fn call(&self, tool: &str, arguments: Payload, context: &CallContext) -> Result<ToolOutput, ServiceError> {
        match tool {
            "list_resources" => list_resources(&args::parse_arguments(arguments)?, context).map(ToolOutput::from),
            "read_resource" => read_resource(args::parse_arguments(arguments)?, context).map(ToolOutput::from),
            other => Err(ServiceError::UnknownTool(other.to_owned())),
        }
    }
}

/// The prefix of cursors into the templates, which follow the last page of resources.
const TEMPLATE_CURSOR_PREFIX: &str = "templates:";

fn list_resources(request: &ListResourcesArguments, context: &CallContext) -> Result<Payload, ServiceError> {
    let refused = |error| match error {
        ServiceError::Invalid(_) => tool_error(code::INVALID_CURSOR, &error),
        other => other,
    };
    let catalogue = &context.catalogue;
    let scheme = request.scheme.as_deref().map(|scheme| scheme.trim_end_matches("://"));
    let mut listed = ListResourcesOutput { resources: Vec::new(), resource_templates: Vec::new(), next_cursor: None };
    let cursor = request.cursor.as_deref();
    let of_templates = cursor.and_then(|cursor| cursor.strip_prefix(TEMPLATE_CURSOR_PREFIX));
    if of_templates.is_none() {
        let page = catalogue.resources(scheme, cursor, context).map_err(refused)?;
        listed.resources = page.items.into_iter().map(ListedResource::from).collect();
        listed.next_cursor = page.next_cursor;
    }
    if listed.next_cursor.is_none() {
        let has_requested_scheme = |pattern: &str| scheme.is_none_or(|scheme| has_scheme(pattern, scheme));
        let templates =
            catalogue.templates(context).into_iter().filter(|entry| has_requested_scheme(&entry.pattern)).collect();
        let page = ListPage::paginate(templates, of_templates).map_err(refused)?;
        listed.resource_templates =
            page.items.into_iter().map(Arc::unwrap_or_clone).map(ListedTemplate::from).collect();
        listed.next_cursor = page.next_cursor.map(|next| format!("{TEMPLATE_CURSOR_PREFIX}{next}"));
    }
    args::serialize_output(&listed)
}

fn read_resource(request: ReadResourceArguments, context: &CallContext) -> Result<Payload, ServiceError> {
    let content = context.catalogue.read(&request.uri, context).map_err(into_tool_error)?;
    if content.text.len() > MAX_PAGE_BYTES {
        return Err(ServiceError::Tool {
            code: code::TOO_LARGE,
            message: too_large_message(&request.uri, &content),
            details: None,
        });
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
}

fn too_large_message(uri: &str, content: &ResourceContent) -> String {
    let len = content.text.len();
    format!(
        "{uri} has {len} bytes, the limit for the answer of a tool is {MAX_PAGE_BYTES}: read less of it, if its URI \
         takes parameters, or read it with resources/read"
    )
}

/// Turns an error of the protocol into one of the tool, so that the model sees its message.
fn into_tool_error(error: ServiceError) -> ServiceError {
    match &error {
        ServiceError::NotFound { .. } => tool_error(code::NOT_FOUND, &error),
        ServiceError::Invalid(_) => tool_error(code::INVALID_URI, &error),
        ServiceError::UnknownTool(_)
        | ServiceError::UnknownPrompt(_)
        | ServiceError::InputRequired(_)
        | ServiceError::MissingCapability(_)
        | ServiceError::Protocol { .. }
        | ServiceError::Tool { .. }
        | ServiceError::Later
        | ServiceError::TooLarge { .. }
        | ServiceError::Internal { .. } => error,
    }
}

fn tool_error(code: ToolErrorCode, error: &ServiceError) -> ServiceError {
    ServiceError::Tool { code, message: error.to_string(), details: None }
}
