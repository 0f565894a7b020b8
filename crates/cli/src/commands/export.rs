//! `export`: all notifications of the inbox and of the server's inboxes, streamed in a format that other programs
//! read.

use std::{io::BufWriter, sync::Arc};

use tidings_app::{
    export::{self, Entry, Exporter},
    home::Home,
    ipc,
    render::heading::{heading, sentence},
};
use tidings_model::{Clock, SystemClock, is_unread};
use tidings_server::{Server, ServerConfig};
use tidings_sqlite::is_present;

use crate::{
    args::{ExportFormat, ExportOf, Store},
    error::{Error, Result},
    inbox::{self, replica_file, server_file},
    text,
};

/// Runs `tidings export`.
pub(crate) async fn run(format: ExportFormat, of: Option<ExportOf>, store: Store, home: &Home) -> Result<()> {
    let out = BufWriter::new(std::io::stdout().lock());
    let mut exporter = export::exporter(format.into(), true, out)?;
    if of != Some(ExportOf::Server) && is_present(&replica_file(home)) {
        export::write_inbox::<Error>(&inbox::open(home)?, &text::language(), &mut *exporter)?;
    }
    let config = store.config(home)?;
    if of != Some(ExportOf::Inbox) && (!config.store.is_local() || is_present(&server_file(home))) {
        export_server(config, &mut *exporter).await?;
    }
    Ok(exporter.end()?)
}

impl From<ExportFormat> for ipc::ExportFormat {
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
