//! Follows links: shows the thread or item that a `tidings:` link names in the window, and opens other addresses in their
//! programs.

use std::sync::Arc;

use tidings_render::link::openable_url;
use tidings_render::tidings_link::TidingsLink;
use tidings_replica::ThreadId;

use crate::context::{Context, part};
use crate::error::{Error, Result};
use crate::events::OpenTarget;

part! {
    /// Opens links, and threads and items in the window.
    pub(crate) struct Links {
        context: Arc<Context>,
    }
}

impl Links {
    /// Shows the target of a link in the window, which takes the focus by the desktop's activation token.
    ///
    /// # Errors
    /// The link cannot be parsed, or its target is not in the inbox. The page announces the error as well.
    pub(crate) async fn follow_link(&self, link: &str, token: Option<String>) -> Result<()> {
        let found = match TidingsLink::parse(link) {
            Some(link) => self.resolve_link(link).await,
            None => Err(Error::invalid(self.context.settings_strings().link_bad)),
        };
        self.context.events.update(|dirty| match &found {
            Ok(target) => dirty.open = Some(target.clone()),
            Err(error) => dirty.announcement = Some(error.to_ipc(self.context.lang()).text),
        });
        self.context.ports.window.show(token);
        found.map(drop)
    }

    /// Opens a web or mail address in its program, a `tidings:` link in this window. With `background` the window keeps
    /// the focus, as far as the desktop lets it.
    ///
    /// # Errors
    /// [`Error::Link`] for any other address, [`Error::Opener`] if no program could be started.
    pub(crate) async fn open_link(&self, url: &str, background: bool) -> Result<()> {
        let url = openable_url(url).ok_or(Error::Link)?;
        if url.scheme() == "tidings" {
            return self.follow_link(url.as_str(), None).await;
        }
        if background {
            self.context.ports.window.keep_focus();
        }
        if self.context.ports.opener.open(&url) { Ok(()) } else { Err(Error::Opener) }
    }

    /// Queues a thread for the window to show.
    pub(crate) fn open_thread(&self, thread: ThreadId) {
        self.request_open(OpenTarget { thread, item: None, action: None });
    }

    /// Queues a thread or item for the window to show; the page takes it with its next events or when it starts.
    pub(crate) fn request_open(&self, open: OpenTarget) {
        self.context.events.update(|dirty| dirty.open = Some(open));
    }

    async fn resolve_link(&self, link: TidingsLink) -> Result<OpenTarget> {
        let target = self
            .context
            .disk(move |r| {
                Ok(match link {
                    TidingsLink::Thread(id) => r.threads_by_id(&[id])?.first().map(|thread| OpenTarget {
                        thread: thread.id,
                        item: None,
                        action: None,
                    }),
                    TidingsLink::Item(name) => r
                        .items_by_msgid(None, std::slice::from_ref(&name))?
                        .pop()
                        .map(|item| OpenTarget { thread: item.thread, item: Some(name), action: None }),
                })
            })
            .await?;
        target.ok_or_else(|| Error::invalid(self.context.settings_strings().link_unknown))
    }
}
