//! HTML as Markdown. An element without a form in Markdown becomes its text; scripts, styles, forms and embedded
//! programs are left out.

mod blocks;
mod escape;
mod marks;

use html5ever::tokenizer::Tag;
use tidings_model::text;
use url::Url;

use self::blocks::{Block, Pre, is_block, language};
use self::escape::escape;
use self::marks::{InlineMark, Open, link_address};
use super::{MAX_OUTPUT_BYTES, TokenReader, attribute, read};

/// The most quotes and list items within each other, and the most marks such as bold; deeper ones are their text.
const MAX_DEPTH: usize = 12;

/// The Markdown of an HTML document. Links and pictures are resolved against `base`; those that don't lead to the web
/// are their text.
pub(crate) fn to_markdown(html: &str, base: Option<&Url>) -> String {
    let mut markdown = read(html, Markdown { base, ..Markdown::default() });
    if markdown.pre.is_some() {
        markdown.end("pre");
    }
    let mut out = markdown.out;
    out.truncate(out.trim_end().len());
    if markdown.full {
        // In a line of its own, since it may come after the end of a block of code.
        out.push_str("\n\n…");
    }
    out
}

/// The distance that the next text keeps from the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
enum Gap {
    #[default]
    None,
    /// A new line of the same paragraph.
    Break,
    /// A new line, for an item of a list.
    Line,
    /// An empty line.
    Blank,
}

/// An element whose content is left out, and how many of its name are open.
#[derive(Debug)]
struct Hidden {
    name: String,
    open: usize,
}

#[derive(Default)]
struct Markdown<'a> {
    base: Option<&'a Url>,
    out: String,
    full: bool,
    gap: Gap,
    /// White space before the next word.
    space: bool,
    /// Nothing was written in this line but its prefix and a marker.
    at_line_start: bool,
    /// Nothing was written in this block but its marker, so that a paragraph in it begins in the same line.
    at_marker: bool,
    blocks: Vec<Block>,
    /// The number of the next item of each open list; `None` for bullets.
    lists: Vec<Option<u32>>,
    open: Vec<Open>,
    pre: Option<Pre>,
    hidden: Option<Hidden>,
    /// The present row of a table has a cell before.
    in_row: bool,
}

impl Markdown<'_> {
    fn want(&mut self, gap: Gap) {
        if !self.at_marker {
            self.gap = self.gap.max(gap);
        }
        self.space = false;
    }

    /// Writes the gap or the space before what comes next.
    fn flush(&mut self) {
        let gap = std::mem::take(&mut self.gap);
        let space = std::mem::take(&mut self.space);
        if self.out.is_empty() {
            self.at_line_start = true;
            return;
        }
        match gap {
            Gap::None if space && !self.at_line_start && !self.out.ends_with(' ') => self.out.push(' '),
            Gap::None => {}
            Gap::Break => {
                self.out.push_str("  ");
                self.new_line();
            }
            Gap::Line => self.new_line(),
            Gap::Blank => {
                self.new_line();
                self.out.truncate(self.out.trim_end_matches(' ').len());
                self.new_line();
            }
        }
    }

    fn new_line(&mut self) {
        self.out.push('\n');
        for block in &self.blocks {
            match block {
                Block::Quote => self.out.push_str("> "),
                Block::Item { indent, .. } => self.out.extend(std::iter::repeat_n(' ', *indent)),
            }
        }
        self.at_line_start = true;
    }

    /// Writes what stands before the text of a block, in a line of its own.
    fn marker(&mut self, gap: Gap, marker: &str) {
        self.want(gap);
        self.flush();
        self.out.push_str(marker);
        self.at_line_start = true;
        self.at_marker = true;
    }

    fn word(&mut self, word: &str) {
        self.flush();
        if self.in_code() {
            self.out.extend(word.chars().filter(|c| !c.is_control()));
        } else {
            escape(word, self.at_line_start, &mut self.out);
        }
        self.at_line_start = false;
        self.at_marker = false;
    }
}

impl TokenReader for Markdown<'_> {
    fn text(&mut self, text: &str) {
        if self.hidden.is_some() || self.full {
            return;
        }
        let written = self.out.len() + self.pre.as_ref().map_or(0, |pre| pre.text.len());
        let kept = text::cut(text, MAX_OUTPUT_BYTES.saturating_sub(written));
        self.full = kept.len() < text.len();
        let text = kept;
        if let Some(pre) = &mut self.pre {
            pre.text.extend(text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')));
            return;
        }
        for (nth, word) in text.split(|c: char| c.is_ascii_whitespace()).enumerate() {
            self.space |= nth > 0 && self.gap == Gap::None;
            if !word.is_empty() {
                self.word(word);
            }
        }
    }

    fn start(&mut self, tag: &Tag) {
        let name = &*tag.name;
        self.full |= self.out.len() >= MAX_OUTPUT_BYTES;
        if self.full {
            return;
        }
        if let Some(hidden) = &mut self.hidden {
            hidden.open += usize::from(hidden.name == name && !tag.self_closing);
            return;
        }
        if let Some(pre) = &mut self.pre {
            return Self::start_in_pre(pre, tag);
        }
        match name {
            "script" | "style" | "template" | "noscript" | "svg" | "object" | "select" | "button"
            | "textarea" | "audio" | "video" | "canvas" | "iframe" | "title"
                if !tag.self_closing =>
            {
                self.hidden = Some(Hidden { name: name.to_owned(), open: 1 });
            }
            "b" | "strong" => self.open(InlineMark::Strong),
            "i" | "em" | "cite" | "dfn" | "var" => self.open(InlineMark::Emphasis),
            "s" | "del" | "strike" => self.open(InlineMark::Strike),
            "code" | "kbd" | "samp" | "tt" => self.open(InlineMark::Code),
            "a" => {
                let address = attribute(tag, "href").and_then(|href| link_address(href, self.base));
                if let Some(to) = address {
                    self.open(InlineMark::Link(to));
                }
            }
            "img" => self.picture(tag),
            "br" => {
                let again = self.gap == Gap::Break;
                self.want(if again { Gap::Blank } else { Gap::Break });
            }
            "hr" => {
                self.marker(Gap::Blank, "* * *");
                self.at_marker = false;
                self.want(Gap::Blank);
            }
            "h1" => self.marker(Gap::Blank, "# "),
            "h2" => self.marker(Gap::Blank, "## "),
            "h3" => self.marker(Gap::Blank, "### "),
            "h4" | "h5" | "h6" => self.marker(Gap::Blank, "#### "),
            "ul" | "menu" => self.list(None),
            "ol" => self
                .list(Some(attribute(tag, "start").and_then(|start| start.trim().parse().ok()).unwrap_or(1))),
            "li" => self.item(),
            "blockquote" => self.quote(),
            "pre" => {
                self.want(Gap::Blank);
                self.pre = Some(Pre { text: String::new(), language: language(tag) });
            }
            "tr" => {
                self.want(Gap::Break);
                self.in_row = false;
            }
            "td" | "th" => {
                if self.in_row {
                    self.space = self.gap == Gap::None;
                    self.flush();
                    self.out.push('|');
                    self.space = true;
                }
                self.in_row = true;
            }
            "dt" | "dd" | "summary" => self.want(Gap::Break),
            _ if is_block(name) => self.want(Gap::Blank),
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        if let Some(hidden) = &mut self.hidden {
            hidden.open -= usize::from(hidden.name == name);
            if hidden.open == 0 {
                self.hidden = None;
            }
            return;
        }
        if self.pre.is_some() {
            if name == "pre" {
                self.end_pre();
            }
            return;
        }
        match name {
            "b" | "strong" => self.close(|mark| *mark == InlineMark::Strong),
            "i" | "em" | "cite" | "dfn" | "var" => self.close(|mark| *mark == InlineMark::Emphasis),
            "s" | "del" | "strike" => self.close(|mark| *mark == InlineMark::Strike),
            "code" | "kbd" | "samp" | "tt" => self.close(|mark| *mark == InlineMark::Code),
            "a" => self.close(|mark| matches!(mark, InlineMark::Link(_))),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.at_marker = false;
                self.want(Gap::Blank);
            }
            "ul" | "ol" | "menu" => self.end_list(),
            "li" => self.end_items(),
            "blockquote" => self.end_quote(),
            "dt" | "dd" | "summary" => self.want(Gap::Break),
            _ if is_block(name) => self.want(Gap::Blank),
            _ => {}
        }
    }
}

#[cfg(test)]
#[path = "markdown_tests.rs"]
mod tests;
