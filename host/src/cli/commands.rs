//! The commands that ask the same questions as a client, but for `ls`: `read`, `extract`, `guest`.

use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::advice::{Asked, refused};
use super::ls;
use crate::assemble;
use crate::assemble::settings::Settings;
use crate::report::{self, Failure};
use wardroom_alc as alc;
use wardroom_appdir::{AppDirError, Privacy, ambient};
use wardroom_base::limits::MAX_SOURCE_BYTES;
use wardroom_sandbox::{COMPONENT, Image, Metadata, Sandbox};
use wardroom_service::{Catalogue, ServiceError};

pub(super) fn read(settings: &Settings, uri: &str, json: bool) -> Result<(), Failure> {
    let catalogue = assemble::catalogue(settings)?;
    let content = catalogue.read(uri, &assemble::context(&catalogue));
    let content = content.map_err(|error| unread(error, settings, &catalogue, uri))?;
    if json {
        let notes: Map<String, Value> =
            content.notes.into_iter().map(|(name, note)| (name.to_owned(), note.into_value())).collect();
        let whole = json!({"uri": uri, "mimeType": content.mime_type, "text": content.text, "_meta": notes});
        return report::line(&whole.to_string());
    }
    report::text(content.text.as_bytes())?;
    if content.text.ends_with('\n') { Ok(()) } else { report::line("") }
}

/// A refusal of a scheme names those alone that a service has as a whole, as its specification does: a person is told
/// all of them.
fn unread(error: ServiceError, settings: &Settings, catalogue: &Arc<Catalogue>, uri: &str) -> Failure {
    let schemes = match &error {
        ServiceError::Invalid(_) => ls::schemes(settings, catalogue).unwrap_or_default(),
        _ => Vec::new(),
    };
    if schemes.is_empty() || schemes.iter().any(|scheme| uri.starts_with(scheme)) {
        return refused(error, settings, Asked::Resource);
    }
    let hint = format!("a URI begins with {}: {} ls lists what can be read", schemes.join(" or "), settings.command());
    Failure::new(format!("no resource has a URI that begins as {uri} does"), hint)
}

pub(super) fn extract(files: &[PathBuf], json: bool) -> Result<(), Failure> {
    let sandbox = Sandbox::new(Image::embedded());
    let mut failed = 0;
    for path in files {
        match extract_one(&sandbox, path) {
            Ok(metadata) if json => report::line(&whole(path, metadata)?.to_string())?,
            Ok(metadata) => {
                report::line(&metadata.json)?;
                for entry in metadata.unresolved {
                    let (path, line, reason) = (path.display(), entry.line, entry.reason);
                    report::note(&format!("warning: {path}:{line}: {} {reason}", entry.path));
                }
            }
            Err(failure) => {
                report::failure(&failure);
                failed += 1;
            }
        }
    }
    if failed == 0 {
        return Ok(());
    }
    let what = format!("{failed} of {} files have no metadata", files.len());
    Err(Failure::new(what, "mend what is said above, and extract those again"))
}

/// The package's name is its folder's; a lone file has none of its own.
fn extract_one(sandbox: &Sandbox, path: &Path) -> Result<Metadata, Failure> {
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
        Failure::of(what(), error, hint)
    };
    let source = ambient::read(&file, MAX_SOURCE_BYTES).map_err(unread)?;
    let extracted = sandbox.extract(name, &source);
    let extracted =
        extracted.map_err(|error| Failure::of(what(), error, "wardroom doctor says whether the guest works"))?;
    extracted.map_err(|refusal| Failure::of(what(), refusal, "mend the file there; it is read, and never run"))
}

/// What the tool `extract_package_meta` answers, and which file it is about.
fn whole(path: &Path, metadata: Metadata) -> Result<Value, Failure> {
    let extracted = alc::extracted(metadata);
    let extracted =
        extracted.map_err(|error| Failure::new(error.to_string(), "wardroom doctor says whether the guest works"))?;
    let mut whole = extracted.into_value();
    if let Some(fields) = whole.as_object_mut() {
        fields.insert("file".to_owned(), json!(path));
    }
    Ok(whole)
}

pub(super) fn guest(output: Option<&Path>) -> Result<(), Failure> {
    match output {
        Some(path) => ambient::write(path, COMPONENT, Privacy::Shared).map_err(|error| {
            Failure::of(
                "cannot write the component",
                error,
                "name another file with --output FILE; its folder must be there",
            )
        }),
        None if io::stdout().is_terminal() => {
            let hint = "wardroom guest --output wardroom.wasm writes it to a file";
            Err(Failure::new("the component is not for a terminal", hint))
        }
        None => report::bytes(COMPONENT),
    }
}
