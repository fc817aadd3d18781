//! The names of the files and folders of cards.

use wardroom_base::uri::CardId;

/// The folder of cards, relative to the AppDir.
pub(crate) const CARDS_DIR: &str = "cards";

/// The name of the file, in the folder of cards.
pub(crate) const ALIASES_FILE: &str = "_aliases.toml";
pub(crate) const ALIASES_LOCK_FILE: &str = "._aliases.lock";

pub(crate) fn card_file_name(card: &CardId) -> String {
    format!("{card}.toml")
}

pub(crate) fn samples_file_name(card: &CardId) -> String {
    format!("{card}.samples.jsonl")
}
