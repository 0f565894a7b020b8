//! Users of an open server.

use tidings_model::wire::Scope;
use tidings_model::{Code, check_id};
use tidings_store::domain::account::{FreshToken, User, WrittenContent};
use tidings_store::domain::draft::check_name;
use tidings_store::{Error, ListQuery, Outcome};

use super::Server;
use crate::access;
use crate::domain::limits;

/// Names that are tried for the first user of a server all of whose users were removed.
const MAX_FIRST_USERS: usize = 1_000;

impl Server {
    /// Adds a user. An empty name stands for the id.
    ///
    /// # Errors
    /// `conflict` if the id is taken, `invalid` if the id or the name is not valid.
    ///
    /// ```no_run
    /// # async fn example(server: tidings_server_core::Server) -> Result<(), Box<dyn std::error::Error>> {
    /// let ann = server.create_user("ann", "Ann").await?;
    /// assert_eq!(ann.id, "ann");
    /// # Ok(())
    /// # }
    /// ```
    pub async fn create_user(&self, id: &str, name: &str) -> Result<User, Error> {
        check_id(id).map_err(|e| Error::invalid("id", e.to_string()))?;
        check_name("name", name)?;
        let name = if name.is_empty() { id } else { name };
        self.clock_watch.keep(&*self.store).await;
        match self.store.add_user(id, name, None).await? {
            Outcome::Done(user) => Ok(user),
            Outcome::Replayed(_) => Err(Error::refused(Code::Conflict, "the user already exists")),
        }
    }

    /// All users, by id.
    ///
    /// # Errors
    /// [`Error::Store`] if the database can't be read.
    pub async fn users(&self) -> Result<Vec<User>, Error> {
        let (mut users, mut page) = (Vec::<User>::new(), ListQuery::first(limits::PAGE_ELEMENTS));
        loop {
            let more: Vec<User> = self.store.users(page.clone()).await?.values()?;
            let Some(last) = more.last() else { return Ok(users) };
            page = page.after(&last.id);
            users.extend(more);
        }
    }

    /// Gives a user another name, which what they publish from now on carries. An empty name stands for the id.
    ///
    /// # Errors
    /// `not_found` if there is no such user, `invalid` if the name is not valid.
    pub async fn rename_user(&self, id: &str, name: &str) -> Result<User, Error> {
        check_name("name", name)?;
        let user = self.store.rename_user(id, if name.is_empty() { id } else { name }).await?;
        self.access_changed().await;
        Ok(user)
    }

    /// Removes a user of a running server; upkeep deletes most of their data later.
    ///
    /// # Errors
    /// `not_found` if there is no such user, `forbidden` for the one for whom a program runs this server.
    pub async fn begin_removal(&self, id: &str, written: WrittenContent) -> Result<(), Error> {
        if self.config.standalone_owner.as_deref() == Some(id) {
            let why = "it is the user for whom the app runs this server; nothing was removed";
            return Err(Error::refused(Code::Forbidden, why));
        }
        self.store.remove_user(id, written).await?;
        self.user_removed.notify_one();
        self.access_changed().await;
        Ok(())
    }

    /// Whether rows of removed users are still to be deleted.
    ///
    /// # Errors
    /// [`Error::Store`] if the database can't be read.
    pub async fn has_removals(&self) -> Result<bool, Error> {
        self.store.removal_pending().await
    }

    /// Forgets what is cached of users, tokens and topics, and waits until every other server on the same database has.
    pub(crate) async fn access_changed(&self) {
        self.access.invalidate();
        if self.store.is_shared() {
            access::forgotten_everywhere().await;
        }
    }

    /// Creates a user if missing.
    pub(crate) async fn ensure_user(&self, id: &str, name: &str) -> Result<(), Error> {
        if self.store.user(id).await?.is_none() {
            self.create_user(id, name).await?;
        }
        Ok(())
    }

    /// Creates the user `admin` with a token of scope `admin` if the server has no users; otherwise `None`.
    ///
    /// # Errors
    /// [`Error::Store`] if the database can't be read or written.
    ///
    /// ```no_run
    /// # async fn example(server: tidings_server_core::Server) -> Result<(), Box<dyn std::error::Error>> {
    /// if let Some(admin) = server.first_start().await? {
    ///     println!("token of admin: {}", admin.token);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn first_start(&self) -> Result<Option<FreshToken>, Error> {
        if self.store.meta().await?.users > 0 {
            return Ok(None);
        }
        for n in 1..=MAX_FIRST_USERS {
            let id = if n == 1 { "admin".to_owned() } else { format!("admin-{n}") };
            match self.create_user(&id, &id).await {
                // If several servers start on an empty database, one of them makes it. If all users were removed, the
                // id of the first one is not given away again.
                Err(Error::Refused(problem)) if problem.code == Code::Conflict => {
                    if self.store.meta().await?.users > 0 {
                        return Ok(None);
                    }
                }
                Err(e) => return Err(e),
                Ok(admin) => {
                    return self.create_token(&admin.id, "first start", &[Scope::Admin]).await.map(Some);
                }
            }
        }
        Ok(None)
    }
}
