//! A page of the documentation, laid out for a terminal: paragraphs and items of lists are broken anew.
//!
//! Never: changes code, a table, a heading or a word.

use super::table::wrap;

/// Returns a page of Markdown whose lines of text fit so many columns.
pub(crate) fn fit_page(page: &str, columns: usize) -> String {
    let (mut fitted, mut paragraph, mut is_code) = (String::new(), Paragraph::default(), false);
    for line in page.lines() {
        let is_fence = line.trim_start().starts_with("```");
        let starts_code = is_fence && !is_code;
        if is_code || is_fence || is_fixed(line) {
            paragraph.end(columns, &mut fitted);
            fitted.push_str(line);
            fitted.push('\n');
        } else {
            if item_marker_len(line).is_some() {
                paragraph.end(columns, &mut fitted);
            }
            paragraph.add(line);
        }
        is_code = starts_code || is_code && !is_fence;
    }
    paragraph.end(columns, &mut fitted);
    fitted
}

/// Whether a line that is no code stays as it is.
fn is_fixed(line: &str) -> bool {
    let text = line.trim_start();
    let is_markup = text.starts_with('<') && (text.starts_with("<!--") || text.ends_with('>'));
    text.is_empty() || is_markup || text.starts_with(['|', '#', '!', '>'])
}

/// Returns the length of the marker at the beginning of an item of a list, with the blanks around it.
fn item_marker_len(line: &str) -> Option<usize> {
    let text = line.trim_start();
    let marker = match text.split_once(' ')?.0 {
        bullet @ ("-" | "*") => bullet,
        number if number.strip_suffix('.').is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit())) => {
            number
        }
        _ => return None,
    };
    Some(line.len() - text.len() + marker.len() + 1)
}

/// The lines of a paragraph or an item that were read.
#[derive(Default)]
struct Paragraph {
    /// What stands before its first line: blanks, and the marker of an item.
    start: String,
    text: String,
}

impl Paragraph {
    fn add(&mut self, line: &str) {
        if self.text.is_empty() {
            let start = item_marker_len(line).unwrap_or(line.len() - line.trim_start().len());
            let (start, text) = line.split_at_checked(start).unwrap_or(("", line));
            (self.start, self.text) = (start.to_owned(), text.trim().to_owned());
        } else {
            self.text.push(' ');
            self.text.push_str(line.trim());
        }
    }

    /// Writes the paragraph, of which nothing is left.
    fn end(&mut self, columns: usize, into: &mut String) {
        let Self { start, text } = std::mem::take(self);
        if text.is_empty() {
            return;
        }
        let hanging = " ".repeat(start.len());
        for (at, line) in wrap(&text, columns.saturating_sub(start.len())).iter().enumerate() {
            into.push_str(if at == 0 { &start } else { &hanging });
            into.push_str(line);
            into.push('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_broken_anew_and_the_rest_stays() {
        let page = "# A heading that is longer than all the columns\n\nA line of text\nand another one.\n\n- one item that is long\n  and goes on\n\
                    - two\n  1. three four five six\n\n```sh\nwardroom run double_check \"What is six times seven?\"\n```\n\n\
                    | a table | of many columns that are wide |\n";
        let fitted = "# A heading that is longer than all the columns\n\nA line of text and\nanother one.\n\n- one item that is\n  long and goes on\n\
                      - two\n  1. three four five\n     six\n\n```sh\nwardroom run double_check \"What is six times seven?\"\n```\n\n\
                      | a table | of many columns that are wide |\n";
        assert_eq!(fit_page(page, 20), fitted);
    }

    #[test]
    fn every_page_keeps_its_words() {
        for page in wardroom_docs::PAGES {
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(words(&fit_page(page.text, 60)), words(page.text), "{}", page.name);
        }
    }
}
