//! Elements of several lines as Markdown: lists, quotes and blocks of code.

use html5ever::tokenizer::Tag;

use super::super::attribute;
use super::escape::longest_run;
use super::{Gap, MAX_DEPTH, Markdown};

/// The most bytes of the name of a code block's language.
const MAX_LANGUAGE_BYTES: usize = 32;

/// A block that begins each of its lines with a prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Block {
    Quote,
    /// An item of the list of this depth, whose lines are indented by this many spaces.
    Item {
        list: usize,
        indent: usize,
    },
}

/// A block of code that is being read.
#[derive(Debug, Default)]
pub(super) struct Pre {
    pub(super) text: String,
    pub(super) language: String,
}

impl Markdown<'_> {
    pub(super) fn item(&mut self) {
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
    pub(super) fn end_items(&mut self) {
        let depth = self.lists.len();
        while matches!(self.blocks.last(), Some(Block::Item { list, .. }) if *list >= depth) {
            self.blocks.pop();
        }
        self.at_marker = false;
    }

    pub(super) fn list(&mut self, first: Option<u32>) {
        self.want(if self.lists.is_empty() { Gap::Blank } else { Gap::Line });
        if self.lists.len() < MAX_DEPTH {
            self.lists.push(first);
        }
    }

    pub(super) fn end_list(&mut self) {
        self.end_items();
        self.lists.pop();
        self.want(if self.lists.is_empty() { Gap::Blank } else { Gap::Line });
    }

    pub(super) fn quote(&mut self) {
        if self.blocks.len() < MAX_DEPTH {
            self.marker(Gap::Blank, "> ");
            self.blocks.push(Block::Quote);
        }
    }

    pub(super) fn end_quote(&mut self) {
        if let Some(at) = self.blocks.iter().rposition(|block| *block == Block::Quote) {
            self.blocks.truncate(at);
        }
        self.at_marker = false;
        self.want(Gap::Blank);
    }

    pub(super) fn end_pre(&mut self) {
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
    pub(super) fn start_in_pre(pre: &mut Pre, tag: &Tag) {
        if &*tag.name == "br" {
            pre.text.push('\n');
        }
        if pre.language.is_empty() && matches!(&*tag.name, "code" | "pre") {
            pre.language = language(tag);
        }
    }
}

/// The language that a tag names for its code: `class="language-rust"`, `lang="rust"`.
pub(super) fn language(tag: &Tag) -> String {
    let classes = attribute(tag, "class").unwrap_or_default().split_ascii_whitespace();
    let mut named =
        classes.filter_map(|class| class.strip_prefix("language-").or_else(|| class.strip_prefix("lang-")));
    let name = named.next().unwrap_or_default();
    let fits = name.len() <= MAX_LANGUAGE_BYTES
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '#' | '.' | '_'));
    if fits { name.to_owned() } else { String::new() }
}

/// Whether an element is a paragraph of its own.
pub(super) fn is_block(name: &str) -> bool {
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
