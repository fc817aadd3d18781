//! `wardroom token`: bearer tokens of HTTP endpoints. The configuration stores only their hashes.
//!
//! Never: writes a token anywhere but to standard output, once.

use std::cell::OnceCell;

use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::args::TokenAction;
use super::audit;
use super::config_edit::edit_config;
use super::toml_entry;
use crate::assemble::settings::Settings;
use crate::report::{self, Cell, Column, CommandError, Table, TextRole};
use wardroom_base::hex::encode_hex;
use wardroom_base::random;
use wardroom_config::{Config, TokenConfig, check_config_name};
use wardroom_service::audit::{AuditAction, AuditEvent};

/// The table of tokens in the configuration.
const TOKENS_TABLE: &[&str] = &["http", "tokens"];

pub(super) fn run(settings: &Settings, action: TokenAction) -> Result<(), CommandError> {
    if settings.read_only && !matches!(action, TokenAction::List { .. }) {
        let what = "token writes to the configuration, which --read-only forbids";
        return Err(CommandError::new(what, "leave out --read-only"));
    }
    match action {
        TokenAction::New { name, groups, replace } => create_token(settings, &name, groups, replace),
        TokenAction::List { json } => list_tokens(settings, json),
        TokenAction::Remove { name } => remove_token(settings, &name),
    }
}

/// `groups` are those of the token before, if none is given and it is replaced.
fn create_token(settings: &Settings, name: &str, groups: Vec<String>, replaces: bool) -> Result<(), CommandError> {
    check_config_name("token", name).map_err(|error| {
        CommandError::with_cause("cannot create the token", error, "choose a name of letters, digits, _ and -")
    })?;
    let mut secret = [0; 32];
    random::fill(&mut secret).map_err(|error| {
        CommandError::with_cause("cannot create a token", error, "check the random number generator of the system")
    })?;
    // The prefix identifies a leaked token.
    let token = format!("wardroom_{}", encode_hex(&secret));
    let command = settings.command_line();
    let created = OnceCell::new();
    let update = |config: &mut Config| {
        let before = config.http.tokens.get(name);
        match (before, replaces) {
            (Some(_), false) => {
                let hint = format!("choose another name, or run {command} token new {name} --replace");
                return Err(CommandError::new(format!("token {name} exists already"), hint));
            }
            (None, true) => return Err(unknown_token(settings, name)),
            _ => {}
        }
        let kept = before.filter(|_| groups.is_empty()).map(|before| before.groups.clone());
        let entry = TokenConfig { sha256: encode_hex(&Sha256::digest(&token)), groups: kept.unwrap_or(groups) };
        config.http.tokens.insert(name.to_owned(), created.get_or_init(|| entry).clone());
        Ok(())
    };
    edit_config(settings, update, |text| {
        let entry = created.get()?;
        let mut pairs = vec![("sha256", toml_entry::toml_string(&entry.sha256))];
        if !entry.groups.is_empty() {
            let groups: Vec<_> = entry.groups.iter().map(|group| toml_entry::toml_string(group)).collect();
            pairs.push(("groups", format!("[{}]", groups.join(", "))));
        }
        if !replaces {
            return toml_entry::add_entry(text, TOKENS_TABLE, name, &pairs);
        }
        // Comments stay where the values have places.
        toml_entry::set_values(text, TOKENS_TABLE, name, &pairs).or_else(|| {
            let text = toml_entry::remove_entry(text, TOKENS_TABLE, name)?;
            toml_entry::add_entry(&text, TOKENS_TABLE, name, &pairs)
        })
    })?;
    if replaces {
        audit_token(settings, AuditAction::TokenRemoved, name, None);
    }
    let to_digest = |entry: &TokenConfig| Sha256::digest(format!("{} {}", entry.sha256, entry.groups.join(","))).into();
    audit_token(settings, AuditAction::TokenCreated, name, created.get().map(to_digest));
    let before = if replaces { " The one before is refused from now on." } else { "" };
    report::print_note(&format!(
        "This is the token {name}; it is not shown again. Clients send it as `Authorization: Bearer …`, and servers \
         over HTTP, also those that run, require one of the tokens.{before}"
    ));
    report::print_line(&token).map_err(|error| {
        let hint = format!("run {command} token new {name} --replace");
        CommandError::new(format!("the token {name} was created and could not be shown: {error}"), hint)
    })
}

fn list_tokens(settings: &Settings, as_json: bool) -> Result<(), CommandError> {
    let http = &settings.config.http;
    let paths = |name: &str| -> Vec<String> {
        let endpoints = http.endpoints().into_iter();
        endpoints.filter(|endpoint| http.tokens_for(endpoint).contains(&name)).map(|endpoint| endpoint.path).collect()
    };
    if as_json {
        let rows = http
            .tokens
            .iter()
            .map(|(name, token)| json!({"name": name, "groups": token.groups, "endpoints": paths(name)}));
        return report::print_json(&serde_json::Value::from_iter(rows));
    }
    let mut table = Table::new(" ", [Column::new("NAME", 20), Column::new("ENDPOINTS", 30), Column::text("GROUPS", 0)]);
    for (name, token) in &http.tokens {
        table.add([Cell::new(name, TextRole::Name), paths(name).join(" ").into(), token.groups.join(" ").into()]);
    }
    table.print()
}

fn remove_token(settings: &Settings, name: &str) -> Result<(), CommandError> {
    let update = |config: &mut Config| match config.http.tokens.remove(name) {
        Some(_) => Ok(()),
        None => Err(unknown_token(settings, name)),
    };
    let is_last = settings.config.http.tokens.keys().eq([name]);
    edit_config(settings, update, |text| toml_entry::remove_entry(text, TOKENS_TABLE, name))?;
    audit_token(settings, AuditAction::TokenRemoved, name, None);
    if is_last {
        report::print_note(
            "no token is left: servers over HTTP that run refuse every request at endpoints that required one; after their \
             next start they require none, and serve this machine only",
        );
    }
    report::print_line(&format!("removed {name}"))
}

fn unknown_token(settings: &Settings, name: &str) -> CommandError {
    let hint = format!("run {} token list to see the tokens", settings.command_line());
    CommandError::new(format!("no token is called {name}"), hint)
}

fn audit_token(settings: &Settings, action: AuditAction, name: &str, digest: Option<[u8; 32]>) {
    audit::record(settings, &AuditEvent { action, subject: name, digest, outcome: "ok" });
}
