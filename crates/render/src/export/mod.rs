//! Exports an inbox as JSON, CSV or mbox, item by item.

mod csv;
pub mod escape;
mod json;
mod mbox;

use std::collections::HashMap;
use std::io::{self, Write};

use tidings_ipc::ExportFormat;
use tidings_model::{Content, Lang, Language, Notification, QuestionState};
use tidings_replica::{Item, Replica, Source, SourceId};
use tidings_strings::strings;

pub use self::json::ExportedItem;
use crate::heading::Headings;
use crate::question;

/// A notification to export, with its source (of a replica) or its inbox's user (of a server).
#[derive(Debug, Clone)]
pub struct Entry<'a> {
    /// The notification.
    pub notification: &'a Notification,
    /// The name of its source.
    pub source: Option<&'a str>,
    /// The user of the inbox at a server.
    pub user: Option<&'a str>,
    /// Whether it is unread.
    pub unread: bool,
    /// Its heading, a few words of plain text.
    pub heading: String,
    /// The sentence of a reminder, who did what to what; empty for items without one.
    pub sentence: String,
}

/// Writes entries in one format.
pub trait Exporter {
    /// Writes an entry.
    fn write(&mut self, entry: &Entry<'_>) -> io::Result<()>;
    /// Writes the end of the file and flushes the output.
    fn end(&mut self) -> io::Result<()>;
}

/// An exporter in `format` that writes to `out`. CSV has a column for users if `has_users` is set.
///
/// ```
/// use tidings_render::export::exporter;
/// use tidings_ipc::ExportFormat;
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

/// What is exported of a question if its fields stand apart.
const QUESTION_FIELDS: [&str; 5] = ["answers", "question_state", "answer", "answered_by", "answered_at"];

/// The values of [`QUESTION_FIELDS`]: the labels of the answers, `open`, `answered` or `expired`, and the answer that
/// counts. All are empty if nothing is asked.
fn question_texts(content: &Content) -> [String; 5] {
    let Some(question) = &content.question else { return <[String; 5]>::default() };
    let labels: Vec<&str> = question.answers.iter().map(|choice| choice.label.as_str()).collect();
    let state = match question.state {
        QuestionState::Open => "open",
        QuestionState::Answered => "answered",
        QuestionState::Expired => "expired",
    };
    let answer = question.answer.as_ref();
    let by = answer.and_then(|answer| answer.by.clone()).unwrap_or_default();
    let at = answer.map(|answer| answer.at.to_string()).unwrap_or_default();
    [labels.join(", "), state.to_owned(), question::words(question), by, at]
}

/// Exports every item of an inbox, oldest first, without deleted ones, and returns their number. Headings are worded in
/// `language`.
pub fn write_inbox<E>(replica: &Replica, language: &Language, exporter: &mut dyn Exporter) -> Result<u64, E>
where
    E: From<io::Error> + From<tidings_replica::Error>,
{
    let names = SourceNames::of(replica)?;
    let mut headings = Headings::new(replica, language.clone());
    let (mut failed, mut written) = (None, 0);
    replica.export(&mut |items| {
        failed = items.iter().find_map(|item| {
            let entry = Entry {
                notification: &item.notification,
                source: Some(names.name(item.source)),
                user: None,
                unread: item.unread,
                heading: headings.heading(item),
                sentence: headings.sentence(item),
            };
            exporter.write(&entry).err()
        });
        written += items.len() as u64;
        failed.is_none()
    })?;
    failed.map_or(Ok(written), |error| Err(error.into()))
}

/// The name of a source as programs read it: the own server has the name that the window gives it in English.
pub fn source_name(source: &Source) -> &str {
    if source.name.is_empty() { strings(Lang::En).this_computer } else { &source.name }
}

/// The names of sources, by id.
#[derive(Debug)]
pub struct SourceNames(HashMap<SourceId, String>);

impl SourceNames {
    /// Loads the names of all sources of an inbox.
    pub fn of(replica: &Replica) -> tidings_replica::Result<Self> {
        Ok(Self(replica.sources()?.iter().map(|s| (s.id, source_name(s).to_owned())).collect()))
    }

    /// An item as it is exported, with its source's name.
    pub fn exported_item<'a>(&'a self, item: &'a Item) -> ExportedItem<'a> {
        ExportedItem::new(&item.notification, Some(self.name(item.source)), None, "")
    }

    /// The name of a source; empty for an unknown one.
    pub fn name(&self, id: SourceId) -> &str {
        self.0.get(&id).map_or("", String::as_str)
    }
}
