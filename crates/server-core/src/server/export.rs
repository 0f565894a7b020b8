//! Exports of an open server's data.

use std::sync::Arc;

use tidings_model::{Notification, Stamp};
use tidings_store::domain::account::User;
use tidings_store::{Error, ListQuery};

use super::Server;
use crate::domain::limits;
use crate::export::UserExport;

impl Server {
    /// Exports all that is stored of a user, as JSON lines.
    ///
    /// # Errors
    /// `not_found` if there is no such user.
    pub async fn export_user(&self, id: &str) -> Result<UserExport, Error> {
        UserExport::begin(Arc::clone(&self.store), id).await
    }

    /// Passes the items of every inbox to `each`, without tombstones: user by user, in stamp order, in batches. It
    /// stops when `each` returns `false`. Runs fan-in of each inbox first.
    ///
    /// # Errors
    /// [`Error::Store`] if the database can't be read or written.
    ///
    /// ```no_run
    /// # async fn example(server: tidings_server_core::Server) -> Result<(), Box<dyn std::error::Error>> {
    /// server.export(&mut |user, items| {
    ///     println!("{}: {} items", user.id, items.len());
    ///     true
    /// }).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn export(&self, each: &mut dyn FnMut(&User, Vec<Notification>) -> bool) -> Result<(), Error> {
        let mut users = ListQuery::first(limits::PAGE_ELEMENTS);
        loop {
            let page: Vec<User> = self.store.users(users.clone()).await?.values()?;
            let Some(last) = page.last() else { return Ok(()) };
            users = users.after(&last.id);
            for user in page {
                if !self.export_one(&user, each).await? {
                    return Ok(());
                }
            }
        }
    }

    /// Exports the inbox of one user; false if `each` returned false.
    async fn export_one(
        &self,
        user: &User,
        each: &mut dyn FnMut(&User, Vec<Notification>) -> bool,
    ) -> Result<bool, Error> {
        // A user who was removed meanwhile has no inbox.
        let Some(User { key, .. }) = self.store.user(&user.id).await? else { return Ok(true) };
        while self.store.fan_in(key).await? {}
        let mut since = Stamp::ZERO;
        loop {
            let page = self.store.sync(key, since, limits::DEFAULT_SYNC_LIMIT).await?;
            let mut items = page.items()?;
            items.retain(|item| !item.deleted);
            if !items.is_empty() && !each(user, items) {
                return Ok(false);
            }
            if !page.more {
                return Ok(true);
            }
            since = page.next;
        }
    }
}
