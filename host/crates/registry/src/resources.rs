//! The content of declared resources: texts, files beside their index, and the results of handlers.

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::declarations::{DeclaredResource, ResourceBody};
use super::entry::RegistryEntry;
use super::handler_output::{parse_embedded_resource, to_display_text};
use super::substitute::substitute_placeholders;
use super::watcher::RegistryWatcher;
use wardroom_base::byte_size::ByteSize;
use wardroom_base::payload::Payload;
use wardroom_service::limits::MAX_DOCUMENT_BYTES;
use wardroom_service::limits::{LARGE_RESPONSE_THRESHOLD_BYTES, MAX_INLINE_READ_BYTES};
use wardroom_service::{
    Dependencies, DocumentLimits, Encoding, ResourceContent, ServiceError, Work, escape_and_truncate, mime,
};

/// The size limits of a file, which is returned whole.
const FILE_SIZE_LIMITS: DocumentLimits =
    DocumentLimits { inline: MAX_INLINE_READ_BYTES, worker: LARGE_RESPONSE_THRESHOLD_BYTES, large: MAX_DOCUMENT_BYTES };

impl RegistryWatcher {
    /// Resolves the read of a resource without a handler.
    pub(super) fn resolve_static(
        &self,
        entry: &Arc<RegistryEntry>,
        resource: &DeclaredResource,
        uri: &str,
        variables: &BTreeMap<String, String>,
    ) -> Result<Work<ResourceContent>, ServiceError> {
        let meta = resource.extra.meta.clone();
        match &resource.body {
            ResourceBody::Text(text) => {
                let mime_type = resource.mime_type.clone().unwrap_or_else(|| "text/plain".to_owned());
                // Only a template has variables to substitute.
                let mut left = usize::try_from(MAX_DOCUMENT_BYTES).unwrap_or(usize::MAX);
                let filled = if variables.is_empty() {
                    Some(text.clone())
                } else {
                    substitute_placeholders(text, variables, &mut left)
                };
                let text = filled.ok_or_else(|| {
                    let uri = escape_and_truncate(uri);
                    ServiceError::Invalid(format!(
                        "{uri} is larger than {}: use shorter values in the URI",
                        ByteSize(MAX_DOCUMENT_BYTES)
                    ))
                })?;
                Ok(Work::done(ResourceContent { meta, ..ResourceContent::new(mime_type, text, None) }))
            }
            ResourceBody::File(name) => {
                let (folder, path) = self.resolve_source_path(entry, name)?;
                let file = folder.open(&path).map_err(|error| ServiceError::from_read_error(uri, error))?;
                let mime_type = resource.mime_type.clone().unwrap_or_else(|| mime::from_file_name(name).to_owned());
                Ok(FILE_SIZE_LIMITS.read(file, uri, move |read| {
                    let is_text = mime::is_text(&mime_type);
                    let (text, encoding) = match String::from_utf8(read.bytes) {
                        Ok(text) if is_text => (text, Encoding::Text),
                        Ok(text) => (STANDARD.encode(text), Encoding::Base64),
                        Err(bytes) => (STANDARD.encode(bytes.as_bytes()), Encoding::Base64),
                    };
                    Ok(ResourceContent { encoding, meta, ..ResourceContent::new(mime_type, text, read.stat.modified) })
                }))
            }
            ResourceBody::Handler => Err(ServiceError::NotFound { uri: uri.to_owned() }),
        }
    }

    /// Adds the file that the resource depends on.
    pub(super) fn add_body_dependency(
        &self,
        entry: &Arc<RegistryEntry>,
        resource: &DeclaredResource,
        dependencies: &mut Dependencies,
    ) {
        if let ResourceBody::File(name) = &resource.body
            && let Ok((folder, path)) = self.resolve_source_path(entry, name)
        {
            dependencies.add_file(&folder, &path);
        }
    }
}

/// Converts the value that a handler returned to the content of a resource: a text, a table with `text` or `blob`, one
/// of those in `contents`, or any other value as JSON.
pub(super) fn parse_resource_content(value: Value, resource: &DeclaredResource) -> Result<ResourceContent, String> {
    let declared = resource.mime_type.clone();
    let or = |otherwise: &str| declared.clone().unwrap_or_else(|| otherwise.to_owned());
    let meta = resource.extra.meta.clone();
    let value = match value {
        Value::Object(mut fields) => match fields.remove("contents") {
            Some(Value::Array(mut items)) if items.len() == 1 => items.remove(0),
            Some(Value::Array(items)) => return Err(format!("contents has {} items, and must have one", items.len())),
            Some(_) => return Err("contents must be a list".to_owned()),
            None => Value::Object(fields),
        },
        other => other,
    };
    match value {
        Value::Object(mut fields) if fields.contains_key("text") || fields.contains_key("blob") => {
            // The address is the requested one.
            fields.insert("uri".to_owned(), "".into());
            let given = parse_embedded_resource(&Value::Object(fields))?;
            let mime_type = given
                .mime_type
                .unwrap_or_else(|| or(if given.is_blob { "application/octet-stream" } else { "text/plain" }));
            let encoding = if given.is_blob { Encoding::Base64 } else { Encoding::Text };
            Ok(ResourceContent {
                encoding,
                meta: given.meta.or(meta),
                ..ResourceContent::new(mime_type, given.text, None)
            })
        }
        value @ (Value::Object(_) | Value::Array(_)) => {
            let text = Payload::from_value(value).into_value().to_string();
            Ok(ResourceContent { meta, ..ResourceContent::new(or(mime::JSON), text, None) })
        }
        scalar => {
            Ok(ResourceContent { meta, ..ResourceContent::new(or("text/plain"), to_display_text(&scalar), None) })
        }
    }
}
