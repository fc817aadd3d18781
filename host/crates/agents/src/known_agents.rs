//! The agents, as data: which files each reads, in which format, and the shape of an entry there. `docs/AGENTS.md` has
//! the same table for people, with the documentation of each row. `edit_text.rs` edits a file's text, `agent_file.rs`
//! writes the file.
//!
//! Never: accesses this machine; every row is the same everywhere.

use super::paths::{BaseDir, PathEnvironment, PathRule, Platform};

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

/// Returns the agent with this id or alias.
#[must_use]
pub fn find_agent(name: &str) -> Option<&'static Agent> {
    AGENTS.iter().find(|agent| agent.id == name || agent.aliases.contains(&name))
}

const ALL_PLATFORMS: &[Platform] = &[Platform::Linux, Platform::MacOs, Platform::Windows];

const fn home_path(below: &'static [&'static str]) -> PathRule {
    PathRule::new(BaseDir::Home, below)
}

const fn app_config_path(below: &'static [&'static str]) -> PathRule {
    PathRule::new(BaseDir::AppConfig, below)
}

const fn variable_path(
    variables: &'static [(&'static str, &'static [&'static str])],
    base: BaseDir,
    below: &'static [&'static str],
) -> PathRule {
    PathRule { variables, base, segments: below }
}

const MCP_SERVERS_KEY: &[&str] = &["mcpServers"];
const RESTART_HINT: &str = "restart it";
const NEXT_SESSION_HINT: &str = "its next session reads it";

pub const AGENTS: &[Agent] = &[
    Agent {
        id: "claude_code",
        aliases: &["claude"],
        title: "Claude Code",
        targets: &[ConfigTarget {
            title: "Claude Code",
            platforms: ALL_PLATFORMS,
            // The scope `user`. Servers in settings.json are silently ignored.
            read_policy: ReadPolicy::FirstExisting,
            candidates: &[
                // An older file, which it reads instead if it exists.
                CandidateRule {
                    file: variable_path(
                        &[("CLAUDE_CONFIG_DIR", &[".config.json"])],
                        BaseDir::Home,
                        &[".claude", ".config.json"],
                    ),
                    install_markers: &[],
                },
                CandidateRule {
                    file: variable_path(&[("CLAUDE_CONFIG_DIR", &[".claude.json"])], BaseDir::Home, &[".claude.json"]),
                    install_markers: &[variable_path(&[("CLAUDE_CONFIG_DIR", &[])], BaseDir::Home, &[".claude"])],
                },
            ],
            format: ConfigFormat::Json,
            servers_path: MCP_SERVERS_KEY,
            shape: EntryShape::Stdio,
        }],
        activation_hint: NEXT_SESSION_HINT,
    },
    Agent {
        id: "claude_desktop",
        aliases: &[],
        title: "Claude Desktop",
        targets: &[
            ConfigTarget {
                title: "Claude Desktop",
                platforms: ALL_PLATFORMS,
                read_policy: ReadPolicy::FirstExisting,
                candidates: &[CandidateRule {
                    file: app_config_path(&["Claude", "claude_desktop_config.json"]),
                    install_markers: &[app_config_path(&["Claude"])],
                }],
                format: ConfigFormat::Json,
                servers_path: MCP_SERVERS_KEY,
                shape: EntryShape::Plain,
            },
            ConfigTarget {
                title: "Claude Desktop (package)",
                platforms: &[Platform::Windows],
                // Windows redirects the classic path to another folder for a packaged program:
                // anthropics/claude-code#26073.
                read_policy: ReadPolicy::FirstExisting,
                candidates: &[CandidateRule {
                    file: PathRule::new(
                        BaseDir::LocalAppConfig,
                        &[
                            "Packages",
                            "Claude_pzs8sxrjxfjjc",
                            "LocalCache",
                            "Roaming",
                            "Claude",
                            "claude_desktop_config.json",
                        ],
                    ),
                    install_markers: &[PathRule::new(BaseDir::LocalAppConfig, &["Packages", "Claude_pzs8sxrjxfjjc"])],
                }],
                format: ConfigFormat::Json,
                servers_path: MCP_SERVERS_KEY,
                shape: EntryShape::Plain,
            },
        ],
        activation_hint: "quit it first, since it writes the file when it ends; start it again afterwards",
    },
    Agent {
        id: "github_copilot",
        aliases: &["copilot", "vscode"],
        title: "GitHub Copilot",
        targets: &[
            ConfigTarget {
                title: "VS Code",
                platforms: ALL_PLATFORMS,
                read_policy: ReadPolicy::FirstExisting,
                candidates: &[CandidateRule {
                    file: app_config_path(&["Code", "User", "mcp.json"]),
                    install_markers: &[app_config_path(&["Code", "User"])],
                }],
                format: ConfigFormat::Jsonc,
                // `servers`; nearly all others use `mcpServers`.
                servers_path: &["servers"],
                shape: EntryShape::Stdio,
            },
            ConfigTarget {
                title: "VS Code Insiders",
                platforms: ALL_PLATFORMS,
                read_policy: ReadPolicy::FirstExisting,
                candidates: &[CandidateRule {
                    file: app_config_path(&["Code - Insiders", "User", "mcp.json"]),
                    install_markers: &[app_config_path(&["Code - Insiders", "User"])],
                }],
                format: ConfigFormat::Jsonc,
                servers_path: &["servers"],
                shape: EntryShape::Stdio,
            },
            ConfigTarget {
                title: "Copilot CLI",
                platforms: ALL_PLATFORMS,
                read_policy: ReadPolicy::FirstExisting,
                candidates: &[CandidateRule {
                    file: variable_path(
                        &[("COPILOT_HOME", &["mcp-config.json"])],
                        BaseDir::Home,
                        &[".copilot", "mcp-config.json"],
                    ),
                    install_markers: &[variable_path(&[("COPILOT_HOME", &[])], BaseDir::Home, &[".copilot"])],
                }],
                format: ConfigFormat::Jsonc,
                servers_path: MCP_SERVERS_KEY,
                shape: EntryShape::CopilotCli,
            },
        ],
        activation_hint: "start the server in the list of MCP servers, or open a new session",
    },
    Agent {
        id: "gemini_cli",
        aliases: &["gemini"],
        title: "Gemini CLI",
        targets: &[ConfigTarget {
            title: "Gemini CLI",
            platforms: ALL_PLATFORMS,
            // The variable replaces the home folder, not `.gemini`.
            read_policy: ReadPolicy::FirstExisting,
            candidates: &[CandidateRule {
                file: variable_path(
                    &[("GEMINI_CLI_HOME", &[".gemini", "settings.json"])],
                    BaseDir::Home,
                    &[".gemini", "settings.json"],
                ),
                // Antigravity has its files below `.gemini`, too.
                install_markers: &[
                    variable_path(
                        &[("GEMINI_CLI_HOME", &[".gemini", "oauth_creds.json"])],
                        BaseDir::Home,
                        &[".gemini", "oauth_creds.json"],
                    ),
                    variable_path(
                        &[("GEMINI_CLI_HOME", &[".gemini", "installation_id"])],
                        BaseDir::Home,
                        &[".gemini", "installation_id"],
                    ),
                ],
            }],
            format: ConfigFormat::Jsonc,
            servers_path: MCP_SERVERS_KEY,
            shape: EntryShape::Plain,
        }],
        activation_hint: NEXT_SESSION_HINT,
    },
    Agent {
        id: "antigravity",
        aliases: &[],
        title: "Antigravity",
        targets: &[ConfigTarget {
            title: "Antigravity",
            platforms: ALL_PLATFORMS,
            // Strict JSON, because it starts no session with a file that it cannot read. It creates the file empty.
            read_policy: ReadPolicy::FirstExisting,
            candidates: &[CandidateRule {
                file: home_path(&[".gemini", "config", "mcp_config.json"]),
                install_markers: &[home_path(&[".gemini", "config"]), home_path(&[".gemini", "antigravity-cli"])],
            }],
            format: ConfigFormat::Json,
            servers_path: MCP_SERVERS_KEY,
            shape: EntryShape::Plain,
        }],
        activation_hint: NEXT_SESSION_HINT,
    },
    Agent {
        id: "opencode",
        aliases: &[],
        title: "OpenCode",
        targets: &[ConfigTarget {
            title: "OpenCode",
            platforms: ALL_PLATFORMS,
            // The first file takes precedence.
            read_policy: ReadPolicy::AllExisting,
            candidates: &[
                CandidateRule {
                    file: PathRule::new(BaseDir::Xdg, &["opencode", "opencode.jsonc"]),
                    install_markers: &[],
                },
                CandidateRule {
                    file: PathRule::new(BaseDir::Xdg, &["opencode", "opencode.json"]),
                    install_markers: &[PathRule::new(BaseDir::Xdg, &["opencode"])],
                },
                CandidateRule { file: PathRule::new(BaseDir::Xdg, &["opencode", "config.json"]), install_markers: &[] },
            ],
            format: ConfigFormat::Jsonc,
            // The first version's shape, which the second version also reads, unless the file has the second's.
            servers_path: &["mcp"],
            shape: EntryShape::OpenCode,
        }],
        activation_hint: NEXT_SESSION_HINT,
    },
    Agent {
        id: "mistral_vibe",
        aliases: &["vibe"],
        title: "Mistral Vibe",
        targets: &[ConfigTarget {
            title: "Mistral Vibe",
            platforms: ALL_PLATFORMS,
            read_policy: ReadPolicy::FirstExisting,
            candidates: &[CandidateRule {
                file: variable_path(&[("VIBE_HOME", &["config.toml"])], BaseDir::Home, &[".vibe", "config.toml"]),
                install_markers: &[variable_path(&[("VIBE_HOME", &[])], BaseDir::Home, &[".vibe"])],
            }],
            format: ConfigFormat::Toml,
            servers_path: &["mcp_servers"],
            shape: EntryShape::Vibe,
        }],
        activation_hint: NEXT_SESSION_HINT,
    },
    Agent {
        id: "openai_codex",
        aliases: &["codex"],
        title: "OpenAI Codex",
        targets: &[ConfigTarget {
            title: "OpenAI Codex",
            platforms: ALL_PLATFORMS,
            read_policy: ReadPolicy::FirstExisting,
            candidates: &[CandidateRule {
                file: variable_path(&[("CODEX_HOME", &["config.toml"])], BaseDir::Home, &[".codex", "config.toml"]),
                install_markers: &[variable_path(&[("CODEX_HOME", &[])], BaseDir::Home, &[".codex"])],
            }],
            format: ConfigFormat::Toml,
            servers_path: &["mcp_servers"],
            shape: EntryShape::Plain,
        }],
        activation_hint: "its next session reads it; so do its editor extension and the desktop program",
    },
    Agent {
        id: "cursor",
        aliases: &[],
        title: "Cursor",
        targets: &[ConfigTarget {
            title: "Cursor",
            platforms: ALL_PLATFORMS,
            read_policy: ReadPolicy::FirstExisting,
            candidates: &[CandidateRule {
                file: home_path(&[".cursor", "mcp.json"]),
                install_markers: &[home_path(&[".cursor"])],
            }],
            format: ConfigFormat::Jsonc,
            servers_path: MCP_SERVERS_KEY,
            shape: EntryShape::Stdio,
        }],
        activation_hint: "switch the server on in its settings",
    },
    Agent {
        id: "cline",
        aliases: &[],
        title: "Cline",
        targets: &[ConfigTarget {
            title: "Cline",
            platforms: ALL_PLATFORMS,
            // Command line and extension share the first; older extensions have the second, and newer ones migrate it.
            read_policy: ReadPolicy::FirstExisting,
            candidates: &[
                CandidateRule {
                    file: variable_path(
                        &[
                            ("CLINE_MCP_SETTINGS_PATH", &[]),
                            ("CLINE_DATA_DIR", &["settings", "cline_mcp_settings.json"]),
                            ("CLINE_DIR", &["data", "settings", "cline_mcp_settings.json"]),
                        ],
                        BaseDir::Home,
                        &[".cline", "data", "settings", "cline_mcp_settings.json"],
                    ),
                    install_markers: &[variable_path(
                        &[("CLINE_DATA_DIR", &[]), ("CLINE_DIR", &["data"])],
                        BaseDir::Home,
                        &[".cline", "data"],
                    )],
                },
                CandidateRule {
                    file: app_config_path(&[
                        "Code",
                        "User",
                        "globalStorage",
                        "saoudrizwan.claude-dev",
                        "settings",
                        "cline_mcp_settings.json",
                    ]),
                    install_markers: &[app_config_path(&["Code", "User", "globalStorage", "saoudrizwan.claude-dev"])],
                },
            ],
            format: ConfigFormat::Json,
            servers_path: MCP_SERVERS_KEY,
            shape: EntryShape::Cline,
        }],
        activation_hint: "it reads the file at once",
    },
    Agent {
        id: "amp",
        aliases: &[],
        title: "Amp",
        targets: &[ConfigTarget {
            title: "Amp",
            platforms: ALL_PLATFORMS,
            read_policy: ReadPolicy::FirstExisting,
            candidates: &[
                CandidateRule { file: home_path(&[".config", "amp", "settings.jsonc"]), install_markers: &[] },
                CandidateRule {
                    file: variable_path(
                        &[("AMP_SETTINGS_FILE", &[])],
                        BaseDir::Home,
                        &[".config", "amp", "settings.json"],
                    ),
                    install_markers: &[home_path(&[".config", "amp"])],
                },
            ],
            format: ConfigFormat::Jsonc,
            // One key with a dot in it, not two.
            servers_path: &["amp.mcpServers"],
            shape: EntryShape::Plain,
        }],
        activation_hint: NEXT_SESSION_HINT,
    },
    Agent {
        id: "zed",
        aliases: &[],
        title: "Zed",
        targets: &[
            ConfigTarget {
                title: "Zed",
                platforms: &[Platform::Linux],
                read_policy: ReadPolicy::FirstExisting,
                candidates: &[CandidateRule {
                    file: variable_path(
                        &[("FLATPAK_XDG_CONFIG_HOME", &["zed", "settings.json"])],
                        BaseDir::Xdg,
                        &["zed", "settings.json"],
                    ),
                    install_markers: &[variable_path(&[("FLATPAK_XDG_CONFIG_HOME", &["zed"])], BaseDir::Xdg, &["zed"])],
                }],
                format: ConfigFormat::Jsonc,
                servers_path: &["context_servers"],
                shape: EntryShape::Plain,
            },
            ConfigTarget {
                title: "Zed",
                platforms: &[Platform::MacOs],
                // Its settings are not in the same folder as its other files.
                read_policy: ReadPolicy::FirstExisting,
                candidates: &[CandidateRule {
                    file: home_path(&[".config", "zed", "settings.json"]),
                    install_markers: &[home_path(&[".config", "zed"])],
                }],
                format: ConfigFormat::Jsonc,
                servers_path: &["context_servers"],
                shape: EntryShape::Plain,
            },
            ConfigTarget {
                title: "Zed",
                platforms: &[Platform::Windows],
                read_policy: ReadPolicy::FirstExisting,
                candidates: &[CandidateRule {
                    file: app_config_path(&["Zed", "settings.json"]),
                    install_markers: &[app_config_path(&["Zed"])],
                }],
                format: ConfigFormat::Jsonc,
                servers_path: &["context_servers"],
                shape: EntryShape::Plain,
            },
        ],
        activation_hint: RESTART_HINT,
    },
    Agent {
        id: "windsurf",
        aliases: &[],
        title: "Windsurf",
        targets: &[ConfigTarget {
            title: "Windsurf",
            platforms: ALL_PLATFORMS,
            read_policy: ReadPolicy::FirstExisting,
            candidates: &[CandidateRule {
                file: home_path(&[".codeium", "windsurf", "mcp_config.json"]),
                install_markers: &[home_path(&[".codeium", "windsurf"])],
            }],
            format: ConfigFormat::Json,
            servers_path: MCP_SERVERS_KEY,
            shape: EntryShape::Plain,
        }],
        activation_hint: "refresh its list of MCP servers",
    },
    Agent {
        id: "kiro",
        aliases: &[],
        title: "Kiro",
        targets: &[ConfigTarget {
            title: "Kiro",
            platforms: ALL_PLATFORMS,
            // Its editor and its command line share the file.
            read_policy: ReadPolicy::FirstExisting,
            candidates: &[CandidateRule {
                file: home_path(&[".kiro", "settings", "mcp.json"]),
                install_markers: &[home_path(&[".kiro"])],
            }],
            format: ConfigFormat::Json,
            servers_path: MCP_SERVERS_KEY,
            shape: EntryShape::Plain,
        }],
        activation_hint: "it reads the file when that is saved; its command line in the next session",
    },
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{AGENTS, CandidateRule, ConfigTarget, PathEnvironment, PathRule, Platform};

    /// A variable that is not read would count as unset.
    #[test]
    fn path_rule_variables_equal_read_variables() {
        let of_place = |place: &PathRule, system: &Platform| -> Vec<&str> {
            place.variables.iter().map(|(name, _)| *name).chain(place.base.override_variable(*system)).collect()
        };
        let of_target = |target: &'static ConfigTarget| {
            let places = |candidate: &'static CandidateRule| candidate.install_markers.iter().chain([&candidate.file]);
            let places = target.candidates.iter().flat_map(places);
            places.flat_map(|place| target.platforms.iter().flat_map(|system| of_place(place, system)))
        };
        let named: BTreeSet<&str> = AGENTS.iter().flat_map(|agent| agent.targets).flat_map(of_target).collect();
        assert_eq!(named, BTreeSet::from(PathEnvironment::VARIABLES));
    }
}
