//! The arguments of a server on standard input and output, in a table of their own.
//!
//! Owns: the short way to them. Clients start such a server for each of their sessions, and clap's table of all commands takes
//! as long as half of the start.
//! Never: reports an error: what does not fit is for the whole table.

use std::ffi::OsString;

use clap::Parser;

use super::args::{Args, GlobalArgs};

#[derive(Debug, Parser)]
#[command(disable_help_flag = true)]
struct ServerArgs {
    #[command(flatten)]
    global: GlobalArgs,
}

/// Parses a command line, whose first word is the program.
///
/// # Errors
/// As [`Args::try_parse_from`].
pub(super) fn parse(words: &[OsString]) -> Result<Args, clap::Error> {
    parse_server(words).map_or_else(|| Args::try_parse_from(words), Ok)
}

/// Returns what the whole table makes of a command line, or `None`.
fn parse_server(words: &[OsString]) -> Option<Args> {
    if words.get(1).is_some_and(|first| !first.as_encoded_bytes().starts_with(b"-")) {
        return None;
    }
    ServerArgs::try_parse_from(words).ok().map(|ServerArgs { global }| Args { global, command: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn servers_are_parsed_as_by_the_whole_table() {
        for line in [
            "wardroom",
            "wardroom --appdir /a",
            "wardroom --appdir=/a --read-only --service alc,blog --service ace",
            "wardroom --log-format json --log-file l --no-pager --config c --project p --registry r --blog b",
            "wardroom --read-only --",
            "wardroom --appdir serve",
        ] {
            let whole = Args::try_parse_from(words(line)).unwrap();
            let short = parse_server(&words(line)).unwrap();
            assert_eq!(format!("{short:?}"), format!("{whole:?}"), "{line}");
        }
    }

    #[test]
    fn other_command_lines_are_left_to_the_whole_table() {
        for line in [
            "wardroom serve",
            "wardroom --read-only serve --http",
            "wardroom --appdir /a status",
            "wardroom --help",
            "wardroom --version",
            "wardroom --app /a",
            "wardroom --appdir",
            "wardroom --read-only --read-only",
            "wardroom --log-format xml",
            "wardroom -- status",
            "wardroom ",
        ] {
            assert!(parse_server(&words(line)).is_none(), "{line}");
            let (given, whole) = (parse(&words(line)), Args::try_parse_from(words(line)));
            assert_eq!(format!("{given:?}"), format!("{whole:?}"), "{line}");
        }
    }
}
