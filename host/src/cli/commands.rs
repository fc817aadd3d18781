//! The commands that request the same as a client, except `ls`: `read`, `extract`, `guest`.

use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::hints::{RequestSubject, to_command_error};
use super::ls;
use crate::assemble;
use crate::assemble::settings::Settings;
use crate::report::{self, CommandError};
use wardroom_alc as alc;
use wardroom_appdir::{AppDirError, Privacy, ambient};
use wardroom_net::limits::MAX_SOURCE_BYTES;
use wardroom_sandbox::{GUEST_COMPONENT, GuestImage, PackageMetadata, Sandbox};
use wardroom_service::{Catalogue, ServiceError};

pub(super) fn read(settings: &Settings, uri: &str, json: bool) -> Result<(), CommandError> {
    let catalogue = assemble::build_catalogue(settings)?;
    let content = catalogue.read_blocking(uri, &assemble::command_line_context(&catalogue));
    let content = content.map_err(|error| read_error(error, settings, &catalogue, uri))?;
    if json {
        let notes: Map<String, Value> =
            content.meta_fields.into_iter().map(|(name, note)| (name.to_owned(), note.into_value())).collect();
        let whole = json!({"uri": uri, "mimeType": content.mime_type, "text": content.text, "_meta": notes});
        return report::print_line(&whole.to_string());
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
    let hint = format!(
        "begin the URI with {}; run {} ls to list the resources",
        schemes.join(" or "),
        settings.command_line()
    );
    CommandError::new(format!("this server has no resources of the scheme of {uri}"), hint)
}

pub(super) fn extract(files: &[PathBuf], json: bool) -> Result<(), CommandError> {
    let sandbox = Sandbox::new(GuestImage::embedded());
    let mut failed = 0;
    for path in files {
        match extract_one(&sandbox, path) {
            Ok(metadata) if json => report::print_line(&extraction_json(path, metadata)?.to_string())?,
            Ok(metadata) => {
                report::print_line(&metadata.json)?;
                for entry in metadata.unresolved {
                    let (path, line, reason) = (path.display(), entry.line, entry.reason);
                    report::print_note(&format!("warning: {path}:{line}: {} {reason}", entry.path));
                }
            }
            Err(failure) => {
                report::print_error(&failure);
                failed += 1;
            }
        }
    }
    if failed == 0 {
        return Ok(());
    }
    let what = format!("no metadata could be read from {failed} of {} files", files.len());
    Err(CommandError::new(what, "fix the errors above, and extract those files again"))
}

/// Extracts one package. Its name is its folder's; a single file has none.
fn extract_one(sandbox: &Sandbox, path: &Path) -> Result<PackageMetadata, CommandError> {
    let file = if ambient::is_dir(path) { path.join("init.lua") } else { path.to_path_buf() };
    let folder = file.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    let name = folder.filter(|name| wardroom_rules::id::check_alphabet(name).is_ok()).unwrap_or("package");
    let what = || path.display().to_string();
    let unread = |error| {
        let hint = match error {
            AppDirError::TooLarge { .. } => {
                "keep the metadata in a smaller init.lua, and the rest in files that it requires"
            }
            _ => "name an init.lua, or the folder of a package",
        };
        CommandError::with_cause(what(), error, hint)
    };
    let source = ambient::read(&file, MAX_SOURCE_BYTES).map_err(unread)?;
    let extracted = sandbox.extract(name, &source);
    let extracted =
        extracted.map_err(|error| CommandError::with_cause(what(), error, "run wardroom doctor to check the guest"))?;
    extracted.map_err(|refusal| {
        CommandError::with_cause(what(), refusal, "fix the file at that place; it is parsed and never run")
    })
}

/// The output of the tool `extract_package_meta`, and the file.
fn extraction_json(path: &Path, metadata: PackageMetadata) -> Result<Value, CommandError> {
    let extracted = alc::render_metadata(metadata);
    let extracted =
        extracted.map_err(|error| CommandError::new(error.to_string(), "run wardroom doctor to check the guest"))?;
    let mut whole = extracted.into_value();
    if let Some(fields) = whole.as_object_mut() {
        fields.insert("file".to_owned(), json!(path));
    }
    Ok(whole)
}

pub(super) fn write_guest(output: Option<&Path>) -> Result<(), CommandError> {
    match output {
        Some(path) => ambient::write(path, GUEST_COMPONENT, Privacy::Shared).map_err(|error| {
            CommandError::with_cause(
                "cannot write the component",
                error,
                "name another file with --output FILE; its folder must exist",
            )
        }),
        None if io::stdout().is_terminal() => {
            let hint = "run wardroom guest --output wardroom.wasm to write it to a file";
            Err(CommandError::new("the component is binary, and standard output is a terminal", hint))
        }
        None => report::print_bytes(GUEST_COMPONENT),
    }
}
