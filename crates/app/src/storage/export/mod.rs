//! Exports an inbox as JSON, CSV or mbox, item by item.

mod csv;
pub mod escape;
mod json;
mod mbox;

use std::collections::HashMap;
use std::io::{self, Write};

use tidings_model::{Lang, Notification};
use tidings_replica::{Item, Replica, Source, SourceId};

pub use self::json::ExportedItem;
use crate::ipc::ExportFormat;
use crate::render::heading::Headings;

/// A notification, and in whose inbox it is: this one's, from a source, or that of a user of a server.
#[derive(Debug, Clone)]
pub struct Entry<'a> {
    /// What it says.
    pub notification: &'a Notification,
    /// The name of the source it came from.
    pub source: Option<&'a str>,
    /// The user whose inbox at a server it is in.
    pub user: Option<&'a str>,
    /// Whether it is unread.
    pub unread: bool,
    /// What it is about, in a few words.
    pub heading: String,
}

/// How entries are written, one after another.
pub trait Exporter {
    /// Writes one.
    fn write(&mut self, entry: &Entry<'_>) -> io::Result<()>;
    /// Writes what comes after the last, to the last byte.
    fn end(&mut self) -> io::Result<()>;
}

/// Begins to write in `format`. CSV has a column for users where `has_users`.
///
/// ```
/// use tidings_app::export::exporter;
/// use tidings_app::ipc::ExportFormat;
///
/// let mut out = Vec::new();
/// exporter(ExportFormat::Json, false, &mut out).unwrap().end().unwrap();
/// assert_eq!(out, b"[\n]\n");
/// ```
///
/// # Errors
/// `out` cannot be written.
pub fn exporter<'a>(
    format: ExportFormat,
    has_users: bool,
    out: impl Write + 'a,
) -> io::Result<Box<dyn Exporter + 'a>> {
    Ok(match format {
        ExportFormat::Json => Box::new(json::Json::new(out)),
        ExportFormat::Csv => Box::new(csv::Csv::begin(out, has_users)?),
        ExportFormat::Mbox => Box::new(mbox::Mbox::new(out)),
    })
}

/// Writes every item of an inbox that was not deleted, oldest first, and gives how many there were. Headings are in
/// `lang`.
pub fn write_inbox<E>(replica: &Replica, lang: Lang, exporter: &mut dyn Exporter) -> Result<u64, E>
where
    E: From<io::Error> + From<tidings_replica::Error>,
{
    let names = SourceNames::of(replica)?;
    let mut headings = Headings::new(replica, lang);
    let (mut failed, mut written) = (None, 0);
    replica.export(&mut |items| {
        failed = items.iter().find_map(|item| {
            let entry = Entry {
                notification: &item.notification,
                source: Some(names.name(item.source)),
                user: None,
                unread: item.unread,
                heading: headings.heading(item),
            };
            exporter.write(&entry).err()
        });
        written += items.len() as u64;
        failed.is_none()
    })?;
    failed.map_or(Ok(written), |error| Err(error.into()))
}

/// What a source is called: its name, or its address where it has none.
pub fn source_name(source: &Source) -> &str {
    if source.name.is_empty() { &source.url } else { &source.name }
}

/// Names of sources by id.
#[derive(Debug)]
pub struct SourceNames(HashMap<SourceId, String>);

impl SourceNames {
    /// Of every source of an inbox.
    pub fn of(replica: &Replica) -> tidings_replica::Result<Self> {
        Ok(Self(replica.sources()?.iter().map(|s| (s.id, source_name(s).to_owned())).collect()))
    }

    /// An item with its source's name.
    pub fn shown<'a>(&'a self, item: &'a Item) -> ExportedItem<'a> {
        ExportedItem::new(&item.notification, Some(self.name(item.source)), None)
    }

    /// A source's name; empty where it is not here.
    pub fn name(&self, id: SourceId) -> &str {
        self.0.get(&id).map_or("", String::as_str)
    }
}
