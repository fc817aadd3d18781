//! Our entry: what it is called, what it starts, which fields say so in each shape, and whether one that is there is ours.

use std::path::Path;

use super::table::Shape;

/// What an entry is called: letters, digits, `_` and `-`, which every agent takes as they are.
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
        if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')) {
            Ok(Self(name.to_owned()))
        } else {
            Err("a name has letters, digits, _ and - alone")
        }
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A program and its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    pub command: String,
    pub args: Vec<String>,
}

impl Launch {
    /// The program and its arguments in one list.
    pub(super) fn whole(&self) -> Vec<String> {
        [std::slice::from_ref(&self.command), &self.args].concat()
    }
}

/// The programs that are ours, as this machine names them.
#[derive(Debug, Clone, Default)]
pub struct Owners {
    /// The paths of the running program, as it was started and with links resolved.
    pub programs: Vec<String>,
}

impl Owners {
    /// Whether a command starts our program: this one, or another one of its name.
    #[must_use]
    pub fn owns(&self, command: &str) -> bool {
        // Both separators, whichever system the file was written on.
        let name = command.rsplit(['/', '\\']).next().unwrap_or_default();
        let ours = name == "wardroom" || name.eq_ignore_ascii_case("wardroom.exe");
        // One below the folder that an agent happens to run in may be anybody's.
        let is_anywhere = name.len() == command.len() || is_absolute(command);
        ours && is_anywhere || self.programs.iter().any(|program| Path::new(program) == Path::new(command))
    }
}

/// On whichever system.
fn is_absolute(command: &str) -> bool {
    let drive = |bytes: &[u8]| matches!(bytes, [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic());
    command.starts_with('/') || command.starts_with("\\\\") || drive(command.as_bytes())
}

/// What a field of an entry holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    Text(String),
    List(Vec<String>),
    Flag(bool),
}

/// What a field is for, which decides when it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Says what is started: brought up to date.
    Starts,
    /// Says how it is spoken to. May be left out; where it is there it is one of these.
    Kind(&'static [&'static str]),
    /// The agent's or the person's to change: written with a new entry only.
    Once,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) key: &'static str,
    pub(super) content: Content,
    pub(super) role: Role,
}

impl Shape {
    /// The fields of a new entry, in their order.
    pub(super) fn fields(self, launch: &Launch) -> Vec<Field> {
        let starts = |key, content| Field { key, content, role: Role::Starts };
        let kind = |key, names: &'static [&'static str]| Field {
            key,
            content: Content::Text(names.first().copied().unwrap_or_default().to_owned()),
            role: Role::Kind(names),
        };
        let once = |key, content| Field { key, content, role: Role::Once };
        let command = || starts("command", Content::Text(launch.command.clone()));
        let args = || starts("args", Content::List(launch.args.clone()));
        let whole = || starts("command", Content::List(launch.whole()));
        match self {
            Self::Plain => vec![command(), args()],
            Self::Stdio => vec![kind("type", &["stdio"]), command(), args()],
            Self::CopilotCli => {
                let tools = once("tools", Content::List(vec!["*".to_owned()]));
                vec![kind("type", &["local", "stdio"]), command(), args(), tools]
            }
            Self::OpenCode => vec![kind("type", &["local"]), whole(), once("enabled", Content::Flag(true))],
            Self::OpenCodeNested => vec![kind("type", &["local"]), whole()],
            Self::Vibe => vec![kind("transport", &["stdio"]), command(), args()],
        }
    }

    /// What an entry starts, from the texts and lists of its fields.
    pub(super) fn launch(self, field: impl Fn(&str) -> Option<Content>) -> Option<Launch> {
        match (self, field("command")?) {
            (Self::OpenCode | Self::OpenCodeNested, Content::List(whole)) => {
                let (command, args) = whole.split_first()?;
                Some(Launch { command: command.clone(), args: args.to_vec() })
            }
            (Self::Plain | Self::Stdio | Self::CopilotCli | Self::Vibe, Content::Text(command)) => {
                let args = match field("args") {
                    None => Vec::new(),
                    Some(Content::List(args)) => args,
                    Some(Content::Text(_) | Content::Flag(_)) => return None,
                };
                Some(Launch { command, args })
            }
            _ => None,
        }
    }
}
