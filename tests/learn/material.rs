//! The material: faults of small projects with what the real tools printed, recorded once by `record/`.
//!
//! Owns: the form of its files, and which half a fault is of.
//! Never: runs a tool.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::judge::Tokens;

const LANGUAGES: [&str; 3] = ["cargo", "python", "typescript"];

/// A half of the material. They share neither projects nor tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Half {
    Development,
    Report,
}

impl Half {
    const fn folder(self) -> &'static str {
        match self {
            Self::Development => "development",
            Self::Report => "report",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FaultKind {
    Recurring,
    OneOff,
    /// A failure after which the same command passes without a change.
    Flake,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Fault {
    pub(crate) id: String,
    pub(crate) kind: FaultKind,
    pub(crate) cause: Tokens,
    pub(crate) fix: Fix,
    /// What helps from the middle of a scenario on, when the first fix does no more.
    pub(crate) later_fix: Option<Fix>,
    pub(crate) recordings: Vec<Recording>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Fix {
    pub(crate) tokens: Tokens,
    /// How agents report it.
    pub(crate) wordings: Vec<String>,
}

impl Fix {
    /// Whether there is something to change. A flake goes by itself.
    pub(crate) fn is_a_change(&self) -> bool {
        !self.wordings.is_empty()
    }
}

/// A fault in one project. The outputs are names of files beside the index.
#[derive(Debug, Deserialize)]
pub(crate) struct Recording {
    pub(crate) project: String,
    pub(crate) command: String,
    /// Descriptions of tasks in which it happens.
    pub(crate) tasks: Vec<String>,
    pub(crate) failed: String,
    pub(crate) later_failed: Option<String>,
    /// After the first fix, from the middle of a scenario on.
    pub(crate) later_obsolete: Option<String>,
}

pub(crate) struct Material {
    pub(crate) faults: Vec<Fault>,
    folders: Vec<PathBuf>,
}

impl Material {
    pub(crate) fn read(half: Half) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("material");
        let folders: Vec<PathBuf> = LANGUAGES.map(|language| root.join(language).join(half.folder())).into();
        let faults = folders.iter().flat_map(|folder| {
            let index = fs::read_to_string(folder.join("index.json")).unwrap();
            serde_json::from_str::<Vec<Fault>>(&index).unwrap()
        });
        Self { faults: faults.collect(), folders }
    }

    pub(crate) fn of_kind(&self, kind: FaultKind) -> impl Iterator<Item = &Fault> {
        self.faults.iter().filter(move |fault| fault.kind == kind)
    }

    /// Returns the names of all outputs, with their files.
    pub(crate) fn outputs(&self) -> Vec<(String, PathBuf)> {
        let names = self.faults.iter().flat_map(|fault| &fault.recordings).flat_map(|recording| {
            [Some(&recording.failed), recording.later_failed.as_ref(), recording.later_obsolete.as_ref()]
        });
        names.flatten().map(|name| (name.clone(), self.file_of(name))).collect()
    }

    fn file_of(&self, name: &str) -> PathBuf {
        let found = self.folders.iter().map(|folder| folder.join(name)).find(|file| file.exists());
        found.unwrap_or_else(|| panic!("{name} is missing"))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_report_of_a_fix_names_its_tokens() {
        for half in [Half::Development, Half::Report] {
            let material = Material::read(half);
            assert_eq!(material.of_kind(FaultKind::Recurring).count(), 18);
            for fault in &material.faults {
                for fix in [Some(&fault.fix), fault.later_fix.as_ref()].into_iter().flatten() {
                    let unnamed = fix.wordings.iter().find(|text| !fix.tokens.are_named_in(text));
                    assert_eq!(unnamed, None, "{}", fault.id);
                }
            }
        }
    }

    #[test]
    fn everything_but_a_flake_has_a_fix() {
        for half in [Half::Development, Half::Report] {
            for fault in &Material::read(half).faults {
                assert_eq!(fault.fix.is_a_change(), fault.kind != FaultKind::Flake, "{}", fault.id);
            }
        }
    }

    #[test]
    fn every_output_names_its_cause_and_no_fix_of_an_agent() {
        for half in [Half::Development, Half::Report] {
            let material = Material::read(half);
            for fault in material.of_kind(FaultKind::Recurring) {
                for recording in &fault.recordings {
                    let text = fs::read_to_string(material.file_of(&recording.failed)).unwrap();
                    assert!(fault.cause.are_named_in(&text), "{}", recording.failed);
                    for wording in &fault.fix.wordings {
                        assert!(!text.contains(wording), "{}: {wording}", recording.failed);
                    }
                }
            }
        }
    }

    #[test]
    fn halves_share_neither_projects_nor_tools() {
        let names = |half| {
            let material = Material::read(half);
            let recordings = || material.faults.iter().flat_map(|fault| &fault.recordings);
            let projects: BTreeSet<String> = recordings().map(|recording| recording.project.clone()).collect();
            let commands: BTreeSet<String> = recordings().map(|recording| recording.command.clone()).collect();
            (projects, commands)
        };
        let (one, other) = (names(Half::Development), names(Half::Report));
        assert!(one.0.is_disjoint(&other.0) && one.1.is_disjoint(&other.1), "{one:?} {other:?}");
    }
}
