//! The body of a post: Markdown as in CommonMark, with GitHub's tables, footnotes, task lists and strikethrough.
//!
//! Owns: the difference between text, headings and links. Macros (`[[slug]]`) and shortcodes are text. HTML shows its text and its links;
//! its headings are no headings. The `import` lines that MDX begins with are not read.
//! Never: renders anything, and never keeps an address.

mod containers;
mod html;
mod links;
mod nodes;
mod template_links;
mod text;
mod words;

use std::borrow::Cow;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

pub(crate) use html::{Piece, Pieces, Role, Tag as HtmlTag, decode, role};
pub(crate) use links::Blog;
use links::PostAddress;
pub(crate) use nodes::check as check_nodes;
use text::{LineKind, TextBuilder};

use crate::error::ParseError;
use crate::limits::{MAX_HEADINGS, MAX_LINKS, MAX_TEXT_BYTES};
use crate::source::lines_from;

/// The extensions of Markdown that are read.
pub(crate) const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_TASKLISTS);

/// A link to a post of the same blog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundLink {
    pub(crate) slug: String,
    pub(crate) language: Option<String>,
    pub(crate) text: String,
    /// Where the link begins in the body.
    pub(crate) at: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundHeading {
    pub(crate) level: u8,
    pub(crate) text: String,
    pub(crate) at: usize,
}

/// The contents of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Body {
    pub(crate) text: String,
    pub(crate) word_count: usize,
    pub(crate) excerpt: String,
    pub(crate) links: Vec<FoundLink>,
    pub(crate) headings: Vec<FoundHeading>,
}

/// Reads a body.
pub(crate) fn read(body: &str, blog: &Blog) -> Result<Body, ParseError> {
    nodes::check(body)?;
    let skipped = imports_length(body);
    let body = body.get(skipped..).unwrap_or_default();
    let parsed = template_links::bracket(body);
    let mut reader = Reader::new(blog);
    for (event, range) in Parser::new_ext(&parsed, OPTIONS).into_offset_iter() {
        match event {
            Event::Text(text) => {
                let shown = template_links::original(&text, &parsed, body, range);
                reader.push_text(shown);
                reader.note_highlight(shown);
            }
            Event::Code(code) => {
                let shown = template_links::original(&code, &parsed, body, range);
                reader.push_text(shown);
            }
            event => reader.push(event, range.start)?,
        }
        if reader.text.len() > MAX_TEXT_BYTES {
            return Err(ParseError::TooMuch("text"));
        }
    }
    Ok(reader.finish(skipped))
}

/// Returns the length of the lines at the start of a body that import modules, as MDX has them.
fn imports_length(body: &str) -> usize {
    let is_import = |line: &str| {
        let module = line.trim_end().trim_end_matches(';');
        line.starts_with("import ")
            && module.ends_with(['"', '\''])
            && (line.contains(" from ") || matches!(line.as_bytes(), [_, _, _, _, _, _, _, b'"' | b'\'', ..]))
    };
    let mut length = 0;
    for line in lines_from(body, 0) {
        if is_import(line.text) {
            length = line.next;
        } else if !line.is_blank() {
            break;
        }
    }
    length
}

/// A link that is not closed yet.
struct OpenLink {
    post: Option<PostAddress>,
    at: usize,
    /// Where its text begins.
    mark: usize,
    /// Its text, if its line ended before it.
    text: Option<String>,
}

struct Reader<'b> {
    blog: &'b Blog,
    text: TextBuilder,
    links: Vec<FoundLink>,
    headings: Vec<FoundHeading>,
    /// The open link of Markdown, and that of HTML.
    markdown_link: Option<OpenLink>,
    html_link: Option<OpenLink>,
    /// Whether the text is between the tags of Jekyll and Hugo for code, `{% highlight %}` and `{{< highlight >}}`.
    is_highlighted: bool,
    /// Where the current heading begins.
    heading_at: usize,
    items: usize,
    pictures: usize,
    in_code_block: bool,
    /// Whether the inline HTML before hides what follows: a script or style.
    is_hidden: bool,
    /// The open elements `pre` and `code` of HTML.
    html_code: usize,
    /// The current block of HTML, and where its pieces begin in it and in the body.
    html: String,
    html_pieces: Vec<(usize, usize)>,
}

impl<'b> Reader<'b> {
    fn new(blog: &'b Blog) -> Self {
        Self {
            blog,
            text: TextBuilder::default(),
            links: Vec::new(),
            headings: Vec::new(),
            markdown_link: None,
            html_link: None,
            is_highlighted: false,
            heading_at: 0,
            items: 0,
            pictures: 0,
            in_code_block: false,
            is_hidden: false,
            html_code: 0,
            html: String::new(),
            html_pieces: Vec::new(),
        }
    }

    fn push_text(&mut self, text: &str) {
        if self.is_hidden {
        } else if self.in_code_block {
            self.text.push_code(text);
        } else if self.pictures > 0 {
            self.text.push_alternative(text);
        } else {
            self.text.push(text);
        }
    }

    /// Looks for a tag that begins or ends code in a text that was added.
    fn note_highlight(&mut self, added: &str) {
        if !added.contains("highlight") || self.in_code_block {
            return;
        }
        // The `{{<` may have come before.
        let tail = self.text.tail(added.len() + 4);
        let has = |tag: &[&str]| tag.iter().any(|tag| tail.contains(tag));
        if has(&["{% endhighlight", "{{< /highlight", "{{</highlight", "{{% /highlight"]) {
            self.is_highlighted = false;
        } else if has(&["{% highlight", "{{< highlight", "{{<highlight", "{{% highlight"]) {
            self.is_highlighted = true;
        }
    }

    fn push(&mut self, event: Event<'_>, at: usize) -> Result<(), ParseError> {
        match event {
            Event::Start(tag) => self.start(tag, at),
            Event::End(tag) => return self.end(tag),
            Event::SoftBreak | Event::HardBreak => self.text.push_space(),
            Event::Rule => self.end_line(self.paragraph_kind()),
            Event::Html(html) => {
                self.html_pieces.push((self.html.len(), at));
                self.html.push_str(&html);
            }
            Event::InlineHtml(html) => {
                for piece in Pieces::new(&html) {
                    self.inline_html(&piece, at)?;
                }
            }
            // Text and code come by themselves; math is not read. The rest shows nothing.
            Event::Text(_)
            | Event::Code(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::FootnoteReference(_)
            | Event::TaskListMarker(_) => {}
        }
        Ok(())
    }

    fn start(&mut self, tag: Tag<'_>, at: usize) {
        match tag {
            Tag::Heading { .. } => {
                self.end_line(self.paragraph_kind());
                self.heading_at = at;
            }
            Tag::CodeBlock(_) => {
                self.end_line(self.paragraph_kind());
                self.in_code_block = true;
            }
            Tag::Item => {
                self.end_line(LineKind::Item);
                self.items += 1;
            }
            Tag::TableCell => self.text.push_space(),
            Tag::HtmlBlock => {
                self.end_line(self.paragraph_kind());
                self.html.clear();
                self.html_pieces.clear();
            }
            Tag::Link { dest_url, .. } => {
                let post = self.blog.find_post(&dest_url);
                self.markdown_link = Some(OpenLink { post, at, mark: self.text.mark(), text: None });
            }
            Tag::Image { .. } => self.pictures += 1,
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Superscript | Tag::Subscript => {}
            _ => self.end_line(self.paragraph_kind()),
        }
    }

    fn end(&mut self, tag: TagEnd) -> Result<(), ParseError> {
        match tag {
            TagEnd::Heading(level) => {
                if self.headings.len() == MAX_HEADINGS {
                    return Err(ParseError::TooMuch("headings"));
                }
                let text = self.text.line().to_owned();
                self.headings.push(FoundHeading { level: number(level), text, at: self.heading_at });
                self.end_block(LineKind::Heading)?;
            }
            TagEnd::CodeBlock => {
                self.in_code_block = false;
                self.end_block(LineKind::Code)?;
            }
            TagEnd::Item => {
                self.end_block(LineKind::Item)?;
                self.items = self.items.saturating_sub(1);
            }
            TagEnd::TableHead | TagEnd::TableRow => self.end_block(LineKind::Row)?,
            TagEnd::HtmlBlock => self.html_block()?,
            TagEnd::Link => {
                let link = self.markdown_link.take();
                self.close(link)?;
            }
            TagEnd::Image => self.pictures = self.pictures.saturating_sub(1),
            TagEnd::TableCell
            | TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Strikethrough
            | TagEnd::Superscript
            | TagEnd::Subscript => {}
            _ => self.end_block(self.paragraph_kind())?,
        }
        Ok(())
    }

    fn paragraph_kind(&self) -> LineKind {
        if self.items > 0 { LineKind::Item } else { LineKind::Paragraph }
    }

    fn end_line(&mut self, kind: LineKind) {
        for link in [&mut self.markdown_link, &mut self.html_link].into_iter().flatten() {
            let text = self.text.since(link.mark);
            if link.text.is_none() && !text.is_empty() {
                link.text = Some(text.to_owned());
            }
        }
        self.text.end_line(kind);
    }

    /// Ends a block, and with it the links and hidden elements that HTML left open in it.
    fn end_block(&mut self, kind: LineKind) -> Result<(), ParseError> {
        self.end_line(kind);
        (self.is_hidden, self.html_code) = (false, 0);
        let link = self.html_link.take();
        self.close(link)
    }

    fn close(&mut self, link: Option<OpenLink>) -> Result<(), ParseError> {
        let Some(OpenLink { post: Some(post), at, mark, text }) = link else { return Ok(()) };
        if self.is_highlighted {
            return Ok(());
        }
        if self.links.len() == MAX_LINKS {
            return Err(ParseError::TooMuch("links"));
        }
        let text = text.unwrap_or_else(|| self.text.since(mark).to_owned());
        self.links.push(FoundLink { slug: post.slug, language: post.language, text, at });
        Ok(())
    }

    /// Reads HTML within a paragraph: its text comes in other events.
    fn inline_html(&mut self, piece: &Piece<'_>, at: usize) -> Result<(), ParseError> {
        match piece {
            Piece::Open(tag) if role(tag.name) == Role::Hidden => self.is_hidden = true,
            Piece::Close(name) if role(name) == Role::Hidden => self.is_hidden = false,
            _ if self.is_hidden => {}
            Piece::Text(_) => {}
            Piece::Open(tag) if matches!(role(tag.name), Role::Block | Role::Heading | Role::Item) => {
                self.text.push_space();
            }
            _ => return self.element(piece, at),
        }
        Ok(())
    }

    /// Reads a piece that means the same in blocks of HTML and within a paragraph.
    fn element(&mut self, piece: &Piece<'_>, at: usize) -> Result<(), ParseError> {
        match piece {
            Piece::Comment(text) => {
                let text = text.trim_start();
                if text.strip_prefix("more").is_some_and(|rest| !rest.starts_with(char::is_alphanumeric)) {
                    self.text.end_excerpt();
                }
            }
            Piece::Open(tag) => match role(tag.name) {
                Role::Link => {
                    let link = self.html_link.take();
                    self.close(link)?;
                    let post = tag.attribute("href").filter(|_| self.html_code == 0);
                    let post = post.and_then(|address| self.blog.find_post(&address));
                    self.html_link = Some(OpenLink { post, at, mark: self.text.mark(), text: None });
                }
                Role::Picture => {
                    let alternative = tag.attribute("alt").unwrap_or(Cow::Borrowed(""));
                    self.text.push_alternative(&alternative);
                }
                Role::Space => self.text.push_space(),
                Role::Code => self.html_code += 1,
                _ => {}
            },
            Piece::Close(name) => match role(name) {
                Role::Link => {
                    let link = self.html_link.take();
                    self.close(link)?;
                }
                Role::Code => self.html_code = self.html_code.saturating_sub(1),
                _ => {}
            },
            Piece::Text(_) | Piece::Hidden => {}
        }
        Ok(())
    }

    fn html_block(&mut self) -> Result<(), ParseError> {
        let html = std::mem::take(&mut self.html);
        let mut pieces = Pieces::new(&html);
        let mut kind = self.paragraph_kind();
        loop {
            let start = pieces.offset();
            let Some(piece) = pieces.next() else { break };
            let (Piece::Open(HtmlTag { name, .. }) | Piece::Close(name)) = &piece else {
                if let Piece::Text(text) = &piece {
                    self.text.push(&decode(text));
                }
                self.element(&piece, self.place(start))?;
                continue;
            };
            let role = role(name);
            if matches!(role, Role::Block | Role::Heading | Role::Item) || name.eq_ignore_ascii_case("pre") {
                self.end_line(kind);
                kind = match (&piece, role) {
                    (Piece::Open(_), Role::Heading) => LineKind::Heading,
                    (Piece::Open(_), Role::Item) => LineKind::Item,
                    (Piece::Open(_), Role::Code) => LineKind::Code,
                    _ => self.paragraph_kind(),
                };
            }
            self.element(&piece, self.place(start))?;
        }
        self.end_block(kind)
    }

    /// Returns where a byte of the current block of HTML is in the body.
    fn place(&self, offset: usize) -> usize {
        let index = self.html_pieces.partition_point(|(start, _)| *start <= offset);
        let piece = self.html_pieces.get(index.saturating_sub(1)).copied();
        piece.map_or(0, |(start, at)| at + (offset - start.min(offset)))
    }

    /// Returns the contents of a body that begins `skipped` bytes before the parsed text.
    fn finish(self, skipped: usize) -> Body {
        let (text, excerpt) = self.text.finish();
        let (mut links, mut headings) = (self.links, self.headings);
        links.iter_mut().for_each(|link| link.at += skipped);
        headings.iter_mut().for_each(|heading| heading.at += skipped);
        links.sort_by_key(|link| link.at);
        Body { word_count: words::count(&text), text, excerpt, links, headings }
    }
}

const fn number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

#[cfg(test)]
mod tests;
