//! `wardroom read URI`: what a client reads.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::call::serving_catalogue;
use super::caller_args::CallerArgs;
use super::hints::{RequestSubject, missing_data_hint, to_command_error};
use super::ls;
use crate::assemble;
use crate::assemble::settings::Settings;
use crate::report::{self, CommandError};
use wardroom_service::{Catalogue, ServiceError};

/// The schemes of resources that no handler makes.
const OWN_SCHEMES: [&str; 4] = ["alc://", "bds://", "ace://", "wardroom://"];

pub(super) fn read(settings: &Settings, uri: &str, caller: &CallerArgs, json: bool) -> Result<(), CommandError> {
    // Only the handlers of declared resources need processes that run scripts.
    let catalogue = if OWN_SCHEMES.iter().any(|scheme| uri.starts_with(scheme)) {
        assemble::build_catalogue(settings)?
    } else {
        serving_catalogue(settings)?.0
    };
    let (catalogue, info) = caller.restrict(settings, catalogue)?;
    let content =
        report::name_if_slow(format!("reading {}", report::escape_name(uri)), || catalogue.read_blocking(uri, &info));
    let content = content.map_err(|error| read_error(error, settings, &catalogue, uri))?;
    if json {
        let notes: Map<String, Value> =
            content.meta_fields.into_iter().map(|(name, note)| (name.to_owned(), note.into_value())).collect();
        let whole = json!({"uri": uri, "mimeType": content.mime_type, "text": content.text, "_meta": notes});
        return report::print_json(&whole);
    }
    let is_json = content.mime_type.ends_with("json");
    if is_json
        && report::is_output_terminal()
        && let Ok(value) = serde_json::from_str(&content.text)
    {
        return report::print_json(&value);
    }
    report::print_text(content.text.as_bytes())?;
    if content.text.ends_with('\n') { Ok(()) } else { report::print_line("") }
}

/// A service's refusal of a scheme lists the schemes of its specification only; a person gets all of them.
fn read_error(error: ServiceError, settings: &Settings, catalogue: &Arc<Catalogue>, uri: &str) -> CommandError {
    let schemes = match &error {
        ServiceError::Invalid(_) => ls::schemes(settings, catalogue).unwrap_or_default(),
        _ => Vec::new(),
    };
    if schemes.is_empty() || schemes.iter().any(|scheme| uri.starts_with(scheme)) {
        return to_command_error(error, settings, RequestSubject::Resource);
    }
    let hint = missing_data_hint(settings, &schemes, uri).unwrap_or_else(|| {
        let command = settings.command_line();
        format!("begin the URI with {}; run {command} ls to list the resources", schemes.join(" or "))
    });
    CommandError::new(format!("this server has no resources of the scheme of {uri}"), hint)
}
