//! The server's users and tokens, on its data, running or not. Refuses to show a token again.

use std::sync::Arc;

use serde_json::json;
use tidings_app::home::Home;
use tidings_model::SystemClock;
use tidings_server::{Server, ServerConfig};

use crate::{
    args::{Token, User},
    error::Result,
    inbox,
    output::{Output, clean},
};

async fn open(home: &Home) -> Result<Server> {
    inbox::prepare(home)?;
    Ok(Server::open(ServerConfig::new(home.dir()), Arc::new(SystemClock)).await?)
}

/// `tidings user …`
pub(crate) async fn user(args: User, home: &Home, out: Output) -> Result<()> {
    let server = open(home).await?;
    match args {
        User::Add { id, name } => {
            let user = server.create_user(&id, name.as_deref().unwrap_or(&id)).await?;
            out.give(&user, |to| writeln!(to, "added {}", user.id))
        }
        User::List => {
            let users = server.users().await?;
            out.give(&users, |to| {
                for user in &users {
                    writeln!(to, "{}  {}", user.id, clean(&user.name))?;
                }
                Ok(())
            })
        }
        User::Remove { id } => {
            server.remove_user(&id).await?;
            out.give(&json!({ "removed": id }), |to| writeln!(to, "removed {}", clean(&id)))
        }
    }
}

/// `tidings token …`
pub(crate) async fn token(args: Token, home: &Home, out: Output) -> Result<()> {
    let server = open(home).await?;
    match args {
        Token::Create { user, scope, label } => {
            let fresh = server.create_token(&user, &label, &scope).await?;
            out.give(&fresh, |to| writeln!(to, "{}", fresh.token))
        }
        Token::List { user } => {
            let tokens = server.tokens(user.as_deref()).await?;
            out.give(&tokens, |to| {
                for token in &tokens {
                    let scopes: Vec<_> = token.scopes.iter().map(|scope| scope.as_str()).collect();
                    writeln!(
                        to,
                        "{}  {}  {}  {}",
                        token.id,
                        token.user,
                        scopes.join(","),
                        clean(&token.label)
                    )?;
                }
                Ok(())
            })
        }
        Token::Revoke { id } => {
            server.revoke_token(&id).await?;
            out.give(&json!({ "revoked": id }), |to| writeln!(to, "revoked {}", clean(&id)))
        }
    }
}
