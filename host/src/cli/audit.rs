//! `wardroom audit`: who decided, did or was refused what on the AppDir.
//!
//! Never: changes the trail.

use serde_json::json;

use super::args::AuditCommand;
use crate::assemble;
use crate::assemble::settings::Settings;
use crate::report::{self, Cell, Column, CommandError, Table, TextRole};
use wardroom_appdir::{Access, AppDirError, ambient};
use wardroom_service::audit::{self, AuditEvent, AuditRecord, AuditSource, AuditTrail};

pub(super) fn run(settings: &Settings, action: &AuditCommand) -> Result<(), CommandError> {
    match action {
        AuditCommand::List { last, json } => list_records(settings, *last, *json),
        AuditCommand::Verify { json } => verify(settings, *json),
    }
}

/// Records what a person did at the command line. Where the AppDir does not exist yet there is no trail.
pub(super) fn record(settings: &Settings, event: &AuditEvent) {
    match ambient::open_folder(&settings.app_dir.path, Access::ReadWrite) {
        Ok(app) => AuditTrail::new(&app.with_owner_only()).record(&AuditSource::command_line(), event),
        Err(error) => tracing::debug!(%error, "no audit trail"),
    }
}

fn list_records(settings: &Settings, last: usize, as_json: bool) -> Result<(), CommandError> {
    let app = assemble::open_app_dir(settings)?;
    let records = audit::read_records(&app).map_err(unreadable(settings))?;
    let shown = records.get(records.len().saturating_sub(last)..).unwrap_or_default();
    if as_json {
        return report::print_json(&json!(shown));
    }
    let columns = [
        Column::new("TIME", 0),
        Column::new("WHO", 16),
        Column::new("THROUGH", 11),
        Column::new("ACTION", 17),
        Column::text("SUBJECT", 0),
        Column::new("OUTCOME", 0),
    ];
    let mut table = Table::new("  ", columns);
    shown.iter().for_each(|record| table.add(record_row(record)));
    table.print()
}

fn record_row(record: &AuditRecord) -> [Cell; 6] {
    let action = json!(record.action);
    let times = if record.count == 1 { String::new() } else { format!(" ×{}", record.count) };
    // Which files are known is for `verify`.
    let outcome = if record.through == "audit" { "" } else { &record.outcome };
    let role = if outcome.starts_with("refused") { TextRole::Bad } else { TextRole::Good };
    [
        Cell::new(&record.at, TextRole::Faint),
        (&record.who).into(),
        (&record.through).into(),
        action.as_str().unwrap_or_default().into(),
        (&record.subject).into(),
        Cell::new(format!("{outcome}{times}"), role),
    ]
}

fn verify(settings: &Settings, as_json: bool) -> Result<(), CommandError> {
    let app = assemble::open_app_dir(settings)?;
    let files = report::name_if_slow("reading the audit trail", || audit::verify(&app));
    let files = files.map_err(unreadable(settings))?;
    let faulty = files.iter().filter(|file| !file.faults.is_empty()).count();
    if as_json {
        let rows = files.iter().map(|file| json!({"file": file.name, "records": file.records, "faults": file.faults}));
        report::print_json(&serde_json::Value::from_iter(rows))?;
    } else {
        for file in &files {
            for fault in &file.faults {
                report::print_line(&format!("{}: {fault}", report::escape_name(&file.name)))?;
            }
        }
        if faulty == 0 {
            let records: u64 = files.iter().map(|file| file.records).sum();
            report::print_line(&format!("{} files, {records} records: unchanged", files.len()))?;
        }
    }
    if faulty == 0 {
        return Ok(());
    }
    let what = format!("the audit trail was changed, or the disk lost some of it (files: {faulty})");
    Err(CommandError::new(what, "compare the folder server/audit of the AppDir with a backup"))
}

fn unreadable(settings: &Settings) -> impl Fn(AppDirError) -> CommandError {
    |error| CommandError::with_cause("cannot read the audit trail", error, settings.doctor_hint())
}
