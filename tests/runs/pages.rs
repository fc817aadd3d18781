//! The pages of runs for several callers: what one may not see does not exist for it. The log on the page of a run.

#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use wardroom::limits::WARM_RUN_IDLE_TIMEOUT;
use wardroom_alc::{Alc, AlcFolders, AlcOptions, RunSettings};
use wardroom_appdir::LineIndexCache;
use wardroom_base::payload::Payload;
use wardroom_config::limits::DEFAULT_RUN_PROCESSOR_TIME;
use wardroom_lua::{Spawner, WorkerPool};
use wardroom_service::{
    Caller, Catalogue, Owner, PageFields, PageMethod, PageReply, PageRequest, RequestInfo, ServiceError,
};

use wardroom_test_support::{SANDBOX, TestDir, wardroom_binary};

/// The service with its runs.
struct Pages(Arc<Catalogue>);

impl Pages {
    fn start(dir: &TestDir) -> Self {
        let pool = WorkerPool::new(Spawner::start(wardroom_binary()).unwrap());
        let folders = AlcFolders { app: dir.open_app(), logs: None, project: None, package_mounts: Vec::new() };
        let settings = RunSettings {
            environment: BTreeMap::new(),
            preview_chars: 200,
            warm_time: WARM_RUN_IDLE_TIMEOUT,
            processor_time: DEFAULT_RUN_PROCESSOR_TIME,
        };
        let options = AlcOptions { runs: Some((pool, settings)), ..AlcOptions::default() };
        let alc = Alc::with_options(folders, Arc::clone(&SANDBOX), LineIndexCache::new(None), options);
        Self(Arc::new(Catalogue::new(vec![Arc::new(alc)])))
    }

    fn info(&self, owner: &Owner) -> RequestInfo {
        let caller = Caller { owner: owner.clone(), ..Caller::default() };
        RequestInfo { caller: Arc::new(caller), ..RequestInfo::new(&self.0) }
    }

    fn call(&self, owner: &Owner, tool: &str, arguments: Value) -> Value {
        let answer = self.0.call_blocking(tool, Payload::from_value(arguments), &self.info(owner)).unwrap();
        answer.value.into_value()
    }

    fn request(&self, owner: &Owner, path: &[&str], form: Option<[&str; 2]>) -> Result<PageReply, ServiceError> {
        let fields = form.map(|[question, answer]| {
            vec![("question".to_owned(), question.to_owned()), ("answer".to_owned(), answer.to_owned())]
        });
        let request = PageRequest {
            method: if fields.is_some() { PageMethod::Post } else { PageMethod::Get },
            base: "/review/alc".to_owned(),
            path: path.iter().map(|part| (*part).to_owned()).collect(),
            query: PageFields::default(),
            form: PageFields(fields.unwrap_or_default()),
            form_token: "t".to_owned(),
            session: "s".to_owned(),
        };
        let (_, pages) = self.0.pages().next().unwrap();
        pages.respond(&request, &self.info(owner))
    }

    fn html(&self, owner: &Owner, path: &[&str]) -> String {
        match self.request(owner, path, None) {
            Ok(PageReply::Page(page)) => page.html,
            other => panic!("{other:?}"),
        }
    }

    fn n_pending(&self, owner: &Owner) -> usize {
        let (_, pages) = self.0.pages().next().unwrap();
        pages.sections(&self.info(owner)).first().unwrap().n_pending
    }
}

#[test]
fn stranger_neither_sees_nor_answers_a_run() {
    let dir = TestDir::new();
    let pages = Pages::start(&dir);
    let (owner, stranger) = (Owner::Named("one".to_owned()), Owner::Named("two".to_owned()));
    let waits = pages.call(&owner, "alc_run", json!({"code": "return alc.llm('a secret')"}));
    let run = waits["session_id"].as_str().unwrap();
    let path = ["runs", run];
    let form_path = ["runs", run, "answer"];
    for other in [&stranger, &Owner::Anonymous] {
        assert!(!pages.html(other, &[]).contains(run) && !pages.html(other, &[]).contains("a secret"));
        assert_eq!(pages.n_pending(other), 0);
        for refused in [pages.request(other, &path, None), pages.request(other, &form_path, Some(["q-0", "x"]))] {
            assert!(matches!(refused, Err(ServiceError::NotFound { .. })), "{refused:?}");
        }
    }
    // The question waits for its owner, and for the operator.
    assert_eq!((pages.n_pending(&owner), pages.n_pending(&Owner::Operator)), (1, 1));
    assert!(pages.html(&Owner::Operator, &path).contains("a secret"));
    let answered = pages.request(&owner, &form_path, Some(["q-0", "x"]));
    assert!(matches!(answered, Ok(PageReply::Redirect(_))), "{answered:?}");
    assert!(pages.html(&owner, &path).contains("status done"));
}

#[test]
fn log_stands_on_the_page_in_order_with_branches_and_levels_as_text() {
    let dir = TestDir::new();
    dir.write_package(
        "nested",
        "local function inner(ctx) alc.log('warn', 'in ' .. ctx.task) alc.llm('p') error('no <answer>') end\n\
         return { meta = { name = 'nested', version = '1.0.0' }, run = function(ctx) return inner(ctx) end }",
    );
    let pages = Pages::start(&dir);
    let owner = Owner::Named("one".to_owned());
    let code = "print('<script>first</script>') alc.log('debug', 'odd') alc.fork({'nested'}, {task = 'a fork'}) \n\
                alc.llm('next') error('went & wrong')";
    let waits = pages.call(&owner, "alc_run", json!({"code": code}));
    let run = waits["session_id"].as_str().unwrap();
    for (question, text) in [("q-0", "x"), ("q-1", "y")] {
        let answered = pages.request(&owner, &["runs", run, "answer"], Some([question, text]));
        assert!(matches!(answered, Ok(PageReply::Redirect(_))), "{answered:?}");
    }
    let html = pages.html(&owner, &["runs", run]);
    let (_, log) = html.split_once("<ol class=\"log\">").unwrap();
    let log = log.split_once("</ol>").unwrap().0;
    // Of each line: its class, its level, its branch, and the beginning of its text.
    let line = |item: &str| {
        let between = |before: &str, after: &str| {
            item.split_once(before).and_then(|(_, rest)| rest.split_once(after)).map(|(text, _)| text.to_owned())
        };
        let branch = between("</span>", "</p>");
        (between("class=\"", "\""), between("<span class=\"level\">", "</span>"), branch, between("<pre>", "</pre>"))
    };
    let lines: Vec<_> = log.split("<li ").skip(1).map(line).collect();
    let [first, odd, in_fork, fork_failed, failed] = lines.as_slice() else { panic!("{log}") };
    let of = |class: &str, level: &str, branch: &str, text: &str| {
        let texts = [class, level, branch, text].map(|text| Some(text.to_owned()));
        let [class, level, branch, text] = texts;
        (class, level, branch, text)
    };
    assert_eq!(first, &of("other", "info", "", "&lt;script&gt;first&lt;/script&gt;"));
    assert_eq!(odd, &of("other", "debug", "", "odd"));
    assert_eq!(in_fork, &of("warn", "warn", " fork 0-0", "in a fork"));
    assert_eq!(
        (&fork_failed.0, &fork_failed.2),
        (&Some("error".to_owned()), &Some(" fork 0-0".to_owned())),
        "{fork_failed:?}"
    );
    let traceback = fork_failed.3.as_deref().unwrap();
    assert!(traceback.contains("no &lt;answer&gt;\nstack traceback:") && traceback.contains("nested"), "{traceback}");
    assert_eq!((&failed.0, &failed.2), (&Some("error".to_owned()), &Some(String::new())), "{failed:?}");
    assert!(failed.3.as_deref().unwrap().contains("went &amp; wrong"), "{failed:?}");
}
