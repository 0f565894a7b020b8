//! `user` and `token`: users and tokens of the server, in its database, whether it is running or not.

use std::{
    io::{IsTerminal, Write},
    sync::Arc,
    time::Duration,
};

use serde_json::json;
use tidings_home::Home;
use tidings_model::SystemClock;
use tidings_server::{Server, ServerConfig, WrittenContent};
use tidings_sqlite::{DataDir, is_present};

use crate::{
    args::{Content, Store, Token, User},
    error::{Error, Result},
    inbox::{self, replica_file},
    output::{Output, Progress, clean},
};

/// Opens the server's data, also while a server runs on it.
pub(super) async fn open(config: ServerConfig, home: &Home) -> Result<Server> {
    inbox::prepare(home)?;
    Ok(Server::open(config, Arc::new(SystemClock)).await?)
}

/// Waits until the running servers have read their tokens again, so that removed tokens no longer work when this command
/// ends. If the database is shared, servers may run anywhere.
async fn wait_for_token_reload(home: &Home, is_local: bool) {
    const TOKEN_RELOAD_TIME: Duration = Duration::from_millis(300);
    if !is_local || DataDir::is_taken(home.dir(), "server").unwrap_or(true) {
        tokio::time::sleep(TOKEN_RELOAD_TIME).await;
    }
}

/// Whether a user of the server in this folder is the one whose inbox the app has as its own.
fn is_of_app(id: &str, home: &Home) -> Result<bool> {
    if !is_present(&replica_file(home)) {
        return Ok(false);
    }
    let sources = inbox::open(home)?.sources()?;
    Ok(sources.iter().any(|source| source.own && source.user.as_deref() == Some(id)))
}

/// Asks whether a user is to be removed, if somebody can answer; a script is not asked.
fn is_confirmed(id: &str, written: WrittenContent) -> Result<bool> {
    if !(std::io::stdin().is_terminal() && std::io::stderr().is_terminal()) {
        return Ok(true);
    }
    let what = match written {
        WrittenContent::Keep => "What they wrote to others stays.",
        WrittenContent::Delete => "What they wrote is recalled from every inbox.",
    };
    let id = clean(id);
    eprint!(
        "Remove {id} for good? Their inbox, tokens and files are deleted, and nobody else is given the ID. {what} [y/N] "
    );
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
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
        User::Remove { id, content, yes } => {
            let written = match content {
                Content::Keep => WrittenContent::Keep,
                Content::Delete => WrittenContent::Delete,
            };
            if is_local && is_of_app(&id, home)? {
                let why = format!(
                    "{} is the user of the app on this computer, whose own server needs it; nobody was removed",
                    clean(&id)
                );
                return Err(Error::Failed(why));
            }
            if !yes && !is_confirmed(&id, written)? {
                return Err(Error::Failed(format!("{} was not removed", clean(&id))));
            }
            let progress = Progress::begin(out, "removing");
            server.remove_user(&id, written).await?;
            wait_for_token_reload(home, is_local).await;
            drop(progress);
            out.print(&json!({ "removed": id }), |to| writeln!(to, "removed {}", clean(&id)))
        }
        User::Rename { id, name } => {
            let user = server.rename_user(&id, &name).await?;
            wait_for_token_reload(home, is_local).await;
            out.print(&user, |to| writeln!(to, "{}  {}", user.id, clean(&user.name)))
        }
        User::Export { id } => {
            let mut export = server.export_user(&id).await?;
            let mut to = std::io::stdout().lock();
            // In a terminal the lines themselves say how far it is.
            let quiet = Output { json: out.json || to.is_terminal() };
            let progress = Progress::begin(quiet, "exporting");
            while let Some(lines) = export.lines().await? {
                to.write_all(lines.as_bytes())?;
            }
            drop(progress);
            Ok(to.flush()?)
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
