//! `wardroom token`: what opens endpoints over HTTP. The configuration has the hash of each; nothing has the token itself.
//!
//! Never: writes a token anywhere but to standard output, once.

use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::args::TokenAction;
use super::edit::edit;
use super::entry;
use crate::assemble::settings::Settings;
use crate::report::{self, Failure};
use wardroom_base::entropy;
use wardroom_base::hex::hex;
use wardroom_config::{Config, TokenConfig, check_name};

/// Where they are in the configuration.
const TOKENS: &[&str] = &["http", "tokens"];

pub(super) fn run(settings: &Settings, action: TokenAction) -> Result<(), Failure> {
    match action {
        TokenAction::New { name, groups } => new(settings, &name, groups),
        TokenAction::List { json } => list(settings, json),
        TokenAction::Remove { name } => remove(settings, &name),
    }
}

fn new(settings: &Settings, name: &str, groups: Vec<String>) -> Result<(), Failure> {
    check_name("token", name)
        .map_err(|error| Failure::of("cannot make the token", error, "choose a name of letters, digits, _ and -"))?;
    let mut secret = [0; 32];
    entropy::fill(&mut secret).map_err(|error| {
        Failure::of(
            "cannot make a token",
            error,
            "the system has no random bytes: look whether it gives some to others",
        )
    })?;
    // Whoever finds one somewhere should see what it is.
    let token = format!("wardroom_{}", hex(&secret));
    let entry = TokenConfig { sha256: hex(&Sha256::digest(&token)), groups };
    let meant = |config: &mut Config| match config.http.tokens.insert(name.to_owned(), entry.clone()) {
        None => Ok(()),
        Some(_) => {
            let hint = format!("{} token remove {name}", settings.command());
            Err(Failure::new(format!("token {name} exists already"), hint))
        }
    };
    edit(settings, meant, |text| {
        let mut pairs = vec![("sha256", entry::string(&entry.sha256))];
        if !entry.groups.is_empty() {
            let groups: Vec<_> = entry.groups.iter().map(|group| entry::string(group)).collect();
            pairs.push(("groups", format!("[{}]", groups.join(", "))));
        }
        entry::add(text, TOKENS, name, &pairs)
    })?;
    report::note(&format!(
        "The token {name}, which is not shown again. Clients send it as `Authorization: Bearer …`; servers that are \
         started from now on ask for it."
    ));
    report::line(&token)
}

fn list(settings: &Settings, as_json: bool) -> Result<(), Failure> {
    let http = &settings.config.http;
    let paths = |name: &str| -> Vec<String> {
        let endpoints = http.endpoints().into_iter();
        endpoints.filter(|endpoint| http.tokens_of(endpoint).contains(&name)).map(|endpoint| endpoint.path).collect()
    };
    if as_json {
        let rows = http
            .tokens
            .iter()
            .map(|(name, token)| json!({"name": name, "groups": token.groups, "endpoints": paths(name)}));
        return report::line(&serde_json::Value::from_iter(rows).to_string());
    }
    for (name, token) in &http.tokens {
        let opens = paths(name).join(" ");
        report::line(format!("{name:<20} {opens:<30} {}", token.groups.join(" ")).trim_end())?;
    }
    Ok(())
}

fn remove(settings: &Settings, name: &str) -> Result<(), Failure> {
    let meant = |config: &mut Config| match config.http.tokens.remove(name) {
        Some(_) => Ok(()),
        None => {
            let hint = format!("{} token list", settings.command());
            Err(Failure::new(format!("no token is called {name}"), hint))
        }
    };
    let is_last = settings.config.http.tokens.keys().eq([name]);
    edit(settings, meant, |text| entry::remove(text, TOKENS, name))?;
    if is_last {
        report::note(
            "no token is left: from their next start servers over HTTP ask for none, and serve this machine alone",
        );
    }
    report::line(&format!("removed {name}"))
}
