//! The shape of an agent's row: its files, the possible paths of each, and the format and shape of an entry.
//!
//! Never: accesses this machine: paths are resolved from a given environment.

use super::paths::{PathEnvironment, PathRule, Platform};

/// A program that starts MCP servers.
#[derive(Debug)]
pub struct Agent {
    pub id: &'static str,
    /// Other names of it, by which a person may call it.
    pub aliases: &'static [&'static str],
    pub title: &'static str,
    pub targets: &'static [ConfigTarget],
    /// The user's next step before the agent reads the written file.
    pub activation_hint: &'static str,
}

/// One file of an agent. An agent that consists of several programs has several.
#[derive(Debug)]
pub struct ConfigTarget {
    pub title: &'static str,
    pub(super) platforms: &'static [Platform],
    /// The possible paths. The one that a variable names is used; else the first that exists, else the first whose
    /// install marker exists.
    pub(super) candidates: &'static [CandidateRule],
    pub(super) read_policy: ReadPolicy,
    pub format: ConfigFormat,
    /// The keys that lead to the servers.
    pub(super) servers_path: &'static [&'static str],
    pub shape: EntryShape,
}

#[derive(Debug)]
pub(super) struct CandidateRule {
    pub(super) file: PathRule,
    /// Files and folders that only the agent creates: if one exists, the agent is installed. Without any, the file is
    /// only used if it exists.
    pub(super) install_markers: &'static [PathRule],
}

/// Which of its files an agent reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadPolicy {
    FirstExisting,
    /// All that exist, together.
    AllExisting,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigFormat {
    /// Comments and trailing commas are errors, as they are for the agent.
    Json,
    /// With comments, and without trailing commas: the agent strips comments alone.
    JsonWithComments,
    /// With comments and trailing commas.
    Jsonc,
    Toml,
}

/// The shape of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryShape {
    /// `command` and `args`.
    Plain,
    /// The same with `type = "stdio"`.
    Stdio,
    /// `type = "local"` and the tools that may be used.
    CopilotCli,
    /// One list with program and arguments, below `mcp`.
    OpenCode,
    /// The same below `mcp.servers`, without the key `enabled`.
    OpenCodeNested,
    /// `command` and `args`, or both in `transport`.
    Cline,
    /// A table of an array, which contains its name.
    Vibe,
}

impl Agent {
    /// Returns a variable that names the agent's files but is unusable: not an absolute path, or not UTF-8.
    #[must_use]
    pub fn invalid_variable(&self, environment: &PathEnvironment) -> Option<&'static str> {
        let targets = self.targets.iter().filter(|target| target.platforms.contains(&environment.platform));
        targets.flat_map(|target| target.candidates).find_map(|candidate| candidate.file.invalid_variable(environment))
    }
}

impl ConfigTarget {
    /// Returns the possible paths of the file, each with the install markers of its agent.
    #[must_use]
    pub fn candidate_paths(&self, environment: &PathEnvironment) -> Vec<CandidatePaths> {
        if !self.platforms.contains(&environment.platform) {
            return Vec::new();
        }
        let path = |place: &PathRule| place.resolve(environment);
        let paths = |candidate: &CandidateRule| CandidatePaths {
            file: path(&candidate.file),
            install_markers: candidate.install_markers.iter().map(path).collect(),
        };
        let is_named = |candidate: &&CandidateRule| candidate.file.is_overridden(environment);
        let named: Vec<_> = self.candidates.iter().filter(is_named).map(paths).collect();
        if named.is_empty() { self.candidates.iter().map(paths).collect() } else { named }
    }
}

/// A file, and the paths that show that its agent is installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CandidatePaths {
    pub file: String,
    pub install_markers: Vec<String>,
}
