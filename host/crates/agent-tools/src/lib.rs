//! The entry for this server in the files of agents, as two tools. They are there only where the operator said so, and do
//! nothing that the person behind the client did not agree to.
//!
//! Owns: `install_agent_config` and `uninstall_agent_config`, and the question before them.
//! Never: opens a file (a helper does), takes a client's word for its user's, or shows a client more of a file than our entry.

mod args;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use self::args::{Configured, Of, Written};
use wardroom_agents::{AGENTS, Helper, Outcome, Report, Request, ServerName, Wish, agent};
use wardroom_base::entropy;
use wardroom_base::hex::hex;
use wardroom_base::payload::Payload;
use wardroom_service::{
    Ask, Asks, CallContext, Elicitation, Extra, Feature, Hints, Question, Sampling, Service, ServiceError, ToolAnswer,
    ToolEntry, Transport,
};

const INSTALL: &str = "install_agent_config";
const UNINSTALL: &str = "uninstall_agent_config";
/// What the question and its one field are called.
const KEY: &str = "write";

/// Without a helper there are no tools: commands of a person have none.
pub struct Agents {
    /// With what a person types to start this server.
    helper: Option<(Helper, String)>,
    /// What was asked by ending a call, by the name that it was given: each is answered once.
    asked: Mutex<BTreeMap<String, Shown>>,
}

/// What a person agrees to.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Shown {
    question: String,
    /// The files, each as it was.
    files: BTreeMap<String, String>,
}

/// Questions that wait for their answers. The oldest ones are forgotten first, and asked again.
const MAX_ASKED: usize = 32;

impl Agents {
    #[must_use]
    pub fn new(helper: Option<(Helper, String)>) -> Self {
        Self { helper, asked: Mutex::default() }
    }

    /// The tools, where they are offered.
    #[must_use]
    pub fn entries() -> Vec<Arc<ToolEntry>> {
        static ENTRIES: LazyLock<Vec<Arc<ToolEntry>>> = LazyLock::new(|| {
            let tool = |name: &'static str, title: &'static str, description: &'static str, hints: Hints| {
                Arc::new(ToolEntry {
                    name: name.into(),
                    title: Some(title.into()),
                    description: Some(description.into()),
                    input: args::object(args::schema::<Of>()),
                    output: Some(args::object(args::answer_schema::<Configured>())),
                    hints: hints.into(),
                    extra: Extra::default(),
                })
            };
            vec![
                tool(
                    INSTALL,
                    "Connect an agent",
                    "Writes the entry for this server into another agent's configuration file, after asking the user. \
                     Everything else in that file stays as it is.",
                    Hints::SETS,
                ),
                tool(
                    UNINSTALL,
                    "Disconnect an agent",
                    "Removes the entry for this server from another agent's configuration file, after asking the user.",
                    Hints { idempotent: true, ..Hints::CHANGES },
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

impl Service for Agents {
    fn name(&self) -> &'static str {
        "agents"
    }

    fn instructions(&self) -> &'static str {
        "install_agent_config connects another agent on this machine to this server, after its user agreed."
    }

    fn tools(&self, context: &CallContext) -> Result<Vec<Arc<ToolEntry>>, ServiceError> {
        Ok(if self.is_offered(context) { Self::entries() } else { Vec::new() })
    }

    fn has_tool(&self, name: &str, context: &CallContext) -> bool {
        self.is_offered(context) && matches!(name, INSTALL | UNINSTALL)
    }

    fn call(&self, tool: &str, arguments: Payload, context: &CallContext) -> Result<ToolAnswer, ServiceError> {
        let unknown = || ServiceError::UnknownTool(tool.to_owned());
        let (wish, (helper, command)) = match (tool, &self.helper) {
            (INSTALL, Some(helper)) if self.is_offered(context) => (Wish::Install, helper),
            (UNINSTALL, Some(helper)) if self.is_offered(context) => (Wish::Uninstall, helper),
            _ => return Err(unknown()),
        };
        let of: Of = args::parse(arguments)?;
        context.needs_full()?;
        let request = request(&of, wish)?;
        let reports = ask(helper, &request)?;
        let changes: Vec<&Report> = reports.iter().filter(|report| report.outcome == Outcome::Changed).collect();
        if changes.is_empty() {
            return answer(&of, wish, &reports, false);
        }
        let files = changes.iter().map(|report| (report.file.clone(), report.seen.clone())).collect();
        let shown = Shown { question: question(&request, &changes), files };
        if !self.agreed(context, &shown, &by_hand(command, &request))? {
            return Err(ServiceError::tool("DECLINED", "the user did not agree; nothing was written"));
        }
        let reports = ask(helper, &Request { agreed: shown.files, ..request })?;
        let is_changed = reports.iter().any(|report| report.outcome == Outcome::Changed);
        answer(&of, wish, &reports, is_changed)
    }
}

fn request(of: &Of, wish: Wish) -> Result<Request, ServiceError> {
    if agent(&of.agent).is_none() {
        let known: Vec<&str> = AGENTS.iter().map(|agent| agent.id).collect();
        return Err(ServiceError::tool("UNKNOWN_AGENT", format!("the agents are: {}", known.join(", "))));
    }
    let name = of.name.as_deref().unwrap_or("wardroom");
    ServerName::parse(name).map_err(|rule| ServiceError::tool("INVALID_NAME", rule))?;
    Ok(Request { agent: of.agent.clone(), name: name.to_owned(), wish, agreed: BTreeMap::new() })
}

fn ask(helper: &Helper, request: &Request) -> Result<Vec<Report>, ServiceError> {
    let gone = "the process that edits files of agents does not answer; restart the server, or run `wardroom agents`";
    helper.ask(request).map_err(|error| ServiceError::internal(gone, error))
}

impl Agents {
    /// Asks the person, in whichever way the client can be asked.
    fn agreed(&self, context: &CallContext, shown: &Shown, by_hand: &str) -> Result<bool, ServiceError> {
        let refused = |why: &str| ServiceError::tool("NOT_ASKED", format!("{why}: have the user run `{by_hand}`"));
        let never = || refused("this needs the user's agreement, and this client cannot ask its user");
        let client = context.client.as_deref().ok_or_else(never)?;
        let schema = json!({
            "type": "object",
            "properties": {KEY: {"type": "boolean", "title": "Write it", "default": false}},
            "required": [KEY],
        });
        let form = Elicitation::Form { message: shown.question.clone(), schema: Payload::from_value(schema) };
        let ask = Ask { key: KEY.to_owned(), question: Question::Elicit(form) };
        let answer = match client.can(Feature::Form) {
            Sampling::Never => return Err(never()),
            Sampling::Now => {
                client.check(&ask).map_err(|why| refused(&why))?;
                let answers = client.ask(&[ask]).map_err(|why| refused(&why))?;
                answers.into_iter().next()
            }
            Sampling::ByReturn => {
                // The answer belongs to exactly what was shown, of files that are as they were, and is used up by that.
                let before = client.brought().and_then(|brought| self.asked().remove(&brought.handle));
                let answer = client.brought().filter(|_| before.as_ref() == Some(shown));
                let answer = answer.and_then(|brought| brought.answers.get(KEY)).cloned();
                if answer.is_none() {
                    let handle = self.note(shown.clone())?;
                    return Err(ServiceError::Asks(Box::new(Asks { asks: vec![ask], handle })));
                }
                answer
            }
        };
        let answer = answer.map(Payload::into_value).unwrap_or_default();
        let is_accepted = answer.get("action").and_then(Value::as_str) == Some("accept");
        Ok(is_accepted && answer.pointer("/content/write") == Some(&Value::Bool(true)))
    }

    /// A name for a question, which nobody can guess.
    fn note(&self, shown: Shown) -> Result<String, ServiceError> {
        let mut random = [0; 24];
        entropy::fill(&mut random).map_err(|error| ServiceError::internal("no randomness", error))?;
        let (time, random) = random.split_at_mut(8);
        // In the order in which they are asked.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        time.copy_from_slice(&u64::try_from(now).unwrap_or(u64::MAX).to_be_bytes());
        let handle = hex(time.iter().chain(random.iter()));
        let mut asked = self.asked();
        asked.insert(handle.clone(), shown);
        while asked.len() > MAX_ASKED {
            asked.pop_first();
        }
        Ok(handle)
    }

    fn asked(&self) -> MutexGuard<'_, BTreeMap<String, Shown>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The command that does the same.
fn by_hand(command: &str, request: &Request) -> String {
    let verb = match request.wish {
        Wish::Install => "install",
        Wish::Uninstall => "uninstall",
    };
    format!("{command} agents {verb} {} --name {}", request.agent, request.name)
}

/// What is written or removed where; of entries that are the same, once.
fn question(request: &Request, changes: &[&Report]) -> String {
    let mut alike: Vec<(String, Vec<String>)> = Vec::new();
    for report in changes {
        let details = match (request.wish, &report.before) {
            (Wish::Install, None) => report.entry.clone(),
            (Wish::Install, Some(before)) => {
                format!("{}\n\nThe entry that is there now starts {before}.", report.entry)
            }
            (Wish::Uninstall, None) => String::new(),
            (Wish::Uninstall, Some(before)) => format!("It starts {before}."),
        };
        let file = format!("{} ({})", report.title, report.file);
        match alike.iter_mut().find(|(known, _)| *known == details) {
            Some((_, files)) => files.push(file),
            None => alike.push((details, vec![file])),
        }
    }
    let parts = alike.into_iter().map(|(details, files)| {
        let files = files.join(", ");
        let what = match request.wish {
            Wish::Install => format!("Write the entry `{}` for this server into {files}?", request.name),
            Wish::Uninstall => format!("Remove the entry `{}` from {files}?", request.name),
        };
        format!("{what}\n\n{details}").trim_end().to_owned()
    });
    parts.collect::<Vec<_>>().join("\n\n")
}

fn answer(of: &Of, wish: Wish, reports: &[Report], is_changed: bool) -> Result<ToolAnswer, ServiceError> {
    let refusals: Vec<String> = reports
        .iter()
        .filter_map(|report| match &report.outcome {
            Outcome::Refused(reason) => Some(format!("{}: {reason}", report.title)),
            Outcome::Unchanged | Outcome::Changed => None,
        })
        .collect();
    if !is_changed && !refusals.is_empty() {
        return Err(ServiceError::tool("NOT_WRITTEN", refusals.join("; ")));
    }
    let file = |report: &Report| {
        let (state, reason) = match &report.outcome {
            Outcome::Unchanged => ("unchanged", None),
            Outcome::Changed => ("written", None),
            Outcome::Refused(reason) => ("refused", Some(reason.clone())),
        };
        Written { title: report.title.clone(), state: state.to_owned(), reason }
    };
    let is_new = is_changed && wish == Wish::Install;
    let afterwards = agent(&of.agent).filter(|_| is_new).map(|agent| agent.afterwards.to_owned());
    let files = reports.iter().map(file).collect();
    args::answer(&Configured { agent: of.agent.clone(), changed: is_changed, files, afterwards }).map(ToolAnswer::from)
}
