//! `wardroom help`: the pages of `docs/` in the terminal. They are embedded in the binary, and match its version.
//!
//! Never: changes a word of a page.

use std::collections::BTreeSet;

use clap::{Command, CommandFactory as _, Parser as _};

use super::args::Args;
use crate::report::{self, Cell, Column, CommandError, Table, TextRole};
use wardroom_docs as docs;
use wardroom_ranking::closest_name;

pub(super) fn run(topic: &[String]) -> Result<(), CommandError> {
    if topic.is_empty() {
        return list_pages();
    }
    let words = topic.join(" ");
    let topic_name = words.to_lowercase();
    let root = Args::command();
    let is_command = is_command(&root, &topic_name);
    if let Some(page) = docs::find_page(topic_name.strip_prefix("docs/").unwrap_or(&topic_name)) {
        match report::help_columns() {
            0 => report::print_bytes(page.text.as_bytes())?,
            columns => report::print_bytes(report::fit_page(page.text, columns).as_bytes())?,
        }
        if is_command {
            report::print_note(&format!("run wardroom {topic_name} --help to see the flags of that command"));
        }
        return Ok(());
    }
    if is_command {
        // clap returns its help as an error.
        let typed = ["wardroom"].into_iter().chain(topic_name.split(' ')).chain(["--help"]);
        let help = Args::try_parse_from(typed).err().map(|help| help.render().to_string());
        return report::print_line(help.unwrap_or_default().trim_end());
    }
    // Of a command whose subcommand is mistyped, the page is that of the command.
    let is_above = |topic: &&str| topic_name.strip_prefix(topic).is_some_and(|rest| rest.starts_with(' '));
    let meant = closest_name(&topic_name, help_topics(&root)).or_else(|| help_topics(&root).into_iter().find(is_above));
    let meant = meant.map(|meant| format!("did you mean wardroom help {meant}? ")).unwrap_or_default();
    let what = format!("no page and no command is called {}", report::escape_name(&words));
    Err(CommandError::new(what, format!("{meant}run wardroom help to list the pages")))
}

/// Whether the words name a command, each a subcommand of the one before.
fn is_command(root: &Command, words: &str) -> bool {
    let below = |above, word: &str| visible_subcommands(above).find(|command| command.get_name() == word);
    words.split(' ').try_fold(root, below).is_some()
}

/// The command of a usage line: its words, without the program's name.
pub(super) fn command_from_usage(usage: &str) -> String {
    let root = Args::command();
    let (mut above, mut typed) = (&root, Vec::new());
    for word in usage.split_whitespace().skip_while(|word| *word != root.get_name()).skip(1) {
        let Some(command) = visible_subcommands(above).find(|command| command.get_name() == word) else { break };
        above = command;
        typed.push(word);
    }
    typed.join(" ")
}

/// The command of the arguments of this process, with which something is wrong: their words that are commands.
pub(super) fn command_of_arguments() -> String {
    let root = Args::command();
    let (mut above, mut typed) = (&root, Vec::new());
    for word in std::env::args_os().skip(1) {
        if let Some(command) = visible_subcommands(above).find(|command| *command.get_name() == *word) {
            above = command;
            typed.push(command.get_name());
        }
    }
    typed.join(" ")
}

/// The subcommands that are not hidden.
pub(super) fn visible_subcommands(above: &Command) -> impl Iterator<Item = &Command> {
    above.get_subcommands().filter(|command| !command.is_hide_set())
}

/// The names of the commands that help does not show.
pub(super) fn hidden_commands() -> Vec<String> {
    let root = Args::command();
    root.get_subcommands()
        .filter(|command| command.is_hide_set())
        .map(|command| command.get_name().to_owned())
        .collect()
}

/// The topics that are single words.
pub(super) fn help_topics(root: &Command) -> BTreeSet<&str> {
    docs::PAGES.iter().map(|page| page.name).chain(visible_subcommands(root).map(Command::get_name)).collect()
}

fn list_pages() -> Result<(), CommandError> {
    let mut table = Table::new(" ", [Column::new("PAGE", 14), Column::text("ABOUT", 0)]);
    docs::PAGES.iter().for_each(|page| table.add([Cell::new(page.name, TextRole::Name), page.summary.into()]));
    table.print()?;
    report::print_note(
        "Run wardroom help PAGE to read a page, wardroom help COMMAND for a command, and wardroom --help to list the commands.",
    );
    Ok(())
}
