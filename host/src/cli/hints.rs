//! Errors of services for people: the service's message, the cause, which a client never sees, and a hint.
//!
//! Never: is shown to a client.

use std::io;

use crate::assemble::settings::Settings;
use crate::report::{CommandError, DISK_FULL_HINT, PERMISSION_DENIED_HINT};
use wardroom_alc::error_code as alc;
use wardroom_resource_tools::error_code as resources;
use wardroom_service::error_code as common;
use wardroom_service::{ServiceError, ToolErrorCode, has_scheme};

/// The kind of request that a service refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestSubject {
    Resource,
    Tool,
    /// A tool that a command calls for a run.
    Run,
    Prompt,
    Package,
    Installation,
}

/// Converts a service's refusal to the error of a command.
pub(super) fn to_command_error(error: ServiceError, settings: &Settings, asked: RequestSubject) -> CommandError {
    let command = settings.command_line();
    let hint = match &error {
        ServiceError::NotFound { uri } | ServiceError::NotFoundSimilar { uri, .. } => {
            let scheme = uri.split_once(':').map_or("", |(scheme, _)| scheme);
            let slashes = if uri.contains("://") { "//" } else { "" };
            format!("run {command} ls {scheme}:{slashes} to list its resources")
        }
        ServiceError::UnknownTool(_) => {
            format!(
                "run {command} call to list the tools, and {command} registry check for what is declared and not offered"
            )
        }
        ServiceError::UnknownPrompt(_) => {
            format!(
                "run {command} prompt to list the prompts, and {command} registry check for what is declared and not offered"
            )
        }
        ServiceError::InputRequired(_) | ServiceError::MissingCapability(_) => {
            "ask an agent to do it: a command cannot answer the server's questions".to_owned()
        }
        ServiceError::TooLarge { .. } => {
            "ask for less if its URI takes parameters, such as ?limit=10: run wardroom help mcp to list them".to_owned()
        }
        ServiceError::Internal { cause: None, .. } if asked == RequestSubject::Resource => {
            format!("fix the file of that resource in the AppDir {}", settings.app_dir.path.display())
        }
        ServiceError::Internal { .. } => settings.doctor_hint(),
        ServiceError::Tool { code: alc::SESSION_NOT_FOUND, .. } => {
            format!("run {command} sessions list to see the runs")
        }
        ServiceError::Tool { code: alc::MISSING_INPUTS, .. } if asked == RequestSubject::Run => {
            "give the task after the name of the strategy, or as task='…' where it begins like NAME=, and each other input as NAME=VALUE"
                .to_owned()
        }
        ServiceError::Tool { code: alc::INVALID, .. } if asked == RequestSubject::Run => {
            "write an input as NAME=VALUE, and a table as NAME='{\"key\": 1}'".to_owned()
        }
        ServiceError::Tool { code: alc::INVALID_NAME, .. } if asked == RequestSubject::Package => {
            "choose another name, such as double_check".to_owned()
        }
        // For a resource that a tool was to read.
        ServiceError::Tool { code: resources::NOT_FOUND | resources::INVALID_URI, .. } => {
            list_hint(&command, RequestSubject::Resource)
        }
        ServiceError::Tool { code: alc::FETCH_FAILED | alc::TIMED_OUT, .. }
            if asked == RequestSubject::Installation =>
        {
            "check the address and the network: run git ls-remote to see whether the repository can be reached"
                .to_owned()
        }
        ServiceError::Tool { code, .. } => code_hint(*code).map_or_else(|| list_hint(&command, asked), str::to_owned),
        ServiceError::Invalid(_) | ServiceError::Protocol { .. } => list_hint(&command, asked),
    };
    match error {
        ServiceError::Internal { public_message: public, cause: Some(cause) } => {
            CommandError::with_cause(public, io::Error::other(cause), hint)
        }
        // The arguments of the tool, which a person does not write.
        ServiceError::Tool { code: alc::MISSING_INPUTS, message, .. } if asked == RequestSubject::Run => {
            CommandError::new(message.replace("strategy_opts.", "").replace("opts.", ""), hint)
        }
        other => CommandError::new(other.to_string(), hint),
    }
}

/// The hint that makes what a URI would be of: the blog, or the learning log. `None` where nothing is missing.
pub(super) fn missing_data_hint(settings: &Settings, schemes: &[String], uri: &str) -> Option<String> {
    let command = settings.command_line();
    let is_missing = |service: &str, scheme: &str| {
        let is_meant = uri == scheme || has_scheme(uri, scheme);
        is_meant && settings.offers(service) && !schemes.iter().any(|known| has_scheme(known, scheme))
    };
    if is_missing("blog", "bds") {
        Some(format!("there is no blog: run {command} blog init to make one"))
    } else if is_missing("ace", "ace") {
        Some(format!("there is no learning log: run {command} ace init in the folder of the project to make one"))
    } else {
        None
    }
}

/// The hint that lists valid names.
fn list_hint(command: &str, asked: RequestSubject) -> String {
    match asked {
        RequestSubject::Resource => format!("run {command} ls to list the resources"),
        RequestSubject::Tool => format!("run {command} call to list the tools with their arguments"),
        RequestSubject::Prompt => format!("run {command} prompt to list the prompts with their arguments"),
        RequestSubject::Package | RequestSubject::Run => format!("run {command} pkg list to see the packages"),
        RequestSubject::Installation => "name a folder with an init.lua, or a folder of such folders".to_owned(),
    }
}

/// The hint for error codes that are not a tool's own.
fn code_hint(code: ToolErrorCode) -> Option<&'static str> {
    match code {
        common::BUSY => Some("try again"),
        common::DISK_FULL => Some(DISK_FULL_HINT),
        common::NOT_PERMITTED => Some(PERMISSION_DENIED_HINT),
        common::READ_ONLY => Some("leave out --read-only, or check how that disk is mounted"),
        alc::NOT_REPLACED => Some("--force does it all the same"),
        alc::STORE => Some("correct the disk or the folder that the message names, and try again"),
        _ => None,
    }
}
