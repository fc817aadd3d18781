//! Output for people: results on standard output, errors and hints on standard error. At a terminal with colours, tables and
//! a pager; to a program plain.
//!
//! Never: writes control characters from files or from outside to a terminal.

mod json;
mod page;
pub(crate) mod pager;
mod progress;
mod table;
mod terminal;

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::io::{self, IsTerminal as _, Write};

pub(crate) use self::json::{print_json, print_json_document};
pub(crate) use self::page::fit_page;
pub(crate) use self::progress::{Progress, name_if_slow};
pub(crate) use self::table::{Cell, Column, Table};
use self::terminal::paint;
pub(crate) use self::terminal::{TextRole, can_draw, drawing_columns, help_columns, is_output_terminal, obeys_styles};
use wardroom_appdir::AppDirError;
use wardroom_base::hidden_chars::is_hidden;

/// The hint for a person who starts a hidden command by hand or finds its error in a log.
pub(crate) const STARTED_BY_SERVER_HINT: &str =
    "only a server starts this process: run wardroom doctor to see whether it can";

/// The error of a failed command, with its cause and a hint. An error cannot be made without a hint.
#[derive(Debug)]
pub(crate) struct CommandError {
    message: String,
    cause: Option<Box<dyn Error + Send + Sync>>,
    hint: String,
}

/// The hint for a helper or worker that could not be started as a copy of this program.
pub(crate) const SELF_START_HINT: &str =
    "install wardroom again if its file was moved or is not executable: it starts a copy of itself for this";

pub(crate) const DISK_FULL_HINT: &str = "free some space, or raise the quota; what was there before is unchanged";
pub(crate) const PERMISSION_DENIED_HINT: &str = "check the owner and the permissions of that folder";

const READ_ONLY_DISK_HINT: &str = "mount that disk for writing; a disk with errors becomes read-only by itself";

/// The hint for file errors that have the same remedy in every context.
pub(crate) const fn file_error_hint(error: &AppDirError) -> Option<&'static str> {
    match error {
        AppDirError::DiskFull(_) => Some(DISK_FULL_HINT),
        AppDirError::PermissionDenied(_) => Some(PERMISSION_DENIED_HINT),
        AppDirError::TooManyOpenFiles(_) => Some("close some programs, or raise the limit of open files (ulimit -n)"),
        AppDirError::ReadOnly(_) => Some("leave out --read-only"),
        AppDirError::ReadOnlyDisk(_) => Some(READ_ONLY_DISK_HINT),
        AppDirError::Locked(_) | AppDirError::ChangedDuringRead(_) => Some("try again: another process is using it"),
        AppDirError::FolderRemoved(_) => Some("try again: that folder was removed meanwhile"),
        AppDirError::NotAFolder(_) => Some("name a folder, or move away the file that has its name"),
        AppDirError::DanglingLink(_) => Some("remove the link, or create its target"),
        AppDirError::NotUtf8(_) => Some("save that file as UTF-8"),
        AppDirError::NotFound(_)
        | AppDirError::OutsideRoot(_)
        | AppDirError::NotRegularFile(_)
        | AppDirError::TooLarge { .. }
        | AppDirError::AlreadyExists(_)
        | AppDirError::Cancelled(_)
        | AppDirError::Io { .. } => None,
    }
}

impl CommandError {
    pub(crate) fn new(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: what.into(), cause: None, hint: hint.into() }
    }

    /// Makes an error with a cause. `hint` fits the attempt; a cause with a hint of its own takes precedence.
    pub(crate) fn with_cause(
        what: impl Into<String>,
        cause: impl Error + Send + Sync + 'static,
        hint: impl Into<String>,
    ) -> Self {
        let cause: Box<dyn Error + Send + Sync> = Box::new(cause);
        let hint = cause.downcast_ref().and_then(file_error_hint).map_or_else(|| hint.into(), str::to_owned);
        Self { message: what.into(), cause: Some(cause), hint }
    }

    pub(crate) fn hint(&self) -> &str {
        &self.hint
    }

    /// Whether the reader of our output closed it, which is no failure.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        let io = self.cause.as_ref().and_then(|cause| cause.downcast_ref::<io::Error>());
        io.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl fmt::Display for CommandError {
    /// Displays the message and its cause, without the hint. A cause repeats neither a name nor a reason that ends the
    /// message.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = &self.message;
        let Some(cause) = &self.cause else { return f.write_str(message) };
        match file_error(&**cause) {
            Some(error) if ends_with_words(message, error.name()) => write!(f, "{message}: {}", error.reason()),
            Some(error) if ends_with_words(message, &error.reason()) => write!(f, "{message}: {}", error.name()),
            _ => write!(f, "{message}: {cause}"),
        }
    }
}

/// The file error that is a cause, or that an I/O error contains.
fn file_error<'e>(cause: &'e (dyn Error + Send + Sync + 'static)) -> Option<&'e AppDirError> {
    let inner = cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    cause.downcast_ref().or_else(|| inner?.downcast_ref())
}

fn ends_with_words(message: &str, words: &str) -> bool {
    message.strip_suffix(words).is_some_and(|before| before.is_empty() || before.ends_with([' ', '/']))
}

/// Prints `error: …`, with its cause, and `hint: …`.
pub(crate) fn print_error(failure: &CommandError) {
    // Each is one line, whatever text it quotes.
    let (error, hint) = (label("error", TextRole::Bad), label("hint", TextRole::Name));
    let message = failure.to_string().replace('\n', " ");
    write_note(&format!("{error} {}\n{hint} {}", escape_name(&message), escape_name(&failure.hint)));
}

/// A part that the server or command continues without.
pub(crate) struct CommandWarning {
    /// The affected part, in a word or two.
    pub(crate) subject: &'static str,
    pub(crate) detail: String,
    pub(crate) hint: String,
}

/// Prints `warning: …` and `hint: …`.
pub(crate) fn print_warning(warning: &CommandWarning) {
    let CommandWarning { subject: what, detail, hint } = warning;
    let (warning, to_fix) = (label("warning", TextRole::Warning), label("hint", TextRole::Name));
    write_note(&format!("{warning} {what} {}\n{to_fix} {}", escape_name(detail), escape_name(hint)));
}

/// The first word of a line on standard error, in a colour at a terminal.
fn label(word: &str, role: TextRole) -> String {
    paint(&format!("{word}:"), Some(role), io::stderr().is_terminal() && obeys_styles())
}

/// Escapes a name or a path from the AppDir for a message: on one line, without control characters.
pub(crate) fn escape_name(text: &str) -> String {
    escape_chars(text, |_| false)
}

/// Escapes a line of a log: a tab is two spaces.
pub(crate) fn escape_log_line(line: &str) -> String {
    escape_name(&line.replace('\t', "  "))
}

/// Returns the beginning of a text on one line, without control characters.
pub(crate) fn shorten(text: &str, max_chars: usize) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    escape_name(&match words.char_indices().nth(max_chars) {
        Some((end, _)) => format!("{}…", words.get(..end).unwrap_or_default()),
        None => words,
    })
}

/// Prints a line on standard error. If standard error is closed, the line is lost.
pub(crate) fn print_note(line: &str) {
    write_note(&escape_for_terminal(line));
}

/// Asks a person at the terminal, and returns whether the answer is yes. `unread_hint` says what to do without a terminal.
pub(crate) fn ask(question: &str, unread_hint: &'static str) -> Result<bool, CommandError> {
    print_note(&format!("{question} [y/N]"));
    let mut answer = String::new();
    let unread = |error| CommandError::with_cause("cannot read the answer", error, unread_hint);
    io::stdin().read_line(&mut answer).map_err(unread)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// Writes lines that were escaped already to standard error.
fn write_note(lines: &str) {
    if !pager::keep_note(lines) {
        let _ = writeln!(io::stderr().lock(), "{lines}");
    }
}

fn escape_for_terminal(text: &str) -> String {
    escape_chars(text, |character| matches!(character, '\n' | '\t'))
}

/// Escapes what moves the cursor, sets a colour, changes the direction of a text, or cannot be seen; not what `is_kept`.
fn escape_chars(text: &str, is_kept: impl Fn(char) -> bool) -> String {
    let (mut escaped, mut previous) = (String::with_capacity(text.len()), None);
    for character in text.chars() {
        let before = previous.replace(character);
        if !is_kept(character) && (character.is_control() || is_hidden(before, character)) {
            escaped.extend(character.escape_unicode());
        } else {
            escaped.push(character);
        }
    }
    escaped
}

/// Prints a line on standard output: unchanged to a program, without control characters to a terminal.
pub(crate) fn print_line(text: &str) -> Result<(), CommandError> {
    let text = if is_output_terminal() { Cow::Owned(escape_for_terminal(text)) } else { Cow::Borrowed(text) };
    write_line(&text)
}

/// Prints a line as [`print_line`] does, in the colour of its role at a terminal.
pub(crate) fn print_colored(text: &str, role: Option<TextRole>) -> Result<(), CommandError> {
    if !is_output_terminal() {
        return print_line(text);
    }
    write_line(&paint(&escape_for_terminal(text), role, obeys_styles()))
}

/// What a line of a diff is.
pub(crate) fn diff_role(line: &str) -> Option<TextRole> {
    match line.as_bytes().first() {
        Some(b'+') => Some(TextRole::Good),
        Some(b'-') => Some(TextRole::Bad),
        Some(b'@') => Some(TextRole::Name),
        _ => None,
    }
}

fn write_line(text: &str) -> Result<(), CommandError> {
    pager::write(format!("{text}\n").as_bytes()).map_err(output_error)
}

/// Prints a document on standard output: unchanged to a program, without control characters to a terminal.
pub(crate) fn print_text(bytes: &[u8]) -> Result<(), CommandError> {
    if io::stdout().is_terminal() {
        // CR LF is a line end, not a control sequence.
        let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
        return print_bytes(escape_for_terminal(&text).as_bytes());
    }
    print_bytes(bytes)
}

/// Writes bytes to standard output unchanged.
pub(crate) fn print_bytes(bytes: &[u8]) -> Result<(), CommandError> {
    pager::write(bytes).and_then(|()| io::stdout().lock().flush()).map_err(output_error)
}

fn output_error(error: io::Error) -> CommandError {
    CommandError::with_cause(
        "cannot write to standard output",
        error,
        "check where it goes, and whether there is space",
    )
}
