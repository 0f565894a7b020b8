//! Elements within a line as Markdown: marks, links and pictures.

use html5ever::tokenizer::Tag;
use url::Url;

use super::super::{attribute, web_address};
use super::escape::{escape, longest_run};
use super::{MAX_DEPTH, Markdown};

/// An element within a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum InlineMark {
    Strong,
    Emphasis,
    Strike,
    Code,
    Link(String),
}

/// A mark that is open, and where its text begins in the output.
#[derive(Debug)]
pub(super) struct Open {
    mark: InlineMark,
    from: usize,
}

impl Markdown<'_> {
    pub(super) fn in_code(&self) -> bool {
        self.open.iter().any(|open| open.mark == InlineMark::Code)
    }

    pub(super) fn open(&mut self, mark: InlineMark) {
        if self.open.len() < MAX_DEPTH && !self.full {
            self.flush();
            self.open.push(Open { mark, from: self.out.len() });
        }
    }

    /// Closes the last open mark for which `is` holds, and those that were opened in it and not closed.
    pub(super) fn close(&mut self, is: impl Fn(&InlineMark) -> bool) {
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
            InlineMark::Strong => self.enclose(text, "**"),
            InlineMark::Emphasis => self.enclose(text, "*"),
            InlineMark::Strike => self.enclose(text, "~~"),
            InlineMark::Code => self.code(text),
            InlineMark::Link(to) => self.link(text, &to),
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

    pub(super) fn picture(&mut self, tag: &Tag) {
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
}

/// The address of a link to the web or to a mailbox.
pub(super) fn link_address(href: &str, base: Option<&Url>) -> Option<String> {
    let web = web_address(href, base).map(String::from);
    web.or_else(|| Url::parse(href.trim()).ok().filter(|url| url.scheme() == "mailto").map(String::from))
}
