//! The entry for this server in the files of agents, as two tools. They are there only where the operator said so, and do
//! nothing that the person behind the client did not agree to.
//!
//! Owns: `install_agent_config` and `uninstall_agent_config`, and the question before them.
//! Never: opens a file (a helper does), takes a client's word for its user's, or shows a client more of a file than our entry.

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
    CallContext, ClientCapability, Elicitation, EntryExtras, InputMode, InputRequest, InputRequestKind, InputRequired,
    Service, ServiceError, ToolBehavior, ToolEntry, ToolOutput, Transport,
};

const INSTALL_TOOL: &str = "install_agent_config";
const UNINSTALL_TOOL: &str = "uninstall_agent_config";
/// What the question and its one field are called.
const CONFIRMATION_KEY: &str = "write";

/// Without a helper there are no tools: commands of a person have none.
pub struct AgentsService {
    /// With what a person types to start this server.
    helper: Option<(AgentHelper, String)>,
    /// What was asked by ending a call, by the name that it was given: each is answered once.
    pending_consents: Mutex<BTreeMap<String, ConsentPrompt>>,
}

/// What a person agrees to.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ConsentPrompt {
    message: String,
    /// The files, each as it was.
    file_contents: BTreeMap<String, String>,
}

/// Questions that wait for their answers. The oldest ones are forgotten first, and asked again.
const MAX_PENDING_CONSENTS: usize = 32;

impl AgentsService {
    #[must_use]
    pub fn new(helper: Option<(AgentHelper, String)>) -> Self {
        Self { helper, pending_consents: Mutex::default() }
    }

    /// The tools, where they are offered.
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

    /// Only the agent that started this process has its user at this machine for certain.
    fn is_offered(&self, context: &CallContext) -> bool {
        self.helper.is_some() && context.caller.transport == Transport::Stdio
    }
}

impl Service for AgentsService {
    fn name(&self) -> &'static str {
        "agents"
    }

    fn instructions(&self) -> &'static str {
        "install_agent_config connects another agent on this machine to this server, after its user agreed."
    }

    fn tools(&self, context: &CallContext) -> Result<Vec<Arc<ToolEntry>>, ServiceError> {
        Ok(if self.is_offered(context) { Self::tool_entries() } else { Vec::new() })
    }

    fn has_tool(&self, name: &str, context: &CallContext) -> bool {
        self.is_offered(context) && matches!(name, INSTALL_TOOL | UNINSTALL_TOOL)
    }

    fn call(&self, tool: &str, arguments: Payload, context: &CallContext) -> Result<ToolOutput, ServiceError> {
        let unknown = || ServiceError::UnknownTool(tool.to_owned());
        let (wish, (helper, command)) = match (tool, &self.helper) {
            (INSTALL_TOOL, Some(helper)) if self.is_offered(context) => (EntryAction::Install, helper),
            (UNINSTALL_TOOL, Some(helper)) if self.is_offered(context) => (EntryAction::Uninstall, helper),
            _ => return Err(unknown()),
        };
        let of: AgentArguments = args::parse_arguments(arguments)?;
        context.require_full()?;
        let request = build_request(&of, wish)?;
        let reports = run_helper(helper, &request)?;
        let changes: Vec<&AgentFileReport> =
            reports.iter().filter(|report| report.outcome == EditOutcome::Changed).collect();
        if changes.is_empty() {
            return build_output(&of, wish, &reports, false);
        }
        let files = changes.iter().map(|report| (report.file.clone(), report.digest.clone())).collect();
        let shown = ConsentPrompt { message: consent_message(&request, &changes), file_contents: files };
        if !self.confirm_with_user(context, &shown, &equivalent_command(command, &request))? {
            return Err(ServiceError::tool(code::DECLINED, "the user did not agree; nothing was written"));
        }
        let reports = run_helper(helper, &AgentEditRequest { agreed_digests: shown.file_contents, ..request })?;
        let is_changed = reports.iter().any(|report| report.outcome == EditOutcome::Changed);
        build_output(&of, wish, &reports, is_changed)
    }
}

fn build_request(of: &AgentArguments, wish: EntryAction) -> Result<AgentEditRequest, ServiceError> {
    if find_agent(&of.agent).is_none() {
        let known: Vec<&str> = AGENTS.iter().map(|agent| agent.id).collect();
        return Err(ServiceError::tool(code::UNKNOWN_AGENT, format!("the agents are: {}", known.join(", "))));
    }
    let name = of.name.as_deref().unwrap_or("wardroom");
    ServerName::parse(name).map_err(|rule| ServiceError::tool(code::INVALID_NAME, rule))?;
    Ok(AgentEditRequest {
        agent: of.agent.clone(),
        name: name.to_owned(),
        action: wish,
        agreed_digests: BTreeMap::new(),
    })
}

fn run_helper(helper: &AgentHelper, request: &AgentEditRequest) -> Result<Vec<AgentFileReport>, ServiceError> {
    let gone = "the process that edits files of agents does not answer; restart the server, or run `wardroom agents`";
    helper.request(request).map_err(|error| ServiceError::internal(gone, error))
}

impl AgentsService {
    /// Asks the person, in whichever way the client can be asked.
    fn confirm_with_user(
        &self,
        context: &CallContext,
        shown: &ConsentPrompt,
        by_hand: &str,
    ) -> Result<bool, ServiceError> {
        let refused = |why: &str| ServiceError::tool(code::NOT_ASKED, format!("{why}: have the user run `{by_hand}`"));
        let never = || refused("this needs the user's agreement, and this client cannot ask its user");
        let client = context.client.as_deref().ok_or_else(never)?;
        let schema = json!({
            "type": "object",
            "properties": {CONFIRMATION_KEY: {"type": "boolean", "title": "Write it", "default": false}},
            "required": [CONFIRMATION_KEY],
        });
        let form = Elicitation::Form { message: shown.message.clone(), schema: Payload::from_value(schema) };
        let ask = InputRequest { key: CONFIRMATION_KEY.to_owned(), kind: InputRequestKind::Elicit(form) };
        let answer = match client.input_mode(ClientCapability::FormElicitation) {
            InputMode::Unsupported => return Err(never()),
            InputMode::Inline => {
                client.validate_request(&ask).map_err(|why| refused(&why))?;
                let answers = client.request_input(&[ask]).map_err(|why| refused(&why))?;
                answers.into_iter().next()
            }
            InputMode::Deferred => {
                // The answer belongs to exactly what was shown, of files that are as they were, and is used up by that.
                let before = client
                    .client_responses()
                    .and_then(|brought| self.lock_pending_consents().remove(&brought.continuation_token));
                let answer = client.client_responses().filter(|_| before.as_ref() == Some(shown));
                let answer = answer.and_then(|brought| brought.responses.get(CONFIRMATION_KEY)).cloned();
                if answer.is_none() {
                    let handle = self.remember_consent(shown.clone())?;
                    return Err(ServiceError::InputRequired(Box::new(InputRequired {
                        requests: vec![ask],
                        continuation_token: handle,
                    })));
                }
                answer
            }
        };
        let answer = answer.map(Payload::into_value).unwrap_or_default();
        let is_accepted = answer.get("action").and_then(Value::as_str) == Some("accept");
        Ok(is_accepted && answer.pointer("/content/write") == Some(&Value::Bool(true)))
    }

    /// A name for a question, which nobody can guess.
    fn remember_consent(&self, shown: ConsentPrompt) -> Result<String, ServiceError> {
        let mut random = [0; 24];
        random::fill(&mut random).map_err(|error| ServiceError::internal("no randomness", error))?;
        let (time, random) = random.split_at_mut(8);
        // In the order in which they are asked.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        time.copy_from_slice(&u64::try_from(now).unwrap_or(u64::MAX).to_be_bytes());
        let handle = encode_hex(time.iter().chain(random.iter()));
        let mut asked = self.lock_pending_consents();
        asked.insert(handle.clone(), shown);
        while asked.len() > MAX_PENDING_CONSENTS {
            asked.pop_first();
        }
        Ok(handle)
    }

    fn lock_pending_consents(&self) -> MutexGuard<'_, BTreeMap<String, ConsentPrompt>> {
        self.pending_consents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The command that does the same.
fn equivalent_command(command: &str, request: &AgentEditRequest) -> String {
    let verb = match request.action {
        EntryAction::Install => "install",
        EntryAction::Uninstall => "uninstall",
    };
    format!("{command} agents {verb} {} --name {}", request.agent, request.name)
}

/// What is written or removed where; of entries that are the same, once.
fn consent_message(request: &AgentEditRequest, changes: &[&AgentFileReport]) -> String {
    let mut alike: Vec<(String, Vec<String>)> = Vec::new();
    for report in changes {
        let details = match (request.action, &report.before) {
            (EntryAction::Install, None) => report.entry.clone(),
            (EntryAction::Install, Some(before)) => {
                format!("{}\n\nThe entry that is there now starts {before}.", report.entry)
            }
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
    wish: EntryAction,
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
    let is_new = is_changed && wish == EntryAction::Install;
    let afterwards = find_agent(&of.agent).filter(|_| is_new).map(|agent| agent.activation_hint.to_owned());
    let files = reports.iter().map(file).collect();
    args::serialize_output(&AgentConfigOutput { agent: of.agent.clone(), changed: is_changed, files, afterwards })
        .map(ToolOutput::from)
}
