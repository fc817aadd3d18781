//! `wardroom help`: the pages of `docs/`, in the terminal. They are in the binary, and of its version.
//!
//! Never: starts a pager: `| less` is the reader's own.

use clap::CommandFactory as _;
use clap::Parser as _;

use super::advice::alike;
use super::args::Args;
use super::report::{self, Failure};
use crate::services::docs::PAGES;

pub(super) fn run(topic: Option<&str>) -> Result<(), Failure> {
    let Some(topic) = topic else { return list() };
    let wanted = topic.to_lowercase();
    let wanted = wanted.strip_suffix(".md").unwrap_or(&wanted);
    let arguments = Args::command();
    let is_command = arguments.get_subcommands().any(|command| !command.is_hide_set() && command.get_name() == wanted);
    if let Some(page) = PAGES.iter().find(|page| page.name == wanted) {
        report::bytes(page.text.as_bytes())?;
        if is_command {
            report::note(&format!("wardroom {wanted} --help shows the flags of that command"));
        }
        return Ok(());
    }
    if is_command {
        // clap gives its help as it gives errors.
        let help = Args::try_parse_from(["wardroom", wanted, "--help"]).err().map(|help| help.render().to_string());
        return report::line(help.unwrap_or_default().trim_end());
    }
    let commands = arguments.get_subcommands().filter(|command| !command.is_hide_set());
    let meant = alike(wanted, PAGES.iter().map(|page| page.name).chain(commands.map(clap::Command::get_name)));
    let meant = meant.map(|meant| format!("did you mean wardroom help {meant}? ")).unwrap_or_default();
    let what = format!("no page and no command is called {}", report::name(topic));
    Err(Failure::new(what, format!("{meant}wardroom help lists the pages")))
}

fn list() -> Result<(), Failure> {
    for page in PAGES {
        report::line(&format!("{:<14} {}", page.name, page.about))?;
    }
    report::note("wardroom help PAGE shows one, and wardroom help COMMAND a command; wardroom --help lists those");
    Ok(())
}
