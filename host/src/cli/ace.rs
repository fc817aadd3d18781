//! `wardroom ace`: the tools of the learning log from a shell, with tables for people.
//!
//! Owns: what is read from standard input, and the tables.
//! Never: does what a tool of the service does not do.

use std::io::{self, Read as _};
use std::path::Path;
use std::process::ExitCode;

use serde_json::{Value, json};

use super::ace_args::{AceAction, AnalyzeLimits, HookAction, OutcomeArg, QueryArgs, UpdateLimits};
use super::ace_run::{self, RunRequest};
use super::agents::own_program;
use super::hints::{RequestSubject, to_command_error};
use super::{ace_exchange, ace_git, ace_hooks, ace_plot, ace_proposals};
use crate::assemble;
use crate::assemble::settings::Settings;
use crate::report::{self, Cell, Column, CommandError, Table, TextRole};
use wardroom_ace::init_learning_log;
use wardroom_appdir::ambient;
use wardroom_base::payload::Payload;
use wardroom_service::ServiceError;
use wardroom_service::limits::MAX_MESSAGE_BYTES;

/// What a person is told that waits for an answer.
const WORK: &str = "reading the learning log";

pub(super) fn run(settings: &Settings, action: AceAction) -> Result<ExitCode, CommandError> {
    let done = match action {
        AceAction::Init { git, json } => init(settings, git, json),
        AceAction::Import { from, json } => ace_exchange::import(settings, &from, json),
        AceAction::Export => ace_exchange::export(settings),
        AceAction::Merge { base, ours, theirs } => return Ok(ace_exchange::merge(&base, &ours, &theirs)),
        AceAction::Hook { action: HookAction::Print { agent } } => ace_hooks::print_snippet(settings, agent),
        AceAction::Hook { action: HookAction::Capture { .. } } => ace_hooks::capture(settings),
        AceAction::Run { bead, timeout, command } => {
            return ace_run::run(settings, &RunRequest { bead, timeout, command });
        }
        AceAction::Capture { bead, exec, desc, discovered, outcome, json } => {
            let mut arguments = json!({"beadId": bead, "executions": read_executions(&exec)?});
            set(&mut arguments, "taskDescription", desc);
            set(&mut arguments, "discoveredIssues", listed(discovered));
            set(&mut arguments, "outcome", outcome.map(outcome_name));
            let answer = call(settings, "ace_capture_trace", arguments)?;
            print(&answer, json, |answer| report::print_line(&format!("captured: {}", text(answer, "traceId"))))
        }
        AceAction::Analyze { trace, beads, limits, json } => {
            let answer = analyze(settings, trace, beads.clone(), &limits)?;
            if !beads.is_empty() && number(&answer, "tracesAnalyzed") == 0 {
                report::print_note(&format!("no trace is of {}", report::escape_name(&beads.join(", "))));
            }
            print(&answer, json, print_analysis)
        }
        AceAction::Update { limits, force_insight_ids, json } => {
            if !force_insight_ids.is_empty() {
                let preview = UpdateLimits { dry_run: true, ..limits };
                check_forced(settings, &update(settings, &preview, force_insight_ids.clone())?)?;
            }
            let answer = update(settings, &limits, force_insight_ids)?;
            print(&answer, json, print_update)
        }
        AceAction::Learn { beads, min_frequency, limits, json } => {
            let bounds = AnalyzeLimits { min_frequency, min_confidence: None };
            let (analysis, update) = learn(settings, beads, &bounds, &limits)?;
            if json {
                report::print_json(&json!({"analysis": analysis, "update": update}))
            } else if limits.dry_run {
                print_analysis_as(&analysis, "nothing written")?;
                print_update(&update)
            } else {
                print_analysis(&analysis)?;
                print_update(&update)
            }
        }
        AceAction::Bullets { sections, query } => {
            let json = query.json;
            let answer = get(settings, "bullets", "helpful", query, sections)?;
            print(&answer, json, print_bullets)
        }
        AceAction::Insights { query } => {
            let json = query.json;
            let answer = get(settings, "insights", "confidence", query, Vec::new())?;
            print(&answer, json, print_insights)
        }
        AceAction::Search { query, limit, json } => {
            let mut arguments = json!({"query": query.join(" ")});
            set(&mut arguments, "limit", limit);
            let answer = call(settings, "ace_search", arguments)?;
            print(&answer, json, print_lessons)
        }
        AceAction::Proposals { action } => ace_proposals::run(settings, action),
        AceAction::Stats { json } => print(&stats(settings)?, json, print_stats),
    };
    done.map(|()| ExitCode::SUCCESS)
}

fn init(settings: &Settings, registers_driver: bool, as_json: bool) -> Result<(), CommandError> {
    if settings.read_only {
        return Err(CommandError::new("ace init writes files, which --read-only forbids", "leave out --read-only"));
    }
    let (places, shown) = assemble::create_learning_places(settings)?;
    let n_written = init_learning_log(&places).map_err(|error| {
        let hint = "name a folder that you may write with `[ace] root` in the configuration";
        CommandError::with_cause("cannot make the learning log", error, hint)
    })?;
    if registers_driver {
        ace_git::register(Path::new(&shown), &own_program()?)?;
    }
    if as_json {
        let made = json!({"folder": shown, "filesWritten": n_written, "mergeDriverRegistered": registers_driver});
        return report::print_json(&made);
    }
    report::print_line(&format!("learning log: {shown} ({n_written} files written)"))?;
    if registers_driver {
        report::print_line(&ace_git::registered())?;
    } else if ambient::exists(&Path::new(&shown).join(".git")) {
        report::print_line(&ace_git::hint())?;
    }
    let command = settings.command_line();
    report::print_line(&format!(
        "next: start a server with {command} --service ace, or run {command} ace run -- COMMAND"
    ))
}

/// Reads the executions of a trace from a file, or from standard input.
fn read_executions(from: &str) -> Result<Value, CommandError> {
    const HINT: &str = "write a JSON array such as [{\"runner\": \"tsc\", \"command\": \"npm run build\", \"status\": \"pass\", \"errors\": []}]";
    let limit = MAX_MESSAGE_BYTES as u64;
    let text = if from == "-" {
        let mut text = String::new();
        let read = io::stdin().lock().take(limit + 1).read_to_string(&mut text);
        read.map_err(|error| CommandError::with_cause("cannot read the executions", error, HINT))?;
        text
    } else {
        let read = ambient::read_text(Path::new(from), limit);
        read.map_err(|error| CommandError::with_cause(format!("cannot read the executions {from}"), error, HINT))?
    };
    let parsed = Payload::parse(&text, MAX_MESSAGE_BYTES);
    let value = parsed.map_err(|error| CommandError::with_cause("cannot read the executions", error, HINT))?;
    let value = value.into_value();
    if value.is_array() { Ok(value) } else { Err(CommandError::new("the executions must be a JSON array", HINT)) }
}

fn analyze(
    settings: &Settings,
    trace: Option<String>,
    beads: Vec<String>,
    limits: &AnalyzeLimits,
) -> Result<Value, CommandError> {
    call(settings, "ace_analyze_patterns", analysis_arguments(trace, beads, limits))
}

fn analysis_arguments(trace: Option<String>, beads: Vec<String>, limits: &AnalyzeLimits) -> Value {
    let mut arguments = json!({"mode": if trace.is_some() { "single" } else { "batch" }});
    set(&mut arguments, "traceId", trace);
    set(&mut arguments, "beadIds", listed(beads));
    set(&mut arguments, "minFrequency", limits.min_frequency);
    set(&mut arguments, "minConfidence", limits.min_confidence);
    arguments
}

fn update(settings: &Settings, limits: &UpdateLimits, forced: Vec<String>) -> Result<Value, CommandError> {
    call(settings, "ace_update_knowledge", update_arguments(limits, forced))
}

fn update_arguments(limits: &UpdateLimits, forced: Vec<String>) -> Value {
    let mut arguments = json!({"dryRun": limits.dry_run});
    set(&mut arguments, "minConfidence", limits.min_confidence);
    set(&mut arguments, "maxDeltas", limits.max_deltas);
    set(&mut arguments, "forceInsightIds", listed(forced));
    arguments
}

/// Analyzes all traces and updates the playbook; in a dry run both are shown, and nothing is written.
fn learn(
    settings: &Settings,
    beads: Vec<String>,
    bounds: &AnalyzeLimits,
    limits: &UpdateLimits,
) -> Result<(Value, Value), CommandError> {
    if !limits.dry_run {
        return Ok((analyze(settings, None, beads, bounds)?, update(settings, limits, Vec::new())?));
    }
    let analysis = Payload::from_value(analysis_arguments(None, beads, bounds));
    let update = Payload::from_value(update_arguments(limits, Vec::new()));
    let preview = report::name_if_slow(WORK, || assemble::preview_learning(settings, analysis, update))?;
    let preview = preview.map_err(|error| failed(error, settings))?;
    Ok((preview.analysis.into_value(), preview.update.into_value()))
}

fn get(
    settings: &Settings,
    source: &str,
    sort_by: &str,
    query: QueryArgs,
    sections: Vec<String>,
) -> Result<Value, CommandError> {
    let mut filters = json!({});
    set(&mut filters, "tags", listed(query.tags));
    set(&mut filters, "beadIds", listed(query.beads));
    set(&mut filters, "sections", listed(sections));
    set(&mut filters, "minConfidence", query.min_confidence);
    let arguments = json!({"source": source, "sortBy": sort_by, "limit": query.limit, "filters": filters});
    call(settings, "ace_get_insights", arguments)
}

pub(super) fn stats(settings: &Settings) -> Result<Value, CommandError> {
    let catalogue = assemble::standalone_ace(settings)?;
    let read = report::name_if_slow(WORK, || {
        catalogue.read_blocking("ace://knowledge/stats", &assemble::command_line_context(&catalogue))
    });
    let content = read.map_err(|error| failed(error, settings))?;
    Ok(serde_json::from_str(&content.text).unwrap_or_default())
}

/// Calls a tool as a client does.
pub(super) fn call(settings: &Settings, tool: &str, arguments: Value) -> Result<Value, CommandError> {
    let catalogue = assemble::standalone_ace(settings)?;
    let context = assemble::command_line_context(&catalogue);
    let answer = report::name_if_slow(WORK, || catalogue.call_blocking(tool, Payload::from_value(arguments), &context));
    Ok(answer.map_err(|error| failed(error, settings))?.value.into_value())
}

fn failed(error: ServiceError, settings: &Settings) -> CommandError {
    match error {
        ServiceError::Tool { message, .. } => {
            CommandError::new(message, "run wardroom help ace to read what each command takes")
        }
        ServiceError::UnknownTool(_) => {
            CommandError::new("this command writes files, which --read-only forbids", "leave out --read-only")
        }
        other => to_command_error(other, settings, RequestSubject::Tool),
    }
}

pub(super) fn set(object: &mut Value, name: &str, value: Option<impl Into<Value>>) {
    if let (Some(fields), Some(value)) = (object.as_object_mut(), value) {
        fields.insert(name.to_owned(), value.into());
    }
}

fn listed(values: Vec<String>) -> Option<Vec<String>> {
    Some(values).filter(|values| !values.is_empty())
}

const fn outcome_name(outcome: OutcomeArg) -> &'static str {
    match outcome {
        OutcomeArg::Success => "success",
        OutcomeArg::Failure => "failure",
        OutcomeArg::Partial => "partial",
    }
}

fn print(
    answer: &Value,
    as_json: bool,
    table: impl FnOnce(&Value) -> Result<(), CommandError>,
) -> Result<(), CommandError> {
    if as_json { report::print_json(answer) } else { table(answer) }
}

pub(super) fn text(item: &Value, name: &str) -> String {
    report::escape_name(item.get(name).and_then(Value::as_str).unwrap_or_default())
}

fn number(item: &Value, name: &str) -> u64 {
    item.get(name).and_then(Value::as_u64).unwrap_or_default()
}

fn items<'v>(answer: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    answer.get(name).and_then(Value::as_array).into_iter().flatten()
}

fn confidence(item: &Value) -> f64 {
    item.get("confidence").and_then(Value::as_f64).unwrap_or_default()
}

fn print_analysis(answer: &Value) -> Result<(), CommandError> {
    let is_new = answer.get("written") == Some(&Value::Bool(true));
    print_analysis_as(answer, if is_new { "something new" } else { "nothing new" })
}

fn print_analysis_as(answer: &Value, state: &str) -> Result<(), CommandError> {
    for insight in items(answer, "insights") {
        let pattern = insight.get("signal").map(|signal| text(signal, "pattern")).unwrap_or_default();
        report::print_line(&format!("{}  {:.2}  {pattern}", text(insight, "id"), confidence(insight)))?;
    }
    report::print_line(&format!("traces analyzed: {}, {state}", number(answer, "tracesAnalyzed")))?;
    let n_errors = number(answer, "errorsOmitted");
    if n_errors > 0 {
        report::print_note(&format!(
            "errors and fixes beyond what one analysis holds, which were left out: {n_errors}"
        ));
    }
    print_skipped_lines(answer);
    Ok(())
}

fn print_update(answer: &Value) -> Result<(), CommandError> {
    for delta in items(answer, "deltas") {
        report::print_line(&format!("{}: {}", text(delta, "section"), text(delta, "content")))?;
    }
    for bullet in items(answer, "archived") {
        report::print_line(&format!("archived ({}): {}", text(bullet, "reason"), text(bullet, "content")))?;
    }
    let state = if answer.get("updated") == Some(&Value::Bool(true)) { "updated" } else { "unchanged" };
    report::print_line(&format!(
        "AGENTS.md is {state}: {} bullets, {} archived, {} skipped as duplicates, {} below the confidence",
        items(answer, "deltas").count(),
        items(answer, "archived").count(),
        number(answer, "duplicatesSkipped"),
        number(answer, "lowConfidenceSkipped")
    ))?;
    print_left_out(answer);
    print_skipped_lines(answer);
    Ok(())
}

/// Checks that there is an insight for each id that a person forced.
fn check_forced(settings: &Settings, preview: &Value) -> Result<(), CommandError> {
    match items(preview, "skipped").find(|item| text(item, "reason") == "not_found") {
        Some(item) => {
            let hint = format!("run {} ace insights to see the ids", settings.command_line());
            Err(CommandError::new(format!("no insight has the id {}", text(item, "insightId")), hint))
        }
        None => Ok(()),
    }
}

/// Names the insights whose bullets a person, or the budget, took out of the playbook.
fn print_left_out(answer: &Value) {
    const MAX_NAMED: usize = 5;
    let reason = |item: &Value| match text(item, "reason").as_str() {
        "removed_by_person" => Some("a person removed it"),
        "archived" => Some("it was archived"),
        _ => None,
    };
    let left_out: Vec<_> =
        items(answer, "skipped").filter_map(|item| Some((text(item, "bulletId"), reason(item)?))).collect();
    for (id, reason) in left_out.iter().take(MAX_NAMED) {
        report::print_note(&format!("left out: {id}, since {reason} (--force-insight-ids {id} brings it back)"));
    }
    if left_out.len() > MAX_NAMED {
        report::print_note(&format!(
            "further bullets that were left out: {} (--json names them)",
            left_out.len() - MAX_NAMED
        ));
    }
}

fn print_skipped_lines(answer: &Value) {
    let n_lines = number(answer, "linesSkipped");
    if n_lines > 0 {
        report::print_note(&format!("lines of the log that cannot be read, and were skipped: {n_lines}"));
    }
}

fn print_bullets(answer: &Value) -> Result<(), CommandError> {
    let mut table = Table::new("  ", [Column::new("ID", 10), Column::new("VOTES", 8), Column::text("BULLET", 0)]);
    for bullet in items(answer, "bullets") {
        let votes = format!("+{} -{}", number(bullet, "helpful"), number(bullet, "harmful"));
        let content = format!("{}: {}", text(bullet, "section"), text(bullet, "content"));
        table.add([Cell::new(text(bullet, "id"), TextRole::Name), votes.into(), content.into()]);
    }
    table.print()?;
    report::print_note(&format!("bullets: {}", number(answer, "totalMatched")));
    Ok(())
}

fn print_insights(answer: &Value) -> Result<(), CommandError> {
    let mut table = Table::new("  ", [Column::new("ID", 0), Column::new("CONFIDENCE", 0), Column::text("ADVICE", 0)]);
    for insight in items(answer, "insights") {
        let advice = format!("{}: {}", text(insight, "taskId"), text(insight, "recommendation"));
        let confidence = format!("{:.2}", confidence(insight));
        table.add([Cell::new(text(insight, "id"), TextRole::Name), confidence.into(), advice.into()]);
    }
    table.print()?;
    report::print_note(&format!("insights: {}", number(answer, "totalMatched")));
    Ok(())
}

fn print_lessons(answer: &Value) -> Result<(), CommandError> {
    let columns = [
        Column::new("SCORE", 6).right(),
        Column::new("KIND", 7),
        Column::new("ID", 8),
        Column::new("VOTES", 8),
        Column::text("LESSON", 0),
    ];
    let mut table = Table::new("  ", columns);
    for lesson in items(answer, "results") {
        let score = lesson.get("score").and_then(Value::as_f64).unwrap_or_default();
        let state = match lesson.get("helpful") {
            Some(_) => format!("+{} -{}", number(lesson, "helpful"), number(lesson, "harmful")),
            None => format!("{:.2}", confidence(lesson)),
        };
        let id = Cell::new(text(lesson, "id"), TextRole::Name);
        table.add([
            format!("{score:.2}").into(),
            text(lesson, "kind").into(),
            id,
            state.into(),
            text(lesson, "text").into(),
        ]);
    }
    table.print()?;
    report::print_note(&format!("lessons with a word of the query: {}", number(answer, "totalMatched")));
    Ok(())
}

fn print_stats(stats: &Value) -> Result<(), CommandError> {
    let part = |name: &str| stats.get(name).cloned().unwrap_or_default();
    let (bullets, insights, traces) = (part("bullets"), part("insights"), part("traces"));
    let line = |item: &Value, names: &[(&str, &str)]| {
        let parts: Vec<String> = names.iter().map(|(label, name)| format!("{label}{}", number(item, name))).collect();
        parts.join(", ")
    };
    report::print_line(&line(
        &bullets,
        &[("bullets: ", "total"), ("helping ", "helping"), ("harming ", "harming"), ("unused ", "unused")],
    ))?;
    let budget = part("budget");
    report::print_line(&format!(
        "budget: {} of {} lines, {} of {} tokens, archived {}",
        number(&budget, "lines"),
        number(&budget, "maxLines"),
        number(&budget, "tokens"),
        number(&budget, "maxTokens"),
        number(&budget, "archived")
    ))?;
    report::print_line(&line(&insights, &[("insights: ", "total"), ("eligible ", "eligible")]))?;
    report::print_line(&line(
        &traces,
        &[("traces: ", "total"), ("executions ", "executions"), ("failed ", "failedExecutions"), ("errors ", "errors")],
    ))?;
    ace_plot::print(stats)?;
    for pattern in items(&insights, "recurring") {
        report::print_line(&format!("{:>6} times: {}", number(pattern, "occurrences"), text(pattern, "pattern")))?;
    }
    print_skipped_lines(stats);
    Ok(())
}
