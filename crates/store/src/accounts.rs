//! The part of the store's interface that is about users and their tokens.

use async_trait::async_trait;
use tidings_model::Stamp;

use crate::Error;
use crate::{
    Bearer, Idempotency, ListPage, ListQuery, NewToken, Outcome, StoredResponse, Token, User, UserKey,
    WrittenContent, WrittenPage,
};

/// Users, and what those who were removed leave behind.
#[async_trait]
pub trait UserStore: Send + Sync {
    /// Adds a user.
    ///
    /// # Errors
    /// `conflict` if the id is taken, or was that of a user who was removed.
    async fn add_user(
        &self,
        id: &str,
        name: &str,
        idempotency: Option<Idempotency<User>>,
    ) -> Result<Outcome<User>, Error>;
    /// Gives a user another name, which what they publish from now on carries.
    ///
    /// # Errors
    /// `not_found` if there is no such user.
    async fn rename_user(&self, id: &str, name: &str) -> Result<User, Error>;
    /// Removes a user at once, with their tokens, inbox and subscriptions. Nothing is sent to them or in their name any
    /// more, and their id is never given to anybody else. [`RetentionStore::prune`](super::RetentionStore::prune)
    /// deletes most of a large user's rows later, and what nobody can read any more. If what they wrote is to be
    /// deleted, that comes before ([`UserStore::to_recall`]).
    ///
    /// # Errors
    /// `not_found` if there is no such user.
    async fn remove_user(&self, id: &str, written: WrittenContent) -> Result<(), Error>;
    /// Whether a removed user has rows that [`RetentionStore::prune`](super::RetentionStore::prune) is still to delete.
    async fn removal_pending(&self) -> Result<bool, Error>;
    /// What a user wrote after a time, at most `limit` publications.
    async fn written(
        &self,
        user: UserKey,
        id: &str,
        after: Stamp,
        limit: usize,
    ) -> Result<WrittenPage, Error>;
    /// A removed user and the next of their publications that are to be recalled, at most `limit` of them.
    async fn to_recall(&self, limit: usize) -> Result<Option<(UserKey, WrittenPage)>, Error>;
    /// Records that what a removed user wrote was recalled up to a time, and whether that is all.
    async fn recalled(&self, user: UserKey, through: Stamp, all: bool) -> Result<(), Error>;
    /// The user with this id.
    async fn user(&self, id: &str) -> Result<Option<User>, Error>;
    /// A page of the users, by id.
    async fn users(&self, page: ListQuery) -> Result<ListPage, Error>;
    /// At most `limit` users whose id, name, or second or last word of it begins like `typed`, whatever its case. Those
    /// who are found by their ids come first. However many users there are, a multiple of `limit` is looked at.
    async fn users_beginning(&self, typed: &str, limit: usize) -> Result<Vec<User>, Error>;
}

/// Tokens, and the stored responses of their keys.
#[async_trait]
pub trait TokenStore: Send + Sync {
    /// Adds a token to a user.
    ///
    /// # Errors
    /// `not_found` if there is no such user. `unauthorized` if the token that makes it is not valid any more.
    /// `forbidden` if that token is of the last generation that there may be
    /// ([`TOKEN_GENERATIONS`](crate::domain::limits::TOKEN_GENERATIONS)).
    async fn add_token(
        &self,
        user: &str,
        token: NewToken,
        idempotency: Option<Idempotency<Token>>,
    ) -> Result<Outcome<Token>, Error>;
    /// A page of the valid tokens of one user, or of all users, the oldest first.
    ///
    /// # Errors
    /// `invalid` if the token named in `after` does not exist any more.
    async fn tokens(&self, user: Option<UserKey>, page: ListQuery) -> Result<ListPage, Error>;
    /// Removes a token and those that descend from it: none of them is valid once the token is gone, and their rows go
    /// in portions. `by` is who revokes it; `None` for a program that administers the server.
    ///
    /// # Errors
    /// `not_found` if there is no such token, or `by` knows of none; `forbidden` if it may not revoke it
    /// ([`Bearer::check_revocation`]).
    async fn revoke(&self, id: &str, by: Option<&Bearer>) -> Result<(), Error>;
    /// Removes the tokens that programs made for themselves; their ids show which these are.
    async fn revoke_program_tokens(&self) -> Result<(), Error>;
    /// The user and the scopes of a valid token, by the hash of its text.
    async fn bearer(&self, hash: [u8; 32]) -> Result<Option<Bearer>, Error>;
    /// The stored response of a token's key, if it is younger than [`crate::domain::limits::STORED_RESPONSE_HOURS`].
    async fn stored_response(&self, token: &str, key: &str) -> Result<Option<StoredResponse>, Error>;
}
