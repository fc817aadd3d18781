//! Both revisions over HTTP: sessions, requests without one, streams of changes, and a run that outlives its session
//! and its server.

use std::net::TcpStream;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use wardroom_test_support::{HttpConnection, HttpReply, HttpServer, modern_request};

use super::caller::tool_content;
use super::{Exchange, Soak, loses_server};
use crate::app_dir::{PACKAGES, card, server_command};
use crate::growth::Usage;
use crate::requests::Rng;

/// The package that the soak's writer changes all the time.
const LIVE_URI: &str = "alc://packages/live/init.lua";

pub(super) struct Http<'s> {
    soak: &'s Soak<'s>,
    lasting: HttpServer,
    rng: Rng,
}

impl<'s> Http<'s> {
    pub(super) fn start(soak: &'s Soak<'s>) -> Result<Self> {
        Ok(Self { soak, lasting: serve(soak), rng: Rng::new(202) })
    }

    /// Reads and calls without a session.
    fn hold_modern(&mut self, round: usize) -> Result<()> {
        let mut connection = self.lasting.connect();
        let number = self.rng.below(PACKAGES);
        let read = json!({"uri": format!("alc://packages/p{number}/meta")});
        let meta = self.result(&connection.call("resources/read", read))?;
        let text = meta["contents"][0]["text"].as_str().with_context(|| meta.to_string())?;
        let version = number.to_string();
        ensure!(serde_json::from_str::<Value>(text)?["version"] == *version, "another package: {meta}");
        let arguments = json!({"round": round, "text": "x".repeat(self.rng.below(100_000))});
        let echo = json!({"name": "soak_echo", "arguments": arguments});
        let echoed = tool_content(&self.result(&connection.call("tools/call", echo))?)?;
        ensure!(echoed == arguments, "another echo: {echoed}");
        let missing = connection.call("no/such/method", json!({}));
        self.soak.count_answer();
        ensure!((missing.status, missing.error_code()) == (404, -32601), "{missing:?}");
        Ok(())
    }

    /// Starts a run in a session, ends the session, and continues the run without one.
    fn hold_session(&mut self, round: usize) -> Result<()> {
        let mut connection = self.lasting.connect();
        let session = connection.initialize("/mcp", json!({}));
        let card = json!({"uri": format!("alc://cards/{}", card(round % 100))});
        let read = self.result(&connection.call_in_session(&session, 1, "resources/read", card))?;
        let text = read["contents"][0]["text"].as_str().with_context(|| read.to_string())?;
        ensure!(serde_json::from_str::<Value>(text)?["n"] == round % 100, "another card: {read}");
        let waits = self.result(&connection.call_in_session(&session, 2, "tools/call", paused_run(round)))?;
        let named = [("mcp-session-id", session.clone())];
        ensure!(connection.exchange("DELETE", "/mcp", &named, None).status == 204, "the session does not end");
        ensure!(connection.call_in_session(&session, 3, "ping", json!({})).status == 404, "the session goes on");
        self.continue_run(&waits, round)
    }

    fn continue_run(&self, waits: &Value, round: usize) -> Result<()> {
        let waits = tool_content(waits)?;
        let reply = json!({"session_id": waits["session_id"], "query_id": waits["query_id"], "response": "over"});
        let params = json!({"name": "alc_continue", "arguments": reply});
        let done = tool_content(&self.result(&self.lasting.call("tools/call", params))?)?;
        ensure!(done["status"] == "completed" && done["result"] == format!("{round} over"), "{done}");
        Ok(())
    }

    /// Waits for a change of the changing package, on a stream of each revision.
    fn listen(&self) -> Result<()> {
        let mut modern = self.lasting.connect();
        let filter = json!({"notifications": {"resourceSubscriptions": [LIVE_URI]}});
        let (headers, message) = modern_request(1, "subscriptions/listen", filter);
        modern.send_request("POST", "/mcp", &headers, Some(message.to_string().as_bytes()));
        ensure!(modern.read_head().status == 200, "no stream");
        let acknowledged = modern.read_event().context("no event")?;
        ensure!(acknowledged["method"] == "notifications/subscriptions/acknowledged", "{acknowledged}");
        self.check_update(&mut modern)?;

        let (mut legacy, mut stream) = (self.lasting.connect(), self.lasting.connect());
        let session = legacy.initialize("/mcp", json!({}));
        let named = [("mcp-session-id", session.clone()), ("accept", "text/event-stream".to_owned())];
        stream.send_request("GET", "/mcp", &named, None);
        ensure!(stream.read_head().status == 200, "no stream");
        let subscribed = legacy.call_in_session(&session, 1, "resources/subscribe", json!({"uri": LIVE_URI}));
        self.result(&subscribed)?;
        self.check_update(&mut stream)?;
        ensure!(legacy.exchange("DELETE", "/mcp", &named, None).status == 204, "the session does not end");
        Ok(())
    }

    fn check_update(&self, stream: &mut HttpConnection<TcpStream>) -> Result<()> {
        let event = stream.read_event().context("no event")?;
        let is_update = event["method"] == "notifications/resources/updated" && event["params"]["uri"] == LIVE_URI;
        ensure!(is_update, "{event}");
        self.soak.count_answer();
        Ok(())
    }

    /// Loses a server between the start of a run and its reply.
    fn lose_server(&self, round: usize) -> Result<()> {
        let mut lost = serve(self.soak);
        let waits = self.result(&lost.call("tools/call", paused_run(round)))?;
        lost.kill();
        self.soak.count_kill();
        self.continue_run(&waits, round)
    }

    fn result(&self, reply: &HttpReply) -> Result<Value> {
        let mut message = reply.messages().pop().with_context(|| format!("no message: {reply:?}"))?;
        ensure!(reply.status == 200 && message["result"].is_object(), "{}: {message}", reply.status);
        self.soak.count_answer();
        Ok(message["result"].take())
    }
}

impl Exchange for Http<'_> {
    fn hold(&mut self, round: usize) -> Result<()> {
        self.hold_modern(round)?;
        self.hold_session(round)?;
        if round.is_multiple_of(2) {
            self.listen()?;
        }
        if loses_server(round) {
            self.lose_server(round)?;
        }
        Ok(())
    }

    fn usage(&self) -> Result<Usage> {
        Usage::of(u32::try_from(self.lasting.process_id())?)
    }
}

fn serve(soak: &Soak<'_>) -> HttpServer {
    let mut command = server_command(soak.server, soak.app());
    command.args(["serve", "--http", "127.0.0.1:0"]);
    HttpServer::spawn(command)
}

fn paused_run(round: usize) -> Value {
    let code = "return ctx.n .. ' ' .. alc.llm('and?')";
    json!({"name": "alc_run", "arguments": {"code": code, "ctx": {"n": round}}})
}
