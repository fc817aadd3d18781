//! What declared resources hold: texts, files beside their index, and what handlers make.

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::declared::{Body, Resource};
use super::entry::Entry;
use super::live::Live;
use super::results::{embedded, spoken};
use super::substitute::substituted;
use wardroom_base::limits::{LARGE_BYTES, LIGHT_BYTES, MAX_DOCUMENT_BYTES};
use wardroom_base::payload::Payload;
use wardroom_service::{CallContext, Content, Form, ServiceError, Sizes, Watched, mime, shown};

/// A file that is answered whole.
const FILE: Sizes = Sizes { light: LIGHT_BYTES, shared: LARGE_BYTES, most: MAX_DOCUMENT_BYTES };

impl Live {
    /// A resource that no handler makes.
    pub(super) fn body(
        &self,
        entry: &Arc<Entry>,
        resource: &Resource,
        uri: &str,
        variables: &BTreeMap<String, String>,
        context: &CallContext,
    ) -> Result<Content, ServiceError> {
        let meta = resource.extra.meta.clone();
        match &resource.body {
            Body::Text(text) => {
                let mime_type = resource.mime_type.clone().unwrap_or_else(|| "text/plain".to_owned());
                // Only a template has something to fill in.
                let mut left = usize::try_from(MAX_DOCUMENT_BYTES).unwrap_or(usize::MAX);
                let filled =
                    if variables.is_empty() { Some(text.clone()) } else { substituted(text, variables, &mut left) };
                let text = filled.ok_or_else(|| {
                    let uri = shown(uri);
                    ServiceError::Invalid(format!(
                        "{uri} is larger than {MAX_DOCUMENT_BYTES} bytes: ask with less in it"
                    ))
                })?;
                Ok(Content { meta, ..Content::new(mime_type, text, None) })
            }
            Body::File(name) => {
                let (folder, path) = self.beside(entry, name)?;
                let read =
                    folder.read(&path, context.within(FILE)).map_err(|error| ServiceError::reading(uri, error))?;
                let mime_type = resource.mime_type.clone().unwrap_or_else(|| mime::of_file(name).to_owned());
                let is_text = mime::is_text(&mime_type);
                let (text, form) = match String::from_utf8(read.bytes) {
                    Ok(text) if is_text => (text, Form::Text),
                    Ok(text) => (STANDARD.encode(text), Form::Base64),
                    Err(bytes) => (STANDARD.encode(bytes.as_bytes()), Form::Base64),
                };
                Ok(Content { form, meta, ..Content::new(mime_type, text, read.modified) })
            }
            Body::Handler => Err(ServiceError::NotFound { uri: uri.to_owned() }),
        }
    }

    /// What else such a resource depends on.
    pub(super) fn watch_body(&self, entry: &Arc<Entry>, resource: &Resource, watched: &mut Watched) {
        if let Body::File(name) = &resource.body
            && let Ok((folder, path)) = self.beside(entry, name)
        {
            watched.file(&folder, &path);
        }
    }
}

/// What a handler returned, as the content of a resource: a text, a table with `text` or `blob`, one of those in
/// `contents`, or any other value as JSON.
pub(super) fn content(value: Value, resource: &Resource) -> Result<Content, String> {
    let declared = resource.mime_type.clone();
    let or = |otherwise: &str| declared.clone().unwrap_or_else(|| otherwise.to_owned());
    let meta = resource.extra.meta.clone();
    let value = match value {
        Value::Object(mut fields) => match fields.remove("contents") {
            Some(Value::Array(mut items)) if items.len() == 1 => items.remove(0),
            Some(Value::Array(items)) => return Err(format!("contents has {} items: a resource has one", items.len())),
            Some(_) => return Err("contents must be a list".to_owned()),
            None => Value::Object(fields),
        },
        other => other,
    };
    match value {
        Value::Object(mut fields) if fields.contains_key("text") || fields.contains_key("blob") => {
            // The address is that of whoever asked.
            fields.insert("uri".to_owned(), "".into());
            let given = embedded(&Value::Object(fields))?;
            let mime_type = given
                .mime_type
                .unwrap_or_else(|| or(if given.is_blob { "application/octet-stream" } else { "text/plain" }));
            let form = if given.is_blob { Form::Base64 } else { Form::Text };
            Ok(Content { form, meta: given.meta.or(meta), ..Content::new(mime_type, given.text, None) })
        }
        value @ (Value::Object(_) | Value::Array(_)) => {
            let text = Payload::from_value(value).into_value().to_string();
            Ok(Content { meta, ..Content::new(or(mime::JSON), text, None) })
        }
        scalar => Ok(Content { meta, ..Content::new(or("text/plain"), spoken(&scalar), None) }),
    }
}
