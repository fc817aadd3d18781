//! The path of each agent's file on every platform, on any platform.

use wardroom_agents::{PathEnvironment, Platform};

use super::known;

fn environment(platform: Platform, variables: &[(&str, &str)]) -> PathEnvironment {
    let home = if platform == Platform::Windows { r"C:\Users\ada" } else { "/home/ada" };
    let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    PathEnvironment { platform, home: home.to_owned(), variables: variables.collect() }
}

fn files(id: &str, platform: Platform, variables: &[(&str, &str)]) -> Vec<String> {
    let environment = environment(platform, variables);
    let paths = known(id).targets.iter().flat_map(|target| target.candidate_paths(&environment));
    paths.map(|paths| paths.file).collect()
}

#[track_caller]
fn check(id: &str, linux: &[&str], mac: &[&str], windows: &[&str]) {
    assert_eq!(files(id, Platform::Linux, &[]), linux, "Linux");
    assert_eq!(files(id, Platform::MacOs, &[]), mac, "macOS");
    assert_eq!(files(id, Platform::Windows, &[]), windows, "Windows");
}

/// Checks a file that has the same path in every home folder.
#[track_caller]
fn check_same(id: &str, below: &[&str]) {
    let (slashes, backslashes) = (below.join("/"), below.join("\\"));
    let unix = format!("/home/ada/{slashes}");
    check(id, &[&unix], &[&unix], &[&format!(r"C:\Users\ada\{backslashes}")]);
}

#[test]
fn home_files_have_same_path_on_every_platform() {
    check_same("gemini_cli", &[".gemini", "settings.json"]);
    check_same("antigravity", &[".gemini", "config", "mcp_config.json"]);
    check_same("mistral_vibe", &[".vibe", "config.toml"]);
    check_same("openai_codex", &[".codex", "config.toml"]);
    check_same("cursor", &[".cursor", "mcp.json"]);
    check_same("windsurf", &[".codeium", "windsurf", "mcp_config.json"]);
    check_same("kiro", &[".kiro", "settings", "mcp.json"]);
    check_same("junie", &[".junie", "mcp", "mcp.json"]);
    check_same("continue", &[".continue", "mcpServers", "mcp.json"]);
}

#[test]
fn claude_code_lists_legacy_file_first() {
    let unix = ["/home/ada/.claude/.config.json", "/home/ada/.claude.json"];
    check("claude_code", &unix, &unix, &[r"C:\Users\ada\.claude\.config.json", r"C:\Users\ada\.claude.json"]);
    let moved = files("claude_code", Platform::Linux, &[("CLAUDE_CONFIG_DIR", "/set/c")]);
    assert_eq!(moved, ["/set/c/.config.json", "/set/c/.claude.json"]);
}

#[test]
fn desktop_files_follow_platform_conventions() {
    check(
        "claude_desktop",
        &["/home/ada/.config/Claude/claude_desktop_config.json"],
        &["/home/ada/Library/Application Support/Claude/claude_desktop_config.json"],
        &[
            r"C:\Users\ada\AppData\Roaming\Claude\claude_desktop_config.json",
            r"C:\Users\ada\AppData\Local\Packages\Claude_pzs8sxrjxfjjc\LocalCache\Roaming\Claude\claude_desktop_config.json",
        ],
    );
    check(
        "github_copilot",
        &[
            "/home/ada/.config/Code/User/mcp.json",
            "/home/ada/.config/Code - Insiders/User/mcp.json",
            "/home/ada/.copilot/mcp-config.json",
        ],
        &[
            "/home/ada/Library/Application Support/Code/User/mcp.json",
            "/home/ada/Library/Application Support/Code - Insiders/User/mcp.json",
            "/home/ada/.copilot/mcp-config.json",
        ],
        &[
            r"C:\Users\ada\AppData\Roaming\Code\User\mcp.json",
            r"C:\Users\ada\AppData\Roaming\Code - Insiders\User\mcp.json",
            r"C:\Users\ada\.copilot\mcp-config.json",
        ],
    );
    check(
        "zed",
        &["/home/ada/.config/zed/settings.json"],
        &["/home/ada/.config/zed/settings.json"],
        &[r"C:\Users\ada\AppData\Roaming\Zed\settings.json"],
    );
    check(
        "cline",
        &[
            "/home/ada/.cline/data/settings/cline_mcp_settings.json",
            "/home/ada/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        ],
        &[
            "/home/ada/.cline/data/settings/cline_mcp_settings.json",
            "/home/ada/Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        ],
        &[
            r"C:\Users\ada\.cline\data\settings\cline_mcp_settings.json",
            r"C:\Users\ada\AppData\Roaming\Code\User\globalStorage\saoudrizwan.claude-dev\settings\cline_mcp_settings.json",
        ],
    );
    check(
        "roo_code",
        &["/home/ada/.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json"],
        &[
            "/home/ada/Library/Application Support/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
        ],
        &[
            r"C:\Users\ada\AppData\Roaming\Code\User\globalStorage\rooveterinaryinc.roo-cline\settings\mcp_settings.json",
        ],
    );
}

#[test]
fn xdg_files_are_below_config_on_every_platform() {
    let unix = |name: &str, file: &str| format!("/home/ada/.config/{name}/{file}");
    let windows = |name: &str, file: &str| format!(r"C:\Users\ada\.config\{name}\{file}");
    let checked = |name: &str, files: &[&str]| {
        let unix: Vec<_> = files.iter().map(|file| unix(name, file)).collect();
        let windows: Vec<_> = files.iter().map(|file| windows(name, file)).collect();
        let unix: Vec<&str> = unix.iter().map(String::as_str).collect();
        let windows: Vec<&str> = windows.iter().map(String::as_str).collect();
        check(name, &unix, &unix, &windows);
    };
    checked("opencode", &["opencode.jsonc", "opencode.json", "config.json"]);
    checked("amp", &["settings.jsonc", "settings.json"]);
}

#[test]
fn variable_moves_only_its_files() {
    let check = |id: &str, platform, variable: (&str, &str), expected: &str| {
        // Paths that a variable names are the only ones.
        let files = files(id, platform, &[variable]);
        let of_agent = files.iter().filter(|file| file.starts_with(variable.1.trim_end_matches('/')));
        let is_named = !matches!(variable.0, "XDG_CONFIG_HOME" | "APPDATA") && id != "github_copilot";
        assert!(!is_named || of_agent.count() == files.len(), "{id}: {files:?}");
        assert!(files.iter().any(|file| file == expected), "{id}: {files:?}");
    };
    check("claude_code", Platform::Linux, ("CLAUDE_CONFIG_DIR", "/set/c/"), "/set/c/.claude.json");
    check("openai_codex", Platform::MacOs, ("CODEX_HOME", "/set/c"), "/set/c/config.toml");
    check("mistral_vibe", Platform::Windows, ("VIBE_HOME", r"D:\vibe"), r"D:\vibe\config.toml");
    check("github_copilot", Platform::Linux, ("COPILOT_HOME", "/set/c"), "/set/c/mcp-config.json");
    check("gemini_cli", Platform::Linux, ("GEMINI_CLI_HOME", "/set/g"), "/set/g/.gemini/settings.json");
    check("cline", Platform::Linux, ("CLINE_MCP_SETTINGS_PATH", "/set/mcp.json"), "/set/mcp.json");
    check("cline", Platform::Linux, ("CLINE_DATA_DIR", "/set/c"), "/set/c/settings/cline_mcp_settings.json");
    check("cline", Platform::Linux, ("CLINE_DIR", "/set/c"), "/set/c/data/settings/cline_mcp_settings.json");
    check("amp", Platform::Linux, ("AMP_SETTINGS_FILE", "/set/amp.json"), "/set/amp.json");
    check("opencode", Platform::MacOs, ("XDG_CONFIG_HOME", "/set/x"), "/set/x/opencode/opencode.json");
    check("zed", Platform::Linux, ("XDG_CONFIG_HOME", "/set/x"), "/set/x/zed/settings.json");
    check("zed", Platform::Linux, ("FLATPAK_XDG_CONFIG_HOME", "/set/f"), "/set/f/zed/settings.json");
    check("github_copilot", Platform::Windows, ("APPDATA", r"E:\Roaming"), r"E:\Roaming\Code\User\mcp.json");
    // On macOS it moves neither Zed's settings nor the files of desktop programs.
    check("zed", Platform::MacOs, ("XDG_CONFIG_HOME", "/set/x"), "/home/ada/.config/zed/settings.json");
}

#[test]
fn relative_variable_is_not_followed() {
    for (platform, value) in [
        (Platform::Linux, "here"),
        (Platform::Linux, ""),
        (Platform::Linux, r"C:\x"),
        (Platform::Windows, r"\x"),
        (Platform::Windows, "C:x"),
        (Platform::Windows, "/x"),
    ] {
        assert_eq!(files("openai_codex", platform, &[("CODEX_HOME", value)]), files("openai_codex", platform, &[]));
    }
}

/// An agent may resolve it relative to its working directory, so the file is unknown.
#[test]
fn invalid_variable_is_reported() {
    let misleading = |id: &str, variables: &[(&str, &str)]| {
        let environment = environment(Platform::Linux, variables);
        known(id).invalid_variable(&environment)
    };
    for value in ["here", "./here", "/set/\u{fffd}", "\u{fffd}"] {
        assert_eq!(misleading("openai_codex", &[("CODEX_HOME", value)]), Some("CODEX_HOME"));
        assert_eq!(misleading("cline", &[("CLINE_DIR", value)]), Some("CLINE_DIR"));
        // The first variable that is set counts.
        assert_eq!(misleading("cline", &[("CLINE_DATA_DIR", "/set"), ("CLINE_DIR", value)]), None);
        assert_eq!(misleading("claude_code", &[("CODEX_HOME", value)]), None);
    }
    for value in ["", "/set"] {
        assert_eq!(misleading("openai_codex", &[("CODEX_HOME", value)]), None);
    }
    // Programs ignore a relative value of these, as their specification demands.
    for id in ["opencode", "zed", "claude_desktop"] {
        assert_eq!(misleading(id, &[("XDG_CONFIG_HOME", "here"), ("FLATPAK_XDG_CONFIG_HOME", "here")]), None);
        assert_eq!(misleading(id, &[("XDG_CONFIG_HOME", "/set/\u{fffd}")]), Some("XDG_CONFIG_HOME"));
    }
}
