//! Errors of services for people: the service's message, the cause, which a client never sees, and a hint.
//!
//! Never: is shown to a client.

use std::io;

use crate::assemble::settings::Settings;
use crate::report::{CommandError, DISK_FULL_HINT, PERMISSION_DENIED_HINT};
use wardroom_alc::error_code as alc;
use wardroom_resource_tools::error_code as resources;
use wardroom_service::ServiceError;
use wardroom_service::ToolErrorCode;
use wardroom_service::error_code as common;

/// The kind of request that a service refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestSubject {
    Resource,
    Tool,
    Prompt,
    Package,
    Installation,
}

/// Converts a service's refusal to the error of a command.
pub(super) fn to_command_error(error: ServiceError, settings: &Settings, asked: RequestSubject) -> CommandError {
    let command = settings.command_line();
    let hint = match &error {
        ServiceError::NotFound { uri } => {
            let scheme = uri.split_once("://").map_or("", |(scheme, _)| scheme);
            format!("{command} ls {scheme}:// lists what there is")
        }
        ServiceError::UnknownTool(_) => format!("{command} call lists the tools"),
        ServiceError::UnknownPrompt(_) => format!("{command} prompt lists the prompts"),
        ServiceError::InputRequired(_) | ServiceError::MissingCapability(_) => {
            "have an agent do it: a command has nobody to ask".to_owned()
        }
        ServiceError::TooLarge { .. } => {
            "ask for less where its URI takes parameters, such as ?limit=10: wardroom help mcp lists them".to_owned()
        }
        ServiceError::Internal { cause: None, .. } if asked == RequestSubject::Resource => {
            format!("mend the file that is read there; the AppDir is {}", settings.app_dir.path.display())
        }
        ServiceError::Internal { .. } => settings.doctor_hint(),
        ServiceError::Tool { code: alc::SESSION_NOT_FOUND, .. } => {
            format!("{command} sessions list shows the runs that wait")
        }
        // For a resource that a tool was to read.
        ServiceError::Tool { code: resources::NOT_FOUND | resources::INVALID_URI, .. } => {
            list_hint(&command, RequestSubject::Resource)
        }
        ServiceError::Tool { code: alc::FETCH_FAILED | alc::TIMED_OUT, .. }
            if asked == RequestSubject::Installation =>
        {
            "look at the address and at the network: git ls-remote says whether the repository can be reached"
                .to_owned()
        }
        ServiceError::Tool { code, .. } => code_hint(*code).map_or_else(|| list_hint(&command, asked), str::to_owned),
        ServiceError::Invalid(_) | ServiceError::Protocol { .. } => list_hint(&command, asked),
    };
    match error {
        ServiceError::Internal { public_message: public, cause: Some(cause) } => {
            CommandError::with_cause(public, io::Error::other(cause), hint)
        }
        other => CommandError::new(other.to_string(), hint),
    }
}

/// The hint that lists valid names.
fn list_hint(command: &str, asked: RequestSubject) -> String {
    match asked {
        RequestSubject::Resource => format!("{command} ls lists what can be read"),
        RequestSubject::Tool => format!("{command} call lists the tools with their arguments"),
        RequestSubject::Prompt => format!("{command} prompt lists the prompts with their arguments"),
        RequestSubject::Package => format!("{command} pkg list shows the packages that there are"),
        RequestSubject::Installation => "name a folder with an init.lua, or one that such folders are in".to_owned(),
    }
}

/// The hint for error codes that are not a tool's own.
fn code_hint(code: ToolErrorCode) -> Option<&'static str> {
    match code {
        common::BUSY => Some("try again"),
        common::DISK_FULL => Some(DISK_FULL_HINT),
        common::NOT_PERMITTED => Some(PERMISSION_DENIED_HINT),
        common::READ_ONLY => Some("leave out --read-only"),
        _ => None,
    }
}

/// The known name that is most similar to `name`.
pub(super) fn closest_match<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    /// Below this similarity two names are unrelated.
    const MIN_SIMILARITY: f64 = 0.8;
    let likeness = |known: &str| strsim::jaro_winkler(&name.to_lowercase(), &known.to_lowercase());
    let best = known.map(|known| (known, likeness(known))).max_by(|(_, one), (_, other)| one.total_cmp(other));
    best.filter(|(_, likeness)| *likeness >= MIN_SIMILARITY).map(|(known, _)| known)
}
