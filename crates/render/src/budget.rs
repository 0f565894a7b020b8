//! Limits on the work of laying out text: bytes, elements, depth. A body beyond them becomes plain text, with a reason.

use pulldown_cmark::Event;
use tidings_ipc::OverBudget;

/// The longest body that is laid out or shown at once, in bytes; equal to the API's limit of a text field.
pub const MAX_BODY_BYTES: usize = 256 << 10;
/// The most bytes of all bodies on one page of a thread. Bodies beyond it are cut to [`MIN_BODY_BYTES`].
const MAX_PAGE_BYTES: usize = 2 << 20;
/// The bytes that a body on a full page may still have.
const MIN_BODY_BYTES: usize = 4 << 10;
/// The most elements of one body.
const MAX_ELEMENTS: usize = 8_000;
/// The most elements of all bodies on one page of a thread.
const MAX_PAGE_ELEMENTS: usize = 24_000;
/// The deepest nesting of elements. The sanitiser and the WebView search the open elements for each new one, so depth
/// multiplies their work; mail that was answered twenty times stays below this limit.
const MAX_DEPTH: usize = 48;
/// The most bytes of HTML of one body. Link definitions and escapes make the HTML longer than its source.
pub(crate) const MAX_HTML_BYTES: usize = 1 << 20;

/// The bytes and elements left for one page of a thread.
#[derive(Debug)]
pub struct Budget {
    bytes: usize,
    elements: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { bytes: MAX_PAGE_BYTES, elements: MAX_PAGE_ELEMENTS }
    }
}

impl Budget {
    /// The part of a body that is shown, cut between characters, and the reason if it is cut.
    pub(crate) fn cut<'a>(&mut self, body: &'a str) -> (&'a str, Option<OverBudget>) {
        let room = self.bytes.clamp(MIN_BODY_BYTES, MAX_BODY_BYTES);
        let shown = prefix(body, room);
        self.bytes = self.bytes.saturating_sub(shown.len());
        (shown, (shown.len() < body.len()).then_some(OverBudget::Length))
    }

    /// The most elements that the next body may have.
    pub(crate) fn elements(&self) -> usize {
        self.elements.min(MAX_ELEMENTS)
    }

    /// Subtracts the elements of a body.
    pub(crate) fn spend(&mut self, elements: usize) {
        self.elements = self.elements.saturating_sub(elements);
    }

    /// Passes events on until one exceeds the budget.
    pub(crate) const fn limit<I>(&mut self, events: I) -> BudgetedEvents<'_, I> {
        BudgetedEvents { events, budget: self, elements: 0, depth: 0, over_budget: None }
    }
}

/// An iterator that ends before the first event that exceeds the budget.
pub(crate) struct BudgetedEvents<'b, I> {
    events: I,
    budget: &'b mut Budget,
    elements: usize,
    depth: usize,
    over_budget: Option<OverBudget>,
}

impl<I> BudgetedEvents<'_, I> {
    /// Subtracts the elements that passed, and returns the limit that was exceeded, if any.
    pub(crate) fn finish(self) -> Result<(), OverBudget> {
        self.budget.spend(self.elements);
        self.over_budget.map_or(Ok(()), Err)
    }
}

impl<'a, I: Iterator<Item = Event<'a>>> Iterator for BudgetedEvents<'_, I> {
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
            Event::Code(_) | Event::Rule | Event::HardBreak | Event::TaskListMarker(_) => self.elements += 1,
            _ => {}
        }
        if self.depth > MAX_DEPTH {
            self.over_budget = Some(OverBudget::Depth);
        } else if self.elements > self.budget.elements() {
            self.over_budget = Some(OverBudget::Elements);
        }
        self.over_budget.is_none().then_some(event)
    }
}

/// The beginning of a text of at most `bytes` bytes, cut between characters.
pub(crate) fn prefix(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text.get(..end).unwrap_or(text)
}

#[cfg(test)]
#[path = "budget_tests.rs"]
mod tests;
