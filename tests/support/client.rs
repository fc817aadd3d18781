//! The binary as a server on pipes, and a client that speaks raw lines to it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::command::base;
use super::{PATIENCE, TestDir, check_answer};

/// How a client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// 2025-11-25: `initialize` first.
    Older,
    /// 2026-07-28: every request says who asks.
    Newer,
}

impl Era {
    pub const BOTH: [Self; 2] = [Self::Older, Self::Newer];
}

pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    /// Output that nobody reads yet.
    unread: Option<ChildStdout>,
    lines: Receiver<String>,
    sender: Option<Sender<String>>,
    era: Era,
    next_id: u64,
}

impl Client {
    /// Starts a server on `dir`'s AppDir and opens the connection.
    pub fn start(dir: &TestDir, era: Era) -> Self {
        Self::start_with(dir, era, &[])
    }

    pub fn start_with(dir: &TestDir, era: Era, args: &[&str]) -> Self {
        let mut command = base(dir.outside());
        command.arg("--appdir").arg(dir.app()).args(args);
        let mut client = Self::spawn(command, era);
        if era == Era::Older {
            client.initialize();
        }
        client
    }

    /// Starts any command as a server, and says nothing to it.
    pub fn spawn(command: Command, era: Era) -> Self {
        let mut client = Self::spawn_unread(command, era);
        client.read_on();
        client
    }

    /// As [`Self::spawn`], but what the server says stays in the pipe until [`Self::read_on`].
    pub fn spawn_unread(command: Command, era: Era) -> Self {
        Self::spawn_with_log(command, era, Stdio::null())
    }

    /// As [`Self::spawn_unread`], with a standard error of the caller's.
    pub fn spawn_with_log(mut command: Command, era: Era, log: Stdio) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let (unread, input) = (child.stdout.take(), child.stdin.take());
        let (sender, lines) = channel();
        Self { child, input, unread, lines, sender: Some(sender), era, next_id: 1 }
    }

    /// Waits until the server has said something, and leaves it in the pipe.
    pub fn wait_for_output(&self) {
        let unread = self.unread.as_ref().unwrap();
        let mut ready = [rustix::event::PollFd::new(unread, rustix::event::PollFlags::IN)];
        let patience = PATIENCE.try_into().unwrap();
        assert_eq!(rustix::event::poll(&mut ready, Some(&patience)), Ok(1));
    }

    /// Closes the reading end.
    pub fn close_output(&mut self) {
        self.unread = None;
    }

    /// Reads whatever the server says from now on.
    pub fn read_on(&mut self) {
        let output = BufReader::new(self.unread.take().unwrap());
        let sender = self.sender.take().unwrap();
        thread::spawn(move || {
            for line in output.lines() {
                if sender.send(line.unwrap()).is_err() {
                    return;
                }
            }
        });
    }

    /// The pipe to the server, for a thread that writes while this one reads.
    pub fn take_input(&mut self) -> ChildStdin {
        self.input.take().unwrap()
    }

    /// The pipe from the server, for a test that keeps nothing of what it says.
    pub fn take_output(&mut self) -> ChildStdout {
        self.unread.take().unwrap()
    }

    /// The number of the server's process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Takes lines up to this one, of what became the server later.
    pub fn skip_to(&mut self, line: &str) {
        while self.lines.recv_timeout(PATIENCE).expect("the line in time") != line {}
    }

    /// The processes below the server that are called so.
    pub fn below(&self, name: &str) -> Vec<i32> {
        let children = |id: i32| -> Vec<i32> {
            let tasks = std::fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten();
            let listed = tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("children")).ok());
            listed.flat_map(|ids| ids.split_whitespace().map(|id| id.parse().unwrap()).collect::<Vec<_>>()).collect()
        };
        let is_called =
            |id: &i32| std::fs::read_to_string(format!("/proc/{id}/comm")).is_ok_and(|comm| comm.trim_end() == name);
        let own = i32::try_from(self.child.id()).unwrap();
        children(own).into_iter().flat_map(children).filter(is_called).collect()
    }

    /// Resident memory of the server, in bytes.
    pub fn resident(&self) -> usize {
        self.memory("VmRSS:")
    }

    /// The most memory that the server has had resident so far, in bytes.
    pub fn peak_resident(&self) -> usize {
        self.memory("VmHWM:")
    }

    fn memory(&self, name: &str) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() * 1024
    }

    /// The handshake of the older era; the server's answer.
    pub fn initialize(&mut self) -> Value {
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        });
        let answer = self.ask("initialize", params);
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        answer
    }

    /// Sends raw bytes, as they are.
    pub fn raw(&mut self, bytes: impl AsRef<[u8]>) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes.as_ref()).unwrap();
        input.flush().unwrap();
    }

    pub fn send(&mut self, message: &Value) {
        self.raw(format!("{message}\n"));
    }

    /// Sends a request and returns its id.
    pub fn request(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        let params = self.with_meta(params);
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Sends one line and waits for what comes back.
    pub fn exchange(&mut self, line: impl AsRef<[u8]>) -> Value {
        self.raw([line.as_ref(), b"\n"].concat());
        self.receive()
    }

    /// What the era adds to the params of a request.
    pub fn with_meta(&self, mut params: Value) -> Value {
        if self.era == Era::Newer {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        params
    }

    /// Sends a request and waits for its answer, which where it is a tool's must be what that promised; everything else that arrives is an error.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let tool = params["name"].as_str().filter(|_| method == "tools/call").map(str::to_owned);
        let id = self.request(method, params);
        let answer = self.receive();
        assert_eq!(answer["id"], json!(id), "{answer}");
        if let (Some(tool), Some(content)) = (tool, answer["result"].get("structuredContent")) {
            check_answer(&tool, content);
        }
        answer
    }

    /// Reads a resource: its one content, or the error.
    pub fn read(&mut self, uri: &str) -> Result<Value, Value> {
        let mut answer = self.ask("resources/read", json!({"uri": uri}));
        match answer.get_mut("error") {
            Some(error) => Err(error.take()),
            None => {
                let contents = answer["result"]["contents"].as_array_mut().unwrap();
                assert_eq!(contents.len(), 1);
                Ok(contents.remove(0))
            }
        }
    }

    /// The next message.
    pub fn receive(&mut self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("an answer in time");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// The next message, if one comes soon.
    pub fn receive_within(&mut self, time: Duration) -> Option<Value> {
        let line = self.lines.recv_timeout(time).ok()?;
        Some(serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}")))
    }

    /// Whether nothing arrives for a while. For answers that must not come.
    pub fn is_silent_for(&mut self, time: Duration) -> bool {
        self.lines.recv_timeout(time) == Err(RecvTimeoutError::Timeout)
    }

    /// Ends the input. Answers can still be received.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Ends the input, and waits for the process: its status, what it still said, and how long it took.
    pub fn finish(mut self) -> (ExitStatus, Vec<Value>, Duration) {
        let start = Instant::now();
        self.close_input();
        let rest: Vec<Value> = self.lines.iter().map(|line| serde_json::from_str(&line).unwrap()).collect();
        let status = self.child.wait().unwrap();
        (status, rest, start.elapsed())
    }

    /// Waits until the process ends by itself.
    pub fn wait(&mut self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < deadline, "the server does not end");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
