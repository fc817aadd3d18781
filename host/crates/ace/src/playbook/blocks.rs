//! The parts of a Markdown document in which no bullet and no heading stands.
//!
//! Owns: where front matter, fenced code and comments begin and end.
//! Never: looks ahead but for the end of front matter.

/// The part that a line belongs to, with the lines that begin and end the part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Block {
    Text,
    Code(BlockEdge),
    Comment(BlockEdge),
    FrontMatter,
}

/// Whether the next line belongs to the same part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockEdge {
    /// It does, if there is one.
    Open,
    Last,
}

/// Follows a document line by line.
#[derive(Debug)]
pub(super) struct BlockScanner {
    state: ScanState,
    /// Lines of front matter that follow.
    front_matter_lines: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ScanState {
    Text,
    /// A fence of this many characters closes it.
    Code(char, usize),
    Comment,
}

/// Returns how many lines of front matter a document begins with.
pub(super) fn front_matter_lines(text: &str) -> usize {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.lines().map(str::trim_end);
    let opens = lines.next() == Some("---");
    // Without its end, `---` is a line like any other.
    let end = if opens { lines.position(|line| matches!(line, "---" | "...")) } else { None };
    end.map_or(0, |end| end + 2)
}

impl BlockScanner {
    pub(super) fn new(text: &str) -> Self {
        Self { state: ScanState::Text, front_matter_lines: front_matter_lines(text) }
    }

    /// Whether the document ends within code or a comment that nothing closes.
    pub(super) fn ends_open(&self) -> bool {
        self.state != ScanState::Text
    }

    /// Returns the part of the next line.
    pub(super) fn next_line(&mut self, line: &str) -> Block {
        if self.front_matter_lines > 0 {
            self.front_matter_lines -= 1;
            return Block::FrontMatter;
        }
        let text = line.trim_start();
        match self.state {
            ScanState::Code(mark, len) => {
                let n_marks = text.chars().take_while(|c| *c == mark).count();
                if n_marks >= len && text.trim_end().chars().all(|c| c == mark) {
                    self.state = ScanState::Text;
                }
                Block::Code(self.edge())
            }
            ScanState::Comment => {
                if text.contains("-->") {
                    self.state = ScanState::Text;
                }
                Block::Comment(self.edge())
            }
            ScanState::Text => self.first_line(text),
        }
    }

    fn first_line(&mut self, text: &str) -> Block {
        if let Some(comment) = text.strip_prefix("<!--") {
            if !comment.contains("-->") {
                self.state = ScanState::Comment;
            }
            return Block::Comment(self.edge());
        }
        let Some(mark) = text.chars().next().filter(|c| matches!(c, '`' | '~')) else { return Block::Text };
        let len = text.chars().take_while(|c| *c == mark).count();
        // Behind the marks of a fence stands a language, and no code in the line.
        let is_fence = len >= 3 && !(mark == '`' && text.get(len..).is_some_and(|rest| rest.contains('`')));
        if !is_fence {
            return Block::Text;
        }
        self.state = ScanState::Code(mark, len);
        Block::Code(BlockEdge::Open)
    }

    fn edge(&self) -> BlockEdge {
        if self.state == ScanState::Text { BlockEdge::Last } else { BlockEdge::Open }
    }
}
