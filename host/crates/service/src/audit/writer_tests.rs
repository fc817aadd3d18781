//! Full disks and killed processes: what was recorded stays, and nothing is called changed.

#![expect(clippy::disallowed_methods, reason = "files as other processes and people leave them")]

use std::fs;
use std::time::{Duration, SystemTime};

use super::record::{Head, NO_HASH};
use super::verify;
use super::writer::{TrailWriter, file_name, file_names};
use super::{AuditAction, AuditChannel, AuditEvent, AuditSource, FOLDER, HEADS_FOLDER};
use crate::limits::MAX_AUDIT_FILES;
use wardroom_appdir::{Access, AppDirError, Folder, ambient, with_failpoints};

fn app(dir: &tempfile::TempDir) -> Folder {
    ambient::open_folder(dir.path(), Access::ReadWrite).unwrap()
}

fn append(writer: TrailWriter, app: &Folder) -> Result<TrailWriter, AppDirError> {
    let source = AuditSource { who: "operator".to_owned(), through: AuditChannel::Command };
    let event = AuditEvent { action: AuditAction::RunBegun, subject: "s-1", digest: None, outcome: "ok" };
    writer.append(app, &source, &event, 1)
}

/// Returns the names of the files of the trail and of their heads.
fn names(app: &Folder) -> (Vec<String>, usize) {
    let mut n_heads = 0;
    app.open_folder(HEADS_FOLDER).unwrap().visit_names(&mut 1000, |_, _, _| n_heads += 1).unwrap();
    (file_names(&app.open_folder(FOLDER).unwrap()).unwrap(), n_heads)
}

fn assert_unchanged(app: &Folder) {
    let files = verify(app).unwrap();
    assert!(files.iter().all(|file| file.faults.is_empty()), "{files:?}");
}

#[test]
fn full_disk_removes_no_record() {
    let dir = tempfile::tempdir().unwrap();
    let app = app(&dir);
    // While one process has a file open, another one needs its own.
    let first = append(TrailWriter::open(&app).unwrap(), &app).unwrap();
    let before = names(&app);
    for refused in ["write", "write record"] {
        for _ in 0..=MAX_AUDIT_FILES {
            let full = move |step| if step == refused { Err(std::io::ErrorKind::StorageFull.into()) } else { Ok(()) };
            assert!(with_failpoints(full, || TrailWriter::open(&app)).is_err());
        }
        assert_eq!(names(&app), before);
        assert_unchanged(&app);
    }
    let second = append(TrailWriter::open(&app).unwrap(), &app).unwrap();
    assert_eq!(names(&app).0.len(), 2);
    drop((first, second));
    assert_unchanged(&app);
}

/// A line whose head could not be written is followed by no second one.
#[test]
fn file_is_continued_once_its_head_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let app = app(&dir);
    drop(TrailWriter::open(&app).unwrap());
    for _ in 0..3 {
        let full = |step| if step == "write record" { Err(std::io::ErrorKind::StorageFull.into()) } else { Ok(()) };
        assert!(with_failpoints(full, || append(TrailWriter::open(&app)?, &app)).is_err());
        assert_unchanged(&app);
    }
    append(TrailWriter::open(&app).unwrap(), &app).unwrap();
    assert_unchanged(&app);
}

#[test]
fn what_killed_processes_left_is_removed() {
    let dir = tempfile::tempdir().unwrap();
    let app = app(&dir);
    let first = append(TrailWriter::open(&app).unwrap(), &app).unwrap();
    let old = SystemTime::now().checked_sub(Duration::from_secs(120)).unwrap();
    let unwritten = Head { count: 0, hash: NO_HASH.to_owned() }.to_text();
    let leave = |path: String, content: &str| {
        let path = dir.path().join(path);
        fs::write(&path, content).unwrap();
        fs::File::options().write(true).open(path).unwrap().set_modified(old).unwrap();
    };
    let leftovers = [
        ("1", "", Some("")),
        ("2", &unwritten, Some("")),
        ("3", &unwritten, Some("{\"n\":1")),
        ("4", &unwritten, None),
    ];
    for (name, head, lines) in leftovers {
        leave(format!("{HEADS_FOLDER}/{name}"), head);
        lines.iter().for_each(|lines| leave(format!("{FOLDER}/{}", file_name(name)), lines));
    }
    assert_eq!((names(&app).0.len(), names(&app).1), (4, 5));
    assert_unchanged(&app);
    let second = TrailWriter::open(&app).unwrap();
    assert_eq!((names(&app).0.len(), names(&app).1), (2, 2));
    drop((first, second));
    assert_unchanged(&app);
}

#[test]
fn emptied_file_stays_and_shows() {
    let dir = tempfile::tempdir().unwrap();
    let app = app(&dir);
    drop(append(TrailWriter::open(&app).unwrap(), &app).unwrap());
    let name = names(&app).0.remove(0);
    let path = dir.path().join(FOLDER).join(file_name(&name));
    let old = SystemTime::now().checked_sub(Duration::from_secs(120)).unwrap();
    let file = fs::File::options().write(true).truncate(true).open(path).unwrap();
    file.set_modified(old).unwrap();
    drop(TrailWriter::open(&app).unwrap());
    assert_eq!(names(&app).0.len(), 2);
    assert!(verify(&app).unwrap().iter().any(|file| file.name == name && !file.faults.is_empty()));
}

/// A process may be killed at each step of the removal.
#[test]
fn half_removed_file_is_no_fault() {
    let dir = tempfile::tempdir().unwrap();
    let app = app(&dir);
    let mut open = Vec::new();
    for _ in 0..MAX_AUDIT_FILES {
        open.push(TrailWriter::open(&app).unwrap());
    }
    open.clear();
    let oldest = names(&app).0.remove(0);
    let head = fs::read(dir.path().join(HEADS_FOLDER).join(&oldest)).unwrap();
    let begun =
        TrailWriter::begin(&app.open_folder(FOLDER).unwrap(), &app.open_folder(HEADS_FOLDER).unwrap(), &names(&app).0);
    drop(begun.unwrap());
    assert_eq!((names(&app).0.len(), names(&app).1), (MAX_AUDIT_FILES, MAX_AUDIT_FILES));
    assert!(!names(&app).0.contains(&oldest));
    assert_unchanged(&app);
    fs::write(dir.path().join(HEADS_FOLDER).join(&oldest), head).unwrap();
    assert_unchanged(&app);
}
