//! What the AppDir contains: packages, declared entries, the blog and the learning log. The server works without each of them.
//!
//! Never: repairs a file.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{DoctorFinding, format_count};
use crate::assemble::settings::Settings;
use crate::assemble::{self, AssembledServices};
use crate::cli::hints::{RequestSubject, to_command_error};
use crate::cli::{ace, blog, registry};
use crate::report;
use wardroom_ace::LEARNING_DIR;
use wardroom_base::payload::Payload;
use wardroom_service::{Catalogue, ServiceError, error_code as common};

/// `known` is not reported again.
pub(super) fn check(
    settings: &Settings,
    assembled: Option<&AssembledServices>,
    known: &[DoctorFinding],
) -> Vec<DoctorFinding> {
    let packages = assembled.map(|assembled| check_packages(settings, &assembled.catalogue, known));
    let mut findings = packages.unwrap_or_default();
    findings.push(check_registry(settings));
    findings.extend(check_blog(settings));
    findings.extend(check_learning_log(settings));
    findings
}

/// Checks installed packages, as `alc_pkg_doctor` does. Symbolic links and reserved names have checks of their own.
fn check_packages(settings: &Settings, catalogue: &Arc<Catalogue>, known: &[DoctorFinding]) -> Vec<DoctorFinding> {
    const CHECK: &str = "packages";
    let command = settings.command_line();
    let kinds = [
        ("incomplete_pkg", "restore its init.lua, or remove its folder".to_owned()),
        ("installed_missing", format!("run {command} pkg install with its source, or {command} pkg remove")),
        ("path_missing", "correct the project's alc.toml or alc.local.toml, or restore the folder".to_owned()),
        ("symlink_dangling", format!("restore the folder that it leads to, or run {command} pkg remove")),
        ("unreadable", "correct its init.lua".to_owned()),
    ];
    let is_known = |name: &str| {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        known.iter().any(|finding| finding.detail.split(|c| !is_part(c)).any(|word| word == name))
    };
    let context = assemble::command_line_context(catalogue);
    let report = match catalogue.call_blocking("alc_pkg_doctor", Payload::from_value(json!({})), &context) {
        Ok(answer) => answer.value.into_value(),
        // Without its service, nothing is installed.
        Err(ServiceError::UnknownTool(_)) => return Vec::new(),
        Err(error) => {
            let failure = to_command_error(error, settings, RequestSubject::Tool);
            return vec![DoctorFinding::warning(CHECK, failure.to_string(), failure.hint())];
        }
    };
    let rows = |key: &str| report.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let mut findings = vec![DoctorFinding::good(CHECK, format_count(rows("healthy").len(), "package"))];
    for (key, hint) in &kinds {
        findings.extend(rows(key).into_iter().filter_map(|row| {
            let text = |key: &str| report::escape_name(row.get(key).and_then(Value::as_str).unwrap_or_default());
            let name = text("name");
            let is_new = *key != "symlink_dangling" || !is_known(&name);
            is_new.then(|| DoctorFinding::warning(CHECK, format!("{name}: {}", text("detail")), hint.as_str()))
        }));
    }
    let warnings = rows("warnings").into_iter().filter_map(|row| Some(report::escape_name(row.as_str()?)));
    let is_new = |warning: &String| known.iter().all(|finding| finding.detail != *warning);
    let hint = "rename it, or correct the file that names it";
    findings.extend(warnings.filter(is_new).map(|warning| DoctorFinding::warning(CHECK, warning, hint)));
    findings
}

/// Checks for user-defined entries that are broken or differ from their intent, and their sources.
fn check_registry(settings: &Settings) -> DoctorFinding {
    const CHECK: &str = "registry";
    let overview = match registry::check_all(settings) {
        Ok(overview) => overview,
        Err(failure) => return DoctorFinding::from_error(CHECK, &failure),
    };
    let counted = format_count(overview.rows.len(), "entry");
    if overview.problems.is_empty() {
        return DoctorFinding::good(CHECK, counted);
    }
    let errors = registry::count_errors(&overview);
    let (errors, warnings) = (format_count(errors, "error"), format_count(overview.problems.len() - errors, "warning"));
    let hint = format!("run {} registry check to see them", settings.command_line());
    // A warning, since the server works without these entries.
    DoctorFinding::warning(CHECK, format!("{counted}, {errors}, {warnings}"), hint)
}

/// Checks whether the blog can be read, if there is one, and for files that are left out. Its index is a cache, and is not
/// brought up to date where nothing may be written.
fn check_blog(settings: &Settings) -> Vec<DoctorFinding> {
    const CHECK: &str = "blog";
    if !settings.offers(CHECK) || !assemble::has_blog(settings) {
        return Vec::new();
    }
    // What root wrote into another user's index, its server could not read.
    if settings.read_only || !assemble::is_own_app_dir(settings) {
        return vec![DoctorFinding::good(CHECK, "its files are not checked, since its index is not written")];
    }
    let found = match assemble::standalone_blog(settings).map(|blog| blog.update(false, &mut |_, _| ())) {
        Ok(Ok(found)) => found,
        Ok(Err(ServiceError::Tool { code: common::BUSY, .. })) => {
            return vec![DoctorFinding::good(CHECK, "another process brings its index up to date".to_owned())];
        }
        Ok(Err(error)) => {
            let failure = to_command_error(error, settings, RequestSubject::Resource);
            return vec![DoctorFinding::from_error(CHECK, &failure)];
        }
        Err(failure) => return vec![DoctorFinding::from_error(CHECK, &failure)],
    };
    // Of a folder that cannot be read, how many files it has is not known.
    let hidden = found.problems.iter().filter(|problem| problem.hides_file).count().min(found.n_files.max(1));
    let counted = format_count(found.n_files, "file");
    match (found.n_files, hidden) {
        (0, 0) => vec![DoctorFinding::warning(CHECK, counted, blog::where_documents_belong(settings))],
        (_, 0) => vec![DoctorFinding::good(CHECK, counted)],
        (_, hidden) => {
            let hint = format!("run {} blog check to see why", settings.command_line());
            vec![DoctorFinding::warning(CHECK, format!("{hidden} of {counted} left out"), hint)]
        }
    }
}

/// Checks whether the learning log can be read, if there is one.
fn check_learning_log(settings: &Settings) -> Vec<DoctorFinding> {
    const CHECK: &str = "learning log";
    let Ok((_, root)) = assemble::learning_places(settings) else { return Vec::new() };
    let stats = match ace::stats(settings) {
        Ok(stats) => stats,
        Err(failure) => return vec![DoctorFinding::from_error(CHECK, &failure)],
    };
    let count = |pointer: &str| {
        let count = stats.pointer(pointer).and_then(Value::as_u64);
        count.and_then(|count| usize::try_from(count).ok()).unwrap_or(0)
    };
    let counts = [
        format_count(count("/bullets/total"), "bullet"),
        format_count(count("/insights/total"), "insight"),
        format_count(count("/traces/total"), "trace"),
    ];
    // Without a project the log is in the AppDir.
    let root =
        if assemble::playbook_path(settings).is_some() { root } else { settings.app_dir.path.join(LEARNING_DIR) };
    let root = report::escape_name(&root.display().to_string());
    let mut findings = vec![DoctorFinding::good(CHECK, format!("{} in {root}", counts.join(", ")))];
    let n_unreadable = count("/linesSkipped");
    if n_unreadable > 0 {
        let detail = format!("{} of its logs cannot be read, and is left out", format_count(n_unreadable, "line"));
        findings.push(DoctorFinding::warning(
            CHECK,
            detail,
            "correct these lines, or remove them: each is one JSON object",
        ));
    }
    findings
}
