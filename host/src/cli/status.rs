//! `wardroom status`: the servers on the AppDir.

use serde_json::{Value, json};

use super::servers;
use crate::assemble;
use crate::assemble::settings::Settings;
use crate::report::{self, CommandError};
use wardroom_base::byte_size::ByteSize;

pub(super) fn run(settings: &Settings, as_json: bool) -> Result<(), CommandError> {
    let app = assemble::open_app_dir(settings)?;
    let servers = servers::list_servers(&app);
    let servers =
        servers.map_err(|error| CommandError::with_cause("cannot list the servers", error, settings.doctor_hint()))?;
    let mut rows = Vec::new();
    for server in servers {
        for listens in server.json.get("listens").and_then(Value::as_array).into_iter().flatten() {
            let of = |name: &str| listens.get(name).cloned().unwrap_or_default();
            rows.push(json!({
                "process": server.json.get("process"),
                "transport": of("transport"),
                "host": of("host"),
                "port": of("port"),
                "socket": of("socket"),
                "paths": of("paths"),
                "started": server.json.get("started"),
                "running": server.is_running,
                "memory": server.memory,
                "refused_tokens": server.refused_tokens,
            }));
        }
    }
    if as_json {
        return report::print_json(&Value::from(rows));
    }
    if rows.is_empty() {
        report::print_note("no server runs");
    }
    rows.iter().try_for_each(print_server)
}

fn print_server(row: &Value) -> Result<(), CommandError> {
    let text = |name: &str| match row.get(name) {
        Some(Value::String(text)) => text.clone(),
        None | Some(Value::Null) => String::new(),
        Some(value) => value.to_string(),
    };
    let paths = row.get("paths").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let place = match text("transport").as_str() {
        "http" if text("host").contains(':') => format!("http://[{}]:{}", text("host"), text("port")),
        "http" => format!("http://{}:{}", text("host"), text("port")),
        _ => text("socket"),
    };
    let state = if row.get("running") == Some(&Value::Bool(true)) { "running" } else { "not running" };
    let paths = paths.map(report::escape_name).collect::<Vec<_>>().join(" ");
    let line = format!(
        "{:>8}  {:<5}  {state:<11}  {} {paths}",
        report::escape_name(&text("process")),
        report::escape_name(&text("transport")),
        report::escape_name(&place)
    );
    report::print_line(line.trim_end())?;
    if row.get("running") != Some(&Value::Bool(true)) {
        return Ok(());
    }
    if let Some(refused) = row.get("refused_tokens").and_then(Value::as_u64).filter(|refused| *refused > 0) {
        let requests = if refused == 1 { "request" } else { "requests" };
        report::print_line(&format!("          refused {refused} {requests} with a token that opens no endpoint"))?;
    }
    let figure = |path: &str| row.pointer(path).and_then(Value::as_u64).map(ByteSize);
    let Some((used, limit)) = figure("/memory/used").zip(figure("/memory/limit")) else { return Ok(()) };
    let peak = figure("/memory/peak").unwrap_or(used);
    let workers = figure("/memory/workers/used").zip(figure("/memory/workers/limit"));
    let workers = workers.map_or_else(String::new, |(used, limit)| format!(", scripts {used} of {limit}"));
    report::print_line(&format!("          memory {used} of {limit}, {peak} at most so far{workers}"))
}
