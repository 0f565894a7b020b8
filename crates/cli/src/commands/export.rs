//! `export`: all notifications of the inbox and of the server's inboxes, streamed in a format that other programs
//! read.

use std::io::{self, BufWriter, IsTerminal as _};
use std::sync::Arc;

use tidings_home::Home;
use tidings_model::{Clock, SystemClock, is_unread};
use tidings_render::{
    export::{self, Entry, Exporter},
    heading::{heading, sentence},
};
use tidings_server::{Server, ServerConfig};
use tidings_sqlite::is_present;

use crate::{
    args::{ExportFormat, ExportOf, Store},
    error::{Error, Result},
    inbox::{self, replica_file, server_file},
    output::{Output, Progress},
    text,
};

/// The notifications between two steps of the progress.
const STEP: u64 = 1_000;

/// Runs `tidings export`.
pub(crate) async fn run(
    format: ExportFormat,
    of: Option<ExportOf>,
    store: Store,
    home: &Home,
    out: Output,
) -> Result<()> {
    let to = io::stdout().lock();
    // In a terminal the notifications themselves say how far it is.
    let quiet = Output { json: out.json || to.is_terminal() };
    let progress = Progress::begin(quiet, "exporting");
    let exporter = export::exporter(format.into(), true, BufWriter::new(to))?;
    let mut exporter = Counting { exporter, written: 0, progress };
    if of != Some(ExportOf::Server) && is_present(&replica_file(home)) {
        export::write_inbox::<Error>(&inbox::open(home)?, &text::language(), &mut exporter)?;
    }
    let config = store.config(home)?;
    if of != Some(ExportOf::Inbox) && (!config.store.is_local() || is_present(&server_file(home))) {
        export_server(config, &mut exporter).await?;
    }
    Ok(exporter.end()?)
}

/// An exporter that says how much it has written.
struct Counting<'a> {
    exporter: Box<dyn Exporter + 'a>,
    written: u64,
    progress: Progress,
}

impl Exporter for Counting<'_> {
    fn write(&mut self, entry: &Entry<'_>) -> io::Result<()> {
        self.written += 1;
        if self.written.is_multiple_of(STEP) {
            self.progress.step(format!("exporting: {} notifications so far", self.written));
        }
        self.exporter.write(entry)
    }

    fn end(&mut self) -> io::Result<()> {
        self.exporter.end()
    }
}

impl From<ExportFormat> for tidings_ipc::ExportFormat {
    fn from(format: ExportFormat) -> Self {
        match format {
            ExportFormat::Json => Self::Json,
            ExportFormat::Csv => Self::Csv,
            ExportFormat::Mbox => Self::Mbox,
        }
    }
}

/// Exports the inbox of each user of the server.
async fn export_server(config: ServerConfig, exporter: &mut dyn Exporter) -> Result<()> {
    let clock = Arc::new(SystemClock);
    let server = Server::open(config, clock.clone()).await?;
    let (catalog, language, now) = (server.catalog().await?, text::language(), clock.now());
    let mut failed = None;
    server
        .export(&mut |user, items| {
            failed = items.iter().find_map(|notification| {
                let entry = Entry {
                    notification,
                    source: None,
                    user: Some(&user.id),
                    unread: is_unread(&notification.state(&user.id), now),
                    heading: heading(notification, &language, &catalog, Some(&user.id)),
                    sentence: sentence(notification, &language, &catalog, Some(&user.id)),
                };
                exporter.write(&entry).err()
            });
            failed.is_none()
        })
        .await?;
    failed.map_or(Ok(()), |error| Err(error.into()))
}
