//! Follows `tidings:` links: shows the thread or item that one names in the window.

use crate::app::App;
use crate::error::{Error, Result};
use crate::ipc::events::OpenTarget;
use crate::ipc::links::Link;

impl App {
    /// Shows the target of a link in the window, which takes the focus by the desktop's activation token.
    ///
    /// # Errors
    /// The link cannot be parsed, or its target is not in the inbox. The page announces the error as well.
    pub(crate) async fn follow_link(&self, link: &str, token: Option<String>) -> Result<()> {
        let found = match Link::parse(link) {
            Some(link) => self.resolve_link(link).await,
            None => Err(Error::invalid(self.context.admin_strings().link_bad)),
        };
        self.context.events.update(|dirty| match &found {
            Ok(target) => dirty.open = Some(target.clone()),
            Err(error) => dirty.announcement = Some(error.to_ipc(self.context.lang()).text),
        });
        self.context.ports.window.show(token);
        found.map(drop)
    }

    async fn resolve_link(&self, link: Link) -> Result<OpenTarget> {
        let target = self
            .context
            .disk(move |r| {
                Ok(match link {
                    Link::Thread(id) => r.threads_by_id(&[id])?.first().map(|thread| OpenTarget {
                        thread: thread.id,
                        item: None,
                        action: None,
                    }),
                    Link::Item(name) => r
                        .items_by_msgid(None, std::slice::from_ref(&name))?
                        .pop()
                        .map(|item| OpenTarget { thread: item.thread, item: Some(name), action: None }),
                })
            })
            .await?;
        target.ok_or_else(|| Error::invalid(self.context.admin_strings().link_unknown))
    }
}
