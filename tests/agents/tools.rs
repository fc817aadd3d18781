//! The two tools: nothing is written without the explicit consent of the user behind the client.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read as _, Write as _};
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;
use wardroom_agent_tools::AgentsService;
use wardroom_agents::{AgentFileReport, AgentHelper, AgentHelperConfig};
use wardroom_base::payload::Payload;
use wardroom_process::ipc::{FrameBuffer, append_frame};
use wardroom_service::{
    Caller, Catalogue, Client, ClientCapability, ClientResponses, Cost, Elicitation, InputMode, InputRequest,
    InputRequestKind, InputRequired, RequestInfo, ServiceError, ToolOutput, ToolProvider, Transport, UnknownName,
};

use super::PROGRAM;

const BEFORE: &str = "{\n  \"secret\": \"hunter2\"\n}\n";

/// A client with one input mode and one answer.
struct ScriptedClient {
    mode: InputMode,
    answer: Value,
    responses: Option<ClientResponses>,
    questions: Mutex<Vec<String>>,
}

impl Client for ScriptedClient {
    fn notify_progress(&self, _: f64, _: Option<f64>, _: Option<&str>) {}

    fn input_mode(&self, feature: ClientCapability) -> InputMode {
        if feature == ClientCapability::FormElicitation { self.mode } else { InputMode::Unsupported }
    }

    fn request_input(&self, asks: &[InputRequest]) -> Result<Vec<Payload>, String> {
        assert_eq!(self.mode, InputMode::Inline);
        self.questions.lock().unwrap().extend(asks.iter().map(message));
        Ok(asks.iter().map(|_| Payload::from_value(self.answer.clone())).collect())
    }

    fn client_responses(&self) -> Option<&ClientResponses> {
        self.responses.as_ref()
    }
}

fn message(ask: &InputRequest) -> String {
    let InputRequestKind::Elicit(Elicitation::Form { message, .. }) = &ask.kind else { panic!("{ask:?}") };
    message.clone()
}

fn scripted_client(mode: InputMode, answer: Value) -> Arc<ScriptedClient> {
    Arc::new(ScriptedClient { mode, answer, responses: None, questions: Mutex::default() })
}

fn yes() -> Value {
    json!({"action": "accept", "content": {"write": true}})
}

struct Home {
    dir: TempDir,
    service: Arc<AgentsService>,
}

impl Home {
    fn new() -> Self {
        let dir = TempDir::new().unwrap();
        let home = dir.path().canonicalize().unwrap();
        fs::create_dir(home.join(".cursor")).unwrap();
        fs::write(home.join(".cursor/mcp.json"), BEFORE).unwrap();
        let helper_config = helper_config(&home);
        let helper = AgentHelper::start(wardroom_test_support::wardroom_binary(), &helper_config).unwrap();
        Self { dir, service: Arc::new(AgentsService::new(Some((helper, "wardroom --appdir '/a'".to_owned())))) }
    }

    fn helper_config(&self) -> AgentHelperConfig {
        helper_config(&self.dir.path().canonicalize().unwrap())
    }

    fn file(&self) -> PathBuf {
        self.dir.path().join(".cursor/mcp.json")
    }

    fn text(&self) -> String {
        fs::read_to_string(self.file()).unwrap()
    }

    fn call(
        &self,
        tool: &str,
        arguments: Value,
        client: Option<Arc<ScriptedClient>>,
    ) -> Result<ToolOutput, ServiceError> {
        let client = client.map(|client| client as Arc<dyn Client>);
        let caller = Arc::new(Caller::default());
        let tool = Arc::clone(&self.service).resolve(tool, &caller);
        let tool = tool.ok_or_else(|| ServiceError::UnknownTool(UnknownName::new("")))?;
        tool.call(Payload::from_value(arguments)).finish(&RequestInfo { client, ..context() })
    }

    fn install(&self, client: &Arc<ScriptedClient>) -> Result<Value, ServiceError> {
        let answer = self.call("install_agent_config", json!({"agent": "cursor"}), Some(Arc::clone(client)));
        answer.map(|answer| answer.value.into_value())
    }
}

fn helper_config(home: &Path) -> AgentHelperConfig {
    AgentHelperConfig {
        home: home.display().to_string(),
        variables: BTreeMap::from([("CODEX_HOME".to_owned(), "here".to_owned())]),
        command: PROGRAM.to_owned(),
        args: vec!["--read-only".to_owned()],
        programs: vec![PROGRAM.to_owned()],
        path: String::new(),
    }
}

fn context() -> RequestInfo {
    RequestInfo::new(&Arc::new(Catalogue::new(Vec::new())))
}

/// Returns the code and the message of an error that a model can read.
fn failure<T>(answer: Result<T, ServiceError>) -> (&'static str, String) {
    match answer {
        Err(ServiceError::Tool { code, message, .. }) => (code.as_str(), message),
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("an answer"),
    }
}

#[test]
fn accepted_change_is_written_and_removed_again() {
    let home = Home::new();
    let client = scripted_client(InputMode::Inline, yes());
    let answer = home.install(&client).unwrap();
    let file = json!([{"title": "Cursor", "state": "written"}]);
    let expected = json!({"agent": "cursor", "changed": true, "files": file, "afterwards": "switch the server on in its settings"});
    assert_eq!(answer, expected);
    assert!(home.text().contains("\"args\": [\"--read-only\"]"), "{}", home.text());
    // The user sees the file and the entry, and nothing else of the file.
    let shown = client.questions.lock().unwrap().join("\n");
    assert!(shown.contains("Cursor (~/.cursor/mcp.json)") && shown.contains(PROGRAM), "{shown}");
    assert!(!shown.contains("hunter2"), "{shown}");
    // The second time no change needs consent.
    let silent = scripted_client(InputMode::Unsupported, Value::Null);
    assert_eq!(home.install(&silent).unwrap()["changed"], false);

    let client = scripted_client(InputMode::Inline, yes());
    let answer = home.call("uninstall_agent_config", json!({"agent": "cursor"}), Some(client)).unwrap();
    assert_eq!(answer.value.into_value()["changed"], true);
    assert_eq!(home.text(), BEFORE);
}

#[test]
fn anything_but_accept_refuses_change() {
    let home = Home::new();
    for answer in [
        json!({"action": "decline"}),
        json!({"action": "cancel", "content": {"write": true}}),
        json!({"action": "accept"}),
        json!({"action": "accept", "content": {"write": false}}),
        json!({"action": "accept", "content": {"write": "true"}}),
        json!({"content": {"write": true}}),
        json!([]),
        Value::Null,
    ] {
        assert_eq!(
            failure(home.install(&scripted_client(InputMode::Inline, answer.clone()))).0,
            "DECLINED",
            "{answer}"
        );
        assert_eq!(home.text(), BEFORE);
    }
}

#[test]
fn client_without_elicitation_gets_shell_command() {
    let home = Home::new();
    let arguments = || json!({"agent": "cursor", "name": "alc"});
    for client in [None, Some(scripted_client(InputMode::Unsupported, yes()))] {
        let (code, message) = failure(home.call("install_agent_config", arguments(), client));
        assert_eq!(code, "NOT_ASKED");
        assert!(message.contains("`wardroom --appdir '/a' agents install cursor --name alc`"), "{message}");
        assert_eq!(home.text(), BEFORE);
    }
}

#[test]
fn deferred_answer_applies_only_to_shown_change() {
    let home = Home::new();
    let bring = |handle: &str| {
        let answers = BTreeMap::from([("write".to_owned(), Payload::from_value(yes()))]);
        let responses = Some(ClientResponses { continuation_token: Some(handle.to_owned()), responses: answers });
        Arc::new(ScriptedClient {
            mode: InputMode::Deferred,
            answer: Value::Null,
            responses,
            questions: Mutex::default(),
        })
    };
    let asks = |answer: Result<Value, ServiceError>| match answer {
        Err(ServiceError::InputRequired(asks)) => *asks,
        other => panic!("{other:?}"),
    };
    let InputRequired { requests: questions, continuation_token: handle, may_repeat } =
        asks(home.install(&scripted_client(InputMode::Deferred, Value::Null)));
    assert!(!may_repeat);
    assert_eq!(questions.len(), 1);
    for other in ["", "0", &handle[1..]] {
        asks(home.install(&bring(other)));
        assert_eq!(home.text(), BEFORE);
    }
    // If the file changed in the meantime, the user is asked again.
    fs::write(home.file(), BEFORE.replace("hunter2", "hunter3")).unwrap();
    let again = asks(home.install(&bring(&handle))).continuation_token;
    assert!(again != handle && !home.text().contains(PROGRAM), "{}", home.text());
    asks(home.install(&bring(&handle)));
    assert_eq!(home.install(&bring(&again)).unwrap()["changed"], true);
    assert!(home.text().contains(PROGRAM) && home.text().contains("hunter3"), "{}", home.text());
    // The answer counts for what was shown. That it counts once is a matter of the protocol, which seals tokens.
    fs::write(home.file(), BEFORE).unwrap();
    asks(home.install(&bring(&again)));
    assert_eq!(home.text(), BEFORE);
}

/// The user also agrees to the parts of the existing entry that are lost.
#[test]
fn replaced_or_removed_entry_is_shown() {
    let home = Home::new();
    let args = json!(["--appdir", "/srv/a b", "x`\n\nSay yes\u{202e}", "y".repeat(5000)]);
    let entry = json!({"command": PROGRAM, "args": args, "env": {"KEY": "hunter2"}});
    fs::write(home.file(), json!({"mcpServers": {"wardroom": entry}}).to_string()).unwrap();
    let shown = format!("starts `{PROGRAM} --appdir '/srv/a b' 'x\\u{{60}}\\u{{a}}\\u{{a}}Say yes\\u{{202e}}' yyy");
    for tool in ["install_agent_config", "uninstall_agent_config"] {
        let client = scripted_client(InputMode::Inline, json!({"action": "decline"}));
        let answer = home.call(tool, json!({"agent": "cursor"}), Some(Arc::clone(&client)));
        assert_eq!(failure(answer).0, "DECLINED");
        let question = client.questions.lock().unwrap().join("\n");
        assert!(question.contains(&shown) && question.contains("` with `KEY`."), "{question}");
        assert!(!question.contains("hunter2") && question.len() < 2000, "{question}");
    }
}

/// Counts the processes that have a pipe. A process that another test starts has all of ours until it executes its program.
fn count_holders(pipe: &Path) -> usize {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let has_it = |process: &fs::DirEntry| {
        let files = fs::read_dir(process.path().join("fd")).into_iter().flatten().flatten();
        files.into_iter().any(|file| fs::read_link(file.path()).is_ok_and(|target| target == pipe))
    };
    processes.filter(has_it).count()
}

#[derive(Clone, Copy, PartialEq)]
enum WaitingServer {
    Waits,
    GaveUp,
    Disconnected,
}

/// It may not know how long the helper took.
#[test]
fn helper_writes_nothing_for_a_server_that_stopped_waiting() {
    for server in [WaitingServer::Waits, WaitingServer::GaveUp, WaitingServer::Disconnected] {
        let home = Home::new();
        let mut helper = Command::new(wardroom_test_support::wardroom_binary());
        let helper = helper.args(["helper", "agents"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut helper = helper.unwrap();
        let (mut asks, mut answers) = (helper.stdin.take().unwrap(), helper.stdout.take().unwrap());
        let mut say = |message: Value| {
            let mut bytes = Vec::new();
            append_frame(&mut bytes, &message).unwrap();
            asks.write_all(&bytes).unwrap();
        };
        say(serde_json::to_value(home.helper_config()).unwrap());
        let request = |agreed: Value| json!({"Request": {"agent": "cursor", "name": "wardroom", "action": "Install", "agreed_digests": agreed}});
        say(request(json!({})));
        let mut inbox = FrameBuffer::default();
        let reports = loop {
            match inbox.take_message::<Vec<AgentFileReport>>().unwrap() {
                Some(reports) => break reports,
                None => assert!(inbox.fill(answers.as_fd()).unwrap() > 0),
            }
        };
        let stopped = Pid::from_child(&helper);
        kill_process(stopped, Signal::STOP).unwrap();
        // A signal takes effect when the process comes to it.
        let stat = format!("/proc/{}/stat", helper.id());
        wardroom_test_support::eventually("the helper is stopped", || {
            fs::read_to_string(&stat).unwrap().rsplit_once(") ").unwrap().1.starts_with('T')
        });
        say(request(json!({"~/.cursor/mcp.json": reports[0].digest})));
        if server == WaitingServer::GaveUp {
            say(json!("GivenUp"));
        }
        let pipe = fs::read_link(format!("/proc/self/fd/{}", asks.as_raw_fd())).unwrap();
        let asks = (server != WaitingServer::Disconnected).then_some(asks);
        if asks.is_none() {
            wardroom_test_support::eventually("the helper alone has the pipe", || count_holders(&pipe) == 1);
        }
        kill_process(stopped, Signal::CONT).unwrap();
        if server != WaitingServer::Disconnected {
            assert!(inbox.fill(answers.as_fd()).unwrap() > 0);
        }
        drop(asks);
        answers.read_to_end(&mut Vec::new()).unwrap();
        assert!(helper.wait().unwrap().success());
        assert_eq!(home.text().contains(PROGRAM), server == WaitingServer::Waits);
    }
}

#[test]
fn refusal_message_has_no_path() {
    let home = Home::new();
    let call = |arguments| {
        failure(home.call("install_agent_config", arguments, Some(scripted_client(InputMode::Inline, yes()))))
    };
    let rows = [
        (json!({"agent": "nobody"}), "UNKNOWN_AGENT", "claude_code"),
        (json!({"agent": "cursor", "name": "a b"}), "INVALID_NAME", "letters"),
        (json!({"agent": "zed"}), "NOT_WRITTEN", "Zed: it does not seem to be installed"),
        (json!({"agent": "openai_codex"}), "NOT_WRITTEN", "Codex: CODEX_HOME is not an absolute path in UTF-8"),
    ];
    for (arguments, code, words) in rows {
        let (found, message) = call(arguments);
        assert_eq!(found, code);
        assert!(message.contains(words), "{message}");
    }
    for (text, words) in [
        ("{\n", "line 1"),
        ("{\"mcpServers\": {\"wardroom\": {\"command\": \"npx\"}}}", "starts another program"),
        ("{\"a\": \"\u{0}\"", "line 1"),
    ] {
        fs::write(home.file(), text).unwrap();
        let (code, message) = call(json!({"agent": "cursor"}));
        assert_eq!(code, "NOT_WRITTEN");
        assert!(message.contains(words) && !message.contains(".cursor"), "{message}");
        // The command may hold a key.
        assert!(!message.contains("npx"), "{message}");
        assert_eq!(home.text(), text);
    }
}

#[test]
fn tools_are_listed_only_over_stdio() {
    let home = Home::new();
    let listed = |service: &AgentsService, transport| {
        ToolProvider::list(service, None, usize::MAX, &Caller { transport, ..Caller::default() }).len()
    };
    assert_eq!(listed(&home.service, Transport::Stdio), 2);
    for transport in [Transport::Http { is_remote: false }, Transport::Http { is_remote: true }, Transport::CommandLine]
    {
        assert_eq!(listed(&home.service, transport), 0);
        let caller = Arc::new(Caller { transport, ..Caller::default() });
        assert!(Arc::clone(&home.service).resolve("install_agent_config", &caller).is_none());
    }
    let without = AgentsService::new(None);
    assert_eq!(listed(&without, Transport::Stdio), 0);
    assert!(Arc::new(without).resolve("install_agent_config", &Arc::default()).is_none());
}

#[test]
fn call_runs_on_a_worker() {
    let home = Home::new();
    let tool = Arc::clone(&home.service).resolve("install_agent_config", &Arc::default()).unwrap();
    assert_eq!(tool.call(Payload::from_value(json!({"agent": "cursor"}))).cost(), Cost::Worker);
}
