//! `user` and `token`: users and tokens of the server, in its database, whether it is running or not.

use std::{sync::Arc, time::Duration};

use serde_json::json;
use tidings_app::home::Home;
use tidings_model::SystemClock;
use tidings_server::{Server, ServerConfig};
use tidings_sqlite::DataDir;

use crate::{
    args::{Store, Token, User},
    error::Result,
    inbox,
    output::{Output, clean},
};

/// Opens the server's data, also while a server runs on it.
pub(super) async fn open(config: ServerConfig, home: &Home) -> Result<Server> {
    inbox::prepare(home)?;
    Ok(Server::open(config, Arc::new(SystemClock)).await?)
}

/// Waits until the running servers have read their tokens again, so that removed tokens no longer work when this command
/// ends. Where the database is shared, servers may run anywhere.
async fn wait_for_token_reload(home: &Home, is_local: bool) {
    const TOKEN_RELOAD_TIME: Duration = Duration::from_millis(300);
    if !is_local || DataDir::lock(home.dir(), "server").is_err() {
        tokio::time::sleep(TOKEN_RELOAD_TIME).await;
    }
}

/// Runs `tidings user …`.
pub(crate) async fn user(args: User, store: Store, home: &Home, out: Output) -> Result<()> {
    let server = open(store.config(home)?, home).await?;
    let is_local = server.config().store.is_local();
    match args {
        User::Add { id, name } => {
            let user = server.create_user(&id, name.as_deref().unwrap_or(&id)).await?;
            out.print(&user, |to| writeln!(to, "added {}", user.id))
        }
        User::List => {
            let users = server.users().await?;
            out.print(&users, |to| {
                for user in &users {
                    writeln!(to, "{}  {}", user.id, clean(&user.name))?;
                }
                Ok(())
            })
        }
        User::Remove { id } => {
            server.remove_user(&id).await?;
            wait_for_token_reload(home, is_local).await;
            out.print(&json!({ "removed": id }), |to| writeln!(to, "removed {}", clean(&id)))
        }
    }
}

/// Runs `tidings token …`.
pub(crate) async fn token(args: Token, store: Store, home: &Home, out: Output) -> Result<()> {
    let server = open(store.config(home)?, home).await?;
    let is_local = server.config().store.is_local();
    match args {
        Token::Create { user, scope, label } => {
            let fresh = server.create_token(&user, &label, &scope).await?;
            out.print(&fresh, |to| writeln!(to, "{}", fresh.token))
        }
        Token::List { user } => {
            let tokens = server.tokens(user.as_deref()).await?;
            out.print(&tokens, |to| {
                for token in &tokens {
                    let scopes: Vec<_> = token.scopes.iter().map(|scope| scope.as_str()).collect();
                    let (id, user, label) = (&token.id, &token.user, clean(&token.label));
                    let made_by =
                        token.made_by.iter().fold(String::new(), |_, maker| format!("  made by {maker}"));
                    writeln!(to, "{id}  {user}  {}  {label}{made_by}", scopes.join(","))?;
                }
                Ok(())
            })
        }
        Token::Revoke { id } => {
            server.revoke_token(&id).await?;
            wait_for_token_reload(home, is_local).await;
            out.print(&json!({ "revoked": id }), |to| writeln!(to, "revoked {}", clean(&id)))
        }
    }
}
