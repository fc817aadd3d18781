//! The paths of agents' files on each platform: pure text, so that every platform's paths can be built on any.
//!
//! Never: accesses a file, or reads the environment itself (the CLI does).

use std::collections::BTreeMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    Linux,
    MacOs,
    Windows,
}

impl Platform {
    /// Returns the platform that this program was built for. Systems other than macOS and Windows count as Linux.
    #[must_use]
    pub const fn current() -> Self {
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

    /// Whether a path is absolute.
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

/// The inputs of path rules.
#[derive(Debug, Clone)]
pub struct PathEnvironment {
    pub platform: Platform,
    pub home: String,
    /// The environment variables. The replacement character marks bytes that are not UTF-8.
    pub variables: BTreeMap<String, String>,
}

fn is_valid_unicode(path: &str) -> bool {
    !path.contains(char::REPLACEMENT_CHARACTER)
}

impl PathEnvironment {
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

    /// Returns the value of a variable that holds an absolute path.
    fn folder_variable(&self, name: &str) -> Option<String> {
        let value = self.variables.get(name).filter(|value| self.is_absolute(value) && is_valid_unicode(value))?;
        Some(value.trim_end_matches(['/', '\\']).to_owned())
    }

    /// Whether a path is absolute.
    #[must_use]
    pub fn is_absolute(&self, path: &str) -> bool {
        self.platform.is_absolute(path)
    }

    /// Whether a variable is set to an unusable value: a relative path would depend on where the agent is started. By
    /// their specification, relative XDG variables count as unset.
    fn is_invalid_variable(&self, name: &str) -> bool {
        let is_ignored = |value: &str| value.is_empty() || name.contains("XDG_") && !self.is_absolute(value);
        self.variables.get(name).is_some_and(|value| {
            self.folder_variable(name).is_none() && !(is_ignored(value) && is_valid_unicode(value))
        })
    }

    fn join(&self, above: &str, below: &[&str]) -> String {
        let mut path = above.to_owned();
        for name in below {
            path.push(self.platform.separator());
            path.push_str(name);
        }
        path
    }

    fn base_path(&self, base: BaseDir) -> String {
        let below = |names: &[&str]| self.join(self.home.trim_end_matches(['/', '\\']), names);
        match (base, self.platform) {
            (BaseDir::Home, _) => below(&[]),
            (BaseDir::Xdg, _) | (BaseDir::AppConfig, Platform::Linux) => {
                self.folder_variable("XDG_CONFIG_HOME").unwrap_or_else(|| below(&[".config"]))
            }
            (BaseDir::AppConfig, Platform::MacOs) => below(&["Library", "Application Support"]),
            (BaseDir::AppConfig, Platform::Windows) => {
                self.folder_variable("APPDATA").unwrap_or_else(|| below(&["AppData", "Roaming"]))
            }
            (BaseDir::LocalAppConfig, _) => {
                self.folder_variable("LOCALAPPDATA").unwrap_or_else(|| below(&["AppData", "Local"]))
            }
        }
    }
}

/// A base folder, whose path depends on the platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BaseDir {
    Home,
    /// `XDG_CONFIG_HOME`, else `~/.config`, on every platform.
    Xdg,
    /// The folder for settings of desktop programs.
    AppConfig,
    /// The folder for settings that stay on one machine; on Windows only.
    LocalAppConfig,
}

/// A path: segments below a base folder, or below a folder that a variable names instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PathRule {
    /// Variables that name a folder, each with the segments from there to the file. The first that is set counts.
    pub(super) variables: &'static [(&'static str, &'static [&'static str])],
    pub(super) base: BaseDir,
    pub(super) segments: &'static [&'static str],
}

impl BaseDir {
    /// Returns the variable that overrides the folder.
    pub(super) const fn override_variable(self, platform: Platform) -> Option<&'static str> {
        match (self, platform) {
            (Self::Xdg, _) | (Self::AppConfig, Platform::Linux) => Some("XDG_CONFIG_HOME"),
            (Self::AppConfig, Platform::Windows) => Some("APPDATA"),
            (Self::LocalAppConfig, _) => Some("LOCALAPPDATA"),
            (Self::Home, _) | (Self::AppConfig, Platform::MacOs) => None,
        }
    }
}

impl PathRule {
    pub(super) const fn new(base: BaseDir, below: &'static [&'static str]) -> Self {
        Self { variables: &[], base, segments: below }
    }

    /// Whether a variable overrides the path.
    pub(super) fn is_overridden(&self, environment: &PathEnvironment) -> bool {
        self.variables.iter().any(|(name, _)| environment.folder_variable(name).is_some())
    }

    /// Returns the variable that the path depends on, if it is [invalid](PathEnvironment::is_invalid_variable).
    pub(super) fn invalid_variable(&self, environment: &PathEnvironment) -> Option<&'static str> {
        let base = self.base.override_variable(environment.platform);
        let names = self.variables.iter().map(|(name, _)| *name).chain(base);
        // The first variable that is set counts, whatever the values of the others.
        let set = |name: &&str| environment.folder_variable(name).is_some() || environment.is_invalid_variable(name);
        names.into_iter().find(set).filter(|name| environment.is_invalid_variable(name))
    }

    pub(super) fn resolve(&self, environment: &PathEnvironment) -> String {
        let named = self.variables.iter().find_map(|(name, below)| Some((environment.folder_variable(name)?, *below)));
        match named {
            Some((folder, below)) => environment.join(&folder, below),
            None => environment.join(&environment.base_path(self.base), self.segments),
        }
    }
}
