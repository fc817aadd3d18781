//! Texts that an analysis holds: tasks, commands, changed files and reports of fixes, each once.
//!
//! Owns: the numbers that stand for texts, and the bound of all texts together.
//! Never: forgets a text, or gives its number to another one.

use std::collections::HashMap;
use std::rc::Rc;

use crate::limits::MAX_FOLLOWED_TEXT_BYTES;

/// What a text takes beside its bytes: its counters, two references and its number.
const ENTRY_BYTES: usize = 64;

/// The number of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct TextId(u32);

#[derive(Debug, Default)]
pub(super) struct TextTable {
    ids: HashMap<Rc<str>, TextId>,
    texts: Vec<Rc<str>>,
    n_bytes: usize,
}

impl TextTable {
    /// Returns the number of a text, cut to `max_chars`; `None` if it is new and the table is full.
    pub(super) fn insert(&mut self, text: &str, max_chars: usize) -> Option<TextId> {
        let text = cut(text, max_chars);
        if let Some(id) = self.ids.get(text) {
            return Some(*id);
        }
        let n_bytes = self.n_bytes + text.len() + ENTRY_BYTES;
        if n_bytes > MAX_FOLLOWED_TEXT_BYTES {
            return None;
        }
        let id = TextId(u32::try_from(self.texts.len()).ok()?);
        let text: Rc<str> = text.into();
        self.texts.push(Rc::clone(&text));
        self.ids.insert(text, id);
        self.n_bytes = n_bytes;
        Some(id)
    }

    /// Returns the number of a text, cut to `max_chars`, if the table has it.
    pub(super) fn find(&self, text: &str, max_chars: usize) -> Option<TextId> {
        self.ids.get(cut(text, max_chars)).copied()
    }

    pub(super) fn text(&self, id: TextId) -> &str {
        self.texts.get(id.0 as usize).map(|text| &**text).unwrap_or_default()
    }
}

fn cut(text: &str, max_chars: usize) -> &str {
    if text.len() <= max_chars {
        return text;
    }
    text.char_indices().nth(max_chars).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_one_number_and_is_cut_at_a_character() {
        let mut table = TextTable::default();
        let id = table.insert("äöü", 2).unwrap();
        assert_eq!((table.insert("äöx", 2), table.find("äö", 9)), (Some(id), Some(id)));
        assert_eq!(table.text(id), "äö");
        assert_eq!(table.find("ä", 9), None);
        assert_ne!(table.insert("ä", 9), Some(id));
    }

    #[test]
    fn full_table_knows_its_texts_and_takes_no_new_one() {
        let mut table = TextTable::default();
        let text = |n: usize| format!("{n:01000}");
        let n_texts = (0..).take_while(|n| table.insert(&text(*n), 1_000).is_some()).count();
        assert_eq!(n_texts, MAX_FOLLOWED_TEXT_BYTES / (1_000 + ENTRY_BYTES));
        assert!(table.n_bytes <= MAX_FOLLOWED_TEXT_BYTES && table.texts.len() == n_texts);
        assert!(table.insert(&text(7), 1_000).is_some() && table.find(&text(n_texts), 1_000).is_none());
    }
}
