//! Pages of lists. A page ends at its number of elements or at [`limits::PAGE_BYTES`] bytes of JSON, whichever comes
//! first. Each element is serialized once, when its row is read; rows that do not fit are not read.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};
use tidings_model::wire::{ClosedConversation, ViewMark};
use tidings_model::{Notification, Stamp};

use crate::Error;
use crate::domain::limits;

/// Elements of a page, serialized as in the response.
pub type JsonElements = Vec<Box<RawValue>>;

/// Collects elements until the page is full. The first one is always taken, however large it is.
#[derive(Debug)]
pub struct PageBuilder {
    elements: JsonElements,
    limit: usize,
    /// Bytes of JSON that are still free.
    bytes_left: usize,
    full: bool,
}

impl PageBuilder {
    /// A page of at most `limit` elements and [`limits::PAGE_BYTES`] bytes.
    pub fn new(limit: usize) -> Self {
        Self::with_max_bytes(limit, limits::PAGE_BYTES)
    }

    /// A page of at most `limit` elements and `bytes_left` bytes.
    pub(crate) fn with_max_bytes(limit: usize, bytes_left: usize) -> Self {
        Self { elements: Vec::new(), limit, bytes_left, full: false }
    }

    /// Adds an element; false if it does not fit, so that the page ends before it.
    pub fn push<T: Serialize>(&mut self, element: &T) -> Result<bool, Error> {
        if self.elements.len() >= self.limit {
            self.full = true;
            return Ok(false);
        }
        let element_json = to_raw_value(element)?;
        // Includes the comma that separates it from the next element.
        let size = element_json.get().len() + 1;
        if size > self.bytes_left && !self.elements.is_empty() {
            self.full = true;
            return Ok(false);
        }
        self.bytes_left = self.bytes_left.saturating_sub(size);
        self.elements.push(element_json);
        Ok(true)
    }

    /// Takes room for bytes that belong to the elements but are written elsewhere in the response.
    pub fn charge(&mut self, bytes: usize) {
        self.bytes_left = self.bytes_left.saturating_sub(bytes);
    }

    /// Whether an element did not fit, so that there is another page.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// The elements of the page.
    pub fn into_elements(self) -> JsonElements {
        self.elements
    }
}

/// One page of a list, a JSON array.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct ListPage(pub JsonElements);

impl ListPage {
    /// A page of at most `limit` of these elements; after the first one that does not fit none is read.
    pub fn of<T: Serialize>(
        limit: usize,
        elements: impl IntoIterator<Item = Result<T, Error>>,
    ) -> Result<Self, Error> {
        let mut builder = PageBuilder::new(limit);
        for element in elements {
            if !builder.push(&element?)? {
                break;
            }
        }
        Ok(Self(builder.into_elements()))
    }

    /// The elements, deserialized.
    ///
    /// # Errors
    /// [`Error::Store`] if the elements are not of this type.
    pub fn values<T: DeserializeOwned>(&self) -> Result<Vec<T>, Error> {
        values(&self.0)
    }
}

/// A page of a pull.
#[derive(Debug, Serialize)]
pub struct PullPage {
    /// The items, in stamp order.
    pub items: JsonElements,
    /// The read marks that moved since the cursor.
    pub marks: Vec<ViewMark>,
    /// Read marks that make items of the page read and that come in `marks` of a later page.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub later_marks: Vec<ViewMark>,
    /// The read marks of the others in conversations with one person that moved since the cursor.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub peer_marks: Vec<ViewMark>,
    /// The conversations with one person that were closed since the cursor, because that user was removed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub closed: Vec<ClosedConversation>,
    /// The ids of the user's groups that changed since the cursor.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// The newest group message by another that this page brings in full with all before it; `None` if it brings none
    /// that had not arrived before. The code that hands the page out calls
    /// [`DeliveryStore::set_delivered`](super::DeliveryStore::set_delivered).
    #[serde(skip)]
    pub delivered_to: Option<Stamp>,
    /// The last-pull timestamp to store with the items.
    pub next: Stamp,
    /// Whether there is another page, to be pulled at once.
    pub more: bool,
    /// The epoch of the server's history.
    pub epoch: String,
    /// Everything whose content is older than this was removed by retention.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forgotten_before: Option<Stamp>,
    /// Number of items after this page, if the request asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remaining: Option<u64>,
}

impl PullPage {
    /// The items, deserialized.
    ///
    /// # Errors
    /// [`Error::Store`] if the store has serialized what it can't deserialize, which is a bug.
    pub fn items(&self) -> Result<Vec<Notification>, Error> {
        values(&self.items)
    }
}

/// A page of a list of items, newest first.
#[derive(Debug, Serialize)]
pub struct ItemsPage {
    /// The items, newest first.
    pub items: JsonElements,
    /// `before` of the next page; `None` at the end.
    pub next: Option<Stamp>,
}

impl ItemsPage {
    /// The items, deserialized.
    ///
    /// # Errors
    /// [`Error::Store`] if the store has serialized what it can't deserialize, which is a bug.
    pub fn items(&self) -> Result<Vec<Notification>, Error> {
        values(&self.items)
    }
}

fn values<T: DeserializeOwned>(raw: &JsonElements) -> Result<Vec<T>, Error> {
    raw.iter().map(|w| serde_json::from_str(w.get()).map_err(Error::from)).collect()
}

/// An upper bound of a mark's size as JSON: each byte of the view takes at most six, and the two stamps and member names
/// take the rest.
pub(crate) fn mark_size(mark: &ViewMark) -> usize {
    mark.view.to_string().len() * 6 + 128
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_ends_at_its_bytes_and_holds_at_least_one_element() {
        let mut page = PageBuilder::with_max_bytes(10, 20);
        assert!(page.push(&"a text that is longer than the page").unwrap());
        assert!(!page.push(&"b").unwrap() && page.is_full());
        let mut page = PageBuilder::with_max_bytes(10, 9);
        assert!(page.push(&"abc").unwrap() && !page.push(&"abc").unwrap());
        let mut page = PageBuilder::with_max_bytes(1, 100);
        assert!(page.push(&1).unwrap() && !page.is_full());
        assert!(!page.push(&2).unwrap() && page.is_full());
        assert_eq!(ListPage(page.into_elements()).values::<u8>().unwrap(), [1]);
    }
}
