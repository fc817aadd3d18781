//! Two tools that edit the entry for this server in the configuration files of agents. They exist only where the
//! operator enabled them, and change nothing without the consent of the client's user.
//!
//! Owns: `install_agent_config` and `uninstall_agent_config`, and what is shown before them.
//! Never: opens a file (a helper process does), takes a client's word for its user's, or shows a client more of a file
//! than our entry.

mod args;
pub mod error_code;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use sha2::{Digest as _, Sha256};

use self::args::{AgentArguments, AgentConfigOutput, AgentFileOutput};
use crate::error_code as code;
use wardroom_agents::{
    AGENTS, AgentEditRequest, AgentFileReport, AgentHelper, EditOutcome, EntryAction, HelperError, ServerName,
    find_agent,
};
use wardroom_base::hex::encode_hex;
use wardroom_service::schema::OutputSchema;
use wardroom_service::{
    BuiltInTool, Caller, ConsentError, ConsentRequest, Cost, EntryExtras, RequestInfo, ResolvedTool, Service,
    ServiceError, ToolBehavior, ToolEntry, ToolOutput, ToolProvider, Transport, UnknownName, Work, entries_after,
    request_consent,
};

const INSTALL_TOOL: &str = "install_agent_config";
const UNINSTALL_TOOL: &str = "uninstall_agent_config";
/// The key of the consent request and of its one field.
const CONFIRMATION_KEY: &str = "write";

/// The service `agents`. Without a helper it has no tools: commands that a person runs have none.
pub struct AgentsService {
    /// The helper process, and the command that a person types to start this server.
    helper: Option<(AgentHelper, String)>,
}

impl AgentsService {
    #[must_use]
    pub fn new(helper: Option<(AgentHelper, String)>) -> Self {
        Self { helper }
    }

    /// Returns the tools, as they are listed where they are offered.
    #[must_use]
    pub fn tool_entries() -> Vec<Arc<ToolEntry>> {
        static ENTRIES: LazyLock<Vec<Arc<ToolEntry>>> = LazyLock::new(|| {
            let tool = |name: &'static str, title: &'static str, description: &'static str, hints: ToolBehavior| {
                Arc::new(ToolEntry {
                    name: name.into(),
                    title: Some(title.into()),
                    description: Some(description.into()),
                    input_schema: args::share_schema(args::input_schema::<AgentArguments>()),
                    output_schema: Some(OutputSchema::new(args::output_schema::<AgentConfigOutput>())),
                    annotations: hints.into(),
                    extra: EntryExtras::default(),
                    is_on_demand: false,
                })
            };
            vec![
                tool(
                    INSTALL_TOOL,
                    "Connect an agent",
                    "Writes the entry for this server into another agent's configuration file, after asking the user. \
                     Everything else in that file stays as it is.",
                    ToolBehavior::IDEMPOTENT,
                ),
                tool(
                    UNINSTALL_TOOL,
                    "Disconnect an agent",
                    "Removes the entry for this server from another agent's configuration file, after asking the user.",
                    ToolBehavior { is_idempotent: true, ..ToolBehavior::DESTRUCTIVE },
                ),
            ]
        });
        ENTRIES.clone()
    }

    /// Whether the caller gets the tools: only the agent that started this process certainly has its user at this
    /// machine.
    fn is_offered(&self, caller: &Caller) -> bool {
        self.helper.is_some() && caller.transport == Transport::Stdio
    }
}

impl Service for AgentsService {
    fn name(&self) -> &'static str {
        "agents"
    }

    fn instructions(&self) -> &'static str {
        "install_agent_config connects another agent on this machine to this server, after the user agrees."
    }

    fn tools(self: Arc<Self>) -> Option<Arc<dyn ToolProvider>> {
        Some(self)
    }
}

impl ToolProvider for AgentsService {
    fn list(&self, mark: Option<&str>, limit: usize, caller: &Caller) -> Vec<Arc<ToolEntry>> {
        let entries = if self.is_offered(caller) { Self::tool_entries() } else { Vec::new() };
        entries_after(entries, mark, limit, |entry| &entry.name)
    }

    fn resolve(self: Arc<Self>, name: &str, caller: &Arc<Caller>) -> Option<Arc<dyn ResolvedTool>> {
        let entry = self.is_offered(caller).then(Self::tool_entries)?.into_iter().find(|entry| entry.name == name)?;
        let action = if name == INSTALL_TOOL { EntryAction::Install } else { EntryAction::Uninstall };
        Some(BuiltInTool::new(entry, move |arguments| {
            let service = Arc::clone(&self);
            Work::new(Cost::Worker, move |info| service.edit_entry(action, &args::parse_arguments(arguments)?, info))
        }))
    }
}

impl AgentsService {
    fn edit_entry(
        &self,
        action: EntryAction,
        of: &AgentArguments,
        info: &RequestInfo,
    ) -> Result<ToolOutput, ServiceError> {
        let (helper, command) =
            self.helper.as_ref().ok_or_else(|| ServiceError::UnknownTool(UnknownName::new(INSTALL_TOOL)))?;
        let request = build_request(of, action)?;
        let reports = run_helper(helper, &request)?;
        let changes: Vec<&AgentFileReport> =
            reports.iter().filter(|report| report.outcome == EditOutcome::Changed).collect();
        if changes.is_empty() {
            return build_output(of, action, &reports, false);
        }
        let files = changes.iter().map(|report| (report.file.clone(), report.digest.clone())).collect();
        let message = consent_message(&request, &changes);
        let digest = consent_digest(&message, &files);
        let consent = ConsentRequest { key: CONFIRMATION_KEY, title: "Write it", message: &message, digest: &digest };
        match request_consent(info, &consent) {
            Ok(true) => {}
            Ok(false) => return Err(ServiceError::tool(code::DECLINED, "the user did not agree; nothing was written")),
            Err(ConsentError::CannotAsk(why)) => {
                let by_hand = equivalent_command(command, &request);
                let message = format!("this needs the user's agreement, and {why}: have the user run `{by_hand}`");
                return Err(ServiceError::tool(code::NOT_ASKED, message));
            }
            Err(ConsentError::Deferred(error)) => return Err(error),
        }
        let reports = run_helper(helper, &AgentEditRequest { agreed_digests: files, ..request })?;
        let is_changed = reports.iter().any(|report| report.outcome == EditOutcome::Changed);
        build_output(of, action, &reports, is_changed)
    }
}

fn build_request(of: &AgentArguments, action: EntryAction) -> Result<AgentEditRequest, ServiceError> {
    if find_agent(&of.agent).is_none() {
        let known: Vec<&str> = AGENTS.iter().map(|agent| agent.id).collect();
        return Err(ServiceError::tool(code::UNKNOWN_AGENT, format!("unknown agent; use one of {}", known.join(", "))));
    }
    let name = of.name.as_deref().unwrap_or("wardroom");
    ServerName::parse(name).map_err(|rule| ServiceError::tool(code::INVALID_NAME, rule))?;
    Ok(AgentEditRequest { agent: of.agent.clone(), name: name.to_owned(), action, agreed_digests: BTreeMap::new() })
}

fn run_helper(helper: &AgentHelper, request: &AgentEditRequest) -> Result<Vec<AgentFileReport>, ServiceError> {
    let process = "the process that edits files of agents";
    helper.request(request).map_err(|error| match error {
        HelperError::Late(_) | HelperError::Busy => {
            ServiceError::tool(code::BUSY, format!("{process} does not answer now: look at the files, and try again"))
        }
        error => {
            let message = format!("{process} has ended: restart the server, or run `wardroom agents`");
            ServiceError::internal(message, error)
        }
    })
}

/// Returns the digest of what a person is shown, and of the files that it is about.
fn consent_digest(message: &str, files: &BTreeMap<String, String>) -> String {
    let mut hash = Sha256::new();
    for part in files.iter().flat_map(|(path, digest)| [path.as_str(), digest]).chain([message]) {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    encode_hex(&hash.finalize())
}

/// Returns the command that does the same.
fn equivalent_command(command: &str, request: &AgentEditRequest) -> String {
    let verb = match request.action {
        EntryAction::Install => "install",
        EntryAction::Uninstall => "uninstall",
    };
    format!("{command} agents {verb} {} --name {}", request.agent, request.name)
}

/// Returns the text of the consent request. Equal entries appear once, with all their files.
fn consent_message(request: &AgentEditRequest, changes: &[&AgentFileReport]) -> String {
    let mut alike: Vec<(String, Vec<String>)> = Vec::new();
    for report in changes {
        let details = match (request.action, &report.before) {
            (EntryAction::Install, None) => report.entry.clone(),
            (EntryAction::Install, Some(before)) => format!("{}\n\nThe existing entry starts {before}.", report.entry),
            (EntryAction::Uninstall, None) => String::new(),
            (EntryAction::Uninstall, Some(before)) => format!("It starts {before}."),
        };
        let file = format!("{} ({})", report.title, report.file);
        match alike.iter_mut().find(|(known, _)| *known == details) {
            Some((_, files)) => files.push(file),
            None => alike.push((details, vec![file])),
        }
    }
    let parts = alike.into_iter().map(|(details, files)| {
        let files = files.join(", ");
        let what = match request.action {
            EntryAction::Install => format!("Write the entry `{}` for this server into {files}?", request.name),
            EntryAction::Uninstall => format!("Remove the entry `{}` from {files}?", request.name),
        };
        format!("{what}\n\n{details}").trim_end().to_owned()
    });
    parts.collect::<Vec<_>>().join("\n\n")
}

fn build_output(
    of: &AgentArguments,
    action: EntryAction,
    reports: &[AgentFileReport],
    is_changed: bool,
) -> Result<ToolOutput, ServiceError> {
    let refusals: Vec<String> = reports
        .iter()
        .filter_map(|report| match &report.outcome {
            EditOutcome::Refused(reason) => Some(format!("{}: {reason}", report.title)),
            EditOutcome::Unchanged | EditOutcome::Changed => None,
        })
        .collect();
    if !is_changed && !refusals.is_empty() {
        return Err(ServiceError::tool(code::NOT_WRITTEN, refusals.join("; ")));
    }
    let file = |report: &AgentFileReport| {
        let (state, reason) = match &report.outcome {
            EditOutcome::Unchanged => ("unchanged", None),
            EditOutcome::Changed => ("written", None),
            EditOutcome::Refused(reason) => ("refused", Some(reason.clone())),
        };
        AgentFileOutput { title: report.title.clone(), state: state.to_owned(), reason }
    };
    let is_new = is_changed && action == EntryAction::Install;
    let afterwards = find_agent(&of.agent).filter(|_| is_new).map(|agent| agent.activation_hint.to_owned());
    let files = reports.iter().map(file).collect();
    args::serialize_output(&AgentConfigOutput { agent: of.agent.clone(), changed: is_changed, files, afterwards })
        .map(ToolOutput::from)
}
