//! Repositories, fetched by the real git from a web server that runs `git http-backend`.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use wardroom_net::limits::MAX_INSTALL_DEPTH;
use wardroom_net::{GitFetcher, HelperConfig, NetError};

use super::processes::{children, kill, runs};
use super::web::{Web, WebRequest, reply};
use super::{call, eventually, path, program, refusal, serving};
use wardroom_test_support::{self, TestDir};

/// Runs git with the settings of the tests.
fn git(folder: &Path, args: &[&str]) {
    let mut command = Command::new("git");
    command.env_clear().env("PATH", path()).env("HOME", folder).env("GIT_CONFIG_NOSYSTEM", "1").current_dir(folder);
    let settings = ["user.name=t", "user.email=t@t", "init.defaultBranch=main", "protocol.file.allow=always"];
    command.args(settings.iter().flat_map(|setting| ["-c", setting])).args(args);
    let done = command.stdin(Stdio::null()).output().expect("these tests take git: install it");
    assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// Repositories behind a web server.
struct Forge {
    dir: TestDir,
    web: Web,
}

impl Forge {
    fn new() -> Self {
        let dir = TestDir::new();
        let bare = dir.root().join("bare");
        fs::create_dir(&bare).unwrap();
        let web = Web::start(move |seen, out| backend(&bare, seen, out));
        Self { dir, web }
    }

    fn tree(&self, name: &str) -> PathBuf {
        self.dir.root().join("trees").join(name)
    }

    /// Creates a repository with these files and returns its URL.
    fn repository(&self, name: &str, files: &[(&str, &str)]) -> String {
        let tree = self.tree(name);
        fs::create_dir_all(&tree).unwrap();
        git(&tree, &["init", "-q"]);
        for (file, text) in files {
            fs::create_dir_all(tree.join(file).parent().unwrap()).unwrap();
            fs::write(tree.join(file), text).unwrap();
        }
        self.publish(name)
    }

    fn publish(&self, name: &str) -> String {
        let tree = self.tree(name);
        git(&tree, &["add", "-A"]);
        git(&tree, &["commit", "-qm", "x"]);
        let bare = self.dir.root().join("bare").join(format!("{name}.git"));
        git(&tree, &["clone", "-q", "--bare", ".", &bare.display().to_string()]);
        self.web.url(&format!("/{name}.git"))
    }

    fn network(&self) -> String {
        format!("git = true\nprivate = [\"{}\"]", self.web.host())
    }

    /// Asserts that killed and refused fetches left no files.
    #[track_caller]
    fn assert_nothing_left(&self) {
        let cache = fs::read_dir(self.dir.app_path().join("cache/git")).unwrap();
        let left: Vec<_> = cache.map(|entry| entry.unwrap().file_name()).collect();
        assert!(left.is_empty(), "{left:?}");
    }

    fn helper(&self, private: &[String]) -> (GitFetcher, wardroom_appdir::Folder) {
        let cache = self.dir.open_app().create_folder("cache").unwrap();
        let certificate = self.web.certificate().into_os_string();
        let environment =
            vec![("SSL_CERT_FILE", certificate.clone()), ("GIT_SSL_CAINFO", certificate), ("PATH", path())];
        let git = GitFetcher::start(HelperConfig { program: program(), environment, private_hosts: private }, &cache)
            .unwrap();
        assert_eq!(git.status().unavailable_reason, None);
        (git, cache)
    }
}

/// Answers a request with `git http-backend`, which is a CGI program.
fn backend(root: &Path, seen: &WebRequest, out: &mut dyn io::Write) -> io::Result<()> {
    let (path_info, query) = seen.path.split_once('?').unwrap_or((&seen.path, ""));
    let mut command = Command::new("git");
    command.arg("http-backend").env_clear().env("PATH", path()).env("GIT_PROJECT_ROOT", root);
    command.env("GIT_HTTP_EXPORT_ALL", "1").env("PATH_INFO", path_info).env("QUERY_STRING", query);
    command.env("REQUEST_METHOD", &seen.method).env("CONTENT_LENGTH", seen.body.len().to_string());
    command.env("REMOTE_ADDR", "127.0.0.1").env("HOME", root);
    for (header, variable) in [
        ("content-type", "CONTENT_TYPE"),
        ("git-protocol", "HTTP_GIT_PROTOCOL"),
        ("content-encoding", "HTTP_CONTENT_ENCODING"),
    ] {
        command.env(variable, seen.header(header).unwrap_or_default());
    }
    command.env("GIT_PROTOCOL", seen.header("git-protocol").unwrap_or_default());
    command.env("GIT_CONFIG_COUNT", "1").env("GIT_CONFIG_KEY_0", "safe.directory").env("GIT_CONFIG_VALUE_0", "*");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let mut input = child.stdin.take().unwrap();
    let body = seen.body.clone();
    let writer = std::thread::spawn(move || drop(input.write_all(&body)));
    let said = child.wait_with_output()?.stdout;
    writer.join().unwrap();
    let end = said.windows(4).position(|window| window == b"\r\n\r\n").ok_or(io::ErrorKind::InvalidData)?;
    let head = String::from_utf8_lossy(&said[..end]).into_owned();
    let mut status = 200;
    let mut headers = Vec::new();
    for (name, value) in head.lines().filter_map(|line| line.split_once(": ")) {
        match name {
            "Status" => status = value.split(' ').next().unwrap().parse().unwrap(),
            _ => headers.push((name, value)),
        }
    }
    reply(out, status, &headers, &said[end + 4..])
}

const PACKAGE: &str = "return { meta = { name = 'p', version = '0.3.0' } }";
const CARD: &str = "card_id = \"p_1\"\nschema_version = \"card/v0\"\n\n[pkg]\nname = \"p\"\n";

#[test]
fn package_is_installed_from_repository() {
    let forge = Forge::new();
    let files =
        [("init.lua", PACKAGE), ("sub/m.lua", "return 1"), ("cards/p_1.toml", CARD), ("scenarios/s.lua", "return 2")];
    let url = forge.repository("single", &files);
    forge.repository("many", &[("one/init.lua", PACKAGE), ("two/init.lua", PACKAGE), ("README.md", "x")]);
    let mut client = serving(&forge.dir, &forge.web, &forge.network());
    let done = call(&mut client, "alc_pkg_install", json!({"url": url}));
    assert_eq!(done["mode"], "git_single", "{done}");
    assert_eq!((&done["installed"], &done["cards_installed"]), (&json!(["single"]), &json!(["p_1"])));
    assert_eq!(fs::read_to_string(forge.dir.app_path().join("packages/single/sub/m.lua")).unwrap(), "return 1");
    assert!(!forge.dir.app_path().join("packages/single/.git").exists());
    let manifest = fs::read_to_string(forge.dir.app_path().join("packages/installed.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["packages"]["single"]["source"], json!({"type": "git", "url": url, "rev": null}));
    assert_eq!(manifest["packages"]["single"]["version"], "0.3.0");
    let registries = fs::read_to_string(forge.dir.app_path().join("packages/hub_registries.json")).unwrap();
    assert!(registries.contains(&url), "{registries}");
    // Without a scheme, as the original accepts it; and a package from another source is not replaced.
    let bare = format!("{}/many.git", forge.web.host());
    let done = call(&mut client, "alc_pkg_install", json!({"url": bare}));
    assert_eq!((&done["mode"], &done["installed"]), (&json!("git_collection"), &json!(["one", "two"])), "{done}");
    assert_eq!(refusal(&mut client, "alc_pkg_install", json!({"url": url})).0, "EXISTS");
    let named = call(&mut client, "alc_pkg_install", json!({"url": url, "name": "other"}));
    assert_eq!(named["installed"], json!(["other"]));
    assert_eq!(refusal(&mut client, "alc_pkg_install", json!({"url": bare, "name": "x"})).0, "NOT_A_PACKAGE");
    forge.assert_nothing_left();
    assert!(client.finish().0.success());
}

#[test]
fn scenarios_and_cards_are_installed_from_repository() {
    let forge = Forge::new();
    let scenarios = forge.repository("s", &[("scenarios/a.lua", "return 1"), ("b.lua", "return 2")]);
    let flat = forge.repository("flat", &[("b.lua", "return 2")]);
    let cards = forge.repository("c", &[("alc_cards.toml", ""), ("p/p_1.toml", CARD), ("p/p_1.samples.jsonl", "{}\n")]);
    let mut client = serving(&forge.dir, &forge.web, &forge.network());
    let done = call(&mut client, "alc_scenario_install", json!({"url": scenarios}));
    assert_eq!(done, json!({"installed": ["a"], "skipped": [], "failures": []}));
    assert_eq!(call(&mut client, "alc_scenario_install", json!({"url": flat}))["installed"], json!(["b"]));
    let done = call(&mut client, "alc_card_install", json!({"url": cards}));
    assert_eq!((&done["installed_cards"], &done["source"]), (&json!(["p_1"]), &json!(cards)), "{done}");
    assert_eq!(refusal(&mut client, "alc_card_install", json!({"url": flat})).0, "NOT_A_COLLECTION");
    let registries = fs::read_to_string(forge.dir.app_path().join("packages/hub_registries.json")).unwrap();
    assert!(registries.contains("card_install") && registries.contains(&cards), "{registries}");
    forge.assert_nothing_left();
}

/// The content of a repository is untrusted.
#[test]
fn hostile_repository_gains_nothing() {
    let forge = Forge::new();
    let tree = forge.tree("links");
    fs::create_dir_all(&tree).unwrap();
    git(&tree, &["init", "-q"]);
    fs::write(tree.join("init.lua"), PACKAGE).unwrap();
    symlink("/etc/passwd", tree.join("out")).unwrap();
    let links = forge.publish("links");
    forge.repository("inner", &[("init.lua", "return 'inner'")]);
    let tree = forge.tree("modules");
    fs::create_dir_all(&tree).unwrap();
    git(&tree, &["init", "-q"]);
    fs::write(tree.join("init.lua"), PACKAGE).unwrap();
    git(&tree, &["submodule", "add", "-q", &forge.tree("inner").display().to_string(), "inner"]);
    let modules = fs::read_to_string(tree.join(".gitmodules")).unwrap();
    fs::write(
        tree.join(".gitmodules"),
        modules.replace(&forge.tree("inner").display().to_string(), &forge.web.url("/inner.git")),
    )
    .unwrap();
    let modules = forge.publish("modules");
    // A filter, and hooks where a template would have them.
    let hook = "#!/bin/sh\ntouch ran\n";
    let files = [("init.lua", PACKAGE), (".gitattributes", "* filter=evil\n"), ("hooks/post-checkout", hook)];
    let filtered = forge.repository("filtered", &files);
    // Little data, but more nested folders than the limit.
    let deep = format!("{}x.lua", "d/".repeat(MAX_INSTALL_DEPTH + 20));
    let large = forge.repository("large", &[("init.lua", PACKAGE), (&deep, "")]);

    let mut client = serving(&forge.dir, &forge.web, &forge.network());
    let (code, message) = refusal(&mut client, "alc_pkg_install", json!({"url": links}));
    assert!(code == "LEAVES_TREE" && message.contains("out"), "{code} {message}");
    assert!(!forge.dir.app_path().join("packages/links").exists());
    let done = call(&mut client, "alc_pkg_install", json!({"url": modules}));
    assert_eq!(done["installed"], json!(["modules"]), "{done}");
    assert!(is_empty_or_missing(&forge.dir.app_path().join("packages/modules/inner")));
    assert!(!forge.web.paths().iter().any(|path| path.starts_with("/inner.git")), "{:?}", forge.web.paths());
    assert_eq!(call(&mut client, "alc_pkg_install", json!({"url": filtered}))["installed"], json!(["filtered"]));
    let (code, message) = refusal(&mut client, "alc_pkg_install", json!({"url": large}));
    assert!(code == "FETCH_FAILED" && message.contains("the repository is too large: "), "{code} {message}");
    assert!(!forge.dir.app_path().join("packages/large").exists());
    forge.assert_nothing_left();
}

/// Whether a folder is empty or missing.
fn is_empty_or_missing(folder: &Path) -> bool {
    fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_none())
}

#[test]
fn only_allowed_urls_are_fetched() {
    let forge = Forge::new();
    let url = forge.repository("p", &[("init.lua", PACKAGE)]);
    let asked = [
        ("alc_pkg_install", json!({"url": url})),
        ("alc_scenario_install", json!({"url": url})),
        ("alc_card_install", json!({"url": url})),
    ];
    for (network, expected, said) in [
        ("", "NETWORK_OFF", "[network] git = false"),
        ("hub = true", "NETWORK_OFF", "[network] git = false"),
        ("git = true", "NOT_ALLOWED", "[network] private"),
        ("git = true\nprivate = [\"localhost:1\", \"127.0.0.1\"]", "NOT_ALLOWED", "[network] private"),
    ] {
        let mut client = serving(&forge.dir, &forge.web, network);
        for (tool, arguments) in &asked {
            let (code, message) = refusal(&mut client, tool, arguments.clone());
            assert!(code == expected && message.contains(said), "{network} {tool}: {code} {message}");
        }
    }
    let mut client = serving(&forge.dir, &forge.web, &forge.network());
    for url in [
        "http://localhost/x",
        "ssh://localhost/x",
        "git@localhost:x",
        "ext::sh -c id",
        "https://u:p@localhost/x",
        "-x/y",
        "https://localhost",
    ] {
        let (code, message) = refusal(&mut client, "alc_pkg_install", json!({"url": url}));
        assert_eq!(code, "INVALID_ADDRESS", "{url}: {message}");
    }
    assert_eq!(forge.web.connections(), 0);
    let (code, message) = refusal(&mut client, "alc_pkg_install", json!({"url": forge.web.url("/none.git")}));
    assert!(code == "FETCH_FAILED" && message.contains("only public repositories"), "{code} {message}");
    assert!(!message.contains(&forge.dir.root().display().to_string()), "{message}");
}

/// The target of a redirect would not be checked.
#[test]
fn redirect_is_not_followed() {
    let inner = Forge::new();
    let to = inner.repository("p", &[("init.lua", PACKAGE)]);
    let web = Web::start(move |seen, out| {
        let (_, query) = seen.path.split_once('?').unwrap_or_default();
        reply(out, 302, &[("location", &format!("{to}/info/refs?{query}"))], "")
    });
    let both = [web.certificate(), inner.web.certificate()].map(|file| fs::read_to_string(file).unwrap()).concat();
    fs::write(web.certificate(), both).unwrap();
    let mut client = serving(&inner.dir, &web, "git = true\nprivate = [\"localhost\"]");
    let (code, _) = refusal(&mut client, "alc_pkg_install", json!({"url": web.url("/p.git")}));
    assert_eq!(code, "FETCH_FAILED");
    assert!(web.connections() > 0);
    assert_eq!(inner.web.connections(), 0);
}

#[test]
fn cancelled_fetch_ends_git() {
    let forge = Forge::new();
    let asked = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&asked);
    // The server never answers.
    let web = Web::start(move |_, _| {
        told.store(true, Ordering::Relaxed);
        std::thread::sleep(2 * super::TEST_TIMEOUT);
        Ok(())
    });
    fs::write(forge.web.certificate(), fs::read(web.certificate()).unwrap()).unwrap();
    let (git, cache) = forge.helper(&["localhost".to_owned()]);
    let staged = cache.stage_tree("git").unwrap();
    let url = web.url("/p.git");
    let fetched = git.fetch(&url, staged.folder(), None, &|| asked.load(Ordering::Relaxed));
    assert_eq!(fetched, Err(NetError::Cancelled));
    eventually("git ends", || children(git.process_id()).is_empty());
    // A caller that waits for a killed helper gets an error.
    asked.store(false, Ordering::Relaxed);
    let (id, staged) = (git.process_id(), cache.stage_tree("git").unwrap());
    let started = std::thread::scope(|scope| {
        let fetching = scope.spawn(|| git.fetch(&url, staged.folder(), None, &|| false));
        eventually("git asks", || asked.load(Ordering::Relaxed));
        let started = children(id);
        kill(id);
        assert_eq!(fetching.join().unwrap(), Err(NetError::HelperGone));
        started
    });
    assert!(!started.is_empty());
    assert_eq!(git.fetch(&url, staged.folder(), None, &|| false), Err(NetError::HelperGone));
    // The killed helper can no longer end its git.
    started.into_iter().filter(|id| runs(*id)).for_each(kill);
}

/// Wall 2: a program in git's place writes only below the folder that it was given.
#[test]
fn git_replacement_writes_only_in_its_folder() {
    if wardroom_test_support::landlock_or_skip(3).is_none() {
        return;
    }
    let forge = Forge::new();
    let (beside, secret) = (forge.dir.root().join("beside"), forge.dir.root().join("secret"));
    fs::write(&secret, "secret").unwrap();
    let script = format!(
        "#!/bin/sh\nif [ \"$1\" = --version ]; then echo git version 2.50.0; exit; fi\n\
         cat '{}' > seen\necho x > '{}'\necho 'return {{}}' > init.lua\n",
        secret.display(),
        beside.display(),
    );
    let cache = forge.dir.open_app().create_folder("cache").unwrap();
    let config = HelperConfig { private_hosts: &["*".to_owned()], ..with_git_replacement(&forge.dir, &script) };
    let git = GitFetcher::start(config, &cache).unwrap();
    let staged = cache.stage_tree("git").unwrap();
    // The shell continues after the refused operations.
    assert_eq!(git.fetch("https://example.org/x", staged.folder(), None, &|| false), Ok(()));
    assert_eq!(staged.folder().read_text("seen", 100).unwrap().0, "");
    assert!(staged.folder().read_text("init.lua", 1000).is_ok());
    assert!(!beside.exists());
}

/// Installs a program in git's place, in a folder that the helper may read, and returns the configuration of a helper
/// that finds it there.
fn with_git_replacement(dir: &TestDir, script: &str) -> HelperConfig<'static> {
    let bin = dir.root().join("own/bin");
    fs::create_dir_all(&bin).unwrap();
    wardroom_test_support::write_script(&bin.join("git"), script);
    let mut path = bin.into_os_string();
    path.push(":/usr/bin:/bin");
    HelperConfig { program: program(), environment: vec![("PATH", path)], private_hosts: &[] }
}

#[test]
fn silent_git_does_not_block_helper() {
    let dir = TestDir::new();
    let cache = dir.open_app().create_folder("cache").unwrap();
    let git = GitFetcher::start(with_git_replacement(&dir, "#!/bin/sh\nexec sleep 1000\n"), &cache).unwrap();
    assert_eq!(git.status().unavailable_reason.as_deref(), Some("git on this machine does not report its version"));
    assert_eq!(children(git.process_id()), Vec::<u32>::new());
    // A process that git leaves behind does not block it either.
    let git = GitFetcher::start(with_git_replacement(&dir, "#!/bin/sh\nsleep 60 &\necho git version 2.50.0\n"), &cache)
        .unwrap();
    assert_eq!((git.status().description.as_str(), &git.status().unavailable_reason), ("git version 2.50.0", &None));
}

/// A helper that never becomes ready is ended, even if it does not end by itself.
#[test]
fn helper_without_status_is_killed() {
    let (sender, ended) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let dir = TestDir::new();
        let cache = dir.open_app().create_folder("cache").unwrap();
        with_git_replacement(&dir, "#!/bin/sh\nexec sleep 1000\n");
        let stuck = dir.root().join("own/bin/git");
        let config = HelperConfig { program: &stuck, environment: vec![("PATH", path())], private_hosts: &[] };
        sender.send(GitFetcher::start(config, &cache).is_err())
    });
    assert_eq!(ended.recv_timeout(super::TEST_TIMEOUT), Ok(true));
}
