//! Tokens of an open server.

use tidings_model::Code;
use tidings_model::wire::Scope;
use tidings_store::domain::account::{self, FreshToken, NewToken, Token};
use tidings_store::{Error, ListQuery, Outcome};

use super::Server;
use crate::domain::limits;

impl Server {
    /// Creates a token for a user. Its text is only in the result.
    ///
    /// # Errors
    /// `not_found` if there is no such user.
    ///
    /// ```no_run
    /// # async fn example(server: tidings_server_core::Server) -> Result<(), Box<dyn std::error::Error>> {
    /// use tidings_model::wire::Scope;
    /// let fresh = server.create_token("ann", "backup script", &[Scope::Publish]).await?;
    /// println!("{}", fresh.token);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn create_token(&self, user: &str, label: &str, scopes: &[Scope]) -> Result<FreshToken, Error> {
        self.make_token(user, account::random_name(), label, scopes).await
    }

    /// Creates a token with this id.
    ///
    /// # Errors
    /// `not_found` if there is no such user.
    pub(crate) async fn make_token(
        &self,
        user: &str,
        id: String,
        label: &str,
        scopes: &[Scope],
    ) -> Result<FreshToken, Error> {
        let token = account::mint();
        let (label, scopes) = (label.to_owned(), scopes.to_vec());
        let new = NewToken { id, hash: account::hash(&token), label, scopes, made_by: None };
        match self.store.add_token(user, new, None).await? {
            Outcome::Done(about) => Ok(FreshToken { token, about }),
            Outcome::Replayed(_) => Err(Error::refused(Code::Conflict, "the token already exists")),
        }
    }

    /// The tokens of one user, or of all users, the oldest first.
    ///
    /// # Errors
    /// `not_found` if there is no such user.
    ///
    /// ```no_run
    /// # async fn example(server: tidings_server_core::Server) -> Result<(), Box<dyn std::error::Error>> {
    /// for token in server.tokens(Some("ann")).await? {
    ///     println!("{} {}", token.id, token.label);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn tokens(&self, user: Option<&str>) -> Result<Vec<Token>, Error> {
        let key = match user {
            Some(id) => Some(self.store.user(id).await?.ok_or_else(|| Error::not_found("user"))?.key),
            None => None,
        };
        let (mut tokens, mut page) = (Vec::<Token>::new(), ListQuery::first(limits::PAGE_ELEMENTS));
        loop {
            let more: Vec<Token> = self.store.tokens(key, page.clone()).await?.values()?;
            let Some(last) = more.last() else { return Ok(tokens) };
            page = page.after(&last.id);
            tokens.extend(more);
        }
    }

    /// Revokes a token by its id, with the tokens that descend from it; their open streams end at once.
    ///
    /// # Errors
    /// `not_found` if there is no such token.
    pub async fn revoke_token(&self, id: &str) -> Result<(), Error> {
        let revoked = self.store.revoke(id, None).await;
        self.access.invalidate();
        revoked
    }

    /// Creates a user if missing, and a new token for them, as a program that embeds the server does.
    ///
    /// # Errors
    /// `invalid` if the id or the name is not valid, [`Error::Store`] if the database can't be written.
    ///
    /// ```no_run
    /// # async fn example(server: tidings_server_core::Server) -> Result<(), Box<dyn std::error::Error>> {
    /// use tidings_model::wire::Scope;
    /// let token = server.owner("me", "Me", "this computer", &[Scope::Inbox]).await?.token;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn owner(
        &self,
        id: &str,
        name: &str,
        label: &str,
        scopes: &[Scope],
    ) -> Result<FreshToken, Error> {
        self.ensure_user(id, name).await?;
        self.create_token(id, label, scopes).await
    }
}
