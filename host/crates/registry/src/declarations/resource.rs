//! A declared resource: its address, and the source of its content.

use std::sync::Arc;

use super::{DeclaredResource, ResourceAddress, ResourceBody};
use crate::entry::SourceLoader;
use crate::meta::EntryMeta;
use crate::report::IndexReport;
use crate::substitute::{UriTemplate, misspelt_placeholder};
use crate::yaml::YamlValue;
use wardroom_service::{ResourceEntry, TemplateEntry, mime};

pub(crate) fn parse_resource(
    meta: &EntryMeta,
    namespace: &str,
    name: &str,
    report: &mut IndexReport,
    source_loader: &dyn SourceLoader,
) -> Option<DeclaredResource> {
    // An address alone declares a resource too.
    let is_marked = match meta.get("mcp.resource").map(|node| &node.value) {
        Some(YamlValue::Text(_)) => true,
        _ => meta.flag("mcp.resource", report),
    };
    let (uri, template) = (meta.text("mcp.resource.uri", report), meta.text("mcp.resource.template", report));
    if !is_marked && template.is_none() && uri.is_none() {
        return None;
    }
    let uri = uri.or_else(|| meta.get("mcp.resource")?.as_text().map(str::to_owned));
    let line = [meta.line("mcp.resource"), meta.line("mcp.resource.uri"), meta.line("mcp.resource.template")];
    let line = line.into_iter().max().unwrap_or(0);
    let body = match (meta.text("mcp.resource.text", report), meta.text("mcp.resource.file", report)) {
        (Some(_), Some(_)) => {
            report.error(line, "a resource has either mcp.resource.text or mcp.resource.file");
            return None;
        }
        (Some(text), None) => ResourceBody::Text(text),
        (None, Some(file)) => {
            let file = file.strip_prefix("file://").map_or(file.as_str(), |file| file).to_owned();
            if let Err(why) = source_loader.check_exists(&file) {
                report.error(meta.line("mcp.resource.file"), format!("{file} {why}"));
            }
            ResourceBody::File(file)
        }
        (None, None) => ResourceBody::Handler,
    };
    let mime_type = meta.text("mcp.resource.mimeType", report);
    let listed_mime = mime_type.clone().unwrap_or_else(|| match &body {
        ResourceBody::Text(_) => "text/plain".to_owned(),
        ResourceBody::File(file) => mime::from_file_name(file).to_owned(),
        ResourceBody::Handler => String::new(),
    });
    let extra = meta.extras(report);
    let own_name = meta.text("mcp.resource.name", report).unwrap_or_else(|| format!("{namespace}:{name}"));
    let title = meta.text("mcp.resource.title", report).or_else(|| meta.text("mcp.title", report)).map(Into::into);
    let description = meta.text("mcp.resource.description", report).or_else(|| meta.text("mcp.description", report));
    let description = description.unwrap_or_default().into();
    let address = match (uri, template) {
        (Some(uri), None) => {
            if let Err(why) = check_uri(&uri) {
                report.error(line, format!("{uri} {why}"));
            }
            let size = match &body {
                ResourceBody::Text(text) => Some(text.len() as u64),
                ResourceBody::File(_) | ResourceBody::Handler => meta.unsigned("mcp.resource.size", report),
            };
            ResourceAddress::Fixed(ResourceEntry {
                uri,
                name: own_name.into(),
                title,
                description,
                mime_type: listed_mime.into(),
                size,
                modified: None,
                extra: extra.clone(),
            })
        }
        (None, Some(pattern)) => {
            let template =
                UriTemplate::parse(&pattern).map_err(|why| report.error(line, format!("{pattern}: {why}"))).ok()?;
            if let Err(why) = check_uri(&pattern.replace(['{', '}'], "_")) {
                report.error(line, format!("{pattern} {why}"));
            }
            if let ResourceBody::Text(text) = &body
                && let Some(warning) = misspelt_placeholder(text, &template.variable_names().collect(), report)
            {
                report.warn(meta.line("mcp.resource.text"), warning);
            }
            let mime_type = listed_mime.into();
            let entry =
                TemplateEntry { pattern, name: own_name.into(), title, description, mime_type, extra: extra.clone() };
            ResourceAddress::Template(template, Arc::new(entry))
        }
        (Some(_), Some(_)) => {
            report.error(
                line,
                "a resource has either an address (mcp.resource.uri) or a template (mcp.resource.template)",
            );
            return None;
        }
        (None, None) => {
            report.error(line, "a resource needs an address (mcp.resource.uri) or a template (mcp.resource.template)");
            return None;
        }
    };
    Some(DeclaredResource { address, body, mime_type, extra })
}

/// Checks that a URI has a scheme, and no character that would end the URI.
fn check_uri(uri: &str) -> Result<(), &'static str> {
    let (scheme, rest) = uri.split_once(':').ok_or("has no scheme (write one such as notes://)")?;
    let mut letters = scheme.bytes();
    let begins = letters.next().is_some_and(|byte| byte.is_ascii_lowercase());
    if !begins || !letters.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"+-.".contains(&byte)) {
        return Err("has a scheme that is not in lower case, such as notes://");
    }
    if uri.len() > wardroom_rules::uri::MAX_URI_BYTES || rest.is_empty() {
        return Err("is too long, or only a scheme");
    }
    if uri
        .chars()
        .any(|character| character.is_control() || character.is_whitespace() || "<>\"{}|\\^`".contains(character))
    {
        return Err("has characters that are not allowed in a URI");
    }
    Ok(())
}
