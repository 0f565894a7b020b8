//! How much work laying out text may make: bytes, elements, depth. What is beyond becomes plain text, and says so.

use pulldown_cmark::Event;

/// The longest body that is laid out or shown at once, in bytes: as much as a text field of the API may hold.
pub const BODY: usize = 256 << 10;
/// Bytes of bodies on one page of a thread. Bodies beyond it are cut to [`LEAST`].
const PAGE: usize = 2 << 20;
/// What is shown of a body on a page that is full, in bytes.
const LEAST: usize = 4 << 10;
/// Elements that one body may make.
const ELEMENTS: usize = 8_000;
/// Elements that the bodies on one page of a thread may make together.
const PAGE_ELEMENTS: usize = 24_000;
/// Elements inside one another. The sanitiser and the WebView search the open elements for each new one, so that depth
/// multiplies their work; mail that was answered twenty times stays below.
const DEPTH: usize = 48;
/// Bytes of HTML that a body may become. Link definitions and escapes make it longer than its source.
pub(super) const HTML: usize = 1 << 20;

/// Why a body is shown as plain text, or only its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OverBudget {
    /// More bytes than are shown.
    Long,
    /// Quotes, lists or emphasis too far inside one another.
    Deep,
    /// Too many elements, here or on the page.
    Many,
}

/// What is left for one page of a thread.
#[derive(Debug)]
pub struct Budget {
    bytes: usize,
    elements: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { bytes: PAGE, elements: PAGE_ELEMENTS }
    }
}

impl Budget {
    /// As much of a body as is shown, at a whole character, and whether that is all of it.
    pub(super) fn cut<'a>(&mut self, body: &'a str) -> (&'a str, Option<OverBudget>) {
        let room = self.bytes.clamp(LEAST, BODY);
        let shown = super::plain::prefix(body, room);
        self.bytes = self.bytes.saturating_sub(shown.len());
        (shown, (shown.len() < body.len()).then_some(OverBudget::Long))
    }

    /// Elements that the next body may make.
    fn elements(&self) -> usize {
        self.elements.min(ELEMENTS)
    }

    /// Takes away what a body made.
    fn spend(&mut self, elements: usize) {
        self.elements = self.elements.saturating_sub(elements);
    }

    /// Lets events through until one is too much.
    pub(super) const fn watch<I>(&mut self, events: I) -> Watched<'_, I> {
        Watched { events, budget: self, elements: 0, depth: 0, over_budget: None }
    }
}

/// Events up to the first that is too much.
pub(super) struct Watched<'b, I> {
    events: I,
    budget: &'b mut Budget,
    elements: usize,
    depth: usize,
    over_budget: Option<OverBudget>,
}

impl<I> Watched<'_, I> {
    /// Counts what was made, and says what was too much.
    pub(super) fn end(self) -> Result<(), OverBudget> {
        self.budget.spend(self.elements);
        self.over_budget.map_or(Ok(()), Err)
    }
}

impl<'a, I: Iterator<Item = Event<'a>>> Iterator for Watched<'_, I> {
    type Item = Event<'a>;

    fn next(&mut self) -> Option<Event<'a>> {
        if self.over_budget.is_some() {
            return None;
        }
        let event = self.events.next()?;
        match &event {
            Event::Start(_) => {
                self.elements += 1;
                self.depth += 1;
            }
            Event::End(_) => self.depth = self.depth.saturating_sub(1),
            Event::Code(_) | Event::Rule | Event::HardBreak => self.elements += 1,
            _ => {}
        }
        if self.depth > DEPTH {
            self.over_budget = Some(OverBudget::Deep);
        } else if self.elements > self.budget.elements() {
            self.over_budget = Some(OverBudget::Many);
        }
        self.over_budget.is_none().then_some(event)
    }
}

#[cfg(test)]
#[path = "budget_tests.rs"]
mod tests;
