//! A command that answers as a model does: a process for each question.
//!
//! Owns: the process: its input, the time and the output that it may have.
//! Never: uses a shell.

use std::io::{self, Read as _, Write as _};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::question::Question;
use crate::limits::{MAX_MODEL_ANSWER_BYTES, MAX_MODEL_TIME, MAX_OUTPUT_DELAY};
use crate::report::CommandError;

/// How often it is looked whether a command has ended.
const STEP: Duration = Duration::from_millis(10);

/// The program and its arguments.
#[derive(Debug)]
pub(in crate::cli) struct ModelCommand {
    program: String,
    arguments: Vec<String>,
}

impl ModelCommand {
    pub(super) fn parse(text: &str) -> Result<Self, CommandError> {
        let words = shlex::split(text).unwrap_or_default();
        let Some((program, arguments)) = words.split_first() else {
            let what = "--model names no command: its quotes have no end, or it is empty";
            return Err(CommandError::new(what, "write --model 'PROGRAM ARGUMENT …'"));
        };
        Ok(Self { program: program.clone(), arguments: arguments.to_vec() })
    }

    /// Asks one question, and ends the command once `is_stopped`. The error says why there is no answer.
    pub(super) fn ask(
        &self,
        session: &str,
        question: &Question,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<String, String> {
        #[expect(clippy::disallowed_methods, reason = "the command that the person named")]
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().map_err(|error| format!("{} cannot be started: {error}", self.program))?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let input = json!({
            "session": session,
            "id": question.id,
            "system": question.system,
            "prompt": question.prompt,
            "max_tokens": question.max_tokens,
        });
        // Each in a thread of its own: a command may answer before it has read everything, or read and never answer.
        let writer = thread::spawn(move || stdin.map(|mut stdin| writeln!(stdin, "{input}")));
        let answer = Arc::new(Mutex::new(Vec::new()));
        let read = Arc::clone(&answer);
        let reader = thread::spawn(move || stdout.map_or(Ok(()), |stdout| read_answer(stdout, &read)));
        let failed = |error: io::Error| format!("{} cannot be waited for: {error}", self.program);
        let status = wait(&mut child, MAX_MODEL_TIME, is_stopped).map_err(failed)?;
        let Some(status) = status else {
            return Err(format!("{} was ended: it gave no answer within {} s", self.program, MAX_MODEL_TIME.as_secs()));
        };
        if !status.success() {
            return Err(format!("{} failed ({status})", self.program));
        }
        // What it started may keep its input and its output open; it has answered.
        drop(writer);
        let deadline = Instant::now() + MAX_OUTPUT_DELAY;
        while !reader.is_finished() && Instant::now() < deadline {
            thread::sleep(STEP);
        }
        if reader.is_finished() {
            reader.join().unwrap_or(Ok(())).map_err(failed)?;
        }
        let answer = std::mem::take(&mut *answer.lock().unwrap_or_else(PoisonError::into_inner));
        if answer.len() as u64 > MAX_MODEL_ANSWER_BYTES {
            return Err(format!("{} wrote more than {MAX_MODEL_ANSWER_BYTES} bytes", self.program));
        }
        let text =
            String::from_utf8(answer).map_err(|_| format!("{} wrote an answer that is not UTF-8", self.program))?;
        let text = text.trim_end_matches(['\r', '\n']);
        if text.is_empty() { Err(format!("{} wrote no answer", self.program)) } else { Ok(text.to_owned()) }
    }
}

/// Reads an answer, and one byte more than it may have.
fn read_answer(mut from: ChildStdout, answer: &Mutex<Vec<u8>>) -> io::Result<()> {
    let mut buffer = [0; 16 * 1024];
    loop {
        let n_read = match from.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        let mut answer = answer.lock().unwrap_or_else(PoisonError::into_inner);
        answer.extend_from_slice(buffer.get(..n_read).unwrap_or_default());
        if n_read == 0 || answer.len() as u64 > MAX_MODEL_ANSWER_BYTES {
            return Ok(());
        }
    }
}

/// Waits until the command has ended. Ends it when its time is over, or once `is_stopped`.
fn wait(child: &mut Child, time: Duration, is_stopped: &dyn Fn() -> bool) -> io::Result<Option<ExitStatus>> {
    let deadline = Instant::now() + time;
    loop {
        match child.try_wait()? {
            Some(status) => return Ok(Some(status)),
            None if Instant::now() >= deadline || is_stopped() => break,
            None => thread::sleep(STEP),
        }
    }
    child.kill()?;
    child.wait()?;
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a command that a test ends")]
    fn command_is_ended_when_its_time_is_over_or_it_is_stopped() {
        let sleep = || Command::new("sleep").arg("600").spawn().unwrap();
        let ended = wait(&mut sleep(), Duration::from_millis(30), &|| false);
        assert_eq!(ended.unwrap(), None);
        let asked = Cell::new(0);
        let is_stopped = || asked.replace(asked.get() + 1) == 2;
        assert_eq!(wait(&mut sleep(), MAX_MODEL_TIME, &is_stopped).unwrap(), None);
    }

    #[test]
    fn command_is_split_as_a_shell_would_and_needs_whole_quotes() {
        let command = ModelCommand::parse("'my model' --say \"$HOME; x\"").unwrap();
        assert_eq!(
            (command.program.as_str(), command.arguments.as_slice()),
            ("my model", &["--say".into(), "$HOME; x".into()][..])
        );
        assert!(ModelCommand::parse("model 'open").is_err() && ModelCommand::parse(" ").is_err());
    }
}
