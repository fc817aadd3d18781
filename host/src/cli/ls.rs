//! `wardroom ls`: resources and templates, by kind or by name.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use serde_json::{Value, json};

use super::hints::{RequestSubject, missing_data_hint, to_command_error};
use super::listing;
use crate::assemble;
use crate::assemble::settings::Settings;
use crate::report::{self, Cell, Column, CommandError, Table, TextRole};
use wardroom_service::{Catalogue, RequestInfo, ResourceEntry, TemplateEntry, VariableCompletion, has_scheme};

/// How wide the column of URIs is. A longer one shifts its own line alone.
const MIN_URI_COLUMNS: usize = 38;
const MAX_URI_COLUMNS: usize = 60;

/// URI, MIME type and description.
type ListingRow = (String, Cow<'static, str>, Cow<'static, str>);

pub(super) fn run(settings: &Settings, what: Option<&str>, as_json: bool) -> Result<(), CommandError> {
    let catalogue = assemble::build_catalogue(settings)?;
    let rows = report::name_if_slow("listing the resources", || match what {
        Some(start) if start.contains(':') => list_matching(settings, &catalogue, start),
        scheme => list_kinds(settings, &catalogue, scheme),
    });
    let Some(rows) = rows? else {
        let what = what.unwrap_or_default();
        let schemes = schemes(settings, &catalogue)?;
        let hint = missing_data_hint(settings, &schemes, what)
            .unwrap_or_else(|| format!("run {} ls to list the resources", settings.command_line()));
        return Err(CommandError::new(format!("no resource can have a URI that begins with {what}"), hint));
    };
    if as_json {
        let rows = rows.into_iter().map(|(uri, mime, text)| json!({"uri": uri, "mimeType": mime, "description": text}));
        return report::print_json(&Value::Array(rows.collect()));
    }
    let longest = rows.iter().map(|(uri, ..)| uri.chars().count()).max().unwrap_or_default();
    let width = longest.clamp(MIN_URI_COLUMNS, MAX_URI_COLUMNS);
    let mut table =
        Table::new(" ", [Column::new("URI", width), Column::new("TYPE", 17), Column::text("DESCRIPTION", 0)]);
    for (uri, mime, description) in rows {
        table.add([Cell::new(uri, TextRole::Name), Cell::new(mime, TextRole::Faint), description.into()]);
    }
    table.print()
}

/// The schemes of resource URIs, without duplicates and with `://`.
pub(super) fn schemes(settings: &Settings, catalogue: &Arc<Catalogue>) -> Result<Vec<String>, CommandError> {
    let rows = list_kinds(settings, catalogue, None)?.unwrap_or_default();
    let schemes = rows.iter().filter_map(|(uri, ..)| uri.split_once("://")).map(|(scheme, _)| format!("{scheme}://"));
    Ok(schemes.collect::<BTreeSet<_>>().into_iter().collect())
}

/// The content of `resources/list` and `resources/templates/list`; `None` for an unknown scheme.
fn list_kinds(
    settings: &Settings,
    catalogue: &Arc<Catalogue>,
    scheme: Option<&str>,
) -> Result<Option<Vec<ListingRow>>, CommandError> {
    let fixed =
        list_resources(settings, catalogue)?.into_iter().map(|entry| (entry.uri, entry.mime_type, entry.description));
    let info = RequestInfo::new(catalogue);
    let templates = catalogue.templates().finish(&info).unwrap_or_default().into_iter().map(Arc::unwrap_or_clone);
    let templates = templates.map(|entry| (entry.pattern, entry.mime_type, entry.description));
    let all = fixed.chain(templates);
    let Some(scheme) = scheme else { return Ok(Some(all.collect())) };
    let rows: Vec<ListingRow> = all.filter(|(uri, ..)| has_scheme(uri, scheme)).collect();
    Ok((!rows.is_empty()).then_some(rows))
}

fn list_resources(settings: &Settings, catalogue: &Arc<Catalogue>) -> Result<Vec<ResourceEntry>, CommandError> {
    let info = assemble::command_line_context(catalogue);
    listing::collect_pages(|cursor| catalogue.resources(None, cursor).finish(&info), settings, RequestSubject::Resource)
}

/// The existing resources with a URI prefix or of a template; `None` for a prefix that no resource can have.
fn list_matching(
    settings: &Settings,
    catalogue: &Arc<Catalogue>,
    start: &str,
) -> Result<Option<Vec<ListingRow>>, CommandError> {
    let info = RequestInfo::new(catalogue);
    let mut rows: Vec<ListingRow> = Vec::new();
    let mut can_be = false;
    for entry in list_resources(settings, catalogue)?.into_iter().filter(|entry| entry.uri.starts_with(start)) {
        can_be = true;
        rows.push((entry.uri, entry.mime_type, entry.description));
    }
    for entry in catalogue.templates().finish(&info).unwrap_or_default() {
        let TemplateEntry { pattern, mime_type, description, .. } = Arc::unwrap_or_clone(entry);
        let Some(TemplateParts { head, variable, tail }) = TemplateParts::split(&pattern) else { continue };
        let prefix = match start.strip_prefix(head) {
            _ if start == pattern || head.starts_with(start) => "",
            Some(name) if !name.contains(['{', '}']) => name.split('/').next().unwrap_or_default(),
            _ => continue,
        };
        can_be = true;
        if variable.starts_with(OPTIONAL) {
            rows.extend(head.starts_with(start).then(|| (head.to_owned(), mime_type, description)));
            continue;
        }
        let (template, variable, prefix) = (pattern.clone(), variable.to_owned(), prefix.to_owned());
        let names = catalogue.complete_variable_blocking(&VariableCompletion { template, variable, prefix }, &info);
        let names = names.map_err(|error| to_command_error(error, settings, RequestSubject::Resource))?;
        let uris = names.into_iter().map(|name| format!("{head}{name}{tail}"));
        let matching = uris.filter(|uri| start == pattern || uri.starts_with(start));
        rows.extend(matching.map(|uri| (uri, mime_type.clone(), description.clone())));
    }
    // With `enumerate` on, a stored item is in the resource list as well.
    let mut seen = HashSet::new();
    rows.retain(|(uri, ..)| seen.insert(uri.clone()));
    Ok(can_be.then_some(rows))
}

/// The existing URIs that begin as this one does, and the beginnings of templates that do.
pub(super) fn complete_uri(settings: &Settings, start: &str) -> Result<Vec<String>, CommandError> {
    let catalogue = assemble::build_catalogue(settings)?;
    let info = RequestInfo::new(&catalogue);
    let fixed = list_resources(settings, &catalogue)?.into_iter().map(|entry| entry.uri);
    let mut uris: BTreeSet<String> = fixed.filter(|uri| uri.starts_with(start)).collect();
    for entry in catalogue.templates().finish(&info).unwrap_or_default() {
        let template = entry.pattern.clone();
        let Some(TemplateParts { head, variable, tail }) = TemplateParts::split(&template) else { continue };
        let Some(prefix) = start.strip_prefix(head) else {
            uris.extend(head.starts_with(start).then(|| head.to_owned()));
            continue;
        };
        if variable.starts_with(OPTIONAL) {
            uris.extend(prefix.is_empty().then(|| head.to_owned()));
            continue;
        }
        let prefix = prefix.split('/').next().unwrap_or_default().to_owned();
        let asked = VariableCompletion { template: template.clone(), variable: variable.to_owned(), prefix };
        let names = catalogue.complete_variable_blocking(&asked, &info).unwrap_or_default();
        uris.extend(names.into_iter().map(|name| format!("{head}{name}{tail}")).filter(|uri| uri.starts_with(start)));
    }
    Ok(uris.into_iter().collect())
}

/// The names for the variable of a template.
pub(super) fn names_of(settings: &Settings, template: &str) -> Result<Vec<String>, CommandError> {
    let Some(TemplateParts { variable, .. }) = TemplateParts::split(template) else { return Ok(Vec::new()) };
    if variable.starts_with(OPTIONAL) {
        return Ok(Vec::new());
    }
    let (template, variable) = (template.to_owned(), variable.to_owned());
    let catalogue = assemble::build_catalogue(settings)?;
    let names = catalogue.complete_variable_blocking(
        &VariableCompletion { template, variable, prefix: String::new() },
        &RequestInfo::new(&catalogue),
    );
    names.map_err(|error| to_command_error(error, settings, RequestSubject::Resource))
}

/// What a variable begins with that a URI may lack, such as `bds://posts{?cursor}`.
const OPTIONAL: char = '?';

/// A template with one variable.
struct TemplateParts<'p> {
    head: &'p str,
    variable: &'p str,
    tail: &'p str,
}

impl<'p> TemplateParts<'p> {
    fn split(pattern: &'p str) -> Option<Self> {
        let (head, rest) = pattern.split_once('{')?;
        let (variable, tail) = rest.split_once('}')?;
        Some(Self { head, variable, tail })
    }
}
