//! The part of the store's interface that Gotify's API needs: applications, clients and messages with whole numbers as
//! ids, each of one user.

use async_trait::async_trait;
use tidings_model::{Content, Stamp};

use crate::Error;
use crate::domain::account::{Bearer, NewToken, User, UserKey};
use crate::domain::draft::{Draft, Post};
use crate::fields::Fields;
use crate::{Idempotency, Outcome};

/// What publishes by Gotify's API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Application {
    /// Its number.
    pub id: i64,
    /// The id of the target and the actor of its messages.
    pub target: String,
    /// What its user may change.
    pub fields: ApplicationFields,
    /// When it was made.
    pub created_at: Stamp,
    /// When it published last, to within [`crate::domain::limits::LAST_USED_SECS`].
    pub last_used: Option<Stamp>,
    /// The name of its picture.
    pub image: Option<String>,
}

/// What the user of an application may change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApplicationFields {
    /// The display name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The priority of messages that have none, on Gotify's scale; 0 if it was not set.
    pub default_priority: i64,
    /// Its place in lists; empty if it was not set.
    pub sort_key: String,
}

/// A token that was made by Gotify's API to read with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Client {
    /// Its number.
    pub id: i64,
    /// The display name.
    pub name: String,
    /// When it was made.
    pub created_at: Stamp,
    /// When its token was used last in Gotify's API, to within [`crate::domain::limits::LAST_USED_SECS`].
    pub last_used: Option<Stamp>,
}

/// A picture of an application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// The name under which it is served, with the extension of its format.
    pub name: String,
    /// Its bytes.
    pub content: Vec<u8>,
}

/// A notification as Gotify's clients list it.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Its number.
    pub id: i64,
    /// The number of its application.
    pub application: i64,
    /// When it was published.
    pub created_at: Stamp,
    /// Its content.
    pub content: Content,
}

/// The messages of a user that a list is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Messages {
    /// All of them.
    All,
    /// Those of one application.
    OfApplication(i64),
    /// One message.
    One(i64),
}

/// The order and the beginning of a page of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessagePosition {
    /// Newest first, those with a smaller number than this.
    Before(i64),
    /// Oldest first, those with a greater number than this.
    After(i64),
}

/// A page of messages.
#[derive(Debug, Clone, PartialEq)]
pub struct MessagePage {
    /// The messages, at least one if there is any.
    pub messages: Vec<Message>,
    /// Whether there are more after them.
    pub more: bool,
}

/// Fills a page of messages.
pub struct MessagePageBuilder {
    page: MessagePage,
    size: MessagePageSize,
    bytes: usize,
}

impl MessagePageBuilder {
    /// An empty page of this size.
    pub fn new(size: MessagePageSize) -> Self {
        Self { page: MessagePage { messages: Vec::new(), more: false }, size, bytes: 0 }
    }

    /// Adds the message of a row with its number, application, time and content; false if the page ends before it.
    pub fn push(&mut self, row: &impl Fields) -> Result<bool, Error> {
        let (messages, content) = (&mut self.page.messages, row.text(3)?);
        self.bytes += content.len();
        if messages.len() == self.size.messages || (self.bytes > self.size.bytes && !messages.is_empty()) {
            self.page.more = true;
            return Ok(false);
        }
        let content = serde_json::from_str(content)?;
        let created_at = row.stamp(2)?;
        messages.push(Message { id: row.int(0)?, application: row.int(1)?, created_at, content });
        Ok(true)
    }

    /// The page.
    pub fn finish(self) -> MessagePage {
        self.page
    }
}

/// The limits of a page of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessagePageSize {
    /// Messages.
    pub messages: usize,
    /// Bytes of content after which the page ends.
    pub bytes: usize,
}

/// A message that was published.
#[derive(Debug, Clone, PartialEq)]
pub struct PostedMessage {
    /// Its number.
    pub id: i64,
    /// The publication.
    pub post: Post,
}

/// The store of Gotify's applications, clients and messages. An object of another user is answered as one that does not
/// exist.
#[async_trait]
pub trait GotifyStore: Send + Sync + 'static {
    /// Adds an application with a token of its own to a user, by the user's id.
    ///
    /// # Errors
    /// `not_found` if there is no such user, `invalid` if the user has
    /// [`crate::domain::limits::USER_APPLICATIONS`]; and those of [`TokenStore::add_token`](super::TokenStore::add_token).
    async fn add_application(
        &self,
        user: &str,
        fields: ApplicationFields,
        token: NewToken,
        idempotency: Option<Idempotency<Application>>,
    ) -> Result<Outcome<Application>, Error>;
    /// The application with this token; `None` while it is being removed.
    async fn application_of_token(&self, user: UserKey, token: &str) -> Result<Option<Application>, Error>;
    /// The application with this token. One that is missing is added, named after the token's label.
    ///
    /// # Errors
    /// `not_found` if the user has no such token, `invalid` if the user has
    /// [`crate::domain::limits::USER_APPLICATIONS`].
    async fn ensure_application(&self, user: UserKey, token: &str) -> Result<Application, Error>;
    /// An application by its number.
    async fn application(&self, user: UserKey, id: i64) -> Result<Option<Application>, Error>;
    /// The applications of a user, by their numbers.
    async fn applications(&self, user: UserKey) -> Result<Vec<Application>, Error>;
    /// Changes an application; an empty sort key leaves the one that it has.
    async fn update_application(
        &self,
        user: UserKey,
        id: i64,
        fields: ApplicationFields,
    ) -> Result<Option<Application>, Error>;
    /// Removes an application of the token's user, its token and what that made, in portions; its notifications stay in
    /// the inbox. It gives false if there is none.
    ///
    /// # Errors
    /// `forbidden` if its token has a scope that `by` lacks.
    async fn remove_application(&self, by: &Bearer, id: i64) -> Result<bool, Error>;
    /// Gives an application a picture.
    ///
    /// # Errors
    /// `not_found` if the user has no such application, `too_large` if the pictures of the user would have more than
    /// [`crate::domain::limits::USER_IMAGE_BYTES`].
    async fn set_image(
        &self,
        user: UserKey,
        id: i64,
        image: Image,
        idempotency: Option<Idempotency<Application>>,
    ) -> Result<Outcome<Application>, Error>;
    /// Takes the picture of an application away.
    async fn remove_image(&self, user: UserKey, id: i64) -> Result<Option<Application>, Error>;
    /// The bytes of a picture, by its name.
    async fn image(&self, name: &str) -> Result<Option<Vec<u8>>, Error>;

    /// Adds a client to a user, by the user's id.
    ///
    /// # Errors
    /// `not_found` if there is no such user, `invalid` if the user has [`crate::domain::limits::USER_CLIENTS`]; and
    /// those of [`TokenStore::add_token`](super::TokenStore::add_token).
    async fn add_client(
        &self,
        user: &str,
        token: NewToken,
        idempotency: Option<Idempotency<Client>>,
    ) -> Result<Outcome<Client>, Error>;
    /// The clients of a user, by their numbers.
    async fn clients(&self, user: UserKey) -> Result<Vec<Client>, Error>;
    /// The client with this token.
    async fn client_of_token(&self, user: UserKey, token: &str) -> Result<Option<Client>, Error>;
    /// Records that the token of a client is used now, unless that was recorded within
    /// [`crate::domain::limits::LAST_USED_SECS`]. For any other token nothing is written.
    async fn client_used(&self, user: UserKey, token: &str) -> Result<(), Error>;
    /// Gives a client another name.
    async fn rename_client(&self, user: UserKey, id: i64, name: &str) -> Result<Option<Client>, Error>;
    /// Removes a client of the token's user, its token and what that made, in portions; false if there is none.
    ///
    /// # Errors
    /// `forbidden` if its token has a scope that `by` lacks.
    async fn remove_client(&self, by: &Bearer, id: i64) -> Result<bool, Error>;

    /// Publishes a message of an application.
    ///
    /// # Errors
    /// `not_found` if the user has no such application, or if it is being removed.
    async fn post_message(
        &self,
        user: UserKey,
        application: i64,
        draft: Draft,
        idempotency: Option<Idempotency<PostedMessage>>,
    ) -> Result<Outcome<PostedMessage>, Error>;
    /// A page of a user's messages.
    async fn messages(
        &self,
        user: UserKey,
        which: Messages,
        position: MessagePosition,
        size: MessagePageSize,
    ) -> Result<MessagePage, Error>;
    /// The number of a user's newest message; 0 if there is none.
    async fn newest_message(&self, user: UserKey) -> Result<i64, Error>;
    /// Takes those of a user's messages that exist now out of the lists and archives them in the inbox, in portions.
    /// Gives the number of messages.
    async fn archive_messages(&self, user: UserKey, which: Messages) -> Result<usize, Error>;

    /// Users with keys greater than `after`, by their keys.
    async fn users_by_key(&self, after: UserKey, limit: usize) -> Result<Vec<User>, Error>;
}
