//! Everything in the inbox here and in the inboxes of the server here, in a form that other programs read. Refuses to
//! hold it all in memory, and to make what is not there.

mod json;
mod mbox;
mod table;

use std::{
    io::{BufWriter, StdoutLock},
    sync::Arc,
};

use tidings_app::home::Home;
use tidings_model::{Clock, Notification, SystemClock, is_unread};
use tidings_server::{Server, ServerConfig};

use crate::{
    args::{ExportFormat, ExportOf},
    error::{Error, Result},
    inbox::{self, Names, replica_file, server_file},
    text::{self, Speaker},
};

type Out<T> = BufWriter<T>;

/// A notification, and in whose inbox it is: this one's, from a source, or that of a user of the server.
struct Entry<'a> {
    notification: &'a Notification,
    source: Option<&'a str>,
    user: Option<&'a str>,
    unread: bool,
    heading: String,
}

/// How it is written.
trait Form {
    fn write(&mut self, entry: &Entry<'_>) -> Result<()>;
    fn end(&mut self) -> Result<()>;
}

/// `tidings export`
pub(crate) async fn run(format: ExportFormat, of: Option<ExportOf>, home: &Home) -> Result<()> {
    let out = BufWriter::new(std::io::stdout().lock());
    let mut form = form(format, out)?;
    if of != Some(ExportOf::Server) && replica_file(home).exists() {
        pulled(home, &mut *form)?;
    }
    if of != Some(ExportOf::Inbox) && server_file(home).exists() {
        served(home, &mut *form).await?;
    }
    form.end()
}

fn form(format: ExportFormat, out: Out<StdoutLock<'static>>) -> Result<Box<dyn Form>> {
    Ok(match format {
        ExportFormat::Json => Box::new(json::Json::new(out)),
        ExportFormat::Csv => Box::new(table::Table::begin(out)?),
        ExportFormat::Mbox => Box::new(mbox::Mbox(out)),
    })
}

/// What the inbox has, oldest first.
fn pulled(home: &Home, form: &mut dyn Form) -> Result<()> {
    let replica = inbox::open(home)?;
    let names = Names::of(&replica)?;
    let mut speaker = Speaker::new(&replica);
    let mut failed = None;
    replica.export(&mut |items| {
        failed = items.iter().find_map(|item| {
            let entry = Entry {
                notification: &item.notification,
                source: Some(names.name(item.source)),
                user: None,
                unread: item.unread,
                heading: speaker.heading(item),
            };
            form.write(&entry).err()
        });
        failed.is_none()
    })?;
    failed.map_or(Ok(()), Err)
}

/// What the server has for each of its users.
async fn served(home: &Home, form: &mut dyn Form) -> Result<()> {
    let clock = Arc::new(SystemClock);
    let server = Server::open(ServerConfig::new(home.dir()), clock.clone()).await?;
    let (catalog, lang, now) = (server.catalog().await?, text::lang(), clock.now());
    let mut failed: Option<Error> = None;
    server
        .export(&mut |user, items| {
            failed = items.iter().find_map(|notification| {
                let entry = Entry {
                    notification,
                    source: None,
                    user: Some(&user.id),
                    unread: is_unread(&notification.state(&user.id), now),
                    heading: text::heading(notification, lang, &catalog),
                };
                form.write(&entry).err()
            });
            failed.is_none()
        })
        .await?;
    failed.map_or(Ok(()), Err)
}
