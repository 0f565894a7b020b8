//! Measures a document in XML in one pass before the library reads it. The library keeps everything as values, follows
//! some elements by recursion, and copies the content of a group of media into each group within it.

use quick_xml::NsReader;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::ResolveResult;
use serde::{Deserialize, Serialize};

/// The most entries of a feed.
pub(super) const MAX_ENTRIES: usize = 20_000;
/// The most elements of a document, of which each takes up to some 200 bytes in memory for a while.
const MAX_ELEMENTS: usize = 600_000;
/// The most elements that are kept as values of some 300 bytes each: links, categories, people, media.
const MAX_KEPT: usize = 150_000;
/// The most of these in an entry, and outside of entries.
const MAX_KEPT_TOGETHER: usize = 2_000;
/// The deepest element.
const MAX_DEPTH: usize = 1_000;
/// The most elements within each other that the library reads by recursion.
const MAX_RECURSION: usize = 16;
/// The most attributes of an element: each is compared with those before it.
const MAX_ATTRIBUTES: usize = 256;
/// The most namespaces that are declared around an element: each name of an element is looked for among them.
const MAX_NAMESPACES: usize = 64;
/// The longest address that is a base for others, of which each element below it has a copy.
const MAX_BASE_BYTES: usize = 2 << 10;
/// The most bytes that the copies of media in all groups may take.
const MAX_COPIED_BYTES: usize = 32 << 20;
/// What an element of media takes besides its text.
const MEDIA_BYTES: usize = 256;

/// What a document has too much of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Excess {
    /// Elements, entries, or values in JSON.
    Number,
    /// Elements within each other.
    Depth,
    /// Elements that are multiplied by others.
    Product,
}

/// What is counted of the document so far.
#[derive(Default)]
struct Measure {
    elements: usize,
    entries: usize,
    kept: usize,
    /// The number of kept values of the entry, or outside of entries.
    kept_together: usize,
    copied: usize,
    media: Media,
    /// The open elements.
    open: Vec<Open>,
    recursion: usize,
    /// How many groups of media are open.
    groups: usize,
    namespaces: usize,
    /// The depth of the entry; `None` outside of entries.
    entry: Option<usize>,
    /// The depth of an element of media whose text counts, and of a rating.
    text_of_media: Option<usize>,
    rating: Option<usize>,
}

/// What the media of an entry multiply.
#[derive(Default)]
struct Media {
    groups: usize,
    /// The groups within groups.
    nested: usize,
    contents: usize,
    /// The size of all media, and of those outside of groups.
    bytes: usize,
    outside: usize,
    /// The size of the rating that is read, and of the largest one; both are part of `bytes`.
    rating: usize,
    largest_rating: usize,
}

/// An open element.
struct Open {
    is_recursive: bool,
    is_group: bool,
    namespaces: usize,
}

/// Checks a document. What is no XML ends the check at the point at which the library stops, too.
pub(super) fn check(text: &str) -> Result<(), Excess> {
    let mut reader = NsReader::from_str(text);
    reader.config_mut().trim_markup_names_in_closing_tags = true;
    let mut measure = Measure::default();
    loop {
        match reader.read_resolved_event() {
            Ok((namespace, Event::Start(tag))) => measure.start(&namespace, &tag)?,
            Ok((namespace, Event::Empty(tag))) => {
                measure.start(&namespace, &tag)?;
                measure.end()?;
            }
            Ok((_, Event::End(_))) => measure.end()?,
            Ok((_, Event::Text(text))) => measure.text(text.len()),
            Ok((_, Event::CData(text))) => measure.text(text.len()),
            Ok((_, Event::GeneralRef(name))) => measure.text(name.len()),
            Ok((_, Event::Eof)) | Err(_) => {
                measure.end_of_media()?;
                return Ok(());
            }
            Ok(_) => {}
        }
    }
}

impl Measure {
    fn start(&mut self, namespace: &ResolveResult<'_>, tag: &BytesStart<'_>) -> Result<(), Excess> {
        self.elements += 1;
        let name = tag.local_name();
        let name: &str = name.as_ref();
        let namespaces = attributes(tag)?;
        // Of the names that the library knows from several namespaces, those of texts in RSS and Atom are no media.
        let is_media = matches!(namespace, ResolveResult::Bound(uri) if is_of_media(uri.as_ref()));
        let is_recursive = name == "category" || (is_media && matches!(name, "group" | "content"));
        self.recursion += usize::from(is_recursive);
        self.namespaces += namespaces;
        let is_group = is_media && name == "group";
        self.open.push(Open { is_recursive, is_group, namespaces });
        if self.open.len() > MAX_DEPTH || self.recursion > MAX_RECURSION {
            return Err(Excess::Depth);
        }
        if self.namespaces > MAX_NAMESPACES || self.elements > MAX_ELEMENTS {
            return Err(Excess::Number);
        }
        if matches!(name, "item" | "entry") && self.entry.is_none() {
            self.entries += 1;
            self.entry = Some(self.open.len());
            self.kept_together = 0;
        }
        if is_media {
            self.start_of_media(name, tag.len());
        }
        if is_media || is_kept(name) {
            self.kept += 1;
            self.kept_together += 1;
        }
        let too_many = self.kept > MAX_KEPT
            || self.kept_together > MAX_KEPT_TOGETHER
            // What is too much of them is left out later.
            || self.entries > 2 * MAX_ENTRIES;
        if too_many { Err(Excess::Number) } else { Ok(()) }
    }

    fn start_of_media(&mut self, name: &str, bytes: usize) {
        if name == "group" {
            self.media.groups += 1;
            self.media.nested += usize::from(self.groups > 0);
            self.groups += 1;
        }
        self.media.contents += usize::from(name == "content");
        self.text_of_media.get_or_insert(self.open.len());
        if name == "rating" {
            self.rating.get_or_insert(self.open.len());
        }
        self.text(bytes + MEDIA_BYTES);
    }

    fn text(&mut self, bytes: usize) {
        if self.text_of_media.is_some() {
            self.media.bytes += bytes;
            if self.groups == 0 {
                self.media.outside += bytes;
            }
        }
        if self.rating.is_some() {
            self.media.rating += bytes;
            self.media.largest_rating = self.media.largest_rating.max(self.media.rating);
        }
    }

    fn end(&mut self) -> Result<(), Excess> {
        let depth = self.open.len();
        if self.text_of_media == Some(depth) {
            self.text_of_media = None;
        }
        if self.rating == Some(depth) {
            self.rating = None;
            self.media.rating = 0;
        }
        if self.entry == Some(depth) {
            self.entry = None;
            self.kept_together = 0;
            self.end_of_media()?;
        }
        if let Some(open) = self.open.pop() {
            self.recursion -= usize::from(open.is_recursive);
            self.groups -= usize::from(open.is_group);
            self.namespaces -= open.namespaces;
        }
        Ok(())
    }

    /// Adds what the media of an entry become. Each group gets a copy of the elements around it, once as a scope and
    /// once as an object, and each content the rating of its scope. Around a group within another one may be all of it.
    fn end_of_media(&mut self) -> Result<(), Excess> {
        let media = std::mem::take(&mut self.media);
        let products = [
            (media.outside, 2 * media.groups),
            (media.bytes, 2 * media.nested),
            (media.largest_rating, media.contents),
        ];
        for (bytes, times) in products {
            self.copied = self.copied.saturating_add(bytes.saturating_mul(times));
        }
        if self.copied > MAX_COPIED_BYTES { Err(Excess::Product) } else { Ok(()) }
    }
}

/// Checks the attributes, and counts those that declare a namespace.
fn attributes(tag: &BytesStart<'_>) -> Result<usize, Excess> {
    let (mut count, mut namespaces) = (0, 0);
    for attribute in tag.attributes().with_checks(false).flatten() {
        let name: &str = attribute.key.as_ref();
        count += 1;
        namespaces += usize::from(name == "xmlns" || name.starts_with("xmlns:"));
        if count > MAX_ATTRIBUTES || (name == "xml:base" && attribute.value.len() > MAX_BASE_BYTES) {
            return Err(Excess::Number);
        }
    }
    Ok(namespaces)
}

/// Whether a namespace may be that of Media RSS, which has several spellings.
fn is_of_media(uri: &str) -> bool {
    uri.contains("mrss")
}

/// Whether the library keeps each element of this name.
fn is_kept(name: &str) -> bool {
    matches!(
        name,
        "link"
            | "category"
            | "author"
            | "creator"
            | "contributor"
            | "owner"
            | "managingEditor"
            | "webMaster"
            | "enclosure"
            | "comments"
            | "commentRss"
            | "commentRSS"
            | "person"
            | "image"
    )
}

#[cfg(test)]
#[path = "guard_tests.rs"]
mod tests;
