//! What a person is told when a service refuses: its words, the cause, which a client never sees, and what mends it.
//!
//! Never: is shown to a client.

use std::io;

use crate::assemble::settings::Settings;
use crate::report::{DENIED, FULL, Failure};
use wardroom_service::ServiceError;

/// What was asked of the services.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    Resource,
    Tool,
    Prompt,
    Package,
    Installation,
}

/// A refusal, as a command fails with it.
pub(super) fn refused(error: ServiceError, settings: &Settings, asked: Asked) -> Failure {
    let command = settings.command();
    let hint = match &error {
        ServiceError::NotFound { uri } => {
            let scheme = uri.split_once("://").map_or("", |(scheme, _)| scheme);
            format!("{command} ls {scheme}:// lists what there is")
        }
        ServiceError::UnknownTool(_) => format!("{command} call lists the tools"),
        ServiceError::UnknownPrompt(_) => format!("{command} prompt lists the prompts"),
        ServiceError::Asks(_) | ServiceError::Lacks(_) => "have an agent do it: a command has nobody to ask".to_owned(),
        ServiceError::Later => "try again".to_owned(),
        ServiceError::TooLarge { .. } => {
            "ask for less where its URI takes parameters, such as ?limit=10: wardroom help mcp lists them".to_owned()
        }
        ServiceError::Internal { cause: None, .. } if asked == Asked::Resource => {
            format!("mend the file that is read there; the AppDir is {}", settings.app_dir.path.display())
        }
        ServiceError::Internal { .. } => settings.doctor(),
        ServiceError::Tool { code: "SESSION_NOT_FOUND", .. } => {
            format!("{command} sessions list shows the runs that wait")
        }
        // Of a resource that a tool was to read.
        ServiceError::Tool { code: "not_found" | "invalid_uri", .. } => listed(&command, Asked::Resource),
        ServiceError::Tool { code: "FETCH_FAILED" | "TIMED_OUT", .. } if asked == Asked::Installation => {
            "look at the address and at the network: git ls-remote says whether the repository can be reached"
                .to_owned()
        }
        ServiceError::Tool { code, .. } => of_code(code).map_or_else(|| listed(&command, asked), str::to_owned),
        ServiceError::Invalid(_) | ServiceError::Protocol { .. } => listed(&command, asked),
    };
    match error {
        ServiceError::Internal { public, cause: Some(cause) } => Failure::of(public, io::Error::other(cause), hint),
        other => Failure::new(other.to_string(), hint),
    }
}

/// What can be asked for.
fn listed(command: &str, asked: Asked) -> String {
    match asked {
        Asked::Resource => format!("{command} ls lists what can be read"),
        Asked::Tool => format!("{command} call lists the tools with their arguments"),
        Asked::Prompt => format!("{command} prompt lists the prompts with their arguments"),
        Asked::Package => format!("{command} pkg list shows the packages that there are"),
        Asked::Installation => "name a folder with an init.lua, or one that such folders are in".to_owned(),
    }
}

/// What mends a failure that is none of the tool's own.
fn of_code(code: &str) -> Option<&'static str> {
    match code {
        "BUSY" => Some("try again"),
        "DISK_FULL" => Some(FULL),
        "NOT_PERMITTED" => Some(DENIED),
        "READ_ONLY" => Some("leave out --read-only"),
        _ => None,
    }
}

/// The name that somebody who typed `name` may have meant.
pub(super) fn alike<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    /// Below that two names have nothing to do with each other.
    const ALIKE: f64 = 0.8;
    let likeness = |known: &str| strsim::jaro_winkler(&name.to_lowercase(), &known.to_lowercase());
    let best = known.map(|known| (known, likeness(known))).max_by(|(_, one), (_, other)| one.total_cmp(other));
    best.filter(|(_, likeness)| *likeness >= ALIKE).map(|(known, _)| known)
}
