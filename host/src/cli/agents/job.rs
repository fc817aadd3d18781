//! `wardroom agents install` and `uninstall`: changes of several files, each shown before it is written.
//!
//! Owns: the question before a change, and what is said of each file.
//! Never: writes without a word of the person's, or asks where nobody sits at a terminal.

use std::io::{self, IsTerminal as _};
use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

use super::environment;
use crate::cli::args::{Change as Flags, Which};
use crate::report::{self, Failure};
use wardroom_agents::{
    Agent, AgentError, Change, EditError, Environment, File, Owners, Ready, ServerName, Wanted, installed_else_first,
    look, meant, prepare,
};
use wardroom_appdir::AppDirError;

pub(super) const NONE_INSTALLED: &str =
    "no agent is installed here; wardroom agents list shows where their files would be";

/// A change of several files.
pub(super) struct Job<'j> {
    pub(super) name: ServerName,
    pub(super) owners: Owners,
    pub(super) change: &'j Flags,
    pub(super) create: bool,
}

impl Job<'_> {
    pub(super) fn run(&self, which: &Which, change: Change<'_>) -> Result<(), Failure> {
        if which.agents.is_empty() && !which.all {
            return Err(Failure::new("no agent is named", "name some, or say --all; wardroom agents list shows them"));
        }
        let agents = which.agents();
        let environment = environment(&agents)?;
        let (mut ready, mut failed, mut seen) = (Vec::new(), 0, false);
        for agent in agents {
            let files = self.files(agent, &environment, which.agents.is_empty());
            for file in meant(files, change, |file| file.has_entry(&self.wanted(file))) {
                seen = true;
                match self.prepare(&file, change) {
                    Ok(Some(prepared)) => ready.push((agent, prepared)),
                    Ok(None) => report::note(&unchanged(agent, &self.name, &file, change)),
                    Err(error) => {
                        report::failure(&advised(agent, &self.name, error));
                        failed += 1;
                    }
                }
            }
        }
        if !seen {
            report::note(NONE_INSTALLED);
        }
        for (_, prepared) in &ready {
            report::line(prepared.diff().trim_end())?;
        }
        if self.change.dry_run && !ready.is_empty() {
            report::note("nothing was written; the same without --dry-run writes it");
        }
        if !self.change.dry_run && !ready.is_empty() {
            if self.agreed(&ready)? {
                failed += ready.iter().filter(|(agent, prepared)| !self.write(agent, prepared, change)).count();
            } else {
                report::note(
                    "nothing was written; wardroom agents print shows an entry, for those who edit a file themselves",
                );
            }
        }
        let what = match failed {
            0 => return Ok(()),
            1 => "one file is left as it was".to_owned(),
            _ => format!("{failed} files are left as they were"),
        };
        Err(Failure::new(what, "fix what is listed above and run the command again; finished files are left alone"))
    }

    /// Who says --yes means the file as it is when whoever writes it at the moment is done.
    fn prepare(&self, file: &File, change: Change<'_>) -> Result<Option<Ready>, AgentError> {
        const ATTEMPTS: usize = 20;
        const PAUSE: Duration = Duration::from_millis(50);
        let prepare = || prepare(file, &self.wanted(file), change, self.create);
        let mut prepared = prepare();
        for _ in 0..ATTEMPTS {
            if !self.change.yes || !prepared.as_ref().is_err_and(may_be_half) {
                break;
            }
            sleep(PAUSE);
            prepared = prepare();
        }
        prepared
    }

    fn wanted(&self, file: &File) -> Wanted<'_> {
        Wanted { target: file.target, name: &self.name, owners: &self.owners, force: self.change.force }
    }

    /// Writes one: whether it is as it should be now.
    fn write(&self, agent: &Agent, prepared: &Ready, change: Change<'_>) -> bool {
        let written = |prepared: &Ready, copy: Option<PathBuf>| {
            let copy = copy.map(|copy| format!(" (before: {})", copy.display())).unwrap_or_default();
            let path = prepared.file().path.display();
            let afterwards = match change {
                Change::Install(_) => format!("\n{}: {}", agent.title, agent.afterwards),
                Change::Uninstall => String::new(),
            };
            report::note(&format!("wrote {path}{copy}{afterwards}"));
        };
        let outcome = match prepared.apply() {
            Err(AgentError::Changed { .. }) if self.change.yes => {
                self.write_again(agent, prepared.file(), change, written)
            }
            outcome => outcome.map(|copy| written(prepared, copy)),
        };
        outcome.map_err(|error| report::failure(&advised(agent, &self.name, error))).is_ok()
    }

    /// Who says --yes means the file as it is by then, and not as it was shown.
    fn write_again(
        &self,
        agent: &Agent,
        file: &File,
        change: Change<'_>,
        written: impl Fn(&Ready, Option<PathBuf>),
    ) -> Result<(), AgentError> {
        // Longer than a file that was just emptied is left alone.
        const ATTEMPTS: usize = 300;
        const PAUSE: Duration = Duration::from_millis(10);
        let mut outcome = Ok(());
        for _ in 0..ATTEMPTS {
            sleep(PAUSE);
            let Some(prepared) = self.prepare(file, change)? else {
                report::note(&unchanged(agent, &self.name, file, change));
                return Ok(());
            };
            outcome = prepared.apply().map(|copy| written(&prepared, copy));
            if !matches!(outcome, Err(AgentError::Changed { .. })) {
                break;
            }
        }
        outcome
    }

    /// Whoever names an agent that is not installed gets told, and whoever says --all has the others in mind.
    fn files(&self, agent: &'static Agent, environment: &Environment, all: bool) -> Vec<File> {
        let mut files = installed_else_first(look(agent, environment));
        files.retain(|file| file.installed || !all || self.create);
        files
    }

    /// Whether the person agrees. Where nobody can be asked, `--yes` must say so.
    fn agreed(&self, ready: &[(&Agent, Ready)]) -> Result<bool, Failure> {
        if self.change.yes {
            return Ok(true);
        }
        if !io::stdin().is_terminal() {
            return Err(Failure::new("nothing was written", "say --yes to have it written, or --dry-run to look only"));
        }
        // Who is asked sees the difference, wherever the results go.
        if !io::stdout().is_terminal() {
            ready.iter().for_each(|(_, prepared)| report::note(prepared.diff().trim_end()));
        }
        let what = if ready.len() == 1 { "it".to_owned() } else { format!("these {}", ready.len()) };
        report::note(&format!("Write {what}? [y/N]"));
        let mut answer = String::new();
        let unread =
            |error| Failure::of("cannot read the answer", error, "say --yes to have it written without a question");
        io::stdin().read_line(&mut answer).map_err(unread)?;
        Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
    }
}

/// Whether a file looks like one of which a part is there.
fn may_be_half(error: &AgentError) -> bool {
    matches!(
        error,
        AgentError::Edit { source: EditError::Malformed { .. }, .. }
            | AgentError::File { source: AppDirError::NotUtf8(_), .. }
    )
}

fn unchanged(agent: &Agent, name: &ServerName, file: &File, change: Change<'_>) -> String {
    let (id, path, named) = (agent.id, file.path.display(), named(name));
    match change {
        Change::Install(_) => {
            format!("{id}: {path} has the entry; wardroom agents status {id}{named} says whether it starts")
        }
        Change::Uninstall => {
            let create = if file.installed { "" } else { " --create" };
            format!("{id}: {path} has no entry; wardroom agents install {id}{named}{create} writes it")
        }
    }
}

fn advised(agent: &Agent, name: &ServerName, error: AgentError) -> Failure {
    let hint = hint(agent, name, &error);
    Failure::of(format!("cannot use the file of {}", agent.id), error, hint)
}

/// How a command is told the name of the entry, where that is not the usual one.
pub(super) fn named(name: &ServerName) -> String {
    if name.as_str() == "wardroom" { String::new() } else { format!(" --name {}", name.as_str()) }
}

/// What mends it.
pub(super) fn hint(agent: &Agent, name: &ServerName, error: &AgentError) -> String {
    let named = named(name);
    match error {
        AgentError::Edit { source: EditError::Foreign { .. } | EditError::StartsNothing { .. }, .. } => {
            "choose another --name, or say --force to have that entry replaced or removed".to_owned()
        }
        AgentError::Edit { source: EditError::NotAlone | EditError::Spread { .. }, .. } => {
            format!("edit it yourself: wardroom agents print {}{named} shows the entry", agent.id)
        }
        AgentError::Edit { source: EditError::Duplicate { .. }, .. } => {
            "remove one of the two, and try again".to_owned()
        }
        AgentError::Edit { .. } => format!(
            "mend the file and try again, or edit it yourself: wardroom agents print {}{named} shows the entry",
            agent.id
        ),
        AgentError::NotInstalled { .. } => {
            format!("wardroom agents install {}{named} --create has the file made all the same", agent.id)
        }
        AgentError::Changed { .. } => "its program may be running: end it, and try again".to_owned(),
        AgentError::File { source, .. } => report::mends(source).map_or_else(
            || match source {
                AppDirError::TooLarge { .. } => "no agent needs such a file: look what fills it".to_owned(),
                AppDirError::NotRegular(_) | AppDirError::Escapes(_) => {
                    "move away what stands there: an agent reads a regular file".to_owned()
                }
                _ => format!("edit it yourself: wardroom agents print {}{named} shows the entry", agent.id),
            },
            str::to_owned,
        ),
    }
}
