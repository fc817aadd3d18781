//! `wardroom agents install` and `uninstall`: edits of several files, each shown before it is written.
//!
//! Owns: the confirmation, and the report on each file.
//! Never: writes without the person's consent, or asks without a terminal.

use std::io::{self, IsTerminal as _};
use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

use super::agent_environment;
use crate::cli::agents_args::{AgentSelectionArgs, FileChangeArgs as Flags};
use crate::report::{self, CommandError};
use wardroom_agents::{
    Agent, AgentError, AgentFile, EditError, EntryChange, EntrySpec, OwnPrograms, PathEnvironment, PlannedEdit,
    ServerName, locate_files, plan_edit, select_installed_or_first, select_targets,
};
use wardroom_appdir::AppDirError;

pub(super) const NO_AGENT_INSTALLED: &str =
    "no agent is installed here; run wardroom agents list to see where their files would be";

/// An update of several files.
pub(super) struct AgentFilesUpdate<'j> {
    pub(super) name: ServerName,
    pub(super) own_programs: OwnPrograms,
    pub(super) change: &'j Flags,
    pub(super) create: bool,
    /// Whether the server of a new entry starts; asked before anything is written.
    pub(super) check: &'j dyn Fn() -> Result<(), CommandError>,
}

impl AgentFilesUpdate<'_> {
    pub(super) fn run(&self, which: &AgentSelectionArgs, change: EntryChange<'_>) -> Result<(), CommandError> {
        if which.agents.is_empty() && !which.all {
            return Err(CommandError::new(
                "no agent is named",
                "name one or more, or pass --all; run wardroom agents list to see them",
            ));
        }
        let agents = which.agents();
        let environment = agent_environment(&agents)?;
        let (mut ready, mut failed, mut seen) = (Vec::new(), 0, false);
        for agent in agents {
            let files = self.target_files(agent, &environment, which.agents.is_empty());
            for file in select_targets(files, change, |file| file.has_entry(&self.entry_spec(file))) {
                seen = true;
                match self.prepare(&file, change) {
                    Ok(Some(prepared)) => ready.push((agent, prepared)),
                    Ok(None) => report::print_note(&unchanged_message(agent, &self.name, &file, change)),
                    Err(error) => {
                        report::print_error(&agent_file_error(agent, &self.name, error));
                        failed += 1;
                    }
                }
            }
        }
        if !seen {
            report::print_note(NO_AGENT_INSTALLED);
        }
        if !ready.is_empty() && !self.change.dry_run && !self.change.force {
            (self.check)()?;
        }
        for (_, prepared) in &ready {
            print_diff(prepared)?;
        }
        if self.change.dry_run && !ready.is_empty() {
            report::print_note("nothing was written; leave out --dry-run to write it");
        }
        if !self.change.dry_run && !ready.is_empty() {
            if self.confirm(&ready)? {
                failed += ready.iter().filter(|(agent, prepared)| !self.write_file(agent, prepared, change)).count();
            } else {
                report::print_note(
                    "nothing was written; run wardroom agents print to see an entry and write it yourself",
                );
            }
        }
        let what = match failed {
            0 => return Ok(()),
            1 => "1 file was not changed".to_owned(),
            _ => format!("{failed} files were not changed"),
        };
        Err(CommandError::new(what, "fix the errors above, and run the command again for the rest"))
    }

    /// Plans an edit. With `--yes`, a file that seems to be partially written is read again until its writer is done.
    fn prepare(&self, file: &AgentFile, change: EntryChange<'_>) -> Result<Option<PlannedEdit>, AgentError> {
        const MAX_ATTEMPTS: usize = 20;
        const RETRY_INTERVAL: Duration = Duration::from_millis(50);
        let plan = || plan_edit(file, &self.entry_spec(file), change, self.create);
        let mut prepared = plan();
        for _ in 0..MAX_ATTEMPTS {
            if !self.change.yes || !prepared.as_ref().is_err_and(may_be_partially_written) {
                break;
            }
            sleep(RETRY_INTERVAL);
            prepared = plan();
        }
        prepared
    }

    fn entry_spec(&self, file: &AgentFile) -> EntrySpec<'_> {
        EntrySpec { target: file.target, name: &self.name, own_programs: &self.own_programs, force: self.change.force }
    }

    /// Writes one file and returns whether it is up to date now.
    fn write_file(&self, agent: &Agent, prepared: &PlannedEdit, change: EntryChange<'_>) -> bool {
        let written = |prepared: &PlannedEdit, copy: Option<PathBuf>| {
            let copy = copy.map(|copy| format!(" (before: {})", copy.display())).unwrap_or_default();
            let path = prepared.file().path.display();
            let afterwards = match change {
                EntryChange::Install(_) => format!("\n{}: {}", agent.title, agent.activation_hint),
                EntryChange::Uninstall => String::new(),
            };
            report::print_note(&format!("wrote {path}{copy}{afterwards}"));
        };
        let outcome = match prepared.apply() {
            Err(AgentError::ConcurrentlyModified { .. }) if self.change.yes => {
                self.retry_write(agent, prepared.file(), change, written)
            }
            outcome => outcome.map(|copy| written(prepared, copy)),
        };
        outcome.map_err(|error| report::print_error(&agent_file_error(agent, &self.name, error))).is_ok()
    }

    /// Plans and writes again after a concurrent change: with `--yes`, consent covers the file's current content.
    fn retry_write(
        &self,
        agent: &Agent,
        file: &AgentFile,
        change: EntryChange<'_>,
        written: impl Fn(&PlannedEdit, Option<PathBuf>),
    ) -> Result<(), AgentError> {
        // 3 s: longer than `prepare` waits for a file that was just truncated.
        const MAX_ATTEMPTS: usize = 300;
        const RETRY_INTERVAL: Duration = Duration::from_millis(10);
        let mut outcome = Ok(());
        for _ in 0..MAX_ATTEMPTS {
            sleep(RETRY_INTERVAL);
            let Some(prepared) = self.prepare(file, change)? else {
                report::print_note(&unchanged_message(agent, &self.name, file, change));
                return Ok(());
            };
            outcome = prepared.apply().map(|copy| written(&prepared, copy));
            if !matches!(outcome, Err(AgentError::ConcurrentlyModified { .. })) {
                break;
            }
        }
        outcome
    }

    /// The files to edit. An agent that is not installed is reported if it was named, and skipped with `--all`.
    fn target_files(&self, agent: &'static Agent, environment: &PathEnvironment, all: bool) -> Vec<AgentFile> {
        let mut files = select_installed_or_first(locate_files(agent, environment));
        files.retain(|file| file.is_installed || !all || self.create);
        files
    }

    /// Whether the person agrees. Without a terminal `--yes` is required.
    fn confirm(&self, ready: &[(&Agent, PlannedEdit)]) -> Result<bool, CommandError> {
        if self.change.yes {
            return Ok(true);
        }
        if !io::stdin().is_terminal() {
            return Err(CommandError::new(
                "nothing was written",
                "pass --yes to write it, or --dry-run to see what would be written",
            ));
        }
        // The person must see the diff even if the results are redirected.
        if !io::stdout().is_terminal() {
            ready.iter().for_each(|(_, prepared)| report::print_note(prepared.diff().trim_end()));
        }
        let what = if ready.len() == 1 { "it".to_owned() } else { format!("these {}", ready.len()) };
        report::ask(&format!("Write {what}?"), "pass --yes to write it without a question")
    }
}

/// Prints the change of a file, with the colours of a diff at a terminal.
fn print_diff(prepared: &PlannedEdit) -> Result<(), CommandError> {
    prepared.diff().trim_end().split('\n').try_for_each(|line| report::print_colored(line, report::diff_role(line)))
}

/// Whether the error suggests a file that is being written.
fn may_be_partially_written(error: &AgentError) -> bool {
    matches!(
        error,
        AgentError::Edit { source: EditError::Malformed { .. }, .. }
            | AgentError::File { source: AppDirError::NotUtf8(_), .. }
    )
}

fn unchanged_message(agent: &Agent, name: &ServerName, file: &AgentFile, change: EntryChange<'_>) -> String {
    let (id, path, named) = (agent.id, file.path.display(), name_flag(name));
    match change {
        EntryChange::Install(_) => {
            format!("{id}: {path} has the entry; run wardroom agents status {id}{named} to see whether it starts")
        }
        EntryChange::Uninstall => format!("{id}: {path} has no entry"),
    }
}

fn agent_file_error(agent: &Agent, name: &ServerName, error: AgentError) -> CommandError {
    let hint = agent_error_hint(agent, name, &error);
    CommandError::with_cause(format!("cannot use the file of {}", agent.id), error, hint)
}

/// The `--name` flag for an entry whose name is not the default.
pub(super) fn name_flag(name: &ServerName) -> String {
    if name.as_str() == "wardroom" { String::new() } else { format!(" --name {}", name.as_str()) }
}

/// The hint for an error.
pub(super) fn agent_error_hint(agent: &Agent, name: &ServerName, error: &AgentError) -> String {
    let named = name_flag(name);
    match error {
        AgentError::Edit { source: EditError::ForeignEntry { .. } | EditError::NoCommand { .. }, .. } => {
            "choose another --name, or pass --force to replace or remove that entry".to_owned()
        }
        AgentError::Edit { source: EditError::DroppedRestriction { option, .. }, .. } => {
            format!("give {option} again, or pass --force to write the entry without it")
        }
        AgentError::Edit { source: EditError::NotIsolated | EditError::ScatteredEntry { .. }, .. } => {
            format!("edit it yourself: run wardroom agents print {}{named} to see the entry", agent.id)
        }
        AgentError::Edit { source: EditError::DuplicateKey { .. }, .. } => {
            "remove one of the two, and try again".to_owned()
        }
        AgentError::Edit { .. } => format!(
            "fix the file and try again, or edit it yourself: run wardroom agents print {}{named} to see the entry",
            agent.id
        ),
        AgentError::NotInstalled { .. } => {
            format!("run wardroom agents install {}{named} --create to create the file anyway", agent.id)
        }
        AgentError::ConcurrentlyModified { .. } => "end its program, which may be running, and try again".to_owned(),
        AgentError::File { source, .. } => report::file_error_hint(source).map_or_else(
            || match source {
                AppDirError::TooLarge { .. } => "make the file smaller: no agent needs one of this size".to_owned(),
                AppDirError::NotRegularFile(_) | AppDirError::OutsideRoot(_) => {
                    "move it away: an agent reads a regular file".to_owned()
                }
                _ => format!("edit it yourself: run wardroom agents print {}{named} to see the entry", agent.id),
            },
            str::to_owned,
        ),
    }
}
