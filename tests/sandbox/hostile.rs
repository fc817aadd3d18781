//! Guests that each attempt one forbidden thing: their outcomes, and that the sandbox works afterwards.

use std::process::Command;
use std::thread;

use wardroom_hostile_images::ALL;
use wardroom_sandbox::limits::MAX_GUEST_INSTANCES;
use wardroom_sandbox::{GuestImage, Sandbox, SandboxError};

/// Every image with its outcome: the result, or the name of the error that stops it. A guest that imports files, sockets
/// or clocks does not load.
const ATTEMPTS: &[(&str, Result<&str, &str>)] = &[
    ("allocate", Err("Memory")),
    ("deep_json", Err("Payload: JSON is nested deeper than 100 levels")),
    ("huge_string", Err("Output")),
    ("list_preopens", Err("Unavailable: wasi:filesystem/types")),
    ("loop_forever", Err("Time")),
    ("malformed_json", Err("Payload: not JSON at line 1 column 5")),
    ("many_unresolved", Err("Output")),
    ("open_file", Err("Unavailable: wasi:filesystem/types")),
    // The error names the first import that is not linked. `imports.rs` tests each interface.
    ("open_socket", Err("Unavailable: wasi:clocks/monotonic-clock")),
    ("read_args", Ok(r#"{"refused":"0 arguments"}"#)),
    ("read_clock", Err("Unavailable: wasi:clocks/monotonic-clock")),
    ("read_env", Ok(r#"{"refused":"0 variables"}"#)),
    ("read_stdin", Ok(r#"{"refused":"0 bytes"}"#)),
    ("recurse", Err("Stack")),
    ("trap", Err("Trap")),
    ("well_behaved", Ok(r#"{"ok":true}"#)),
    // The output is discarded: see the test that captures our own output.
    ("write_stdout", Ok(r#"{"found":"the bytes were taken"}"#)),
];

#[expect(unsafe_code, reason = "the build of the hostile images made these bytes with wasmtime")]
fn sandbox(name: &str) -> Sandbox {
    let (_, image) = ALL.iter().find(|(known, _)| *known == name).unwrap();
    // SAFETY: the table holds what `Engine::precompile_component` returned.
    Sandbox::new(unsafe { GuestImage::from_bytes_unchecked(image) })
}

/// The outcome of one call.
fn attempt(sandbox: &Sandbox) -> Result<String, String> {
    match sandbox.extract("x", b"return {}") {
        Ok(answer) => Ok(answer.unwrap().json),
        Err(error) => Err(name_of(&error)),
    }
}

fn name_of(error: &SandboxError) -> String {
    match error {
        SandboxError::Busy => "Busy".into(),
        SandboxError::Timeout(_) => "Time".into(),
        SandboxError::MemoryLimit(_) => "Memory".into(),
        SandboxError::StackLimit(_) => "Stack".into(),
        SandboxError::OutputLimit(_) => "Output".into(),
        SandboxError::Trap(_) => "Trap".into(),
        SandboxError::Payload(error) => format!("Payload: {error}"),
        // The interface that is not linked.
        SandboxError::Unavailable(reason) => {
            let import = reason.split('`').nth(1).and_then(|name| name.split('@').next());
            format!("Unavailable: {}", import.unwrap_or(reason))
        }
    }
}

#[test]
fn every_hostile_image_has_a_row() {
    let rows: Vec<&str> = ATTEMPTS.iter().map(|(name, _)| *name).collect();
    let images: Vec<&str> = ALL.iter().map(|(name, _)| *name).collect();
    assert_eq!(rows, images);
}

/// Each runs twice: an attempt has no effect on the next call into the same sandbox.
#[test]
fn forbidden_attempts_fail_every_time() {
    for (name, expected) in ATTEMPTS {
        let sandbox = sandbox(name);
        for _ in 0..2 {
            let expected = expected.map(str::to_owned).map_err(str::to_owned);
            assert_eq!(attempt(&sandbox), expected, "{name}");
        }
    }
}

/// The other exports of the hostile guests work: a stopped instance has no effect on later ones.
#[test]
fn sandbox_serves_after_guest_was_stopped() {
    for name in ["allocate", "huge_string", "many_unresolved", "recurse", "trap"] {
        let sandbox = sandbox(name);
        for _ in 0..2 * MAX_GUEST_INSTANCES {
            attempt(&sandbox).unwrap_err();
        }
        assert_eq!(sandbox.check_id(wardroom_base::uri::IdKind::CardId, "x").unwrap(), Ok(()), "{name}");
    }
}

#[test]
fn excess_callers_are_all_served() {
    let sandbox = sandbox("well_behaved");
    thread::scope(|scope| {
        for _ in 0..4 * MAX_GUEST_INSTANCES {
            scope.spawn(|| {
                for _ in 0..50 {
                    assert_eq!(attempt(&sandbox), Ok(r#"{"ok":true}"#.into()));
                }
            });
        }
    });
}

#[test]
fn endless_loop_in_every_instance_times_out_and_frees_it() {
    let sandbox = sandbox("loop_forever");
    thread::scope(|scope| {
        for _ in 0..=MAX_GUEST_INSTANCES {
            scope.spawn(|| assert_eq!(attempt(&sandbox), Err("Time".into())));
        }
    });
    assert_eq!(sandbox.check_id(wardroom_base::uri::IdKind::CardId, "x").unwrap(), Ok(()));
}

/// Messages that a client may see contain nothing about the host.
#[test]
fn stopped_guest_error_names_limit() {
    let rows = [
        ("allocate", "the sandbox stopped the document at 32 MiB of memory"),
        ("huge_string", "the sandbox stopped the document: its result is larger than 1 MiB"),
        ("loop_forever", "the sandbox stopped the document after 1 s"),
        ("malformed_json", "the sandbox stopped the document: its result is malformed"),
        ("recurse", "the sandbox stopped the document at 512 KiB of stack"),
        ("trap", "the sandbox stopped the document: its parser failed"),
    ];
    for (name, words) in rows {
        assert_eq!(sandbox(name).extract("x", b"").unwrap_err().to_string(), words);
    }
}

#[test]
#[expect(unsafe_code, reason = "shows that bytes of another kind are refused before anything of them runs")]
fn invalid_image_does_not_load() {
    // SAFETY: loading checks the header, which these bytes do not have.
    let sandbox = Sandbox::new(unsafe { GuestImage::from_bytes_unchecked(b"not machine code") });
    assert!(matches!(sandbox.prepare(), Err(SandboxError::Unavailable(_))));
    assert!(matches!(sandbox.extract("x", b""), Err(SandboxError::Unavailable(_))));
}

/// Runs the attempts in a process of their own, since a guest's output would bypass the capture of this one.
#[test]
fn guest_output_does_not_reach_process_output() {
    let mut command = Command::new(std::env::current_exe().unwrap());
    let attempts = "hostile::forbidden_attempts_fail_every_time";
    let output = command.args(["--exact", attempts, "--nocapture"]).output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(stdout.contains("1 passed"), "{stdout}{stderr}");
    assert!(!stdout.contains("written by a guest") && !stderr.contains("written by a guest"), "{stdout}{stderr}");
}
