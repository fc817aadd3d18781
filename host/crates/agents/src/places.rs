//! Where files of agents are, on each system: pure text, so that every system's paths are made on any.
//!
//! Never: looks at a file, or asks the environment itself (see `cli`).

use std::collections::BTreeMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    Linux,
    MacOs,
    Windows,
}

impl System {
    /// The one that this program was built for. What is neither macOS nor Windows keeps its files as Linux does.
    #[must_use]
    pub const fn here() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::MacOs
        } else {
            Self::Linux
        }
    }

    const fn separator(self) -> char {
        match self {
            Self::Windows => '\\',
            Self::Linux | Self::MacOs => '/',
        }
    }

    /// Whether a path says where it is from anywhere.
    fn is_absolute(self, path: &str) -> bool {
        match self {
            Self::Linux | Self::MacOs => path.starts_with('/'),
            Self::Windows => match path.as_bytes() {
                [drive, b':', b'\\' | b'/', ..] => drive.is_ascii_alphabetic(),
                [b'\\', b'\\', ..] => true,
                _ => false,
            },
        }
    }
}

/// What paths are made from.
#[derive(Debug, Clone)]
pub struct Environment {
    pub system: System,
    pub home: String,
    /// In one that is not UTF-8 the replacement character stands for what is none.
    pub variables: BTreeMap<String, String>,
}

fn is_whole(path: &str) -> bool {
    !path.contains(char::REPLACEMENT_CHARACTER)
}

impl Environment {
    /// Every variable that a path may depend on.
    pub const VARIABLES: [&'static str; 13] = [
        "APPDATA",
        "LOCALAPPDATA",
        "XDG_CONFIG_HOME",
        "FLATPAK_XDG_CONFIG_HOME",
        "AMP_SETTINGS_FILE",
        "CLAUDE_CONFIG_DIR",
        "CLINE_MCP_SETTINGS_PATH",
        "CLINE_DATA_DIR",
        "CLINE_DIR",
        "CODEX_HOME",
        "COPILOT_HOME",
        "GEMINI_CLI_HOME",
        "VIBE_HOME",
    ];

    /// A variable that holds an absolute path.
    fn folder(&self, name: &str) -> Option<String> {
        let value = self.variables.get(name).filter(|value| self.is_absolute(value) && is_whole(value))?;
        Some(value.trim_end_matches(['/', '\\']).to_owned())
    }

    /// Whether a path says where it is from anywhere.
    #[must_use]
    pub fn is_absolute(&self, path: &str) -> bool {
        self.system.is_absolute(path)
    }

    /// Whether a variable is set to what leads nobody knows where: a relative path depends on where the agent is started. By
    /// their specification the variables of XDG are as good as not set then.
    fn misleads(&self, name: &str) -> bool {
        let is_ignored = |value: &str| value.is_empty() || name.contains("XDG_") && !self.is_absolute(value);
        self.variables
            .get(name)
            .is_some_and(|value| self.folder(name).is_none() && !(is_ignored(value) && is_whole(value)))
    }

    fn join(&self, above: &str, below: &[&str]) -> String {
        let mut path = above.to_owned();
        for name in below {
            path.push(self.system.separator());
            path.push_str(name);
        }
        path
    }

    fn base(&self, base: Base) -> String {
        let below = |names: &[&str]| self.join(self.home.trim_end_matches(['/', '\\']), names);
        match (base, self.system) {
            (Base::Home, _) => below(&[]),
            (Base::Xdg, _) | (Base::Applications, System::Linux) => {
                self.folder("XDG_CONFIG_HOME").unwrap_or_else(|| below(&[".config"]))
            }
            (Base::Applications, System::MacOs) => below(&["Library", "Application Support"]),
            (Base::Applications, System::Windows) => {
                self.folder("APPDATA").unwrap_or_else(|| below(&["AppData", "Roaming"]))
            }
            (Base::LocalApplications, _) => self.folder("LOCALAPPDATA").unwrap_or_else(|| below(&["AppData", "Local"])),
        }
    }
}

/// A folder that each system has somewhere else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    Home,
    /// `XDG_CONFIG_HOME`, else `~/.config`, on every system.
    Xdg,
    /// Where a desktop program keeps its settings.
    Applications,
    /// The same for what stays on one machine; on Windows alone.
    LocalApplications,
}

/// A path, from a folder of the system, or from what a variable names instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// Variables that name a folder, each with the way from there to the file. The first that is set counts.
    pub(super) variables: &'static [(&'static str, &'static [&'static str])],
    pub(super) base: Base,
    pub(super) below: &'static [&'static str],
}

impl Base {
    /// The variable that says where it is instead.
    pub(super) const fn variable(self, system: System) -> Option<&'static str> {
        match (self, system) {
            (Self::Xdg, _) | (Self::Applications, System::Linux) => Some("XDG_CONFIG_HOME"),
            (Self::Applications, System::Windows) => Some("APPDATA"),
            (Self::LocalApplications, _) => Some("LOCALAPPDATA"),
            (Self::Home, _) | (Self::Applications, System::MacOs) => None,
        }
    }
}

impl Place {
    pub(super) const fn of(base: Base, below: &'static [&'static str]) -> Self {
        Self { variables: &[], base, below }
    }

    /// Whether a variable names it.
    pub(super) fn is_named(&self, environment: &Environment) -> bool {
        self.variables.iter().any(|(name, _)| environment.folder(name).is_some())
    }

    /// The variable that its path depends on and that [misleads](Environment::misleads).
    pub(super) fn misleading(&self, environment: &Environment) -> Option<&'static str> {
        let base = self.base.variable(environment.system);
        let names = self.variables.iter().map(|(name, _)| *name).chain(base);
        // What the first says that is set counts, whatever the others say.
        let set = |name: &&str| environment.folder(name).is_some() || environment.misleads(name);
        names.into_iter().find(set).filter(|name| environment.misleads(name))
    }

    pub(super) fn path(&self, environment: &Environment) -> String {
        let named = self.variables.iter().find_map(|(name, below)| Some((environment.folder(name)?, *below)));
        match named {
            Some((folder, below)) => environment.join(&folder, below),
            None => environment.join(&environment.base(self.base), self.below),
        }
    }
}
