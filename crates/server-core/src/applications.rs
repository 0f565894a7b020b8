//! Applications of Gotify's API, as a program that embeds the server makes them.

use tidings_store::domain::account::{self, NewToken};
use tidings_store::domain::draft::check_name;
use tidings_store::{ApplicationFields, Error};

use crate::server::Server;

impl Server {
    /// Makes an application for a user. The answer is the text of its token, which publishes to this user through
    /// Gotify's API and permits nothing else; it can't be read again later.
    ///
    /// # Errors
    /// `not_found` if there is no such user, `invalid` if the name is too long or the user has
    /// [`crate::domain::limits::USER_APPLICATIONS`].
    ///
    /// ```no_run
    /// # async fn example(server: tidings_server_core::Server) -> Result<(), Box<dyn std::error::Error>> {
    /// println!("{}", server.create_application("ann", "NAS").await?);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn create_application(&self, user: &str, name: &str) -> Result<String, Error> {
        check_name("name", name)?;
        let text = account::mint();
        let token = NewToken {
            id: account::random_name(),
            hash: account::hash(&text),
            label: name.to_owned(),
            scopes: Vec::new(),
            made_by: None,
        };
        let fields = ApplicationFields { name: name.to_owned(), ..ApplicationFields::default() };
        self.store.add_application(user, fields, token, None).await?;
        Ok(text)
    }
}
