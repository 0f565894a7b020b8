//! HTML as Markdown. An element without a form in Markdown becomes its text; scripts, styles, forms and embedded
//! programs are left out.

use html5ever::tokenizer::Tag;
use tidings_model::text;
use url::Url;

use super::{MAX_OUTPUT_BYTES, Reader, attribute, read, web_address};

/// The most quotes and list items within each other, and the most marks such as bold; deeper ones are their text.
const MAX_DEPTH: usize = 12;
/// The most bytes of the name of a code block's language.
const MAX_LANGUAGE_BYTES: usize = 32;

/// The Markdown of an HTML document. Links and pictures are resolved against `base`; those that don't lead to the web
/// are their text.
pub(in crate::source) fn to_markdown(html: &str, base: Option<&Url>) -> String {
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

/// A block that begins each of its lines with a prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Block {
    Quote,
    /// An item of the list of this depth, whose lines are indented by this many spaces.
    Item {
        list: usize,
        indent: usize,
    },
}

/// An element within a line.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Mark {
    Strong,
    Emphasis,
    Strike,
    Code,
    Link(String),
}

/// A mark that is open, and where its text begins in the output.
#[derive(Debug)]
struct Open {
    mark: Mark,
    from: usize,
}

/// A block of code that is being read.
#[derive(Debug, Default)]
struct Pre {
    text: String,
    language: String,
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

    fn in_code(&self) -> bool {
        self.open.iter().any(|open| open.mark == Mark::Code)
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

    fn open(&mut self, mark: Mark) {
        if self.open.len() < MAX_DEPTH && !self.full {
            self.flush();
            self.open.push(Open { mark, from: self.out.len() });
        }
    }

    /// Closes the last open mark for which `is` holds, and those that were opened in it and not closed.
    fn close(&mut self, is: impl Fn(&Mark) -> bool) {
        let Some(at) = self.open.iter().rposition(|open| is(&open.mark)) else { return };
        let Some(Open { mark, from }) = self.open.drain(at..).next() else { return };
        let inner = self.out.split_off(from);
        let text = inner.trim();
        if text.is_empty() {
            self.out.push_str(&inner);
            return;
        }
        let start = inner.len() - inner.trim_start().len();
        self.out.push_str(inner.get(..start).unwrap_or_default());
        match mark {
            Mark::Strong => self.enclose(text, "**"),
            Mark::Emphasis => self.enclose(text, "*"),
            Mark::Strike => self.enclose(text, "~~"),
            Mark::Code => self.code(text),
            Mark::Link(to) => self.link(text, &to),
        }
        self.out.push_str(inner.get(start + text.len()..).unwrap_or_default());
    }

    /// Writes a marked text; one of several lines without the mark, which ends with its paragraph.
    fn enclose(&mut self, text: &str, mark: &str) {
        let mark = if text.contains('\n') { "" } else { mark };
        self.out.extend([mark, text, mark]);
    }

    fn code(&mut self, text: &str) {
        if text.contains('\n') {
            return escape(text, false, &mut self.out);
        }
        let fence = "`".repeat(longest_run(text) + 1);
        let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
        self.out.extend([fence.as_str(), pad, text, pad, &fence]);
    }

    fn link(&mut self, text: &str, to: &str) {
        let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let shown = text.replace('\\', "");
        if shown == to || shown == to.trim_end_matches('/') {
            self.out.extend(["<", to, ">"]);
            return;
        }
        self.exclaim();
        let to = to.replace('(', "%28").replace(')', "%29").replace('\\', "%5C");
        self.out.extend(["[", &text, "](", &to, ")"]);
    }

    /// Escapes an exclamation mark at the end of the output, which would make the link after it a picture.
    fn exclaim(&mut self) {
        if self.out.ends_with('!') {
            self.out.pop();
            self.out.push_str("\\!");
        }
    }

    fn picture(&mut self, tag: &Tag) {
        // Such a picture counts readers.
        let is_dot = |name| matches!(attribute(tag, name).map(str::trim), Some("0" | "1"));
        let Some(from) = attribute(tag, "src").and_then(|src| web_address(src, self.base)) else { return };
        if is_dot("width") || is_dot("height") || self.in_code() {
            return;
        }
        let mut said = String::new();
        for word in
            attribute(tag, "alt").or_else(|| attribute(tag, "title")).unwrap_or_default().split_whitespace()
        {
            if !said.is_empty() {
                said.push(' ');
            }
            escape(word, false, &mut said);
        }
        self.flush();
        let from = from.as_str().replace('(', "%28").replace(')', "%29").replace('\\', "%5C");
        self.out.extend(["![", &said, "](", &from, ")"]);
        self.at_line_start = false;
        self.at_marker = false;
    }

    fn item(&mut self) {
        self.end_items();
        if self.blocks.len() >= MAX_DEPTH {
            return self.want(Gap::Line);
        }
        let list = self.lists.len();
        let marker = match self.lists.last_mut() {
            Some(Some(number)) => {
                let marker = format!("{number}. ");
                *number = number.saturating_add(1);
                marker
            }
            _ => "- ".to_owned(),
        };
        self.marker(Gap::Line, &marker);
        self.blocks.push(Block::Item { list, indent: marker.len() });
    }

    /// Ends the open items of the innermost list and of those in it.
    fn end_items(&mut self) {
        let depth = self.lists.len();
        while matches!(self.blocks.last(), Some(Block::Item { list, .. }) if *list >= depth) {
            self.blocks.pop();
        }
        self.at_marker = false;
    }

    fn list(&mut self, first: Option<u32>) {
        self.want(if self.lists.is_empty() { Gap::Blank } else { Gap::Line });
        if self.lists.len() < MAX_DEPTH {
            self.lists.push(first);
        }
    }

    fn end_list(&mut self) {
        self.end_items();
        self.lists.pop();
        self.want(if self.lists.is_empty() { Gap::Blank } else { Gap::Line });
    }

    fn quote(&mut self) {
        if self.blocks.len() < MAX_DEPTH {
            self.marker(Gap::Blank, "> ");
            self.blocks.push(Block::Quote);
        }
    }

    fn end_quote(&mut self) {
        if let Some(at) = self.blocks.iter().rposition(|block| *block == Block::Quote) {
            self.blocks.truncate(at);
        }
        self.at_marker = false;
        self.want(Gap::Blank);
    }

    fn end_pre(&mut self) {
        let Some(Pre { text, language }) = self.pre.take() else { return };
        let text = text.trim_matches(['\n', '\r']);
        if text.trim().is_empty() {
            return;
        }
        let fence = "`".repeat(longest_run(text).max(2) + 1);
        self.flush();
        self.out.extend([fence.as_str(), language.as_str()]);
        for line in text.lines() {
            self.new_line();
            self.out.push_str(line);
        }
        self.new_line();
        self.out.push_str(&fence);
        self.at_marker = false;
        self.want(Gap::Blank);
    }

    /// A start tag within a block of code, where only the language and line breaks count.
    fn start_in_pre(pre: &mut Pre, tag: &Tag) {
        if &*tag.name == "br" {
            pre.text.push('\n');
        }
        if pre.language.is_empty() && matches!(&*tag.name, "code" | "pre") {
            pre.language = language(tag);
        }
    }
}

/// The language that a tag names for its code: `class="language-rust"`, `lang="rust"`.
fn language(tag: &Tag) -> String {
    let classes = attribute(tag, "class").unwrap_or_default().split_ascii_whitespace();
    let mut named =
        classes.filter_map(|class| class.strip_prefix("language-").or_else(|| class.strip_prefix("lang-")));
    let name = named.next().unwrap_or_default();
    let fits = name.len() <= MAX_LANGUAGE_BYTES
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '#' | '.' | '_'));
    if fits { name.to_owned() } else { String::new() }
}

/// The most backticks in a row.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}

/// Writes a text so that Markdown shows it as it is. `at_line_start` escapes what would begin a block, too.
fn escape(text: &str, at_line_start: bool, out: &mut String) {
    if at_line_start {
        let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        match (text.get(..digits), text.get(digits..)) {
            (Some(number), Some(rest)) if digits > 0 && rest.starts_with(['.', ')']) => {
                out.extend([number, "\\"]);
                return escape(rest, false, out);
            }
            _ if text.starts_with(['#', '>', '+', '-', '=']) => out.push('\\'),
            _ => {}
        }
    }
    let mut before = None;
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        let within_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        match c {
            // Within a word it marks nothing.
            '_' if within_word(before) && within_word(letters.peek().copied()) => {}
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '&' | '~' => out.push('\\'),
            _ if c.is_control() && c != '\n' => continue,
            _ => {}
        }
        out.push(c);
        before = Some(c);
    }
}

impl Reader for Markdown<'_> {
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
            "b" | "strong" => self.open(Mark::Strong),
            "i" | "em" | "cite" | "dfn" | "var" => self.open(Mark::Emphasis),
            "s" | "del" | "strike" => self.open(Mark::Strike),
            "code" | "kbd" | "samp" | "tt" => self.open(Mark::Code),
            "a" => {
                let address = attribute(tag, "href").and_then(|href| link_address(href, self.base));
                if let Some(to) = address {
                    self.open(Mark::Link(to));
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
            "b" | "strong" => self.close(|mark| *mark == Mark::Strong),
            "i" | "em" | "cite" | "dfn" | "var" => self.close(|mark| *mark == Mark::Emphasis),
            "s" | "del" | "strike" => self.close(|mark| *mark == Mark::Strike),
            "code" | "kbd" | "samp" | "tt" => self.close(|mark| *mark == Mark::Code),
            "a" => self.close(|mark| matches!(mark, Mark::Link(_))),
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

/// Whether an element is a paragraph of its own.
fn is_block(name: &str) -> bool {
    matches!(
        name,
        "p" | "div"
            | "section"
            | "article"
            | "header"
            | "footer"
            | "aside"
            | "main"
            | "figure"
            | "figcaption"
            | "address"
            | "details"
            | "table"
            | "dl"
            | "center"
            | "fieldset"
            | "form"
    )
}

/// The address of a link to the web or to a mailbox.
fn link_address(href: &str, base: Option<&Url>) -> Option<String> {
    let web = web_address(href, base).map(String::from);
    web.or_else(|| Url::parse(href.trim()).ok().filter(|url| url.scheme() == "mailto").map(String::from))
}

#[cfg(test)]
#[path = "markdown_tests.rs"]
mod tests;
