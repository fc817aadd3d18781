//! Who answers the questions of a run: a person, a command, or a file.
//!
//! Owns: the prompt for a person, and the form of a file of answers.
//! Never: answers twice from one line of a file.

use std::io::{self, IsTerminal as _};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustyline::error::ReadlineError;
use rustyline::{Cmd, DefaultEditor, KeyEvent};
use serde::Deserialize;

use super::model_command::ModelCommand;
use super::question::Question;
use crate::cli::given::read_argument_file;
use crate::cli::run_args::AnswerArgs;
use crate::limits::MAX_MODEL_PROCESSES;
use crate::report::{self, CommandError};

pub(in crate::cli) enum Answerer {
    Person(Box<Mutex<DefaultEditor>>),
    Command(ModelCommand),
    File(Mutex<Vec<WrittenAnswer>>),
    /// There is no terminal, and nothing else was named.
    None,
}

/// Why a question has no answer.
#[derive(Debug)]
pub(super) enum NoAnswer {
    Because(String),
    /// The person ended the command.
    Stopped,
}

/// An answer of a file, which is used once.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "an answer is a text, or { when = \"…\", answer = \"…\" }")]
pub(in crate::cli) enum WrittenAnswer {
    /// To any question.
    Plain(String),
    /// To a question whose prompt has this part.
    Matching(MatchingAnswer),
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::cli) struct MatchingAnswer {
    #[serde(default)]
    when: String,
    answer: String,
}

impl Answerer {
    pub(super) fn new(args: &AnswerArgs) -> Result<Self, CommandError> {
        if let Some(command) = &args.model {
            return ModelCommand::parse(command).map(Self::Command);
        }
        if let Some(path) = &args.answers {
            return read_answers(path).map(|answers| Self::File(Mutex::new(answers)));
        }
        if io::stdin().is_terminal() && io::stderr().is_terminal() {
            return new_editor().map(|editor| Self::Person(Box::new(Mutex::new(editor))));
        }
        Ok(Self::None)
    }

    /// Answers with these texts alone.
    pub(in crate::cli) const fn scripted(answers: Vec<WrittenAnswer>) -> Self {
        Self::File(Mutex::new(answers))
    }

    /// How many questions it answers at once.
    pub(super) const fn at_once(&self) -> usize {
        match self {
            Self::Command(_) => MAX_MODEL_PROCESSES,
            Self::Person(_) | Self::File(_) | Self::None => 1,
        }
    }

    /// Answers a question. A command that works on it is ended once `is_stopped`.
    pub(super) fn answer(
        &self,
        session: &str,
        question: &Question,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<String, NoAnswer> {
        match self {
            Self::Person(editor) => ask_person(&mut lock(editor), question),
            Self::Command(command) => command.ask(session, question, is_stopped).map_err(|why| match is_stopped() {
                true => NoAnswer::Stopped,
                false => NoAnswer::Because(why),
            }),
            Self::File(answers) => take_answer(&mut lock(answers), &question.prompt)
                .ok_or_else(|| NoAnswer::Because("no answer is left in the file for it".to_owned())),
            Self::None => Err(NoAnswer::Because("there is no terminal to ask at".to_owned())),
        }
    }
}

fn lock<T: ?Sized>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn new_editor() -> Result<DefaultEditor, CommandError> {
    let failed = |error| {
        CommandError::with_cause("cannot ask at this terminal", error, "answer by --model COMMAND or --answers FILE")
    };
    let mut editor = DefaultEditor::new().map_err(failed)?;
    // Not Ctrl+J: what is typed before the question is read has that in the place of Enter.
    editor.bind_sequence(KeyEvent::alt('\r'), Cmd::Newline);
    Ok(editor)
}

fn ask_person(editor: &mut DefaultEditor, question: &Question) -> Result<String, NoAnswer> {
    if let Some(system) = &question.system {
        report::print_note(&format!("\n[system] {system}"));
    }
    report::print_note(&format!("\n{}\n", question.prompt));
    report::print_note("(Enter ends the answer, Alt+Enter begins another line, Ctrl+C leaves the run waiting)");
    loop {
        match editor.readline(&format!("{}> ", report::escape_name(&question.id))) {
            Ok(text) if text.trim().is_empty() => {}
            Ok(text) => {
                // Without a history the answer is only not offered again.
                drop(editor.add_history_entry(&text));
                return Ok(text);
            }
            Err(ReadlineError::Interrupted | ReadlineError::Eof) => return Err(NoAnswer::Stopped),
            Err(error) => return Err(NoAnswer::Because(format!("the terminal cannot be read: {error}"))),
        }
    }
}

/// Takes the first answer that fits a prompt.
fn take_answer(answers: &mut Vec<WrittenAnswer>, prompt: &str) -> Option<String> {
    let fits = |answer: &WrittenAnswer| match answer {
        WrittenAnswer::Plain(_) => true,
        WrittenAnswer::Matching(MatchingAnswer { when, .. }) => prompt.contains(when),
    };
    let at = answers.iter().position(fits)?;
    match answers.remove(at) {
        WrittenAnswer::Plain(answer) | WrittenAnswer::Matching(MatchingAnswer { answer, .. }) => Some(answer),
    }
}

fn read_answers(path: &Path) -> Result<Vec<WrittenAnswer>, CommandError> {
    let text = read_argument_file(path)?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| {
            parse_answer(line).ok_or_else(|| {
                let what = format!("{}:{}: not an answer", path.display(), at + 1);
                CommandError::new(
                    what,
                    r#"write a JSON string on each line, or {"when": "a part of the prompt", "answer": "…"}"#,
                )
            })
        })
        .collect()
}

fn parse_answer(line: &str) -> Option<WrittenAnswer> {
    serde_json::from_str(line).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_taken_once_and_where_they_fit() {
        let lines = [r#""first""#, r#"{"when": "sum", "answer": "4"}"#, r#"{"answer": "last"}"#];
        let mut answers: Vec<WrittenAnswer> = lines.iter().filter_map(|line| parse_answer(line)).collect();
        assert_eq!(take_answer(&mut answers, "the sum of 2 and 2").as_deref(), Some("first"));
        assert_eq!(take_answer(&mut answers, "the sum of 2 and 2").as_deref(), Some("4"));
        assert_eq!(take_answer(&mut answers, "the sum of 2 and 2").as_deref(), Some("last"));
        assert_eq!(take_answer(&mut answers, "the sum of 2 and 2"), None);
    }

    #[test]
    fn what_is_no_answer_is_refused() {
        for line in ["1", "[]", "{}", r#"{"when": "x"}"#, r#"{"answer": 1}"#, r#"{"answer": "x", "wen": "y"}"#, "text"]
        {
            assert_eq!(parse_answer(line), None, "{line}");
        }
    }
}
