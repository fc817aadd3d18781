//! `ace_capture_trace`: records what happened in a task.
//!
//! Owns: the arguments, and what is cut or made safe of them before it is kept.
//! Never: runs a program to learn of a task.

use std::time::SystemTime;

use chrono::{DateTime, SecondsFormat, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{AceTool, check_id, check_ids, invalid, parse_params};
use crate::files::LogFile;
use crate::limits::{
    MAX_CHANGED_FILES, MAX_EXECUTION_ERRORS, MAX_EXECUTIONS, MAX_FIELD_CHARS, MAX_ID_CHARS, MAX_MESSAGE_CHARS,
};
use crate::playbook::Playbook;
use crate::sanitize::{log_text, one_line};
use crate::trace::{Execution, ReportedError, Trace};
use wardroom_service::schema::{input_schema, output_schema, serialize_output};
use wardroom_service::{ServiceError, ToolBehavior};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct CaptureArgs {
    /// Task id, e.g. "ACE_Beads_Amp-42".
    bead_id: String,
    /// Default: title of the bead.
    task_description: Option<String>,
    executions: Vec<ExecutionArg>,
    /// Ids of beads found on the way.
    #[serde(default)]
    discovered_issues: Vec<String>,
    outcome: Option<TaskOutcome>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ExecutionArg {
    /// E.g. "tsc".
    runner: String,
    command: String,
    status: ExecutionStatus,
    /// Empty for pass.
    errors: Vec<ErrorArg>,
    /// Since it failed.
    #[serde(rename = "changedFiles")]
    changed_files: Option<Vec<String>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ErrorArg {
    tool: String,
    severity: ErrorSeverity,
    message: String,
    file: String,
    line: f64,
    column: Option<f64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ExecutionStatus {
    Pass,
    Fail,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ErrorSeverity {
    Error,
    Warning,
    Info,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum TaskOutcome {
    Success,
    Failure,
    Partial,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CaptureOutput {
    trace_id: String,
    timestamp: String,
    written: bool,
    /// Bullets in AGENTS.md at that time.
    bullets_consulted: usize,
}

pub(super) const TOOL: AceTool = AceTool {
    name: "ace_capture_trace",
    title: "Capture Trace",
    description: "Records (saves, logs) the work on a task to learn from later: the outcome of a build, test or lint \
                  run, exit codes, error messages, the cause, the fix and what was discovered.",
    input: input_schema::<CaptureArgs>,
    output: output_schema::<CaptureOutput>,
    behavior: ToolBehavior::ADDITIVE,
    call: |log, info, arguments| {
        let args: CaptureArgs = parse_params(arguments)?;
        check(&args)?;
        let title = args.task_description.as_deref().filter(|text| !text.trim().is_empty());
        let description = match title {
            Some(text) => text.to_owned(),
            None => {
                let stop = || info.cancellation.is_cancelled();
                log.files.task_title(&args.bead_id, &stop)?.unwrap_or_else(|| args.bead_id.clone())
            }
        };
        let trace = trace_of(&args, &description);
        log.files.append(LogFile::Traces, std::slice::from_ref(&trace))?;
        // The playbook is no requirement: a log may begin before it.
        let bullets = log.files.playbook().map_or(0, |text| Playbook::parse(&text).bullets().len());
        serialize_output(&CaptureOutput {
            trace_id: trace.trace_id,
            timestamp: trace.timestamp,
            written: true,
            bullets_consulted: bullets,
        })
    },
};

fn check(args: &CaptureArgs) -> Result<(), ServiceError> {
    check_id("beadId", &args.bead_id)?;
    check_ids("discoveredIssues", &args.discovered_issues)?;
    if args.executions.is_empty() {
        return Err(invalid("executions array is required and must not be empty"));
    }
    if args.executions.len() > MAX_EXECUTIONS {
        let n = args.executions.len();
        return Err(invalid(format!("a trace has at most {MAX_EXECUTIONS} executions, not {n}: capture several")));
    }
    if args.executions.iter().any(|run| run.errors.len() > MAX_EXECUTION_ERRORS) {
        return Err(invalid(format!("an execution has at most {MAX_EXECUTION_ERRORS} errors: report the first ones")));
    }
    Ok(())
}

fn trace_of(args: &CaptureArgs, description: &str) -> Trace {
    let has_failed = args.executions.iter().any(|run| run.status == ExecutionStatus::Fail);
    let outcome = match args.outcome {
        Some(TaskOutcome::Success) => "success",
        Some(TaskOutcome::Failure) => "failure",
        Some(TaskOutcome::Partial) => "partial",
        None if has_failed => "failure",
        None => "success",
    };
    Trace {
        completed: true,
        outcome: outcome.to_owned(),
        execution_results: args.executions.iter().map(execution_of).collect(),
        discovered_issues: args.discovered_issues.iter().map(|id| one_line(id, MAX_ID_CHARS)).collect(),
        task_description: log_text(description, MAX_FIELD_CHARS),
        ..new_trace(&args.bead_id)
    }
}

/// A trace of now, in which nothing happened yet.
pub(super) fn new_trace(bead: &str) -> Trace {
    Trace {
        trace_id: Uuid::new_v4().to_string(),
        timestamp: DateTime::<Utc>::from(SystemTime::now()).to_rfc3339_opts(SecondsFormat::Millis, true),
        bead_id: one_line(bead, MAX_ID_CHARS),
        ..Trace::default()
    }
}

fn execution_of(run: &ExecutionArg) -> Execution {
    Execution {
        runner: log_text(&run.runner, MAX_FIELD_CHARS),
        command: log_text(&run.command, MAX_FIELD_CHARS),
        status: match run.status {
            ExecutionStatus::Pass => "pass".to_owned(),
            ExecutionStatus::Fail => "fail".to_owned(),
        },
        errors: run.errors.iter().map(error_of).collect(),
        changed_files: run
            .changed_files
            .as_ref()
            .map(|files| files.iter().take(MAX_CHANGED_FILES).map(|file| log_text(file, MAX_FIELD_CHARS)).collect()),
    }
}

fn error_of(error: &ErrorArg) -> ReportedError {
    ReportedError {
        tool: log_text(&error.tool, MAX_FIELD_CHARS),
        severity: match error.severity {
            ErrorSeverity::Error => "error".to_owned(),
            ErrorSeverity::Warning => "warning".to_owned(),
            ErrorSeverity::Info => "info".to_owned(),
        },
        message: log_text(&error.message, MAX_MESSAGE_CHARS),
        file: log_text(&error.file, MAX_FIELD_CHARS),
        line: Some(error.line),
        column: error.column,
        code: String::new(),
    }
}
