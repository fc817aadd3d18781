//! A guest of documents that makes the attempts that its input names: their outcomes in [`DocumentSandbox`], for documents
//! and for pictures, and that the sandbox works afterwards.

use std::process::Command;
use std::thread;

use wardroom_hostile_images::DOCUMENTS;
use wardroom_sandbox::limits::{
    MAX_DOCUMENT_OUTPUT_BYTES, MAX_GUEST_INSTANCES, MAX_GUEST_MEMORY_BYTES, MAX_PICTURE_MEMORY_BYTES,
    MAX_PICTURE_OUTPUT_BYTES,
};
use wardroom_sandbox::{DocumentSandbox, GuestImage, PictureRefusal, SandboxError};

const MIB: usize = 1024 * 1024;
/// What the guest itself and the answer's other parts take.
const MARGIN_MIB: usize = 8;

#[expect(unsafe_code, reason = "the build of the hostile images made these bytes with wasmtime")]
fn sandbox() -> DocumentSandbox {
    // SAFETY: the table holds what `Engine::precompile_component` returned.
    DocumentSandbox::new(unsafe { GuestImage::from_bytes_unchecked(DOCUMENTS) })
}

/// The outcome of an attempt: the text of the post, or the error that stops it.
fn attempt(sandbox: &DocumentSandbox, attempt: &str) -> Result<String, SandboxError> {
    sandbox.read_post(attempt.as_bytes(), None).map(|post| post.unwrap().text)
}

/// The outcome of an attempt of a picture, whose text is the picture.
fn picture_attempt(sandbox: &DocumentSandbox, attempt: &str) -> Result<String, SandboxError> {
    let made = sandbox.make_thumbnail(attempt.as_bytes(), 100)?;
    Ok(String::from_utf8(made.unwrap().data).unwrap())
}

fn name_of(error: &SandboxError) -> &'static str {
    match error {
        SandboxError::Busy => "busy",
        SandboxError::Timeout(_) => "time",
        SandboxError::MemoryLimit(_) => "memory",
        SandboxError::StackLimit(_) => "stack",
        SandboxError::OutputLimit(_) => "output",
        SandboxError::Trap(_) => "trap",
        SandboxError::Payload(_) => "payload",
        SandboxError::Unavailable(_) => "unavailable",
    }
}

/// What the attempts at the world outside find. A guest that imports files, sockets or clocks does not load (see `hostile`).
const OUTSIDE: &[(&str, &str)] = &[
    ("read_args", r#"{"refused":"0 arguments"}"#),
    ("read_env", r#"{"refused":"0 variables"}"#),
    ("read_stdin", r#"{"refused":"0 bytes"}"#),
    // The output is discarded: see the test that captures our own output.
    ("write_stdout", r#"{"found":"the bytes were taken"}"#),
];

#[test]
fn attempts_at_the_world_outside_find_nothing() {
    let sandbox = sandbox();
    for (name, found) in OUTSIDE {
        assert_eq!(attempt(&sandbox, name).unwrap(), *found, "{name}");
        assert_eq!(picture_attempt(&sandbox, name).unwrap(), *found, "{name}, of a picture");
    }
}

/// Runs the attempts in a process of their own, since a guest's output would bypass the capture of this one.
#[test]
fn output_of_documents_guest_does_not_reach_process_output() {
    let mut command = Command::new(std::env::current_exe().unwrap());
    let attempts = "hostile_documents::attempts_at_the_world_outside_find_nothing";
    let output = command.args(["--exact", attempts, "--nocapture"]).output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(stdout.contains("1 passed"), "{stdout}{stderr}");
    assert!(!stdout.contains("written by a guest") && !stderr.contains("written by a guest"), "{stdout}{stderr}");
}

/// Each attempt runs twice, and the next document is answered: a stopped instance has no effect on later ones.
#[test]
fn stopped_document_error_names_limit_and_next_document_is_read() {
    let sandbox = sandbox();
    let rows = [
        ("allocate", "the sandbox stopped the document at 32 MiB of memory"),
        ("huge_text 9000000", "the sandbox stopped the document: its result is larger than 8 MiB"),
        ("many_links 200000", "the sandbox stopped the document: its result is larger than 8 MiB"),
        ("many_headings 500000", "the sandbox stopped the document: its result is larger than 8 MiB"),
        ("many_fields 150000", "the sandbox stopped the document: its result is larger than 8 MiB"),
        ("loop_forever", "the sandbox stopped the document after 1 s"),
        ("malformed_json", "the sandbox stopped the document: its result is malformed"),
        ("deep_json", "the sandbox stopped the document: its result is malformed"),
        ("recurse", "the sandbox stopped the document at 512 KiB of stack"),
        ("trap", "the sandbox stopped the document: its parser failed"),
        // One byte past the source.
        ("body_start 14", "the sandbox stopped the document: its parser failed"),
    ];
    for (name, words) in rows {
        for _ in 0..2 {
            let error = attempt(&sandbox, name).unwrap_err();
            assert_eq!((error.to_string().as_str(), error.is_of_document()), (words, true), "{name}");
            assert_eq!(attempt(&sandbox, "huge_text 1").unwrap(), "a", "after {name}");
        }
    }
    assert_eq!(sandbox.read_post(b"body_start 13", None).unwrap().unwrap().body_start, 13, "the end of the source");
}

#[test]
fn every_function_stops_its_guest() {
    let sandbox = sandbox();
    for (name, error) in [("recurse", "stack"), ("trap", "trap"), ("huge_text 20000000", "output")] {
        let input = name.as_bytes();
        let outcomes = [
            ("read_post", sandbox.read_post(input, None).map(drop)),
            ("read_sidecar", sandbox.read_sidecar(input).map(drop)),
            ("edit", sandbox.edit(input, &[]).map(drop)),
            ("preview", sandbox.preview(input).map(drop)),
            ("check_template", sandbox.check_template(input).map(drop)),
            ("check_script", sandbox.check_script(input).map(drop)),
            ("inspect_picture", sandbox.inspect_picture(input).map(drop)),
            ("make_thumbnail", sandbox.make_thumbnail(input, 1).map(drop)),
        ];
        for (function, outcome) in outcomes {
            // A sidecar has no text of its own: it fails by what the refusal says.
            let outcome = outcome.map_err(|stopped| name_of(&stopped));
            let is_without_text = function == "read_sidecar" && error != "output";
            assert_eq!(outcome, if is_without_text { Ok(()) } else { Err(error) }, "{function}: {name}");
        }
    }
    for (name, error) in [("malformed_json", "payload"), ("deep_json", "payload"), ("body_start 99", "trap")] {
        let outcome = sandbox.read_front_matter(name.as_bytes()).unwrap_err();
        assert_eq!(name_of(&outcome), error, "{name}");
    }
    assert_eq!(name_of(&sandbox.read_sidecar(b"deep_json").unwrap_err()), "payload");
    assert_eq!(attempt(&sandbox, "huge_text 1").unwrap(), "a");
    let refused = PictureRefusal::Malformed("a".to_owned());
    assert_eq!(sandbox.inspect_picture(b"huge_text 1").unwrap(), Err(refused));
}

/// What is near a limit is answered, and what is over it is not: each engine has its own.
#[test]
fn documents_and_pictures_have_limits_of_their_own() {
    let sandbox = sandbox();
    type Attempt = fn(&DocumentSandbox, &str) -> Result<String, SandboxError>;
    let engines: [(&str, Attempt, usize, usize); 2] = [
        ("a document", attempt, MAX_GUEST_MEMORY_BYTES, MAX_DOCUMENT_OUTPUT_BYTES),
        ("a picture", picture_attempt, MAX_PICTURE_MEMORY_BYTES, MAX_PICTURE_OUTPUT_BYTES),
    ];
    for (what, attempt, memory, output) in engines {
        let fits = attempt(&sandbox, &format!("fill_memory {}", memory / MIB - MARGIN_MIB));
        assert_eq!(fits.unwrap(), "filled", "{what}");
        let filled = attempt(&sandbox, &format!("fill_memory {}", memory / MIB)).unwrap_err();
        assert!(matches!(filled, SandboxError::MemoryLimit(limit) if limit == memory), "{what}: {filled:?}");
        // The rest of the answer counts as well.
        let fits = attempt(&sandbox, &format!("huge_text {}", output - 1024));
        assert_eq!(fits.unwrap().len(), output - 1024, "{what}");
        let over = attempt(&sandbox, &format!("huge_text {}", output + 1)).unwrap_err();
        assert!(matches!(over, SandboxError::OutputLimit(limit) if limit == output), "{what}: {over:?}");
    }
}

#[test]
fn loop_in_every_instance_of_documents_times_out_and_frees_it() {
    let sandbox = sandbox();
    thread::scope(|scope| {
        for _ in 0..=MAX_GUEST_INSTANCES {
            scope.spawn(|| assert_eq!(name_of(&attempt(&sandbox, "loop_forever").unwrap_err()), "time"));
        }
    });
    assert_eq!(attempt(&sandbox, "huge_text 1").unwrap(), "a");
}

/// Each endless picture takes 5 s, and a caller waits 10 s for the one instance: of four callers at once, two at least
/// are stopped and one at least is told that the sandbox is busy. Documents are read meanwhile.
#[test]
fn pictures_take_turns_time_out_and_leave_documents_alone() {
    let sandbox = sandbox();
    let mut outcomes: Vec<&str> = thread::scope(|scope| {
        let picture = || name_of(&picture_attempt(&sandbox, "loop_forever").unwrap_err());
        let running: Vec<_> = (0..4).map(|_| scope.spawn(picture)).collect();
        assert_eq!(attempt(&sandbox, "huge_text 1").unwrap(), "a");
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    outcomes.sort_unstable();
    assert_eq!((outcomes[0], outcomes[3]), ("busy", "time"), "{outcomes:?}");
    assert!(outcomes.iter().all(|outcome| ["busy", "time"].contains(outcome)), "{outcomes:?}");
    let error = picture_attempt(&sandbox, "loop_forever").unwrap_err();
    assert_eq!(error.to_string(), "the sandbox stopped the document after 5 s");
    assert_eq!(picture_attempt(&sandbox, "huge_text 1").unwrap(), "a");
}
