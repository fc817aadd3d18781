//! One entry in another program's file: what holds of every edit of it.

use wardroom_agents::{
    AGENTS, ConfigFormat, ConfigTarget, EditError, EntryChange, EntrySpec, LaunchCommand, OwnPrograms, ServerName,
    edit_entry, find_entry,
};

const PROGRAM: &str = "/opt/bin/wardroom";

/// Returns the files of agents with one of these formats.
pub fn targets(formats: &[ConfigFormat]) -> Vec<&'static ConfigTarget> {
    let all = AGENTS.iter().flat_map(|agent| agent.targets);
    all.filter(|target| formats.contains(&target.format)).collect()
}

/// An entry in one kind of file.
pub struct Editor {
    target: &'static ConfigTarget,
    name: ServerName,
    own_programs: OwnPrograms,
    launch: LaunchCommand,
}

impl Editor {
    pub fn new(target: &'static ConfigTarget) -> Self {
        let args = ["--service", "alc \"x\" \\ é"].map(str::to_owned).to_vec();
        Self {
            target,
            name: ServerName::parse("wardroom").expect("a name"),
            own_programs: OwnPrograms { programs: vec![PROGRAM.to_owned()], search_path: String::new() },
            launch: LaunchCommand { command: PROGRAM.to_owned(), args },
        }
    }

    fn spec(&self) -> EntrySpec<'_> {
        EntrySpec { target: self.target, name: &self.name, own_programs: &self.own_programs, force: false }
    }

    fn install(&self, text: &str) -> Result<Option<String>, EditError> {
        edit_entry(text, &self.spec(), EntryChange::Install(&self.launch))
    }

    fn uninstall(&self, text: &str) -> Result<Option<String>, EditError> {
        edit_entry(text, &self.spec(), EntryChange::Uninstall)
    }

    fn find(&self, text: &str) -> Result<Option<LaunchCommand>, EditError> {
        Ok(find_entry(text, &self.spec())?.map(|found| found.launch))
    }

    /// Edits a text there and back. `is_restorable` says whether nothing in a text without the entry goes with it.
    pub fn check(&self, text: &str, is_restorable: impl Fn(&str) -> bool) {
        let had_entry = !matches!(self.find(text), Ok(None));
        match self.install(text) {
            Err(error) => check_error(text, &error),
            Ok(None) => assert_eq!(self.find(text), Ok(Some(self.launch.clone())), "{text:?}"),
            Ok(Some(after)) => {
                self.check_installed(text, &after);
                if !had_entry {
                    assert!(is_kept(text, &after), "{text:?} -> {after:?}");
                    let back = self.check_uninstalled(&after);
                    if is_restorable(text) {
                        assert_eq!(back, text, "by {after:?}");
                    }
                }
            }
        }
        match self.uninstall(text) {
            Err(error) => check_error(text, &error),
            Ok(None) => assert!(!had_entry || self.find(text).is_err(), "{text:?}"),
            Ok(Some(_)) => {
                let rest = self.check_uninstalled(text);
                let again = self.install(&rest).expect("what was edited can be edited").expect("the entry is missing");
                self.check_installed(&rest, &again);
            }
        }
    }

    fn check_installed(&self, before: &str, after: &str) {
        assert_eq!(self.find(after), Ok(Some(self.launch.clone())), "{before:?} -> {after:?}");
        assert_eq!(self.install(after), Ok(None), "{before:?} -> {after:?}");
    }

    fn check_uninstalled(&self, before: &str) -> String {
        let after = self.uninstall(before).expect("an entry of ours is removed").expect("there is one");
        assert_eq!(self.find(&after), Ok(None), "{before:?} -> {after:?}");
        assert_eq!(self.uninstall(&after), Ok(None), "{before:?} -> {after:?}");
        assert!(is_kept(&after, before), "{before:?} -> {after:?}");
        after
    }
}

/// A refusal names a line of the text.
fn check_error(text: &str, error: &EditError) {
    assert_ne!(*error, EditError::NotIsolated, "{text:?}");
    let (EditError::Malformed { line, .. }
    | EditError::DuplicateKey { line, .. }
    | EditError::UnexpectedType { line, .. }) = error
    else {
        return;
    };
    let lines = text.bytes().filter(|byte| matches!(byte, b'\n' | b'\r')).count() + 1;
    assert!((1..=lines + 1).contains(line), "{text:?}: {error}");
}

/// Whether all of `part` but its blanks is in `whole`, in its order.
fn is_kept(part: &str, whole: &str) -> bool {
    let mut whole = whole.chars().filter(|letter| !letter.is_whitespace());
    part.chars().filter(|letter| !letter.is_whitespace()).all(|wanted| whole.any(|found| found == wanted))
}
