//! Our entry: its name, its launch command, and its fields in each shape.
//!
//! Never: depends on a file or on a text format.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::agent::EntryShape;
use wardroom_base::hidden_chars::is_hidden_in_line;

/// The name of an entry: letters, digits, `_` and `-`, which every agent accepts unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerName(String);

impl ServerName {
    const MAX_LEN: usize = 64;

    /// # Errors
    /// The rule that the name breaks.
    pub fn parse(name: &str) -> Result<Self, &'static str> {
        if name.is_empty() || name.len() > Self::MAX_LEN {
            return Err("a name has 1 to 64 characters");
        }
        if name == "__proto__" {
            return Err("__proto__ has another meaning in JavaScript programs");
        }
        if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')) {
            Ok(Self(name.to_owned()))
        } else {
            Err("a name has only letters, digits, _ and -")
        }
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A program and its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchCommand {
    pub command: String,
    pub args: Vec<String>,
}

impl LaunchCommand {
    /// Returns the program and its arguments in one list.
    pub(super) fn argv(&self) -> Vec<String> {
        [std::slice::from_ref(&self.command), &self.args].concat()
    }

    /// Whether a long option is among the arguments, by itself or with `=` and its value.
    pub(super) fn has_option(&self, option: &str) -> bool {
        let is_it =
            |arg: &String| arg.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with('='));
        self.args.iter().any(is_it)
    }

    /// Returns the command as it is typed at a shell.
    #[must_use]
    pub fn shell_command(&self) -> String {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
        let word = |word: String| {
            if !word.is_empty() && word.chars().all(is_plain) {
                word
            } else {
                format!("'{}'", word.replace('\'', r"'\''"))
            }
        };
        self.argv().into_iter().map(word).collect::<Vec<_>>().join(" ")
    }
}

/// An entry that a file has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledEntry {
    pub launch: LaunchCommand,
    /// The environment variables that it sets.
    pub environment: BTreeMap<String, String>,
    /// Whether its agent does not start it.
    pub is_disabled: bool,
}

impl InstalledEntry {
    /// Describes the entry for a person: its command, and only the names of its variables, since their values may be
    /// keys.
    pub(super) fn summary(&self) -> String {
        let started = format!("`{}`", escape_to_line(&self.launch.shell_command()));
        if self.environment.is_empty() {
            return started;
        }
        let names: Vec<&str> = self.environment.keys().map(String::as_str).collect();
        format!("{started} with `{}`", escape_to_line(&names.join(", ")))
    }
}

/// Escapes the start of an untrusted text, so that it can neither end a quotation nor hide characters.
fn escape_to_line(text: &str) -> String {
    const MAX_SUMMARY_CHARS: usize = 500;
    let is_plain = |c: char| !is_hidden_in_line(c) && c != '`';
    let mut line = String::new();
    for (at, c) in text.chars().enumerate() {
        if at == MAX_SUMMARY_CHARS {
            let _ = write!(line, "… ({} characters)", text.chars().count());
            break;
        }
        if is_plain(c) { line.push(c) } else { line.extend(c.escape_unicode()) }
    }
    line
}

/// What stands for an element of a list that is no text: no argument is equal to it, and those beside it count.
pub(super) const OTHER_ELEMENT: &str = "\u{fffd}";

/// The value of an entry's field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum EntryFieldValue {
    Text(String),
    List(Vec<String>),
    Flag(bool),
}

/// The purpose of a field, which decides when it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldRole {
    /// Part of the launch command: kept up to date.
    Launch,
    /// The transport. May be missing; an existing value must be one of these.
    Transport(&'static [&'static str]),
    /// For the agent or the user to change: written with a new entry only.
    InitialOnly,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EntryField {
    pub(super) key: &'static str,
    pub(super) value: EntryFieldValue,
    pub(super) role: FieldRole,
}

impl EntryField {
    /// Whether an entry needs no change for this field; `current` is its value, if that can be read.
    pub(super) fn is_satisfied(&self, is_there: bool, current: Option<&EntryFieldValue>) -> bool {
        match (&self.role, is_there, current) {
            (FieldRole::InitialOnly, ..) | (FieldRole::Transport(_), false, _) => true,
            // Missing arguments and an empty list of them are the same.
            (FieldRole::Launch, false, _) => self.value == EntryFieldValue::List(Vec::new()),
            (FieldRole::Transport(names), true, Some(EntryFieldValue::Text(name))) => names.contains(&name.as_str()),
            (FieldRole::Transport(_), true, _) => false,
            (FieldRole::Launch, true, current) => current == Some(&self.value),
        }
    }
}

impl EntryShape {
    /// Returns the fields of a new entry, in their order.
    pub(super) fn fields(self, launch: &LaunchCommand) -> Vec<EntryField> {
        let starts = |key, content| EntryField { key, value: content, role: FieldRole::Launch };
        let kind = |key, names: &'static [&'static str]| EntryField {
            key,
            value: EntryFieldValue::Text(names.first().copied().unwrap_or_default().to_owned()),
            role: FieldRole::Transport(names),
        };
        let once = |key, content| EntryField { key, value: content, role: FieldRole::InitialOnly };
        let command = || starts("command", EntryFieldValue::Text(launch.command.clone()));
        let args = || starts("args", EntryFieldValue::List(launch.args.clone()));
        let whole = || starts("command", EntryFieldValue::List(launch.argv()));
        match self {
            Self::Plain | Self::Cline => vec![command(), args()],
            Self::Stdio => vec![kind("type", &["stdio"]), command(), args()],
            Self::CopilotCli => {
                let tools = once("tools", EntryFieldValue::List(vec!["*".to_owned()]));
                vec![kind("type", &["local", "stdio"]), command(), args(), tools]
            }
            Self::OpenCode => vec![kind("type", &["local"]), whole(), once("enabled", EntryFieldValue::Flag(true))],
            Self::OpenCodeNested => vec![kind("type", &["local"]), whole()],
            Self::Vibe => vec![kind("transport", &["stdio"]), command(), args()],
        }
    }

    /// Returns the key of the environment variables that an entry sets.
    pub(super) const fn environment_key(self) -> &'static str {
        match self {
            Self::OpenCode | Self::OpenCodeNested => "environment",
            Self::Plain | Self::Stdio | Self::CopilotCli | Self::Cline | Self::Vibe => "env",
        }
    }

    /// Builds an entry from its fields and environment variables; `None` if it starts no program.
    pub(super) fn parse_entry(
        self,
        field: impl Fn(&str) -> Option<EntryFieldValue>,
        environment: BTreeMap<String, String>,
    ) -> Option<InstalledEntry> {
        let is = |key: &str, flag: bool| field(key) == Some(EntryFieldValue::Flag(flag));
        let is_off = is("disabled", true) || is("enabled", false);
        Some(InstalledEntry { launch: self.parse_launch(&field)?, environment, is_disabled: is_off })
    }

    /// Returns the launch command of an entry, from the texts and lists of its fields.
    pub(super) fn parse_launch(self, field: impl Fn(&str) -> Option<EntryFieldValue>) -> Option<LaunchCommand> {
        match (self, field("command")?) {
            (Self::OpenCode | Self::OpenCodeNested, EntryFieldValue::List(whole)) => {
                let (command, args) = whole.split_first()?;
                Some(LaunchCommand { command: command.clone(), args: args.to_vec() })
            }
            (
                Self::Plain | Self::Stdio | Self::CopilotCli | Self::Cline | Self::Vibe,
                EntryFieldValue::Text(command),
            ) => {
                let args = match field("args") {
                    None => Vec::new(),
                    Some(EntryFieldValue::List(args)) => args,
                    Some(EntryFieldValue::Text(_) | EntryFieldValue::Flag(_)) => return None,
                };
                Some(LaunchCommand { command, args })
            }
            _ => None,
        }
    }
}
