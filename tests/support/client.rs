//! The binary as a server on pipes, and a client that sends raw lines to it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::command::wardroom_command;
use super::{TEST_TIMEOUT, TestDir, check_output_schema};

/// The protocol revision of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientRevision {
    /// 2025-11-25: `initialize` first.
    Legacy,
    /// 2026-07-28: every request identifies its client.
    Modern,
}

impl ClientRevision {
    pub const ALL: [Self; 2] = [Self::Legacy, Self::Modern];
}

pub struct StdioClient {
    child: Child,
    input: Option<ChildStdin>,
    /// The output pipe, until [`Self::start_reading`].
    unread_output: Option<ChildStdout>,
    lines: Receiver<String>,
    sender: Option<Sender<String>>,
    revision: ClientRevision,
    capabilities: Value,
    next_id: u64,
}

impl StdioClient {
    /// Starts a server on `dir`'s AppDir and opens the connection.
    pub fn start(dir: &TestDir, revision: ClientRevision) -> Self {
        Self::start_with(dir, revision, &[])
    }

    pub fn start_with(dir: &TestDir, revision: ClientRevision, args: &[&str]) -> Self {
        let mut command = wardroom_command(dir.root());
        command.arg("--appdir").arg(dir.app_path()).args(args);
        let mut client = Self::spawn(command, revision);
        if revision == ClientRevision::Legacy {
            client.initialize();
        }
        client
    }

    /// Starts any command as a server, and sends nothing to it.
    pub fn spawn(command: Command, revision: ClientRevision) -> Self {
        let mut client = Self::spawn_unread(command, revision);
        client.start_reading();
        client
    }

    /// Starts a server on `dir`'s AppDir, whose output stays in the pipe until [`Self::start_reading`].
    pub fn start_unread(dir: &TestDir, revision: ClientRevision) -> Self {
        let mut command = wardroom_command(dir.root());
        command.arg("--appdir").arg(dir.app_path());
        Self::spawn_unread(command, revision)
    }

    /// Starts a server as [`Self::spawn`] does, but its output stays in the pipe until [`Self::start_reading`].
    pub fn spawn_unread(command: Command, revision: ClientRevision) -> Self {
        Self::spawn_with_log(command, revision, Stdio::null())
    }

    /// Starts a server as [`Self::spawn_unread`] does, with the caller's standard error.
    pub fn spawn_with_log(mut command: Command, revision: ClientRevision, log: Stdio) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let (unread, input) = (child.stdout.take(), child.stdin.take());
        let (sender, lines) = channel();
        Self {
            child,
            input,
            unread_output: unread,
            lines,
            sender: Some(sender),
            revision,
            capabilities: json!({}),
            next_id: 1,
        }
    }

    /// Returns the client, which declares capabilities from now on.
    #[must_use]
    pub fn declaring(mut self, capabilities: Value) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// Waits until the server has written output, and leaves that in the pipe.
    pub fn wait_for_output(&self) {
        let unread = self.unread_output.as_ref().unwrap();
        let mut ready = [rustix::event::PollFd::new(unread, rustix::event::PollFlags::IN)];
        let timeout = TEST_TIMEOUT.try_into().unwrap();
        assert_eq!(rustix::event::poll(&mut ready, Some(&timeout)), Ok(1));
    }

    /// Closes the reading end.
    pub fn close_output(&mut self) {
        self.unread_output = None;
    }

    /// Starts reading the server's output. A last line without its end is no message: a server that stops waiting for its
    /// client may leave one.
    pub fn start_reading(&mut self) {
        let mut output = BufReader::new(self.unread_output.take().unwrap());
        let sender = self.sender.take().unwrap();
        thread::spawn(move || {
            let mut line = String::new();
            while output.read_line(&mut line).unwrap() > 0 {
                let Some(message) = line.strip_suffix('\n') else { return };
                if sender.send(message.to_owned()).is_err() {
                    return;
                }
                line.clear();
            }
        });
    }

    /// Takes the pipe to the server, for a thread that writes while this one reads.
    pub fn take_input(&mut self) -> ChildStdin {
        self.input.take().unwrap()
    }

    /// Takes the pipe from the server, for a test that discards the output.
    pub fn take_output(&mut self) -> ChildStdout {
        self.unread_output.take().unwrap()
    }

    /// Returns the server's process id.
    pub fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// Skips lines up to this one, which a program prints before it becomes the server.
    pub fn skip_to_line(&mut self, line: &str) {
        while self.lines.recv_timeout(TEST_TIMEOUT).expect("the line in time") != line {}
    }

    /// Returns the processes with this name that the server started.
    pub fn child_processes(&self, name: &str) -> Vec<i32> {
        children_of(self.process_id().cast_signed()).into_iter().filter(|id| is_called(*id, name)).collect()
    }

    /// Returns the processes with this name that were started by those that the server started.
    pub fn grandchild_processes(&self, name: &str) -> Vec<i32> {
        let children = children_of(self.process_id().cast_signed());
        children.into_iter().flat_map(children_of).filter(|id| is_called(*id, name)).collect()
    }

    /// Returns the server's resident memory, in bytes.
    pub fn resident_bytes(&self) -> usize {
        self.memory_bytes("VmRSS:")
    }

    /// Returns the server's peak resident memory so far, in bytes.
    pub fn peak_resident_bytes(&self) -> usize {
        self.memory_bytes("VmHWM:")
    }

    fn memory_bytes(&self, name: &str) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() * 1024
    }

    /// Makes the handshake of the legacy revision; returns the server's response.
    pub fn initialize(&mut self) -> Value {
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": self.capabilities,
            "clientInfo": {"name": "test", "version": "1"},
        });
        let answer = self.call("initialize", params);
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        answer
    }

    /// Sends raw bytes.
    pub fn send_raw(&mut self, bytes: impl AsRef<[u8]>) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes.as_ref()).unwrap();
        input.flush().unwrap();
    }

    pub fn send(&mut self, message: &Value) {
        self.send_raw(format!("{message}\n"));
    }

    /// Sends a request and returns its id.
    pub fn send_request(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        let params = self.with_meta(params);
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Sends one line and waits for the response.
    pub fn exchange(&mut self, line: impl AsRef<[u8]>) -> Value {
        self.send_raw([line.as_ref(), b"\n"].concat());
        self.receive()
    }

    /// Adds the `_meta` of the revision to a request's params.
    pub fn with_meta(&self, mut params: Value) -> Value {
        if self.revision == ClientRevision::Modern {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = self.capabilities.clone();
        }
        params
    }

    /// Sends a request and waits for its response. Structured content of a tool must match its output schema; any other
    /// message is an error.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        let tool = params["name"].as_str().filter(|_| method == "tools/call").map(str::to_owned);
        let id = self.send_request(method, params);
        let answer = self.receive();
        assert_eq!(answer["id"], json!(id), "{answer}");
        if let (Some(tool), Some(content)) = (tool, answer["result"].get("structuredContent")) {
            check_output_schema(&tool, content);
        }
        answer
    }

    /// Reads a resource; returns its single content, or the error.
    pub fn read_resource(&mut self, uri: &str) -> Result<Value, Value> {
        let mut answer = self.call("resources/read", json!({"uri": uri}));
        match answer.get_mut("error") {
            Some(error) => Err(error.take()),
            None => {
                let contents = answer["result"]["contents"].as_array_mut().unwrap();
                assert_eq!(contents.len(), 1);
                Ok(contents.remove(0))
            }
        }
    }

    /// Receives the next message.
    pub fn receive(&mut self) -> Value {
        let line = self.lines.recv_timeout(TEST_TIMEOUT).expect("an answer in time");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Receives the next message, if one arrives in time.
    pub fn receive_within(&mut self, time: Duration) -> Option<Value> {
        let line = self.lines.recv_timeout(time).ok()?;
        Some(serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}")))
    }

    /// Whether no message arrives for a while: for responses that must not come.
    pub fn is_silent_for(&mut self, time: Duration) -> bool {
        self.lines.recv_timeout(time) == Err(RecvTimeoutError::Timeout)
    }

    /// Closes the input. Responses can still be received.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Closes the input, and waits for the process; returns its status, its remaining messages, and the time that it
    /// took.
    pub fn finish(mut self) -> (ExitStatus, Vec<Value>, Duration) {
        let start = Instant::now();
        self.close_input();
        let rest: Vec<Value> = self.lines.iter().map(|line| serde_json::from_str(&line).unwrap()).collect();
        let status = self.child.wait().unwrap();
        (status, rest, start.elapsed())
    }

    /// Waits until the process ends by itself.
    pub fn wait(&mut self) -> ExitStatus {
        let deadline = Instant::now() + TEST_TIMEOUT;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < deadline, "the server does not end");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for StdioClient {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn children_of(process: i32) -> Vec<i32> {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten();
    let listed = tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("children")).ok());
    listed.flat_map(|ids| ids.split_whitespace().map(|id| id.parse().unwrap()).collect::<Vec<_>>()).collect()
}

fn is_called(process: i32, name: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{process}/comm")).is_ok_and(|comm| comm.trim_end() == name)
}
