//! The agents, as data: which files each reads, in which form, and what an entry looks like there. `docs/AGENTS.md` has the
//! same table for people, with where each row is documented.
//!
//! Never: looks at this machine; every row is the same everywhere.

use super::places::{Base, Environment, Place, System};

/// A program that starts MCP servers.
#[derive(Debug)]
pub struct Agent {
    pub id: &'static str,
    pub title: &'static str,
    pub targets: &'static [Target],
    /// What a person has to do before the agent reads what was written.
    pub afterwards: &'static str,
}

/// One file of an agent. An agent that is several programs has several.
#[derive(Debug)]
pub struct Target {
    pub title: &'static str,
    pub(super) systems: &'static [System],
    /// One that a variable names is the one; else the first that is there, else the first whose sign is.
    pub(super) candidates: &'static [Candidate],
    pub(super) reads: Reads,
    pub format: Format,
    /// The keys that lead to the servers.
    pub(super) servers: &'static [&'static str],
    pub shape: Shape,
}

#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) file: Place,
    /// Files and folders that the agent makes itself: where one is, it is installed. Without any, the file is only used
    /// where it is.
    pub(super) signs: &'static [Place],
}

/// Which of its files an agent reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reads {
    One,
    /// All that are there, together.
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Comments and trailing commas are errors, as they are for the agent.
    Json,
    /// With comments and trailing commas.
    Jsonc,
    Toml,
}

/// What an entry looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// `command` and `args`.
    Plain,
    /// The same with `type = "stdio"`.
    Stdio,
    /// `type = "local"` and the tools that may be used.
    CopilotCli,
    /// One list for program and arguments, below `mcp`.
    OpenCode,
    /// The same below `mcp.servers`, where there is no `enabled`.
    OpenCodeNested,
    /// `command` and `args`, or both in `transport`.
    Cline,
    /// A table of an array, which has its name in itself.
    Vibe,
}

impl Agent {
    /// A variable that says where its files are, and is no path that does: no absolute one, or none in UTF-8.
    #[must_use]
    pub fn misleading(&self, environment: &Environment) -> Option<&'static str> {
        let targets = self.targets.iter().filter(|target| target.systems.contains(&environment.system));
        targets.flat_map(|target| target.candidates).find_map(|candidate| candidate.file.misleading(environment))
    }
}

impl Target {
    /// The paths that may be the one, each with the signs that its agent is installed.
    #[must_use]
    pub fn paths(&self, environment: &Environment) -> Vec<Paths> {
        if !self.systems.contains(&environment.system) {
            return Vec::new();
        }
        let path = |place: &Place| place.path(environment);
        let paths = |candidate: &Candidate| Paths {
            file: path(&candidate.file),
            signs: candidate.signs.iter().map(path).collect(),
        };
        let is_named = |candidate: &&Candidate| candidate.file.is_named(environment);
        let named: Vec<_> = self.candidates.iter().filter(is_named).map(paths).collect();
        if named.is_empty() { self.candidates.iter().map(paths).collect() } else { named }
    }
}

/// A file, and what shows that its agent is installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    pub file: String,
    pub signs: Vec<String>,
}

/// The agent with this id.
#[must_use]
pub fn agent(id: &str) -> Option<&'static Agent> {
    AGENTS.iter().find(|agent| agent.id == id)
}

const ALL: &[System] = &[System::Linux, System::MacOs, System::Windows];

const fn home(below: &'static [&'static str]) -> Place {
    Place::of(Base::Home, below)
}

const fn applications(below: &'static [&'static str]) -> Place {
    Place::of(Base::Applications, below)
}

const fn named(
    variables: &'static [(&'static str, &'static [&'static str])],
    base: Base,
    below: &'static [&'static str],
) -> Place {
    Place { variables, base, below }
}

const SERVERS: &[&str] = &["mcpServers"];
const RESTART: &str = "restart it";
const NEXT_SESSION: &str = "its next session reads it";

pub const AGENTS: &[Agent] = &[
    Agent {
        id: "claude_code",
        title: "Claude Code",
        targets: &[Target {
            title: "Claude Code",
            systems: ALL,
            // The scope `user`. Servers in settings.json are ignored without a word.
            reads: Reads::One,
            candidates: &[
                // An older one of its own, which it reads instead where it is.
                Candidate {
                    file: named(&[("CLAUDE_CONFIG_DIR", &[".config.json"])], Base::Home, &[".claude", ".config.json"]),
                    signs: &[],
                },
                Candidate {
                    file: named(&[("CLAUDE_CONFIG_DIR", &[".claude.json"])], Base::Home, &[".claude.json"]),
                    signs: &[named(&[("CLAUDE_CONFIG_DIR", &[])], Base::Home, &[".claude"])],
                },
            ],
            format: Format::Json,
            servers: SERVERS,
            shape: Shape::Stdio,
        }],
        afterwards: NEXT_SESSION,
    },
    Agent {
        id: "claude_desktop",
        title: "Claude Desktop",
        targets: &[
            Target {
                title: "Claude Desktop",
                systems: ALL,
                reads: Reads::One,
                candidates: &[Candidate {
                    file: applications(&["Claude", "claude_desktop_config.json"]),
                    signs: &[applications(&["Claude"])],
                }],
                format: Format::Json,
                servers: SERVERS,
                shape: Shape::Plain,
            },
            Target {
                title: "Claude Desktop (package)",
                systems: &[System::Windows],
                // Windows shows a packaged program another folder under the classic path: anthropics/claude-code#26073.
                reads: Reads::One,
                candidates: &[Candidate {
                    file: Place::of(
                        Base::LocalApplications,
                        &[
                            "Packages",
                            "Claude_pzs8sxrjxfjjc",
                            "LocalCache",
                            "Roaming",
                            "Claude",
                            "claude_desktop_config.json",
                        ],
                    ),
                    signs: &[Place::of(Base::LocalApplications, &["Packages", "Claude_pzs8sxrjxfjjc"])],
                }],
                format: Format::Json,
                servers: SERVERS,
                shape: Shape::Plain,
            },
        ],
        afterwards: "quit it before, since it writes the file when it ends, and start it again",
    },
    Agent {
        id: "github_copilot",
        title: "GitHub Copilot",
        targets: &[
            Target {
                title: "VS Code",
                systems: ALL,
                reads: Reads::One,
                candidates: &[Candidate {
                    file: applications(&["Code", "User", "mcp.json"]),
                    signs: &[applications(&["Code", "User"])],
                }],
                format: Format::Jsonc,
                // `servers`, where nearly all others say `mcpServers`.
                servers: &["servers"],
                shape: Shape::Stdio,
            },
            Target {
                title: "VS Code Insiders",
                systems: ALL,
                reads: Reads::One,
                candidates: &[Candidate {
                    file: applications(&["Code - Insiders", "User", "mcp.json"]),
                    signs: &[applications(&["Code - Insiders", "User"])],
                }],
                format: Format::Jsonc,
                servers: &["servers"],
                shape: Shape::Stdio,
            },
            Target {
                title: "Copilot CLI",
                systems: ALL,
                reads: Reads::One,
                candidates: &[Candidate {
                    file: named(
                        &[("COPILOT_HOME", &["mcp-config.json"])],
                        Base::Home,
                        &[".copilot", "mcp-config.json"],
                    ),
                    signs: &[named(&[("COPILOT_HOME", &[])], Base::Home, &[".copilot"])],
                }],
                format: Format::Jsonc,
                servers: SERVERS,
                shape: Shape::CopilotCli,
            },
        ],
        afterwards: "start the server in the list of MCP servers, or open a new session",
    },
    Agent {
        id: "gemini_cli",
        title: "Gemini CLI",
        targets: &[Target {
            title: "Gemini CLI",
            systems: ALL,
            // The variable takes the place of the home folder, not of `.gemini`.
            reads: Reads::One,
            candidates: &[Candidate {
                file: named(
                    &[("GEMINI_CLI_HOME", &[".gemini", "settings.json"])],
                    Base::Home,
                    &[".gemini", "settings.json"],
                ),
                // Antigravity has its files below `.gemini`, too.
                signs: &[
                    named(
                        &[("GEMINI_CLI_HOME", &[".gemini", "oauth_creds.json"])],
                        Base::Home,
                        &[".gemini", "oauth_creds.json"],
                    ),
                    named(
                        &[("GEMINI_CLI_HOME", &[".gemini", "installation_id"])],
                        Base::Home,
                        &[".gemini", "installation_id"],
                    ),
                ],
            }],
            format: Format::Jsonc,
            servers: SERVERS,
            shape: Shape::Plain,
        }],
        afterwards: NEXT_SESSION,
    },
    Agent {
        id: "antigravity",
        title: "Antigravity",
        targets: &[Target {
            title: "Antigravity",
            systems: ALL,
            // It starts no session at all with a file that it cannot read: strict. It makes the file empty.
            reads: Reads::One,
            candidates: &[Candidate {
                file: home(&[".gemini", "config", "mcp_config.json"]),
                signs: &[home(&[".gemini", "config"]), home(&[".gemini", "antigravity-cli"])],
            }],
            format: Format::Json,
            servers: SERVERS,
            shape: Shape::Plain,
        }],
        afterwards: NEXT_SESSION,
    },
    Agent {
        id: "opencode",
        title: "OpenCode",
        targets: &[Target {
            title: "OpenCode",
            systems: ALL,
            // What the first says counts most.
            reads: Reads::All,
            candidates: &[
                Candidate { file: Place::of(Base::Xdg, &["opencode", "opencode.jsonc"]), signs: &[] },
                Candidate {
                    file: Place::of(Base::Xdg, &["opencode", "opencode.json"]),
                    signs: &[Place::of(Base::Xdg, &["opencode"])],
                },
                Candidate { file: Place::of(Base::Xdg, &["opencode", "config.json"]), signs: &[] },
            ],
            format: Format::Jsonc,
            // The first version's shape, which the second reads, unless the file has the second's.
            servers: &["mcp"],
            shape: Shape::OpenCode,
        }],
        afterwards: NEXT_SESSION,
    },
    Agent {
        id: "mistral_vibe",
        title: "Mistral Vibe",
        targets: &[Target {
            title: "Mistral Vibe",
            systems: ALL,
            reads: Reads::One,
            candidates: &[Candidate {
                file: named(&[("VIBE_HOME", &["config.toml"])], Base::Home, &[".vibe", "config.toml"]),
                signs: &[named(&[("VIBE_HOME", &[])], Base::Home, &[".vibe"])],
            }],
            format: Format::Toml,
            servers: &["mcp_servers"],
            shape: Shape::Vibe,
        }],
        afterwards: NEXT_SESSION,
    },
    Agent {
        id: "openai_codex",
        title: "OpenAI Codex",
        targets: &[Target {
            title: "OpenAI Codex",
            systems: ALL,
            reads: Reads::One,
            candidates: &[Candidate {
                file: named(&[("CODEX_HOME", &["config.toml"])], Base::Home, &[".codex", "config.toml"]),
                signs: &[named(&[("CODEX_HOME", &[])], Base::Home, &[".codex"])],
            }],
            format: Format::Toml,
            servers: &["mcp_servers"],
            shape: Shape::Plain,
        }],
        afterwards: "its next session reads it; so do its editor extension and the desktop program",
    },
    Agent {
        id: "cursor",
        title: "Cursor",
        targets: &[Target {
            title: "Cursor",
            systems: ALL,
            reads: Reads::One,
            candidates: &[Candidate { file: home(&[".cursor", "mcp.json"]), signs: &[home(&[".cursor"])] }],
            format: Format::Jsonc,
            servers: SERVERS,
            shape: Shape::Stdio,
        }],
        afterwards: "switch the server on in its settings",
    },
    Agent {
        id: "cline",
        title: "Cline",
        targets: &[Target {
            title: "Cline",
            systems: ALL,
            // Command line and extension share the first; older extensions have the second, and newer ones move it.
            reads: Reads::One,
            candidates: &[
                Candidate {
                    file: named(
                        &[
                            ("CLINE_MCP_SETTINGS_PATH", &[]),
                            ("CLINE_DATA_DIR", &["settings", "cline_mcp_settings.json"]),
                            ("CLINE_DIR", &["data", "settings", "cline_mcp_settings.json"]),
                        ],
                        Base::Home,
                        &[".cline", "data", "settings", "cline_mcp_settings.json"],
                    ),
                    signs: &[named(
                        &[("CLINE_DATA_DIR", &[]), ("CLINE_DIR", &["data"])],
                        Base::Home,
                        &[".cline", "data"],
                    )],
                },
                Candidate {
                    file: applications(&[
                        "Code",
                        "User",
                        "globalStorage",
                        "saoudrizwan.claude-dev",
                        "settings",
                        "cline_mcp_settings.json",
                    ]),
                    signs: &[applications(&["Code", "User", "globalStorage", "saoudrizwan.claude-dev"])],
                },
            ],
            format: Format::Json,
            servers: SERVERS,
            shape: Shape::Cline,
        }],
        afterwards: "it reads the file at once",
    },
    Agent {
        id: "amp",
        title: "Amp",
        targets: &[Target {
            title: "Amp",
            systems: ALL,
            reads: Reads::One,
            candidates: &[
                Candidate { file: home(&[".config", "amp", "settings.jsonc"]), signs: &[] },
                Candidate {
                    file: named(&[("AMP_SETTINGS_FILE", &[])], Base::Home, &[".config", "amp", "settings.json"]),
                    signs: &[home(&[".config", "amp"])],
                },
            ],
            format: Format::Jsonc,
            // One key with a dot in it, not two.
            servers: &["amp.mcpServers"],
            shape: Shape::Plain,
        }],
        afterwards: NEXT_SESSION,
    },
    Agent {
        id: "zed",
        title: "Zed",
        targets: &[
            Target {
                title: "Zed",
                systems: &[System::Linux],
                reads: Reads::One,
                candidates: &[Candidate {
                    file: named(
                        &[("FLATPAK_XDG_CONFIG_HOME", &["zed", "settings.json"])],
                        Base::Xdg,
                        &["zed", "settings.json"],
                    ),
                    signs: &[named(&[("FLATPAK_XDG_CONFIG_HOME", &["zed"])], Base::Xdg, &["zed"])],
                }],
                format: Format::Jsonc,
                servers: &["context_servers"],
                shape: Shape::Plain,
            },
            Target {
                title: "Zed",
                systems: &[System::MacOs],
                // Its settings are not where its other files are.
                reads: Reads::One,
                candidates: &[Candidate {
                    file: home(&[".config", "zed", "settings.json"]),
                    signs: &[home(&[".config", "zed"])],
                }],
                format: Format::Jsonc,
                servers: &["context_servers"],
                shape: Shape::Plain,
            },
            Target {
                title: "Zed",
                systems: &[System::Windows],
                reads: Reads::One,
                candidates: &[Candidate {
                    file: applications(&["Zed", "settings.json"]),
                    signs: &[applications(&["Zed"])],
                }],
                format: Format::Jsonc,
                servers: &["context_servers"],
                shape: Shape::Plain,
            },
        ],
        afterwards: RESTART,
    },
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{AGENTS, Candidate, Environment, Place, System, Target};

    /// One that is not asked for would be as good as not set.
    #[test]
    fn every_variable_of_a_path_is_asked_for_and_no_other() {
        let of_place = |place: &Place, system: &System| -> Vec<&str> {
            place.variables.iter().map(|(name, _)| *name).chain(place.base.variable(*system)).collect()
        };
        let of_target = |target: &'static Target| {
            let places = |candidate: &'static Candidate| candidate.signs.iter().chain([&candidate.file]);
            let places = target.candidates.iter().flat_map(places);
            places.flat_map(|place| target.systems.iter().flat_map(|system| of_place(place, system)))
        };
        let named: BTreeSet<&str> = AGENTS.iter().flat_map(|agent| agent.targets).flat_map(of_target).collect();
        assert_eq!(named, BTreeSet::from(Environment::VARIABLES));
    }
}
