//! The tokens that the program of a server makes for itself: that of `endpoint.json`, and those that commands borrow.

use tidings_model::wire::Scope;
use tidings_store::Error;
use tidings_store::domain::account::{self, FreshToken, program_token_id};

use super::Server;
use crate::endpoint::is_program_token;

/// The label of the token in `endpoint.json`.
const ENDPOINT_TOKEN_LABEL: &str = "endpoint.json";
/// The label of a token that a terminal command borrows while it runs.
const BORROWED_TOKEN_LABEL: &str = "command on this computer";

impl Server {
    /// Makes a new token for `endpoint.json` with the scope `publish`, and revokes those of former starts. The user is
    /// created if missing. [`proof`](crate::endpoint::proof) uses it from now on. If other servers have the same data, all of them stay;
    /// [`Server::forget_endpoint`] revokes one.
    ///
    /// # Errors
    /// [`Error::Store`] if the store can't be written, `invalid` if `user` is not a valid id.
    pub async fn renew_endpoint(&self, user: &str, name: &str) -> Result<FreshToken, Error> {
        if !self.store.is_shared() {
            self.store.revoke_program_tokens().await?;
        }
        self.access.invalidate();
        self.ensure_user(user, name).await?;
        let fresh =
            self.make_token(user, program_token_id(), ENDPOINT_TOKEN_LABEL, &[Scope::Publish]).await?;
        self.endpoint.set(Some(fresh.clone()));
        Ok(fresh)
    }

    /// Revokes a token that a former start of this server left behind in `endpoint.json`. Nothing happens if it is
    /// revoked already, or is not such a token.
    ///
    /// # Errors
    /// [`Error::Store`] if the store can't be written.
    pub async fn forget_endpoint(&self, token: &str) -> Result<(), Error> {
        match self.store.bearer(account::hash(token)).await? {
            Some(bearer) if is_program_token(&bearer.token) => self.revoke_token(&bearer.token).await,
            _ => Ok(()),
        }
    }

    /// Revokes the token of `endpoint.json`, before the server ends.
    ///
    /// # Errors
    /// `not_found` if the token is revoked already, [`Error::Store`] if the store can't be written.
    pub async fn end_endpoint(&self) -> Result<(), Error> {
        match self.endpoint.set(None) {
            Some(token) => self.revoke_token(&token.about.id).await,
            None => Ok(()),
        }
    }

    /// Makes a token with the scope `inbox` for one command on this computer. [`Server::give_back`] revokes it; that of
    /// a killed command is revoked at the server's next start.
    ///
    /// # Errors
    /// `not_found` if there is no such user, [`Error::Store`] if the store can't be written.
    pub async fn borrow_token(&self, user: &str) -> Result<FreshToken, Error> {
        self.make_token(user, program_token_id(), BORROWED_TOKEN_LABEL, &[Scope::Inbox]).await
    }

    /// Revokes a borrowed token.
    ///
    /// # Errors
    /// `not_found` if the token is revoked already, [`Error::Store`] if the store can't be written.
    pub async fn give_back(&self, token: FreshToken) -> Result<(), Error> {
        self.revoke_token(&token.about.id).await
    }
}
