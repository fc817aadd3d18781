//! The locations of the AppDir, the project, package folders and transcripts.

use std::fs;
use std::path::Path;

use serde_json::Value;

use wardroom_test_support::{TestDir, run_command, wardroom_command};

/// Creates an AppDir whose package `here` contains its location.
fn app_dir(at: &Path) {
    fs::create_dir_all(at.join("packages/here")).unwrap();
    let name = at.file_name().unwrap().to_str().unwrap();
    fs::write(at.join("packages/here/init.lua"), format!("return {{ meta = {{ at = '{name}' }} }}")).unwrap();
}

/// The metadata of `package`, with this environment and these arguments, from the folder `from`.
fn meta(dir: &TestDir, from: &str, env: &[(&str, &Path)], args: &[&str], package: &str) -> Result<Value, String> {
    let mut command = wardroom_command(dir.root());
    command.current_dir(dir.root().join(from)).envs(env.iter().copied()).args(args);
    let finished = run_command(command.arg("read").arg(format!("alc://packages/{package}/meta")));
    match finished.status {
        0 => Ok(serde_json::from_str(&finished.stdout).unwrap()),
        _ => Err(finished.stderr),
    }
}

#[test]
fn app_dir_precedence_is_argument_variable_original_platform() {
    let dir = TestDir::new();
    let home = dir.root();
    let at = |env: &[(&str, &Path)], args: &[&str]| meta(&dir, "", env, args, "here").map(|meta| meta["at"].clone());
    let argument = home.join("argument");
    let args = ["--appdir", argument.to_str().unwrap()];
    let variable = home.join("variable");
    let env = [("ALC_HOME", variable.as_path())];
    app_dir(&home.join(".local/share/wardroom"));
    assert_eq!(at(&[], &[]).unwrap(), "wardroom");
    app_dir(&home.join("xdg/wardroom"));
    let xdg = home.join("xdg");
    assert_eq!(at(&[("XDG_DATA_HOME", &xdg)], &[]).unwrap(), "wardroom");
    app_dir(&home.join(".algocline"));
    assert_eq!(at(&[], &[]).unwrap(), ".algocline");
    assert_eq!(at(&[("ALC_HOME", Path::new(""))], &[]).unwrap(), ".algocline");
    app_dir(&variable);
    assert_eq!(at(&env, &[]).unwrap(), "variable");
    app_dir(&argument);
    assert_eq!(at(&env, &args).unwrap(), "argument");
    // When an explicit folder is missing, no other one is used.
    fs::remove_dir_all(&variable).unwrap();
    assert!(at(&env, &[]).unwrap_err().starts_with("error: cannot open the AppDir: not found: "));
}

#[test]
fn platform_app_dir_is_created_unless_read_only() {
    let dir = TestDir::new();
    let at = dir.root().join(".local/share/wardroom");
    let finished = run_command(wardroom_command(dir.root()).args(["ls", "--read-only"]));
    assert_eq!((finished.status, at.exists()), (1, false));
    run_command(wardroom_command(dir.root()).arg("ls")).expect_success();
    assert!(at.is_dir());
}

#[test]
fn packages_path_precedes_app_dir() {
    let dir = TestDir::new();
    let home = dir.root();
    for package in ["both", "own"] {
        dir.write_package(package, "return { meta = { at = 'app' } }");
    }
    for folder in ["first", "second"] {
        for package in ["both", "shared", folder] {
            let at = home.join(folder).join(package);
            fs::create_dir_all(&at).unwrap();
            fs::write(at.join("init.lua"), format!("return {{ meta = {{ at = '{folder}' }} }}")).unwrap();
        }
    }
    let paths = std::env::join_paths([home.join("first"), home.join("none"), home.join("second")]).unwrap();
    let app = dir.app_path();
    let env = [("ALC_PACKAGES_PATH", Path::new(&paths)), ("ALC_HOME", &app)];
    for (package, at) in
        [("both", "first"), ("own", "app"), ("shared", "first"), ("first", "first"), ("second", "second")]
    {
        assert_eq!(meta(&dir, "", &env, &[], package).unwrap()["at"], at, "{package}");
    }
}

#[test]
fn log_dir_variable_locates_transcripts() {
    let dir = TestDir::new_demo();
    let name = "s-18a1b2c3d4e5f-0123456789abcdef";
    let logs = dir.root().join("logs");
    let read = || {
        let mut command = wardroom_command(dir.root());
        run_command(
            command
                .env("ALC_HOME", dir.app_path())
                .env("ALC_LOG_DIR", &logs)
                .args(["read", &format!("alc://logs/{name}")]),
        )
    };
    // A missing folder is skipped.
    let skipped = read();
    assert!(skipped.stderr.starts_with("warning: ALC_LOG_DIR is skipped: not found: "), "{}", skipped.stderr);
    assert!(skipped.stderr.contains("\nhint: ") && skipped.expect_success().contains(name));
    fs::create_dir(&logs).unwrap();
    assert_eq!(read().status, 1);
    fs::rename(dir.app_path().join(format!("logs/{name}.json")), logs.join(format!("{name}.json"))).unwrap();
    assert!(read().expect_success().contains(name));
}

#[test]
fn project_precedence_is_argument_variable_nearest_parent() {
    let dir = TestDir::new();
    let home = dir.root();
    for project in ["argument", "variable", "above"] {
        let at = home.join(project);
        fs::create_dir_all(at.join("variant/deep")).unwrap();
        fs::write(at.join("variant/init.lua"), format!("return {{ meta = {{ at = '{project}' }} }}")).unwrap();
        fs::write(at.join("alc.toml"), "").unwrap();
        fs::write(at.join("alc.local.toml"), "[packages.variant]\npath = \"variant\"\n").unwrap();
    }
    let app = dir.app_path();
    let (argument, variable) = (home.join("argument"), home.join("variable"));
    let args = ["--project", argument.to_str().unwrap()];
    let env = [("ALC_HOME", app.as_path()), ("ALC_PROJECT_ROOT", &variable)];
    let at = |from, env: &[(&str, &Path)], args| meta(&dir, from, env, args, "variant").map(|meta| meta["at"].clone());
    assert_eq!(at("above/variant/deep", &env[..1], &[]).unwrap(), "above");
    assert_eq!(at("above/variant/deep", &env, &[]).unwrap(), "variable");
    assert_eq!(at("above/variant/deep", &env, &args).unwrap(), "argument");
    assert!(at("", &env[..1], &[]).unwrap_err().starts_with("error: resource not found: "));
}

/// What one service may write counts for the whole server.
#[test]
fn strict_server_refuses_a_project_around_or_in_the_blog() {
    let dir = TestDir::new();
    let site = dir.root().join("site");
    fs::create_dir_all(site.join("posts/2024")).unwrap();
    let config = dir.root().join("config.toml");
    fs::write(&config, "[blog]\naccept = \"human-strict\"\n").unwrap();
    let serve = |project: &Path, more: &[&str]| {
        let mut command = wardroom_command(dir.root());
        command.arg("--appdir").arg(dir.app_path()).arg("--config").arg(&config).arg("--blog").arg(&site);
        run_command(command.arg("--project").arg(project).args(more).arg("serve"))
    };
    for project in [dir.root().to_path_buf(), site.clone(), site.join("posts")] {
        let refused = serve(&project, &[]);
        let what = r#"error: accept = "human-strict" and the project: the server may write "#;
        assert!(refused.status == 1 && refused.stderr.contains(what), "{refused:?}");
        assert!(refused.stderr.contains(", around or in the blog "), "{refused:?}");
        for apart in [&["--service", "blog"][..], &["--read-only"]] {
            assert_eq!(serve(&project, apart).status, 0, "{apart:?}");
        }
    }
    // A person decides by commands, which no server confines.
    let mut command = wardroom_command(dir.root());
    command.arg("--appdir").arg(dir.app_path()).arg("--config").arg(&config).arg("--blog").arg(&site);
    assert_eq!(run_command(command.arg("--project").arg(&site).args(["proposals", "list"])).status, 0);
    let elsewhere = dir.root().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    assert_eq!(serve(&elsewhere, &[]).status, 0);
    // Services write below the AppDir, and the learning log of a project.
    let mut below = wardroom_command(dir.root());
    fs::create_dir_all(dir.app_path().join("packages/site/posts")).unwrap();
    below.arg("--appdir").arg(dir.app_path()).arg("--config").arg(&config).arg("--project").arg(&elsewhere);
    below.arg("--blog").arg(dir.app_path().join("packages/site")).arg("serve");
    assert!(run_command(&mut below).stderr.contains("and the AppDir: the server may write "));
    fs::create_dir_all(site.join("logs")).unwrap();
    for file in ["AGENTS.md", "logs/execution_traces.jsonl", "logs/insights.jsonl"] {
        fs::write(site.join(file), "").unwrap();
    }
    let learning = serve(&site, &["--service", "blog", "--service", "ace"]);
    assert!(learning.stderr.contains("and the learning log: the server may write "), "{learning:?}");
    fs::remove_dir_all(site.join("logs")).unwrap();
    let mut logging = wardroom_command(dir.root());
    logging.arg("--appdir").arg(dir.app_path()).arg("--config").arg(&config).arg("--blog").arg(&site);
    logging.arg("--project").arg(&elsewhere).env("ALC_LOG_DIR", site.join("posts")).arg("serve");
    assert!(run_command(&mut logging).stderr.contains("and ALC_LOG_DIR: the server may write "));
    // A folder that the server would make in the blog.
    fs::write(&config, format!("[blog]\naccept = \"human-strict\"\n[ace]\nroot = {:?}\n", site.join("posts/log")))
        .unwrap();
    let making = serve(&elsewhere, &["--service", "blog", "--service", "ace"]);
    assert!(making.stderr.contains("and the learning log: the server may write "), "{making:?}");
    assert!(!site.join("posts/log").exists());
    let mount =
        |kind: &str| format!("[blog]\naccept = \"human-strict\"\n[mounts.m]\npath = {site:?}\nas = \"{kind}\"\n");
    fs::write(&config, mount("files")).unwrap();
    assert!(serve(&elsewhere, &[]).stderr.contains("and the mount m: the server may write "));
    let mut doctor = wardroom_command(dir.root());
    doctor.arg("--appdir").arg(dir.app_path()).arg("--config").arg(&config).arg("--blog").arg(&site).arg("doctor");
    let found = run_command(&mut doctor);
    assert!(found.status == 1 && found.stdout.contains("and the mount m: the server may write "), "{found:?}");
    assert_eq!(serve(&elsewhere, &["--service", "blog"]).status, 0);
}
