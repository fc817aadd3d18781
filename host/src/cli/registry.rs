//! `wardroom registry`: lists, checks, watches and makes declared entries.

use std::sync::Arc;

use serde_json::{Value, json};

use super::registry_args::{NewEntryKind, RegistryAction};
use super::run::Interruption;
use crate::assemble;
use crate::assemble::editor_files;
use crate::assemble::settings::Settings;
use crate::report::{self, Cell, Column, CommandError, Table, TextRole};
use wardroom_appdir::Access;
use wardroom_ranking::closest_name;
use wardroom_registry::{
    HandlerFailure, RegistryOverview, RegistryRow, RegistryService, ScaffoldKind, Severity, create_scaffold,
    read_failures,
};
use wardroom_service::{Catalogue, RequestInfo, Service};

pub(super) fn run(settings: &Settings, action: Option<RegistryAction>) -> Result<(), CommandError> {
    match action.unwrap_or(RegistryAction::List { json: false }) {
        RegistryAction::List { json } => list_entries(settings, json),
        RegistryAction::Check { json } => check_entries(settings, json),
        RegistryAction::Failures { entry, count, json } => list_failures(settings, entry.as_deref(), count, json),
        RegistryAction::Watch { json } => watch_entries(settings, json),
        RegistryAction::New { kind, name, namespace } => {
            scaffold_entry(settings, kind, &name, &namespace)?;
            let command = settings.command_line();
            report::print_line(&match kind {
                NewEntryKind::Tool => format!("next: {command} call {name} '{{\"name\": \"World\"}}'"),
                NewEntryKind::Prompt => format!("next: {command} prompt {name} text='to be summarised'"),
                NewEntryKind::Resource => format!("next: {command} read things://{name}/1"),
            })
        }
    }
}

fn list_entries(settings: &Settings, as_json: bool) -> Result<(), CommandError> {
    let overview = assemble::standalone_registry(settings)?.overview();
    if as_json {
        let rows = overview
            .rows
            .iter()
            .map(|row| json!({"id": row.id, "offers": row.offers, "scope": row.scope, "groups": row.groups, "file": row.file, "line": row.line}));
        return report::print_json(&rows.collect::<Value>());
    }
    let columns = [
        Column::new("ENTRY", 32),
        Column::text("OFFERS", 32),
        Column::new("DECLARED AT", 0),
        Column::new("SEEN BY", 0),
    ];
    let mut table = Table::new(" ", columns);
    for row in &overview.rows {
        let offers = if row.offers.is_empty() { "-".to_owned() } else { row.offers.join(", ") };
        let at = Cell::new(format!("{}:{}", row.file, row.line), TextRole::Faint);
        table.add([Cell::new(&row.id, TextRole::Name), offers.into(), at, seen_by(row).into()]);
    }
    table.print()?;
    if overview.rows.is_empty() {
        report::print_note(&format!(
            "nothing is declared: run {} registry new tool NAME to begin",
            settings.command_line()
        ));
    }
    let errors = overview.problems.iter().filter(|problem| problem.severity == Severity::Error).count();
    if errors > 0 {
        report::print_note(&format!("{errors} problems: run {} registry check to see them", settings.command_line()));
    }
    Ok(())
}

/// Prints failures as they happened, so that the newest one is where a person looks first.
fn list_failures(settings: &Settings, entry: Option<&str>, most: usize, as_json: bool) -> Result<(), CommandError> {
    let app_dir = assemble::open_app_dir(settings)?;
    let found = read_failures(&app_dir, entry, most);
    let mut found =
        found.map_err(|error| CommandError::with_cause("cannot read the failures", error, settings.doctor_hint()))?;
    found.reverse();
    if as_json {
        return found.iter().try_for_each(|failure| report::print_line(&json!(failure).to_string()));
    }
    if found.is_empty() {
        report::print_note(&match entry {
            Some(entry) => {
                check_spelling(settings, entry)?;
                format!("no call of {} has failed", report::escape_name(entry))
            }
            None => "no call of a handler has failed".to_owned(),
        });
    }
    found.iter().try_for_each(print_failure)
}

/// Checks that an id is not a misspelt one. One that is not similar to any may be that of an entry with an error.
fn check_spelling(settings: &Settings, entry: &str) -> Result<(), CommandError> {
    let rows = assemble::standalone_registry(settings)?.overview().rows;
    let meant = closest_name(entry, rows.iter().map(|row| row.id.as_str())).filter(|meant| *meant != entry);
    let Some(meant) = meant else { return Ok(()) };
    let meant = format!("; did you mean {}?", report::escape_name(meant));
    let what = format!("no entry has the id {}{meant}", report::escape_name(entry));
    Err(CommandError::new(what, format!("run {} registry list to see the ids", settings.command_line())))
}

fn print_failure(failure: &HandlerFailure) -> Result<(), CommandError> {
    let indented = |text: &str| {
        text.lines()
            .try_for_each(|line| report::print_line(&format!("    {}", report::escape_name(&line.replace('\t', "  ")))))
    };
    if failure.not_logged > 0 {
        report::print_note(&format!("{} further failures were not kept", failure.not_logged));
    }
    let (time, entry, kind) = (failure.time(), &failure.entry, &failure.kind);
    report::print_line(&report::escape_name(&format!("{time}  {entry}  {kind}")))?;
    failure.lines.iter().try_for_each(|line| indented(&format!("{:<7} {}", line.level, line.message)))?;
    indented(&failure.message)?;
    failure.traceback.as_deref().map_or(Ok(()), indented)
}

/// Says who sees an entry; nothing where everyone does.
fn seen_by(row: &RegistryRow) -> String {
    let scope = row
        .scope
        .as_deref()
        .map(|scope| if scope.is_empty() { "no caller".to_owned() } else { format!("scope {scope}") });
    let groups = row.groups.as_ref().map(|groups| match groups.as_slice() {
        [] => "no caller".to_owned(),
        [only] => format!("group {only}"),
        several => format!("groups {}", several.join("/")),
    });
    scope.into_iter().chain(groups).collect::<Vec<_>>().join(", ")
}

/// The declarations, with a check of their sources.
struct Checker<'s> {
    settings: &'s Settings,
    registry: Arc<RegistryService>,
    info: RequestInfo,
}

impl<'s> Checker<'s> {
    fn new(settings: &'s Settings) -> Result<Self, CommandError> {
        let registry = Arc::new(assemble::checking_registry(settings)?);
        let catalogue = Arc::new(Catalogue::new(vec![Arc::clone(&registry) as Arc<dyn Service>]));
        Ok(Self { settings, registry, info: assemble::command_line_context(&catalogue) })
    }

    /// Returns the entries with all problems of their declarations and sources.
    fn check(&self) -> Result<RegistryOverview, CommandError> {
        let mut overview = self.registry.overview();
        let found = self.registry.check_sources(&self.info).map_err(|error| {
            CommandError::with_cause("cannot check the sources", error, self.settings.doctor_hint())
        })?;
        overview.problems.extend(found);
        overview.problems.sort();
        Ok(overview)
    }
}

/// Returns the entries with all problems of their declarations and sources.
pub(super) fn check_all(settings: &Settings) -> Result<RegistryOverview, CommandError> {
    Checker::new(settings)?.check()
}

fn entry_count(number: usize) -> String {
    if number == 1 { "1 entry".to_owned() } else { format!("{number} entries") }
}

pub(super) fn count_errors(overview: &RegistryOverview) -> usize {
    overview.problems.iter().filter(|problem| problem.severity == Severity::Error).count()
}

fn print_problems(overview: &RegistryOverview, as_json: bool) -> Result<(), CommandError> {
    if !as_json {
        let mut lines = overview.problems.iter().map(|problem| report::escape_name(&problem.to_string()));
        return lines.try_for_each(|line| report::print_line(&line));
    }
    let rows = overview.problems.iter().map(|problem| {
        let severity = match problem.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        json!({"file": problem.file, "line": problem.line, "severity": severity, "message": problem.message})
    });
    report::print_json(&rows.collect::<Value>())
}

fn check_entries(settings: &Settings, as_json: bool) -> Result<(), CommandError> {
    let overview = report::name_if_slow("checking the sources", || check_all(settings))?;
    print_problems(&overview, as_json)?;
    let what = match count_errors(&overview) {
        0 if as_json => return Ok(()),
        0 => return report::print_line(&format!("{}, no errors", entry_count(overview.rows.len()))),
        1 => "1 error: its entry is not offered, or fails".to_owned(),
        errors => format!("{errors} errors: their entries are not offered, or fail"),
    };
    Err(CommandError::new(what, "fix the lines above; run wardroom help registry to see every key"))
}

/// Checks at once and after each change. Each round ends with a line of its own; as JSON it is one list.
fn watch_entries(settings: &Settings, as_json: bool) -> Result<(), CommandError> {
    let interruption = Interruption::watch(settings)?;
    let checker = Checker::new(settings)?;
    report::print_note("checks after each change; Ctrl-C ends it");
    let is_over = || interruption.is_here();
    checker.registry.follow(is_over, || {
        let overview = checker.check()?;
        print_problems(&overview, as_json)?;
        let entries = entry_count(overview.rows.len());
        let (result, role) = match count_errors(&overview) {
            _ if as_json => return Ok(()),
            0 => (format!("{entries}, no errors"), TextRole::Good),
            1 => (format!("{entries}, 1 error"), TextRole::Bad),
            errors => (format!("{entries}, {errors} errors"), TextRole::Bad),
        };
        report::print_colored(&result, Some(role))
    })
}

pub(super) fn scaffold_entry(
    settings: &Settings,
    kind: NewEntryKind,
    name: &str,
    namespace: &str,
) -> Result<(), CommandError> {
    if settings.read_only {
        return Err(CommandError::new("registry new writes files, which --read-only forbids", "leave out --read-only"));
    }
    let failed =
        |error| CommandError::with_cause("cannot open the registry", error, "name a folder with --registry DIR");
    let (root, shown, schema) = match &settings.registry {
        Some(path) => {
            let folder = assemble::open_granted(settings, path, Access::ReadWrite).map_err(failed)?;
            // It may be shared by people whose AppDirs are elsewhere.
            (folder, path.display().to_string(), None)
        }
        None => {
            let app = assemble::open_app_dir(settings)?;
            let folder = app.create_folder(assemble::REGISTRY_DIR).map_err(failed)?;
            let shown = settings.app_dir.path.join(assemble::REGISTRY_DIR).display().to_string();
            (folder, shown, editor_files::index_schema_path(&app))
        }
    };
    let kind = match kind {
        NewEntryKind::Tool => ScaffoldKind::Tool,
        NewEntryKind::Prompt => ScaffoldKind::Prompt,
        NewEntryKind::Resource => ScaffoldKind::Resource,
    };
    let unwritten = |why: String| {
        let command = settings.command_line();
        // What a person has to add is shown as it is, and not within the error.
        if let Some((what, entry)) = why.split_once('\n') {
            report::print_note(entry.trim_end());
            return CommandError::new(what, format!("add the entry above, and run {command} registry check"));
        }
        let hint = format!(
            "choose a name such as get_weather; {command} registry list shows the entries, and {command} registry check what is wrong with them"
        );
        CommandError::new(why, hint)
    };
    let known = assemble::standalone_registry(settings)?;
    for file in create_scaffold(&known, &root, namespace, kind, name, schema.as_deref()).map_err(unwritten)? {
        report::print_line(&format!("wrote {shown}/{file}"))?;
    }
    Ok(())
}
