//! Runs that pause twice: what was computed before a pause is there after it, in whichever server the run goes on.
//!
//! Owns: a counter in `alc.state`, which each run moves once, however often its script is replayed.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::caller::Caller;
use super::{Exchange, Soak, loses_server};
use crate::growth::Usage;

const CODE: &str = "
    local count = alc.state.incr('soak_runs')
    local double = tonumber(alc.llm('double ' .. ctx.n))
    local after = alc.state.incr('soak_runs_' .. ctx.n % 10)
    local both = alc.llm_batch({{prompt = 'one ' .. ctx.n}, {prompt = 'two ' .. ctx.n}})
    return {count = count, sum = ctx.n + double, after = after, both = both}";

pub(super) struct Runs<'s> {
    soak: &'s Soak<'s>,
    lasting: Caller<'s>,
    /// Runs that an answer acknowledged.
    started: usize,
}

impl<'s> Runs<'s> {
    pub(super) fn start(soak: &'s Soak<'s>) -> Result<Self> {
        Ok(Self { soak, lasting: Caller::legacy(soak)?, started: 0 })
    }

    fn cancel_one(&mut self) -> Result<()> {
        let waits = self.lasting.call_tool("alc_run", &json!({"code": "return alc.llm('never')"}))?;
        let session = json!({"session_id": waits["session_id"]});
        let ended = self.lasting.call_tool("alc_cancel", &session)?;
        ensure!(ended["status"] == "cancelled", "{ended}");
        Ok(())
    }
}

impl Exchange for Runs<'_> {
    fn hold(&mut self, round: usize) -> Result<()> {
        let start = json!({"code": CODE, "ctx": {"n": round}});
        let waits = if loses_server(round) {
            let mut lost = Caller::legacy(self.soak)?;
            let waits = lost.call_tool("alc_run", &start)?;
            lost.kill()?;
            waits
        } else {
            self.lasting.call_tool("alc_run", &start)?
        };
        self.started += 1;
        ensure!(waits["prompt"] == format!("double {round}"), "{waits}");
        let session = &waits["session_id"];
        let double = (round * 2).to_string();
        let reply = json!({"session_id": session, "query_id": waits["query_id"], "response": double});
        let waits = self.lasting.call_tool("alc_continue", &reply)?;
        let queries = waits["queries"].as_array().map_or(&[][..], Vec::as_slice);
        let prompts: Vec<&Value> = queries.iter().map(|query| &query["prompt"]).collect();
        ensure!(prompts == [&json!(format!("one {round}")), &json!(format!("two {round}"))], "{waits}");
        let replies: Vec<Value> = (queries.iter().zip(["first", "second"]))
            .map(|(query, text)| json!({"query_id": query["id"], "response": text}))
            .collect();
        let replies = json!({"session_id": session, "responses": replies});
        let done = self.lasting.call_tool("alc_continue", &replies)?;
        let expected =
            json!({"count": self.started, "sum": round * 3, "after": round / 10 + 1, "both": ["first", "second"]});
        ensure!(done["status"] == "completed" && done["result"] == expected, "{done}, not {expected}");
        // Repeated replies get the same answer, and move nothing.
        ensure!(self.lasting.call_tool("alc_continue", &replies)? == done, "another answer to the same replies");
        if round.is_multiple_of(8) {
            self.cancel_one()?;
        }
        Ok(())
    }

    fn usage(&self) -> Result<Usage> {
        self.lasting.usage()
    }
}
