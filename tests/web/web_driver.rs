//! A client of WebDriver, and the browser behind it: Debian's `chromium`, without a screen.
//!
//! Owns: the processes of the driver and the browser, which end with it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tempfile::TempDir;
use wardroom_test_support::TEST_TIMEOUT;

const DRIVER: &str = "chromedriver";
const START_ATTEMPTS: u32 = 3;
/// The name under which an element is sent.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";
/// Set where a browser must be there.
const EXPECT_BROWSER: &str = "WARDROOM_EXPECT_BROWSER";

/// A window of a browser of its own.
pub(crate) struct Browser {
    driver: Child,
    port: u16,
    session: String,
    /// The profile, which is removed with the browser.
    _profile: TempDir,
}

/// How the browser is set up.
#[derive(Clone, Copy)]
pub(crate) struct BrowserSettings {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) has_scripts: bool,
}

impl Default for BrowserSettings {
    fn default() -> Self {
        Self { width: 1280, height: 900, has_scripts: true }
    }
}

/// Skips a test that needs a browser, or something of its own.
///
/// # Panics
/// Where the environment says that a browser is expected.
pub(crate) fn skip_browser(reason: &str) {
    assert!(std::env::var_os(EXPECT_BROWSER).is_none(), "{EXPECT_BROWSER} is set, and {reason}");
    wardroom_test_support::skip(reason);
}

/// The driver, and the port on which it listens.
///
/// # Panics
/// Where it says no port, time and again.
fn start_driver() -> std::io::Result<(Child, u16)> {
    // It takes a port that is free in IPv6, and ends where a program has it in IPv4: the servers of other tests take theirs there.
    for _ in 0..START_ATTEMPTS {
        let mut command = Command::new(DRIVER);
        command.arg("--port=0").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        // The browser is a child of the driver: both end together.
        let mut driver = command.process_group(0).spawn()?;
        let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines().map_while(Result::ok);
        let port = lines.find_map(|line| {
            let rest = line.split_once("started successfully on port ")?.1;
            rest.trim_end_matches('.').parse().ok()
        });
        if let Some(port) = port {
            return Ok((driver, port));
        }
        driver.wait()?;
    }
    panic!("{DRIVER} says its port in none of {START_ATTEMPTS} starts");
}

impl Browser {
    /// Starts a browser; `None` on a machine without one, which is said aloud.
    ///
    /// # Panics
    /// Where the environment says that a browser is expected, and there is none.
    pub(crate) fn start(settings: BrowserSettings) -> Option<Self> {
        let Ok((driver, port)) = start_driver() else {
            skip_browser(&format!("there is no {DRIVER} (Debian: chromium and chromium-driver)"));
            return None;
        };
        let profile = TempDir::new().unwrap();
        let mut browser = Self { driver, port, session: String::new(), _profile: profile };
        let arguments = json!([
            "--headless=new",
            "--no-sandbox",
            "--disable-dev-shm-usage",
            "--disable-gpu",
            "--hide-scrollbars",
            "--force-device-scale-factor=1",
            "--no-first-run",
            format!("--window-size={},{}", settings.width, settings.height),
            format!("--user-data-dir={}", browser._profile.path().display()),
        ]);
        let scripts = if settings.has_scripts { 1 } else { 2 };
        let options =
            json!({"args": arguments, "prefs": {"profile.managed_default_content_settings.javascript": scripts}});
        let capabilities = json!({"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options}});
        let made = browser.call("POST", "/session", &json!({"capabilities": capabilities}));
        browser.session = format!("/session/{}", made["sessionId"].as_str().unwrap());
        browser.command("timeouts", &json!({"script": 60_000, "pageLoad": 60_000}));
        Some(browser)
    }

    fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        let reply = self.try_call(method, path, body);
        assert!(reply["value"]["error"].is_null(), "{method} {path}: {reply:#}");
        reply["value"].clone()
    }

    fn try_call(&self, method: &str, path: &str, body: &Value) -> Value {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        // A browser takes its time to start.
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        let body = if method == "GET" { String::new() } else { body.to_string() };
        let mut reader = BufReader::new(stream);
        let head = format!("{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: {}\r\n\r\n", body.len());
        reader.get_mut().write_all((head + &body).as_bytes()).unwrap();
        // The driver writes no space after the names of headers.
        let lines = (&mut reader).lines().map(Result::unwrap).take_while(|line| !line.is_empty());
        let length =
            lines.filter_map(|line| line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
        let length: usize = length.last().unwrap();
        let mut answer = vec![0; length];
        reader.read_exact(&mut answer).unwrap();
        serde_json::from_slice(&answer).unwrap()
    }

    fn command(&self, path: &str, body: &Value) -> Value {
        self.call("POST", &format!("{}/{path}", self.session), body)
    }

    /// Opens a page, and waits until it is loaded.
    pub(crate) fn open(&self, address: &str) {
        self.command("url", &json!({"url": address}));
    }

    pub(crate) fn address(&self) -> String {
        self.call("GET", &format!("{}/url", self.session), &Value::Null).as_str().unwrap().to_owned()
    }

    /// Sets a cookie of the page's host.
    pub(crate) fn set_cookie(&self, name: &str, value: &str) {
        let cookie = json!({"name": name, "value": value, "path": "/review", "httpOnly": true, "sameSite": "Strict"});
        self.command("cookie", &json!({"cookie": cookie}));
    }

    /// Takes a frame for the page.
    #[track_caller]
    pub(crate) fn enter_frame(&self, selector: &str) {
        let element = self.find(selector).unwrap_or_else(|| panic!("no {selector} at {}", self.address()));
        self.command("frame", &json!({"id": {(ELEMENT): element}}));
    }

    /// Takes the page of the window for the page.
    pub(crate) fn leave_frame(&self) {
        self.command("frame", &json!({"id": null}));
    }

    /// Runs a script in the page, and returns what it returns.
    pub(crate) fn run(&self, script: &str) -> Value {
        self.command("execute/sync", &json!({"script": script, "args": []}))
    }

    /// Runs a script that calls its last argument with the result.
    pub(crate) fn run_async(&self, script: &str) -> Value {
        self.command("execute/async", &json!({"script": script, "args": []}))
    }

    fn find(&self, selector: &str) -> Option<String> {
        let body = json!({"using": "css selector", "value": selector});
        let found = self.try_call("POST", &format!("{}/element", self.session), &body);
        Some(found["value"][ELEMENT].as_str()?.to_owned())
    }

    pub(crate) fn has(&self, selector: &str) -> bool {
        self.find(selector).is_some()
    }

    /// Returns the visible text of an element.
    #[track_caller]
    pub(crate) fn text(&self, selector: &str) -> String {
        self.of_element("GET", selector, "text", &Value::Null).as_str().unwrap().to_owned()
    }

    #[track_caller]
    pub(crate) fn click(&self, selector: &str) {
        self.of_element("POST", selector, "click", &json!({}));
    }

    /// Types into an element.
    #[track_caller]
    pub(crate) fn fill(&self, selector: &str, text: &str) {
        self.of_element("POST", selector, "value", &json!({"text": text}));
    }

    /// Sends a command for an element, again where the page replaced the element meanwhile, or is not there yet.
    #[track_caller]
    fn of_element(&self, method: &str, selector: &str, command: &str, body: &Value) -> Value {
        let deadline = Instant::now() + TEST_TIMEOUT;
        loop {
            let Some(element) = self.find(selector) else {
                assert!(Instant::now() < deadline, "no {selector} at {}", self.address());
                continue;
            };
            let answer = self.try_call(method, &format!("{}/element/{element}/{command}", self.session), body);
            let error = answer["value"]["error"].as_str().unwrap_or_default();
            if !["stale element reference", "element not interactable"].contains(&error) {
                assert!(error.is_empty(), "{command} {selector}: {answer:#}");
                return answer["value"].clone();
            }
            assert!(Instant::now() < deadline, "{command} {selector}: {answer:#}");
        }
    }

    /// Presses keys, wherever the focus is.
    pub(crate) fn press(&self, keys: &str) {
        let actions: Vec<Value> = keys
            .chars()
            .flat_map(|key| ["keyDown", "keyUp"].map(|kind| json!({"type": kind, "value": key.to_string()})))
            .collect();
        self.command("actions", &json!({"actions": [{"type": "key", "id": "keys", "actions": actions}]}));
    }

    /// Has the browser prefer a dark or light scheme, or show the page as printed.
    pub(crate) fn emulate(&self, media: &str, scheme: &str) {
        let params = json!({"media": media, "features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.devtools("Emulation.setEmulatedMedia", &params);
    }

    /// Sets the size of the page itself, below what a window may have.
    pub(crate) fn resize(&self, width: u32, height: u32) {
        let params = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.devtools("Emulation.setDeviceMetricsOverride", &params);
    }

    fn devtools(&self, command: &str, params: &Value) -> Value {
        self.command("goog/cdp/execute", &json!({"cmd": command, "params": params}))
    }

    /// Writes a picture of the page.
    pub(crate) fn screenshot(&self, path: &Path) {
        let picture = self.call("GET", &format!("{}/screenshot", self.session), &Value::Null);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, STANDARD.decode(picture.as_str().unwrap()).unwrap()).unwrap();
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            // Closes the browser.
            self.try_call("DELETE", &self.session.clone(), &json!({}));
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
