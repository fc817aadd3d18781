//! Two tools that edit the entry for this server in the configuration files of agents. They exist only where the
//! operator enabled them, and change nothing without the consent of the client's user.
//!
//! Owns: `install_agent_config` and `uninstall_agent_config`, and the consent request before them.
//! Never: opens a file (a helper process does), takes a client's word for its user's, or shows a client more of a file
//! than our entry.

mod args;
pub mod error_code;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use self::args::{AgentArguments, AgentConfigOutput, AgentFileOutput};
use crate::error_code as code;
use wardroom_agents::{
    AGENTS, AgentEditRequest, AgentFileReport, AgentHelper, EditOutcome, EntryAction, ServerName, find_agent,
};
use wardroom_base::hex::encode_hex;
use wardroom_base::payload::Payload;
use wardroom_base::random;
use wardroom_service::{
    BuiltInTool, Caller, ClientCapability, Cost, Elicitation, EntryExtras, InputMode, InputRequest, InputRequestKind,
    InputRequired, RequestInfo, ResolvedTool, Service, ServiceError, ToolBehavior, ToolEntry, ToolOutput, ToolProvider,
    Transport, Work, entries_after,
};

const INSTALL_TOOL: &str = "install_agent_config";
const UNINSTALL_TOOL: &str = "uninstall_agent_config";
/// The key of the consent request and of its one field.
const CONFIRMATION_KEY: &str = "write";

/// The service `agents`. Without a helper it has no tools: commands that a person runs have none.
pub struct AgentsService {
    /// The helper process, and the command that a person types to start this server.
    helper: Option<(AgentHelper, String)>,
    /// The consent requests that ended a call, by continuation token: each is answered once.
    pending_consents: Mutex<BTreeMap<String, ConsentPrompt>>,
}

/// A change that needs the consent of a person.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ConsentPrompt {
    message: String,
    /// The digest of each file when the request was made, by path.
    file_contents: BTreeMap<String, String>,
}

/// Consent requests that wait for a response. The oldest are dropped first, and repeated when their call is.
const MAX_PENDING_CONSENTS: usize = 32;

impl AgentsService {
    #[must_use]
    pub fn new(helper: Option<(AgentHelper, String)>) -> Self {
        Self { helper, pending_consents: Mutex::default() }
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
                    output_schema: Some(args::share_schema(args::output_schema::<AgentConfigOutput>())),
                    annotations: hints.into(),
                    extra: EntryExtras::default(),
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
            self.helper.as_ref().ok_or_else(|| ServiceError::UnknownTool(INSTALL_TOOL.to_owned()))?;
        let request = build_request(of, action)?;
        let reports = run_helper(helper, &request)?;
        let changes: Vec<&AgentFileReport> =
            reports.iter().filter(|report| report.outcome == EditOutcome::Changed).collect();
        if changes.is_empty() {
            return build_output(of, action, &reports, false);
        }
        let files = changes.iter().map(|report| (report.file.clone(), report.digest.clone())).collect();
        let prompt = ConsentPrompt { message: consent_message(&request, &changes), file_contents: files };
        if !self.confirm_with_user(info, &prompt, &equivalent_command(command, &request))? {
            return Err(ServiceError::tool(code::DECLINED, "the user did not agree; nothing was written"));
        }
        let reports = run_helper(helper, &AgentEditRequest { agreed_digests: prompt.file_contents, ..request })?;
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
    let gone = "the process that edits files of agents does not answer: restart the server, or run `wardroom agents`";
    helper.request(request).map_err(|error| ServiceError::internal(gone, error))
}

impl AgentsService {
    /// Requests the person's consent, inline or by ending the call.
    fn confirm_with_user(
        &self,
        info: &RequestInfo,
        prompt: &ConsentPrompt,
        by_hand: &str,
    ) -> Result<bool, ServiceError> {
        let refused = |why: &str| ServiceError::tool(code::NOT_ASKED, format!("{why}: have the user run `{by_hand}`"));
        let never = || refused("this needs the user's agreement, and this client cannot ask its user");
        let client = info.client.as_deref().ok_or_else(never)?;
        let schema = json!({
            "type": "object",
            "properties": {CONFIRMATION_KEY: {"type": "boolean", "title": "Write it", "default": false}},
            "required": [CONFIRMATION_KEY],
        });
        let form = Elicitation::Form { message: prompt.message.clone(), schema: Payload::from_value(schema) };
        let ask = InputRequest { key: CONFIRMATION_KEY.to_owned(), kind: InputRequestKind::Elicit(form) };
        let answer = match client.input_mode(ClientCapability::FormElicitation) {
            InputMode::Unsupported => return Err(never()),
            InputMode::Inline => {
                client.validate_request(&ask).map_err(|why| refused(&why))?;
                let answers = client.request_input(&[ask]).map_err(|why| refused(&why))?;
                answers.into_iter().next()
            }
            InputMode::Deferred => {
                // A response counts only for exactly what was shown, with the files unchanged, and only once.
                let before = client
                    .client_responses()
                    .and_then(|responses| self.lock_pending_consents().remove(&responses.continuation_token));
                let answer = client.client_responses().filter(|_| before.as_ref() == Some(prompt));
                let answer = answer.and_then(|responses| responses.responses.get(CONFIRMATION_KEY)).cloned();
                if answer.is_none() {
                    let handle = self.remember_consent(prompt.clone())?;
                    return Err(ServiceError::InputRequired(Box::new(InputRequired {
                        requests: vec![ask],
                        continuation_token: handle,
                        may_repeat: false,
                    })));
                }
                answer
            }
        };
        let answer = answer.map(Payload::into_value).unwrap_or_default();
        let is_accepted = answer.get("action").and_then(Value::as_str) == Some("accept");
        Ok(is_accepted && answer.pointer("/content/write") == Some(&Value::Bool(true)))
    }

    /// Stores a consent request under a new token that cannot be guessed.
    fn remember_consent(&self, prompt: ConsentPrompt) -> Result<String, ServiceError> {
        let mut random = [0; 24];
        random::fill(&mut random).map_err(|error| ServiceError::internal("the system gives no random bytes", error))?;
        let (time, random) = random.split_at_mut(8);
        // Tokens sort in the order of their requests.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        time.copy_from_slice(&u64::try_from(now).unwrap_or(u64::MAX).to_be_bytes());
        let handle = encode_hex(time.iter().chain(random.iter()));
        let mut pending = self.lock_pending_consents();
        pending.insert(handle.clone(), prompt);
        while pending.len() > MAX_PENDING_CONSENTS {
            pending.pop_first();
        }
        Ok(handle)
    }

    fn lock_pending_consents(&self) -> MutexGuard<'_, BTreeMap<String, ConsentPrompt>> {
        self.pending_consents.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
