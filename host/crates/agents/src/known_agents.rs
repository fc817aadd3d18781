//! The agents, as data: which files each reads, in which format, and the shape of an entry there. `docs/AGENTS.md` has
//! the same table for people, with the documentation of each row. `edit_text.rs` edits a file's text, `agent_file.rs`
//! writes the file.
//!
//! Never: accesses this machine; every row is the same everywhere.

use super::agent::{Agent, CandidateRule, ConfigFormat, ConfigTarget, EntryShape, ReadPolicy};
use super::paths::{BaseDir, PathRule, Platform};

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
            format: ConfigFormat::JsonWithComments,
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
    Agent {
        id: "junie",
        aliases: &[],
        title: "Junie",
        targets: &[ConfigTarget {
            title: "Junie",
            platforms: ALL_PLATFORMS,
            read_policy: ReadPolicy::FirstExisting,
            candidates: &[CandidateRule {
                file: home_path(&[".junie", "mcp", "mcp.json"]),
                install_markers: &[home_path(&[".junie"])],
            }],
            format: ConfigFormat::Json,
            servers_path: MCP_SERVERS_KEY,
            shape: EntryShape::Plain,
        }],
        activation_hint: NEXT_SESSION_HINT,
    },
    Agent {
        id: "roo_code",
        aliases: &["roo"],
        title: "Roo Code",
        targets: &[ConfigTarget {
            title: "Roo Code",
            platforms: ALL_PLATFORMS,
            read_policy: ReadPolicy::FirstExisting,
            candidates: &[CandidateRule {
                file: app_config_path(&[
                    "Code",
                    "User",
                    "globalStorage",
                    "rooveterinaryinc.roo-cline",
                    "settings",
                    "mcp_settings.json",
                ]),
                install_markers: &[app_config_path(&["Code", "User", "globalStorage", "rooveterinaryinc.roo-cline"])],
            }],
            format: ConfigFormat::Json,
            servers_path: MCP_SERVERS_KEY,
            shape: EntryShape::Plain,
        }],
        activation_hint: "refresh its list of MCP servers",
    },
    Agent {
        id: "continue",
        aliases: &[],
        title: "Continue",
        targets: &[ConfigTarget {
            title: "Continue",
            platforms: ALL_PLATFORMS,
            // It reads every file of the folder: this one is called as its documentation calls it.
            read_policy: ReadPolicy::FirstExisting,
            candidates: &[CandidateRule {
                file: home_path(&[".continue", "mcpServers", "mcp.json"]),
                install_markers: &[home_path(&[".continue"])],
            }],
            format: ConfigFormat::Json,
            servers_path: MCP_SERVERS_KEY,
            shape: EntryShape::Plain,
        }],
        activation_hint: "reload its configuration",
    },
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{AGENTS, CandidateRule, ConfigTarget, PathRule, Platform};
    use crate::paths::PathEnvironment;

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
