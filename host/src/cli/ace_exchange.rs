//! `wardroom ace import`, `export` and `merge`: bullets and logs of other projects and versions.
//!
//! Owns: the files that a person or git names.
//! Never: writes another file than the playbook, the logs, and the version that git asks for.

use std::path::Path;
use std::process::ExitCode;

use serde_json::json;

use crate::assemble;
use crate::assemble::settings::Settings;
use crate::report::{self, CommandError};
use wardroom_ace::limits::MAX_PLAYBOOK_BYTES;
use wardroom_ace::{
    ImportedBullets, ImportedLogs, LearningPlaces, MergedPlaybook, export_paper_form, import_bullets, import_logs,
    merge_playbooks,
};
use wardroom_appdir::{Access, Privacy, ambient};
use wardroom_service::ServiceError;

/// Imports the logs of a folder, or the bullets of a file.
pub(super) fn import(settings: &Settings, from: &Path, as_json: bool) -> Result<(), CommandError> {
    if settings.read_only {
        return Err(CommandError::new("ace import writes files, which --read-only forbids", "leave out --read-only"));
    }
    let (places, _) = assemble::learning_places(settings)?;
    let shown = from.display();
    let failed = |error: ServiceError| {
        let message = match error {
            ServiceError::Tool { message, .. } => message,
            other => other.to_string(),
        };
        CommandError::new(format!("cannot import {shown}: {message}"), "correct that, and import it again")
    };
    if !ambient::is_dir(from) {
        let imported = import_bullets(&read(from)?, &places).map_err(failed)?;
        if as_json {
            let ImportedBullets { bullets, known, skipped } = imported;
            return report::print_json(&json!({"bullets": bullets, "known": known, "linesSkipped": skipped}));
        }
        report::print_line(&format!("imported: {} bullets ({} known)", imported.bullets, imported.known))?;
        if imported.skipped > 0 {
            let n_skipped = imported.skipped;
            report::print_note(&format!(
                "lines that look like a bullet and cannot be read, and were left out: {n_skipped}"
            ));
        }
        return Ok(());
    }
    let hint = "name the folder of a project with logs";
    let opened = ambient::open_folder(from, Access::ReadOnly);
    let folder = opened.map_err(|error| CommandError::with_cause(format!("cannot import {shown}"), error, hint))?;
    let imported = import_logs(&LearningPlaces::below(&folder), &places).map_err(failed)?;
    if as_json {
        let ImportedLogs { traces, insights, known, skipped } = imported;
        let counts = json!({"traces": traces, "insights": insights, "known": known, "linesSkipped": skipped});
        return report::print_json(&counts);
    }
    report::print_line(&format!(
        "imported: {} traces, {} insights ({} known)",
        imported.traces, imported.insights, imported.known
    ))?;
    if imported.skipped > 0 {
        report::print_note(&format!("lines that cannot be read, and were left out: {}", imported.skipped));
    }
    Ok(())
}

/// Prints the bullets in the form of the paper.
pub(super) fn export(settings: &Settings) -> Result<(), CommandError> {
    let (places, _) = assemble::learning_places(settings)?;
    let text = places.read_playbook().map_err(|error| {
        let hint = format!("run {} ace init to make one", settings.command_line());
        CommandError::with_cause("cannot read the playbook", error, hint)
    })?;
    report::print_text(export_paper_form(&text).as_bytes())
}

/// By this exit code git learns that a merge driver failed. With a smaller one it takes the file for a merge with marks of conflicts.
const MERGE_FAILED: u8 = 129;

/// Merges three versions of a playbook into the second one, as git asks its merge drivers to. The exit code says how it ended.
pub(super) fn merge(base: &Path, ours: &Path, theirs: &Path) -> ExitCode {
    match merge_files(base, ours, theirs) {
        Ok(has_conflicts) => ExitCode::from(u8::from(has_conflicts)),
        Err(failure) => {
            report::print_error(&failure);
            ExitCode::from(MERGE_FAILED)
        }
    }
}

/// Returns whether there are conflicts.
fn merge_files(base: &Path, ours: &Path, theirs: &Path) -> Result<bool, CommandError> {
    let MergedPlaybook { text, has_conflicts } = merge_playbooks(&read(base)?, &read(ours)?, &read(theirs)?);
    ambient::write(ours, text.as_bytes(), Privacy::Preserve).map_err(|error| {
        let hint = "correct the permissions of that file, and merge again";
        CommandError::with_cause(format!("cannot write {}", ours.display()), error, hint)
    })?;
    if has_conflicts {
        report::print_note("both sides changed the same lines: they stand between marks, as git leaves them");
    }
    Ok(has_conflicts)
}

fn read(path: &Path) -> Result<String, CommandError> {
    ambient::read_text(path, MAX_PLAYBOOK_BYTES).map_err(|error| {
        let hint = "name a text file, or the folder of a project";
        CommandError::with_cause(format!("cannot read {}", path.display()), error, hint)
    })
}
